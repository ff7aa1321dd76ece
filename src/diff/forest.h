#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "diff/segment_pairing.h"
#include "staged/ext/format.h"
#include "staged/view.h"

namespace staged {

inline constexpr uint32_t kNoNode = UINT32_MAX;

// A record of one side with its place in the tree that parents make.
struct DiffNode {
  Record record;
  size_t index = 0;           // among all records of the view
  uint32_t segment = 0;       // position among the view's segments
  uint32_t parent = kNoNode;  // node of the containing record, when it is in the forest
  uint32_t match = kNoNode;   // node of the other side
  bool keyed = false;
  uint64_t grid_content = 0;  // of a cell of a grid, whatever its formula refers to; else 0
  bool moved = false;
  uint64_t content = 0;  // fingerprint of what the record says
  uint64_t subtree = 0;  // ... and of everything below it
  std::vector<uint32_t> children;
};

// The records of a view that are not skipped, as a forest. A parent that is not among them is known
// by its locator only.
struct DiffForest {
  std::vector<DiffNode> nodes;
  std::vector<uint32_t> roots;
};

// Rules of a profile by kind.
class KindRules {
 public:
  explicit KindRules(const Profile& profile);
  [[nodiscard]] const KindRule* Find(const std::string& kind) const;  // nullptr if unknown
  [[nodiscard]] bool IsKeyed(const Record& record) const;
  // What a cell of a grid says, for aligning rows: not what its formula computes, nor which cells
  // that refers to. 0 for all other records.
  [[nodiscard]] uint64_t GridContent(const Record& record) const;

 private:
  std::unordered_map<std::string, const KindRule*> rules_;
};

[[nodiscard]] DiffForest BuildForest(const View& view, const std::vector<SkippedRecords>& skipped,
                                     const KindRules& rules);

}  // namespace staged
