// Checkout and sync: the working state as a folder that tools may change as they like, and what
// they changed as operations of one turn. What changed is found by hash, never by time.

#include <algorithm>

#include "base/binary.h"
#include "base/ignore_missing.h"
#include "workspace/folder_changes.h"
#include "workspace/hydrated_folder.h"
#include "workspace/paths.h"
#include "workspace/workspace_impl.h"

namespace staged {
namespace {

// What a hydrated folder held when it was written; kept in the journal's settings.
std::string ManifestName(const std::string& directory) { return "checkout:" + directory; }

// Whether all of it is there, or a checkout began to write it.
enum class ManifestState : uint8_t { kWritten = 1, kUnfinished = 2 };

std::string EncodeManifest(const std::string& branch, const Tree& tree,
                           ManifestState state = ManifestState::kWritten) {
  BinaryWriter writer;
  writer.PutByte(static_cast<uint8_t>(state));
  writer.PutString(branch);
  writer.PutUnsigned(tree.size());
  for (const auto& [path, entry] : tree) {
    writer.PutString(path);
    writer.PutByte(static_cast<uint8_t>(entry.kind));
    writer.PutHash(entry.hash);
  }
  return writer.Take();
}

struct Manifest {
  ManifestState state = ManifestState::kWritten;
  std::string branch;
  Tree tree;
};

Result<Manifest> DecodeManifest(std::string_view bytes) {
  BinaryReader reader(bytes);
  Manifest manifest;
  manifest.state = static_cast<ManifestState>(reader.GetByte());
  if (manifest.state != ManifestState::kWritten && manifest.state != ManifestState::kUnfinished) {
    return Status(ErrorCode::kDataLoss, "the checkout's manifest is damaged; check out anew");
  }
  manifest.branch = reader.GetString();
  constexpr uint64_t kEntryBytesMin = 34;
  const uint64_t count = reader.GetCount(kEntryBytesMin);
  for (uint64_t i = 0; i < count && reader.ok(); ++i) {
    std::string path(reader.GetString());
    const auto kind = static_cast<EntryKind>(reader.GetByte());
    manifest.tree[std::move(path)] = Entry{kind, reader.GetHash()};
  }
  STAGED_RETURN_IF_ERROR(reader.Finish("the checkout's manifest"));
  return manifest;
}

// Removes the empty directories from `path` up to, and without, `ancestor`.
void RemoveDirectories(Env& env, std::string path, const std::string& ancestor) {
  while (path.size() > ancestor.size()) {
    const size_t slash = path.rfind('/');
    const std::string parent = slash == 0 ? "/" : path.substr(0, slash);
    const auto directory = env.OpenDirectory(parent);
    if (!directory.ok() || !(*directory)->RemoveDirectory(path.substr(slash + 1)).ok()) return;
    path = parent;
  }
}

Result<std::optional<Manifest>> FindManifest(Journal& journal, const std::string& directory) {
  STAGED_ASSIGN_OR_RETURN(const auto reader, journal.BeginRead());
  STAGED_ASSIGN_OR_RETURN(const auto encoded, reader->Setting(ManifestName(directory)));
  if (!encoded) return std::optional<Manifest>();
  STAGED_ASSIGN_OR_RETURN(Manifest manifest, DecodeManifest(*encoded));
  return std::optional<Manifest>(std::move(manifest));
}

Result<Manifest> ReadManifest(Journal& journal, const std::string& directory) {
  STAGED_ASSIGN_OR_RETURN(auto manifest, FindManifest(journal, directory));
  if (!manifest) {
    return Status(ErrorCode::kNotFound,
                  "'" + directory + "' was not made by `staged checkout` of this workspace");
  }
  if (manifest->state == ManifestState::kUnfinished) {
    return Status(ErrorCode::kNotFound, "the checkout into '" + directory +
                                            "' did not come to its end; run `staged checkout " +
                                            directory + "` again");
  }
  return *std::move(manifest);
}

struct NearestDirectory {
  std::string path;       // as it was named
  std::string real_path;  // without symlinks
};

// The deepest directory on the way to `path` that exists.
Result<NearestDirectory> FindNearestDirectory(Env& env, std::string path) {
  for (;;) {
    const auto directory = env.OpenDirectory(path);
    if (directory.ok()) return NearestDirectory{path, (*directory)->path()};
    const size_t slash = path.rfind('/');
    if (path == "/" || slash == std::string::npos) return directory.status();
    path = slash == 0 ? "/" : path.substr(0, slash);
  }
}

// Stores, durably and at once, what the folder has new, and completes its entries' hashes.
Status StoreNew(ObjectStore& store, Directory& source, const Tree& before, ScannedTree& now) {
  STAGED_ASSIGN_OR_RETURN(const auto batch, store.NewBatch());
  for (auto& [path, entry] : now.entries) {
    if (FindEntry(before, path) == entry) continue;
    STAGED_ASSIGN_OR_RETURN(const std::string bytes, ReadEntry(source, path));
    STAGED_ASSIGN_OR_RETURN(entry.hash, batch->Add(bytes));
  }
  return batch->Commit();
}

// What lies below a folder; a folder comes before what is in it.
Status ListBelow(Directory& directory, const std::string& folder, std::vector<std::string>& files,
                 std::vector<std::string>& folders) {
  STAGED_ASSIGN_OR_RETURN(const auto items, directory.List(folder));
  for (const DirectoryItem& item : items) {
    const std::string path = folder.empty() ? item.name : folder + "/" + item.name;
    if (item.kind != FileKind::kDirectory) {
      files.push_back(path);
      continue;
    }
    folders.push_back(path);
    STAGED_RETURN_IF_ERROR(ListBelow(directory, path, files, folders));
  }
  return OkStatus();
}

// Whether `found` is what a kill or a power loss may leave of a file that was to be `whole`: its
// beginning, with zeros for what did not reach the disk.
bool IsPartOf(std::string_view found, std::string_view whole) {
  return found.size() <= whole.size() &&
         std::equal(found.begin(), found.end(), whole.begin(),
                    [](char left, char right) { return left == right || left == '\0'; });
}

constexpr std::string_view kCheckoutPrefix = "checkout-";

std::string CheckoutLock(const std::string& directory) {
  constexpr size_t kDigits = 16;
  return std::string(kCheckoutPrefix) + ContentHash::Of(directory).ToHex().substr(0, kDigits) +
         ".lock";
}

Result<std::unique_ptr<FileLock>> LockCheckout(Env& env, Directory& temporary,
                                               const std::string& name,
                                               const std::string& directory) {
  // Whoever clears up after the dead holds it for an instant.
  constexpr int kAttempts = 8;
  constexpr int64_t kPauseNs = 1'000'000;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    auto lock = temporary.Lock(name, LockWait::kDoNotWait);
    if (lock.ok() || lock.status().code() != ErrorCode::kBusy) return lock;
    env.Sleep(kPauseNs);
  }
  return Status(ErrorCode::kBusy, "another checkout writes to '" + directory +
                                      "'; wait for it, or name another directory");
}

}  // namespace

