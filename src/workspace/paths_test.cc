#include "workspace/paths.h"

#include <gtest/gtest.h>

namespace staged {
namespace {

TEST(BranchNameTest, WhatABranchMayBeCalled) {
  for (const std::string& name : {std::string("main"), std::string("chat-Zoë 2"),
                                  std::string("a/b"), std::string(255, 'x')}) {
    EXPECT_TRUE(CheckBranchName(name).ok()) << name;
  }
  for (const std::string& name :
       {std::string(), std::string("a\nb"), std::string("\x1b[1m"), std::string("a\tb"),
        std::string("a\0b", 3), std::string("\xff"), std::string(256, 'x')}) {
    EXPECT_EQ(CheckBranchName(name).code(), ErrorCode::kInvalidArgument) << name;
  }
}

TEST(Paths, NormalizingKeepsWhatIsInside) {
  EXPECT_EQ(*NormalizePath("a/b"), "a/b");
  EXPECT_EQ(*NormalizePath("./a//b/./c/"), "a/b/c");
  EXPECT_EQ(*NormalizePath("..a/b.."), "..a/b..");
  EXPECT_EQ(*NormalizePath(".gitignore"), ".gitignore");
  EXPECT_EQ(*NormalizePath(".github/x"), ".github/x");
  EXPECT_EQ(*NormalizePath("\xc3\xa9"), "\xc3\xa9") << "exact bytes, not another normalisation";
  EXPECT_EQ(*NormalizePath("e\xcc\x81"), "e\xcc\x81");
}

TEST(Paths, EscapesAndReservedNamesAreRefused) {
  for (const char* path : {"/a", "..", "../a", "a/../..", "a/..", ".git", ".GIT/x", "a/.Git/config",
                           ".staged", "x/.STAGED/y", ".git.", ".git ", ".git::$INDEX_ALLOCATION",
                           "GIT~1", ".g\xe2\x80\x8cit", "\xef\xbc\x8egit"}) {
    EXPECT_EQ(NormalizePath(path).status().code(), ErrorCode::kPathEscape) << path;
  }
  for (const std::string& path :
       {std::string(), std::string("."), std::string("./"), std::string("a\0b", 3),
        std::string("a\xff"), std::string("/\0", 2)}) {
    EXPECT_EQ(NormalizePath(path).status().code(), ErrorCode::kInvalidArgument) << path;
  }
}

TEST(Paths, ScratchNames) {
  for (const char* name : {"__pycache__", ".ipynb_checkpoints", "~$a.docx", ".~lock.a.odt#"}) {
    EXPECT_TRUE(IsScratchName(name)) << name;
  }
  for (const char* name : {"pycache", "a~$", ".~lock.a", "~a"}) {
    EXPECT_FALSE(IsScratchName(name)) << name;
  }
}

Tree TreeOf(const std::vector<std::string>& paths) {
  Tree tree;
  for (const std::string& path : paths) tree[path] = Entry{EntryKind::kFile, ContentHash::Of(path)};
  return tree;
}

TEST(Paths, TwinsInCaseAndNormalisation) {
  const Tree tree = TreeOf({"Notes.txt", "caf\xc3\xa9/menu.txt", "dir/a",
                            "Stra\xc3\x9f"
                            "e",
                            "Dir2/a", "dir2/b", "file"});
  EXPECT_EQ(FindTwin(tree, "notes.txt"), "Notes.txt");
  EXPECT_EQ(FindTwin(tree, "cafe\xcc\x81/menu.txt"), "caf\xc3\xa9/menu.txt");
  EXPECT_EQ(FindTwin(tree, "cafe\xcc\x81/other.txt"), "caf\xc3\xa9/menu.txt");
  EXPECT_EQ(FindTwin(tree, "DIR/b"), "dir/a") << "a new directory that is a twin";
  EXPECT_EQ(FindTwin(tree, "DIR"), "dir/a") << "a file that is a twin of a directory";
  EXPECT_EQ(FindTwin(tree, "FILE/x"), "file") << "a directory that is a twin of a file";
  EXPECT_EQ(FindTwin(tree, "STRASSE"),
            "Stra\xc3\x9f"
            "e");
  EXPECT_EQ(FindTwin(tree, "Notes.txt"), "");
  EXPECT_EQ(FindTwin(tree, "dir/b"), "");
  EXPECT_EQ(FindTwin(tree, "Dir2/c"), "") << "twins of old may be used";
  EXPECT_EQ(FindTwin(tree, "Dir2/B"), "dir2/b") << "but get no new twins";
  EXPECT_EQ(FindTwin(tree, "notes.txt2"), "");
  EXPECT_EQ(FindTwin(tree, "dirt/a"), "");
  EXPECT_EQ(FindTwin(tree, "new/NOTES.txt"), "");
}

TEST(Paths, SymlinksStayInsideForSure) {
  EXPECT_TRUE(SymlinkStaysInside("a/link", "../b"));
  EXPECT_TRUE(SymlinkStaysInside("a/b/link", "../../c/d"));
  EXPECT_TRUE(SymlinkStaysInside("link", "./a"));
  for (const char* target : {"", "/etc", "..", "../x", ".git/config", "x/.STAGED", "x/../../y"}) {
    EXPECT_FALSE(SymlinkStaysInside("link", target)) << target;
  }
  // "up" may be a symlink to the root.
  EXPECT_FALSE(SymlinkStaysInside("a/b/link", "up/.."));
}

}  // namespace
}  // namespace staged
