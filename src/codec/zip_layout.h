#pragma once

#include <cstddef>
#include <cstdint>

// Sizes, signatures and field offsets of ZIP structures (APPNOTE.TXT 6.3.10, section 4.3), all
// little-endian:
//
//   archive   = leading-bytes? local* central* [zip64-end zip64-locator] end trailing-bytes?
//   local     = "PK\3\4" ... name extra data [descriptor]
//   central   = "PK\1\2" ... name extra comment
//   end       = "PK\5\6" ... comment
namespace staged::zip {

inline constexpr uint32_t kLocalSignature = 0x04034b50;
inline constexpr uint32_t kCentralSignature = 0x02014b50;
inline constexpr uint32_t kEndSignature = 0x06054b50;
inline constexpr uint32_t kZip64EndSignature = 0x06064b50;
inline constexpr uint32_t kZip64LocatorSignature = 0x07064b50;

inline constexpr size_t kLocalSizeBytes = 30;
inline constexpr size_t kCentralSizeBytes = 46;
inline constexpr size_t kEndSizeBytes = 22;
inline constexpr size_t kZip64EndSizeBytes = 56;
inline constexpr size_t kZip64LocatorSizeBytes = 20;
inline constexpr size_t kCommentSizeBytesMax = 0xFFFF;

inline constexpr uint16_t kStored = 0;
inline constexpr uint16_t kDeflated = 8;

inline constexpr uint16_t kFlagEncrypted = 1u << 0;
inline constexpr uint16_t kFlagDescriptor = 1u << 3;
inline constexpr uint16_t kFlagUtf8 = 1u << 11;

inline constexpr uint16_t kZip64ExtraId = 0x0001;
inline constexpr uint16_t kSaturated16 = 0xFFFF;
inline constexpr uint32_t kSaturated32 = 0xFFFFFFFF;

// Deflate cannot expand further than this (RFC 1951: 258 bytes for two bits).
inline constexpr uint64_t kDeflateRatioMax = 1032;

}  // namespace staged::zip
