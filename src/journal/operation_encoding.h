#pragma once

#include <string>
#include <string_view>

#include "staged/content_hash.h"
#include "staged/operation.h"
#include "staged/status.h"

// The canonical bytes of an operation: what the journal stores and what its hash chain covers.
// docs/storage-format.md draws them. One operation has exactly one encoding, and bytes that decode
// encode to the same bytes again.
namespace staged {

inline constexpr uint8_t kOperationEncodingVersion = 1;
// Nesting of a payload that may be stored; what is deeper is refused, as it could not be read back.
inline constexpr int kPayloadDepthMax = 100;

// All fields but the chain. Errors: kLimitExceeded (payload nested too deeply).
[[nodiscard]] Result<std::string> EncodeOperation(const Operation& operation);

// From bytes that may be damaged or hostile; memory stays within a small multiple of their size.
// The chain is left zero. Errors: kDataLoss (not an encoding), kUnsupportedEdit (newer version).
[[nodiscard]] Result<Operation> DecodeOperation(std::string_view encoding);

// SHA-256(previous chain || encoding); the first operation's previous chain is all zero.
[[nodiscard]] ContentHash NextChain(const ContentHash& previous, std::string_view encoding);

}  // namespace staged
