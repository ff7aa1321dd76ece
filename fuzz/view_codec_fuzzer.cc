#include <string>
#include <string_view>
#include <vector>

#include "derived/view_codec.h"
#include "fuzz/format_fuzzing.h"
#include "staged/content_hash.h"

// Rows of the derived database, of any bytes: a view, with its checksum as it is and made right,
// and a compressed segment. What decodes is the same after another round.
namespace staged {
namespace {

constexpr size_t kChecksumBytes = 8;
constexpr uint64_t kSegmentBytesMax = 16 << 20;

void DecodeView(std::string_view body) {
  std::vector<int64_t> ids;
  const Result<View> view = DecodeViewBody(body, &ids);
  const Result<ViewSummary> summary = DecodeViewSummary(body);
  if (!view.ok()) return;
  fuzzing::Require(summary.ok() && summary->segment_ids == ids);
  std::vector<int64_t> again_ids;
  const Result<View> again =
      DecodeViewBody(EncodeViewBody(EncodeViewHeader(*view), ids), &again_ids);
  fuzzing::Require(again.ok() && again_ids == ids && again->format == view->format &&
                   again->parser == view->parser && again->fallback == view->fallback &&
                   again->parts == view->parts && again->diagnostics == view->diagnostics);
}

void DecodeCompressed(std::string_view bytes) {
  const auto segment = DecompressSegment(bytes, kSegmentBytesMax);
  if (!segment.ok()) return;
  const auto again = DecompressSegment(CompressSegment(**segment), 2 * kSegmentBytesMax);
  fuzzing::Require(again.ok() && (*again)->Encode() == (*segment)->Encode());
}

}  // namespace
}  // namespace staged

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  staged::DecodeView(bytes);
  staged::DecodeCompressed(bytes);
  if (size < staged::kChecksumBytes) return 0;
  const std::string_view content = bytes.substr(staged::kChecksumBytes);
  const staged::ContentHash hash = staged::ContentHash::Of(content);
  staged::DecodeView(std::string(hash.raw().substr(0, staged::kChecksumBytes)) +
                     std::string(content));
  return 0;
}
