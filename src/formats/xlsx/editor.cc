#include "formats/xlsx/editor.h"

#include <algorithm>
#include <charconv>
#include <future>
#include <memory>

#include "codec/opc.h"
#include "codec/xml.h"
#include "formats/xlsx/package_edits.h"
#include "formats/xlsx/sheet_editor.h"
#include "formats/xlsx/styles.h"
#include "formats/xlsx/view_builder.h"
#include "formats/xlsx/workbook.h"

namespace staged::xlsx {
namespace {

// Below this size of a part, starting a thread costs more than it brings.
constexpr size_t kCheckBesideBytesMin = size_t{1} << 20;

std::string LowerAscii(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  }
  return lower;
}

// One call of ApplyEdits.
class WorkbookEditor {
 public:
  WorkbookEditor(const ZipReader& zip, const Limits& limits)
      : zip_(zip), package_(zip), limits_(limits) {}

  Result<EditOutcome> Apply(const std::vector<Edit>& edits) {
    std::vector<Diagnostic> diagnostics;
    STAGED_ASSIGN_OR_RETURN(workbook_, ReadWorkbook(package_, limits_, diagnostics));
    STAGED_RETURN_IF_ERROR(Locate(edits));
    STAGED_RETURN_IF_ERROR(ReadContext());
    for (const size_t index : order_) STAGED_RETURN_IF_ERROR(EditSheet(index));
    STAGED_RETURN_IF_ERROR(EditSharedStrings());
    STAGED_RETURN_IF_ERROR(EditCalculation());
    return Finish();
  }

 private:
  struct SheetWork {
    std::vector<LocatedEdit> edits;
    SheetResult result;
    std::shared_ptr<const std::string> xml;  // of the edited sheet; null where nothing changed
  };

  Status Locate(const std::vector<Edit>& edits) {
    for (const Edit& edit : edits) {
      const std::optional<SheetLocator> split = SplitSheetLocator(edit.locator);
      if (!split || split->sheet.empty()) {
        return Status(ErrorCode::kInvalidArgument,
                      "'" + edit.locator + "' names no cell; write one as Sheet1!B7");
      }
      STAGED_ASSIGN_OR_RETURN(const size_t index, FindSheet(split->sheet));
      const std::optional<CellAddress> cell = ParseCellAddress(split->rest);
      if (!cell) {
        return Status(ErrorCode::kUnsupportedEdit,
                      "only single cells can be edited, not '" + edit.locator +
                          "'; give one edit a cell, or write the whole file");
      }
      if (!sheets_.contains(index)) order_.push_back(index);
      sheets_[index].edits.push_back({&edit, *cell});
    }
    return OkStatus();
  }

  Result<size_t> FindSheet(const std::string& name) const {
    std::optional<size_t> found;
    for (size_t i = 0; i < workbook_.sheets.size(); ++i) {
      if (workbook_.sheets[i].name == name) return i;
      if (LowerAscii(workbook_.sheets[i].name) == LowerAscii(name)) found = i;
    }
    if (found) return *found;
    return Status(ErrorCode::kNoMatch, "the workbook has no sheet '" + name +
                                           "'; list its sheets with `staged parse FILE`");
  }

  Status ReadContext() {
    if (!workbook_.styles_part.empty()) {
      if (const auto xml = package_.ReadXml(workbook_.styles_part); xml.ok()) {
        styles_ = ReadStyles(*xml, limits_);
      }
    }
    if (workbook_.shared_strings_part.empty() ||
        package_.Find(workbook_.shared_strings_part) == nullptr) {
      return OkStatus();
    }
    STAGED_ASSIGN_OR_RETURN(strings_xml_, ReadForEdit(workbook_.shared_strings_part));
    Status status;
    strings_ = SharedStrings::Read(strings_xml_, limits_, &status);
    STAGED_RETURN_IF_ERROR(std::move(status));
    appender_.emplace(strings_xml_, strings_);
    return OkStatus();
  }

