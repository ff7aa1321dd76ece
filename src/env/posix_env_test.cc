#include "env/posix_env.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

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

}  // namespace
}  // namespace staged
