#include "formats/code/code_format.h"

#include <algorithm>
#include <bit>

#include "base/utf8.h"
#include "codec/little_endian.h"
#include "format/text_file_format.h"
#include "formats/code/code_editor.h"
#include "formats/code/symbols.h"
#include "record/segments.h"

namespace staged {
namespace {

FormatDescriptor Describe(const CodeLanguage& language) {
  FormatDescriptor descriptor;
  descriptor.name = language.name;
  descriptor.parser = {descriptor.name, "3"};
  descriptor.extensions.assign(language.extensions.begin(), language.extensions.end());
  descriptor.edit_ops = TextEditOps();
  descriptor.profile.line_based_merge = true;
  // Lines hold all content; symbols and imports are an outline derived from them.
  descriptor.profile.kinds = {
      TextFileKindRule(),
      {"line",
       Matching::kOrdered,
       {{"text", ChangeClass::kContent, {"text", "raw"}},
        {"newline", ChangeClass::kSerialization, {"newline"}}}},
      {"symbol",
       Matching::kKeyed,
       {{"signature", ChangeClass::kDerived, {"text", "symbol_kind"}},
        {"doc", ChangeClass::kDerived, {"doc"}},
        {"body", ChangeClass::kDerived, {"body"}}}},
      {"import", Matching::kOrdered, {{"text", ChangeClass::kDerived, {"text"}}}},
  };
  return descriptor;
}

std::string LinesOf(const LineIndex& lines, const ByteSpan& span) {
  if (lines.count() == 0) return "";
  const size_t first = lines.LineOf(span.begin);
  const size_t last =
      lines.LineOf(std::max(span.begin, span.end - (span.end > span.begin ? 1 : 0)));
  std::string locator = LineLocator(first);
  if (last > first) locator += "-" + std::to_string(last + 1);
  return locator;
}

// Of a symbol's source, to show that it changed. What changed the lines show; so this may be a
// cheap one, since each byte is in all the symbols around it.
std::string Fingerprint(std::string_view source) {
  constexpr uint64_t kFirstPrime = 0x9E37'79B1'85EB'CA87, kSecondPrime = 0xC2B2'AE3D'27D4'EB4F;
  uint64_t hash = source.size() * kFirstPrime;
  const auto mix = [&](uint64_t word) {
    hash = std::rotl(hash ^ (word * kSecondPrime), 31) * kFirstPrime;
  };
  while (source.size() >= sizeof(uint64_t)) {
    mix(Load64(source, 0));
    source.remove_prefix(sizeof(uint64_t));
  }
  for (const char c : source) mix(static_cast<uint8_t>(c));
  hash ^= hash >> 29;
  hash *= kSecondPrime;
  hash ^= hash >> 32;
  std::string hex(16, '0');
  for (size_t i = 0; i < hex.size(); ++i) hex[i] = "0123456789abcdef"[(hash >> (60 - 4 * i)) & 15];
  return hex;
}

std::vector<Record> OutlineRecords(std::string_view text, const CodeOutline& outline,
                                   const DecodedText& decoded) {
  const uint64_t offset = decoded.mark_size_bytes();
  const LineIndex lines(text);
  std::vector<Record> records;
  records.reserve(outline.symbols.size() + outline.imports.size());
  for (size_t i = 0; i < outline.imports.size(); ++i) {
    const ByteSpan& span = outline.imports[i];
    Record record;
    record.kind = "import";
    record.locator = "import:" + std::to_string(i + 1);
    std::string_view source = text.substr(span.begin, span.end - span.begin);
    while (source.ends_with('\n') || source.ends_with('\r')) source.remove_suffix(1);
    record.text = ReplaceInvalidUtf8(source);
    record.attrs.Set("lines", LinesOf(lines, span));
    if (decoded.keeps_offsets()) record.span = ByteSpan{span.begin + offset, span.end + offset};
    records.push_back(std::move(record));
  }
  for (const Symbol& symbol : outline.symbols) {
    Record record;
    record.kind = "symbol";
    record.locator = symbol.Locator();
    record.key = record.locator.substr(4);
    if (symbol.parent != SIZE_MAX) record.parent = outline.symbols[symbol.parent].Locator();
    record.text = ReplaceInvalidUtf8(symbol.signature);
    record.attrs.Set("symbol_kind", symbol.kind);
    record.attrs.Set("signature", record.text);
    if (!symbol.documentation.empty()) {
      record.attrs.Set("doc", ReplaceInvalidUtf8(symbol.documentation));
    }
    record.attrs.Set("lines", LinesOf(lines, symbol.span));
    const std::string_view source =
        text.substr(symbol.span.begin, symbol.span.end - symbol.span.begin);
    record.attrs.Set("body", Fingerprint(source));
    if (decoded.keeps_offsets()) {
      record.span = ByteSpan{symbol.span.begin + offset, symbol.span.end + offset};
    }
    records.push_back(std::move(record));
  }
  return records;
}

// The program that a first line "#!/usr/bin/env -S python3.11 -u" runs, without version: "python".
std::string_view InterpreterOf(std::string_view bytes) {
  if (!bytes.starts_with("#!")) return "";
  std::string_view line = bytes.substr(2, std::min<size_t>(bytes.find('\n'), 256) - 2);
  while (!line.empty()) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
    const size_t end = std::min(line.find_first_of(" \t\r"), line.size());
    std::string_view word = line.substr(0, end);
    line.remove_prefix(end);
    const bool is_argument = word.starts_with('-') || word.find('=') != std::string_view::npos;
    word.remove_prefix(word.rfind('/') + 1);
    if (is_argument || word == "env") continue;
    return word.substr(0, word.find_last_not_of("0123456789.") + 1);
  }
  return "";
}

class CodeFormat final : public Format {
 public:
  explicit CodeFormat(const CodeLanguage& language)
      : language_(language), parser_(language), descriptor_(Describe(language)) {}

