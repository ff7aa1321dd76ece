#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "formats/xlsx/shared_strings.h"
#include "staged/limits.h"
#include "staged/status.h"

// Edits of the parts around the sheets, by splicing.
namespace staged::xlsx {

// Strings to be appended to the shared strings part.
class SharedStringAppender {
 public:
  // Borrows both.
  SharedStringAppender(std::string_view xml, const SharedStrings& strings)
      : xml_(xml), strings_(strings) {}
  // The index of that text: of an item that has it, else of a new one.
  [[nodiscard]] size_t IndexOf(const std::string& text);
  [[nodiscard]] bool has_additions() const { return !added_.empty(); }
  // The part with the new items; "count" grows by `reference_delta`, "uniqueCount" by the items,
  // where they stand. Errors: kParseFailed.
  [[nodiscard]] Result<std::string> Make(int64_t reference_delta, const Limits& limits) const;

 private:
  std::string_view xml_;
  const SharedStrings& strings_;
  std::map<std::string, size_t> indices_;
  std::vector<std::string> added_;
};

// An entry of the calculation chain: sheetId and address.
using ChainEntry = std::pair<std::string, std::string>;

// The chain (ECMA-376 part 1, 18.6) without these entries; nullopt when none would be left. Entries
// that took their sheet from a removed one get it themselves.
[[nodiscard]] Result<std::optional<std::string>> RemoveFromChain(std::string_view xml,
                                                                 const std::set<ChainEntry>& gone,
                                                                 const Limits& limits);
// The workbook part with fullCalcOnLoad set, so that every formula is computed on opening.
[[nodiscard]] Result<std::string> RequestFullCalculation(std::string_view workbook_xml,
                                                         const Limits& limits);
// A relationships or content types part without the element whose attribute has that value.
[[nodiscard]] Result<std::string> RemoveElement(std::string_view xml, std::string_view element,
                                                std::string_view attribute,
                                                std::string_view value_end, const Limits& limits);

}  // namespace staged::xlsx
