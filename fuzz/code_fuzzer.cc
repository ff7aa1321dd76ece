#include <cstddef>
#include <cstdint>

#include "formats/code/code_format.h"
#include "fuzz/format_fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  for (const auto& format : staged::NewCodeFormats()) staged::fuzzing::FuzzFormat(*format, input);
  return 0;
}
