#include "formats/builtin_formats.h"

#include "formats/binary/binary_format.h"
#include "formats/text/text_format.h"

namespace staged {

FormatRegistry NewBuiltinRegistry() {
  FormatRegistry registry;
  registry.Register(NewBinaryFormat());
  registry.Register(NewTextFormat());
  return registry;
}

}  // namespace staged
