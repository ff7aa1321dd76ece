#pragma once

#include <cstdint>
#include <vector>

#include "diff/forest.h"

namespace staged {

// What similarity is computed from: fingerprints of words and of children, sorted.
struct SimilarityFeatures {
  std::vector<uint64_t> items;
};

[[nodiscard]] SimilarityFeatures FeaturesOf(const DiffForest& forest, uint32_t node);
// Dice coefficient of the two multisets, 0 ... 1.
[[nodiscard]] double Similarity(const SimilarityFeatures& left, const SimilarityFeatures& right);

}  // namespace staged
