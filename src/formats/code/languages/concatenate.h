#pragma once

#include <array>
#include <cstddef>

namespace staged {

// The tables of a language that another one extends.
template <typename T, size_t kFirst, size_t kSecond>
constexpr std::array<T, kFirst + kSecond> Concatenate(const T (&first)[kFirst],
                                                      const T (&second)[kSecond]) {
  std::array<T, kFirst + kSecond> all{};
  for (size_t i = 0; i < kFirst; ++i) all[i] = first[i];
  for (size_t i = 0; i < kSecond; ++i) all[kFirst + i] = second[i];
  return all;
}

}  // namespace staged
