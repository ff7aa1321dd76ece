#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "format/text_editor.h"
#include "formats/html/html_records.h"
#include "formats/html/html_source.h"

namespace staged {

// Plans edits of HTML by record and splices them. All locators address the file as it was. The
// result is read again: where it is not exactly what was asked for, the edits are refused.
class HtmlEditor {
 public:
  HtmlEditor(std::string_view bytes, const Limits& limits);
  HtmlEditor(const HtmlEditor&) = delete;
  HtmlEditor& operator=(const HtmlEditor&) = delete;

  // set, replace_text, set_attribute, delete by record; lines as in every text format. Errors:
  // those of Format::Apply.
  [[nodiscard]] Status Plan(const Edit& edit);
  [[nodiscard]] Result<std::string> Finish();

 private:
  [[nodiscard]] Result<size_t> Find(std::string_view locator) const;
  [[nodiscard]] Status PlanText(const Edit& edit, size_t entry);
  [[nodiscard]] Status SetText(const Edit& edit, size_t entry, const std::string& text);
  [[nodiscard]] Status FillEmpty(size_t entry, const std::string& text);
  [[nodiscard]] Status ReplaceInText(const Edit& edit, size_t entry);
  [[nodiscard]] Status ReplaceMatch(const HtmlNode& node, const std::vector<ByteSpan>& sources,
                                    const std::string& replacement);
  [[nodiscard]] Status SetComment(size_t entry, const std::string& text);
  [[nodiscard]] Status PlanAttribute(const Edit& edit, size_t entry);
  [[nodiscard]] Status SetAttribute(const HtmlNode& node, const std::string& name,
                                    const std::string& value);
  [[nodiscard]] Status PlanDelete(size_t entry);
  [[nodiscard]] std::string Markup(const std::string& text, const HtmlNode& node) const;
  [[nodiscard]] Status Splice(ByteSpan span, std::string text);
  void ExpectText(size_t entry, std::string text);
  // Whether `after` is the document with the edits and nothing else.
  [[nodiscard]] bool IsAsPlanned(const std::vector<HtmlEntry>& after) const;
  [[nodiscard]] bool IsTouched(const Record& record) const;

  Limits limits_;
  TextEditor editor_;
  DecodedText decoded_;
  HtmlSource source_;
  std::vector<HtmlEntry> entries_;
  // New ones, by entry; none where several edits make one together.
  std::map<size_t, std::optional<std::string>> texts_;
  std::set<size_t> deleted_;
  std::vector<ByteSpan> spliced_;
  bool has_record_edits_ = false;
  bool has_line_edits_ = false;
};

}  // namespace staged
