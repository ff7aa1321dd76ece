#pragma once

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>

// Seeds of the tests that draw at random: STAGED_SEED, or another each time, printed.
namespace staged {

inline uint64_t SeedForTest() {
  if (const char* given = std::getenv("STAGED_SEED")) return std::strtoull(given, nullptr, 10);
  const uint64_t seed = std::random_device()();
  std::cout << "STAGED_SEED=" << seed << std::endl;
  return seed;
}

}  // namespace staged
