#include "formats/markdown/table_cost.h"

#include <algorithm>

namespace staged {
namespace {

// About 30 MB of nodes in the parser.
constexpr uint64_t kPaddedCellsMax = 100'000;
// Some tenths of a second, and as much for each 2 MB.
constexpr uint64_t kStepsMin = 50'000'000;
constexpr uint64_t kStepsPerByteMax = 50;

// The columns of a delimiter row, in whatever containers it is; 0 for any other line.
uint64_t DelimiterColumns(std::string_view line) {
  // The header and not the delimiter row has the list item's marker, if there is one.
  if (line.find_first_not_of(" \t\v\f>|:-") != std::string_view::npos) return 0;
  uint64_t columns = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '-' && (i == 0 || line[i - 1] != '-')) ++columns;
  }
  return columns;
}

}  // namespace

TableCost CostOfTables(std::string_view text) {
  TableCost cost;
  uint64_t columns = 0;          // of the table that may be open
  uint64_t paragraph_steps = 0;  // of the paragraph that may be open
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find_first_of("\r\n", begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    // Past a pair's first byte; its second one would look like a blank line.
    const bool is_pair = text.substr(end).starts_with("\r\n");
    begin = end + (is_pair ? 2 : 1);
    if (line.find_first_not_of(" \t>") == std::string_view::npos) {
      columns = 0;
      paragraph_steps = 0;
      continue;
    }
    // A row never has fewer cells than pipes less one, but for escaped pipes, which are as many as
    // there are bytes for them.
    const auto pipes = static_cast<uint64_t>(std::count(line.begin(), line.end(), '|'));
    const uint64_t cells = std::max<uint64_t>(pipes, 1);
    if (columns > cells) cost.padded_cells += columns - cells;
    const uint64_t line_steps = line.size() + cells * cells;
    paragraph_steps += line_steps;
    if (columns > 0) cost.steps += line_steps;
    const uint64_t delimited = DelimiterColumns(line);
    if (delimited > 0) cost.steps += paragraph_steps;
    // Inside of a table a delimiter row is a row like any other: the wider one counts.
    columns = std::max(columns, delimited);
  }
  return cost;
}

bool CostsTooMuchForTables(std::string_view text) {
  const TableCost cost = CostOfTables(text);
  return cost.padded_cells > std::max<uint64_t>(kPaddedCellsMax, text.size() / 4) ||
         cost.steps > std::max<uint64_t>(kStepsMin, text.size() * kStepsPerByteMax);
}

}  // namespace staged
