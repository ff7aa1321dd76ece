#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "staged/limits.h"
#include "staged/status.h"

// A pull tokenizer for XML 1.0 (fifth edition) in UTF-8 with byte offsets: for large parts and for
// splicing. Never resolves external entities; internal general entities are reported, not expanded.
// Checks well-formedness (legal characters, matching tags, one root, unique attributes, depth); of
// names only the ASCII characters are checked, and an undeclared entity is no error. UTF-16 parts
// are converted first with XmlToUtf8 and are then read only.
namespace staged {

enum class XmlTokenType : uint8_t {
  kStart = 1,  // <name ...> or <name .../>: an empty element gives kStart and then kEnd
  kEnd = 2,
  kText = 3,   // raw character data inside the root, entities not yet decoded
  kCData = 4,  // the inside of a CDATA section
  kComment = 5,
  kInstruction = 6,  // also the XML declaration
  kDoctype = 7,
  kEndOfInput = 8,
};

struct XmlAttribute {
  std::string_view name;   // qualified, as written
  std::string_view value;  // raw, between the quotes
  size_t begin = 0;        // of the name
  size_t end = 0;          // behind the closing quote

  [[nodiscard]] std::string_view local_name() const;
};

struct XmlToken {
  XmlTokenType type = XmlTokenType::kEndOfInput;
  std::string_view name;  // kStart, kEnd: qualified name ("w:p"); kInstruction: its target
  std::string_view raw;   // kText, kCData, ...: the inside; kStart: the attributes' source
  size_t begin = 0;       // of the token's first byte in the input
  size_t end = 0;         // behind its last byte
  bool is_empty = false;  // kStart of <name/>; its kEnd has begin == end

  [[nodiscard]] std::string_view local_name() const;  // "p" of "w:p"
  [[nodiscard]] std::string_view prefix() const;      // "w" of "w:p", "" of "p"
};

// Borrows the input. Not thread-safe. Two ways to read: Next, or the cheaper loop
//   while (tokenizer.Read()) { use tokenizer.token(); }
//   STAGED_RETURN_IF_ERROR(tokenizer.status());
class XmlTokenizer {
 public:
  XmlTokenizer(std::string_view input, const Limits& limits);
  // Errors: kParseFailed with the byte offset (detail "offset"), kLimitExceeded (depth); then the
  // same error for ever.
  [[nodiscard]] Result<XmlToken> Next();
  // Moves to the next token; false at the end of the input and after an error.
  [[nodiscard]] bool Read();
  [[nodiscard]] const XmlToken& token() const { return last_; }
  [[nodiscard]] Status status() const { return failure_ ? *failure_ : OkStatus(); }
  // Attributes of the last kStart token, in order; borrowed until the next call of Next or Read.
  [[nodiscard]] const std::vector<XmlAttribute>& attributes() const { return attributes_; }
  // The raw value of one attribute of the last kStart token by qualified name.
  [[nodiscard]] std::optional<std::string_view> Attribute(std::string_view name) const;
  // The same by local name, whatever the prefix; the first one.
  [[nodiscard]] std::optional<std::string_view> AttributeByLocalName(std::string_view name) const;
  // After a kStart: consumes up to and including its kEnd; gives the offset behind it.
  [[nodiscard]] Result<size_t> SkipElement();
  // Number of open elements; counts the element of a kStart, no longer that of a kEnd.
  [[nodiscard]] size_t depth() const { return open_.size(); }

 private:
  bool Fail(size_t offset, std::string_view reason);
  bool Finish();
  bool ReadEnd();
  bool ReadText();
  bool ReadMarkup();
  bool ReadStartTag();
  bool ReadAttribute(size_t& position);
  bool CheckUniqueAttributes();
  bool ReadEndTag();
  bool ReadInstruction();
  bool ReadDeclaration();
  bool ReadDoctype();
  bool SkipQuotedOrComment(size_t& position);
  bool CheckReference(size_t& position);
  bool Deliver(XmlTokenType type, size_t end);
  [[nodiscard]] size_t SkipName(size_t position) const;
  [[nodiscard]] size_t SkipSpace(size_t position) const;
  [[nodiscard]] bool StartsWith(size_t position, std::string_view text) const;

  std::string_view input_;
  size_t position_ = 0;
  size_t invalid_at_;  // first byte that no XML document may hold there; the size when none
  uint32_t depth_max_;
  std::vector<std::string_view> open_;
  XmlToken last_;
  bool pending_end_ = false;
  std::vector<XmlAttribute> attributes_;
  std::vector<std::string_view> sorted_names_;
  std::optional<Status> failure_;
  bool seen_root_ = false;
  bool seen_doctype_ = false;
};

// Character data with the five predefined and numeric references decoded; unknown ones are kept as
// written. Line ends are normalised (XML 1.0, section 2.11).
[[nodiscard]] std::string XmlDecode(std::string_view raw);
void XmlDecodeTo(std::string_view raw, std::string& out);  // appends
// An attribute value likewise; literal white space becomes a space (section 3.3.3).
[[nodiscard]] std::string XmlDecodeAttribute(std::string_view raw);
[[nodiscard]] std::string XmlEscapeText(std::string_view text);       // & < > and \r
[[nodiscard]] std::string XmlEscapeAttribute(std::string_view text);  // also quotes, tab, newline
// Whether XML 1.0 can hold the text at all (section 2.2): UTF-8 without control characters other
// than tab, newline and return, and without U+FFFE and U+FFFF.
[[nodiscard]] bool XmlCanHold(std::string_view text);
// UTF-8 bytes of an XML part by its BOM or declaration (UTF-8, UTF-16, ISO-8859-1, US-ASCII). UTF-8
// comes back unchanged, with its BOM. Errors: kParseFailed.
[[nodiscard]] Result<std::string> XmlToUtf8(std::string_view bytes);
// The same without a copy where nothing is to be converted.
[[nodiscard]] Result<std::string> XmlTakeAsUtf8(std::string bytes);
// Whether they are in UTF-8 by their BOM or declaration.
[[nodiscard]] bool XmlIsUtf8(std::string_view bytes);

}  // namespace staged
