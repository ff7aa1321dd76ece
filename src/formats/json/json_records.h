#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codec/json.h"
#include "staged/record.h"

namespace staged {

// For each node, which of the equal keys of its object it is, from 1; 1 for all others.
[[nodiscard]] std::vector<uint32_t> KeyOrdinals(std::string_view text, const JsonTree& tree);

// The member by which an array's objects can be told apart ("id"), or "" when there is none.
[[nodiscard]] std::string InferArrayKey(std::string_view text, const JsonTree& tree, size_t array);

// What a person would read of a scalar: a string's content, a number as it is written.
[[nodiscard]] std::string JsonScalarText(std::string_view text, const JsonNode& node);

// A record a value (members and items; a root container has none), then comments and what could not
// be read. Spans are offset by `span_offset`.
[[nodiscard]] std::vector<Record> JsonRecords(std::string_view text, const JsonTree& tree,
                                              uint64_t span_offset, bool has_spans);

}  // namespace staged
