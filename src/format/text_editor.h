#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codec/lines.h"
#include "codec/splice.h"
#include "codec/text_encoding.h"
#include "staged/ext/format.h"

// Edits that every text format shares: lines (`line:3-5`) and find and replace.
namespace staged {

// The argument `name` of `edit` as a string. Errors: kInvalidArgument when absent or no string.
[[nodiscard]] Result<std::string> TextArgument(const Edit& edit, std::string_view name);

// Checks `edit.expect` against what is there now; newlines of any kind compare equal, and so do
// texts that differ in one final newline. Errors: kNoMatch with both texts in the details.
[[nodiscard]] Status CheckExpectedText(const Edit& edit, std::string_view actual);

// The names of the edits that TextEditor::Plan understands.
[[nodiscard]] std::vector<std::string> TextEditOps();

// Plans edits on one text file and writes it anew: byte order mark, encoding, newline style and the
// state of the final newline survive. All locators address the text as it was. Borrows `bytes`.
class TextEditor {
 public:
  explicit TextEditor(std::string_view bytes) : decoded_(bytes), lines_(decoded_.text()) {}

  [[nodiscard]] std::string_view text() const { return decoded_.text(); }
  [[nodiscard]] const LineIndex& lines() const { return lines_; }

  // Whether Plan understands the edit: a line locator, or "" with an operation on the whole text.
  [[nodiscard]] static bool Handles(const Edit& edit);
  // replace, insert_before, insert_after, delete of lines; append to the whole text; replace_text
  // in lines or the whole text. Errors: kNoMatch, kAmbiguous, kInvalidArgument, kUnsupportedEdit.
  [[nodiscard]] Status Plan(const Edit& edit);

  // Building blocks for edits of a format's own; offsets are in text().
  // Exact replacement; the caller brings the right newlines.
  [[nodiscard]] Status Replace(ByteSpan span, std::string text);
  // Replaces whole lines by `text`, or puts it before or behind them as lines of its own.
  [[nodiscard]] Status ReplaceLines(LineRange range, std::string_view text);
  [[nodiscard]] Status InsertBefore(size_t line, std::string_view text);
  [[nodiscard]] Status InsertAfter(size_t line, std::string_view text);
  void DeleteLines(LineRange range);
  // Deletes whole lines or rows by their bytes, newline included.
  void DeleteWhole(ByteSpan span);
  // `find` and `replace` of the edit; `all` or `occurrence` (from 1) choose among several matches.
  [[nodiscard]] Status ReplaceText(const Edit& edit, ByteSpan within);

  // The new native bytes.
  [[nodiscard]] Result<std::string> Finish() const;

 private:
  [[nodiscard]] ByteSpan SpanOf(LineRange range) const;
  [[nodiscard]] Status Append(std::string_view text);
  [[nodiscard]] Status PlanLines(const Edit& edit, LineRange range);

  DecodedText decoded_;
  LineIndex lines_;
  SplicePlan plan_;
  bool drops_final_newline_ = false;
};

// The error of one edit of several: names it ("edit 2: ...") and carries its ordinal.
[[nodiscard]] Status InEdit(Status status, size_t index, size_t count);

}  // namespace staged
