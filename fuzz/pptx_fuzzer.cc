#include <cstdlib>

#include "codec/xml_tree.h"
#include "formats/pptx/drawing_text.h"
#include "formats/pptx/pptx_format.h"
#include "formats/pptx/presentation_names.h"

// Any bytes as a paragraph: an edit changes the text as asked and leaves well-formed XML. Any bytes
// as a file: parse and edit end in an answer.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const staged::Limits limits{.expanded_bytes_max = 32 << 20, .part_bytes_max = 16 << 20};
  if (bytes.starts_with("PK")) {
    const auto format = staged::NewPptxFormat();
    static_cast<void>(format->Parse(bytes, limits, {}));
    staged::Edit edit{.op = "replace_text", .locator = ""};
    edit.arguments.Set("find", "e");
    edit.arguments.Set("replace", "x & y");
    edit.arguments.Set("all", true);
    static_cast<void>(format->Apply(bytes, {edit}, limits));
    return 0;
  }
  const staged::XmlBindings bindings{
      {"a", "http://schemas.openxmlformats.org/drawingml/2006/main"},
      {"mc", "http://schemas.openxmlformats.org/markup-compatibility/2006"}};
  const std::string xml(bytes);
  const staged::XmlTree tree(xml, staged::pptx::PresentationVocabulary(), limits, bindings);
  if (!tree.error().ok() || tree.QualifiedName(0) != "a:p") return 0;
  staged::TextElementEditor editor(xml, bindings, staged::pptx::DrawingDialect(), limits);
  const std::string before = editor.text();
  const size_t begin = before.size() / 3;
  const size_t end = before.size() - begin;
  if (!editor.Replace({{begin, end, "<&\n>"}}).ok()) return 0;
  if (editor.text() != before.substr(0, begin) + "<&\n>" + before.substr(end)) std::abort();
  return 0;
}
