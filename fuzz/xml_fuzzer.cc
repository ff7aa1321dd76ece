#include <cstddef>
#include <cstdint>

#include "formats/xml/xml_format.h"
#include "fuzz/format_fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  staged::fuzzing::FuzzFormat(*staged::NewXmlFormat(), input);
  return 0;
}
