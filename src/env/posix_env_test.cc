#include "env/posix_env.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

namespace staged {
namespace {

// What is particular to the real system; the interface's promises are tested for every Env in
// tests/conformance.
class PosixEnvTest : public testing::Test {
 protected:
  PosixEnvTest() {
    std::string pattern = testing::TempDir() + "posix_env_XXXXXX";
    path_ = mkdtemp(pattern.data());
  }
  ~PosixEnvTest() override { std::filesystem::remove_all(path_); }

  std::string path_;
  std::unique_ptr<Env> env_ = NewPosixEnv();
};

TEST_F(PosixEnvTest, WritesWhatOthersRead) {
  auto directory = env_->OpenDirectory(path_);
  ASSERT_TRUE(directory.ok()) << directory.status().message();
  auto file = (*directory)->Create("a", 0640);
  ASSERT_TRUE(file.ok()) << file.status().message();
  ASSERT_TRUE((*file)->WriteAt(3, "xyz").ok());
  ASSERT_TRUE((*file)->Sync().ok());
  struct stat status;
  ASSERT_EQ(stat((path_ + "/a").c_str(), &status), 0);
  EXPECT_EQ(status.st_size, 6);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
  EXPECT_EQ((*directory)->ReadFile("a", 6).value(), std::string("\0\0\0xyz", 6));
}

TEST_F(PosixEnvTest, DoesNotHangOnAFifo) {
  ASSERT_EQ(mkfifo((path_ + "/fifo").c_str(), 0600), 0);
  auto directory = env_->OpenDirectory(path_);
  ASSERT_TRUE(directory.ok());
  EXPECT_EQ((*directory)->OpenRead("fifo").status().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ((*directory)->OpenWrite("fifo").status().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ((*directory)->ReadFile("fifo", 10).status().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ((*directory)->Stat("fifo")->kind, FileKind::kOther);
}

TEST_F(PosixEnvTest, KnowsTheFileSystemsItCannotTrust) {
  EXPECT_TRUE(env_->GetFileSystem(path_)->safe) << env_->GetFileSystem(path_)->type;
  const auto processes = env_->GetFileSystem("/proc");
  ASSERT_TRUE(processes.ok());
  EXPECT_FALSE(processes->safe) << processes->type;
  EXPECT_EQ(env_->GetFileSystem(path_ + "/none").status().code(), ErrorCode::kNotFound);
}

TEST_F(PosixEnvTest, MakesDirectoriesThroughSymlinks) {
  std::filesystem::create_directory(path_ + "/real");
  std::filesystem::create_symlink("real", path_ + "/link");
  ASSERT_TRUE(env_->MakeDirectories(path_ + "/link/a/b").ok());
  EXPECT_TRUE(std::filesystem::is_directory(path_ + "/real/a/b"));
  EXPECT_TRUE(env_->MakeDirectories(path_ + "/real/a/b/").ok());
  EXPECT_TRUE(env_->OpenDirectory(path_ + "/link").ok());
}

// Runs `body` in a child process, which exits with what it returns.
template <typename Body>
pid_t Fork(Body body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  return child;
}

int WaitFor(pid_t child) {
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(PosixEnvTest, LocksExcludeOtherProcessesUntilTheyDie) {
  auto directory = env_->OpenDirectory(path_);
  const pid_t holder = Fork([&] {
    auto lock = (*directory)->Lock("lock", LockWait::kDoNotWait);
    if (!lock.ok()) return 1;
    (void)(*directory)->Create("held", 0600);
    pause();
    return 0;
  });
  while (!(*directory)->Stat("held").ok()) usleep(1000);
  EXPECT_EQ((*directory)->Lock("lock", LockWait::kDoNotWait).status().code(), ErrorCode::kBusy);
  kill(holder, SIGKILL);
  WaitFor(holder);
  EXPECT_TRUE((*directory)->Lock("lock", LockWait::kDoNotWait).ok());
}

TEST_F(PosixEnvTest, AForkedChildDoesNotKeepTheLock) {
  auto directory = env_->OpenDirectory(path_);
  auto lock = (*directory)->Lock("lock", LockWait::kDoNotWait);
  ASSERT_TRUE(lock.ok());
  const pid_t child = Fork([] {
    pause();
    return 0;
  });
  lock.value().reset();
  EXPECT_TRUE((*directory)->Lock("lock", LockWait::kDoNotWait).ok());
  kill(child, SIGKILL);
  WaitFor(child);
}

TEST_F(PosixEnvTest, SignalsDoNotEndAWait) {
  struct sigaction action = {};
  struct sigaction previous = {};
  action.sa_handler = [](int) {};  // without SA_RESTART
  ASSERT_EQ(sigaction(SIGUSR1, &action, &previous), 0);
  auto directory = env_->OpenDirectory(path_);
  auto lock = (*directory)->Lock("lock", LockWait::kDoNotWait);
  std::atomic<bool> is_locked = false;
  std::thread waiter([&] {
    auto own = env_->OpenDirectory(path_);
    EXPECT_TRUE((*own)->Lock("lock", LockWait::kWait).ok());
    is_locked = true;
  });
  for (int signal = 0; signal < 50; ++signal) {
    pthread_kill(waiter.native_handle(), SIGUSR1);
    usleep(1000);
  }
  EXPECT_FALSE(is_locked);
  lock.value().reset();
  waiter.join();
  EXPECT_TRUE(is_locked);
  sigaction(SIGUSR1, &previous, nullptr);
}

TEST_F(PosixEnvTest, WritersOfOtherProcessesAreNoticed) {
  auto directory = env_->OpenDirectory(path_);
  ASSERT_TRUE((*directory)->Create("a", 0600).ok());
  EXPECT_FALSE((*directory)->HasWriter("a").value());
  const pid_t writer = Fork([&] {
    auto file = (*directory)->OpenWrite("a");
    (void)(*directory)->Create("opened", 0600);
    pause();
    return 0;
  });
  while (!(*directory)->Stat("opened").ok()) usleep(1000);
  EXPECT_TRUE((*directory)->HasWriter("a").value());
  kill(writer, SIGKILL);
  WaitFor(writer);
  EXPECT_FALSE((*directory)->HasWriter("a").value());
}

// The lease that finds writers must not get this process killed by whoever opens the file then.
TEST_F(PosixEnvTest, LookingForWritersSurvivesWriters) {
  auto directory = env_->OpenDirectory(path_);
  ASSERT_TRUE((*directory)->Create("a", 0600).ok());
  std::atomic<bool> is_done = false;
  std::thread writer([&] {
    while (!is_done) std::ofstream(path_ + "/a") << "x";
  });
  for (int attempt = 0; attempt < 5000; ++attempt) {
    EXPECT_TRUE((*directory)->HasWriter("a").ok());
  }
  is_done = true;
  writer.join();
}

TEST_F(PosixEnvTest, CopiesExtendedAttributes) {
  auto directory = env_->OpenDirectory(path_);
  ASSERT_TRUE((*directory)->Create("a", 0640).ok());
  ASSERT_TRUE((*directory)->Create("b", 0600).ok());
  const std::string a = path_ + "/a";
  const std::string b = path_ + "/b";
  if (setxattr(a.c_str(), "user.tag", "one", 3, 0) != 0) GTEST_SKIP() << "no user attributes here";
  ASSERT_EQ(setxattr(b.c_str(), "user.own", "two", 3, 0), 0);
  // An access control list as in linux/posix_acl_xattr.h: version 2, then (tag, permissions, id).
  const unsigned char list[] = {2,  0, 0, 0,                          //
                                1,  0, 6, 0, 0xff, 0xff, 0xff, 0xff,  // owner: read, write
                                2,  0, 4, 0, 0xe9, 3,    0,    0,     // user 1001: read
                                4,  0, 4, 0, 0xff, 0xff, 0xff, 0xff,  // group: read
                                16, 0, 4, 0, 0xff, 0xff, 0xff, 0xff,  // mask: read
                                32, 0, 0, 0, 0xff, 0xff, 0xff, 0xff};
  const bool has_lists = setxattr(a.c_str(), "system.posix_acl_access", list, sizeof(list), 0) == 0;
  ASSERT_TRUE((*directory)->CopyAttributes("a", **directory, "b", CopyMetadata::kModeOnly).ok());
  EXPECT_LT(getxattr(b.c_str(), "user.tag", nullptr, 0), 0) << "only the mode was asked for";
  ASSERT_TRUE((*directory)->CopyAttributes("a", **directory, "b", CopyMetadata::kAll).ok());
  char value[64] = {};
  EXPECT_EQ(getxattr(b.c_str(), "user.tag", value, sizeof(value)), 3);
  EXPECT_EQ(std::string_view(value, 3), "one");
  EXPECT_LT(getxattr(b.c_str(), "user.own", nullptr, 0), 0) << "not an attribute of the source";
  EXPECT_EQ((*directory)->Stat("b")->mode, (*directory)->Stat("a")->mode);
  if (has_lists) {
    EXPECT_EQ(getxattr(b.c_str(), "system.posix_acl_access", value, sizeof(value)),
              static_cast<ssize_t>(sizeof(list)));
  }
}

TEST_F(PosixEnvTest, CopiesTheOwnerAndSetIdBitsOnlyWithIt) {
  auto directory = env_->OpenDirectory(path_);
  ASSERT_TRUE((*directory)->Create("a", 0755).ok());
  ASSERT_TRUE((*directory)->Create("b", 0600).ok());
  if (chown((path_ + "/a").c_str(), 12345, 23456) != 0) GTEST_SKIP() << "needs privileges";
  ASSERT_EQ(chmod((path_ + "/a").c_str(), 06755), 0);
  struct stat status;
  ASSERT_TRUE((*directory)->CopyAttributes("a", **directory, "b", CopyMetadata::kModeOnly).ok());
  ASSERT_EQ(stat((path_ + "/b").c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, getuid());
  EXPECT_EQ(status.st_mode & 07777, 0755u) << "else it would run as somebody else";
  ASSERT_TRUE((*directory)->CopyAttributes("a", **directory, "b", CopyMetadata::kAll).ok());
  ASSERT_EQ(stat((path_ + "/b").c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 12345u);
  EXPECT_EQ(status.st_gid, 23456u);
  EXPECT_EQ(status.st_mode & 07777, 06755u);
}

TEST_F(PosixEnvTest, AFileThatMayNotGrowIsALimit) {
  EXPECT_EQ(WaitFor(Fork([&] {
              signal(SIGXFSZ, SIG_IGN);
              const struct rlimit limit = {1000, 1000};
              setrlimit(RLIMIT_FSIZE, &limit);
              auto directory = env_->OpenDirectory(path_);
              auto file = (*directory)->Create("a", 0600);
              const Status status = (*file)->WriteAt(0, std::string(2000, 'x'));
              return status.code() == ErrorCode::kLimitExceeded ? 7 : 1;
            })),
            7);
}

TEST_F(PosixEnvTest, RefusesWhatPermissionsForbid) {
  if (getuid() != 0) GTEST_SKIP() << "needs privileges to give them up";
  auto directory = env_->OpenDirectory(path_);
  ASSERT_TRUE((*directory)->MakeDirectory("locked", 0700).ok());
  ASSERT_TRUE((*directory)->Create("locked/a", 0600).ok());
  ASSERT_TRUE((*directory)->Create("private", 0600).ok());
  ASSERT_EQ(chmod(path_.c_str(), 0755), 0);
  EXPECT_EQ(WaitFor(Fork([&] {
              if (setgid(12345) != 0 || setuid(12345) != 0) return 1;
              constexpr ErrorCode kDenied = ErrorCode::kPermissionDenied;
              const bool is_denied =
                  (*directory)->OpenRead("private").status().code() == kDenied &&
                  (*directory)->OpenWrite("private").status().code() == kDenied &&
                  (*directory)->Stat("locked/a").status().code() == kDenied &&
                  (*directory)->List("locked").status().code() == kDenied &&
                  (*directory)->Create("new", 0600).status().code() == kDenied &&
                  (*directory)->RemoveFile("private").code() == kDenied &&
                  (*directory)->Lock("private", LockWait::kWait).status().code() == kDenied;
              return is_denied ? 7 : 2;
            })),
            7);
}

TEST_F(PosixEnvTest, LostEventsMeanAnything) {
  uint64_t events_max = 0;
  std::ifstream("/proc/sys/fs/inotify/max_queued_events") >> events_max;
  if (events_max == 0 || events_max > 50'000) GTEST_SKIP() << "the queue is too long to fill";
  auto directory = env_->OpenDirectory(path_);
  ASSERT_TRUE((*directory)->MakeDirectory("d", 0700).ok());
  ASSERT_TRUE((*directory)->Create("d/a", 0600).ok());
  ASSERT_TRUE((*directory)->Create("b", 0600).ok());
  auto watcher = env_->Watch(path_, nullptr);
  ASSERT_TRUE(watcher.ok());
  // Equal events in a row would be merged.
  for (uint64_t event = 0; event <= events_max; ++event) {
    ASSERT_EQ(chmod((path_ + (event % 2 == 0 ? "/d/a" : "/b")).c_str(), 0600), 0);
  }
  EXPECT_EQ((*watcher)->Wait(1000).value(), std::vector<std::string>({""}));
  EXPECT_EQ((*watcher)->Wait(0).value(), std::vector<std::string>());
  ASSERT_EQ(chmod((path_ + "/d/a").c_str(), 0600), 0);
  EXPECT_EQ((*watcher)->Wait(1000).value(), std::vector<std::string>({"d/a"}));
}

TEST_F(PosixEnvTest, AWatchTellsThatItsDirectoryIsGone) {
  std::filesystem::create_directory(path_ + "/d");
  auto watcher = env_->Watch(path_ + "/d", nullptr);
  ASSERT_TRUE(watcher.ok());
  std::filesystem::remove(path_ + "/d");
  EXPECT_EQ((*watcher)->Wait(1000).value(), std::vector<std::string>({""}));
}

}  // namespace
}  // namespace staged
