// Making and opening a workspace.

#include <algorithm>
#include <mutex>
#include <optional>

#include "derived/stat_cache.h"
#include "journal/sqlite_journal.h"
#include "store/local_object_store.h"
#include "workspace/import_folder.h"
#include "workspace/layout.h"
#include "workspace/projection.h"
#include "workspace/workspace_impl.h"

namespace staged {
namespace {

constexpr uint64_t kFormatFileBytesMax = 4096;

// Hashes by file status, kept in the derived folder. Remembers the last scan.
class StatMemory final : public HashMemory {
 public:
  StatMemory(Env& env, Directory& metadata) : env_(env), metadata_(metadata) {}
  ~StatMemory() override { Save(); }

  void BeginScan() override {
    const std::lock_guard lock(mutex_);
    if (!loaded_) cache_ = std::make_unique<StatCache>(StatCache::Load(metadata_));
    loaded_ = true;
    items_.clear();
    known_.clear();
    // Of scans that overlap the earliest counts: what was recorded too early is only read again.
    if (scans_++ == 0) scan_began_ns_ = env_.NowNs();
  }
  OptionalEntry Lookup(const std::string& path, const FileStatus& status) override {
    const std::lock_guard lock(mutex_);
    if (!cache_) return {};
    size_t index = 0;
    OptionalEntry entry = cache_->Lookup(path, status, &index);
    if (entry) known_.push_back(index);
    return entry;
  }
  void Remember(const std::string& path, const FileStatus& status, const Entry& entry) override {
    const std::lock_guard lock(mutex_);
    items_.push_back({path, status, entry});
  }
  void EndScan() override {
    const std::lock_guard lock(mutex_);
    --scans_;
    if (items_.empty()) return;
    // What was read is known from here on, in this process and in later ones.
    StatCacheWriter writer;
    for (const size_t index : known_) cache_->CopyTo(writer, index, scan_began_ns_);
    for (const Item& item : items_) {
      writer.Add(item.path, item.status, item.entry, scan_began_ns_);
    }
    std::string encoded = writer.Encode();
    std::optional<StatCache> cache = StatCache::Parse(std::move(encoded));
    if (cache) cache_ = std::make_unique<StatCache>(*std::move(cache));
    items_.clear();
    known_.clear();
    unsaved_ = std::move(writer);
  }

 private:
  struct Item {
    std::string path;
    FileStatus status;
    Entry entry;
  };

  void Save() {
    if (unsaved_) (void)unsaved_->Save(metadata_, env_).ok();  // derived: another time will do
  }

