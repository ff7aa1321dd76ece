#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "record/cell_address.h"

// The records that a binary workbook's parts are made of ([MS-XLSB] 2.1.4): a type, a size, fields.
namespace staged::xlsb {

// Those that are read here ([MS-XLSB] 2.3.2).
enum class RecordType : uint32_t {
  kRowHeader = 0,
  kCellBlank = 1,
  kCellRk = 2,
  kCellError = 3,
  kCellBoolean = 4,
  kCellReal = 5,
  kCellString = 6,
  kCellSharedString = 7,
  kFormulaString = 8,
  kFormulaNumber = 9,
  kFormulaBoolean = 10,
  kFormulaError = 11,
  kSharedStringItem = 19,
  kName = 39,
  kNumberFormat = 44,
  kCellFormat = 47,
  kColumnInfo = 60,
  kCellRichString = 62,
  kSheetDimension = 148,
  kWorkbookProperties = 153,
  kBundledSheet = 156,
  kMergedCells = 176,
  kBeginTable = 343,
  kBeginTableColumn = 347,
  kExternalBookSource = 355,
  kExternalBookSelf = 357,
  kExternalBookSame = 358,
  kExternalSheetNames = 359,
  kExternalSheets = 362,
  kArrayFormula = 426,
  kSharedFormula = 427,
  kHyperlink = 494,
  kBeginCellFormats = 617,
  kEndCellFormats = 618,
  kCommentAuthor = 632,
  kBeginComment = 635,
  kCommentText = 637,
  kExternalBookAddIn = 667,
};

// Walks the records of one part. Borrows its bytes.
class RecordReader {
 public:
  explicit RecordReader(std::string_view part) : rest_(part) {}
  // Whether there was another record.
  [[nodiscard]] bool Next();
  [[nodiscard]] RecordType type() const { return static_cast<RecordType>(type_); }
  [[nodiscard]] uint32_t type_number() const { return type_; }
  [[nodiscard]] std::string_view fields() const { return fields_; }
  // Whether it ended inside a record.
  [[nodiscard]] bool is_torn() const { return is_torn_; }

 private:
  std::string_view rest_;
  std::string_view fields_;
  uint32_t type_ = 0;
  bool is_torn_ = false;
};

// Reads fields one behind the other. Behind the end all are zero and empty, and ok() is false.
class FieldReader {
 public:
  explicit FieldReader(std::string_view fields) : rest_(fields) {}
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] std::string_view rest() const { return rest_; }
  std::string_view Bytes(uint64_t size);
  uint8_t Byte();
  uint16_t Short();
  uint32_t Long();
  double Real();
  // A 30-bit number (2.5.122): an integer or the upper bits of a double, perhaps a hundredfold.
  double Rk();
  // A counted text in UTF-16 (2.5.168); "" where it is null (2.5.166).
  std::string Text();
  // The text of a rich string (2.5.121), without its formats.
  std::string RichText();
  // First and last row, first and last column (2.5.153); nullopt beyond a sheet's borders.
  std::optional<CellRange> Range();

 private:
  std::string_view rest_;
  bool ok_ = true;
};

// "#N/A" of the number that stands for it (2.5.97.2); "#ERR255" for an unknown one.
[[nodiscard]] std::string ErrorName(uint8_t code);

}  // namespace staged::xlsb
