#include <cstddef>
#include <cstdint>

#include "formats/html/html_format.h"
#include "fuzz/format_fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  staged::fuzzing::FuzzFormat(*staged::NewHtmlFormat(), input);
  return 0;
}
