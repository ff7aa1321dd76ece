// Import of exports that mean harm (the contract's rule 18).

#include <filesystem>
#include <fstream>
#include <vector>

#include "base/binary.h"
#include "journal/operation_encoding.h"
#include "tests/conformance/workspace_fixture.h"

namespace staged::testing {
namespace {

// One file that the crafted export says a person saved.
struct Planted {
  std::string path;
  EntryKind kind = EntryKind::kFile;
  std::string bytes;
};

std::string Section(uint8_t tag, std::string_view payload) {
  BinaryWriter writer;
  writer.PutByte(tag);
  writer.PutFixed64(payload.size());
  writer.PutRaw(payload);
  return writer.Take();
}

// An export as docs/storage-format.md draws it, with a right digest and a right chain.
std::string CraftExport(const std::vector<Planted>& files) {
  std::string archive = "staged-export 1\n";
  for (const Planted& file : files) archive += Section(1, file.bytes);
  BinaryWriter branch;
  branch.PutString("disk");
  branch.PutByte(static_cast<uint8_t>(BranchKind::kHuman));
  branch.PutSigned(1);
  branch.PutSigned(0);
  archive += Section(2, branch.bytes());
  ContentHash chain;
  int64_t sequence = 0;
  for (const Planted& file : files) {
    Operation operation;
    operation.sequence = ++sequence;
    operation.type = OperationType::kAdopt;
    operation.actor = {"ada", ActorKind::kHuman};
    operation.branch = "disk";
    operation.turn = "t";
    operation.changes = {{file.path, {}, Entry{file.kind, ContentHash::Of(file.bytes)}}};
    const std::string encoded = EncodeOperation(operation).value();
    chain = NextChain(chain, encoded);
    archive += Section(3, std::string(chain.raw()) + encoded);
  }
  return archive + Section(4, ContentHash::Of(archive).raw());
}

class Archives : public WorkspaceFixture {
 protected:
  Status Import(const std::vector<Planted>& files) {
    std::ofstream(Outside("crafted"), std::ios::binary | std::ios::trunc) << CraftExport(files);
    return ImportWorkspace(env(), Outside("crafted"), Outside("copy"), {}, {});
  }
};

TEST_F(Archives, ACraftedExportOfPlainFilesIsImported) {
  const Planted link{"docs/link", EntryKind::kSymlink, "../a.txt"};
  STAGED_ASSERT_OK(Import({{"a.txt", EntryKind::kFile, "a\n"}, link}));
  EXPECT_EQ(OnDisk("../copy/a.txt"), "a\n");
  EXPECT_EQ(std::filesystem::read_symlink(Outside("copy/docs/link")), "../a.txt");
}

TEST_F(Archives, NoPathOfAnExportLeavesTheRootOrEntersMetadata) {
  for (const char* path :
       {".git/hooks/post-checkout", "sub/.GIT/config", ".staged/policy.toml", "../outside",
        "a/../b", "/tmp/x", "./a.txt", "docs//a.txt", "docs/", "", "g\xff.txt"}) {
    STAGED_EXPECT_CODE(ErrorCode::kPathEscape, Import({{"a.txt", EntryKind::kFile, "a\n"},
                                                       {path, EntryKind::kExecutable, "evil\n"}}));
    EXPECT_FALSE(std::filesystem::exists(Outside("copy"))) << path;
  }
}

TEST_F(Archives, NoSymlinkOfAnExportLeadsOut) {
  for (const char* target : {"/etc/passwd", "../outside", "a.txt/../../outside", ".git/config"}) {
    STAGED_EXPECT_CODE(ErrorCode::kPathEscape, Import({{"a.txt", EntryKind::kFile, "a\n"},
                                                       {"link", EntryKind::kSymlink, target}}));
    EXPECT_FALSE(std::filesystem::exists(Outside("copy"))) << target;
  }
}

}  // namespace
}  // namespace staged::testing