Result<CheckoutAnswer> WorkspaceImpl::Checkout(const CallContext& context,
                                               const std::string& directory) {
  // Where it really is: a symlinked parent must not lead staged bytes into the live folder.
  STAGED_ASSIGN_OR_RETURN(const NearestDirectory nearest, FindNearestDirectory(env_, directory));
  const std::string& root = root_directory_->path();
  const bool around = IsInside(root, directory) || (nearest.real_path == root);
  if (around || IsInside(directory, root) || IsInside(nearest.real_path, root)) {
    return Status(ErrorCode::kInvalidArgument,
                  "check out into a directory outside of the workspace and not around it");
  }
  STAGED_RETURN_IF_ERROR(env_.MakeDirectories(directory));
  STAGED_ASSIGN_OR_RETURN(const auto target, env_.OpenDirectory(directory));
  // Whoever holds this lock writes there; what lies there without is a dead one's.
  const std::string lock_name = CheckoutLock(directory);
  STAGED_ASSIGN_OR_RETURN(const auto lock, LockCheckout(env_, *temporary_, lock_name, directory));
  HydratedFolder hydrated(*target);
  const Status cleared = ClearUnfinished(directory, *target);
  Result<CheckoutAnswer> answer =
      cleared.ok() ? Hydrate(context, directory, hydrated) : Result<CheckoutAnswer>(cleared);
  if (!answer.ok()) {
    // Nothing is in the way of another try.
    hydrated.Remove();
    RemoveDirectories(env_, directory, nearest.path);
  }
  (void)temporary_->RemoveFile(lock_name).ok();
  return answer;
}

