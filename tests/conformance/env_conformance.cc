#include "tests/conformance/env_conformance.h"

#include <utility>

namespace staged {

void EnvConformance::SetUp() {
  under_test_ = GetParam().make();
  ASSERT_NE(under_test_, nullptr);
  auto root = env().OpenDirectory(under_test_->path());
  ASSERT_TRUE(root.ok()) << root.status().message();
  root_ = std::move(root).value();
}

void EnvConformance::Write(Directory& directory, const std::string& path, std::string_view bytes) {
  auto file = directory.Create(path, 0644);
  if (CodeOf(file) == ErrorCode::kConflict) file = directory.OpenWrite(path);
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_OK((*file)->WriteAt(0, bytes));
  EXPECT_OK((*file)->Truncate(bytes.size()));
}

std::string EnvConformance::Read(Directory& directory, const std::string& path) {
  auto bytes = directory.ReadFile(path, 1 << 30);
  return bytes.ok() ? *bytes : "<" + std::string(ErrorCodeName(bytes.status().code())) + ">";
}

std::string EnvConformance::Names(const std::string& path) {
  auto items = root().List(path);
  if (!items.ok()) return "<" + std::string(ErrorCodeName(items.status().code())) + ">";
  std::string names;
  for (const DirectoryItem& item : *items) names += (names.empty() ? "" : " ") + item.name;
  return names;
}

void EnvConformance::MakeDirectory(const std::string& path) {
  EXPECT_OK(root().MakeDirectory(path, 0755));
}

// Some program may have no implementation to test.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EnvConformance);

}  // namespace staged
