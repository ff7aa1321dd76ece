#include <cstdlib>

#include "codec/zip.h"

// Whatever opens can be read within its limits, and splicing it gives an archive that opens again
// with every other member's compressed bytes.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  staged::Limits limits;
  limits.part_bytes_max = 1 << 20;
  limits.expanded_bytes_max = 4 << 20;
  const staged::Result<staged::ZipReader> reader = staged::ZipReader::Open(bytes, limits);
  if (!reader.ok()) return 0;
  for (const staged::ZipMember& member : reader->members()) {
    const staged::Result<std::string> content = reader->Read(member);
    if (content.ok() && content->size() > limits.part_bytes_max) std::abort();
    if (reader->Find(member.name) == nullptr) std::abort();
  }
  staged::ZipSplicer splicer(*reader);
  if (!reader->members().empty()) splicer.Replace(0, "new content");
  splicer.Add("added", "added content");
  const staged::Result<std::string> spliced = splicer.Finish();
  if (!spliced.ok()) return 0;
  limits.expanded_bytes_max *= 2;
  const staged::Result<staged::ZipReader> again = staged::ZipReader::Open(*spliced, limits);
  if (!again.ok() || again->members().size() != reader->members().size() + 1) std::abort();
  for (size_t i = 1; i < reader->members().size(); ++i) {
    if (reader->CompressedBytes(reader->members()[i]) !=
        again->CompressedBytes(again->members()[i])) {
      std::abort();
    }
  }
  return 0;
}
