#include "derived/view_codec.h"

#include <zstd.h>

#include <algorithm>
#include <memory>

#include "base/binary.h"
#include "record/segments.h"

namespace staged {
namespace {

constexpr int kCompressionLevel = 1;
constexpr size_t kChecksumBytes = 8;

Status Damaged() {
  return Status(ErrorCode::kDataLoss, "a cached view is damaged; delete .staged/derived");
}

std::string Checksum(std::string_view bytes) {
  return std::string(ContentHash::Of(bytes).raw().substr(0, kChecksumBytes));
}

Result<std::string_view> CheckedBody(std::string_view body) {
  if (body.size() < kChecksumBytes) return Damaged();
  const std::string_view content = body.substr(kChecksumBytes);
  if (Checksum(content) != body.substr(0, kChecksumBytes)) return Damaged();
  return content;
}

std::vector<int64_t> GetIds(BinaryReader& reader) {
  std::vector<int64_t> ids(reader.GetCount(1));
  for (int64_t& id : ids) id = static_cast<int64_t>(reader.GetUnsigned());
  return ids;
}

void GetParts(BinaryReader& reader, View& view) {
  constexpr uint64_t kPartBytesMin = 35;
  view.parts.resize(reader.GetCount(kPartBytesMin));
  for (Part& part : view.parts) {
    part.name = reader.GetString();
    part.digest = reader.GetHash();
    part.size_bytes = reader.GetUnsigned();
    part.kinds.resize(reader.GetCount(1));
    for (std::string& kind : part.kinds) kind = reader.GetString();
    if (!reader.ok()) return;
  }
}

void GetDiagnostics(BinaryReader& reader, View& view) {
  constexpr uint64_t kDiagnosticBytesMin = 4;
  view.diagnostics.resize(reader.GetCount(kDiagnosticBytesMin));
  for (Diagnostic& diagnostic : view.diagnostics) {
    diagnostic.severity = reader.GetString();
    diagnostic.code = reader.GetString();
    diagnostic.locator = reader.GetString();
    diagnostic.message = reader.GetString();
  }
}

}  // namespace

std::string CompressSegment(const Segment& segment) {
  const std::string bytes = segment.Encode();
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(),
                                                                     &ZSTD_freeCCtx);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kCompressionLevel);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  const size_t size =
      ZSTD_compress2(context.get(), out.data(), out.size(), bytes.data(), bytes.size());
  out.resize(ZSTD_isError(size) ? 0 : size);
  return out;
}

Result<std::shared_ptr<const Segment>> DecompressSegment(std::string_view bytes,
                                                         uint64_t size_bytes_max) {
  const unsigned long long size = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > size_bytes_max) {
    return Damaged();
  }
  const std::unique_ptr<char[]> plain(new char[size + 1]);
  const size_t written = ZSTD_decompress(plain.get(), size, bytes.data(), bytes.size());
  if (ZSTD_isError(written) || written != size) return Damaged();
  return DecodeSegment(std::string_view(plain.get(), size));
}

std::string EncodeViewHeader(const View& view) {
  BinaryWriter writer;
  writer.PutUnsigned(IsCut(view) ? 1 : 0);
  writer.PutString(view.format);
  writer.PutString(view.parser.name);
  writer.PutString(view.parser.version);
  writer.PutString(view.fallback);
  writer.PutUnsigned(view.parts.size());
  for (const Part& part : view.parts) {
    writer.PutString(part.name);
    writer.PutHash(part.digest);
    writer.PutUnsigned(part.size_bytes);
    writer.PutUnsigned(part.kinds.size());
    for (const std::string& kind : part.kinds) writer.PutString(kind);
  }
  writer.PutUnsigned(view.diagnostics.size());
  for (const Diagnostic& diagnostic : view.diagnostics) {
    writer.PutString(diagnostic.severity);
    writer.PutString(diagnostic.code);
    writer.PutString(diagnostic.locator);
    writer.PutString(diagnostic.message);
  }
  return writer.Take();
}

std::string EncodeViewBody(std::string_view header, const std::vector<int64_t>& ids) {
  BinaryWriter writer;
  writer.PutUnsigned(ids.size());
  for (const int64_t id : ids) writer.PutUnsigned(static_cast<uint64_t>(id));
  writer.PutRaw(header);
  return Checksum(writer.bytes()) + writer.bytes();
}

Result<View> DecodeViewBody(std::string_view body, std::vector<int64_t>* ids) {
  STAGED_ASSIGN_OR_RETURN(const std::string_view content, CheckedBody(body));
  BinaryReader reader(content);
  *ids = GetIds(reader);
  (void)reader.GetUnsigned();  // follows from the rest
  View view;
  view.format = reader.GetString();
  view.parser.name = reader.GetString();
  view.parser.version = reader.GetString();
  view.fallback = reader.GetString();
  GetParts(reader, view);
  GetDiagnostics(reader, view);
  STAGED_RETURN_IF_ERROR(reader.Finish("a cached view"));
  return view;
}

bool IsCut(const View& view) {
  if (view.fallback == "binary") return true;
  return std::any_of(view.diagnostics.begin(), view.diagnostics.end(), [](const Diagnostic& one) {
    return one.severity == "error" && (one.code == "limit_exceeded" || one.code == "damaged_xml" ||
                                       one.code == "unreadable_part");
  });
}

Result<ViewSummary> DecodeViewSummary(std::string_view body) {
  STAGED_ASSIGN_OR_RETURN(const std::string_view content, CheckedBody(body));
  BinaryReader reader(content);
  ViewSummary summary;
  summary.segment_ids = GetIds(reader);
  summary.is_cut = reader.GetUnsigned() != 0;
  if (!reader.ok()) return Damaged();
  return summary;
}

}  // namespace staged
