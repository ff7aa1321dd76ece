#include "formats/xlsb/view_builder.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/binary.h"
#include "codec/office_package.h"
#include "codec/vba_records.h"
#include "codec/xml_summary.h"
#include "formats/xlsb/binary_record.h"
#include "formats/xlsb/sheet_reader.h"
#include "formats/xlsb/workbook.h"
#include "record/segments.h"

namespace staged::xlsb {
namespace {

constexpr uint64_t kTextBytesMax = uint64_t{1} << 30;
constexpr uint64_t kAlwaysGrantedBytes = uint64_t{32} << 20;
constexpr uint64_t kTextPerSourceByte = 16;

void SetUnlessEmpty(Value& attrs, std::string_view name, const std::string& value) {
  if (!value.empty()) attrs.Set(std::string(name), Value(value));
}

// Records of one segment. Of two with one locator the second gets "#2" behind it.
class RecordList {
 public:
  explicit RecordList(std::string hidden) : hidden_(std::move(hidden)) {}
  Record& Add(std::string kind, std::string locator, std::string parent) {
    const size_t use = ++uses_[locator];
    Record& record = records_.emplace_back();
    record.kind = std::move(kind);
    record.locator = std::move(locator);
    if (use > 1) record.locator += "#" + std::to_string(use);
    record.key = record.locator;
    record.parent = std::move(parent);
    record.hidden = hidden_;
    return record;
  }
  [[nodiscard]] std::vector<Record> Take() { return std::move(records_); }

 private:
  const std::string hidden_;
  std::map<std::string, size_t> uses_;
  std::vector<Record> records_;
};

class ViewBuilder {
 public:
  ViewBuilder(OfficePackage& package, const Limits& limits)
      : package_(package), limits_(limits), records_left_(limits.records_max) {}

  Result<ParsedContent> Build() {
    for (const std::string& warning : package_.archive().warnings()) {
      Diagnose("warning", "archive", "", warning);
    }
    content_.parts = package_.DigestAll(content_.diagnostics);
    STAGED_ASSIGN_OR_RETURN(workbook_, ReadWorkbook(package_, limits_, content_.diagnostics));
    // What the cells of every sheet are made with.
    BinaryWriter common;
    for (const std::string& part :
         {workbook_.part, workbook_.strings_part, workbook_.styles_part}) {
      common.PutHash(package_.DigestOf(part));
    }
    common_ = common.Take();
    for (size_t i = 0; i < workbook_.sheets.size(); ++i) AddSheet(i);
    AddNames();
    AddMacros();
    AddXmlParts();
    return std::move(content_);
  }

 private:
  void Diagnose(std::string severity, std::string code, std::string locator, std::string text) {
    content_.diagnostics.push_back(
        {std::move(severity), std::move(code), std::move(locator), std::move(text)});
  }

  void Cover(const std::string& part, std::initializer_list<const char*> kinds) {
    const ZipMember* member = package_.Find(part);
    for (Part& one : content_.parts) {
      if (member == nullptr || one.name != member->name) continue;
      one.kinds.assign(kinds.begin(), kinds.end());
    }
  }

  void AddSegment(std::shared_ptr<const Segment> segment) {
    records_left_ -= std::min<uint64_t>(records_left_, segment->record_count());
    content_.segments.push_back(std::move(segment));
  }

  void AddList(const std::string& part, const ContentHash& digest, std::vector<Record> records) {
    if (records.empty()) return;
    if (records.size() > records_left_) {
      Diagnose("error", "limit_exceeded", "",
               part + " has more records than the limit records_max; the last ones are left out");
      records.resize(records_left_);
    }
    AddSegment(std::make_shared<RecordListSegment>(part, digest, std::move(records)));
  }

  ContentHash DigestFor(const std::string& part, std::string_view purpose,
                        std::string_view more) const {
    BinaryWriter writer;
    writer.PutString(purpose);
    writer.PutHash(package_.DigestOf(part));
    writer.PutString(more);
    return ContentHash::Of(writer.bytes());
  }

