#include "formats/xlsb/workbook.h"

#include <map>
#include <utility>

#include "formats/xlsb/binary_record.h"

namespace staged::xlsb {
namespace {

constexpr uint32_t kNoSheet = UINT32_MAX;
constexpr size_t kCountMax = 1 << 20;  // names, spans, sheets of books: far more than there can be

class WorkbookReader {
 public:
  WorkbookReader(OfficePackage& package, const Limits& limits, std::vector<Diagnostic>& diagnostics)
      : package_(package), limits_(limits), diagnostics_(diagnostics) {}

  Result<Workbook> Read() {
    workbook_.part = package_.PartOfType("", "officeDocument");
    if (workbook_.part.empty()) workbook_.part = "xl/workbook.bin";
    STAGED_ASSIGN_OR_RETURN(const std::string bytes, ReadPart(package_, workbook_.part));
    ReadWorkbookPart(bytes);
    for (const SheetEntry& sheet : workbook_.sheets) {
      workbook_.formula_names.sheets.push_back(sheet.name);
    }
    ReadNames();
    workbook_.strings_part = package_.PartOfType(workbook_.part, "sharedStrings");
    workbook_.styles_part = package_.PartOfType(workbook_.part, "styles");
    ReadStrings();
    ReadFormats();
    return std::move(workbook_);
  }

 private:
  void Diagnose(std::string severity, std::string code, std::string message) {
    diagnostics_.push_back({std::move(severity), std::move(code), "", std::move(message)});
  }

  void CheckWhole(const RecordReader& records, const std::string& part) {
    if (records.is_torn()) {
      Diagnose("error", "truncated", part + " ends inside a record; what stands before is shown");
    }
  }

  void ReadWorkbookPart(std::string_view bytes) {
    RecordReader records(bytes);
    while (records.Next()) {
      FieldReader fields(records.fields());
      switch (records.type()) {
        case RecordType::kWorkbookProperties:
          if ((fields.Long() & 1) != 0) workbook_.epoch = DateEpoch::k1904;
          break;
        case RecordType::kBundledSheet:
          AddSheet(fields);
          break;
        case RecordType::kName:
          if (names_.size() < kCountMax) names_.push_back(records.fields());
          break;
        case RecordType::kExternalBookSelf:
        case RecordType::kExternalBookSame:
          workbook_.formula_names.books.push_back({.is_own = true});
          break;
        case RecordType::kExternalBookAddIn:
          workbook_.formula_names.books.push_back({});
          break;
        case RecordType::kExternalBookSource:
          AddExternalBook(fields.Text());
          break;
        case RecordType::kExternalSheets:
          AddSpans(fields);
          break;
        default:
          break;
      }
    }
    CheckWhole(records, workbook_.part);
    ReadLocalNames();
  }

  void AddSheet(FieldReader& fields) {
    SheetEntry sheet;
    const uint32_t state = fields.Long();
    sheet.state = state == 0 ? "visible" : state == 1 ? "hidden" : "veryHidden";
    sheet.id = std::to_string(fields.Long());
    const std::string relationship_id = fields.Text();
    sheet.name = fields.Text();
    if (!fields.ok()) return Diagnose("error", "malformed", "a sheet's entry is cut");
    sheet.type = "worksheet";
    const OpcRelationship* relationship = package_.Relationship(workbook_.part, relationship_id);
    if (relationship != nullptr && !relationship->is_external) {
      sheet.part = relationship->target;
      sheet.type = relationship->type == "xlMacrosheet" ? "macrosheet" : relationship->type;
    } else {
      Diagnose("error", "missing_part", "no part belongs to the sheet '" + sheet.name + "'");
    }
    workbook_.sheets.push_back(std::move(sheet));
  }

  // Sheets and names of a book that is linked.
  void AddExternalBook(const std::string& relationship_id) {
    Book book;
    book.number = ++external_books_;
    const OpcRelationship* relationship = package_.Relationship(workbook_.part, relationship_id);
    if (relationship != nullptr && !relationship->is_external) {
      const Result<std::string> bytes = ReadPart(package_, relationship->target);
      RecordReader records(bytes.ok() ? std::string_view(*bytes) : std::string_view());
      while (records.Next()) {
        FieldReader fields(records.fields());
        if (records.type() != RecordType::kExternalSheetNames) continue;
        for (uint32_t left = fields.Long(); left > 0 && fields.ok(); --left) {
          if (book.sheets.size() < kCountMax) book.sheets.push_back(fields.Text());
        }
      }
    }
    workbook_.formula_names.books.push_back(std::move(book));
  }

