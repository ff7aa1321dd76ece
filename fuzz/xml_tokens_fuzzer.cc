#include <cstdlib>

#include "codec/xml.h"

// Tokens cover the input in order and without overlap, whatever the bytes.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const staged::Result<std::string> utf8 = staged::XmlToUtf8(bytes);
  if (!utf8.ok()) return 0;
  staged::XmlTokenizer tokenizer(*utf8, staged::Limits{.depth_max = 64});
  size_t position = 0;
  std::string sink;
  while (tokenizer.Read()) {
    const staged::XmlToken& token = tokenizer.token();
    if (token.begin < position || token.end < token.begin || token.end > utf8->size()) std::abort();
    position = token.end;
    for (const staged::XmlAttribute& attribute : tokenizer.attributes()) {
      if (attribute.begin < token.begin || attribute.end > token.end) std::abort();
      sink = staged::XmlDecodeAttribute(attribute.value);
    }
    sink = staged::XmlDecode(token.raw);
  }
  const std::string text(bytes);
  if (staged::XmlCanHold(text)) {
    if (staged::XmlDecode(staged::XmlEscapeText(text)) != text) std::abort();
    if (staged::XmlDecodeAttribute(staged::XmlEscapeAttribute(text)) != text) std::abort();
  }
  return 0;
}
