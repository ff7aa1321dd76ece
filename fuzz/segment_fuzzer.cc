// Encoded segments of any bytes: decoding never crashes; what decodes has records that can all be
// read, and is the same after another round.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "derived/rows.h"
#include "record/segments.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)staged::RowMap::Decode(bytes);
  const auto segment = staged::DecodeSegment(bytes);
  if (!segment.ok()) return 0;
  size_t count = 0;
  (*segment)->ForEach([&](const staged::Record& record) {
    if ((*segment)->At(count).locator != record.locator) abort();
    return ++count < 1000;
  });
  (void)staged::BuildRows(**segment);
  const std::string encoded = (*segment)->Encode();
  const auto again = staged::DecodeSegment(encoded);
  if (!again.ok() || (*again)->Encode() != encoded) abort();
  return 0;
}
