#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "journal/operation_encoding.h"

// Any bytes: an error, or the one encoding of the operation that they give.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto operation = staged::DecodeOperation(bytes);
  if (!operation.ok()) return 0;
  const auto encoding = staged::EncodeOperation(*operation);
  if (!encoding.ok() || *encoding != bytes) std::abort();
  return 0;
}
