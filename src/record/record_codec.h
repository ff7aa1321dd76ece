#pragma once

#include <cstdint>
#include <vector>

#include "base/binary.h"
#include "staged/limits.h"
#include "staged/record.h"

// The encoding of single records inside encoded segments, and of what bounds a parse.
namespace staged {

// First byte of an encoded segment. Persisted in caches only; unknown tags are damage.
inline constexpr uint8_t kListSegmentTag = 1;
inline constexpr uint8_t kGridSegmentTag = 2;
inline constexpr uint8_t kLineSegmentTag = 3;
inline constexpr uint8_t kDelimitedSegmentTag = 4;
inline constexpr uint8_t kOutlineSegmentTag = 5;

void PutRecord(BinaryWriter& writer, const Record& record);
[[nodiscard]] Record GetRecord(BinaryReader& reader);
// A count and that many records.
[[nodiscard]] std::vector<Record> GetRecords(BinaryReader& reader);

// Every limit, in the order of its declaration: part of the keys of cached views.
void PutLimits(BinaryWriter& writer, const Limits& limits);
[[nodiscard]] Limits GetLimits(BinaryReader& reader);

}  // namespace staged
