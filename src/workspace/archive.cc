// Export and import: one file with every operation and every object (docs/storage-format.md).

#include <algorithm>

#include "base/binary.h"
#include "base/escape_controls.h"
#include "base/utf8.h"
#include "env/path.h"
#include "journal/operation_encoding.h"
#include "workspace/import_folder.h"
#include "workspace/layout.h"
#include "workspace/paths.h"
#include "workspace/projection.h"
#include "workspace/workspace_impl.h"

namespace staged {
namespace {

constexpr std::string_view kMagic = "staged-export 1\n";
// A section: tag (1 byte), size (fixed 64), payload.
enum class Section : uint8_t { kObject = 1, kBranch = 2, kOperation = 3, kEnd = 4 };
constexpr uint64_t kSectionHeaderBytes = 9;
constexpr uint64_t kSectionBytesMax = uint64_t{8} << 30;

class ArchiveWriter {
 public:
  explicit ArchiveWriter(File& file) : file_(file) {}
  Status Put(std::string_view bytes) {
    STAGED_RETURN_IF_ERROR(file_.WriteAt(offset_, bytes));
    offset_ += bytes.size();
    hasher_.Update(bytes);
    return OkStatus();
  }
  Status PutSection(Section tag, std::string_view payload) {
    BinaryWriter header;
    header.PutByte(static_cast<uint8_t>(tag));
    header.PutFixed64(payload.size());
    STAGED_RETURN_IF_ERROR(Put(header.bytes()));
    return Put(payload);
  }
  ContentHash Digest() { return hasher_.Finish(); }

 private:
  File& file_;
  uint64_t offset_ = 0;
  ContentHasher hasher_;
};

Status Damaged(const std::string& what) {
  return {ErrorCode::kDataLoss, "the export is damaged (" + what + "); export it again"};
}

class ArchiveReader {
 public:
  explicit ArchiveReader(File& file) : file_(file) {}
  Result<std::string> Take(uint64_t size_bytes) {
    STAGED_ASSIGN_OR_RETURN(std::string bytes, file_.ReadAt(offset_, size_bytes));
    if (bytes.size() != size_bytes) return Damaged("it ends early");
    offset_ += size_bytes;
    return bytes;
  }
  struct Item {
    Section tag = Section::kEnd;
    std::string payload;
  };
  // The next section; the digest of everything before kEnd's payload is checked.
  Result<Item> Next() {
    STAGED_ASSIGN_OR_RETURN(const std::string header, Take(kSectionHeaderBytes));
    BinaryReader reader(header);
    Item item;
    item.tag = static_cast<Section>(reader.GetByte());
    const uint64_t size_bytes = reader.GetFixed64();
    if (size_bytes > kSectionBytesMax) return Damaged("a section's size");
    STAGED_ASSIGN_OR_RETURN(item.payload, Take(size_bytes));
    if (item.tag == Section::kEnd) {
      if (hasher_.Finish().raw() != item.payload) return Damaged("its digest differs");
      return item;
    }
    hasher_.Update(header);
    hasher_.Update(item.payload);
    return item;
  }
  Status CheckMagic() {
    STAGED_ASSIGN_OR_RETURN(const std::string magic, Take(kMagic.size()));
    if (magic != kMagic) {
      return {ErrorCode::kInvalidArgument,
              "the file is no export of a workspace, or of a newer version"};
    }
    hasher_.Update(magic);
    return OkStatus();
  }

