#pragma once

#include <cstdint>
#include <vector>

#include "base/binary.h"
#include "staged/record.h"

// The encoding of single records inside encoded segments.
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

}  // namespace staged
