#include "tests/simulation/workspace_site.h"

#include "formats/builtin_formats.h"
#include "journal/sqlite_journal.h"
#include "workspace/layout.h"
#include "workspace/live_state.h"

namespace staged {
namespace {

// Small, so that short histories have checkpoints.
constexpr int kCheckpointPages = 40;
constexpr std::string_view kPublish = "publish-";
constexpr uint64_t kBytesMax = uint64_t{1} << 26;

const FormatRegistry& Formats() {
  static const FormatRegistry* const registry = new FormatRegistry(NewBuiltinRegistry());
  return *registry;
}

std::string Describe(const OptionalEntry& entry) {
  if (!entry) return "none";
  return std::to_string(static_cast<int>(entry->kind)) + ":" + entry->hash.ToHex().substr(0, 12);
}

Status ListBelow(Directory& directory, const std::string& folder, Tree* tree) {
  STAGED_ASSIGN_OR_RETURN(const auto items, directory.ListWithStatus(folder));
  for (const ListedItem& item : items) {
    const std::string path = folder.empty() ? item.name : folder + "/" + item.name;
    if (path == layout::kFolder) continue;
    if (item.status.kind == FileKind::kDirectory) {
      STAGED_RETURN_IF_ERROR(ListBelow(directory, path, tree));
    } else if (item.status.kind == FileKind::kSymlink) {
      STAGED_ASSIGN_OR_RETURN(const std::string target, directory.ReadLink(path));
      (*tree)[path] = {EntryKind::kSymlink, ContentHash::Of(target)};
    } else {
      STAGED_ASSIGN_OR_RETURN(const std::string bytes, directory.ReadFile(path, kBytesMax));
      (*tree)[path] = {item.status.is_executable() ? EntryKind::kExecutable : EntryKind::kFile,
                       ContentHash::Of(bytes)};
    }
  }
  return OkStatus();
}

std::string CompareFolders(const Tree& accepted, const Tree& disk) {
  for (const Tree* tree : {&accepted, &disk}) {
    for (const auto& [path, entry] : *tree) {
      if (FindEntry(accepted, path) == FindEntry(disk, path)) continue;
      return "'" + path + "' is " + Describe(FindEntry(disk, path)) + " in the live folder and " +
             Describe(FindEntry(accepted, path)) + " in the accepted tree";
    }
  }
  return "";
}

// The last save of each path is on disk, or was taken in: the journal knows it and the store has
// it (fsck proves the latter).
Result<std::string> FindLostSave(WorkspaceSite& site, JournalReader& reader, const Tree& disk,
                                 const std::vector<PersonsSave>& saves) {
  std::map<std::string, const PersonsSave*> last;
  for (const PersonsSave& save : saves) last[save.path] = &save;
  for (const auto& [path, save] : last) {
    if (!save->bytes) continue;
    const ContentHash hash = ContentHash::Of(*save->bytes);
    const OptionalEntry now = FindEntry(disk, path);
    if (now && now->hash == hash) continue;
    STAGED_ASSIGN_OR_RETURN(const bool known, reader.WasAt(path, hash));
    if (!known) return "what a person saved at '" + path + "' is lost";
    const auto content = site->Read(AgentContext(), path, hash);
    if (!content.ok()) return "what a person saved at '" + path + "' cannot be read";
    if (content->bytes != *save->bytes) return "what a person saved at '" + path + "' is altered";
  }
  return std::string();
}

// Nothing is put down to a person that no person did.
Result<std::string> FindInventedSave(JournalReader& reader, const std::vector<PersonsSave>& saves) {
  std::string invented;
  OperationFilter filter;
  filter.after_sequence = 1;  // the first is what init took in
  filter.types = {OperationType::kAdopt};
  STAGED_RETURN_IF_ERROR(reader.Scan(filter, [&](const Operation& operation) {
    for (const PathChange& change : operation.changes) {
      bool found = false;
      for (const PersonsSave& save : saves) {
        if (save.path != change.path || save.bytes.has_value() != change.result.has_value()) {
          continue;
        }
        found = found || !save.bytes || ContentHash::Of(*save.bytes) == change.result->hash;
      }
      if (!found) {
        invented = "operation " + std::to_string(operation.sequence) + " puts " +
                   Describe(change.result) + " at '" + change.path + "' down to a person";
      }
    }
    return invented.empty();
  }));
  return invented;
}

Result<std::string> FindLeftovers(SimulatedEnv& env) {
  const auto reader = env.NewExternalProcess();
  STAGED_ASSIGN_OR_RETURN(const auto directory, reader->OpenDirectory(kSimulatedRoot));
  STAGED_ASSIGN_OR_RETURN(const auto items,
                          directory->List(std::string(layout::kFolder) + "/" + layout::kTemporary));
  for (const DirectoryItem& item : items) {
    // The lock of those who park and collect displaced files stays, like every lock file.
    if (item.name == "displaced.lock") continue;
    // A living publisher keeps its files until what it did is durable.
    const std::string owner = item.name.substr(0, item.name.find_first_of("-.", kPublish.size()));
    const std::string lock = std::string(layout::kFolder) + "/" + layout::kTemporary + "/" + owner;
    const bool is_alive =
        item.name.starts_with(kPublish) &&
        directory->Lock(lock + ".lock", LockWait::kDoNotWait).status().code() == ErrorCode::kBusy;
    if (!is_alive) return "'" + item.name + "' was left in .staged/tmp";
  }
  return std::string();
}

Result<std::string> Check(WorkspaceSite& site, const Promise& promise) {
  STAGED_ASSIGN_OR_RETURN(const auto reader, site.journal().BeginRead());
  if (promise.head.sequence > 0) {
    const auto operation = reader->Read(promise.head.sequence);
    if (!operation.ok() || operation->chain != promise.head.chain) {
      return "acknowledged operation " + std::to_string(promise.head.sequence) + " is gone";
    }
  }
  STAGED_ASSIGN_OR_RETURN(const FsckReport report, site->Fsck({}));
  for (const FsckFinding& finding : report.findings) {
    return "fsck: " + finding.code + " " + finding.subject + ": " + finding.message;
  }
  STAGED_ASSIGN_OR_RETURN(const Tree accepted, ReadAcceptedTree(*reader));
  STAGED_ASSIGN_OR_RETURN(const Tree disk, ListLiveFolder(site.env()));
  if (std::string broken = CompareFolders(accepted, disk); !broken.empty()) return broken;
  STAGED_ASSIGN_OR_RETURN(const auto publications, reader->Publications());
  if (!publications.empty()) return std::string("a publication did not end");
  STAGED_ASSIGN_OR_RETURN(std::string lost, FindLostSave(site, *reader, disk, promise.saves));
  if (!lost.empty()) return lost;
  STAGED_ASSIGN_OR_RETURN(std::string invented, FindInventedSave(*reader, promise.saves));
  if (!invented.empty()) return invented;
  return FindLeftovers(site.env());
}

Result<std::string> TryEverything(WorkspaceSite& site) {
  STAGED_ASSIGN_OR_RETURN(const JournalHead head, ReadHead(site.journal()));
  const std::string bytes = "life goes on after " + std::to_string(head.sequence) + "\n";
  CallContext context = AgentContext("afterwards");
  context.actor = {"operator", ActorKind::kHuman};
  const auto there = site->Read(context, "afterwards.txt", {});
  if (!there.ok() && there.status().code() != ErrorCode::kNotFound) return there.status();
  BaseHash base;
  if (there.ok()) base = there->entry.hash;
  STAGED_RETURN_IF_ERROR(site->Write(context, "afterwards.txt", base, bytes).status());
  STAGED_ASSIGN_OR_RETURN(const ReviewAnswer review, site->Review(context, {"afterwards.txt"}));
  for (const ReviewedPath& reviewed : review.reviewed) {
    if (reviewed.receipt.state != ReceiptState::kPending) continue;
    CallContext other = context;
    other.actor.name = "approver";
    STAGED_RETURN_IF_ERROR(site->Approve(other, reviewed.receipt.id));
  }
  STAGED_RETURN_IF_ERROR(site->Submit(context, {"afterwards.txt"}, {}).status());
  STAGED_ASSIGN_OR_RETURN(const Tree disk, ListLiveFolder(site.env()));
  const OptionalEntry now = FindEntry(disk, "afterwards.txt");
  if (!now || now->hash != ContentHash::Of(bytes)) return std::string("the live folder lacks it");
  return std::string();
}

// Lets others have their turn before each write transaction, and before and after each snapshot.
class InterruptedJournal : public Journal {
 public:
  InterruptedJournal(std::unique_ptr<Journal> journal, const std::function<void()>& before_write,
                     const std::function<void()>& before_read,
                     const std::function<void()>& after_read)
      : journal_(std::move(journal)),
        before_write_(before_write),
        before_read_(before_read),
        after_read_(after_read) {}

