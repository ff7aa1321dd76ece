#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "codec/json.h"
#include "staged/view.h"

namespace staged {

// The members whose key occurred in their object before, by node: for the how manieth time, from 2.
using KeyOrdinals = std::map<uint32_t, uint32_t>;
[[nodiscard]] KeyOrdinals RepeatedKeys(std::string_view text, const JsonTree& tree);
// 1 for all others.
[[nodiscard]] uint32_t OrdinalOf(const KeyOrdinals& repeated, size_t node);

// The member by which an array's objects can be told apart ("id"), or "" when there is none.
[[nodiscard]] std::string InferArrayKey(std::string_view text, const JsonTree& tree, size_t array);

// What a person would read of a scalar: a string's content, a number as it is written.
[[nodiscard]] std::string JsonScalarText(std::string_view text, const JsonNode& node);

// The record `file`, a record a value (members and items; a root container has none), then comments
// and what could not be read. Spans are offset by `span_offset`.
[[nodiscard]] std::shared_ptr<const Segment> MakeJsonSegment(std::string_view text,
                                                             const JsonTree& tree,
                                                             const ContentHash& digest, Record file,
                                                             uint64_t span_offset, bool has_spans);

}  // namespace staged
