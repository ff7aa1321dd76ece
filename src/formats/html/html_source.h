#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codec/text_encoding.h"
#include "formats/html/html_document.h"
#include "staged/view.h"

namespace staged {

// HTML with the encoding in which its texts are read (WHATWG HTML, section 13.2.3.2): by the byte
// order mark, else as the document says, else UTF-8 if it is that, else windows-1252.
class HtmlSource {
 public:
  // REQUIRES: `decoded` outlives this.
  HtmlSource(const DecodedText& decoded, const Limits& limits);

  [[nodiscard]] std::string_view text() const { return decoded_.text(); }
  [[nodiscard]] const HtmlDocument& document() const { return document_; }
  [[nodiscard]] HtmlCharset charset() const { return charset_; }
  // What the document says, as UTF-8; "" for nothing.
  [[nodiscard]] std::string label() const;
  [[nodiscard]] bool is_ascii() const { return is_ascii_; }
  [[nodiscard]] std::string_view encoding_name() const;
  [[nodiscard]] std::vector<Diagnostic> Diagnostics() const;

 private:
  const DecodedText& decoded_;
  HtmlDocument document_;
  HtmlCharset charset_ = HtmlCharset::kUtf8;
  bool is_ascii_ = false;
};

}  // namespace staged
