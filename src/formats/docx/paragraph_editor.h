#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "codec/text_elements.h"
#include "codec/xml_tree.h"
#include "formats/docx/inline_reader.h"
#include "staged/limits.h"
#include "staged/status.h"

namespace staged::docx {

// The source of one paragraph, changed in place: what an edit does not name keeps its bytes. Not
// thread-safe.
class ParagraphEditor {
 public:
  // `xml` is a whole w:p; `bindings` the namespace declarations around it.
  ParagraphEditor(std::string xml, XmlBindings bindings, const Limits& limits);
  ParagraphEditor(const ParagraphEditor&) = delete;
  ParagraphEditor& operator=(const ParagraphEditor&) = delete;

  [[nodiscard]] const std::string& xml() const { return xml_; }
  [[nodiscard]] const std::string& text() const { return content_.text; }
  [[nodiscard]] const InlineContent& content() const { return content_; }
  [[nodiscard]] const XmlTree& tree() const { return *tree_; }

  // Applies sorted, disjoint replacements. New text takes the format of the first character that it
  // replaces; in an empty paragraph that of the paragraph mark. Tabs, newlines and U+2011 become
  // their elements. Errors: kInvalidArgument (not at character borders, or a character that XML
  // cannot hold), kUnsupportedEdit (an equation would be cut).
  [[nodiscard]] Status Replace(const std::vector<TextReplacement>& replacements);

 private:
  void Reread();

  std::string xml_;
  const XmlBindings bindings_;
  const Limits limits_;
  std::unique_ptr<XmlTree> tree_;
  InlineContent content_;
};

// Text as the inside of a w:t of that prefix ("w:" or ""); what is no plain character closes the
// w:t, stands as its own element, and opens the next one.
[[nodiscard]] std::string RunText(std::string_view text, std::string_view prefix);
// A whole run's text: RunText in its w:t.
[[nodiscard]] std::string RunTextElement(std::string_view text, std::string_view prefix);
// A w:rPr without tracked changes and without what marks the paragraph only; "" for kNone.
[[nodiscard]] std::string PlainRunProperties(const XmlTree& tree, uint32_t run_properties);
}  // namespace staged::docx
