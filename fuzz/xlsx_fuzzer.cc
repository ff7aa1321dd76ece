#include <cstdlib>

#include "formats/xlsx/xlsx_format.h"
#include "record/segments.h"

// Parses a workbook, encodes and decodes its segments, and sets its first cell.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  staged::Limits limits;
  limits.part_bytes_max = 1 << 20;
  limits.expanded_bytes_max = 4 << 20;
  limits.records_max = 10'000;
  const auto format = staged::NewXlsxFormat();
  const auto content = format->Parse(bytes, limits, {});
  if (!content.ok()) return 0;
  std::string locator;
  for (const auto& segment : content->segments) {
    const auto decoded = staged::DecodeSegment(segment->Encode());
    if (!decoded.ok() || (*decoded)->record_count() != segment->record_count()) std::abort();
    segment->ForEach([&](const staged::Record& record) {
      if (record.kind == "cell" && locator.empty()) locator = record.locator;
      return true;
    });
  }
  if (locator.empty()) return 0;
  staged::Edit edit;
  edit.op = "set";
  edit.locator = locator;
  edit.arguments.Set("value", staged::Value("<new> & text"));
  const auto outcome = format->Apply(bytes, {edit}, limits);
  if (outcome.ok() && outcome->bytes.empty()) std::abort();
  return 0;
}
