#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "staged/diff.h"
#include "staged/ext/format.h"

namespace staged {

// A conflict is a value. kind: edit_edit, delete_modify, move_move, insert_insert, whole_file.
struct MergeConflict {
  std::string kind;
  std::string locator;
  Value base, left, right;  // text or typed value; null where absent
};

enum class OnConflict : uint8_t { kReport = 0, kLeft = 1, kRight = 2, kBase = 3, kMarkers = 4 };

struct MergeOptions {
  OnConflict on_conflict = OnConflict::kReport;
  std::string left_label = "left";
  std::string right_label = "right";
  Limits limits;
};

// Clean bytes or typed conflicts. Clean never means lossy: the merged bytes were parsed again and
// hold every change of both sides (contract rule 12).
struct MergeResult {
  bool clean = false;
  std::string method;  // "identical", "one_side", "lines", "records", "whole_file"
  std::string bytes;   // meaningful when clean, or when on_conflict decided
  std::vector<std::string> rewritten_members;
  std::vector<MergeConflict> conflicts;
};

// Three-way merge of native files of one format. `path` helps detection. Errors: kLimitExceeded,
// kUnsupportedEdit (markers asked for in what is no text); what cannot be merged is a conflict of
// kind whole_file, not an error.
[[nodiscard]] Result<MergeResult> Merge(const FormatRegistry& registry, std::string_view path,
                                        std::string_view base, std::string_view left,
                                        std::string_view right, const MergeOptions& options);

}  // namespace staged
