#include <cstdlib>

#include "codec/xml_tree.h"
#include "formats/odf/odf_format.h"
#include "formats/odf/odf_names.h"
#include "formats/odf/paragraph_text.h"
#include "fuzz/format_fuzzing.h"

// Any bytes as a paragraph: an edit changes the text as asked and leaves well-formed XML. Any bytes
// as a file, packaged or flat: parse and edit end in an answer.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (auto make : {staged::NewOdtFormat, staged::NewOdsFormat, staged::NewOdpFormat}) {
    const auto format = make();
    if (format->Sniff(bytes, "") != 100) continue;
    if (!bytes.starts_with("PK")) {
      staged::fuzzing::FuzzFormat(*format, bytes);
    } else {
      const staged::Limits limits{.expanded_bytes_max = 32 << 20, .part_bytes_max = 16 << 20};
      static_cast<void>(format->Parse(bytes, limits, {}));
    }
  }
  const staged::XmlBindings bindings{{"text", "urn:oasis:names:tc:opendocument:xmlns:text:1.0"},
                                     {"draw", "urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"}};
  const std::string xml(bytes);
  const staged::Limits limits;
  const staged::XmlTree tree(xml, staged::odf::OdfVocabulary(), limits, bindings);
  if (!tree.error().ok() || tree.QualifiedName(0) != "text:p") return 0;
  staged::TextElementEditor editor(xml, bindings, staged::odf::OdfDialect(), limits);
  const std::string before = editor.text();
  const size_t begin = before.size() / 3;
  const size_t end = before.size() - begin;
  if (!editor.Replace({{begin, end, " <&\t>"}}).ok()) return 0;
  if (editor.text() != before.substr(0, begin) + " <&\t>" + before.substr(end)) std::abort();
  return 0;
}
