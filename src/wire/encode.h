#pragma once

#include <string_view>

#include "staged/diff.h"
#include "staged/ext/format.h"
#include "staged/merge.h"
#include "staged/workspace.h"

// The JSON shapes of public types (docs/cli.md). One function a type; nothing else names a member.
namespace staged {

[[nodiscard]] Value EncodeHash(const BaseHash& hash);  // null for none
[[nodiscard]] Value EncodeError(const Status& status);
[[nodiscard]] Value EncodeRecord(const Record& record, const Profile* profile);
// Everything of a view but its records.
[[nodiscard]] Value EncodeViewHead(const View& view, std::string_view path, Freshness freshness);
[[nodiscard]] Value EncodeParts(const View& view);
[[nodiscard]] Value EncodeDiagnostics(const View& view);
[[nodiscard]] Value EncodeDiff(const Diff& diff, std::string_view from_path,
                               std::string_view to_path);
[[nodiscard]] Value EncodeMerge(const MergeResult& merge);
[[nodiscard]] Value EncodeStagedChange(const StagedChange& change);
[[nodiscard]] Value EncodeStatus(const StatusReport& report);
[[nodiscard]] Value EncodeSkipped(const std::vector<SkippedPath>& skipped);
[[nodiscard]] Value EncodeReview(const ReviewAnswer& review);
[[nodiscard]] Value EncodeSubmit(const SubmitAnswer& submit);
[[nodiscard]] Value EncodeConflicts(const std::vector<PathConflict>& conflicts);
[[nodiscard]] Value EncodeRebase(const RebaseAnswer& rebase);
[[nodiscard]] Value EncodeSync(const SyncAnswer& sync);
[[nodiscard]] Value EncodeUndo(const UndoAnswer& undo);
[[nodiscard]] Value EncodeSearch(const SearchAnswer& answer);
[[nodiscard]] Value EncodeOperationRow(const Operation& operation);
[[nodiscard]] Value EncodeOperationWhole(const Operation& operation);
[[nodiscard]] Value EncodeFsck(const FsckReport& report);
[[nodiscard]] Value EncodeStore(const StoreReport& report);

// An edits file: [{"op", "locator", "expect"?, ...}, ...]. Errors: kInvalidArgument.
[[nodiscard]] Result<std::vector<Edit>> DecodeEdits(const Value& value);
// The same from the file's text. Numbers in a "value" that neither an int64 nor a double's shortest
// text says exactly (30 digits, 1.0, 1e5) come along digit by digit: the edit then also has the
// argument "json", the value's text as it was written, which formats that hold JSON prefer.
[[nodiscard]] Result<std::vector<Edit>> ParseEdits(std::string_view text);

[[nodiscard]] std::string_view FreshnessName(Freshness freshness);
// ISO 8601 in UTC, milliseconds: "2026-01-31T12:00:00.000Z".
[[nodiscard]] std::string FormatTime(int64_t time_ns);

}  // namespace staged
