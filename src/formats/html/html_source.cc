#include "formats/html/html_source.h"

#include <algorithm>

#include "codec/lines.h"
#include "format/text_records.h"

namespace staged {

HtmlSource::HtmlSource(const DecodedText& decoded, const Limits& limits)
    : decoded_(decoded), document_(ReadHtmlDocument(decoded.text(), limits)) {
  const std::string_view text = decoded.text();
  is_ascii_ =
      std::all_of(text.begin(), text.end(), [](char c) { return static_cast<uint8_t>(c) < 0x80; });
  if (decoded.has_byte_order_mark()) return;
  if (!document_.charset_label.empty()) {
    charset_ = HtmlCharsetOf(document_.charset_label).value_or(HtmlCharset::kUtf8);
  } else if (decoded.encoding() == TextEncoding::kUnknown8Bit) {
    charset_ = HtmlCharset::kWindows1252;
  }
}

std::string HtmlSource::label() const {
  return HtmlToUtf8(document_.charset_label, HtmlCharset::kUtf8);
}

std::string_view HtmlSource::encoding_name() const {
  if (is_ascii_ || charset_ == HtmlCharset::kUtf8) return TextEncodingName(decoded_.encoding());
  return charset_ == HtmlCharset::kWindows1252 ? "windows-1252" : "unknown-8bit";
}

std::vector<Diagnostic> HtmlSource::Diagnostics() const {
  std::vector<Diagnostic> diagnostics;
  if (charset_ == HtmlCharset::kUtf8) {
    diagnostics = EncodingDiagnostics(decoded_);
  } else if (charset_ == HtmlCharset::kUnread && !is_ascii_) {
    diagnostics.push_back({"warning", "encoding_not_read", "",
                           "the encoding '" + label() +
                               "' is not decoded: characters other than ASCII are shown as U+FFFD; "
                               "save the file as UTF-8"});
  } else if (document_.charset_label.empty() && !is_ascii_) {
    diagnostics.push_back({"note", "encoding_guessed", "",
                           "the file names no known encoding and is not UTF-8; it is read as "
                           "windows-1252, as browsers do"});
  }
  if (document_.issues.empty()) return diagnostics;
  const LineIndex lines(text());
  for (const HtmlIssue& issue : document_.issues) {
    diagnostics.push_back({"warning", issue.code,
                           lines.count() == 0 ? "" : LineLocator(lines.LineOf(issue.offset)),
                           issue.message});
  }
  return diagnostics;
}

}  // namespace staged
