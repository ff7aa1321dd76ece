// Files, directories, links and attributes.
#include "tests/conformance/env_conformance.h"

namespace staged {
namespace {

TEST_P(EnvConformance, FilesHoldWhatIsWritten) {
  auto file = root().Create("a", 0640);
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_OK((*file)->WriteAt(5000, "end"));
  EXPECT_OK((*file)->WriteAt(0, "start"));
  EXPECT_OK((*file)->WriteAt(5003, ""));
  EXPECT_OK((*file)->Sync());
  const FileStatus status = (*file)->GetStatus().value();
  EXPECT_EQ(status.kind, FileKind::kFile);
  EXPECT_EQ(status.size_bytes, 5003u);
  EXPECT_EQ(status.mode, 0640u);
  EXPECT_EQ(status.link_count, 1u);
  EXPECT_FALSE(status.is_executable());
  EXPECT_EQ((*file)->ReadAt(0, 7).value(), std::string("start\0\0", 7));
  EXPECT_EQ((*file)->ReadAt(4999, 2).value(), std::string("\0e", 2));
  EXPECT_EQ((*file)->ReadAt(5001, 100).value(), "nd");
  EXPECT_EQ((*file)->ReadAt(0, uint64_t{1} << 40)->size(), 5003u);
  EXPECT_EQ((*file)->ReadAt(5003, 1).value(), "");
  EXPECT_EQ((*file)->ReadAt(uint64_t{1} << 62, 1).value(), "");
  EXPECT_EQ((*file)->ReadAt(~uint64_t{0}, ~uint64_t{0}).value(), "");
  EXPECT_EQ(root().Stat("a").value(), (*file)->GetStatus().value());
}

TEST_P(EnvConformance, TruncateCutsAndExtendsWithZeros) {
  Write("a", "abcdef");
  auto file = root().OpenWrite("a");
  ASSERT_TRUE(file.ok());
  EXPECT_OK((*file)->Truncate(2));
  EXPECT_OK((*file)->Truncate(4));
  EXPECT_EQ(Read("a"), std::string("ab\0\0", 4));
  EXPECT_OK((*file)->Truncate(0));
  EXPECT_EQ(Read("a"), "");
}

TEST_P(EnvConformance, WritesBeyondWhatAFileCanHoldAreRefused) {
  auto file = root().Create("a", 0644);
  ASSERT_TRUE(file.ok());
  EXPECT_CODE((*file)->WriteAt(~uint64_t{0} - 1, "x"), kLimitExceeded);
  EXPECT_CODE((*file)->Truncate(~uint64_t{0}), kLimitExceeded);
  EXPECT_EQ(Read("a"), "");
}

TEST_P(EnvConformance, CreateIsExclusive) {
  MakeDirectory("d");
  EXPECT_OK(root().MakeSymlink("dangling", "nowhere"));
  Write("a", "one");
  for (const char* taken : {"a", "d", "dangling"}) {
    EXPECT_CODE(root().Create(taken, 0644), kConflict) << taken;
    EXPECT_CODE(root().MakeDirectory(taken, 0755), kConflict) << taken;
    EXPECT_CODE(root().MakeSymlink(taken, "x"), kConflict) << taken;
    EXPECT_CODE(root().Clone("a", root(), taken, 0644), kConflict) << taken;
  }
  EXPECT_CODE(root().Create("none/a", 0644), kNotFound);
  EXPECT_CODE(root().Create("a/b", 0644), kNotFound);
  EXPECT_EQ(Read("a"), "one");
  EXPECT_EQ(Names(""), "a d dangling");
}

TEST_P(EnvConformance, OpensOnlyRegularFiles) {
  MakeDirectory("d");
  EXPECT_CODE(root().OpenRead("none"), kNotFound);
  EXPECT_CODE(root().OpenWrite("none"), kNotFound);
  EXPECT_CODE(root().OpenRead("d"), kInvalidArgument);
  EXPECT_CODE(root().OpenWrite("d"), kInvalidArgument);
  EXPECT_CODE(root().ReadFile("d", 100), kInvalidArgument);
  EXPECT_CODE(root().HasWriter("d"), kInvalidArgument);
}

TEST_P(EnvConformance, AFileOpenForReadingRefusesWrites) {
  Write("a", "one");
  auto file = root().OpenRead("a");
  ASSERT_TRUE(file.ok());
  EXPECT_FALSE((*file)->WriteAt(0, "two").ok());
  EXPECT_FALSE((*file)->Truncate(0).ok());
  EXPECT_EQ((*file)->ReadAt(0, 10).value(), "one");
}

TEST_P(EnvConformance, ReadFileKeepsToItsLimit) {
  Write("a", "12345");
  EXPECT_EQ(root().ReadFile("a", 5).value(), "12345");
  EXPECT_CODE(root().ReadFile("a", 4), kLimitExceeded);
  EXPECT_CODE(root().ReadFile("a", 0), kLimitExceeded);
  Write("empty", "");
  EXPECT_EQ(root().ReadFile("empty", 0).value(), "");
  const std::string large(3'000'000, 'x');
  Write("large", large);
  EXPECT_EQ(Read("large"), large);
}

TEST_P(EnvConformance, AnOpenFileOutlivesItsName) {
  Write("a", "one");
  auto file = root().OpenRead("a");
  EXPECT_OK(root().RemoveFile("a"));
  Write("a", "two");
  EXPECT_EQ((*file)->ReadAt(0, 10).value(), "one");
  EXPECT_EQ(Read("a"), "two");
}

TEST_P(EnvConformance, ListsNamesInByteOrder) {
  for (const char* name : {"b", "B", "a", "\xc3\xa9", "a.b", "a-b", ".hidden", "10", "9"}) {
    Write(name, "");
  }
  MakeDirectory("aa");
  Write("aa/inner", "");
  EXPECT_OK(root().MakeSymlink("link", "a"));
  EXPECT_EQ(Names(""), ".hidden 10 9 B a a-b a.b aa b link \xc3\xa9");
  EXPECT_EQ(Names("aa"), "inner");
  const auto items = root().List("").value();
  EXPECT_EQ(items[4].kind, FileKind::kFile);
  EXPECT_EQ(items[7].kind, FileKind::kDirectory);
  EXPECT_EQ(items[9].kind, FileKind::kSymlink);
  EXPECT_CODE(root().List("none"), kNotFound);
  EXPECT_CODE(root().List("a"), kNotFound);
}

TEST_P(EnvConformance, ListsTheStatusOfEachItem) {
  Write("a", "one");
  MakeDirectory("d");
  MakeDirectory("d/e");
  Write("d/b", "three");
  EXPECT_OK(root().MakeSymlink("link", "d"));
  for (const char* path : {"", "d"}) {
    const std::vector<DirectoryItem> items = root().List(path).value();
    const std::vector<ListedItem> listed = root().ListWithStatus(path).value();
    ASSERT_EQ(items.size(), listed.size());
    for (size_t index = 0; index < items.size(); ++index) {
      EXPECT_EQ(listed[index].name, items[index].name);
      const std::string item_path = (*path == 0 ? "" : "d/") + items[index].name;
      EXPECT_EQ(listed[index].status, root().Stat(item_path).value()) << item_path;
      EXPECT_EQ(listed[index].status.kind, items[index].kind) << item_path;
    }
  }
  EXPECT_CODE(root().ListWithStatus("none"), kNotFound);
  EXPECT_CODE(root().ListWithStatus("link"), kPathEscape);
}

TEST_P(EnvConformance, NamesAreBytes) {
  const std::string name = "\xff\xfe \n\\:*?\"<>|";
  Write(name, "odd");
  EXPECT_EQ(Read(name), "odd");
  EXPECT_EQ(root().List("").value()[0].name, name);
  const Status status = root().OpenRead(name + "x").status();
  EXPECT_EQ(status.message().find('\n'), std::string::npos) << "one line";
  EXPECT_NE(status.message().find("\\xff"), std::string::npos) << status.message();
  EXPECT_CODE(root().Create(std::string(300, 'n'), 0644), kInvalidArgument);
  EXPECT_OK(root().Create(std::string(255, 'n'), 0644).status());
}

TEST_P(EnvConformance, StatTellsTheKind) {
  Write("a", "one");
  MakeDirectory("d");
  EXPECT_OK(root().MakeSymlink("link", "a"));
  EXPECT_EQ(root().Stat("a")->kind, FileKind::kFile);
  EXPECT_EQ(root().Stat("d")->kind, FileKind::kDirectory);
  EXPECT_EQ(root().Stat("link")->kind, FileKind::kSymlink);
  EXPECT_EQ(root().Stat("link")->size_bytes, 1u);
  EXPECT_EQ(root().Stat("")->kind, FileKind::kDirectory);
  EXPECT_NE(root().Stat("a")->inode, root().Stat("d")->inode);
  EXPECT_EQ(root().Stat("a")->device, root().Stat("d")->device);
  EXPECT_CODE(root().Stat("none"), kNotFound);
  EXPECT_CODE(root().Stat("a/b"), kNotFound);
}

TEST_P(EnvConformance, TimesMoveForwardWithChanges) {
  Write("a", "one");
  const FileStatus before = root().Stat("a").value();
  const int64_t now_ns = env().NowNs();
  // A file's time may lag behind the clock by the kernel's tick, and must not be ahead.
  EXPECT_LE(before.modified_ns, now_ns);
  EXPECT_GT(before.modified_ns, now_ns - 10'000'000'000);
  const int64_t start_ns = env().MonotonicNs();
  FileStatus after = before;
  while (after.modified_ns == before.modified_ns &&
         env().MonotonicNs() - start_ns < 5'000'000'000) {
    Write("a", "two");
    after = root().Stat("a").value();
  }
  EXPECT_GT(after.modified_ns, before.modified_ns);
  EXPECT_GE(after.changed_ns, after.modified_ns);
}

TEST_P(EnvConformance, ModesAreKept) {
  EXPECT_OK(root().Create("a", 0755).status());
  EXPECT_TRUE(root().Stat("a")->is_executable());
  EXPECT_OK(root().SetMode("a", 0604));
  EXPECT_EQ(root().Stat("a")->mode, 0604u);
  EXPECT_OK(root().MakeDirectory("d", 0700));
  EXPECT_EQ(root().Stat("d")->mode, 0700u);
  EXPECT_OK(root().SetMode("d", 0755));
  EXPECT_EQ(root().Stat("d")->mode, 0755u);
  EXPECT_CODE(root().SetMode("none", 0644), kNotFound);
  EXPECT_OK(root().MakeSymlink("link", "a"));
  EXPECT_CODE(root().SetMode("link", 0777), kPathEscape);
  EXPECT_EQ(root().Stat("a")->mode, 0604u);
}

TEST_P(EnvConformance, RemovesFilesAndDirectories) {
  MakeDirectory("d");
  Write("d/a", "one");
  EXPECT_CODE(root().RemoveDirectory("d"), kConflict);
  EXPECT_CODE(root().RemoveFile("d"), kInvalidArgument);
  EXPECT_CODE(root().RemoveDirectory("d/a"), kNotFound);
  EXPECT_OK(root().RemoveFile("d/a"));
  EXPECT_CODE(root().RemoveFile("d/a"), kNotFound);
  EXPECT_OK(root().RemoveDirectory("d"));
  EXPECT_CODE(root().RemoveDirectory("d"), kNotFound);
  EXPECT_EQ(Names(""), "");
}

TEST_P(EnvConformance, RemovingALinkLeavesItsTarget) {
  Write("a", "one");
  MakeDirectory("d");
  EXPECT_OK(root().MakeSymlink("file_link", "a"));
  EXPECT_OK(root().MakeSymlink("directory_link", "d"));
  EXPECT_OK(root().RemoveFile("file_link"));
  EXPECT_FALSE(root().RemoveDirectory("directory_link").ok());
  EXPECT_OK(root().RemoveFile("directory_link"));
  EXPECT_EQ(Names(""), "a d");
}

TEST_P(EnvConformance, LinksKeepTheirTargetBytes) {
  const std::string target = "../\xff/" + std::string(3000, 't');
  EXPECT_OK(root().MakeSymlink("link", target));
  EXPECT_EQ(root().ReadLink("link").value(), target);
  Write("a", "one");
  EXPECT_CODE(root().ReadLink("a"), kInvalidArgument);
  EXPECT_CODE(root().ReadLink("none"), kNotFound);
  EXPECT_CODE(root().MakeSymlink("empty", ""), kInvalidArgument);
  EXPECT_CODE(root().MakeSymlink("nul", std::string("a\0b", 3)), kInvalidArgument);
}

TEST_P(EnvConformance, CloneMakesAnIndependentCopy) {
  const std::string bytes(200'000, 'x');
  Write("a", bytes);
  MakeDirectory("d");
  auto target = root().OpenDirectory("d");
  ASSERT_TRUE(target.ok());
  EXPECT_OK(root().Clone("a", **target, "copy", 0755));
  EXPECT_EQ(Read("d/copy"), bytes);
  EXPECT_EQ(root().Stat("d/copy")->mode, 0755u);
  EXPECT_NE(root().Stat("d/copy")->inode, root().Stat("a")->inode);
  Write("a", "changed");
  EXPECT_EQ(Read("d/copy"), bytes);
  auto copy = root().OpenWrite("d/copy");
  EXPECT_OK((*copy)->WriteAt(100'000, "y"));
  EXPECT_EQ(Read("a"), "changed");
  Write("empty", "");
  EXPECT_OK(root().Clone("empty", root(), "empty_copy", 0600));
  EXPECT_EQ(Read("empty_copy"), "");
  EXPECT_CODE(root().Clone("none", root(), "x", 0644), kNotFound);
  EXPECT_CODE(root().Clone("d", root(), "x", 0644), kInvalidArgument);
  EXPECT_CODE(root().Stat("x"), kNotFound);
}

TEST_P(EnvConformance, CopiesAttributes) {
  Write("a", "one");
  Write("b", "two");
  EXPECT_OK(root().SetMode("a", 0751));
  for (const CopyMetadata what : {CopyMetadata::kModeOnly, CopyMetadata::kAll}) {
    EXPECT_OK(root().SetMode("b", 0600));
    EXPECT_OK(root().CopyAttributes("a", root(), "b", what));
    EXPECT_EQ(root().Stat("b")->mode, 0751u);
  }
  EXPECT_EQ(Read("b"), "two");
  EXPECT_CODE(root().CopyAttributes("none", root(), "b", CopyMetadata::kAll), kNotFound);
  EXPECT_CODE(root().CopyAttributes("a", root(), "none", CopyMetadata::kAll), kNotFound);
  EXPECT_OK(root().MakeSymlink("link", "a"));
  EXPECT_CODE(root().CopyAttributes("link", root(), "b", CopyMetadata::kAll), kPathEscape);
  EXPECT_CODE(root().CopyAttributes("a", root(), "link", CopyMetadata::kAll), kPathEscape);
}

TEST_P(EnvConformance, SyncsDirectories) {
  MakeDirectory("d");
  Write("d/a", "one");
  EXPECT_OK(root().SyncDirectory("d"));
  EXPECT_OK(root().SyncDirectory(""));
  EXPECT_CODE(root().SyncDirectory("none"), kNotFound);
  EXPECT_CODE(root().SyncDirectory("d/a"), kNotFound);
}

TEST_P(EnvConformance, OpensDirectories) {
  MakeDirectory("d");
  MakeDirectory("d/e");
  Write("d/e/a", "one");
  auto inner = root().OpenDirectory("d/e");
  ASSERT_TRUE(inner.ok()) << inner.status().message();
  EXPECT_EQ((*inner)->path(), PathOf("d/e"));
  EXPECT_EQ(Read(**inner, "a"), "one");
  auto same = root().OpenDirectory("");
  ASSERT_TRUE(same.ok());
  EXPECT_EQ((*same)->path(), root().path());
  EXPECT_CODE(root().OpenDirectory("none"), kNotFound);
  EXPECT_CODE(root().OpenDirectory("d/e/a"), kNotFound);
  // A handle stays with its directory, not with the name.
  EXPECT_OK(root().Rename("d", root(), "moved"));
  EXPECT_EQ(Read(**inner, "a"), "one");
}

TEST_P(EnvConformance, NothingIsMadeInARemovedDirectory) {
  MakeDirectory("d");
  auto removed = root().OpenDirectory("d");
  EXPECT_OK(root().RemoveDirectory("d"));
  EXPECT_CODE((*removed)->Create("a", 0644), kNotFound);
  EXPECT_CODE((*removed)->MakeDirectory("e", 0755), kNotFound);
  Write("a", "one");
  EXPECT_CODE(root().Rename("a", **removed, "a"), kNotFound);
  EXPECT_EQ(Read("a"), "one");
}

TEST_P(EnvConformance, EnvOpensAndMakesDirectoriesByAbsolutePath) {
  EXPECT_OK(env().MakeDirectories(PathOf("x/y/z")));
  EXPECT_OK(env().MakeDirectories(PathOf("x/y/z")));
  EXPECT_EQ(root().Stat("x/y/z")->kind, FileKind::kDirectory);
  Write("a", "one");
  EXPECT_CODE(env().MakeDirectories(PathOf("a")), kConflict);
  EXPECT_FALSE(env().MakeDirectories(PathOf("a/b")).ok());
  EXPECT_CODE(env().MakeDirectories("relative"), kInvalidArgument);
  EXPECT_CODE(env().MakeDirectories(""), kInvalidArgument);
  EXPECT_CODE(env().OpenDirectory("relative"), kInvalidArgument);
  EXPECT_CODE(env().OpenDirectory(PathOf("a")), kNotFound);
  EXPECT_CODE(env().OpenDirectory(PathOf("none")), kNotFound);
  EXPECT_CODE(env().OpenDirectory(PathOf(std::string("x\0y", 3))), kInvalidArgument);
  EXPECT_OK(root().MakeSymlink("link", "x/y"));
  auto linked = env().OpenDirectory(PathOf("link"));
  ASSERT_TRUE(linked.ok()) << "symlinks in the absolute path are followed";
  EXPECT_EQ((*linked)->List("").value()[0].name, "z");
}

TEST_P(EnvConformance, KnowsTheFileSystem) {
  const auto file_system = env().GetFileSystem(PathOf(""));
  ASSERT_TRUE(file_system.ok()) << file_system.status().message();
  EXPECT_FALSE(file_system->type.empty());
  EXPECT_CODE(env().GetFileSystem(PathOf("none")), kNotFound);
}

TEST_P(EnvConformance, ClocksAndRandomBytes) {
  const int64_t monotonic_ns = env().MonotonicNs();
  EXPECT_GT(env().NowNs(), int64_t{1'600'000'000} * 1'000'000'000);
  EXPECT_GE(env().MonotonicNs(), monotonic_ns);
  const int64_t before_sleep_ns = env().MonotonicNs();
  env().Sleep(2'000'000);
  EXPECT_GE(env().MonotonicNs(), before_sleep_ns + 2'000'000);
  EXPECT_EQ(env().RandomBytes(0), "");
  EXPECT_EQ(env().RandomBytes(100).size(), 100u);
  EXPECT_NE(env().RandomBytes(16), env().RandomBytes(16));
  EXPECT_GT(env().ProcessId(), 0);
  EXPECT_EQ(env().ProcessId(), env().ProcessId());
  EXPECT_FALSE(env().HostName().empty());
}

}  // namespace
}  // namespace staged
