#include "codec/vba_project.h"

#include <algorithm>

#include "codec/compound_file.h"
#include "codec/html_encoding.h"
#include "codec/little_endian.h"
#include "codec/text_encoding.h"

namespace staged {
namespace {

constexpr uint64_t kSourceBytesMax = uint64_t{64} << 20;  // of all modules together

Status Damaged(std::string_view what) {
  return {ErrorCode::kParseFailed,
          "the macros are damaged: " + std::string(what) + "; restore the file from its source"};
}

// Records of the dir stream (2.3.4.2), as far as they are read.
enum DirRecord : uint16_t {
  kCodePage = 0x0003,
  kProjectName = 0x0004,
  kVersion = 0x0009,
  kModuleName = 0x0019,
  kModuleStreamName = 0x001A,
  kModuleIsDocument = 0x0022,
  kModuleOffset = 0x0031,
  kModuleStreamNameUnicode = 0x0032,
};

struct ModuleEntry {
  std::string name;                 // in the project's encoding
  std::string stream_name;          // likewise
  std::string stream_name_unicode;  // UTF-16LE, where the project has it
  uint32_t offset = 0;
  bool is_document = false;
};

struct Directory {
  std::string project_name;
  uint32_t code_page = 1252;
  std::vector<ModuleEntry> modules;
};

Directory ReadDirectory(std::string_view bytes) {
  Directory directory;
  for (size_t at = 0; at + 6 <= bytes.size();) {
    const uint16_t id = Load16(bytes, at);
    // The version's record holds six bytes, though its size says four (2.3.4.2.1.11).
    const uint32_t size = id == kVersion ? 6 : Load32(bytes, at + 2);
    at += 6;
    if (size > bytes.size() - at) break;
    const std::string_view data = bytes.substr(at, size);
    at += size;
    const bool has_module = !directory.modules.empty();
    if (id == kCodePage && size >= 2) directory.code_page = Load16(data, 0);
    if (id == kProjectName) directory.project_name = data;
    if (id == kModuleName) {
      directory.modules.push_back({std::string(data), std::string(data), "", 0, false});
    }
    if (!has_module) continue;
    ModuleEntry& module = directory.modules.back();
    if (id == kModuleStreamName) module.stream_name = data;
    if (id == kModuleStreamNameUnicode) module.stream_name_unicode = data;
    if (id == kModuleOffset && size >= 4) module.offset = Load32(data, 0);
    if (id == kModuleIsDocument) module.is_document = true;
  }
  return directory;
}

bool IsDecoded(uint32_t code_page, std::string_view text) {
  constexpr uint32_t kWindows1252 = 1252;
  return code_page == kWindows1252 ||
         std::all_of(text.begin(), text.end(), [](char c) { return (c & 0x80) == 0; });
}

std::string ToUtf8(std::string_view text, uint32_t code_page) {
  constexpr uint32_t kWindows1252 = 1252;
  const HtmlCharset charset =
      code_page == kWindows1252 ? HtmlCharset::kWindows1252 : HtmlCharset::kUnread;
  return HtmlToUtf8(text, charset);
}

// One chunk of a container (2.4.1.3.2): behind its header, up to 4096 bytes come out.
Status DecompressChunk(std::string_view chunk, std::string& out) {
  const size_t begin = out.size();
  for (size_t at = 0; at < chunk.size();) {
    const auto flags = static_cast<uint8_t>(chunk[at++]);
    for (int bit = 0; bit < 8 && at < chunk.size(); ++bit) {
      if ((flags >> bit & 1) == 0) {
        out.push_back(chunk[at++]);
        continue;
      }
      if (at + 2 > chunk.size()) return Damaged("a copy in its source");
      const uint16_t token = Load16(chunk, at);
      at += 2;
      // The further the chunk, the more bits of the token are the distance (2.4.1.3.19.1).
      unsigned bits = 4;
      while ((size_t{1} << bits) < out.size() - begin) ++bits;
      if (bits > 12) return Damaged("a chunk that is too long");
      const size_t length = (token & (0xFFFFU >> bits)) + 3U;
      const size_t distance = (token >> (16 - bits)) + 1U;
      if (distance > out.size() - begin) return Damaged("a copy from nowhere in its source");
      for (size_t i = 0; i < length; ++i) out.push_back(out[out.size() - distance]);
    }
  }
  return OkStatus();
}

}  // namespace

Result<std::string> VbaDecompress(std::string_view compressed, uint64_t size_bytes_max) {
  constexpr size_t kChunkBytes = 4096;
  if (compressed.empty() || compressed[0] != 1) return Damaged("no compressed source");
  std::string out;
  for (size_t at = 1; at + 2 <= compressed.size();) {
    const uint16_t header = Load16(compressed, at);
    const size_t size = (header & 0x0FFFU) + 1U;
    at += 2;
    const std::string_view chunk = compressed.substr(at, size);
    at += chunk.size();
    if ((header & 0x8000U) == 0) {
      out += chunk.substr(0, kChunkBytes);
    } else {
      STAGED_RETURN_IF_ERROR(DecompressChunk(chunk, out));
    }
    if (out.size() > size_bytes_max) {
      return Status(ErrorCode::kLimitExceeded, "the macros are larger than the limit");
    }
  }
  return out;
}

Result<VbaProject> ReadVbaProject(std::string_view bytes, const Limits& limits) {
  STAGED_ASSIGN_OR_RETURN(const CompoundFile file, CompoundFile::Open(bytes, limits));
  const CompoundFile::Stream* dir = file.Find("VBA/dir");
  if (dir == nullptr) return Damaged("no VBA/dir");
  STAGED_ASSIGN_OR_RETURN(const std::string packed, file.Read(*dir));
  uint64_t bytes_left = std::min<uint64_t>(kSourceBytesMax, limits.part_bytes_max);
  STAGED_ASSIGN_OR_RETURN(const std::string plain, VbaDecompress(packed, bytes_left));
  const Directory directory = ReadDirectory(plain);
  VbaProject project;
  project.code_page = directory.code_page;
  project.name = ToUtf8(directory.project_name, directory.code_page);
  for (const ModuleEntry& entry : directory.modules) {
    VbaModule module;
    module.name = ToUtf8(entry.name, directory.code_page);
    module.is_document = entry.is_document;
    const std::string name = entry.stream_name_unicode.empty()
                                 ? ToUtf8(entry.stream_name, directory.code_page)
                                 : Utf16LittleEndianToUtf8(entry.stream_name_unicode);
    const CompoundFile::Stream* stream = file.Find("VBA/" + name);
    if (stream == nullptr) return Damaged("no stream of the module '" + module.name + "'");
    STAGED_ASSIGN_OR_RETURN(const std::string content, file.Read(*stream));
    if (entry.offset > content.size()) return Damaged("where a module's source begins");
    STAGED_ASSIGN_OR_RETURN(
        const std::string source,
        VbaDecompress(std::string_view(content).substr(entry.offset), bytes_left));
    bytes_left -= source.size();
    module.digest = ContentHash::Of(source);
    module.source = ToUtf8(source, directory.code_page);
    project.is_decoded &= IsDecoded(directory.code_page, source);
    project.modules.push_back(std::move(module));
  }
  for (const CompoundFile::Stream& stream : file.streams()) {
    STAGED_ASSIGN_OR_RETURN(const std::string content, file.Read(stream));
    project.streams.push_back({stream.path, stream.size_bytes, ContentHash::Of(content)});
  }
  return project;
}

}  // namespace staged
