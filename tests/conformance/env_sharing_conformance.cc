// Locks, writers and watches: what concerns more than one holder.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "tests/conformance/env_conformance.h"

namespace staged {
namespace {

TEST_P(EnvConformance, LocksExclude) {
  auto other = env().OpenDirectory(root().path());
  ASSERT_TRUE(other.ok());
  auto lock = root().Lock("lock", LockWait::kDoNotWait);
  ASSERT_TRUE(lock.ok()) << lock.status().message();
  EXPECT_EQ(root().Stat("lock")->kind, FileKind::kFile) << "the file is made";
  EXPECT_CODE((*other)->Lock("lock", LockWait::kDoNotWait), kBusy);
  EXPECT_CODE(root().Lock("lock", LockWait::kDoNotWait), kBusy);
  EXPECT_TRUE((*other)->Lock("another", LockWait::kDoNotWait).ok());
  lock->reset();
  auto next = (*other)->Lock("lock", LockWait::kDoNotWait);
  EXPECT_TRUE(next.ok());
  EXPECT_CODE(root().Lock("lock", LockWait::kDoNotWait), kBusy);
  EXPECT_CODE(root().Lock("none/lock", LockWait::kDoNotWait), kNotFound);
  MakeDirectory("d");
  EXPECT_CODE(root().Lock("d", LockWait::kDoNotWait), kInvalidArgument);
}

TEST_P(EnvConformance, LocksKeepTheFile) {
  Write("a", "content");
  auto lock = root().Lock("a", LockWait::kDoNotWait);
  ASSERT_TRUE(lock.ok());
  EXPECT_EQ(Read("a"), "content");
  EXPECT_FALSE(root().HasWriter("none").ok());
}

TEST_P(EnvConformance, ALockOnARemovedFileExcludesNobody) {
  auto lock = root().Lock("lock", LockWait::kDoNotWait);
  ASSERT_TRUE(lock.ok());
  EXPECT_OK(root().RemoveFile("lock"));
  auto other = root().Lock("lock", LockWait::kDoNotWait);
  EXPECT_TRUE(other.ok()) << "of the new file";
  lock->reset();
  EXPECT_CODE(root().Lock("lock", LockWait::kDoNotWait), kBusy);
}

TEST_P(EnvConformance, LocksCanBeWaitedFor) {
  std::atomic<int> holders = 0;
  std::atomic<int> turns = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      auto directory = env().OpenDirectory(root().path());
      for (int turn = 0; turn < 50; ++turn) {
        auto lock = (*directory)->Lock("lock", LockWait::kWait);
        EXPECT_TRUE(lock.ok()) << lock.status().message();
        EXPECT_EQ(++holders, 1);
        ++turns;
        --holders;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(turns, 200);
}

TEST_P(EnvConformance, WritersAreNoticed) {
  Write("a", "one");
  EXPECT_FALSE(root().HasWriter("a").value());
  {
    auto reader = root().OpenRead("a");
    EXPECT_FALSE(root().HasWriter("a").value());
    auto writer = root().OpenWrite("a");
    EXPECT_TRUE(root().HasWriter("a").value());
  }
  EXPECT_FALSE(root().HasWriter("a").value());
  EXPECT_CODE(root().HasWriter("none"), kNotFound);
}

// Waits until the path is told or the watch says "anything". What else is told is harmless.
bool IsTold(Watcher& watcher, const std::string& path) {
  // By the real clock: a simulated one runs ahead while nothing happens.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while (std::chrono::steady_clock::now() < deadline) {
    auto touched = watcher.Wait(50);
    EXPECT_TRUE(touched.ok()) << touched.status().message();
    if (!touched.ok()) return false;
    EXPECT_TRUE(std::is_sorted(touched->begin(), touched->end()));
    if (std::find(touched->begin(), touched->end(), path) != touched->end()) return true;
  }
  return false;
}

// Takes what is still to be told.
void Drain(Watcher& watcher) {
  while (!watcher.Wait(20).value().empty()) {
  }
}

TEST_P(EnvConformance, WatchTellsWhatIsTouched) {
  Write("a", "one");
  MakeDirectory("d");
  Write("d/b", "two");
  auto watch = env().Watch(root().path(), nullptr);
  ASSERT_TRUE(watch.ok()) << watch.status().message();
  Watcher& watcher = **watch;
  EXPECT_TRUE(watcher.Wait(0)->empty());
  Write("a", "three");
  EXPECT_TRUE(IsTold(watcher, "a"));
  Write("d/b", "four and more");
  EXPECT_TRUE(IsTold(watcher, "d/b"));
  Write("d/new", "new");
  EXPECT_TRUE(IsTold(watcher, "d/new"));
  EXPECT_OK(root().RemoveFile("d/b"));
  EXPECT_TRUE(IsTold(watcher, "d/b"));
  EXPECT_OK(root().SetMode("a", 0600));
  EXPECT_TRUE(IsTold(watcher, "a"));
  EXPECT_OK(root().Rename("a", root(), "d/moved"));
  EXPECT_TRUE(IsTold(watcher, "d/moved"));
  EXPECT_OK(root().MakeSymlink("link", "x"));
  EXPECT_TRUE(IsTold(watcher, "link"));
  Drain(watcher);
  EXPECT_TRUE(root().ReadFile("d/new", 100).ok());
  EXPECT_TRUE(root().List("d").ok());
  EXPECT_TRUE(watcher.Wait(20)->empty()) << "reading touches nothing";
}

TEST_P(EnvConformance, WatchFollowsNewAndMovedDirectories) {
  MakeDirectory("old");
  MakeDirectory("old/inner");
  auto watch = env().Watch(root().path(), nullptr);
  ASSERT_TRUE(watch.ok());
  Watcher& watcher = **watch;
  EXPECT_OK(env().MakeDirectories(root().path() + "/x/y/z"));
  Write("x/y/z/early", "");
  EXPECT_TRUE(IsTold(watcher, "x/y/z/early"));
  Write("x/y/z/late", "");
  EXPECT_TRUE(IsTold(watcher, "x/y/z/late"));
  EXPECT_OK(root().Rename("old", root(), "x/moved"));
  EXPECT_TRUE(IsTold(watcher, "x/moved"));
  Write("x/moved/inner/a", "");
  EXPECT_TRUE(IsTold(watcher, "x/moved/inner/a"));
  EXPECT_OK(root().RemoveFile("x/moved/inner/a"));
  EXPECT_OK(root().RemoveDirectory("x/moved/inner"));
  EXPECT_TRUE(IsTold(watcher, "x/moved/inner"));
  MakeDirectory("x/moved/inner");
  Drain(watcher);
  Write("x/moved/inner/again", "");
  EXPECT_TRUE(IsTold(watcher, "x/moved/inner/again"));
}

TEST_P(EnvConformance, WatchSkipsWhatItIsTold) {
  MakeDirectory("skipped");
  MakeDirectory("d");
  auto watch = env().Watch(root().path(), [](const std::string& path) {
    return path == "skipped" || path == "d/skipped";
  });
  ASSERT_TRUE(watch.ok());
  MakeDirectory("d/skipped");
  Write("skipped/a", "");
  Write("d/skipped/a", "");
  Write("last", "");
  std::vector<std::string> touched;
  for (int attempt = 0; attempt < 100; ++attempt) {
    const std::vector<std::string> more = (*watch)->Wait(50).value();
    touched.insert(touched.end(), more.begin(), more.end());
    if (std::find(touched.begin(), touched.end(), "last") != touched.end()) break;
  }
  EXPECT_EQ(touched, std::vector<std::string>({"last"}));
}

TEST_P(EnvConformance, WatchWakesUpAWaiter) {
  auto watch = env().Watch(root().path(), nullptr);
  ASSERT_TRUE(watch.ok());
  std::thread writer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    Write("a", "one");
  });
  EXPECT_TRUE(IsTold(**watch, "a"));
  writer.join();
}

TEST_P(EnvConformance, WatchNeedsADirectory) {
  Write("a", "one");
  EXPECT_CODE(env().Watch(PathOf("none"), nullptr), kNotFound);
  EXPECT_CODE(env().Watch(PathOf("a"), nullptr), kNotFound);
  EXPECT_CODE(env().Watch("relative", nullptr), kInvalidArgument);
}

TEST_P(EnvConformance, ManyThreadsShareOneDirectory) {
  MakeDirectory("d");
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (int turn = 0; turn < 100; ++turn) {
        const std::string own = "d/" + std::to_string(thread);
        Write(own, std::to_string(turn));
        EXPECT_EQ(Read(own), std::to_string(turn));
        EXPECT_OK(root().Rename(own, root(), own + "x"));
        EXPECT_TRUE(root().List("d").ok());
        EXPECT_OK(root().RemoveFile(own + "x"));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Names("d"), "");
}

}  // namespace
}  // namespace staged
