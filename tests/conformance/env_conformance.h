#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "staged/ext/env.h"

// What every Env must do, whatever it is made of. An implementation's test instantiates the suite:
//   INSTANTIATE_TEST_SUITE_P(Mine, EnvConformance, testing::Values(EnvCase{"Mine", MakeMine}),
//   ...);
namespace staged {

// An Env with an empty directory to work in, which goes away with this object.
class EnvUnderTest {
 public:
  virtual ~EnvUnderTest() = default;
  virtual Env& env() = 0;
  [[nodiscard]] virtual const std::string& path() const = 0;  // of the empty directory
};

struct EnvCase {
  std::string name;
  std::function<std::unique_ptr<EnvUnderTest>()> make;
  bool exchanges_directories = true;

  friend void PrintTo(const EnvCase& env_case, std::ostream* stream) { *stream << env_case.name; }
};

class EnvConformance : public testing::TestWithParam<EnvCase> {
 protected:
  void SetUp() override;

  Env& env() { return under_test_->env(); }
  Directory& root() { return *root_; }
  [[nodiscard]] std::string PathOf(const std::string& name) const {
    return under_test_->path() + "/" + name;
  }

  // Makes a file or overwrites it from its beginning.
  static void Write(Directory& directory, const std::string& path, std::string_view bytes);
  void Write(const std::string& path, std::string_view bytes) { Write(root(), path, bytes); }
  // The file's bytes, or the error's name in angle brackets.
  static std::string Read(Directory& directory, const std::string& path);
  std::string Read(const std::string& path) { return Read(root(), path); }
  // The names in a directory, separated by spaces.
  std::string Names(const std::string& path);
  void MakeDirectory(const std::string& path);

 private:
  std::unique_ptr<EnvUnderTest> under_test_;
  std::unique_ptr<Directory> root_;
};

#define EXPECT_OK(expression)                                     \
  do {                                                            \
    const ::staged::Status status_of_call = (expression);         \
    EXPECT_TRUE(status_of_call.ok()) << status_of_call.message(); \
  } while (false)
#define EXPECT_CODE(expression, expected) \
  EXPECT_EQ(::staged::CodeOf(expression), ::staged::ErrorCode::expected)

inline ErrorCode CodeOf(const Status& status) { return status.code(); }
template <typename T>
ErrorCode CodeOf(const Result<T>& result) {
  return result.status().code();
}

}  // namespace staged
