#include "base/utf8.h"

#include <cstring>

namespace staged {
namespace {

constexpr uint32_t kReplacement = 0xFFFD;

// Length of the well-formed sequence at `position`, or 0.
size_t SequenceLength(std::string_view text, size_t position) {
  const auto byte = [&](size_t i) {
    return position + i < text.size() ? static_cast<uint8_t>(text[position + i]) : uint8_t{0};
  };
  const auto in = [](uint8_t value, uint8_t low, uint8_t high) {
    return value >= low && value <= high;
  };
  const uint8_t first = byte(0);
  if (first < 0x80) return 1;
  if (in(first, 0xC2, 0xDF)) return in(byte(1), 0x80, 0xBF) ? 2 : 0;
  if (in(first, 0xE0, 0xEF)) {
    const uint8_t low = first == 0xE0 ? 0xA0 : 0x80;
    const uint8_t high = first == 0xED ? 0x9F : 0xBF;
    return in(byte(1), low, high) && in(byte(2), 0x80, 0xBF) ? 3 : 0;
  }
  if (in(first, 0xF0, 0xF4)) {
    const uint8_t low = first == 0xF0 ? 0x90 : 0x80;
    const uint8_t high = first == 0xF4 ? 0x8F : 0xBF;
    return in(byte(1), low, high) && in(byte(2), 0x80, 0xBF) && in(byte(3), 0x80, 0xBF) ? 4 : 0;
  }
  return 0;
}

}  // namespace

bool IsValidUtf8(std::string_view text) {
  constexpr uint64_t kHighBits = 0x8080808080808080;
  for (size_t position = 0; position < text.size();) {
    // Most text is ASCII: eight bytes at a time until one is not.
    while (text.size() - position >= sizeof(uint64_t)) {
      uint64_t word = 0;
      std::memcpy(&word, text.data() + position, sizeof(word));
      if ((word & kHighBits) != 0) break;
      position += sizeof(word);
    }
    if (position == text.size()) break;
    if (static_cast<uint8_t>(text[position]) < 0x80) {
      ++position;
      continue;
    }
    const size_t length = SequenceLength(text, position);
    if (length == 0) return false;
    position += length;
  }
  return true;
}

uint32_t NextCodePoint(std::string_view text, size_t& position) {
  const size_t length = SequenceLength(text, position);
  if (length == 0) {
    ++position;
    return kReplacement;
  }
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[position + i]); };
  uint32_t code_point = byte(0);
  if (length == 2) code_point &= 0x1F;
  if (length == 3) code_point &= 0x0F;
  if (length == 4) code_point &= 0x07;
  for (size_t i = 1; i < length; ++i) code_point = (code_point << 6) | (byte(i) & 0x3F);
  position += length;
  return code_point;
}

void AppendUtf8(std::string& out, uint32_t code_point) {
  if (code_point > 0x10FFFF || (code_point >= 0xD800 && code_point <= 0xDFFF)) {
    code_point = kReplacement;
  }
  const auto put = [&](uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0 | (code_point >> 6));
    put(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    put(0xE0 | (code_point >> 12));
    put(0x80 | ((code_point >> 6) & 0x3F));
    put(0x80 | (code_point & 0x3F));
  } else {
    put(0xF0 | (code_point >> 18));
    put(0x80 | ((code_point >> 12) & 0x3F));
    put(0x80 | ((code_point >> 6) & 0x3F));
    put(0x80 | (code_point & 0x3F));
  }
}

std::string ReplaceInvalidUtf8(std::string_view text) {
  if (IsValidUtf8(text)) return std::string(text);
  std::string clean;
  clean.reserve(text.size());
  for (size_t position = 0; position < text.size();)
    AppendUtf8(clean, NextCodePoint(text, position));
  return clean;
}

}  // namespace staged
