#include <set>

#include "formats/pdf/pdf_format.h"
#include "fuzz/format_fuzzing.h"

// Any bytes: a parse ends in an answer, whose locators are sound and whose segments survive their
// encoding. PDFium's own code is not instrumented: what it does wrong stays inside its instance.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using staged::fuzzing::Require;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  static_cast<void>(staged::NewPdfFormat()->Sniff(bytes, ""));
  staged::Limits limits;
  limits.expanded_bytes_max = 128 << 20;  // and so much less time
  limits.records_max = 50'000;
  const staged::Result<staged::ParsedContent> content =
      staged::NewPdfFormat()->Parse(bytes, limits, {});
  if (!content.ok()) {
    Require(!content.status().message().empty());
    return 0;
  }
  std::set<std::string> seen;
  for (const auto& segment : content->segments) {
    const auto decoded = staged::DecodeSegment(segment->Encode());
    Require(decoded.ok() && (*decoded)->record_count() == segment->record_count());
    size_t index = 0;
    segment->ForEach([&](const staged::Record& record) {
      Require(seen.insert(record.locator).second);
      Require(record.parent.empty() || seen.contains(record.parent));
      if (index % 16 == 0) Require((*decoded)->At(index) == record);
      ++index;
      return true;
    });
  }
  return 0;
}
