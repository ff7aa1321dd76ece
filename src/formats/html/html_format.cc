#include "formats/html/html_format.h"

#include <algorithm>

#include "format/text_file_format.h"
#include "formats/html/html_editor.h"
#include "formats/html/html_records.h"
#include "formats/html/html_source.h"
#include "formats/html/html_visibility.h"
#include "record/segments.h"

namespace staged {
namespace {

FormatDescriptor Describe() {
  FormatDescriptor descriptor;
  descriptor.name = "html";
  descriptor.parser = {"html", "2"};
  descriptor.extensions = {"html", "htm", "xhtml", "xht"};
  descriptor.edit_ops = TextEditOps();
  descriptor.edit_ops.insert(descriptor.edit_ops.end(), {"set", "set_attribute"});
  descriptor.profile.line_based_merge = true;
  descriptor.profile.kinds = HtmlKindRules();
  KindRule file = TextFileKindRule();
  file.facets[0].attrs.push_back("declared_encoding");
  descriptor.profile.kinds.insert(descriptor.profile.kinds.begin(), std::move(file));
  return descriptor;
}

// Whether the text begins as an HTML document does, behind white space and comments.
bool BeginsAsHtml(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  constexpr std::string_view kSpaces = " \t\r\n\f";
  constexpr size_t kHeadBytes = 4096;
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  text = text.substr(0, kHeadBytes);
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kSpaces), text.size()));
    const bool is_comment = text.starts_with("<!--");
    if (!is_comment && !text.starts_with("<?xml")) break;
    const std::string_view end = is_comment ? "-->" : "?>";
    const size_t at = text.find(end);
    if (at == std::string_view::npos) return false;
    text.remove_prefix(at + end.size());
  }
  for (const std::string_view begin : {"<!doctype html", "<html"}) {
    const bool ends = text.size() > begin.size() &&
                      std::string_view(" \t\r\n\f>").find(text[begin.size()]) != text.npos;
    if (ends && EqualsIgnoringCase(text.substr(0, begin.size()), begin)) return true;
  }
  return false;
}

class HtmlFormat final : public Format {
 public:
  [[nodiscard]] const FormatDescriptor& descriptor() const override { return descriptor_; }

  [[nodiscard]] int Sniff(std::string_view bytes, std::string_view extension) const override {
    const int named = NamedTextScore(descriptor_, bytes, extension);
    if (named > 0) return named;
    return BeginsAsHtml(bytes) && LooksLikeText(bytes) ? 48 : 0;
  }

  [[nodiscard]] Result<ParsedContent> Parse(std::string_view bytes, const Limits& limits,
                                            const SegmentSource& reuse) const override {
    STAGED_RETURN_IF_ERROR(CheckHtmlSize(bytes, limits));
    const ContentHash digest = ContentHash::Of(bytes);
    const DecodedText decoded(bytes);
    const HtmlSource source(decoded, limits);
    std::shared_ptr<const Segment> segment = reuse ? reuse("", digest) : nullptr;
    if (segment == nullptr) segment = NewSegment(decoded, source, digest);
    std::vector<std::string> kinds;
    for (const KindRule& rule : descriptor_.profile.kinds) kinds.push_back(rule.kind);
    ParsedContent content = WholeFileContent(bytes, decoded, std::move(segment), std::move(kinds));
    content.diagnostics = source.Diagnostics();
    return content;
  }

  [[nodiscard]] Result<EditOutcome> Apply(std::string_view bytes, const std::vector<Edit>& edits,
                                          const Limits& limits) const override {
    STAGED_RETURN_IF_ERROR(CheckHtmlSize(bytes, limits));
    HtmlEditor editor(bytes, limits);
    return PlanAndFinish(editor, edits);
  }

 private:
  static std::shared_ptr<const Segment> NewSegment(const DecodedText& decoded,
                                                   const HtmlSource& source,
                                                   const ContentHash& digest) {
    std::vector<Record> records;
    records.push_back(TextFileRecord(decoded, LineIndex(decoded.text())));
    records[0].attrs.Set("encoding", source.encoding_name());
    if (!source.label().empty()) records[0].attrs.Set("declared_encoding", source.label());
    std::vector<HtmlEntry> entries =
        HtmlRecords(source.text(), source.document(), source.charset());
    records.reserve(entries.size() + 1);
    for (HtmlEntry& entry : entries) {
      Record& record = records.emplace_back(std::move(entry.record));
      if (!decoded.keeps_offsets()) record.span.reset();
      if (!record.span) continue;
      record.span->begin += decoded.mark_size_bytes();
      record.span->end += decoded.mark_size_bytes();
    }
    return std::make_shared<RecordListSegment>("", digest, std::move(records));
  }

  [[nodiscard]] static Status CheckHtmlSize(std::string_view bytes, const Limits& limits) {
    constexpr size_t kHtmlBytesMax = 64 << 20;
    STAGED_RETURN_IF_ERROR(CheckTextSize(bytes, limits));
    if (bytes.size() <= kHtmlBytesMax) return OkStatus();
    return Status(ErrorCode::kLimitExceeded,
                  "HTML of more than 64 MiB is not read by its elements");
  }

  FormatDescriptor descriptor_ = Describe();
};

}  // namespace

std::unique_ptr<Format> NewHtmlFormat() { return std::make_unique<HtmlFormat>(); }

}  // namespace staged
