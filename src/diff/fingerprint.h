#pragma once

#include <cstdint>
#include <string_view>

#include "staged/record.h"

// 64-bit fingerprints that matching works with. Not cryptographic: whoever matches by fingerprint
// compares the real thing before calling two records equal. The same on every machine.
namespace staged {

[[nodiscard]] uint64_t FingerprintCombine(uint64_t seed, uint64_t number);
[[nodiscard]] uint64_t FingerprintText(uint64_t seed, std::string_view text);
[[nodiscard]] uint64_t FingerprintValue(uint64_t seed, const Value& value);

// What the record says: kind, text, attributes, visibility. Not where it stands.
[[nodiscard]] uint64_t FingerprintContent(const Record& record);
// Whether the two say the same; exact.
[[nodiscard]] bool SameContent(const Record& left, const Record& right);

}  // namespace staged
