#include "codec/compound_file.h"
#include "codec/vba_records.h"
#include "formats/builtin_formats.h"
#include "fuzz/format_fuzzing.h"

// Any bytes as an old office file: what it is, all its streams, and its macros.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using staged::fuzzing::Require;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  staged::FormatRegistry registry = staged::NewBuiltinRegistry();
  staged::AddConvertedFormats(registry, nullptr);
  for (const char* name : {"doc", "xls", "ppt", "rtf"}) {
    const staged::Format* format = registry.Find(name);
    const int score = format->Sniff(bytes, name);
    Require(score >= 0 && score <= 100);
    Require(!format->Parse(bytes, {}, {}).ok());
  }
  staged::Limits limits;
  limits.part_bytes_max = 1 << 20;
  limits.expanded_bytes_max = 4 << 20;
  const auto file = staged::CompoundFile::Open(bytes, limits);
  if (file.ok()) {
    for (const auto& stream : file->streams()) {
      Require(file->Find(stream.path) != nullptr);
      const auto content = file->Read(stream);
      Require(!content.ok() || content->size() <= limits.part_bytes_max);
    }
  }
  const auto macros = staged::VbaRecords(bytes, limits);
  if (macros.ok()) {
    for (const staged::Record& record : *macros) Require(!record.locator.empty());
  }
  return 0;
}
