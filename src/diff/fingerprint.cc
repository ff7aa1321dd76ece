#include "diff/fingerprint.h"

#include <bit>

namespace staged {
namespace {

constexpr uint64_t kMultiplier = 0x9E3779B97F4A7C15ULL;

uint64_t LoadLittleEndian(const char* bytes, size_t count) {
  uint64_t word = 0;
  for (size_t i = 0; i < count; ++i) {
    word |= static_cast<uint64_t>(static_cast<uint8_t>(bytes[i])) << (8 * i);
  }
  return word;
}

}  // namespace

uint64_t FingerprintCombine(uint64_t seed, uint64_t number) {
  uint64_t mixed = (seed ^ number) * kMultiplier;
  mixed ^= mixed >> 32;
  mixed = (mixed + std::rotl(seed, 23)) * 0xD6E8FEB86659FD93ULL;
  return mixed ^ (mixed >> 29);
}

uint64_t FingerprintText(uint64_t seed, std::string_view text) {
  uint64_t hash = FingerprintCombine(seed, text.size());
  size_t position = 0;
  for (; position + 8 <= text.size(); position += 8) {
    hash = FingerprintCombine(hash, LoadLittleEndian(text.data() + position, 8));
  }
  if (position < text.size()) {
    hash =
        FingerprintCombine(hash, LoadLittleEndian(text.data() + position, text.size() - position));
  }
  return hash;
}

uint64_t FingerprintValue(uint64_t seed, const Value& value) {
  if (value.is_null()) return FingerprintCombine(seed, 1);
  if (value.is_bool()) return FingerprintCombine(seed, value.as_bool() ? 2 : 3);
  if (value.is_integer()) {
    return FingerprintCombine(FingerprintCombine(seed, 4),
                              static_cast<uint64_t>(value.as_integer()));
  }
  if (value.is_double()) {
    // The two zeros are equal values.
    const double number = value.as_double() == 0 ? 0 : value.as_double();
    return FingerprintCombine(FingerprintCombine(seed, 5), std::bit_cast<uint64_t>(number));
  }
  if (value.is_string()) return FingerprintText(FingerprintCombine(seed, 6), value.as_string());
  if (value.is_array()) {
    uint64_t hash = FingerprintCombine(seed, 7 + 16 * value.as_array().size());
    for (const Value& item : value.as_array()) hash = FingerprintValue(hash, item);
    return hash;
  }
  uint64_t hash = FingerprintCombine(seed, 8 + 16 * value.as_object().size());
  for (const auto& [name, member] : value.as_object()) {
    hash = FingerprintValue(FingerprintText(hash, name), member);
  }
  return hash;
}

uint64_t FingerprintContent(const Record& record) {
  uint64_t hash = FingerprintText(0, record.kind);
  hash = FingerprintText(hash, record.text);
  hash = FingerprintValue(hash, record.attrs);
  return FingerprintText(hash, record.hidden);
}

bool SameContent(const Record& left, const Record& right) {
  return left.kind == right.kind && left.text == right.text && left.attrs == right.attrs &&
         left.hidden == right.hidden;
}

}  // namespace staged