  // Its cells, and before them a list of all else.
  void AddSheet(size_t index) {
    const SheetEntry& sheet = workbook_.sheets[index];
    const std::string locator = QuoteSheetName(sheet.name);
    if (!sheet_names_.insert(sheet.name).second) {
      Diagnose("warning", "duplicate_sheet", locator,
               "two sheets have this name: their locators are the same");
    }
    Result<std::string> bytes = std::string();
    if (!sheet.part.empty()) bytes = ReadPart(package_, sheet.part);
    if (!bytes.ok()) {
      Diagnose("error", "unreadable_part", locator, bytes.status().message());
      bytes = std::string();
    }
    source_bytes_ += bytes->size();
    GridSheet grid;
    grid.name = sheet.name;
    grid.part = sheet.part;
    grid.parent = locator;
    grid.hidden = sheet.HiddenReason();
    grid.epoch = workbook_.epoch;
    grid.part_digest = package_.DigestOf(sheet.part);
    grid.part_size_bytes = bytes->size();
    const std::string identity =
        common_ + std::to_string(index) + locator + sheet.state + sheet.type;
    const SheetContent read =
        ReadSheet(*bytes, workbook_, std::move(grid), DigestFor(sheet.part, "cells", identity),
                  {records_left_, TextBytesLeft()});
    text_bytes_ += read.cells->text_bytes();
    DiagnoseSheet(read, sheet, locator);
    RecordList records(sheet.HiddenReason());
    DescribeSheet(read, sheet, index, locator, records);
    AddComments(sheet, locator, records);
    AddTables(sheet, locator, records);
    AddList(sheet.part, SheetListDigest(sheet, identity), records.Take());
    if (read.cells->cell_count() > 0) AddSegment(read.cells);
    Cover(sheet.part, {"sheet", "cell", "merge", "hyperlink", "unshown"});
  }

  // Also of the parts around the sheet.
  ContentHash SheetListDigest(const SheetEntry& sheet, const std::string& identity) {
    BinaryWriter around;
    around.PutString(identity);
    around.PutHash(package_.DigestOf(OpcRelationshipsPart(sheet.part)));
    for (const OpcRelationship& relationship : package_.RelationshipsOf(sheet.part)) {
      if (!relationship.is_external) around.PutHash(package_.DigestOf(relationship.target));
    }
    return DigestFor(sheet.part, "list", around.bytes());
  }

  uint64_t TextBytesLeft() const {
    uint64_t strings_bytes = 0;
    for (const std::string& text : workbook_.strings) strings_bytes += text.size();
    const uint64_t granted = std::min(
        kTextBytesMax, kAlwaysGrantedBytes + kTextPerSourceByte * (strings_bytes + source_bytes_));
    return granted - std::min(granted, text_bytes_);
  }

  void DiagnoseSheet(const SheetContent& read, const SheetEntry& sheet,
                     const std::string& locator) {
    if (read.is_torn) {
      Diagnose("error", "truncated", locator,
               sheet.part + " ends inside a record; what stands before is shown");
    }
    if (!read.cut_at.empty()) {
      Diagnose("error", "limit_exceeded", locator,
               "more cells or text than the limits allow; the cells from " + read.cut_at +
                   " on are left out");
    }
    if (read.unread_formula_count > 0) {
      std::string cells;
      for (const std::string& cell : read.unread_formulas) {
        cells += (cells.empty() ? "" : ", ") + cell;
      }
      Diagnose("warning", "unread_formula", locator,
               std::to_string(read.unread_formula_count) +
                   " formulas cannot be shown, only their values: " + cells);
    }
  }

