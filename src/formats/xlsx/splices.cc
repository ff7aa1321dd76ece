#include "formats/xlsx/splices.h"

#include <algorithm>

namespace staged::xlsx {

void Splices::Replace(size_t begin, size_t end, std::string text) {
  splices_.push_back({begin, end, std::move(text)});
}

std::string Splices::Make() const {
  std::vector<const Splice*> order;
  size_t growth = 0;
  for (const Splice& splice : splices_) {
    order.push_back(&splice);
    growth += splice.text.size();
  }
  std::stable_sort(order.begin(), order.end(), [](const Splice* left, const Splice* right) {
    return left->begin < right->begin;
  });
  std::string out;
  out.reserve(source_.size() + growth);
  size_t at = 0;
  for (const Splice* splice : order) {
    out.append(source_.substr(at, splice->begin - at)).append(splice->text);
    at = splice->end;
  }
  out.append(source_.substr(at));
  return out;
}

}  // namespace staged::xlsx
