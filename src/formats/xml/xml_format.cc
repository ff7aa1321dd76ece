#include "formats/xml/xml_format.h"

#include <algorithm>
#include <optional>

#include "base/utf8.h"
#include "format/text_file_format.h"
#include "formats/xml/xml_document.h"
#include "formats/xml/xml_editor.h"
#include "record/segments.h"

namespace staged {
namespace {

FormatDescriptor Describe() {
  FormatDescriptor descriptor;
  descriptor.name = "xml";
  descriptor.parser = {"xml", "1"};
  descriptor.extensions = {"xml",    "xsd",   "xsl",     "xslt", "svg",  "rss",    "atom",
                           "plist",  "gpx",   "kml",     "wsdl", "resx", "csproj", "vbproj",
                           "fsproj", "props", "targets", "ui",   "qrc",  "xlf",    "xliff"};
  descriptor.edit_ops = {"set",    "append", "insert_before", "insert_after",
                         "delete", "rename", "replace",       "replace_text"};
  descriptor.profile.line_based_merge = true;
  const FacetRule text{"text", ChangeClass::kContent, {"text"}};
  const FacetRule name{"name", ChangeClass::kStructure, {"name"}};
  const FacetRule form{"form", ChangeClass::kSerialization, {"cdata"}};
  const std::vector<MergeArgument> arguments = {{"value", "text"}};
  descriptor.profile.kinds = {
      TextFileKindRule(),
      {"element", Matching::kOrdered, {text, name, form}, "set", "", "delete", "", arguments},
      {"attribute", Matching::kKeyed, {text, name}, "set", "set", "delete", "", arguments},
      {"text", Matching::kOrdered, {text, form}, "set", "", "delete", "", arguments},
      {"comment", Matching::kOrdered, {text}, "set", "", "delete", "", arguments},
      {"instruction", Matching::kOrdered, {text, name}},
      {"doctype", Matching::kOrdered, {text}},
      {"unparsed", Matching::kOrdered, {text}},
  };
  return descriptor;
}

class XmlFormat final : public Format {
 public:
  [[nodiscard]] const FormatDescriptor& descriptor() const override { return descriptor_; }

  [[nodiscard]] int Sniff(std::string_view bytes, std::string_view extension) const override {
    if (const int score = NamedTextScore(descriptor_, bytes, extension); score > 0) return score;
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (bytes.starts_with(kByteOrderMark)) bytes.remove_prefix(kByteOrderMark.size());
    return bytes.starts_with("<?xml ") && LooksLikeText(bytes) ? 45 : 0;
  }

  [[nodiscard]] Result<ParsedContent> Parse(std::string_view bytes, const Limits& limits,
                                            const SegmentSource& reuse) const override {
    STAGED_RETURN_IF_ERROR(CheckTextSize(bytes, limits));
    ParsedContent content;
    const ContentHash digest = ContentHash::Of(bytes);
    const DecodedText decoded(bytes);
    const std::optional<std::string> converted = Convert(bytes, decoded);
    const std::string_view text = converted ? std::string_view(*converted) : decoded.text();
    const bool has_spans = decoded.keeps_offsets() && !converted;
    const XmlDocument document = ReadXmlDocument(text, limits);
    std::shared_ptr<const Segment> segment = reuse ? reuse("", digest) : nullptr;
    if (segment == nullptr) {
      std::vector<Record> records = XmlRecords(document, decoded.mark_size_bytes(), has_spans);
      records.insert(records.begin(), TextFileRecord(decoded, LineIndex(decoded.text())));
      if (!document.error.ok() && document.parsed_end < text.size()) {
        Record& rest = records.emplace_back();
        rest.kind = rest.locator = "unparsed";
        rest.text = ReplaceInvalidUtf8(text.substr(document.parsed_end));
      }
      segment = std::make_shared<RecordListSegment>("", digest, std::move(records));
    }
    content.segments.push_back(std::move(segment));
    content.parts.push_back({"",
                             digest,
                             bytes.size(),
                             {"file", "element", "attribute", "text", "comment", "instruction",
                              "doctype", "unparsed"}});
    if (!converted) content.diagnostics = EncodingDiagnostics(decoded);
    if (!document.error.ok()) {
      const LineIndex lines(text);
      content.diagnostics.push_back(
          {"error", "syntax_error",
           lines.count() == 0 ? std::string() : LineLocator(lines.LineOf(document.error_at)),
           document.error.message()});
    }
    return content;
  }

  [[nodiscard]] Result<EditOutcome> Apply(std::string_view bytes, const std::vector<Edit>& edits,
                                          const Limits& limits) const override {
    STAGED_RETURN_IF_ERROR(CheckTextSize(bytes, limits));
    XmlEditor editor(bytes, limits);
    return PlanAndFinish(editor, edits);
  }

 private:
  // Bytes that are not UTF-8, read by the encoding that the declaration names. Such files are not
  // edited by path.
  static std::optional<std::string> Convert(std::string_view bytes, const DecodedText& decoded) {
    if (decoded.encoding() != TextEncoding::kUnknown8Bit) return std::nullopt;
    Result<std::string> converted = XmlToUtf8(bytes);
    if (!converted.ok() || !IsValidUtf8(*converted)) return std::nullopt;
    return *std::move(converted);
  }

  FormatDescriptor descriptor_ = Describe();
};

}  // namespace

std::unique_ptr<Format> NewXmlFormat() { return std::make_unique<XmlFormat>(); }

}  // namespace staged
