#include "codec/splice.h"

#include <algorithm>

namespace staged {

void SplicePlan::Replace(uint64_t begin, uint64_t end, std::string text) {
  splices_.push_back({begin, end, std::move(text)});
}

Result<std::string> SplicePlan::Apply(std::string_view bytes) const {
  std::vector<const Splice*> order;
  order.reserve(splices_.size());
  for (const Splice& splice : splices_) order.push_back(&splice);
  // An insertion before a replacement that begins at the same byte comes first.
  std::stable_sort(order.begin(), order.end(), [](const Splice* left, const Splice* right) {
    const bool left_replaces = left->end != left->begin;
    const bool right_replaces = right->end != right->begin;
    return left->begin != right->begin ? left->begin < right->begin
                                       : left_replaces < right_replaces;
  });
  std::string out;
  size_t size_bytes = bytes.size();
  for (const Splice* splice : order) size_bytes += splice->text.size();
  out.reserve(size_bytes);
  uint64_t copied = 0;
  for (const Splice* splice : order) {
    if (splice->begin > splice->end || splice->end > bytes.size()) {
      return Status(ErrorCode::kInvalidArgument, "an edit lies outside the file; parse it again");
    }
    if (splice->begin < copied) {
      return Status(ErrorCode::kInvalidArgument,
                    "two edits change the same text; join them into one, or make them one after "
                    "the other");
    }
    out.append(bytes.substr(copied, splice->begin - copied));
    out.append(splice->text);
    copied = splice->end;
  }
  out.append(bytes.substr(copied));
  return out;
}

}  // namespace staged
