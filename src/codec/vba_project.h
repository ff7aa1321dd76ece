#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "staged/content_hash.h"
#include "staged/limits.h"
#include "staged/status.h"

// Macros of office files ([MS-OVBA]): the project in a vbaProject.bin.
namespace staged {

struct VbaModule {
  std::string name;
  bool is_document = false;  // or a class or form; else a module of procedures
  std::string source;        // UTF-8
  ContentHash digest;        // of the source in its own encoding
};

// A stream that is no module's source: compiled code, references, forms.
struct VbaStream {
  std::string path;  // "VBA/_VBA_PROJECT"
  uint64_t size_bytes = 0;
  ContentHash digest;
};

struct VbaProject {
  std::string name;
  uint32_t code_page = 1252;
  bool is_decoded = true;          // false: characters other than ASCII are U+FFFD in the sources
  std::vector<VbaModule> modules;  // in the project's order
  std::vector<VbaStream> streams;  // by path; of a module the whole stream, with its compiled code
};

// Errors: kParseFailed, kLimitExceeded.
[[nodiscard]] Result<VbaProject> ReadVbaProject(std::string_view bytes, const Limits& limits);

// A compressed container (2.4.1). Errors: kParseFailed; kLimitExceeded beyond `size_bytes_max`.
[[nodiscard]] Result<std::string> VbaDecompress(std::string_view compressed,
                                                uint64_t size_bytes_max);

}  // namespace staged