Status WorkspaceImpl::ClearCheckoutLocks() {
  STAGED_ASSIGN_OR_RETURN(const auto items, temporary_->List(""));
  for (const DirectoryItem& item : items) {
    if (!item.name.starts_with(kCheckoutPrefix)) continue;
    const auto lock = temporary_->Lock(item.name, LockWait::kDoNotWait);
    if (lock.status().code() == ErrorCode::kBusy) continue;  // its checkout lives
    STAGED_RETURN_IF_ERROR(lock.status());
    STAGED_RETURN_IF_ERROR(IgnoreMissing(temporary_->RemoveFile(item.name)));
  }
  return OkStatus();
}

Status WorkspaceImpl::ClearUnfinished(const std::string& directory, Directory& target) {
  STAGED_ASSIGN_OR_RETURN(auto items, target.List(""));
  if (items.empty()) return OkStatus();
  STAGED_ASSIGN_OR_RETURN(const auto manifest, FindManifest(*journal_, directory));
  const bool is_ours = manifest && manifest->state == ManifestState::kUnfinished;
  std::string foreign;
  if (is_ours) {
    std::vector<std::string> files, folders;
    STAGED_RETURN_IF_ERROR(ListBelow(target, "", files, folders));
    for (const std::string& path : files) {
      const auto entry = manifest->tree.find(path);
      bool is_written_here = entry != manifest->tree.end();
      if (is_written_here) {
        const Result<std::string> whole = ReadContent(path, entry->second.hash);
        STAGED_ASSIGN_OR_RETURN(const std::string found, ReadEntry(target, path));
        is_written_here = whole.ok() && IsPartOf(found, *whole);
      }
      if (!is_written_here && foreign.empty()) foreign = path;
    }
    if (foreign.empty()) {
      for (const std::string& path : files) STAGED_RETURN_IF_ERROR(target.RemoveFile(path));
      for (auto folder = folders.rbegin(); folder != folders.rend(); ++folder) {
        STAGED_RETURN_IF_ERROR(target.RemoveDirectory(*folder));
      }
      return OkStatus();
    }
  }
  const std::string why = is_ours ? " holds '" + foreign +
                                        "', which is not as a checkout that died here left it; "
                                        "move that file away and check out again"
                                  : " is not empty; name an empty or new directory";
  return {ErrorCode::kConflict, "'" + directory + "'" + why};
}

Result<Reduction> WorkspaceImpl::ReadStored(const CallContext& context) {
  STAGED_RETURN_IF_ERROR(CheckBranchName(context.branch));
  CallContext person;
  person.actor = context.actor;
  person.branch = kDiskBranch;
  person.branch_kind = BranchKind::kHuman;
  STAGED_ASSIGN_OR_RETURN(const auto session, WriteSession::Begin(*this, person, {}));
  STAGED_ASSIGN_OR_RETURN(const auto live, session->transaction().LiveOperations(context.branch));
  Reduction reduction = Reduce(session->reduction().accepted, {}, live);
  if (!session->adopted().empty()) STAGED_RETURN_IF_ERROR(session->Commit());
  return reduction;
}

