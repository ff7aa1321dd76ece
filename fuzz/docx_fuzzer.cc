#include <cstdlib>

#include "codec/xml_tree.h"
#include "formats/docx/docx_format.h"
#include "formats/docx/paragraph_editor.h"
#include "formats/docx/word_names.h"

// Any bytes as a paragraph: an edit changes the text as asked and leaves well-formed XML. Any bytes
// as a file: parse and edit end in an answer.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const staged::Limits limits{.expanded_bytes_max = 32 << 20, .part_bytes_max = 16 << 20};
  if (bytes.starts_with("PK")) {
    const auto format = staged::NewDocxFormat();
    static_cast<void>(format->Parse(bytes, limits, {}));
    staged::Edit edit{.op = "set", .locator = "p:1"};
    edit.arguments.Set("text", "x & y");
    static_cast<void>(format->Apply(bytes, {edit}, limits));
    return 0;
  }
  const staged::XmlBindings bindings{
      {"w", "http://schemas.openxmlformats.org/wordprocessingml/2006/main"},
      {"m", "http://schemas.openxmlformats.org/officeDocument/2006/math"}};
  const std::string xml(bytes);
  if (!staged::XmlTree(xml, staged::docx::WordVocabulary(), limits, bindings).error().ok())
    return 0;
  staged::docx::ParagraphEditor editor(xml, bindings, limits);
  if (editor.tree().QualifiedName(0) != "w:p") return 0;
  const std::string before = editor.text();
  const size_t begin = before.size() / 3;
  const size_t end = before.size() - begin;
  if (!editor.Replace({{begin, end, "<&\t>"}}).ok()) return 0;
  if (editor.text() != before.substr(0, begin) + "<&\t>" + before.substr(end)) std::abort();
  return 0;
}
