#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "env/posix_env.h"
#include "formats/builtin_formats.h"
#include "staged/workspace.h"

// A real workspace in a temporary folder: real files, real journal, every built-in format.
namespace staged::testing {

[[nodiscard]] inline ContentHash HashOfText(std::string_view text) { return ContentHash::Of(text); }

class WorkspaceFixture : public ::testing::Test {
 protected:
  WorkspaceFixture();
  ~WorkspaceFixture() override;

  // Makes the workspace of what lies in the folder, or opens it again as another process would.
  void Init();
  void StartAfresh();  // an empty folder that is no workspace
  void Open();
  [[nodiscard]] std::unique_ptr<Workspace> OpenAnother();
  Workspace& workspace() { return *workspace_; }

  // The live folder, as people change it.
  void Save(const std::string& path, std::string_view bytes) const;
  void Delete(const std::string& path) const;
  [[nodiscard]] std::optional<std::string> OnDisk(const std::string& path) const;
  [[nodiscard]] std::string Absolute(const std::string& path) const { return root_ + "/" + path; }
  // A path beside the live folder.
  [[nodiscard]] std::string Outside(const std::string& name) const {
    return temporary_ + "/" + name;
  }

  // Calls of the agent on branch "main" that must succeed.
  int64_t Write(const std::string& path, const BaseHash& base, std::string_view bytes);
  int64_t Replace(const std::string& path, std::string_view before, std::string_view bytes);
  int64_t Create(const std::string& path, std::string_view bytes);
  void ReviewAll();
  void SubmitAll();
  // Writes, reviews and submits on another branch: the accepted tree moves on.
  void SubmitElsewhere(const std::string& path, const BaseHash& base, std::string_view bytes);
  void SetPolicy(const std::string& text);

  [[nodiscard]] std::optional<FileRow> Row(const CallContext& context, const std::string& path);
  [[nodiscard]] std::string State(const std::string& path);
  [[nodiscard]] std::optional<std::string> Working(const std::string& path);
  [[nodiscard]] std::vector<Operation> History(const OperationFilter& filter = {});
  [[nodiscard]] Operation ReadOperation(int64_t sequence);
  void ExpectSound();  // fsck finds nothing

  // The agent on branch "main", another agent on "other", and a person on "main".
  CallContext agent_, other_, person_;

 private:
  std::string temporary_;
  std::string root_;
  std::unique_ptr<Env> env_ = NewPosixEnv();
  FormatRegistry formats_ = NewBuiltinRegistry();
  std::unique_ptr<Workspace> workspace_;

 protected:
  [[nodiscard]] Env& env() { return *env_; }
  [[nodiscard]] const FormatRegistry& formats() const { return formats_; }
};

// Fails with the message of the error, if there is one.
#define STAGED_ASSERT_OK(expression)                                      \
  do {                                                                    \
    const auto& outcome_ = (expression);                                  \
    ASSERT_TRUE(outcome_.ok()) << ::staged::testing::MessageOf(outcome_); \
  } while (false)
#define STAGED_EXPECT_CODE(code_expected, expression)                       \
  do {                                                                      \
    const auto& outcome_ = (expression);                                    \
    EXPECT_EQ(::staged::ErrorCodeName(::staged::testing::CodeOf(outcome_)), \
              ::staged::ErrorCodeName(code_expected))                       \
        << ::staged::testing::MessageOf(outcome_);                          \
  } while (false)

inline std::string MessageOf(const Status& status) { return status.ok() ? "" : status.message(); }
template <typename T>
std::string MessageOf(const Result<T>& result) {
  return result.ok() ? "" : result.status().message();
}
inline ErrorCode CodeOf(const Status& status) { return status.code(); }
template <typename T>
ErrorCode CodeOf(const Result<T>& result) {
  return result.ok() ? ErrorCode::kOk : result.status().code();
}
template <typename T>
const Value& DetailsOf(const Result<T>& result) {
  static const Value kNone;
  return result.ok() ? kNone : result.status().details();
}

}  // namespace staged::testing
