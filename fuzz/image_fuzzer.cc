#include <cstddef>
#include <cstdint>

#include "formats/image/image_format.h"
#include "formats/image/image_info.h"
#include "fuzz/format_fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using staged::fuzzing::Require;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto format = staged::NewImageFormat();
  const auto content = format->Parse(input, staged::Limits(), {});
  if (!content.ok()) return 0;
  const auto& segment = *content->segments[0];
  const auto decoded = staged::DecodeSegment(segment.Encode());
  Require(decoded.ok() && (*decoded)->record_count() == segment.record_count());
  segment.ForEach([&](const staged::Record& record) {
    Require(record.span->begin <= record.span->end && record.span->end <= size);
    return true;
  });
  return 0;
}