  Env& env_;
  Directory& metadata_;
  std::mutex mutex_;
  std::unique_ptr<StatCache> cache_;
  // Of the last scan: what was read, and what was found (by its index in cache_, since most scans
  // find all and write nothing).
  std::vector<Item> items_;
  std::vector<size_t> known_;
  std::optional<StatCacheWriter> unsaved_;
  int64_t scan_began_ns_ = 0;
  int scans_ = 0;  // under way
  bool loaded_ = false;
};

Status NoWorkspace(const std::string& root) {
  return {ErrorCode::kNotFound, "'" + root + "' is no workspace; make one with `staged init`"};
}

Status CheckVersion(Directory& metadata) {
  const auto text = metadata.ReadFile(layout::kFormatFile, kFormatFileBytesMax);
  if (!text.ok() && text.status().code() == ErrorCode::kPermissionDenied) {
    return {ErrorCode::kPermissionDenied,
            "'" + metadata.path() +
                "' may not be read by this user; run as its owner, or ask the owner for access"};
  }
  if (!text.ok() && text.status().code() != ErrorCode::kNotFound) {
    return {text.status().code(), metadata.path() + ": " + text.status().message()};
  }
  if (!text.ok()) {
    return {ErrorCode::kDataLoss,
            ".staged/format is missing; restore .staged from a copy or an export"};
  }
  if (*text == layout::kFormatText) return OkStatus();
  return {ErrorCode::kInvalidArgument, "the workspace was written by another version ('" +
                                           text->substr(0, text->find('\n')) +
                                           "'); update staged to open it"};
}

// Clears what an unfinished init left. The lock keeps others from making the workspace meanwhile.
Result<std::unique_ptr<FileLock>> BeginMaking(Directory& metadata, const std::string& root) {
  STAGED_ASSIGN_OR_RETURN(std::unique_ptr<FileLock> lock,
                          metadata.Lock(layout::kLockFile, LockWait::kDoNotWait));
  if (metadata.Stat(layout::kFormatFile).ok()) {
    return Status(ErrorCode::kConflict,
                  "'" + root + "' is a workspace already; see `staged status`");
  }
  for (const char* suffix : {"", "-wal", "-shm"}) {
    const Status removed = metadata.RemoveFile(std::string(layout::kJournalFile) + suffix);
    if (!removed.ok() && removed.code() != ErrorCode::kNotFound) return removed;
  }
  const Status made = metadata.MakeDirectory(layout::kObjects, 0700);
  if (!made.ok() && made.code() != ErrorCode::kConflict) return made;
  return lock;
}

}  // namespace

Status CheckPlaceForWorkspace(const std::string& root) {
  const std::string inside = std::string("/") + layout::kFolder + "/";
  if ((root + "/").find(inside) == std::string::npos) return OkStatus();
  return {ErrorCode::kPathEscape, "'" + root +
                                      "' lies inside a workspace's .staged folder; name a "
                                      "directory outside of it"};
}

WorkspaceImpl::WorkspaceImpl(Env& env, const FormatRegistry& formats, std::string root,
                             OpenOptions options)
    : env_(env), formats_(formats), root_(std::move(root)), options_(std::move(options)) {}

WorkspaceImpl::~WorkspaceImpl() {
  if (journal_ != nullptr) SyncAndClearEnded();
}

Status WorkspaceImpl::OpenParts(bool create) {
  STAGED_ASSIGN_OR_RETURN(root_directory_, env_.OpenDirectory(root_));
  if (create) {
    // Once more without symlinks.
    STAGED_RETURN_IF_ERROR(CheckPlaceForWorkspace(root_directory_->path()));
    STAGED_RETURN_IF_ERROR(CheckNoUnfinishedImport(*root_directory_));
    STAGED_ASSIGN_OR_RETURN(const Env::FileSystem system, env_.GetFileSystem(root_));
    if (!system.safe) {
      return {ErrorCode::kInvalidArgument,
              "a workspace cannot live on a file system of type '" + system.type +
                  "': its locks or syncs are not safe; use a local disk"};
    }
    const Status made = root_directory_->MakeDirectory(layout::kFolder, 0700);
    if (!made.ok() && made.code() != ErrorCode::kConflict) return made;
  }
  auto metadata = root_directory_->OpenDirectory(layout::kFolder);
  if (!metadata.ok()) {
    if (metadata.status().code() == ErrorCode::kNotFound) {
      STAGED_RETURN_IF_ERROR(CheckNoUnfinishedImport(*root_directory_));
    }
    return metadata.status().code() == ErrorCode::kNotFound ? NoWorkspace(root_)
                                                            : metadata.status();
  }
  metadata_ = *std::move(metadata);
  // An init that died before its journal was whole left nothing that was ever acknowledged; the
  // format file is written last.
  if (create) {
    STAGED_ASSIGN_OR_RETURN(making_lock_, BeginMaking(*metadata_, root_));
  } else {
    STAGED_RETURN_IF_ERROR(CheckVersion(*metadata_));
  }
  for (const char* name : {layout::kDerived, layout::kTemporary}) {
    const Status made = metadata_->MakeDirectory(name, 0700);
    if (!made.ok() && made.code() != ErrorCode::kConflict) return made;
  }
  STAGED_ASSIGN_OR_RETURN(temporary_, metadata_->OpenDirectory(layout::kTemporary));
  spares_ = std::make_unique<SparePublications>(*temporary_);
  auto opened = metadata_->OpenDirectory(layout::kObjects);
  if (!opened.ok() && opened.status().code() == ErrorCode::kNotFound) {
    return {ErrorCode::kDataLoss,
            ".staged/objects is missing, and with it all that is stored; restore it from a copy or "
            "an export"};
  }
  STAGED_ASSIGN_OR_RETURN(auto objects, std::move(opened));
  STAGED_ASSIGN_OR_RETURN(store_, OpenObjectStore(env_, std::move(objects)));
  if (options_.open_journal) {
    STAGED_ASSIGN_OR_RETURN(journal_, options_.open_journal(create));
  } else {
    SqliteJournalOptions journal;
    journal.mode =
        create ? SqliteJournalOptions::Mode::kCreate : SqliteJournalOptions::Mode::kOpenExisting;
    STAGED_ASSIGN_OR_RETURN(
        journal_, OpenSqliteJournal(root_ + "/" + layout::kFolder + "/" + layout::kJournalFile,
                                    std::move(journal)));
  }
  memory_ = std::make_unique<StatMemory>(env_, *metadata_);
  edited_ = std::make_unique<EditedContent>(*metadata_);
  derived_ = std::make_unique<DerivedDatabase>(
      *metadata_, options_.keep_derived ? DerivedStorage::kFolder : DerivedStorage::kNone);
  views_ =
      std::make_unique<ViewCache>(*derived_, formats_, ViewCacheOptions{.limits = options_.limits});
  index_ = std::make_unique<SearchIndex>(*views_);
  if (options_.background_parsers > 0) {
    ParsePoolOptions pool;
    pool.parser_threads = static_cast<unsigned>(options_.background_parsers);
    pool_ = std::make_unique<ParsePool>(*views_, *index_, std::move(pool));
  }
  return OkStatus();
}

void WorkspaceImpl::Committed(const std::vector<PathChange>& changes) {
  if (!pool_) return;
  for (const PathChange& change : changes) {
    if (!change.result) continue;
    const ContentHash hash = change.result->hash;
    pool_->Add(hash, change.path, [this, hash] { return store_->Get(hash); });
  }
}

Status WorkspaceImpl::MarkReady() {
  // Whole or absent: a torn format file would be no workspace and yet stand in the way of one.
  const std::string fresh = std::string(layout::kTemporary) + "/" + layout::kFormatFile;
  const Status removed = metadata_->RemoveFile(fresh);
  if (!removed.ok() && removed.code() != ErrorCode::kNotFound) return removed;
  STAGED_ASSIGN_OR_RETURN(const auto file, metadata_->Create(fresh, 0600));
  STAGED_RETURN_IF_ERROR(file->WriteAt(0, layout::kFormatText));
  STAGED_RETURN_IF_ERROR(file->Sync());
  STAGED_RETURN_IF_ERROR(metadata_->SyncDirectory(""));
  STAGED_RETURN_IF_ERROR(metadata_->Rename(fresh, *metadata_, layout::kFormatFile));
  STAGED_RETURN_IF_ERROR(metadata_->SyncDirectory(""));
  making_lock_.reset();
  return root_directory_->SyncDirectory("");
}

Status WorkspaceImpl::TakeInFirstVersion(const InitOptions& init,
                                         std::vector<SkippedPath>* skipped) {
  STAGED_ASSIGN_OR_RETURN(const auto batch, store_->NewBatch());
  ScanOptions scan;
  scan.memory = memory_.get();
  scan.content_sink = [&](std::string_view bytes) { return batch->Add(bytes); };
  if (init.progress) scan.progress = [&](uint64_t files) { init.progress(files, 0); };
  STAGED_ASSIGN_OR_RETURN(ScannedTree scanned, ScanTree(*root_directory_, scan));
  STAGED_RETURN_IF_ERROR(batch->Commit());
  for (SkippedFile& one : scanned.skipped) {
    if (skipped != nullptr) skipped->push_back({std::move(one.path), std::move(one.reason)});
  }
  STAGED_ASSIGN_OR_RETURN(const auto transaction, journal_->BeginWrite(options_.writer_wait_ms));
  Operation operation;
  operation.type = OperationType::kAdopt;
  operation.actor = init.actor;
  operation.branch = kDiskBranch;
  operation.turn = "t1";
  operation.time_ns = env_.NowNs();
  for (const auto& [path, entry] : scanned.entries) {
    operation.changes.push_back({path, {}, entry});
  }
  operation.payload.Set("reason", "init");
  BranchRow branch;
  branch.name = kDiskBranch;
  branch.kind = BranchKind::kHuman;
  branch.created_sequence = 1;
  STAGED_RETURN_IF_ERROR(transaction->PutBranch(branch));
  STAGED_RETURN_IF_ERROR(AppendAndProject(*transaction, operation));
  STAGED_RETURN_IF_ERROR(transaction->Commit(JournalTransaction::Durability::kDurable));
  NoteHead(*this, {operation.sequence, operation.chain});
  return MarkReady();
}

Result<std::unique_ptr<Workspace>> Workspace::Init(Env& env, const FormatRegistry& formats,
                                                   const std::string& root, const InitOptions& init,
                                                   const OpenOptions& open,
                                                   std::vector<SkippedPath>* skipped) {
  STAGED_RETURN_IF_ERROR(CheckPlaceForWorkspace(root));
  STAGED_RETURN_IF_ERROR(env.MakeDirectories(root));
  auto workspace = std::make_unique<WorkspaceImpl>(env, formats, root, open);
  STAGED_RETURN_IF_ERROR(workspace->OpenParts(true));
  STAGED_RETURN_IF_ERROR(workspace->TakeInFirstVersion(init, skipped));
  return std::unique_ptr<Workspace>(std::move(workspace));
}

Result<std::unique_ptr<Workspace>> Workspace::Open(Env& env, const FormatRegistry& formats,
                                                   const std::string& root,
                                                   const OpenOptions& options) {
  auto workspace = std::make_unique<WorkspaceImpl>(env, formats, root, options);
  STAGED_RETURN_IF_ERROR(workspace->OpenParts(false));
  STAGED_RETURN_IF_ERROR(workspace->Recover());
  return std::unique_ptr<Workspace>(std::move(workspace));
}

}  // namespace staged
