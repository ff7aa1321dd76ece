#pragma once

#include <string_view>
#include <vector>

#include "staged/record.h"

namespace staged {

// The blocks of a CommonMark text with GitHub's extensions, as records in order of their beginning:
// "heading" (`h:intro/setup`, parent of what follows it), "paragraph", "list_item", "quote",
// "code_block", "html_block", "thematic_break", "footnote", "front_matter", "definition" (link
// references and whatever else makes no block) as `block:12`; "table" (`t:1`), "table_row"
// (`t:1/r:2`) and "table_cell" (`t:1/r:2/c:3`; only cells that are in the bytes). Where
// CostsTooMuchForTables tables are read as paragraphs. Spans are offsets in `text`; every line that
// is not blank lies in the span of some record.
[[nodiscard]] std::vector<Record> MarkdownRecords(std::string_view text);

}  // namespace staged
