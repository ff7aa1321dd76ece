#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "record/number_format.h"

// How sheets write the values of cells.
namespace staged::xlsx {

// Without the white space of XML at both ends.
[[nodiscard]] std::string_view Trim(std::string_view text);
// nullopt for what is no decimal number; 0 for one that no double holds.
[[nodiscard]] std::optional<double> ParseNumber(std::string_view text);
// Digits only.
[[nodiscard]] std::optional<uint32_t> ParseUnsigned(std::string_view text);
// The serial of an ISO 8601 date, time or both, as cells of type "d" hold (18.18.11). nullopt when
// it is none.
[[nodiscard]] std::optional<double> ParseIsoDate(std::string_view text, DateEpoch epoch);

}  // namespace staged::xlsx