 private:
  File& file_;
  uint64_t offset_ = 0;
  ContentHasher hasher_;
};

std::string EncodeBranch(const BranchRow& branch) {
  BinaryWriter writer;
  writer.PutString(branch.name);
  writer.PutByte(static_cast<uint8_t>(branch.kind));
  writer.PutSigned(branch.created_sequence);
  writer.PutSigned(branch.lease_epoch);
  return writer.Take();
}

Result<BranchRow> DecodeBranch(std::string_view bytes) {
  BinaryReader reader(bytes);
  BranchRow branch;
  branch.name = reader.GetString();
  branch.kind = static_cast<BranchKind>(reader.GetByte());
  branch.created_sequence = reader.GetSigned();
  branch.lease_epoch = reader.GetSigned();
  STAGED_RETURN_IF_ERROR(reader.Finish("a branch in the export"));
  return branch;
}

// An operation and the chain's hash behind it.
struct ArchivedOperation {
  Operation operation;
  ContentHash chain;
};

Result<ArchivedOperation> DecodeArchivedOperation(std::string_view payload) {
  if (payload.size() < ContentHash::kSizeBytes) return Damaged("an operation");
  ArchivedOperation archived;
  archived.chain = ContentHash::FromRaw(payload.substr(0, ContentHash::kSizeBytes));
  STAGED_ASSIGN_OR_RETURN(archived.operation,
                          DecodeOperation(payload.substr(ContentHash::kSizeBytes)));
  return archived;
}

Status LeadsOut(const std::string& path, const char* what) {
  return {ErrorCode::kPathEscape,
          "the export " + std::string(what) + " '" + EscapeControls(ReplaceInvalidUtf8(path)) +
              "', which leads out of the workspace or into its metadata; import only exports "
              "that `staged export` wrote"};
}

// Where the symlinks of an archive lie, by their content.
using SymlinkPaths = std::map<ContentHash, std::set<std::string>>;

// An export comes from anywhere: its digest proves that it is whole, not that it means well
// (rule 18). Every path is one that a write would take.
Status CheckPaths(const Operation& operation, SymlinkPaths& symlinks) {
  for (const PathChange& change : operation.changes) {
    const Result<std::string> normal = NormalizePath(change.path);
    if (!normal.ok() || *normal != change.path) return LeadsOut(change.path, "names");
    for (const OptionalEntry& entry : {change.base, change.result}) {
      if (entry && entry->kind == EntryKind::kSymlink) symlinks[entry->hash].insert(change.path);
    }
  }
  return OkStatus();
}

// Reads the archive once more, for what its symlinks point to.
Status CheckSymlinks(File& file, const SymlinkPaths& symlinks) {
  if (symlinks.empty()) return OkStatus();
  ArchiveReader reader(file);
  STAGED_RETURN_IF_ERROR(reader.CheckMagic());
  for (;;) {
    STAGED_ASSIGN_OR_RETURN(const ArchiveReader::Item item, reader.Next());
    if (item.tag == Section::kEnd) return OkStatus();
    if (item.tag != Section::kObject) continue;
    const auto found = symlinks.find(ContentHash::Of(item.payload));
    if (found == symlinks.end()) continue;
    for (const std::string& path : found->second) {
      if (!SymlinkStaysInside(path, item.payload)) return LeadsOut(path, "has a symlink at");
    }
  }
}

// Everything that can be known from the file alone, before anything is made.
Status CheckArchive(File& file) {
  ArchiveReader reader(file);
  STAGED_RETURN_IF_ERROR(reader.CheckMagic());
  SymlinkPaths symlinks;
  for (;;) {
    STAGED_ASSIGN_OR_RETURN(const ArchiveReader::Item item, reader.Next());
    if (item.tag == Section::kEnd) break;
    if (item.tag != Section::kOperation) continue;
    STAGED_ASSIGN_OR_RETURN(const ArchivedOperation archived,
                            DecodeArchivedOperation(item.payload));
    STAGED_RETURN_IF_ERROR(CheckPaths(archived.operation, symlinks));
  }
  return CheckSymlinks(file, symlinks);
}

Status WriteAccepted(WorkspaceImpl& workspace, const Tree& accepted) {
  Directory& root = workspace.root_directory();
  std::set<std::string> folders = {""};
  for (const auto& [path, entry] : accepted) {
    for (size_t slash = path.find('/'); slash != std::string::npos;
         slash = path.find('/', slash + 1)) {
      folders.insert(path.substr(0, slash));
      const Status made = root.MakeDirectory(path.substr(0, slash), 0755);
      if (!made.ok() && made.code() != ErrorCode::kConflict) return made;
    }
    STAGED_ASSIGN_OR_RETURN(const std::string bytes, workspace.store().Get(entry.hash));
    if (entry.kind == EntryKind::kSymlink) {
      STAGED_RETURN_IF_ERROR(root.MakeSymlink(path, bytes));
      continue;
    }
    STAGED_ASSIGN_OR_RETURN(const auto file,
                            root.Create(path, entry.kind == EntryKind::kExecutable ? 0755 : 0644));
    STAGED_RETURN_IF_ERROR(file->WriteAt(0, bytes));
    STAGED_RETURN_IF_ERROR(file->Sync());
  }
  // A name that a power loss takes away would look like a person's removal.
  for (const std::string& folder : folders) {
    STAGED_RETURN_IF_ERROR(root.SyncDirectory(folder));
  }
  return OkStatus();
}

// Makes the workspace, opened to be made, what the export says.
Status TakeInArchive(WorkspaceImpl& workspace, File& file, const ProgressCallback& progress) {
  STAGED_ASSIGN_OR_RETURN(const auto batch, workspace.store().NewBatch());
  ArchiveReader reader(file);
  STAGED_RETURN_IF_ERROR(reader.CheckMagic());
  STAGED_ASSIGN_OR_RETURN(const auto transaction, workspace.journal().BeginWrite(0));
  uint64_t done = 0;
  for (;;) {
    STAGED_ASSIGN_OR_RETURN(ArchiveReader::Item item, reader.Next());
    if (item.tag == Section::kEnd) break;
    if (progress) progress(++done, 0);
    if (item.tag == Section::kObject) {
      STAGED_RETURN_IF_ERROR(batch->Add(item.payload).status());
    } else if (item.tag == Section::kBranch) {
      STAGED_ASSIGN_OR_RETURN(const BranchRow branch, DecodeBranch(item.payload));
      STAGED_RETURN_IF_ERROR(transaction->PutBranch(branch));
    } else if (item.tag == Section::kOperation) {
      STAGED_ASSIGN_OR_RETURN(ArchivedOperation archived, DecodeArchivedOperation(item.payload));
      STAGED_RETURN_IF_ERROR(AppendAndProject(*transaction, archived.operation));
      if (archived.operation.chain != archived.chain) return Damaged("the chain of operations");
    } else {
      return Damaged("an unknown section");
    }
  }
  STAGED_RETURN_IF_ERROR(batch->Commit());
  STAGED_ASSIGN_OR_RETURN(const Tree accepted, ReadAcceptedTree(*transaction));
  STAGED_RETURN_IF_ERROR(WriteAccepted(workspace, accepted));
  STAGED_RETURN_IF_ERROR(transaction->Commit(JournalTransaction::Durability::kDurable));
  return workspace.MarkReady();
}

}  // namespace

Status WorkspaceImpl::WriteArchive(File& file, const ProgressCallback& progress) {
  STAGED_ASSIGN_OR_RETURN(const auto reader, journal_->BeginRead());
  STAGED_ASSIGN_OR_RETURN(const auto forgotten, ForgottenHashes(*reader));
  std::map<ContentHash, std::string> hashes;  // with a path that has it
  STAGED_RETURN_IF_ERROR(reader->Scan({}, [&](const Operation& operation) {
    for (const PathChange& change : operation.changes) {
      if (change.base) hashes.emplace(change.base->hash, change.path);
      if (change.result) hashes.emplace(change.result->hash, change.path);
    }
    return true;
  }));
  ArchiveWriter writer(file);
  STAGED_RETURN_IF_ERROR(writer.Put(kMagic));
  uint64_t done = 0;
  for (const auto& [hash, path] : hashes) {
    if (progress) progress(done++, hashes.size());
    if (forgotten.contains(hash)) continue;
    const Result<std::string> bytes = store_->Get(hash);
    if (!bytes.ok() && bytes.status().code() == ErrorCode::kNotFound) {
      return {ErrorCode::kDataLoss,
              hash.ToString() + " of '" + path +
                  "' is missing from .staged/objects; restore it from a copy and export again; "
                  "`staged fsck` lists all that is missing",
              Value::Object{{"hash", hash.ToString()}, {"path", path}}};
    }
    STAGED_RETURN_IF_ERROR(bytes.status());
    STAGED_RETURN_IF_ERROR(writer.PutSection(Section::kObject, *bytes));
  }
  STAGED_ASSIGN_OR_RETURN(const auto branches, reader->Branches());
  for (const BranchRow& branch : branches) {
    STAGED_RETURN_IF_ERROR(writer.PutSection(Section::kBranch, EncodeBranch(branch)));
  }
  Status written = OkStatus();
  STAGED_RETURN_IF_ERROR(reader->Scan({}, [&](const Operation& operation) {
    const Result<std::string> encoded = EncodeOperation(operation);
    written = encoded.ok() ? writer.PutSection(Section::kOperation,
                                               std::string(operation.chain.raw()) + *encoded)
                           : encoded.status();
    return written.ok();
  }));
  STAGED_RETURN_IF_ERROR(written);
  STAGED_RETURN_IF_ERROR(writer.PutSection(Section::kEnd, writer.Digest().raw()));
  return file.Sync();
}

Status WorkspaceImpl::Export(const std::string& path, const ProgressCallback& progress) {
  const auto [folder, name] = SplitFileName(path);
  STAGED_ASSIGN_OR_RETURN(const auto directory, env_.OpenDirectory(folder));
  const Status taken(ErrorCode::kConflict,
                     "'" + path + "' is there already; name a new file or remove that one");
  if (directory->Stat(name).ok()) return taken;
  // Under another name until it is whole. A name of its own: what a process that died left behind
  // stands in nobody's way.
  constexpr size_t kRandomBytes = 8;
  const std::string temporary =
      "." + name + ".staged-" +
      ContentHash::Of(env_.RandomBytes(kRandomBytes)).ToHex().substr(0, 2 * kRandomBytes);
  STAGED_ASSIGN_OR_RETURN(auto file, directory->Create(temporary, 0600));
  Status written = WriteArchive(*file, progress);
  file.reset();
  if (written.ok()) written = directory->RenameNew(temporary, *directory, name);
  if (written.ok()) return directory->SyncDirectory("");
  (void)directory->RemoveFile(temporary).ok();  // the first error is the answer
  return written.code() == ErrorCode::kConflict ? taken : written;
}

Status ImportWorkspace(Env& env, const std::string& file_path, const std::string& root,
                       const ProgressCallback& progress, const OpenOptions& options) {
  const auto [folder, name] = SplitFileName(file_path);
  STAGED_ASSIGN_OR_RETURN(const auto directory, env.OpenDirectory(folder));
  STAGED_ASSIGN_OR_RETURN(const auto file, directory->OpenRead(name));
  STAGED_RETURN_IF_ERROR(CheckArchive(*file));
  STAGED_RETURN_IF_ERROR(CheckPlaceForWorkspace(root));
  STAGED_RETURN_IF_ERROR(env.MakeDirectories(root));
  STAGED_ASSIGN_OR_RETURN(const auto target, env.OpenDirectory(root));
  STAGED_RETURN_IF_ERROR(CheckPlaceForWorkspace(target->path()));
  STAGED_ASSIGN_OR_RETURN(ImportFolder made, ImportFolder::Make(*target));
  Status imported;
  {
    const FormatRegistry no_formats;
    WorkspaceImpl workspace(env, no_formats, root + "/" + ImportFolder::Name(), options);
    imported = workspace.OpenParts(true);
    if (imported.ok()) imported = TakeInArchive(workspace, *file, progress);
  }
  if (imported.ok()) return made.MoveUp();
  made.Remove();
  return imported;
}

}  // namespace staged
