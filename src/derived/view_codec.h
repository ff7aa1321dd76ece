#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "staged/content_hash.h"
#include "staged/view.h"

// How views and segments are written into the derived database.
namespace staged {

// zstd frame (level 1, with content size and checksum) around Segment::Encode.
[[nodiscard]] std::string CompressSegment(const Segment& segment);
// Errors: kDataLoss.
[[nodiscard]] Result<std::shared_ptr<const Segment>> DecompressSegment(std::string_view bytes,
                                                                       uint64_t size_bytes_max);

// Everything of a view but its hash and segments; what stands for these is their database ids.
[[nodiscard]] std::string EncodeViewHeader(const View& view);
// The header with the segment ids, behind a checksum.
[[nodiscard]] std::string EncodeViewBody(std::string_view header, const std::vector<int64_t>& ids);
// Errors: kDataLoss.
[[nodiscard]] Result<View> DecodeViewBody(std::string_view body, std::vector<int64_t>* ids);
// Whether some of the file's content is in no record: a limit was reached, it could not be read.
[[nodiscard]] bool IsCut(const View& view);

struct ViewSummary {
  std::vector<int64_t> segment_ids;
  bool is_cut = false;  // IsCut
};
// Without the rest. Errors: kDataLoss.
[[nodiscard]] Result<ViewSummary> DecodeViewSummary(std::string_view body);

}  // namespace staged
