// Paths that try to escape, and renames.
#include <atomic>
#include <thread>

#include "tests/conformance/env_conformance.h"

namespace staged {
namespace {

using Attempt = std::function<ErrorCode(Directory&, const std::string&)>;

struct NamedAttempt {
  const char* name;
  Attempt attempt;
};

// Every operation that takes a path, on its own.
std::vector<NamedAttempt> AllOperations() {
  return {
      {"Stat", [](Directory& d, const std::string& p) { return CodeOf(d.Stat(p)); }},
      {"List", [](Directory& d, const std::string& p) { return CodeOf(d.List(p)); }},
      {"ListWithStatus",
       [](Directory& d, const std::string& p) { return CodeOf(d.ListWithStatus(p)); }},
      {"OpenRead", [](Directory& d, const std::string& p) { return CodeOf(d.OpenRead(p)); }},
      {"OpenWrite", [](Directory& d, const std::string& p) { return CodeOf(d.OpenWrite(p)); }},
      {"Create", [](Directory& d, const std::string& p) { return CodeOf(d.Create(p, 0644)); }},
      {"ReadFile", [](Directory& d, const std::string& p) { return CodeOf(d.ReadFile(p, 99)); }},
      {"MakeDirectory",
       [](Directory& d, const std::string& p) { return CodeOf(d.MakeDirectory(p, 0755)); }},
      {"RemoveDirectory",
       [](Directory& d, const std::string& p) { return CodeOf(d.RemoveDirectory(p)); }},
      {"RemoveFile", [](Directory& d, const std::string& p) { return CodeOf(d.RemoveFile(p)); }},
      {"ReadLink", [](Directory& d, const std::string& p) { return CodeOf(d.ReadLink(p)); }},
      {"MakeSymlink",
       [](Directory& d, const std::string& p) { return CodeOf(d.MakeSymlink(p, "x")); }},
      {"SetMode", [](Directory& d, const std::string& p) { return CodeOf(d.SetMode(p, 0)); }},
      {"CopyAttributes from",
       [](Directory& d, const std::string& p) {
         return CodeOf(d.CopyAttributes(p, d, "own", CopyMetadata::kAll));
       }},
      {"CopyAttributes to",
       [](Directory& d, const std::string& p) {
         return CodeOf(d.CopyAttributes("own", d, p, CopyMetadata::kAll));
       }},
      {"Rename from",
       [](Directory& d, const std::string& p) { return CodeOf(d.Rename(p, d, "own")); }},
      {"Rename to",
       [](Directory& d, const std::string& p) { return CodeOf(d.Rename("own", d, p)); }},
      {"RenameNew from",
       [](Directory& d, const std::string& p) { return CodeOf(d.RenameNew(p, d, "new")); }},
      {"RenameNew to",
       [](Directory& d, const std::string& p) { return CodeOf(d.RenameNew("own", d, p)); }},
      {"Exchange from",
       [](Directory& d, const std::string& p) { return CodeOf(d.Exchange(p, d, "own")); }},
      {"Exchange to",
       [](Directory& d, const std::string& p) { return CodeOf(d.Exchange("own", d, p)); }},
      {"Clone from",
       [](Directory& d, const std::string& p) { return CodeOf(d.Clone(p, d, "new", 0644)); }},
      {"Clone to",
       [](Directory& d, const std::string& p) { return CodeOf(d.Clone("own", d, p, 0644)); }},
      {"SyncDirectory",
       [](Directory& d, const std::string& p) { return CodeOf(d.SyncDirectory(p)); }},
      {"Lock",
       [](Directory& d, const std::string& p) { return CodeOf(d.Lock(p, LockWait::kDoNotWait)); }},
      {"HasWriter", [](Directory& d, const std::string& p) { return CodeOf(d.HasWriter(p)); }},
      {"OpenDirectory",
       [](Directory& d, const std::string& p) { return CodeOf(d.OpenDirectory(p)); }},
  };
}

TEST_P(EnvConformance, NoOperationLeavesTheDirectory) {
  MakeDirectory("in");
  MakeDirectory("in/d");
  MakeDirectory("out");
  Write("in/own", "own");
  Write("out/secret", "secret");
  EXPECT_OK(root().MakeSymlink("in/up", ".."));
  EXPECT_OK(root().MakeSymlink("in/away", "../out"));
  EXPECT_OK(root().MakeSymlink("in/absolute", PathOf("out")));
  EXPECT_OK(root().MakeSymlink("in/inside", "d"));
  EXPECT_OK(root().MakeSymlink("in/d/back", "../../out"));
  auto inside = root().OpenDirectory("in");
  ASSERT_TRUE(inside.ok());
  const std::vector<std::string> escapes = {
      "..",          "../out/secret", "d/../../out/secret", "d/..",        "/",
      "/etc/passwd", "//x",           "up/out/secret",      "away/secret", "absolute/secret",
      "inside/x",    "d/back/secret", "away/new",           "up/out/new",  PathOf("out/secret"),
  };
  for (const NamedAttempt& operation : AllOperations()) {
    for (const std::string& path : escapes) {
      EXPECT_EQ(operation.attempt(**inside, path), ErrorCode::kPathEscape)
          << operation.name << " " << path;
    }
  }
  EXPECT_EQ(Read("out/secret"), "secret");
  EXPECT_EQ(Names("out"), "secret");
  EXPECT_EQ(Names("in"), "absolute away d inside own up");
  EXPECT_EQ(Read("in/own"), "own");
}

TEST_P(EnvConformance, MalformedPathsAreRefused) {
  Write("own", "own");
  MakeDirectory("d");
  Write("a", "a");
  const std::vector<std::string> malformed = {
      "a/", "d/", "d//a", ".", "./a", "d/.", std::string("a\0", 2), std::string("d\0/x", 4),
  };
  for (const NamedAttempt& operation : AllOperations()) {
    for (const std::string& path : malformed) {
      EXPECT_EQ(operation.attempt(root(), path), ErrorCode::kInvalidArgument)
          << operation.name << " " << path;
    }
  }
  EXPECT_EQ(Names(""), "a d own");
}

TEST_P(EnvConformance, TheEmptyPathMeansTheDirectoryWhereThatMakesSense) {
  Write("own", "own");
  for (const NamedAttempt& operation : AllOperations()) {
    const std::string_view name = operation.name;
    const bool makes_sense = name == "Stat" || name == "List" || name == "ListWithStatus" ||
                             name == "SyncDirectory" || name == "OpenDirectory";
    EXPECT_EQ(operation.attempt(root(), ""),
              makes_sense ? ErrorCode::kOk : ErrorCode::kInvalidArgument)
        << name;
  }
}

TEST_P(EnvConformance, TheLastComponentIsNotFollowedEither) {
  MakeDirectory("in");
  Write("secret", "secret");
  MakeDirectory("out");
  auto inside = root().OpenDirectory("in");
  EXPECT_OK((*inside)->MakeSymlink("file", "../secret"));
  EXPECT_OK((*inside)->MakeSymlink("directory", "../out"));
  EXPECT_OK((*inside)->MakeSymlink("dangling", "../made"));
  for (const char* link : {"file", "directory", "dangling"}) {
    EXPECT_CODE((*inside)->OpenRead(link), kPathEscape) << link;
    EXPECT_CODE((*inside)->OpenWrite(link), kPathEscape) << link;
    EXPECT_CODE((*inside)->ReadFile(link, 99), kPathEscape) << link;
    EXPECT_CODE((*inside)->List(link), kPathEscape) << link;
    EXPECT_CODE((*inside)->OpenDirectory(link), kPathEscape) << link;
    EXPECT_CODE((*inside)->SyncDirectory(link), kPathEscape) << link;
    EXPECT_CODE((*inside)->Lock(link, LockWait::kDoNotWait), kPathEscape) << link;
    EXPECT_CODE((*inside)->HasWriter(link), kPathEscape) << link;
    EXPECT_CODE((*inside)->Clone(link, **inside, "copy", 0644), kPathEscape) << link;
  }
  EXPECT_EQ(Names(""), "in out secret");
}

// Somebody swaps a directory for a symlink to elsewhere again and again.
TEST_P(EnvConformance, SwappedSymlinksDoNotLeadOut) {
  MakeDirectory("in");
  MakeDirectory("in/d");
  MakeDirectory("out");
  Write("in/d/a", "inside");
  Write("out/a", "outside");
  EXPECT_OK(root().MakeSymlink("in/link", "../out"));
  auto inside = root().OpenDirectory("in");
  std::atomic<bool> is_done = false;
  std::thread swapper([&] {
    auto same = root().OpenDirectory("in");
    while (!is_done) {
      (void)(*same)->Rename("d", **same, "kept");
      (void)(*same)->Rename("link", **same, "d");
      (void)(*same)->Rename("d", **same, "link");
      (void)(*same)->Rename("kept", **same, "d");
    }
  });
  int inside_count = 0;
  for (int attempt = 0; attempt < 20'000; ++attempt) {
    const std::string bytes = Read(**inside, "d/a");
    EXPECT_NE(bytes, "outside");
    inside_count += bytes == "inside" ? 1 : 0;
    (void)(*inside)->RemoveFile("d/victim");
    (void)(*inside)->Create("d/victim", 0644);
  }
  is_done = true;
  swapper.join();
  EXPECT_GT(inside_count, 0);
  EXPECT_EQ(Names("out"), "a");
}

TEST_P(EnvConformance, RenameReplaces) {
  Write("a", "one");
  Write("b", "two");
  MakeDirectory("d");
  auto target = root().OpenDirectory("d");
  EXPECT_OK(root().Rename("a", root(), "b"));
  EXPECT_EQ(Read("b"), "one");
  EXPECT_OK(root().Rename("b", **target, "c"));
  EXPECT_EQ(Read("d/c"), "one");
  EXPECT_EQ(Names(""), "d");
  EXPECT_OK(root().Rename("d/c", root(), "d/c"));
  EXPECT_EQ(Read("d/c"), "one");
  EXPECT_CODE(root().Rename("none", root(), "x"), kNotFound);
  EXPECT_CODE(root().Rename("d/c", root(), "none/x"), kNotFound);
}

TEST_P(EnvConformance, RenameMovesLinksThemselves) {
  Write("a", "one");
  EXPECT_OK(root().MakeSymlink("link", "a"));
  EXPECT_OK(root().Rename("link", root(), "moved"));
  EXPECT_EQ(root().ReadLink("moved").value(), "a");
  Write("b", "two");
  EXPECT_OK(root().Rename("b", root(), "moved"));
  EXPECT_EQ(Read("moved"), "two");
  EXPECT_EQ(Read("a"), "one");
}

TEST_P(EnvConformance, RenameOfDirectories) {
  MakeDirectory("d");
  Write("d/a", "one");
  MakeDirectory("empty");
  MakeDirectory("full");
  Write("full/x", "x");
  Write("f", "file");
  EXPECT_CODE(root().Rename("d", root(), "full"), kConflict);
  EXPECT_CODE(root().Rename("d", root(), "f"), kConflict);
  EXPECT_CODE(root().Rename("f", root(), "d"), kConflict);
  EXPECT_CODE(root().Rename("d", root(), "d/inside"), kInvalidArgument);
  EXPECT_OK(root().Rename("d", root(), "empty"));
  EXPECT_EQ(Read("empty/a"), "one");
  EXPECT_EQ(Names(""), "empty f full");
}

TEST_P(EnvConformance, RenameNewNeverReplaces) {
  Write("a", "one");
  Write("b", "two");
  MakeDirectory("d");
  MakeDirectory("e");
  EXPECT_OK(root().MakeSymlink("dangling", "nowhere"));
  for (const char* taken : {"b", "d", "dangling", "a"}) {
    EXPECT_CODE(root().RenameNew("a", root(), taken), kConflict) << taken;
  }
  EXPECT_CODE(root().RenameNew("d", root(), "e"), kConflict);
  EXPECT_CODE(root().RenameNew("none", root(), "x"), kNotFound);
  auto target = root().OpenDirectory("d");
  EXPECT_OK(root().RenameNew("a", **target, "a"));
  EXPECT_EQ(Read("d/a"), "one");
  EXPECT_CODE(root().Stat("a"), kNotFound);
  EXPECT_EQ(root().Stat("d/a")->link_count, 1u);
  EXPECT_OK(root().RenameNew("d", root(), "f"));
  EXPECT_EQ(Read("f/a"), "one");
  EXPECT_OK(root().RenameNew("dangling", root(), "moved"));
  EXPECT_EQ(root().ReadLink("moved").value(), "nowhere");
  EXPECT_EQ(Names(""), "b e f moved");
}

TEST_P(EnvConformance, ExchangeSwapsNames) {
  Write("a", "one");
  MakeDirectory("d");
  Write("d/b", "two");
  const uint64_t first = root().Stat("a")->inode;
  const uint64_t second = root().Stat("d/b")->inode;
  auto target = root().OpenDirectory("d");
  EXPECT_OK(root().Exchange("a", **target, "b"));
  EXPECT_EQ(root().Stat("a")->inode, second);
  EXPECT_EQ(root().Stat("d/b")->inode, first);
  EXPECT_EQ(Read("a"), "two");
  EXPECT_EQ(Read("d/b"), "one");
  EXPECT_OK(root().MakeSymlink("link", "x"));
  EXPECT_OK(root().Exchange("a", root(), "link"));
  EXPECT_EQ(root().ReadLink("a").value(), "x");
  EXPECT_EQ(Read("link"), "two");
  EXPECT_OK(root().Exchange("a", root(), "a"));
  EXPECT_CODE(root().Exchange("a", root(), "none"), kNotFound);
  EXPECT_CODE(root().Exchange("none", root(), "a"), kNotFound);
  EXPECT_EQ(Names(""), "a d link");
  EXPECT_EQ(Names("d"), "b");
}

TEST_P(EnvConformance, ExchangeOfDirectories) {
  MakeDirectory("d");
  MakeDirectory("e");
  Write("d/a", "one");
  Write("f", "file");
  if (!GetParam().exchanges_directories) {
    EXPECT_CODE(root().Exchange("d", root(), "e"), kInvalidArgument);
    EXPECT_EQ(Read("d/a"), "one");
    return;
  }
  EXPECT_OK(root().Exchange("d", root(), "e"));
  EXPECT_EQ(Read("e/a"), "one");
  EXPECT_EQ(Names("d"), "");
  EXPECT_OK(root().Exchange("e", root(), "f"));
  EXPECT_EQ(Read("f/a"), "one");
  EXPECT_EQ(Read("e"), "file");
  EXPECT_CODE(root().Exchange("f", root(), "f/a"), kInvalidArgument);
}

TEST_P(EnvConformance, DirectoriesOfDifferentEnvironmentsDoNotMix) {
  const auto other = GetParam().make();
  if (&other->env() == &env()) GTEST_SKIP();
  auto foreign = other->env().OpenDirectory(other->path());
  ASSERT_TRUE(foreign.ok());
  Write("a", "one");
  const Status status = root().Rename("a", **foreign, "a");
  // Two environments on one operating system may well be able to.
  EXPECT_TRUE(status.ok() || status.code() == ErrorCode::kInvalidArgument) << status.message();
  EXPECT_EQ(Read("a") == "one", !status.ok());
}

}  // namespace
}  // namespace staged