  void DescribeSheet(const SheetContent& read, const SheetEntry& sheet, size_t index,
                     const std::string& locator, RecordList& records) {
    Record& record = records.Add("sheet", locator, "");
    record.key = sheet.id;
    record.text = sheet.name;
    record.attrs.Set("name", Value(sheet.name));
    record.attrs.Set("index", Value(static_cast<int64_t>(index)));
    record.attrs.Set("state", Value(sheet.state));
    record.attrs.Set("type", Value(sheet.type));
    SetUnlessEmpty(record.attrs, "dimension", read.dimension);
    for (const std::string& range : read.merges) {
      Record& merge = records.Add("merge", locator + "!merge:" + range, locator);
      merge.text = range;
      merge.attrs.Set("range", Value(range));
    }
    for (const Hyperlink& link : read.hyperlinks) {
      Record& hyperlink = records.Add("hyperlink", locator + "!hyperlink:" + link.range, locator);
      const OpcRelationship* relationship = package_.Relationship(sheet.part, link.relationship_id);
      const std::string target = relationship == nullptr ? "" : relationship->target;
      hyperlink.text = target.empty() ? link.location : target;
      hyperlink.attrs.Set("range", Value(link.range));
      SetUnlessEmpty(hyperlink.attrs, "target", target);
      SetUnlessEmpty(hyperlink.attrs, "location", link.location);
      SetUnlessEmpty(hyperlink.attrs, "display", link.display);
      SetUnlessEmpty(hyperlink.attrs, "tooltip", link.tooltip);
    }
    if (read.unshown.empty()) return;
    Record& unshown = records.Add("unshown", locator + "!unshown", locator);
    unshown.hidden = "settings of the sheet";
    std::string types;
    for (const auto& [type, count] : read.unshown) {
      types += (types.empty() ? "" : " ") + std::to_string(type);
    }
    unshown.attrs.Set("record_types", Value(types));
    unshown.attrs.Set("digest", Value(read.unshown_digest.ToString()));
  }

  void AddComments(const SheetEntry& sheet, const std::string& locator, RecordList& records) {
    const std::string part = package_.PartOfType(sheet.part, "comments");
    if (part.empty()) return;
    const Result<std::string> bytes = ReadPart(package_, part);
    if (!bytes.ok()) {
      return Diagnose("error", "unreadable_part", locator, bytes.status().message());
    }
    std::vector<std::string> authors;
    Record* comment = nullptr;
    RecordReader reader(*bytes);
    while (reader.Next()) {
      FieldReader fields(reader.fields());
      if (reader.type() == RecordType::kCommentAuthor) {
        authors.push_back(fields.Text());
      } else if (reader.type() == RecordType::kBeginComment) {
        const uint32_t author = fields.Long();
        const std::optional<CellRange> range = fields.Range();
        if (!range) continue;
        const std::string cell = FormatCellAddress(range->first);
        comment = &records.Add("comment", locator + "!comment:" + cell, locator);
        comment->attrs.Set("cell", Value(cell));
        if (author < authors.size()) SetUnlessEmpty(comment->attrs, "author", authors[author]);
      } else if (reader.type() == RecordType::kCommentText && comment != nullptr) {
        comment->text = fields.RichText();
        comment = nullptr;
      }
    }
    Cover(part, {"comment"});
  }

  void AddTables(const SheetEntry& sheet, const std::string& locator, RecordList& records) {
    const std::vector<OpcRelationship> relationships = package_.RelationshipsOf(sheet.part);
    for (const OpcRelationship& relationship : relationships) {
      if (relationship.type != "table" || relationship.is_external) continue;
      const Result<std::string> bytes = ReadPart(package_, relationship.target);
      if (!bytes.ok()) {
        Diagnose("error", "unreadable_part", locator, bytes.status().message());
        continue;
      }
      AddTable(*bytes, locator, records);
    }
  }

