#pragma once

#include <cstdint>
#include <string_view>

namespace staged {

// XXH64 with seed 0: finds damage, proves nothing.
[[nodiscard]] uint64_t Checksum(std::string_view bytes);
// Of the two one after the other.
[[nodiscard]] uint64_t Checksum(std::string_view first, std::string_view second);

}  // namespace staged
