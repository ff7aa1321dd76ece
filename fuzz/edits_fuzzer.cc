#include <string>
#include <string_view>

#include "fuzz/format_fuzzing.h"
#include "wire/encode.h"
#include "wire/json_text.h"

// What a caller sends: JSON of any bytes is refused, or says the same after another round; so are
// edits.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using staged::fuzzing::Require;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const staged::Result<staged::Value> value = staged::ParseJson(text);
  if (value.ok()) {
    const std::string json = staged::ToJson(*value);
    const staged::Result<staged::Value> again = staged::ParseJson(json);
    Require(again.ok() && staged::ToJson(*again) == json);
  } else {
    Require(!value.status().message().empty());
  }
  const staged::Result<std::vector<staged::Edit>> edits = staged::ParseEdits(text);
  if (!edits.ok()) return 0;
  Require(value.ok() && value->is_array() && edits->size() == value->as_array().size());
  for (const staged::Edit& edit : *edits) Require(!edit.op.empty());
  return 0;
}
