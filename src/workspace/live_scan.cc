#include "workspace/live_scan.h"

#include <algorithm>

#include "base/utf8.h"
#include "workspace/folder_lister.h"
#include "workspace/layout.h"
#include "workspace/paths.h"

namespace staged {
namespace {

constexpr int kReadAttempts = 4;
constexpr uint64_t kIgnoreFileBytesMax = 1 << 20;

EntryKind KindOf(const FileStatus& status) {
  return status.is_executable() ? EntryKind::kExecutable : EntryKind::kFile;
}

// A failing disk's error says which file it is about, for people and for machines.
Status WithPath(const std::string& path, const Status& status) {
  if (status.code() != ErrorCode::kIoError) return status;
  const bool is_named = status.message().find(path) != std::string::npos;
  return {status.code(),
          is_named ? status.message() : "'" + path + "' cannot be read: " + status.message(),
          Value::Object{{"path", path}}};
}

Result<ContentHash> Sink(const ScanOptions& options, std::string_view bytes) {
  if (options.content_sink) return options.content_sink(bytes);
  return ContentHash::Of(bytes);
}

// Reads until the file did not change meanwhile, so that a hash is always of one state.
Result<Entry> ReadFileEntry(Directory& directory, const std::string& path, FileStatus status,
                            const ScanOptions& options) {
  for (int attempt = 0; attempt < kReadAttempts; ++attempt) {
    STAGED_ASSIGN_OR_RETURN(const std::string bytes, directory.ReadFile(path, kFileBytesMax));
    STAGED_ASSIGN_OR_RETURN(const FileStatus after, directory.Stat(path));
    if (after == status) {
      STAGED_ASSIGN_OR_RETURN(const ContentHash hash, Sink(options, bytes));
      const Entry entry{KindOf(after), hash};
      if (options.memory != nullptr) options.memory->Remember(path, after, entry);
      return entry;
    }
    status = after;
  }
  return Status(
      ErrorCode::kBusy,
      "'" + path + "' keeps changing while it is read; try again when its writer is done");
}

Result<Entry> EntryOf(Directory& directory, const std::string& path, const FileStatus& status,
                      const ScanOptions& options) {
  if (status.kind == FileKind::kSymlink) {
    STAGED_ASSIGN_OR_RETURN(const std::string target, directory.ReadLink(path));
    STAGED_ASSIGN_OR_RETURN(const ContentHash hash, Sink(options, target));
    return Entry{EntryKind::kSymlink, hash};
  }
  if (options.memory != nullptr) {
    if (const OptionalEntry known = options.memory->Lookup(path, status)) return *known;
  }
  return ReadFileEntry(directory, path, status, options);
}

class Scanner {
 public:
  Scanner(Directory& directory, const ScanOptions& options)
      : directory_(directory), options_(options), lister_(directory, options.threads) {}

  Status Run() { return ScanFolder("", false); }
  ScannedTree Take() {
    tree_.rules = std::move(rules_);
    return std::move(tree_);
  }

 private:
  bool IsTracked(const std::string& path) const {
    return options_.tracked != nullptr && options_.tracked->contains(path);
  }
  bool HasTrackedBelow(const std::string& folder) const {
    if (options_.tracked == nullptr) return false;
    const auto next = options_.tracked->lower_bound(folder + "/");
    return next != options_.tracked->end() && next->first.starts_with(folder + "/");
  }
  void Skip(const std::string& path, std::string reason) {
    tree_.skipped.push_back({ReplaceInvalidUtf8(path), std::move(reason)});
  }

  void ReadIgnoreFile(const std::string& folder, const char* name) {
    const std::string path = folder.empty() ? name : folder + "/" + name;
    // A rules file that cannot be read as text is a file like any other.
    const Result<std::string> text = directory_.ReadFile(path, kIgnoreFileBytesMax);
    if (text.ok()) rules_.Add(folder, *text);
  }

  Status ScanFolder(const std::string& folder, bool only_tracked) {
    auto items = lister_.List(folder);
    if (!items.ok()) {
      // A failing disk says nothing about what is there: it must not look like an ignored file.
      const bool is_unknown = items.status().code() == ErrorCode::kIoError;
      if (folder.empty() || is_unknown) return WithPath(folder, items.status());
      if (items.status().code() != ErrorCode::kNotFound) Skip(folder, items.status().message());
      return OkStatus();
    }
    if (!folder.empty() && HasName(*items, layout::kFolder)) {
      Skip(folder, "is a workspace of its own");
      return OkStatus();
    }
    if (options_.ignore_rules) {
      for (const char* name : {".gitignore", ".stagedignore"}) {
        if (HasName(*items, name)) ReadIgnoreFile(folder, name);
      }
    }
    if (options_.threads > 1) lister_.Expect(FoldersToScan(folder, *items, only_tracked));
    for (const ListedItem& item : *items) {
      STAGED_RETURN_IF_ERROR(ScanItem(PathOf(folder, item), item, only_tracked));
    }
    return OkStatus();
  }

  static std::string PathOf(const std::string& folder, const ListedItem& item) {
    return folder.empty() ? item.name : folder + "/" + item.name;
  }

