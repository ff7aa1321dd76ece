#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codec/opc.h"
#include "record/number_format.h"
#include "staged/limits.h"
#include "staged/status.h"
#include "staged/view.h"

namespace staged::xlsx {

struct SheetEntry {
  std::string name;
  std::string id;     // sheetId, as written
  std::string state;  // "visible", "hidden", "veryHidden"
  std::string type;   // "worksheet", "chartsheet", "dialogsheet", "xlMacrosheet"
  std::string part;   // "xl/worksheets/sheet1.xml"; empty when no relationship leads to one

  // Why a reader does not see it, or "".
  [[nodiscard]] std::string HiddenReason() const {
    return state == "visible" ? "" : state == "hidden" ? "hidden sheet" : "very hidden sheet";
  }
};

struct DefinedName {
  std::string name;
  std::string refers_to;
  std::string comment;
  std::optional<size_t> sheet;  // index of the sheet it is local to
  bool is_hidden = false;
};

// The workbook part and where it leads (ECMA-376 part 1, 18.2), transitional or strict.
struct Workbook {
  std::string part;
  std::vector<SheetEntry> sheets;  // in tab order
  std::vector<DefinedName> names;
  DateEpoch epoch = DateEpoch::k1900;
  std::string styles_part;  // empty when there is none
  std::string shared_strings_part;
  std::string calculation_chain_part;
  std::string threaded_persons_part;
  std::string macros_part;
  std::vector<std::string> external_link_parts;  // in the order in which formulas number them
};

// Errors: kParseFailed (no workbook part, or nothing can be read of it), kLimitExceeded. What is
// wrong yet readable becomes a diagnostic.
[[nodiscard]] Result<Workbook> ReadWorkbook(const OpcPackage& package, const Limits& limits,
                                            std::vector<Diagnostic>& diagnostics);

}  // namespace staged::xlsx
