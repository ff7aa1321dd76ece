#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codec/office_package.h"
#include "formats/xlsb/formula_text.h"
#include "record/number_format.h"
#include "staged/status.h"
#include "staged/view.h"

namespace staged::xlsb {

struct SheetEntry {
  std::string name;
  std::string id;     // as the application numbers it
  std::string state;  // "visible", "hidden", "veryHidden"
  std::string type;   // "worksheet", "chartsheet", "dialogsheet", "macrosheet"
  std::string part;   // empty when no relationship leads to one

  // Why a reader does not see it, or "".
  [[nodiscard]] std::string HiddenReason() const {
    return state == "visible" ? "" : state == "hidden" ? "hidden sheet" : "very hidden sheet";
  }
};

struct DefinedName {
  std::string name;
  std::string refers_to;  // "" where its formula cannot be read
  std::string comment;
  std::optional<size_t> sheet;  // that it is local to
  bool is_hidden = false;
  bool is_readable = true;
};

// The workbook's part ([MS-XLSB] 2.1.7.61), its strings (2.1.7.45) and number formats (2.1.7.50).
struct Workbook {
  std::string part;
  std::vector<SheetEntry> sheets;  // in tab order
  std::vector<DefinedName> names;
  FormulaNames formula_names;
  DateEpoch epoch = DateEpoch::k1900;
  std::string strings_part;  // empty when there is none
  std::string styles_part;
  std::vector<std::string> strings;
  std::vector<std::string> formats;  // number format codes by cell format
};

// Errors: kParseFailed (no workbook part, or it cannot be read), kLimitExceeded. What else is wrong
// becomes a diagnostic.
[[nodiscard]] Result<Workbook> ReadWorkbook(OfficePackage& package, const Limits& limits,
                                            std::vector<Diagnostic>& diagnostics);

// A member of the archive as it is. Errors: kNotFound, kParseFailed, kLimitExceeded.
[[nodiscard]] Result<std::string> ReadPart(const OfficePackage& package, std::string_view part);

}  // namespace staged::xlsb
