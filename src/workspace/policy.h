#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "staged/status.h"

namespace staged {

struct DataTree;

enum class ReviewPolicy : uint8_t { kAny = 1, kHuman = 2, kNone = 3 };
enum class ValidatePolicy : uint8_t { kOff = 1, kRequired = 2 };    // required: parsed, no error
enum class ParsePolicy : uint8_t { kRecorded = 1, kRequired = 2 };  // required: no failure passes
enum class MergePolicy : uint8_t { kAuto = 1, kReject = 2 };

struct PathPolicy {
  ReviewPolicy review = ReviewPolicy::kAny;
  ValidatePolicy validate = ValidatePolicy::kOff;
  ParsePolicy parse = ParsePolicy::kRecorded;
  MergePolicy merge = MergePolicy::kAuto;
};

// A policy file (TOML): [[rule]] tables, each with `paths` (a list of globs) and any of review =
// "any" | "human" | "none", validate = "off" | "required", parse = "recorded" | "required", merge =
// "auto" | "reject". Later rules win, member by member.
class Policy {
 public:
  // Errors: kInvalidArgument with the line.
  [[nodiscard]] static Result<Policy> Parse(std::string_view text);
  [[nodiscard]] PathPolicy For(std::string_view path) const;

 private:
  struct Rule {
    std::vector<std::string> paths;
    std::optional<ReviewPolicy> review;
    std::optional<ValidatePolicy> validate;
    std::optional<ParsePolicy> parse;
    std::optional<MergePolicy> merge;
  };
  Status AddRule(const DataTree& tree, uint32_t table);

  std::vector<Rule> rules_;
};

}  // namespace staged