  void AddSpans(FieldReader& fields) {
    std::vector<SheetSpan>& spans = workbook_.formula_names.spans;
    for (uint32_t left = fields.Long(); left > 0 && spans.size() < kCountMax; --left) {
      SheetSpan span;
      span.book = fields.Long();
      span.first = static_cast<int32_t>(fields.Long());
      span.last = static_cast<int32_t>(fields.Long());
      if (!fields.ok()) return;
      spans.push_back(span);
    }
  }

  // What formulas call them must be known before any formula is read.
  void ReadLocalNames() {
    for (const std::string_view name : names_) {
      FieldReader fields(name);
      (void)fields.Bytes(9);
      workbook_.formula_names.names.push_back(fields.Text());
    }
  }

  void ReadNames() {
    for (const std::string_view record : names_) {
      FieldReader fields(record);
      DefinedName name;
      name.is_hidden = (fields.Long() & 1) != 0;
      (void)fields.Byte();  // a keyboard shortcut
      const uint32_t sheet = fields.Long();
      if (sheet != kNoSheet) name.sheet = sheet;
      name.name = fields.Text();
      ParsedFormula formula;
      formula.tokens = fields.Bytes(fields.Long());
      formula.extra = fields.Bytes(fields.Long());
      name.comment = fields.Text();
      if (!fields.ok()) {
        Diagnose("warning", "malformed", "the defined name '" + name.name + "' is cut");
      }
      std::optional<std::string> text = formula.tokens.empty()
                                            ? std::optional(std::string())
                                            : FormulaText(formula, workbook_.formula_names, {1, 1});
      name.is_readable = text.has_value();
      if (text) name.refers_to = *std::move(text);
      if (!name.is_readable) {
        Diagnose("warning", "unread_formula",
                 "what the defined name '" + name.name + "' refers to cannot be shown");
      }
      workbook_.names.push_back(std::move(name));
    }
  }

  void ReadStrings() {
    if (workbook_.strings_part.empty()) return;
    const Result<std::string> bytes = ReadPart(package_, workbook_.strings_part);
    if (!bytes.ok()) return Diagnose("error", "unreadable_part", bytes.status().message());
    RecordReader records(*bytes);
    while (records.Next()) {
      if (records.type() != RecordType::kSharedStringItem) continue;
      if (workbook_.strings.size() >= limits_.records_max) break;
      workbook_.strings.push_back(FieldReader(records.fields()).RichText());
    }
    CheckWhole(records, workbook_.strings_part);
  }

  void ReadFormats() {
    if (workbook_.styles_part.empty()) return;
    const Result<std::string> bytes = ReadPart(package_, workbook_.styles_part);
    if (!bytes.ok()) return Diagnose("error", "unreadable_part", bytes.status().message());
    std::map<uint16_t, std::string> codes;
    RecordReader records(*bytes);
    bool is_cell_format = false;
    while (records.Next()) {
      FieldReader fields(records.fields());
      if (records.type() == RecordType::kNumberFormat) {
        const uint16_t number = fields.Short();
        codes[number] = fields.Text();
      } else if (records.type() == RecordType::kBeginCellFormats) {
        is_cell_format = true;
      } else if (records.type() == RecordType::kEndCellFormats) {
        is_cell_format = false;
      } else if (records.type() == RecordType::kCellFormat && is_cell_format) {
        (void)fields.Short();  // the named style that it is made by
        AddFormat(fields.Short(), codes);
      }
    }
    CheckWhole(records, workbook_.styles_part);
  }

  void AddFormat(uint16_t number, const std::map<uint16_t, std::string>& codes) {
    const auto own = codes.find(number);
    std::string code = own != codes.end() ? own->second : std::string(BuiltinNumberFormat(number));
    workbook_.formats.push_back(code.empty() ? "General" : std::move(code));
  }

  OfficePackage& package_;
  const Limits& limits_;
  std::vector<Diagnostic>& diagnostics_;
  Workbook workbook_;
  std::vector<std::string_view> names_;  // records of defined names
  uint32_t external_books_ = 0;
};

}  // namespace

Result<std::string> ReadPart(const OfficePackage& package, std::string_view part) {
  const ZipMember* member = package.Find(part);
  if (member == nullptr) {
    return Status(ErrorCode::kNotFound, "the part '" + std::string(part) + "' is missing");
  }
  return package.archive().Read(*member);
}

Result<Workbook> ReadWorkbook(OfficePackage& package, const Limits& limits,
                              std::vector<Diagnostic>& diagnostics) {
  return WorkbookReader(package, limits, diagnostics).Read();
}

}  // namespace staged::xlsb
