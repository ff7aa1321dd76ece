#include <cstddef>
#include <cstdint>

#include "formats/code/code_format.h"
#include "fuzz/format_fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  // One language an input, chosen by its length: all of them would make each run slow.
  static const auto& formats = *new auto(staged::NewCodeFormats());
  staged::fuzzing::FuzzFormat(*formats[size % formats.size()], input);
  return 0;
}