  std::vector<std::string> FoldersToScan(const std::string& folder,
                                         const std::vector<ListedItem>& items,
                                         bool only_tracked) const {
    std::vector<std::string> folders;
    for (const ListedItem& item : items) {
      if (item.status.kind != FileKind::kDirectory || IsScratchName(item.name) ||
          IsReservedName(item.name) || !IsValidUtf8(item.name)) {
        continue;
      }
      std::string path = PathOf(folder, item);
      if (!IsIgnored(path, item, only_tracked) || HasTrackedBelow(path)) {
        folders.push_back(std::move(path));
      }
    }
    return folders;
  }

  bool IsIgnored(const std::string& path, const ListedItem& item, bool only_tracked) const {
    const bool is_directory = item.status.kind == FileKind::kDirectory;
    return only_tracked || (options_.ignore_rules && rules_.IsIgnored(path, is_directory));
  }

  static bool HasName(const std::vector<ListedItem>& items, std::string_view name) {
    const auto place = std::lower_bound(
        items.begin(), items.end(), name,
        [](const ListedItem& item, std::string_view wanted) { return item.name < wanted; });
    return place != items.end() && place->name == name;
  }

  Status ScanItem(std::string path, const ListedItem& item, bool only_tracked) {
    if (IsScratchName(item.name)) return OkStatus();
    if (!IsValidUtf8(item.name)) {
      Skip(path, "its name is not UTF-8; rename it");
      return OkStatus();
    }
    if (IsReservedName(item.name)) {
      const bool is_metadata = item.name == ".git" || item.name == layout::kFolder;
      if (!is_metadata) Skip(path, "other systems take its name for .git or .staged; rename it");
      return OkStatus();
    }
    const bool ignored = IsIgnored(path, item, only_tracked);
    if (item.status.kind == FileKind::kDirectory) {
      return ignored && !HasTrackedBelow(path) ? OkStatus() : ScanFolder(path, ignored);
    }
    return ignored && !IsTracked(path) ? OkStatus() : ScanFile(std::move(path), item.status);
  }

  Status ScanFile(std::string path, const FileStatus& status) {
    if (status.kind == FileKind::kOther) {
      Skip(path, "is no regular file");
      return OkStatus();
    }
    if (status.kind == FileKind::kSymlink) {
      const Result<std::string> target = directory_.ReadLink(path);
      if (target.status().code() == ErrorCode::kIoError) return WithPath(path, target.status());
      if (!target.ok() || !SymlinkStaysInside(path, *target)) {
        Skip(path, "symlink leads out of the workspace");
        return OkStatus();
      }
    }
    const Result<Entry> entry = EntryOf(directory_, path, status, options_);
    if (!entry.ok()) {
      const ErrorCode code = entry.status().code();
      if (code == ErrorCode::kNotFound) return OkStatus();  // gone meanwhile
      if (code != ErrorCode::kPermissionDenied && code != ErrorCode::kBusy &&
          code != ErrorCode::kLimitExceeded) {
        return WithPath(path, entry.status());
      }
      Skip(path, entry.status().message());
      return OkStatus();
    }
    tree_.entries.emplace_hint(tree_.entries.end(), std::move(path), *entry);
    if (options_.progress) options_.progress(tree_.entries.size());
    return OkStatus();
  }

  Directory& directory_;
  const ScanOptions& options_;
  FolderLister lister_;
  IgnoreRules rules_;
  ScannedTree tree_;
};

}  // namespace

Result<ScannedTree> ScanTree(Directory& directory, const ScanOptions& options) {
  Scanner scanner(directory, options);
  if (options.memory != nullptr) options.memory->BeginScan();
  const Status scanned = scanner.Run();
  if (options.memory != nullptr) options.memory->EndScan();
  STAGED_RETURN_IF_ERROR(scanned);
  return scanner.Take();
}

Result<OptionalEntry> ScanPath(Directory& directory, const std::string& path,
                               const ScanOptions& options) {
  const Result<FileStatus> status = directory.Stat(path);
  if (!status.ok()) {
    // A parent that is a file or a symlink means that there is no file of this name.
    const ErrorCode code = status.status().code();
    if (code == ErrorCode::kNotFound || code == ErrorCode::kPathEscape) return OptionalEntry();
    return WithPath(path, status.status());
  }
  if (status->kind != FileKind::kFile && status->kind != FileKind::kSymlink) {
    return Status(ErrorCode::kInvalidArgument,
                  "'" + path + "' is no regular file on disk; move it away first");
  }
  const Result<Entry> entry = EntryOf(directory, path, *status, options);
  if (!entry.ok()) return WithPath(path, entry.status());
  return OptionalEntry(*entry);
}

Result<std::string> ReadEntry(Directory& directory, const std::string& path) {
  STAGED_ASSIGN_OR_RETURN(const FileStatus status, directory.Stat(path));
  Result<std::string> bytes = status.kind == FileKind::kSymlink
                                  ? directory.ReadLink(path)
                                  : directory.ReadFile(path, kFileBytesMax);
  if (!bytes.ok()) return WithPath(path, bytes.status());
  return bytes;
}

}  // namespace staged
