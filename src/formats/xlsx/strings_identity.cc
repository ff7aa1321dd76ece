#include "formats/xlsx/strings_identity.h"

#include <string_view>
#include <utility>

namespace staged::xlsx {
namespace {

constexpr std::string_view kItemEnd = "</si>";
constexpr std::string_view kListEnd = "</sst>";

}  // namespace

StringsIdentity::StringsIdentity(std::string xml) : xml_(std::move(xml)) {
  const std::string_view text = xml_;
  const size_t list = text.find("<sst");
  const size_t item = list == text.npos ? list : text.find("<si>", list);
  const size_t last = text.rfind(kItemEnd);
  const size_t rest = last == text.npos ? last : text.find_first_not_of(" \t\r\n", last + 5);
  const bool is_usual = item != text.npos && last != text.npos && last > item &&
                        rest != text.npos && text.substr(rest).starts_with(kListEnd) &&
                        text.find_first_not_of(" \t\r\n", rest + kListEnd.size()) == text.npos;
  if (!is_usual) {
    whole_ = ContentHash::Of(text);
    return;
  }
  begin_ = item;
  end_ = last + kItemEnd.size();
  head_ = text.substr(0, list);
  // The counts in the list's tag change with every string that is added.
  for (const char c : text.substr(list, item - list)) {
    if (c < '0' || c > '9') head_.push_back(c);
  }
  whole_ = Of(end_);
}

// By the hash of what comes before the last boundary of blocks, so that lists which differ in their
// last strings have most of the work in common.
ContentHash StringsIdentity::Of(size_t end) {
  constexpr size_t kBlockBytes = size_t{64} << 10;
  const std::string_view strings = std::string_view(xml_).substr(begin_, end - begin_);
  const size_t boundary = strings.size() / kBlockBytes * kBlockBytes;
  if (hashed_end_ != boundary || hashed_.is_zero()) {
    hashed_ = ContentHash::Of(strings.substr(0, boundary));
    hashed_end_ = boundary;
  }
  ContentHasher hasher;
  hasher.Update(head_);
  hasher.Update(std::string_view("\0", 1));
  hasher.Update(hashed_.raw());
  hasher.Update(strings.substr(boundary));
  return hasher.Finish();
}

const std::vector<ContentHash>& StringsIdentity::Shorter() {
  if (std::exchange(has_shorter_, true)) return shorter_;
  size_t end = end_;
  while (shorter_.size() < kShorterMax && end > begin_ + kItemEnd.size()) {
    const size_t before = std::string_view(xml_).rfind(kItemEnd, end - kItemEnd.size() - 1);
    if (before == std::string::npos || before < begin_) break;
    end = before + kItemEnd.size();
    shorter_.push_back(Of(end));
  }
  return shorter_;
}

}  // namespace staged::xlsx