  [[nodiscard]] const FormatDescriptor& descriptor() const override { return descriptor_; }

  [[nodiscard]] int Sniff(std::string_view bytes, std::string_view extension) const override {
    const auto has = [](std::span<const std::string_view> names, std::string_view name) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    if (has(language_.extensions, extension)) {
      if (!LooksLikeText(bytes)) return 0;
      const bool is_meant = language_.is_meant == nullptr || language_.is_meant(bytes, extension);
      return is_meant ? 70 : 60;
    }
    if (!extension.empty() || language_.interpreters.empty()) return 0;
    return has(language_.interpreters, InterpreterOf(bytes)) && LooksLikeText(bytes) ? 60 : 0;
  }

  [[nodiscard]] Result<ParsedContent> Parse(std::string_view bytes, const Limits& limits,
                                            const SegmentSource& reuse) const override {
    STAGED_RETURN_IF_ERROR(CheckTextSize(bytes, limits));
    ParsedContent content;
    const ContentHash digest = ContentHash::Of(bytes);
    // Two segments of one part: the outline's identity must differ from the lines'.
    const ContentHash outline_digest = ContentHash::Of("outline " + digest.ToHex());
    const DecodedText decoded(bytes);
    const std::string_view text = decoded.text();
    content.diagnostics = EncodingDiagnostics(decoded);
    std::shared_ptr<const Segment> lines = reuse ? reuse("", digest) : nullptr;
    if (lines == nullptr) lines = NewLineSegment(decoded, digest);
    if (lines->record_count() > limits.records_max) {
      return Status(ErrorCode::kLimitExceeded, "the text has more lines than the limit of " +
                                                   std::to_string(limits.records_max));
    }
    content.segments.push_back(std::move(lines));
    content.parts.push_back({"", digest, bytes.size(), {"file", "line", "symbol", "import"}});
    constexpr size_t kOutlinedBytesMax = 32 << 20;
    if (text.size() > kOutlinedBytesMax) {
      content.diagnostics.push_back({"note", "limit_exceeded", "",
                                     "the source is too large for an outline; it has lines only"});
      return content;
    }
    const CodeOutline outline = OutlineCode(text, parser_, limits);
    std::shared_ptr<const Segment> symbols = reuse ? reuse("", outline_digest) : nullptr;
    if (symbols == nullptr) {
      symbols = std::make_shared<RecordListSegment>("", outline_digest,
                                                    OutlineRecords(text, outline, decoded));
    }
    content.segments.push_back(std::move(symbols));
    Diagnose(text, outline, content.diagnostics);
    return content;
  }

  [[nodiscard]] Result<EditOutcome> Apply(std::string_view bytes, const std::vector<Edit>& edits,
                                          const Limits& limits) const override {
    STAGED_RETURN_IF_ERROR(CheckTextSize(bytes, limits));
    CodeEditor editor(bytes, parser_, limits);
    return PlanAndFinish(editor, edits);
  }

 private:
  static void Diagnose(std::string_view text, const CodeOutline& outline,
                       std::vector<Diagnostic>& diagnostics) {
    if (!outline.is_complete) {
      diagnostics.push_back({"warning", "limit_exceeded", "",
                             "the source costs its parser too much; it has lines only"});
    }
    if (outline.errors.empty()) return;
    const LineIndex lines(text);
    for (const ByteSpan& error : outline.errors) {
      diagnostics.push_back(
          {"warning", "syntax_error", LinesOf(lines, error),
           error.begin == error.end ? "something is missing here" : "this does not parse"});
    }
  }

  const CodeLanguage& language_;
  CodeParser parser_;
  FormatDescriptor descriptor_;
};

}  // namespace

std::vector<std::unique_ptr<Format>> NewCodeFormats() {
  std::vector<std::unique_ptr<Format>> formats;
  for (const CodeLanguage* language : CodeLanguages()) {
    formats.push_back(std::make_unique<CodeFormat>(*language));
  }
  return formats;
}

}  // namespace staged
