#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "staged/ext/journal.h"

// What every journal must do, whatever database it is made of. An implementation's test does
//   INSTANTIATE_TEST_SUITE_P(Sqlite, JournalConformanceTest, testing::Values(factory));
namespace staged {

// A fresh, empty place for a journal. `Open` may be called several times: each call gives another
// Journal on the same data, as another process would have it.
class JournalFixture {
 public:
  virtual ~JournalFixture() = default;
  virtual Result<std::unique_ptr<Journal>> Open() = 0;
};

struct JournalFactory {
  std::string name;
  std::function<std::unique_ptr<JournalFixture>()> make;
};

class JournalConformanceTest : public testing::TestWithParam<JournalFactory> {
 protected:
  void SetUp() override;

  std::unique_ptr<JournalFixture> fixture_;
  std::unique_ptr<Journal> journal_;
};

// An operation with every field set, different for each `number`.
[[nodiscard]] Operation SampleOperation(int number);
[[nodiscard]] Entry SampleEntry(const std::string& content);

}  // namespace staged
