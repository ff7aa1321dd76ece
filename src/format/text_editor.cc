#include "format/text_editor.h"

#include <algorithm>

#include "format/text_matches.h"

namespace staged {
namespace {

constexpr size_t kShownBytesMax = 200;  // of a text inside an error's details

std::string_view WithoutFinalNewline(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

std::string Shown(std::string_view text) { return std::string(text.substr(0, kShownBytesMax)); }

}  // namespace

Result<std::string> TextArgument(const Edit& edit, std::string_view name) {
  const Value* value = edit.arguments.Find(name);
  if (value == nullptr || !value->is_string()) {
    return Status(ErrorCode::kInvalidArgument, "the edit '" + edit.op + "' at '" + edit.locator +
                                                   "' needs a string \"" + std::string(name) +
                                                   "\"");
  }
  return value->as_string();
}

Status CheckExpectedText(const Edit& edit, std::string_view actual) {
  if (!edit.expect) return OkStatus();
  if (!edit.expect->is_string()) {
    return Status(ErrorCode::kInvalidArgument,
                  "\"expect\" of the edit at '" + edit.locator + "' must be a string");
  }
  const std::string expected = WithNewlines(edit.expect->as_string(), Newline::kLineFeed);
  const std::string found = WithNewlines(actual, Newline::kLineFeed);
  if (WithoutFinalNewline(expected) == WithoutFinalNewline(found)) return OkStatus();
  Value details;
  details.Set("expected", Shown(expected));
  details.Set("actual", Shown(found));
  return Status(ErrorCode::kNoMatch,
                "'" + edit.locator + "' is not what the edit expects; read it again and repeat",
                std::move(details));
}

std::vector<std::string> TextEditOps() {
  return {"replace", "replace_text", "insert_before", "insert_after", "append", "delete"};
}

bool TextEditor::Handles(const Edit& edit) {
  if (IsLineLocator(edit.locator)) return true;
  return edit.locator.empty() && (edit.op == "replace_text" || edit.op == "append");
}

ByteSpan TextEditor::SpanOf(LineRange range) const {
  return {lines_.Span(range.first).begin, lines_.Span(range.last).end};
}

Status TextEditor::Plan(const Edit& edit) {
  if (edit.locator.empty()) {
    if (edit.op == "replace_text") return ReplaceText(edit, {0, text().size()});
    if (edit.op == "append") {
      STAGED_ASSIGN_OR_RETURN(const std::string added, TextArgument(edit, "text"));
      return Append(added);
    }
    return Status(ErrorCode::kUnsupportedEdit, "'" + edit.op +
                                                   "' needs a locator such as line:3; the whole "
                                                   "file takes replace_text and append");
  }
  STAGED_ASSIGN_OR_RETURN(const LineRange range, ParseLineLocator(edit.locator, lines_.count()));
  return PlanLines(edit, range);
}

Status TextEditor::PlanLines(const Edit& edit, LineRange range) {
  const ByteSpan span = SpanOf(range);
  STAGED_RETURN_IF_ERROR(CheckExpectedText(edit, text().substr(span.begin, span.end - span.begin)));
  if (edit.op == "delete") {
    DeleteLines(range);
    return OkStatus();
  }
  if (edit.op == "replace_text") return ReplaceText(edit, span);
  if (edit.op != "replace" && edit.op != "insert_before" && edit.op != "insert_after") {
    return Status(ErrorCode::kUnsupportedEdit,
                  "lines cannot be edited with '" + edit.op +
                      "'; use replace, replace_text, insert_before, insert_after or delete");
  }
  STAGED_ASSIGN_OR_RETURN(const std::string text, TextArgument(edit, "text"));
  if (edit.op == "replace") return ReplaceLines(range, text);
  return edit.op == "insert_before" ? InsertBefore(range.first, text)
                                    : InsertAfter(range.last, text);
}

Status TextEditor::Replace(ByteSpan span, std::string text) {
  STAGED_RETURN_IF_ERROR(decoded_.CheckInsertable(text));
  plan_.Replace(span.begin, span.end, std::move(text));
  return OkStatus();
}

Status TextEditor::ReplaceLines(LineRange range, std::string_view text) {
  std::string lines = WithNewlines(WithoutFinalNewline(text), lines_.dominant());
  const ByteSpan span = SpanOf(range);
  const size_t newline_size = NewlineBytes(lines_.NewlineOf(this->text(), range.last)).size();
  return Replace({span.begin, span.end - newline_size}, std::move(lines));
}

Status TextEditor::InsertBefore(size_t line, std::string_view text) {
  std::string lines = WithNewlines(WithoutFinalNewline(text), lines_.dominant());
  lines.append(NewlineBytes(lines_.dominant()));
  const uint64_t at = lines_.Span(line).begin;
  return Replace({at, at}, std::move(lines));
}

Status TextEditor::InsertAfter(size_t line, std::string_view text) {
  if (line + 1 < lines_.count()) return InsertBefore(line + 1, text);
  return Append(text);
}

Status TextEditor::Append(std::string_view text) {
  const std::string_view newline = NewlineBytes(lines_.dominant());
  std::string lines = WithNewlines(WithoutFinalNewline(text), lines_.dominant());
  if (lines_.count() > 0 && !lines_.has_final_newline()) {
    lines.insert(0, newline);
  } else {
    lines.append(newline);
  }
  const uint64_t end = this->text().size();
  return Replace({end, end}, std::move(lines));
}

void TextEditor::DeleteLines(LineRange range) { DeleteWhole(SpanOf(range)); }

void TextEditor::DeleteWhole(ByteSpan span) {
  plan_.Replace(span.begin, span.end, "");
  // The line before becomes the last one and must not gain a final newline that the file never had.
  if (span.end == text().size() && !lines_.has_final_newline()) drops_final_newline_ = true;
}

Status TextEditor::ReplaceText(const Edit& edit, ByteSpan within) {
  STAGED_ASSIGN_OR_RETURN(const std::string replace, TextArgument(edit, "replace"));
  const std::string_view inside = text().substr(within.begin, within.end - within.begin);
  STAGED_ASSIGN_OR_RETURN(const std::vector<ByteSpan> found,
                          TextMatches(edit, inside, lines_.dominant()));
  const std::string replacement = WithNewlines(replace, lines_.dominant());
  for (const ByteSpan& match : found) {
    STAGED_RETURN_IF_ERROR(
        Replace({within.begin + match.begin, within.begin + match.end}, replacement));
  }
  return OkStatus();
}

Result<std::string> TextEditor::Finish() const {
  STAGED_ASSIGN_OR_RETURN(std::string edited, plan_.Apply(text()));
  if (drops_final_newline_) edited.resize(WithoutFinalNewline(edited).size());
  return decoded_.Encode(edited);
}

Status InEdit(Status status, size_t index, size_t count) {
  if (status.ok() || count == 1) return status;
  Value details = status.details();
  if (details.is_null() || details.is_object()) details.Set("edit", index + 1);
  return Status(status.code(), "edit " + std::to_string(index + 1) + ": " + status.message(),
                std::move(details));
}

}  // namespace staged