  // Its filter, styles and formulas stay opaque: the part is compared by digest too.
  static void AddTable(std::string_view bytes, const std::string& locator, RecordList& records) {
    std::string table;
    RecordReader reader(bytes);
    while (reader.Next()) {
      FieldReader fields(reader.fields());
      if (reader.type() == RecordType::kBeginTable) {
        const std::optional<CellRange> range = fields.Range();
        (void)fields.Bytes(48);  // type, number, rows of head and totals, flags, looks, connection
        const std::string name = fields.Text();
        const std::string shown = fields.Text();
        if (!range || !fields.ok()) return;
        table = "table:" + (shown.empty() ? name : shown);
        Record& record = records.Add("table", table, locator);
        record.text = shown.empty() ? name : shown;
        record.attrs.Set("name", Value(name));
        record.attrs.Set("range", Value(FormatCellRange(*range)));
      } else if (reader.type() == RecordType::kBeginTableColumn && !table.empty()) {
        (void)fields.Bytes(24);  // number, kind of total, looks, query field
        const std::string name = fields.Text();
        const std::string caption = fields.Text();
        if (!fields.ok()) continue;
        const std::string& shown = caption.empty() ? name : caption;
        Record& record = records.Add("table_column", table + "/column:" + shown, table);
        record.text = shown;
      }
    }
  }

  void AddNames() {
    RecordList records("");
    for (const DefinedName& name : workbook_.names) {
      const bool is_local = name.sheet && *name.sheet < workbook_.sheets.size();
      const std::string sheet =
          is_local ? QuoteSheetName(workbook_.sheets[*name.sheet].name) : std::string();
      Record& record =
          records.Add("defined_name", (is_local ? sheet + "!" : "") + "name:" + name.name, sheet);
      record.text = name.refers_to;
      if (name.is_readable) record.attrs.Set("refers_to", Value(name.refers_to));
      SetUnlessEmpty(record.attrs, "comment", name.comment);
      if (name.is_hidden) record.hidden = "hidden name";
    }
    AddList(workbook_.part, DigestFor(workbook_.part, "names", ""), records.Take());
  }

  void AddMacros() {
    const std::string part = package_.PartOfType(workbook_.part, "vbaProject");
    if (part.empty()) return;
    const Result<std::string> bytes = ReadPart(package_, part);
    const Result<std::vector<Record>> macros =
        bytes.ok() ? VbaRecords(*bytes, limits_) : bytes.status();
    if (!macros.ok()) {
      return Diagnose("warning", "unreadable_macros", "macros", macros.status().message());
    }
    AddList(part, package_.DigestOf(part), *macros);
    Cover(part, {"macro_project", "macro_module", "macro_stream"});
  }

  // Properties, and the texts of drawings and other XML.
  void AddXmlParts() {
    std::map<std::string, std::string> properties;  // prefix by part
    for (const OpcRelationship& relationship : package_.RelationshipsOf("")) {
      if (relationship.type == "core-properties") properties[relationship.target] = "prop:";
      if (relationship.type == "extended-properties") properties[relationship.target] = "app:";
      if (relationship.type == "custom-properties") properties[relationship.target] = "custom:";
    }
    const XmlVocabulary no_vocabulary({}, {});
    for (size_t i = 0; i < content_.parts.size(); ++i) {
      const std::string name = content_.parts[i].name;
      const bool is_xml = name.ends_with(".xml") && name != "[Content_Types].xml";
      if (!is_xml) continue;
      const Result<const std::string*> xml = package_.Content(name);
      if (!xml.ok()) continue;
      const XmlTree tree(**xml, no_vocabulary, limits_);
      const auto property = properties.find(name);
      const bool is_property = property != properties.end();
      std::vector<Record> records =
          is_property ? PropertyRecords(tree, property->second) : OtherPartRecords(tree, name);
      if (records.empty()) continue;
      AddList(name, package_.DigestOf(name), std::move(records));
      Cover(name, {is_property ? "property" : "other_part"});
    }
  }

  OfficePackage& package_;
  const Limits& limits_;
  ParsedContent content_;
  Workbook workbook_;
  std::set<std::string> sheet_names_;
  std::string common_;
  uint64_t records_left_;
  uint64_t source_bytes_ = 0;
  uint64_t text_bytes_ = 0;
};

}  // namespace

Result<ParsedContent> BuildView(std::string_view bytes, const Limits& limits) {
  STAGED_ASSIGN_OR_RETURN(const std::unique_ptr<OfficePackage> package,
                          OfficePackage::Open(bytes, limits));
  return ViewBuilder(*package, limits).Build();
}

}  // namespace staged::xlsb