  Result<std::unique_ptr<JournalReader>> BeginRead() override {
    if (before_read_) before_read_();
    auto reader = journal_->BeginRead();
    if (after_read_) after_read_();
    return reader;
  }
  Result<std::unique_ptr<JournalTransaction>> BeginWrite(int wait_ms) override {
    if (before_write_) before_write_();
    return journal_->BeginWrite(wait_ms);
  }
  Status Sync() override { return journal_->Sync(); }
  Status Verify(const std::function<void(int64_t done, int64_t total)>& progress) override {
    return journal_->Verify(progress);
  }

 private:
  std::unique_ptr<Journal> journal_;
  const std::function<void()>& before_write_;
  const std::function<void()>& before_read_;
  const std::function<void()>& after_read_;
};

}  // namespace

WorkspaceSite::WorkspaceSite(SimulatedEnv& env, std::shared_ptr<EnvVfsLocks> locks)
    : env_(env),
      vfs_(*RegisterEnvVfs(env, {.locks = std::move(locks), .sleep = [&env](int microseconds) {
                                   env.AdvanceNs(int64_t{microseconds} * 1000);
                                 }})) {}

OpenOptions WorkspaceSite::Options(const std::string& root) {
  OpenOptions options;
  options.writer_wait_ms = 100;
  options.keep_derived = false;
  options.open_journal = [this, root](bool create) -> Result<std::unique_ptr<Journal>> {
    SqliteJournalOptions journal;
    journal.mode =
        create ? SqliteJournalOptions::Mode::kCreate : SqliteJournalOptions::Mode::kOpenExisting;
    journal.vfs = vfs_->name();
    journal.checkpoint_pages = kCheckpointPages;
    STAGED_ASSIGN_OR_RETURN(
        auto opened, OpenSqliteJournal(root + "/" + layout::kFolder + "/" + layout::kJournalFile,
                                       std::move(journal)));
    auto journal_here = std::make_unique<InterruptedJournal>(std::move(opened), before_write,
                                                             before_read, after_read);
    journal_ = journal_here.get();
    return std::unique_ptr<Journal>(std::move(journal_here));
  };
  return options;
}

Status WorkspaceSite::Init() {
  Close();
  STAGED_ASSIGN_OR_RETURN(workspace_,
                          Workspace::Init(env_, Formats(), kSimulatedRoot, {}, Options(), nullptr));
  return OkStatus();
}

Status WorkspaceSite::Open() {
  Close();
  STAGED_ASSIGN_OR_RETURN(workspace_, Workspace::Open(env_, Formats(), kSimulatedRoot, Options()));
  return OkStatus();
}

Result<std::string> DescribeState(Journal& journal) {
  STAGED_ASSIGN_OR_RETURN(const auto reader, journal.BeginRead());
  std::string text;
  STAGED_ASSIGN_OR_RETURN(const auto accepted, reader->AcceptedTree());
  for (const AcceptedEntry& one : accepted) {
    text += "accepted " + one.path + " " + Describe(one.entry) + "\n";
  }
  STAGED_ASSIGN_OR_RETURN(const auto branches, reader->Branches());
  for (const BranchRow& branch : branches) {
    STAGED_ASSIGN_OR_RETURN(const auto live, reader->LiveOperations(branch.name));
    for (const Operation& operation : live) {
      text += "live " + branch.name + " " + std::string(OperationTypeName(operation.type));
      for (const PathChange& change : operation.changes) {
        text += " " + change.path + " " + Describe(change.base) + ">" + Describe(change.result);
      }
      text += "\n";
    }
    STAGED_ASSIGN_OR_RETURN(const auto receipts, reader->Receipts(branch.name));
    std::multiset<std::string> lines;  // their order is that of random ids
    for (const ReceiptRow& receipt : receipts) {
      lines.insert("receipt " + branch.name + " " + receipt.path + " " + Describe(receipt.base) +
                   ">" + Describe(receipt.staged) + " " +
                   std::to_string(static_cast<int>(receipt.state)) + "\n");
    }
    for (const std::string& line : lines) text += line;
  }
  STAGED_ASSIGN_OR_RETURN(const auto policy, reader->Setting("policy"));
  if (policy) text += "policy " + *policy + "\n";
  OperationFilter forgets;
  forgets.types = {OperationType::kForget};
  STAGED_RETURN_IF_ERROR(reader->Scan(forgets, [&](const Operation& operation) {
    text += "forgotten " + std::string(operation.payload.FindString("forgotten")) + "\n";
    return true;
  }));
  return text;
}

Result<JournalHead> ReadHead(Journal& journal) {
  STAGED_ASSIGN_OR_RETURN(const auto reader, journal.BeginRead());
  return reader->Head();
}

Result<Tree> ListLiveFolder(SimulatedEnv& env) {
  const auto reader = env.NewExternalProcess();
  STAGED_ASSIGN_OR_RETURN(const auto directory, reader->OpenDirectory(kSimulatedRoot));
  Tree tree;
  STAGED_RETURN_IF_ERROR(ListBelow(*directory, "", &tree));
  return tree;
}

std::string FindBrokenRule(WorkspaceSite& site, const Promise& promise) {
  const Result<std::string> broken = Check(site, promise);
  return broken.ok() ? *broken : "the check failed: " + broken.status().message();
}

std::string FindWhyNothingWorks(WorkspaceSite& site) {
  const Result<std::string> broken = TryEverything(site);
  return broken.ok() ? *broken : "the work afterwards failed: " + broken.status().message();
}

CallContext AgentContext(const std::string& branch, const std::string& request_id) {
  CallContext context;
  context.branch = branch;
  context.request_id = request_id;
  return context;
}

}  // namespace staged
