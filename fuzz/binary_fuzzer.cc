#include <string_view>

#include "formats/binary/binary_format.h"
#include "formats/builtin_formats.h"
#include "fuzz/format_fuzzing.h"

// Any bytes under any name have a format, and can be shown as what no format reads.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using staged::fuzzing::Require;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  static const auto& formats = *new staged::FormatRegistry(staged::NewBuiltinRegistry());
  for (const char* path : {"file", "file.xlsx", "file.xml", "file.pdf"}) {
    Require(!formats.Detect(bytes, path).descriptor().name.empty());
  }
  const auto content = staged::NewBinaryFormat()->Parse(bytes, staged::Limits(), {});
  Require(content.ok() && !content->parts.empty());
  for (const auto& segment : content->segments) {
    const auto decoded = staged::DecodeSegment(segment->Encode());
    Require(decoded.ok() && (*decoded)->record_count() == segment->record_count());
  }
  return 0;
}
