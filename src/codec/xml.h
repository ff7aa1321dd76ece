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
// Checks well-formedness (matching tags, one root, depth). UTF-16 parts are converted first with
// XmlToUtf8 and are then read only.
namespace staged {

enum class XmlTokenType : uint8_t {
  kStart = 1,    // <name ...> or <name .../>: an empty element gives kStart and then kEnd
  kEnd = 2,
  kText = 3,     // raw character data between tags, entities not yet decoded
  kCData = 4,    // the inside of a CDATA section
  kComment = 5,
  kInstruction = 6,
  kDoctype = 7,
  kEndOfInput = 8,
};

struct XmlAttribute {
  std::string_view name;   // qualified, as written
  std::string_view value;  // raw, between the quotes
  size_t begin = 0;        // of the name
  size_t end = 0;          // behind the closing quote
};

struct XmlToken {
  XmlTokenType type = XmlTokenType::kEndOfInput;
  std::string_view name;   // kStart, kEnd: qualified name ("w:p")
  std::string_view raw;    // kText, kCData, ...: the inside; kStart: the attributes' source
  size_t begin = 0;        // of the token's first byte in the input
  size_t end = 0;          // behind its last byte
  bool is_empty = false;   // kStart of <name/>; its kEnd has begin == end

  [[nodiscard]] std::string_view local_name() const;  // "p" of "w:p"
};

// Borrows the input. Not thread-safe.
class XmlTokenizer {
 public:
  XmlTokenizer(std::string_view input, const Limits& limits);
  // Errors: kParseFailed with the byte offset; then the same error for ever. kLimitExceeded (depth).
  [[nodiscard]] Result<XmlToken> Next();
  // Attributes of the last kStart token, in order; borrowed until the next call of Next.
  [[nodiscard]] const std::vector<XmlAttribute>& attributes();
  // The raw value of one attribute of the last kStart token by qualified name.
  [[nodiscard]] std::optional<std::string_view> Attribute(std::string_view name);
  // After a kStart: consumes up to and including its kEnd; gives the offset behind it.
  [[nodiscard]] Result<size_t> SkipElement();
  [[nodiscard]] size_t depth() const { return open_.size(); }

 private:
  std::string_view input_;
  size_t position_ = 0;
  uint32_t depth_max_;
  std::vector<std::string_view> open_;
  XmlToken last_;
  bool pending_end_ = false;
  bool attributes_read_ = false;
  std::vector<XmlAttribute> attributes_;
  std::optional<Status> failure_;
  bool seen_root_ = false;
};

// Character data or attribute value with the five predefined and numeric references decoded; unknown
// ones are kept as written. Newlines are normalised as the standard says (2.11).
[[nodiscard]] std::string XmlDecode(std::string_view raw);
[[nodiscard]] std::string XmlEscapeText(std::string_view text);       // & < > and \r
[[nodiscard]] std::string XmlEscapeAttribute(std::string_view text);  // also quotes, tab, newline
// UTF-8 bytes of an XML part by its BOM or declaration (UTF-8, UTF-16). Errors: kParseFailed.
[[nodiscard]] Result<std::string> XmlToUtf8(std::string_view bytes);

}  // namespace staged
