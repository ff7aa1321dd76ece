#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "staged/diff.h"

namespace staged {

// Answers, for a record of a diff's `from`, which record of `to` it is. Keeps a pointer to the
// diff.
class Alignment {
 public:
  explicit Alignment(const Diff& diff);

  struct Counterpart {
    size_t index = kNoRecord;        // among to's records; kNoRecord: deleted, or out of range
    const Change* change = nullptr;  // nullptr: kept
    const KeptRun* run = nullptr;    // the run that keeps it
  };
  [[nodiscard]] Counterpart Find(size_t before_index) const;
  // The record on to's side, made from the one on from's side; nullopt when deleted.
  [[nodiscard]] std::optional<Record> Locate(size_t before_index, const Record& before) const;

 private:
  std::vector<const KeptRun*> runs_;  // by before_index
  std::unordered_map<size_t, const Change*> changes_;
};

}  // namespace staged
