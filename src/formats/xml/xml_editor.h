#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "format/text_editor.h"
#include "formats/xml/xml_document.h"

namespace staged {

// Plans edits of XML by element path and splices them. All locators address the file as it was. The
// result is read again: where it is not exactly what was asked for, the edits are refused.
class XmlEditor {
 public:
  XmlEditor(std::string_view bytes, const Limits& limits);
  XmlEditor(const XmlEditor&) = delete;
  XmlEditor& operator=(const XmlEditor&) = delete;

  // set, replace_text, insert_before, insert_after, append, delete, rename by path; lines as in
  // every text format. Errors: those of Format::Apply.
  [[nodiscard]] Status Plan(const Edit& edit);
  [[nodiscard]] Result<std::string> Finish();

 private:
  [[nodiscard]] Result<uint32_t> Find(std::string_view locator) const;
  [[nodiscard]] Status PlanText(const Edit& edit, uint32_t index);
  [[nodiscard]] Status SetText(const Edit& edit, uint32_t index, const std::string& text);
  [[nodiscard]] std::string InNewlines(const std::string& text) const;
  [[nodiscard]] Status AddAttribute(const Edit& edit);
  [[nodiscard]] Status PlanInsert(const Edit& edit, uint32_t index);
  [[nodiscard]] Status PlanAppend(const Edit& edit, uint32_t index);
  [[nodiscard]] Status PlanDelete(uint32_t index);
  [[nodiscard]] Status PlanRename(const Edit& edit, uint32_t index);
  // The element that an edit brings, as "xml" or as "name", "text" and "attributes".
  [[nodiscard]] Result<std::string> NewElement(const Edit& edit) const;
  [[nodiscard]] bool IsOnOwnLines(const XmlPart& part) const;
  [[nodiscard]] std::string LineIndent(uint64_t offset) const;
  [[nodiscard]] uint64_t TagEnd(const XmlPart& element) const;  // of "/>", or of ">"

  // What the document says: a line an element with its character data, and one an attribute.
  using Shape = std::vector<std::string>;
  [[nodiscard]] Shape ShapeOf(const XmlDocument& document) const;
  void AppendShape(const XmlDocument& document, uint32_t part, size_t depth, Shape& shape) const;

  Limits limits_;
  TextEditor editor_;
  std::string_view text_;
  XmlDocument document_;
  std::string newline_;
  std::map<uint32_t, std::string> texts_;  // new ones
  std::map<uint32_t, std::string> names_;  // new ones
  std::set<uint32_t> deleted_;
  std::map<uint32_t, std::vector<std::string>> inserted_;        // elements before a part
  std::map<uint32_t, std::vector<std::string>> appended_;        // elements at a part's end
  std::map<uint32_t, std::vector<std::string>> new_attributes_;  // "name=text"
  bool has_path_edits_ = false;
  bool has_line_edits_ = false;
};

}  // namespace staged
