#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace staged {

enum class HtmlTokenType : uint8_t {
  kText = 1,
  kStartTag = 2,
  kEndTag = 3,
  kComment = 4,  // also what HTML reads as one: <?...>, <!...>, </ >
  kDoctype = 5,
};

// Views are of the source, with character references as they are written.
struct HtmlAttribute {
  std::string_view name;
  std::string_view value;  // empty and at the end of the name where there is none
  uint64_t begin = 0;      // bytes [begin, end) with the quotes
  uint64_t end = 0;
  char quote = '\0';  // '"', '\'', or NUL
  bool has_value = false;
};

struct HtmlToken {
  HtmlTokenType type = HtmlTokenType::kText;
  uint64_t begin = 0;
  uint64_t end = 0;
  std::string name;      // of a tag, in lower case
  std::string_view raw;  // a text, or what is inside a comment or doctype
  std::vector<HtmlAttribute> attributes;
  uint64_t attributes_omitted = 0;  // behind those that are kept
  bool is_self_closing = false;
  bool has_references = true;  // of a text: whether character references are decoded in it
};

// How the content of an element is read that has been opened.
enum class HtmlContent : uint8_t {
  kRcData = 1,     // title, textarea: text with references
  kRawText = 2,    // style, xmp, iframe, noembed, noframes: text
  kScript = 3,     // text, with its own rules for its end
  kPlainText = 4,  // everything that follows is text
};

// Tokens of HTML (WHATWG HTML, section 13.2.5) with their places in the source. Reads anything, in
// one pass; NUL and carriage return are left to the reader of texts. Not thread-safe.
class HtmlTokenizer {
 public:
  static constexpr size_t kAttributesMax = 1024;  // kept of one tag

  // REQUIRES: `text` outlives this; it is ASCII-compatible.
  explicit HtmlTokenizer(std::string_view text) : text_(text) {}

  // The next token; false at the end.
  [[nodiscard]] bool Read();
  [[nodiscard]] const HtmlToken& token() const { return token_; }
  // How the content of the element is read whose start tag was the last token.
  void Enter(HtmlContent content) {
    content_ = content;
    is_inside_ = true;
  }
  // Whether <![CDATA[ begins a CDATA section: within svg and math.
  void set_allows_cdata(bool allows) { allows_cdata_ = allows; }
  // Where a tag begins that the end of the file cuts off, which HTML drops; else npos.
  [[nodiscard]] size_t unfinished_tag() const { return unfinished_tag_; }

 private:
  [[nodiscard]] bool BeginsMarkup(size_t at) const;
  void ReadText();
  void ReadMarkup();
  [[nodiscard]] bool ReadTag();
  void ReadAttribute();
  void ReadComment();
  void ReadUntilGreater(HtmlTokenType type, size_t content);
  [[nodiscard]] bool ReadContent();
  [[nodiscard]] bool IsTagAt(size_t at, std::string_view name) const;
  [[nodiscard]] size_t ScriptEnd(size_t from) const;
  [[nodiscard]] size_t ContentEnd(size_t from) const;
  void Finish(HtmlTokenType type, size_t begin, size_t end, std::string_view raw);

  std::string_view text_;
  size_t position_ = 0;
  HtmlToken token_;
  std::string entered_;  // the element whose content is read by its own rules
  HtmlContent content_ = HtmlContent::kRcData;
  bool is_inside_ = false;
  bool allows_cdata_ = false;
  size_t unfinished_tag_ = std::string_view::npos;
};

}  // namespace staged
