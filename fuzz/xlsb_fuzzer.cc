#include "codec/zip.h"
#include "formats/xlsb/xlsb_format.h"
#include "fuzz/format_fuzzing.h"

namespace {

constexpr char kRelationships[] =
    "<Relationships xmlns='http://schemas.openxmlformats.org/package/2006/relationships'>"
    "<Relationship Id='rId1' Type='http://x/worksheet' Target='worksheets/sheet1.bin'/>"
    "<Relationship Id='rId2' Type='http://x/sharedStrings' Target='sharedStrings.bin'/>"
    "<Relationship Id='rId3' Type='http://x/styles' Target='styles.bin'/></Relationships>";
// A workbook of one sheet, and a number for references to it.
constexpr char kWorkbook[] =
    "\x9C\x01\x1A\0\0\0\0\1\0\0\0\4\0\0\0r\0I\0d\0001\0\1\0\0\0S\0"
    "\xE5\x02\0\xEA\x02\x10\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";

void Parse(std::string_view bytes) {
  using staged::fuzzing::Require;
  staged::Limits limits;
  limits.expanded_bytes_max = 4 << 20;
  limits.records_max = 20'000;
  const auto content = staged::NewXlsbFormat()->Parse(bytes, limits, {});
  if (!content.ok()) return Require(!content.status().message().empty());
  for (const auto& segment : content->segments) {
    const auto decoded = staged::DecodeSegment(segment->Encode());
    Require(decoded.ok() && (*decoded)->record_count() == segment->record_count());
  }
}

}  // namespace

// The input as a workbook, and as each of a workbook's binary parts.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  Parse(bytes);
  const std::string empty = std::string("PK\5\6") + std::string(18, '\0');
  const auto reader = staged::ZipReader::Open(empty, staged::Limits());
  for (const std::string part :
       {"xl/worksheets/sheet1.bin", "xl/workbook.bin", "xl/sharedStrings.bin", "xl/styles.bin"}) {
    staged::ZipSplicer splicer(*reader);
    splicer.Add("xl/_rels/workbook.bin.rels", kRelationships);
    if (part != "xl/workbook.bin")
      splicer.Add("xl/workbook.bin", std::string(kWorkbook, sizeof(kWorkbook) - 1));
    splicer.Add(part, std::string(bytes));
    const auto archive = splicer.Finish();
    staged::fuzzing::Require(archive.ok());
    Parse(*archive);
  }
  return 0;
}
