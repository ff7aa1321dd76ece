#include "formats/markdown/table_padding.h"

#include <algorithm>

namespace staged {
namespace {

// About 30 MB of nodes in the parser.
constexpr uint64_t kPaddedCellsMax = 100'000;

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

uint64_t PaddedTableCells(std::string_view text) {
  uint64_t padded = 0;
  uint64_t columns = 0;  // of the table that may be open
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find_first_of("\r\n", begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    // Past a pair's first byte; its second one would look like a blank line.
    const bool is_pair = text.substr(end).starts_with("\r\n");
    begin = end + (is_pair ? 2 : 1);
    if (line.find_first_not_of(" \t>") == std::string_view::npos) {
      columns = 0;
      continue;
    }
    // A row never has fewer cells than pipes less one, but for escaped pipes, which are as many as
    // there are bytes for them.
    const auto pipes = static_cast<uint64_t>(std::count(line.begin(), line.end(), '|'));
    const uint64_t cells = std::max<uint64_t>(pipes, 1);
    if (columns > cells) padded += columns - cells;
    // Inside of a table a delimiter row is a row like any other: the wider one counts.
    columns = std::max(columns, DelimiterColumns(line));
  }
  return padded;
}

bool PadsTooManyTableCells(std::string_view text) {
  return PaddedTableCells(text) > std::max<uint64_t>(kPaddedCellsMax, text.size() / 4);
}

}  // namespace staged
