#include "formats/xlsx/workbook.h"

#include <algorithm>
#include <charconv>

#include "codec/xml.h"

namespace staged::xlsx {
namespace {

// The part that the package names as its main one, or the usual one where that is missing.
Result<std::string> FindWorkbookPart(const OpcPackage& package, const Limits& limits,
                                     std::vector<Diagnostic>& diagnostics) {
  const Result<std::vector<OpcRelationship>> relationships = package.Relationships("", limits);
  if (relationships.ok()) {
    for (const OpcRelationship& relationship : *relationships) {
      if (relationship.type == "officeDocument" && package.Find(relationship.target) != nullptr) {
        return relationship.target;
      }
    }
  }
  constexpr std::string_view kUsualPart = "xl/workbook.xml";
  if (package.Find(kUsualPart) == nullptr) {
    return Status(ErrorCode::kParseFailed,
                  "the package has no workbook part; restore the file from its source");
  }
  diagnostics.push_back({"warning", "package_relationships", "",
                         "the package does not name its workbook; xl/workbook.xml is taken"});
  return std::string(kUsualPart);
}

class WorkbookReader {
 public:
  WorkbookReader(std::string_view xml, const std::vector<OpcRelationship>& relationships,
                 const Limits& limits, Workbook& workbook)
      : tokenizer_(xml, limits), relationships_(relationships), workbook_(workbook) {}

  Status Read() {
    while (tokenizer_.Read()) {
      const XmlToken& token = tokenizer_.token();
      if (token.type == XmlTokenType::kText && in_name_) {
        XmlDecodeTo(token.raw, workbook_.names.back().refers_to);
      } else if (token.type == XmlTokenType::kCData && in_name_) {
        workbook_.names.back().refers_to.append(token.raw);
      } else if (token.type == XmlTokenType::kEnd && token.local_name() == "definedName") {
        in_name_ = false;
      } else if (token.type == XmlTokenType::kStart) {
        ReadElement(token.local_name());
      }
    }
    return tokenizer_.status();
  }

 private:
  std::string Attribute(std::string_view name) {
    return XmlDecodeAttribute(tokenizer_.Attribute(name).value_or(""));
  }

  void ReadElement(std::string_view name) {
    if (name == "workbookPr") {
      const std::string flag = Attribute("date1904");
      if (flag == "1" || flag == "true" || flag == "on") workbook_.epoch = DateEpoch::k1904;
    } else if (name == "sheet" && tokenizer_.depth() == 3) {
      ReadSheet();
    } else if (name == "externalReference") {
      const OpcRelationship* link = Relationship();
      if (link != nullptr) workbook_.external_link_parts.push_back(link->target);
    } else if (name == "definedName") {
      DefinedName defined;
      defined.name = Attribute("name");
      defined.comment = Attribute("comment");
      defined.is_hidden = Attribute("hidden") == "1" || Attribute("hidden") == "true";
      const std::string local = Attribute("localSheetId");
      size_t index = 0;
      if (std::from_chars(local.data(), local.data() + local.size(), index).ec == std::errc()) {
        defined.sheet = index;
      }
      workbook_.names.push_back(std::move(defined));
      in_name_ = true;
    }
  }

  // Where the element's relationship leads inside the package; nullptr when nowhere.
  const OpcRelationship* Relationship() {
    std::string id;
    for (const XmlAttribute& attribute : tokenizer_.attributes()) {
      if (attribute.name.ends_with(":id")) id = XmlDecodeAttribute(attribute.value);
    }
    for (const OpcRelationship& relationship : relationships_) {
      if (relationship.id == id && !relationship.is_external) return &relationship;
    }
    return nullptr;
  }

  void ReadSheet() {
    SheetEntry sheet;
    sheet.name = Attribute("name");
    sheet.id = Attribute("sheetId");
    sheet.state = Attribute("state");
    if (sheet.state.empty()) sheet.state = "visible";
    sheet.type = "worksheet";
    if (const OpcRelationship* part = Relationship()) {
      sheet.type = part->type;
      sheet.part = part->target;
    }
    workbook_.sheets.push_back(std::move(sheet));
  }

  XmlTokenizer tokenizer_;
  const std::vector<OpcRelationship>& relationships_;
  Workbook& workbook_;
  bool in_name_ = false;
};

}  // namespace

Result<Workbook> ReadWorkbook(const OpcPackage& package, const Limits& limits,
                              std::vector<Diagnostic>& diagnostics) {
  Workbook workbook;
  STAGED_ASSIGN_OR_RETURN(workbook.part, FindWorkbookPart(package, limits, diagnostics));
  STAGED_ASSIGN_OR_RETURN(const std::string xml, package.ReadXml(workbook.part));
  Result<std::vector<OpcRelationship>> relationships = package.Relationships(workbook.part, limits);
  if (!relationships.ok()) {
    diagnostics.push_back({"error", "malformed", "", relationships.status().message()});
    relationships = std::vector<OpcRelationship>();
  }
  for (const OpcRelationship& relationship : *relationships) {
    if (relationship.is_external) continue;
    if (relationship.type == "styles") workbook.styles_part = relationship.target;
    if (relationship.type == "sharedStrings") workbook.shared_strings_part = relationship.target;
    if (relationship.type == "calcChain") workbook.calculation_chain_part = relationship.target;
    if (relationship.type == "vbaProject") workbook.macros_part = relationship.target;
    if (relationship.type == "person") workbook.threaded_persons_part = relationship.target;
  }
  const Status status = WorkbookReader(xml, *relationships, limits, workbook).Read();
  if (!status.ok()) {
    if (workbook.sheets.empty()) return status;
    diagnostics.push_back({"error", "malformed", "", workbook.part + ": " + status.message()});
  }
  return workbook;
}

}  // namespace staged::xlsx
