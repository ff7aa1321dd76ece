#include "diff/similarity.h"

#include <algorithm>

#include "diff/fingerprint.h"
#include "diff/words.h"

namespace staged {
namespace {

// A long text is judged by its beginning, so that one comparison costs the same for all.
constexpr size_t kFeaturesMax = 400;
constexpr size_t kFeatureBytesMax = 8192;

}  // namespace

SimilarityFeatures FeaturesOf(const DiffForest& forest, uint32_t node) {
  SimilarityFeatures features;
  const DiffNode& of = forest.nodes[node];
  const std::string_view text = std::string_view(of.record.text).substr(0, kFeatureBytesMax);
  for (const ByteSpan& word : SplitWords(text)) {
    if (features.items.size() >= kFeaturesMax) break;
    const std::string_view bytes = text.substr(word.begin, word.end - word.begin);
    if (bytes != " ") features.items.push_back(FingerprintText(1, bytes));
  }
  for (uint32_t child : of.children) {
    if (features.items.size() >= 2 * kFeaturesMax) break;
    features.items.push_back(forest.nodes[child].subtree);
  }
  if (features.items.empty() && of.record.attrs.is_object()) {
    for (const auto& [name, value] : of.record.attrs.as_object()) {
      features.items.push_back(FingerprintValue(FingerprintText(2, name), value));
    }
  }
  std::sort(features.items.begin(), features.items.end());
  return features;
}

double Similarity(const SimilarityFeatures& left, const SimilarityFeatures& right) {
  const size_t total = left.items.size() + right.items.size();
  if (total == 0) return 1;
  size_t common = 0;
  for (size_t i = 0, j = 0; i < left.items.size() && j < right.items.size();) {
    if (left.items[i] == right.items[j]) {
      ++common, ++i, ++j;
    } else if (left.items[i] < right.items[j]) {
      ++i;
    } else {
      ++j;
    }
  }
  return 2.0 * static_cast<double>(common) / static_cast<double>(total);
}

}  // namespace staged