  // A part's bytes, which must be UTF-8 to be spliced.
  Result<std::string> ReadForEdit(const std::string& part) const {
    const ZipMember* member = package_.Find(part);
    if (member == nullptr) {
      return Status(ErrorCode::kParseFailed,
                    "the part '" + part + "' is missing; restore the file from its source");
    }
    STAGED_ASSIGN_OR_RETURN(std::string bytes, zip_.Read(*member));
    if (XmlIsUtf8(bytes)) return bytes;
    STAGED_ASSIGN_OR_RETURN(const std::string utf8, XmlToUtf8(bytes));
    if (utf8 == bytes) return bytes;
    return Status(
        ErrorCode::kUnsupportedEdit,
        "the part '" + part + "' is not in UTF-8; save the file once with its own application");
  }

  Status EditSheet(size_t index) {
    const SheetEntry& sheet = workbook_.sheets[index];
    if (sheet.type != "worksheet") {
      return Status(ErrorCode::kUnsupportedEdit, "'" + sheet.name + "' is a " + sheet.type +
                                                     " without cells; edit a worksheet instead");
    }
    SheetWork& work = sheets_[index];
    STAGED_ASSIGN_OR_RETURN(const std::string xml, ReadForEdit(sheet.part));
    SheetEditContext context;
    context.sheet = &sheet;
    context.epoch = workbook_.epoch;
    context.styles = &styles_;
    context.strings = &strings_;
    context.appender = appender_ ? &*appender_ : nullptr;
    context.limits = limits_;
    STAGED_ASSIGN_OR_RETURN(context.table_headers, TableHeaders(sheet));
    STAGED_ASSIGN_OR_RETURN(work.result, EditSheetXml(xml, work.edits, context));
    derived_.insert(derived_.end(), work.result.derived.begin(), work.result.derived.end());
    has_formulas_ |= work.result.has_formulas;
    sets_formula_ |= work.result.sets_formula;
    reference_delta_ += work.result.reference_delta;
    for (const CellAddress& cell : work.result.formulas_gone) {
      gone_.insert({sheet.id, FormatCellAddress(cell)});
    }
    if (work.result.xml) {
      work.xml = std::make_shared<const std::string>(*std::move(work.result.xml));
      work.result.xml.reset();
      replaced_[package_.Find(sheet.part)] = work.xml;
    }
    return OkStatus();
  }

  // Header cells of the sheet's tables: their texts are the columns' names.
  Result<std::vector<CellRange>> TableHeaders(const SheetEntry& sheet) const {
    std::vector<CellRange> headers;
    STAGED_ASSIGN_OR_RETURN(const auto relationships, package_.Relationships(sheet.part, limits_));
    for (const OpcRelationship& relationship : relationships) {
      if (relationship.type != "table" || relationship.is_external) continue;
      STAGED_ASSIGN_OR_RETURN(const std::string xml, package_.ReadXml(relationship.target));
      XmlTokenizer tokenizer(xml, limits_);
      while (tokenizer.Read() && tokenizer.token().type != XmlTokenType::kStart) {
      }
      STAGED_RETURN_IF_ERROR(tokenizer.status());
      const auto range = ParseCellRange(tokenizer.Attribute("ref").value_or(""));
      if (!range || tokenizer.Attribute("headerRowCount").value_or("1") == "0") continue;
      headers.push_back({range->first, {range->first.row, range->last.column}});
    }
    return headers;
  }

  Status EditSharedStrings() {
    if (!appender_ || !appender_->has_additions()) return OkStatus();
    STAGED_ASSIGN_OR_RETURN(std::string xml, appender_->Make(reference_delta_, limits_));
    Replace(workbook_.shared_strings_part, std::move(xml));
    return OkStatus();
  }

  Status EditCalculation() {
    if (replaced_.empty()) return OkStatus();
    if (!gone_.empty()) STAGED_RETURN_IF_ERROR(EditChain());
    STAGED_ASSIGN_OR_RETURN(const bool depends, AnyFormula());
    if (!depends) return OkStatus();
    STAGED_ASSIGN_OR_RETURN(const std::string xml, ReadForEdit(workbook_.part));
    STAGED_ASSIGN_OR_RETURN(std::string requested, RequestFullCalculation(xml, limits_));
    if (requested == xml) return OkStatus();
    Replace(workbook_.part, std::move(requested));
    derived_.push_back({"", "all formulas are to be computed on opening (fullCalcOnLoad)"});
    return OkStatus();
  }

