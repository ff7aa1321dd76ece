#pragma once

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "record/segments.h"
#include "staged/ext/format.h"

// What the fuzzers of text formats share: parse, round-trip the segments, then a few edits that the
// input chooses.
namespace staged::fuzzing {

inline void Require(bool condition) {
  if (!condition) std::abort();
}

inline void FuzzFormat(const Format& format, std::string_view input) {
  Limits limits;
  limits.input_bytes_max = 1 << 20;
  limits.records_max = 200'000;
  Result<ParsedContent> content = format.Parse(input, limits, {});
  if (!content.ok()) return;
  std::vector<Record> records;
  for (const auto& segment : content->segments) {
    Result<std::shared_ptr<const Segment>> decoded = DecodeSegment(segment->Encode());
    Require(decoded.ok() && (*decoded)->record_count() == segment->record_count());
    size_t index = 0;
    segment->ForEach([&](const Record& record) {
      if (index % 16 == 0) Require((*decoded)->At(index) == record);
      if (record.span)
        Require(record.span->begin <= record.span->end && record.span->end <= input.size());
      records.push_back(record);
      ++index;
      return true;
    });
  }
  if (records.empty()) return;
  const std::vector<std::string>& ops = format.descriptor().edit_ops;
  uint32_t state = static_cast<uint32_t>(input.size());
  for (const char c : input.substr(0, 64)) state = state * 31 + static_cast<uint8_t>(c);
  for (int round = 0; round < 4; ++round) {
    std::vector<Edit> edits;
    for (int i = 0; i <= round % 3; ++i) {
      state = state * 1'664'525 + 1'013'904'223;
      Edit edit;
      edit.op = ops[(state >> 8) % ops.size()];
      edit.locator = records[(state >> 12) % records.size()].locator;
      edit.arguments.Set("text", "planted\ntext");
      edit.arguments.Set("value", "planted, \"text\"");
      if (state % 3 == 0) edit.arguments.Set("values", Value::Array{1, "two"});
      edit.arguments.Set("find", input.substr(state % (input.size() + 1), 1 + state % 5));
      edit.arguments.Set("replace", "new");
      edit.arguments.Set("all", true);
      edit.arguments.Set("to", "renamed");
      edits.push_back(std::move(edit));
    }
    Result<EditOutcome> outcome = format.Apply(input, edits, limits);
    if (outcome.ok()) {
      Require(format.Parse(outcome->bytes, Limits(), {}).ok());
    } else {
      Require(!outcome.status().message().empty());
    }
  }
}

}  // namespace staged::fuzzing
