#pragma once

#include <string_view>
#include <vector>

#include "formats/ipynb/cell_digest.h"
#include "formats/ipynb/notebook.h"
#include "staged/record.h"

namespace staged {

// How deep metadata has a record a value: what lies deeper is shown as JSON text.
inline constexpr size_t kMetadataDepthMax = 2;

// The records of one cell: the cell itself with its source, metadata, attachments, outputs with
// their data by MIME type, and fields that nbformat does not know. Spans count from the cell's
// first byte.
[[nodiscard]] std::vector<Record> CellRecords(std::string_view text, const JsonTree& tree,
                                              const NotebookCell& cell, const CellDigest& digest,
                                              bool has_spans, bool joins_lines);

// The records of what is no cell: metadata and unknown fields. Spans count from `span_offset`
// before the text.
[[nodiscard]] std::vector<Record> NotebookRecords(std::string_view text, const JsonTree& tree,
                                                  const Notebook& notebook, uint64_t span_offset,
                                                  bool has_spans);

}  // namespace staged