  // Whether some formula could depend on what was edited.
  Result<bool> AnyFormula() {
    if (has_formulas_ || sets_formula_) return true;
    for (size_t i = 0; i < workbook_.sheets.size(); ++i) {
      const std::string& part = workbook_.sheets[i].part;
      if (sheets_.contains(i) || part.empty() || package_.Find(part) == nullptr) continue;
      const Result<std::string> xml = package_.ReadXml(part);
      if (!xml.ok() || xml->find("</f>") != std::string::npos ||
          xml->find(":f>") != std::string::npos) {
        return true;
      }
    }
    return false;
  }

  Status EditChain() {
    const std::string& part = workbook_.calculation_chain_part;
    if (part.empty() || package_.Find(part) == nullptr) return OkStatus();
    STAGED_ASSIGN_OR_RETURN(const std::string xml, ReadForEdit(part));
    STAGED_ASSIGN_OR_RETURN(std::optional<std::string> chain, RemoveFromChain(xml, gone_, limits_));
    if (chain && *chain == xml) return OkStatus();
    for (const auto& [sheet_id, address] : gone_) {
      for (const SheetEntry& sheet : workbook_.sheets) {
        if (sheet.id != sheet_id) continue;
        derived_.push_back({QuoteSheetName(sheet.name) + "!" + address,
                            "its entry in the calculation chain is removed"});
      }
    }
    if (chain) {
      Replace(part, *std::move(chain));
      return OkStatus();
    }
    // An empty chain is not allowed: the part goes, with what leads to it.
    removed_.push_back(package_.Find(part));
    const std::string name = part.substr(part.rfind('/') + 1);
    for (const auto& [holder, element, attribute] :
         {std::tuple{OpcRelationshipsPart(workbook_.part), "Relationship", "Target"},
          std::tuple{std::string("[Content_Types].xml"), "Override", "PartName"}}) {
      if (package_.Find(holder) == nullptr) continue;
      STAGED_ASSIGN_OR_RETURN(const std::string holder_xml, ReadForEdit(holder));
      STAGED_ASSIGN_OR_RETURN(std::string without,
                              RemoveElement(holder_xml, element, attribute, name, limits_));
      if (without != holder_xml) Replace(holder, std::move(without));
    }
    return OkStatus();
  }

  void Replace(const std::string& part, std::string xml) {
    replaced_[package_.Find(part)] = std::make_shared<const std::string>(std::move(xml));
  }

  size_t IndexOf(const ZipMember* member) const {
    return static_cast<size_t>(member - zip_.members().data());
  }

  Result<EditOutcome> Finish() {
    EditOutcome outcome;
    if (replaced_.empty()) {
      outcome.bytes = std::string(zip_.bytes());
      return outcome;
    }
    // The cells are read back from the sheets while these are compressed, and the sheets from the
    // archive after that: the same as reading the cells from the archive, in less time.
    const bool is_large = LargestReplaced() >= kCheckBesideBytesMin;
    std::future<Status> checked =
        std::async(is_large ? std::launch::async | std::launch::deferred : std::launch::deferred,
                   [this, strings = NewStrings()] { return CheckCells(strings); });
    ZipSplicer splicer(zip_);
    for (const auto& [member, xml] : replaced_) splicer.Replace(IndexOf(member), xml);
    for (const ZipMember* member : removed_) splicer.Remove(IndexOf(member));
    STAGED_ASSIGN_OR_RETURN(outcome.bytes, splicer.Finish());
    outcome.rewritten_members = splicer.rewritten_members();
    outcome.deflated = splicer.deflated();
    for (const ZipMember& member : zip_.members()) {
      if (!member.name.starts_with("_xmlsignatures/")) continue;
      derived_.push_back({"", "the file's digital signature no longer holds"});
      break;
    }
    outcome.derived = std::move(derived_);
    STAGED_RETURN_IF_ERROR(CheckArchive(outcome));
    STAGED_RETURN_IF_ERROR(checked.get());
    return outcome;
  }

