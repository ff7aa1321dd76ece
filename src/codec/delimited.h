#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "record/delimited_segment.h"

// Delimited texts (RFC 4180 and what programs write): which dialect, where the cells are, and how a
// cell is written.
namespace staged {

// The delimiter (comma, semicolon, tab, bar) by which the first rows have the same, greatest number
// of cells. A text of one column has the comma.
[[nodiscard]] DelimitedDialect DetectDialect(std::string_view text);

struct DelimitedIssue {
  std::string_view code;  // "unterminated_quote", "stray_quote"
  size_t row = 0;         // from 0
};

struct DelimitedParse {
  DelimitedTable table;
  std::vector<DelimitedIssue> issues;  // at most a thousand
};

// Every input is some table. Rows end at LF, CR LF or CR outside quotes; a blank line is a row
// without cells. A quote inside an unquoted cell, and what follows a closing quote, is kept as it
// is. REQUIRES: text.size() < 4 GiB.
[[nodiscard]] DelimitedParse ParseDelimited(std::string_view text, const DelimitedDialect& dialect);

// Appends a cell, quoted where its content needs it or `force_quotes` asks for it.
void AppendDelimitedCell(std::string& out, std::string_view content,
                         const DelimitedDialect& dialect, bool force_quotes);

// A column whose name says that it identifies rows ("id", "key", "uuid", "order_id") and whose
// values are there and unique; DelimitedSegment::kNoKeyColumn if there is none.
[[nodiscard]] size_t InferKeyColumn(std::string_view text, const DelimitedTable& table,
                                    const DelimitedDialect& dialect);

}  // namespace staged
