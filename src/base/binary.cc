#include "base/binary.h"

#include <bit>

namespace staged {
namespace {

enum class Tag : uint8_t {
  kNull = 0,
  kFalse = 1,
  kTrue = 2,
  kInteger = 3,
  kDouble = 4,
  kString = 5,
  kArray = 6,
  kObject = 7,
};

constexpr int kValueDepthMax = 128;

}  // namespace

void BinaryWriter::PutFixed32(uint32_t number) {
  for (int i = 0; i < 4; ++i) PutByte(static_cast<uint8_t>(number >> (8 * i)));
}

void BinaryWriter::PutFixed64(uint64_t number) {
  for (int i = 0; i < 8; ++i) PutByte(static_cast<uint8_t>(number >> (8 * i)));
}

void BinaryWriter::PutUnsigned(uint64_t number) {
  while (number >= 0x80) {
    PutByte(static_cast<uint8_t>(number | 0x80));
    number >>= 7;
  }
  PutByte(static_cast<uint8_t>(number));
}

void BinaryWriter::PutSigned(int64_t number) {
  PutUnsigned((static_cast<uint64_t>(number) << 1) ^ static_cast<uint64_t>(number >> 63));
}

void BinaryWriter::PutDouble(double number) { PutFixed64(std::bit_cast<uint64_t>(number)); }

void BinaryWriter::PutString(std::string_view text) {
  PutUnsigned(text.size());
  PutRaw(text);
}

void BinaryWriter::PutValue(const Value& value) {
  if (value.is_null()) {
    PutByte(static_cast<uint8_t>(Tag::kNull));
  } else if (value.is_bool()) {
    PutByte(static_cast<uint8_t>(value.as_bool() ? Tag::kTrue : Tag::kFalse));
  } else if (value.is_integer()) {
    PutByte(static_cast<uint8_t>(Tag::kInteger));
    PutSigned(value.as_integer());
  } else if (value.is_double()) {
    PutByte(static_cast<uint8_t>(Tag::kDouble));
    PutDouble(value.as_double());
  } else if (value.is_string()) {
    PutByte(static_cast<uint8_t>(Tag::kString));
    PutString(value.as_string());
  } else if (value.is_array()) {
    PutByte(static_cast<uint8_t>(Tag::kArray));
    PutUnsigned(value.as_array().size());
    for (const Value& item : value.as_array()) PutValue(item);
  } else {
    PutByte(static_cast<uint8_t>(Tag::kObject));
    PutUnsigned(value.as_object().size());
    for (const Value::Member& member : value.as_object()) {
      PutString(member.first);
      PutValue(member.second);
    }
  }
}

uint8_t BinaryReader::GetByte() {
  if (position_ >= bytes_.size()) {
    Fail();
    return 0;
  }
  return static_cast<uint8_t>(bytes_[position_++]);
}

uint32_t BinaryReader::GetFixed32() {
  const std::string_view raw = GetRaw(4);
  uint32_t number = 0;
  for (size_t i = 0; i < raw.size(); ++i) {
    number |= static_cast<uint32_t>(static_cast<uint8_t>(raw[i])) << (8 * i);
  }
  return number;
}

uint64_t BinaryReader::GetFixed64() {
  const std::string_view raw = GetRaw(8);
  uint64_t number = 0;
  for (size_t i = 0; i < raw.size(); ++i) {
    number |= static_cast<uint64_t>(static_cast<uint8_t>(raw[i])) << (8 * i);
  }
  return number;
}

uint64_t BinaryReader::GetUnsigned() {
  uint64_t number = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const uint8_t byte = GetByte();
    number |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) {
      // A last group of zero, or one beyond 64 bits, would be a second encoding of the number.
      if ((shift > 0 && byte == 0) || (shift == 63 && byte > 1)) break;
      return number;
    }
  }
  Fail();
  return 0;
}

int64_t BinaryReader::GetSigned() {
  const uint64_t number = GetUnsigned();
  return static_cast<int64_t>(number >> 1) ^ -static_cast<int64_t>(number & 1);
}

double BinaryReader::GetDouble() { return std::bit_cast<double>(GetFixed64()); }

std::string_view BinaryReader::GetString() { return GetRaw(GetUnsigned()); }

ContentHash BinaryReader::GetHash() {
  const std::string_view raw = GetRaw(ContentHash::kSizeBytes);
  return raw.size() == ContentHash::kSizeBytes ? ContentHash::FromRaw(raw) : ContentHash();
}

std::string_view BinaryReader::GetRaw(uint64_t size_bytes) {
  if (size_bytes > remaining_bytes()) {
    Fail();
    return {};
  }
  const std::string_view raw = bytes_.substr(position_, size_bytes);
  position_ += size_bytes;
  return raw;
}

uint64_t BinaryReader::GetCount(uint64_t item_bytes_min) {
  const uint64_t count = GetUnsigned();
  if (count > remaining_bytes() / (item_bytes_min == 0 ? 1 : item_bytes_min)) {
    Fail();
    return 0;
  }
  return count;
}

Value BinaryReader::GetValueAt(int depth) {
  if (depth > kValueDepthMax) {
    Fail();
    return {};
  }
  switch (static_cast<Tag>(GetByte())) {
    case Tag::kNull:
      return {};
    case Tag::kFalse:
      return false;
    case Tag::kTrue:
      return true;
    case Tag::kInteger:
      return GetSigned();
    case Tag::kDouble:
      return GetDouble();
    case Tag::kString:
      return GetString();
    case Tag::kArray: {
      Value::Array items;
      const uint64_t count = GetCount(1);
      items.reserve(count);
      for (uint64_t i = 0; i < count && ok_; ++i) items.push_back(GetValueAt(depth + 1));
      return items;
    }
    case Tag::kObject: {
      Value::Object members;
      const uint64_t count = GetCount(2);
      members.reserve(count);
      for (uint64_t i = 0; i < count && ok_; ++i) {
        std::string name(GetString());
        members.emplace_back(std::move(name), GetValueAt(depth + 1));
      }
      return members;
    }
  }
  Fail();
  return {};
}

Status BinaryReader::Finish(std::string_view what) const {
  if (ok_ && position_ == bytes_.size()) return OkStatus();
  return {ErrorCode::kDataLoss, std::string(what) + " is damaged; run `staged fsck`"};
}

}  // namespace staged
