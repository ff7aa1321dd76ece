#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "staged/ext/format.h"
#include "staged/view.h"

namespace staged {

enum class ChangeOp : uint8_t { kInsert = 1, kDelete = 2, kModify = 3, kMove = 4, kMoveModify = 5 };

// The position of what is no record of a view: changes of a part and of a grid's rows and columns
// have neither before_index nor after_index.
inline constexpr size_t kNoRecord = SIZE_MAX;

// "insert", "delete", "modify", "move", "move_modify".
[[nodiscard]] std::string_view ChangeOpName(ChangeOp op);
// "content", "format", "structure", "derived", "serialization", "opaque".
[[nodiscard]] std::string_view ChangeClassName(ChangeClass change_class);

// A run of words replaced inside a text; byte offsets into before.text and after.text.
struct TextReplacement {
  ByteSpan before;
  ByteSpan after;
};

struct Change {
  std::string id;  // "c1", unique in the diff, deterministic
  ChangeOp op = ChangeOp::kModify;
  std::string kind;  // the record kind; "part" for opaque and serialization changes, whose records
                     // carry the part's digest and size; "row", "column": a line of a grid
                     // with its cells' texts, the cause of its cells' own changes
  std::vector<std::string> facets;  // not empty on modify and move_modify
  ChangeClass change_class = ChangeClass::kContent;
  std::optional<Record> before;  // absent only for insert
  std::optional<Record> after;   // absent only for delete
  size_t before_index = 0;       // position of `before` among from's records
  size_t after_index = 0;        // position of `after` among to's records
  std::vector<TextReplacement> text_changes;
  std::string context;    // heading, sheet, symbol: where a reader would look
  std::string caused_by;  // id of the change this one follows from, or ""
};

struct DiffSummary {
  size_t insertions = 0, deletions = 0, modifications = 0, moves = 0;
  size_t derived = 0, serialization = 0, opaque = 0;
};

// Where a record stands, as opposed to what it says.
struct Placement {
  std::string locator;
  std::string parent;
  std::string key;
  std::optional<ByteSpan> span;
  friend bool operator==(const Placement&, const Placement&) = default;
};

// "p:7" -> "p:8" for every record of a run: the number_index-th decimal number (from 0) of the text
// grows by `delta`; a delta of 0 leaves the text as it is.
struct NumberShift {
  uint32_t number_index = 0;
  int64_t delta = 0;
  friend bool operator==(const NumberShift&, const NumberShift&) = default;
};

// Consecutive records that both sides have and that say the same. Only their places may differ: an
// insertion shifts the spans and ordinals behind it, which is no change to a reader but must be
// known to make `to`'s records exactly. One run holds as long as the shifts are the same.
struct KeptRun {
  size_t before_index = 0;
  size_t after_index = 0;
  size_t count = 0;
  int64_t span_begin_shift = 0;
  int64_t span_end_shift = 0;
  NumberShift locator, parent, key;
  // Both places in full, where no shift expresses them; only with count == 1.
  std::optional<std::pair<Placement, Placement>> placements;
};

// An edit script with (from, to): applied to from's records it gives to's (contract rules 9, 10).
struct Diff {
  std::optional<ContentHash> from;  // absent: the file did not exist
  std::optional<ContentHash> to;
  std::string format;
  ParserVersion parser;
  bool identical = false;  // equal hashes
  std::vector<Change> changes;
  DiffSummary summary;
  size_t from_record_count = 0;
  size_t to_record_count = 0;
  // Everything of `to` that no change holds, in order of after_index: with the changes' records it
  // covers each side exactly once.
  std::vector<KeptRun> kept;
};

// Version of the diff's algorithm and encoding; part of what a receipt names.
inline constexpr std::string_view kDiffVersion = "1";

// The structural difference of two views. Different hashes never give an empty diff: what records
// do not show is reported by part. Views of two formats are compared as whole files. Near-linear.
[[nodiscard]] Diff ComputeDiff(const View& from, const View& to, const Profile& profile);
// A file that appeared or went: one insert or delete for every record (nullptr: absent side).
[[nodiscard]] Diff ComputeWholeFileDiff(const View* from, const View* to);

// Applies the script. Errors: kInvalidArgument when `records` are not those of diff.from.
[[nodiscard]] Result<std::vector<Record>> ApplyDiff(const Diff& diff,
                                                    const std::vector<Record>& records);
[[nodiscard]] Diff InvertDiff(const Diff& diff);

// Digest of a canonical encoding of the diff: what a receipt binds a reviewer to.
[[nodiscard]] ContentHash DiffHash(const Diff& diff);

// For people: a summary line, then one line a change, "-" and "+" sides, within `budget_bytes`
// (0: no limit); says exactly how much was left out.
[[nodiscard]] std::string RenderDiffText(const Diff& diff, std::string_view path,
                                         size_t budget_bytes);

}  // namespace staged