Result<CheckoutAnswer> WorkspaceImpl::Hydrate(const CallContext& context,
                                              const std::string& directory,
                                              HydratedFolder& hydrated) {
  STAGED_ASSIGN_OR_RETURN(const Reduction reduction, ReadStored(context));
  // Before the first file: another checkout knows by it what one that died here wrote.
  STAGED_RETURN_IF_ERROR(PutManifest(
      directory, EncodeManifest(context.branch, reduction.working, ManifestState::kUnfinished)));
  CheckoutAnswer answer;
  for (const auto& [path, staged] : reduction.staged) {
    if (staged.conflict) answer.conflicts.push_back(DescribeConflict(staged));
  }
  for (const auto& [path, entry] : reduction.working) {
    STAGED_RETURN_IF_ERROR(hydrated.MakeParents(path));
    ++answer.files;
    const uint32_t mode = entry.kind == EntryKind::kExecutable ? 0755 : 0644;
    // A clone shares blocks with the live file; it counts only if it has the right bytes.
    if (entry.kind != EntryKind::kSymlink && FindEntry(reduction.accepted, path) == entry) {
      STAGED_ASSIGN_OR_RETURN(const bool cloned,
                              hydrated.CloneFile(*root_directory_, path, mode, entry));
      if (cloned) continue;
    }
    STAGED_ASSIGN_OR_RETURN(const std::string bytes, ReadContent(path, entry.hash));
    STAGED_RETURN_IF_ERROR(entry.kind == EntryKind::kSymlink
                               ? hydrated.MakeSymlink(path, bytes)
                               : hydrated.MakeFile(path, mode, bytes));
  }
  // Before the manifest: what it names and a power loss took would be staged as removed.
  STAGED_RETURN_IF_ERROR(hydrated.Sync());
  STAGED_RETURN_IF_ERROR(PutManifest(directory, EncodeManifest(context.branch, reduction.working)));
  return answer;
}

Status WorkspaceImpl::PutManifest(const std::string& directory, std::string_view manifest) {
  STAGED_ASSIGN_OR_RETURN(const auto transaction, journal_->BeginWrite(options_.writer_wait_ms));
  STAGED_RETURN_IF_ERROR(transaction->PutSetting(ManifestName(directory), manifest));
  return transaction->Commit(JournalTransaction::Durability::kDurable);
}

void WorkspaceImpl::AddConflicts(const Reduction& reduction, SyncAnswer& answer) {
  std::set<std::string> paths;
  for (const StagedChange& change : answer.operations) {
    paths.insert(change.path);
    if (!change.moved_to.empty()) paths.insert(change.moved_to);
  }
  for (const std::string& path : paths) {
    const StagedPath* staged = reduction.Find(path);
    if (staged != nullptr && staged->conflict) {
      answer.conflicts.push_back(DescribeConflict(*staged));
    }
  }
}

namespace {

Result<bool> IsAnswered(Journal& journal, const std::string& request_id) {
  if (request_id.empty()) return false;
  STAGED_ASSIGN_OR_RETURN(const auto reader, journal.BeginRead());
  STAGED_ASSIGN_OR_RETURN(const auto answer, reader->RequestAnswer(request_id));
  return answer.has_value();
}

// A collection may have run since the folder's new contents were stored.
Status RequireInFolder(WriteSession& session, Directory& folder, const std::string& path,
                       const ContentHash& hash) {
  STAGED_ASSIGN_OR_RETURN(const bool there, session.store().Has(hash));
  if (there) return OkStatus();
  STAGED_ASSIGN_OR_RETURN(const std::string bytes, ReadEntry(folder, path));
  STAGED_ASSIGN_OR_RETURN(const ContentHash stored, session.store().Put(bytes, {}));
  if (stored == hash) return OkStatus();
  return {ErrorCode::kBusy, "'" + path + "' changed while the folder was taken over; sync again"};
}

}  // namespace

Value WorkspaceImpl::KeepSync(const SyncAnswer& answer) {
  Value::Array skipped;
  for (const SkippedPath& one : answer.skipped) {
    skipped.push_back(Value::Array{one.path, one.reason});
  }
  return Value::Object{{"skipped", std::move(skipped)},
                       {"conflicts", KeepConflicts(answer.conflicts)}};
}

Result<SyncAnswer> WorkspaceImpl::RepeatedSync(WriteSession& session) {
  SyncAnswer answer;
  for (const int64_t sequence : session.repeated()) {
    STAGED_ASSIGN_OR_RETURN(const Operation operation, session.transaction().Read(sequence));
    answer.operations.push_back(AnswerOf(operation));
  }
  const Value* skipped = session.kept_answer().Find("skipped");
  for (const Value& one : skipped != nullptr ? skipped->as_array() : Value::Array{}) {
    answer.skipped.push_back({one.as_array()[0].as_string(), one.as_array()[1].as_string()});
  }
  answer.conflicts = KeptConflicts(session.kept_answer());
  return answer;
}