  size_t LargestReplaced() const {
    size_t largest = 0;
    for (const auto& [member, xml] : replaced_) largest = std::max(largest, xml->size());
    return largest;
  }

  // The shared strings of the new file.
  std::string NewStrings() const {
    if (!appender_) return "";
    const auto replaced = replaced_.find(package_.Find(workbook_.shared_strings_part));
    return replaced == replaced_.end() ? strings_xml_ : *replaced->second;
  }

  // Reads the edited cells back from the new sheets.
  Status CheckCells(const std::string& strings_xml) const {
    SharedStrings strings;
    if (appender_) {
      Status status;
      strings = SharedStrings::Read(strings_xml, limits_, &status);
      STAGED_RETURN_IF_ERROR(std::move(status));
    }
    for (const auto& [index, work] : sheets_) {
      if (!work.xml) continue;
      SheetEditContext context;
      context.sheet = &workbook_.sheets[index];
      context.epoch = workbook_.epoch;
      context.styles = &styles_;
      context.strings = &strings;
      context.limits = limits_;
      STAGED_RETURN_IF_ERROR(CheckSheetXml(*work.xml, work.result.contents, context));
    }
    return OkStatus();
  }

  // Reads back the parts that were replaced; of a large one it is known what its content deflates
  // to, so that it is enough to find just that.
  Status CheckArchive(const EditOutcome& outcome) const {
    const std::string_view bytes = outcome.bytes;
    STAGED_ASSIGN_OR_RETURN(const ZipReader zip, ZipReader::Open(bytes, limits_));
    const OpcPackage package(zip);
    for (const auto& [old_member, xml] : replaced_) {
      const ZipMember* member = zip.Find(old_member->name);
      if (member == nullptr) return LostPart(old_member->name);
      const auto known =
          std::find_if(outcome.deflated.begin(), outcome.deflated.end(),
                       [&](const auto& deflated) { return &deflated->content() == xml.get(); });
      if (known == outcome.deflated.end()) {
        // Inflates it and compares its checksum with that of what was compressed.
        STAGED_RETURN_IF_ERROR(zip.Read(*member).status());
      } else if (zip.CompressedBytes(*member) != (*known)->compressed() ||
                 member->size_bytes != xml->size()) {
        return LostPart(old_member->name);
      }
    }
    for (const auto& [index, work] : sheets_) {
      if (!work.xml) continue;
      const std::string& part = workbook_.sheets[index].part;
      const ZipMember* member = package.Find(part);
      if (member == nullptr || member->size_bytes != work.xml->size()) return LostPart(part);
    }
    return OkStatus();
  }

  static Status LostPart(const std::string& part) {
    return {ErrorCode::kDataLoss, "after the edit the part '" + part +
                                      "' does not read back as written; nothing was changed, "
                                      "report this file"};
  }

  const ZipReader& zip_;
  OpcPackage package_;
  const Limits& limits_;
  Workbook workbook_;
  Styles styles_;
  std::string strings_xml_;
  SharedStrings strings_;
  std::optional<SharedStringAppender> appender_;
  std::vector<size_t> order_;  // sheets in order of their first edit
  std::map<size_t, SheetWork> sheets_;
  std::set<ChainEntry> gone_;
  std::vector<DerivedEffect> derived_;
  bool has_formulas_ = false;
  bool sets_formula_ = false;
  int64_t reference_delta_ = 0;
  std::map<const ZipMember*, std::shared_ptr<const std::string>> replaced_;
  std::vector<const ZipMember*> removed_;
};

}  // namespace

Result<EditOutcome> ApplyEdits(std::string_view bytes, const std::vector<Edit>& edits,
                               const Limits& limits) {
  STAGED_RETURN_IF_ERROR(CheckContainer(bytes));
  STAGED_ASSIGN_OR_RETURN(const ZipReader zip, ZipReader::Open(bytes, limits));
  return WorkbookEditor(zip, limits).Apply(edits);
}

}  // namespace staged::xlsx
