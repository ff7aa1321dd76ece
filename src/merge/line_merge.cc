#include "merge/line_merge.h"

#include <git2.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "diff/align.h"
#include "diff/fingerprint.h"
#include "merge/lines.h"

namespace staged {
namespace {

// The library counts its users; the last one out frees its memory.
class LibgitUse {
 public:
  LibgitUse() { git_libgit2_init(); }
  ~LibgitUse() { git_libgit2_shutdown(); }
  LibgitUse(const LibgitUse&) = delete;
  LibgitUse& operator=(const LibgitUse&) = delete;
};

struct MergedFile {
  bool clean = false;
  std::string bytes;
};

struct Sides {
  std::string_view base, left, right;
};

std::optional<MergedFile> RunMerge(const Sides& sides, git_merge_file_options options) {
  const auto input = [](std::string_view bytes) {
    git_merge_file_input made = GIT_MERGE_FILE_INPUT_INIT;
    made.ptr = bytes.data() == nullptr ? "" : bytes.data();
    made.size = bytes.size();
    return made;
  };
  const git_merge_file_input base = input(sides.base), left = input(sides.left),
                             right = input(sides.right);
  git_merge_file_result result = {};
  if (git_merge_file(&result, &base, &left, &right, &options) != 0) return std::nullopt;
  MergedFile merged{result.automergeable != 0, std::string(result.ptr, result.len)};
  git_merge_file_result_free(&result);
  return merged;
}

// A marker longer than any run of its characters that begins a line of the inputs.
std::optional<uint16_t> UnambiguousMarkerSize(const Sides& sides) {
  size_t longest = GIT_MERGE_CONFLICT_MARKER_SIZE;
  for (std::string_view text : {sides.base, sides.left, sides.right}) {
    for (std::string_view line : LinesWithEnds(text)) {
      const char first = line[0];
      if (first != '<' && first != '|' && first != '=' && first != '>') continue;
      longest = std::max(longest, std::min(line.find_first_not_of(first), line.size()));
    }
  }
  if (longest >= UINT16_MAX) return std::nullopt;
  return static_cast<uint16_t>(longest + 1);
}

struct Region {
  std::string base, left, right;
  size_t base_line = 0;  // line of the text with base's side taken, from 0
};

struct ParsedMerge {
  std::vector<Region> regions;
  std::string with_base;  // the merged text with every conflict resolved to base
};

ParsedMerge ParseRegions(std::string_view text, size_t marker_size) {
  ParsedMerge parsed;
  size_t line_count = 0;
  std::string* side = nullptr;
  const auto is_marker = [&](std::string_view line, char byte) {
    return line.size() > marker_size && line.find_first_not_of(byte) == marker_size;
  };
  for (std::string_view line : LinesWithEnds(text)) {
    if (is_marker(line, '<')) {
      parsed.regions.emplace_back().base_line = line_count;
      side = &parsed.regions.back().left;
    } else if (side != nullptr && is_marker(line, '|')) {
      side = &parsed.regions.back().base;
    } else if (side != nullptr && is_marker(line, '=')) {
      side = &parsed.regions.back().right;
    } else if (side != nullptr && is_marker(line, '>')) {
      side = nullptr;
      parsed.with_base += parsed.regions.back().base;
      line_count += LinesWithEnds(parsed.regions.back().base).size();
    } else if (side != nullptr) {
      side->append(line);
    } else {
      parsed.with_base.append(line);
      ++line_count;
    }
  }
  return parsed;
}

std::vector<uint64_t> Fingerprints(std::string_view text) {
  std::vector<uint64_t> fingerprints;
  for (std::string_view line : LinesWithoutEnds(text)) {
    fingerprints.push_back(FingerprintText(0, line));
  }
  return fingerprints;
}

std::string LineLocator(size_t first, size_t count) {
  std::string locator = "line:" + std::to_string(first + 1);
  if (count > 1) locator += "-" + std::to_string(first + count);
  return locator;
}

std::vector<MergeConflict> Conflicts(const ParsedMerge& parsed, std::string_view base) {
  // Where the lines of the text with base's side stand in base itself.
  std::vector<size_t> line_in_base(LinesWithEnds(parsed.with_base).size() + 1, SIZE_MAX);
  for (const MatchedPair& pair :
       AlignSequences(Fingerprints(parsed.with_base), Fingerprints(base))) {
    line_in_base[pair.left] = pair.right;
  }
  std::vector<MergeConflict> conflicts;
  for (const Region& region : parsed.regions) {
    MergeConflict conflict;
    const size_t count = LinesWithEnds(region.base).size();
    size_t first = std::min(region.base_line, line_in_base.size() - 1);
    if (line_in_base[first] != SIZE_MAX) {
      first = line_in_base[first];
    } else {
      while (first > 0 && line_in_base[first] == SIZE_MAX) --first;
      first = line_in_base[first] == SIZE_MAX ? 0 : line_in_base[first] + 1;
    }
    conflict.locator = LineLocator(first, count);
    conflict.kind = region.base.empty()                           ? "insert_insert"
                    : region.left.empty() || region.right.empty() ? "delete_modify"
                                                                  : "edit_edit";
    const auto value = [](const std::string& text) { return text.empty() ? Value() : Value(text); };
    conflict.base = value(region.base);
    conflict.left = value(region.left);
    conflict.right = value(region.right);
    conflicts.push_back(std::move(conflict));
  }
  return conflicts;
}

bool EndsWithoutNewline(std::string_view text) { return !text.empty() && text.back() != '\n'; }

Result<std::string> Resolve(const Sides& sides, const ParsedMerge& parsed,
                            const MergeOptions& options) {
  if (options.on_conflict == OnConflict::kReport) return std::string();
  if (options.on_conflict == OnConflict::kBase) {
    std::string bytes = parsed.with_base;
    if (EndsWithoutNewline(sides.base) && !bytes.empty() && bytes.back() == '\n') bytes.pop_back();
    return bytes;
  }
  git_merge_file_options git_options = GIT_MERGE_FILE_OPTIONS_INIT;
  git_options.our_label = options.left_label.c_str();
  git_options.their_label = options.right_label.c_str();
  git_options.ancestor_label = "base";
  if (options.on_conflict == OnConflict::kLeft) git_options.favor = GIT_MERGE_FILE_FAVOR_OURS;
  if (options.on_conflict == OnConflict::kRight) git_options.favor = GIT_MERGE_FILE_FAVOR_THEIRS;
  std::optional<MergedFile> merged = RunMerge(sides, git_options);
  if (!merged) {
    return Status(ErrorCode::kLimitExceeded,
                  "the conflicts cannot be resolved by lines; take a whole side instead");
  }
  return std::move(merged->bytes);
}

MergeConflict WholeFile() {
  MergeConflict conflict;
  conflict.kind = "whole_file";
  conflict.locator = "file";
  return conflict;
}

}  // namespace

Result<LineMergeResult> MergeLines(std::string_view base, std::string_view left,
                                   std::string_view right, const MergeOptions& options) {
  const LibgitUse use;
  const Sides sides{base, left, right};
  git_merge_file_options git_options = GIT_MERGE_FILE_OPTIONS_INIT;
  git_options.flags = GIT_MERGE_FILE_STYLE_DIFF3;
  git_options.ancestor_label = "base";
  git_options.our_label = "left";
  git_options.their_label = "right";
  const std::optional<uint16_t> marker_size = UnambiguousMarkerSize(sides);
  if (marker_size) git_options.marker_size = *marker_size;
  std::optional<MergedFile> merged =
      marker_size ? RunMerge(sides, git_options) : std::optional<MergedFile>();
  if (!merged) {
    return Status(ErrorCode::kLimitExceeded,
                  "the texts are too large or too strange to be merged by lines; take a side");
  }
  LineMergeResult result;
  if (merged->clean) {
    result.clean = LinesAreAccountedFor(base, left, right, merged->bytes);
    if (result.clean) {
      result.bytes = std::move(merged->bytes);
    } else {
      result.conflicts.push_back(WholeFile());
    }
    return result;
  }
  const ParsedMerge parsed = ParseRegions(merged->bytes, *marker_size);
  result.conflicts = Conflicts(parsed, base);
  if (result.conflicts.empty()) result.conflicts.push_back(WholeFile());
  STAGED_ASSIGN_OR_RETURN(result.bytes, Resolve(sides, parsed, options));
  return result;
}

}  // namespace staged