Result<SyncAnswer> WorkspaceImpl::Sync(const CallContext& context, const std::string& directory) {
  STAGED_ASSIGN_OR_RETURN(const Manifest manifest, ReadManifest(*journal_, directory));
  STAGED_ASSIGN_OR_RETURN(const bool is_repeated, IsAnswered(*journal_, context.request_id));
  std::unique_ptr<Directory> source;
  ScannedTree scanned;
  // The folder may be gone when a request comes again.
  if (!is_repeated) {
    STAGED_ASSIGN_OR_RETURN(source, env_.OpenDirectory(directory));
    ScanOptions scan;
    scan.tracked = &manifest.tree;
    STAGED_ASSIGN_OR_RETURN(scanned, ScanTree(*source, scan));
    // Before the journal is touched.
    STAGED_RETURN_IF_ERROR(StoreNew(*store_, *source, manifest.tree, scanned));
  }

  CallContext own = context;
  own.branch = manifest.branch;
  const RequestDigest asked = RequestDigest("sync").Add(directory);
  STAGED_ASSIGN_OR_RETURN(const auto session, WriteSession::Begin(*this, own, {}, asked));
  if (session->is_repeated()) return RepeatedSync(*session);
  SyncAnswer answer;
  for (const SkippedFile& skipped : scanned.skipped) {
    answer.skipped.push_back({skipped.path, skipped.reason});
  }
  for (const auto& [path, entry] : scanned.entries) {
    if (FindEntry(manifest.tree, path) == entry) continue;
    STAGED_RETURN_IF_ERROR(RequireInFolder(*session, *source, path, entry.hash));
  }
  FolderChanges changes = CompareFolder(manifest.tree, scanned);
  RefuseNewNames(*session, changes, scanned.entries, answer);
  const std::vector<Operation> operations =
      FolderOperations(changes, manifest.tree, scanned.entries);
  // Each base is what was checked out, so that a path which the branch moved meanwhile is staged as
  // a conflict and not overwritten.
  for (Operation operation : operations) {
    // Written on what the branch shows in a conflict, it replaces what was kept aside.
    STAGED_ASSIGN_OR_RETURN(operation, SupersedeConflict(*session, std::move(operation)));
    STAGED_ASSIGN_OR_RETURN(const Operation appended, session->Append(std::move(operation)));
    answer.operations.push_back(AnswerOf(appended));
  }
  if (operations.empty()) {
    session->KeepAnswer(KeepSync(answer));
    STAGED_RETURN_IF_ERROR(session->CommitAnswer());
    return answer;
  }
  STAGED_RETURN_IF_ERROR(session->Renew());
  AddConflicts(session->reduction(), answer);
  Tree now = manifest.tree;
  for (const std::string& path : changes.gone) now.erase(path);
  for (const auto& [path, entry] : scanned.entries) now[path] = entry;
  STAGED_RETURN_IF_ERROR(session->transaction().PutSetting(ManifestName(directory),
                                                           EncodeManifest(manifest.branch, now)));
  session->KeepAnswer(KeepSync(answer));
  STAGED_RETURN_IF_ERROR(session->Commit());
  return answer;
}

void WorkspaceImpl::RefuseNewNames(WriteSession& session, FolderChanges& changes, Tree& scanned,
                                   SyncAnswer& answer) {
  Tree after = session.reduction().working;
  for (const std::string& path : changes.gone) after.erase(path);
  std::erase_if(changes.came, [&](const std::string& path) {
    Status allowed = CheckVersioned(session, path);
    if (allowed.ok() && !after.contains(path)) allowed = CheckTwin(after, path);
    if (allowed.ok()) {
      after[path] = scanned.at(path);
      return false;
    }
    answer.skipped.push_back({path, allowed.message()});
    scanned.erase(path);
    return true;
  });
}

}  // namespace staged
