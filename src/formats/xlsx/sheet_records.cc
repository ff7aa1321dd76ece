#include "formats/xlsx/sheet_records.h"

#include <map>

#include "codec/xml.h"

namespace staged::xlsx {
namespace {

void SetUnlessEmpty(Value& attrs, std::string_view name, std::string value) {
  if (!value.empty()) attrs.Set(name, Value(std::move(value)));
}

std::string ReadAttribute(const XmlTokenizer& tokenizer, std::string_view name) {
  return XmlDecodeAttribute(tokenizer.Attribute(name).value_or(""));
}

void AppendText(const XmlToken& token, std::string& out) {
  if (token.type == XmlTokenType::kText) XmlDecodeTo(token.raw, out);
  if (token.type == XmlTokenType::kCData) out.append(token.raw);
}

}  // namespace

std::vector<Record> MakeNameRecords(const Workbook& workbook) {
  std::vector<Record> records;
  std::map<std::string, size_t> uses;
  for (const DefinedName& defined : workbook.names) {
    Record record;
    record.kind = "defined_name";
    record.key = defined.name;
    if (defined.sheet && *defined.sheet < workbook.sheets.size()) {
      record.parent = QuoteSheetName(workbook.sheets[*defined.sheet].name);
      record.locator = record.parent + "!";
    }
    record.locator += "name:" + defined.name;
    const size_t use = ++uses[record.locator];
    if (use > 1) {
      record.locator += "#" + std::to_string(use);
      record.key += "#" + std::to_string(use);
    }
    record.text = defined.refers_to;
    record.attrs.Set("refers_to", Value(defined.refers_to));
    if (defined.is_hidden) record.hidden = "hidden name";
    records.push_back(std::move(record));
  }
  return records;
}

SheetRecords::SheetRecords(const OpcPackage& package, const Workbook& workbook, size_t sheet_index,
                           const Limits& limits)
    : package_(package),
      workbook_(workbook),
      sheet_(workbook.sheets[sheet_index]),
      sheet_index_(sheet_index),
      limits_(limits),
      locator_(QuoteSheetName(sheet_.name)) {}

Record& SheetRecords::Add(std::string kind, std::string locator, std::string parent) {
  const size_t use = ++uses_[locator];
  if (use > 1) locator += "#" + std::to_string(use);
  Record record;
  record.kind = std::move(kind);
  record.locator = std::move(locator);
  record.parent = std::move(parent);
  record.hidden = sheet_.HiddenReason();
  record.key = record.locator.substr(record.locator.rfind('!') + 1);
  records_.push_back(std::move(record));
  return records_.back();
}

void SheetRecords::AddSheet(const ParsedSheet& parsed) {
  Record& sheet = Add("sheet", locator_, "");
  sheet.key = sheet_.id;
  sheet.text = sheet_.name;
  sheet.attrs.Set("name", Value(sheet_.name));
  sheet.attrs.Set("index", Value(static_cast<int64_t>(sheet_index_)));
  sheet.attrs.Set("state", Value(sheet_.state));
  sheet.attrs.Set("type", Value(sheet_.type));
  SetUnlessEmpty(sheet.attrs, "dimension", parsed.dimension);
  for (const std::string& range : parsed.merges) {
    Record& merge = Add("merge", locator_ + "!merge:" + range, locator_);
    merge.text = range;
    merge.attrs.Set("range", Value(range));
  }
  for (const SheetProperty& property : parsed.properties) {
    Record& record = Add("sheet_property", locator_ + "!property:" + property.name, locator_);
    record.text = property.name;
    record.attrs.Set("digest", Value(property.digest.ToString()));
  }
}

void SheetRecords::AddHyperlinks(const ParsedSheet& parsed,
                                 const std::vector<OpcRelationship>& relationships) {
  for (const Hyperlink& link : parsed.hyperlinks) {
    Record& record = Add("hyperlink", locator_ + "!hyperlink:" + link.range, locator_);
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

void SheetRecords::AddRelatedParts(const std::vector<OpcRelationship>& relationships) {
  for (const OpcRelationship& relationship : relationships) {
    if (relationship.is_external) continue;
    if (relationship.type == "table") AddTable(relationship.target);
    if (relationship.type == "comments") AddComments(relationship.target);
    if (relationship.type == "threadedComment") AddThreadedComments(relationship.target);
  }
}

std::string SheetRecords::ReadPart(const std::string& part) {
  Result<std::string> xml = package_.ReadXml(part);
  if (xml.ok()) return *std::move(xml);
  diagnostics_.push_back({"error", "unreadable_part", locator_, xml.status().message()});
  return {};
}

void SheetRecords::AddTable(const std::string& part) {
  const std::string xml = ReadPart(part);
  if (xml.empty()) return;
  XmlTokenizer tokenizer(xml, limits_);
  std::string name;
  std::string table_locator;
  size_t table = SIZE_MAX;
  size_t column = SIZE_MAX;
  std::string* formula = nullptr;
  std::string formula_text;
  while (tokenizer.Read()) {
    const XmlToken& token = tokenizer.token();
    if (formula != nullptr) AppendText(token, *formula);
    if (token.type == XmlTokenType::kEnd && formula != nullptr) {
      records_[column].attrs.Set("formula", Value(formula_text));
      formula = nullptr;
    }
    if (token.type != XmlTokenType::kStart) continue;
    const std::string_view element = token.local_name();
    if (element == "table" && table == SIZE_MAX) {
      name = ReadAttribute(tokenizer, "displayName");
      if (name.empty()) name = ReadAttribute(tokenizer, "name");
      Record& record = Add("table", "table:" + name, locator_);
      table = records_.size() - 1;
      table_locator = record.locator;
      record.text = name;
      record.attrs.Set("name", Value(name));
      record.attrs.Set("range", Value(ReadAttribute(tokenizer, "ref")));
      SetUnlessEmpty(record.attrs, "header_rows", ReadAttribute(tokenizer, "headerRowCount"));
      SetUnlessEmpty(record.attrs, "totals_rows", ReadAttribute(tokenizer, "totalsRowCount"));
    } else if (element == "tableColumn" && table != SIZE_MAX) {
      const std::string title = DecodeXstring(ReadAttribute(tokenizer, "name"));
      Record& record = Add("table_column", name + "[" + title + "]", table_locator);
      column = records_.size() - 1;
      record.text = title;
      record.attrs.Set("name", Value(title));
      SetUnlessEmpty(record.attrs, "totals", ReadAttribute(tokenizer, "totalsRowFunction"));
    } else if (element == "calculatedColumnFormula" && column != SIZE_MAX) {
      formula_text.clear();
      formula = &formula_text;
    }
  }
  if (const Status status = tokenizer.status(); !status.ok()) {
    diagnostics_.push_back({"error", "malformed", locator_, part + ": " + status.message()});
  }
}

void SheetRecords::AddComments(const std::string& part) {
  const std::string xml = ReadPart(part);
  if (xml.empty()) return;
  XmlTokenizer tokenizer(xml, limits_);
  std::vector<std::string> authors;
  std::string text;
  std::string cell;
  std::string author;
  std::string* sink = nullptr;
  bool in_comment = false;
  while (tokenizer.Read()) {
    const XmlToken& token = tokenizer.token();
    const std::string_view name = token.local_name();
    if (token.type == XmlTokenType::kStart) {
      if (name == "author") sink = &authors.emplace_back();
      if (name == "t" && in_comment) sink = &text;
      if (name == "rPh" && !tokenizer.SkipElement().ok()) break;
      if (name == "comment") {
        in_comment = true;
        text.clear();
        cell = ReadAttribute(tokenizer, "ref");
        const std::string index = ReadAttribute(tokenizer, "authorId");
        const size_t number = index.size() < 9 && !index.empty() &&
                                      index.find_first_not_of("0123456789") == std::string::npos
                                  ? std::stoul(index)
                                  : SIZE_MAX;
        author = number < authors.size() ? authors[number] : "";
      }
    } else if (token.type == XmlTokenType::kEnd) {
      sink = nullptr;
      if (name != "comment") continue;
      in_comment = false;
      Record& record = Add("comment", locator_ + "!comment:" + cell, locator_);
      record.text = DecodeXstring(text);
      record.attrs.Set("cell", Value(cell));
      SetUnlessEmpty(record.attrs, "author", author);
    } else if (sink != nullptr) {
      AppendText(token, *sink);
    }
  }
  if (const Status status = tokenizer.status(); !status.ok()) {
    diagnostics_.push_back({"error", "malformed", locator_, part + ": " + status.message()});
  }
}

void SheetRecords::AddThreadedComments(const std::string& part) {
  const std::string xml = ReadPart(part);
  if (xml.empty()) return;
  std::map<std::string, std::string> persons;
  if (!workbook_.threaded_persons_part.empty()) {
    const std::string persons_xml = ReadPart(workbook_.threaded_persons_part);
    XmlTokenizer reader(persons_xml, limits_);
    while (!persons_xml.empty() && reader.Read()) {
      if (reader.token().type != XmlTokenType::kStart) continue;
      persons[ReadAttribute(reader, "id")] = ReadAttribute(reader, "displayName");
    }
  }
  XmlTokenizer tokenizer(xml, limits_);
  std::string* text = nullptr;
  while (tokenizer.Read()) {
    const XmlToken& token = tokenizer.token();
    const std::string_view name = token.local_name();
    if (token.type == XmlTokenType::kEnd) text = nullptr;
    if (text != nullptr) AppendText(token, *text);
    if (token.type != XmlTokenType::kStart) continue;
    if (name == "threadedComment") {
      const std::string cell = ReadAttribute(tokenizer, "ref");
      Record& record = Add("threaded_comment", locator_ + "!thread:" + cell, locator_);
      record.attrs.Set("cell", Value(cell));
      SetUnlessEmpty(record.attrs, "author", persons[ReadAttribute(tokenizer, "personId")]);
      SetUnlessEmpty(record.attrs, "time", ReadAttribute(tokenizer, "dT"));
      SetUnlessEmpty(record.attrs, "reply_to", ReadAttribute(tokenizer, "parentId"));
      SetUnlessEmpty(record.attrs, "done", ReadAttribute(tokenizer, "done"));
    } else if (name == "text" && !records_.empty()) {
      text = &records_.back().text;
    }
  }
  if (const Status status = tokenizer.status(); !status.ok()) {
    diagnostics_.push_back({"error", "malformed", locator_, part + ": " + status.message()});
  }
}

}  // namespace staged::xlsx
