#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "staged/content_hash.h"
#include "staged/status.h"
#include "staged/value.h"

// The one binary encoding of everything stored or cached: LEB128 variable-length integers
// (unsigned; signed ones zigzag), byte strings behind their length, fixed integers little-endian.
// Canonical: a value has exactly one encoding, so that digests of encodings are stable.
namespace staged {

class BinaryWriter {
 public:
  void PutByte(uint8_t byte) { bytes_.push_back(static_cast<char>(byte)); }
  void PutFixed32(uint32_t number);
  void PutFixed64(uint64_t number);
  void PutUnsigned(uint64_t number);
  void PutSigned(int64_t number);
  void PutBool(bool flag) { PutByte(flag ? 1 : 0); }
  void PutDouble(double number);
  void PutString(std::string_view text);
  void PutHash(const ContentHash& hash) { bytes_.append(hash.raw()); }
  void PutValue(const Value& value);
  void PutRaw(std::string_view bytes) { bytes_.append(bytes); }

  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  [[nodiscard]] std::string Take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Reads what BinaryWriter wrote, from bytes that may be damaged: every call past the end or over a
// limit makes the reader fail for good, and answers zero or empty from then on. Check ok() (or
// Finish()) before trusting what was read.
class BinaryReader {
 public:
  explicit BinaryReader(std::string_view bytes) : bytes_(bytes) {}

  uint8_t GetByte();
  uint32_t GetFixed32();
  uint64_t GetFixed64();
  uint64_t GetUnsigned();
  int64_t GetSigned();
  bool GetBool() { return GetByte() != 0; }
  double GetDouble();
  std::string_view GetString();  // borrowed from the input
  ContentHash GetHash();
  Value GetValue() { return GetValueAt(0); }
  std::string_view GetRaw(uint64_t size_bytes);
  // A count of things that take at least `item_bytes_min` bytes each: fails early when the rest of
  // the input could not hold them, so that a damaged count cannot ask for memory.
  uint64_t GetCount(uint64_t item_bytes_min);

  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] size_t remaining_bytes() const { return bytes_.size() - position_; }
  [[nodiscard]] size_t position() const { return position_; }
  // kDataLoss naming `what` unless everything was read and nothing failed.
  [[nodiscard]] Status Finish(std::string_view what) const;

 private:
  Value GetValueAt(int depth);
  void Fail() {
    ok_ = false;
    position_ = bytes_.size();
  }

  std::string_view bytes_;
  size_t position_ = 0;
  bool ok_ = true;
};

}  // namespace staged
