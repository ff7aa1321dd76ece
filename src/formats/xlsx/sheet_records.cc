#include "formats/xlsx/sheet_records.h"

#include "formats/xlsx/sheet_pieces.h"

namespace staged::xlsx {
namespace {

void AddSheet(const SheetEntry& sheet, size_t index, const ParsedSheet& parsed,
              const std::string& locator, RecordList& records) {
  Record& record = records.Add("sheet", locator, "");
  record.key = sheet.id;
  record.text = sheet.name;
  record.attrs.Set("name", Value(sheet.name));
  record.attrs.Set("index", Value(static_cast<int64_t>(index)));
  record.attrs.Set("state", Value(sheet.state));
  record.attrs.Set("type", Value(sheet.type));
  SetUnlessEmpty(record.attrs, "dimension", parsed.dimension);
  for (const std::string& range : parsed.merges) {
    Record& merge = records.Add("merge", locator + "!merge:" + range, locator);
    merge.text = range;
    merge.attrs.Set("range", Value(range));
  }
}

void AddHyperlinks(const ParsedSheet& parsed, const std::vector<OpcRelationship>& relationships,
                   const std::string& locator, RecordList& records) {
  for (const Hyperlink& link : parsed.hyperlinks) {
    Record& record = records.Add("hyperlink", locator + "!hyperlink:" + link.range, locator);
    std::string target;
    for (const OpcRelationship& relationship : relationships) {
      if (relationship.id == link.relationship_id) target = relationship.target;
    }
    record.text = target.empty() ? link.location : target;
    record.attrs.Set("range", Value(link.range));
    SetUnlessEmpty(record.attrs, "target", std::move(target));
    SetUnlessEmpty(record.attrs, "location", link.location);
    SetUnlessEmpty(record.attrs, "display", link.display);
    SetUnlessEmpty(record.attrs, "tooltip", link.tooltip);
  }
}

}  // namespace

bool IsEmbeddedFile(std::string_view relationship_type) {
  return relationship_type == "oleObject" || relationship_type == "package" ||
         relationship_type == "control" || relationship_type == "image" ||
         relationship_type == "customProperty";
}

void AddSheetRecords(const SheetEntry& sheet, size_t index, const ParsedSheet& parsed,
                     const std::vector<OpcRelationship>& relationships, const Styles& styles,
                     const Limits& limits,
                     const std::function<std::string(std::string_view part)>& digest_of,
                     RecordList& records) {
  const std::string locator = QuoteSheetName(sheet.name);
  AddSheet(sheet, index, parsed, locator, records);
  AddLayoutRecords(parsed, locator, styles, records);
  AddPieceRecords(parsed.pieces, locator, styles, limits, records);
  AddHyperlinks(parsed, relationships, locator, records);
  for (const OpcRelationship& relationship : relationships) {
    if (!IsEmbeddedFile(relationship.type)) continue;
    const std::string& target = relationship.target;
    const std::string name = target.substr(target.rfind('/') + 1);
    Record& record = records.Add("embedded_file", locator + "!file:" + name, locator);
    record.text = target;
    record.attrs.Set("type", Value(relationship.type));
    if (!relationship.is_external) SetUnlessEmpty(record.attrs, "digest", digest_of(target));
  }
}

}  // namespace staged::xlsx
