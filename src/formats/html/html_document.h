#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "codec/html_encoding.h"
#include "codec/html_tokenizer.h"
#include "formats/html/html_elements.h"
#include "staged/limits.h"

namespace staged {

enum class HtmlPieceKind : uint8_t {
  kText = 1,
  kRawText = 2,  // without character references
  kBreak = 3,    // <br>, or where a block ends inside a link
  kTag = 4,      // of an inline element: no text, but format
};
// Bytes [begin, end) of the source that a text is made of.
struct HtmlPiece {
  uint64_t begin = 0;
  uint64_t end = 0;
  HtmlPieceKind kind = HtmlPieceKind::kText;
};

// What has a record: an element, a run of text, a comment. In order of their beginning.
struct HtmlNode {
  static constexpr uint32_t kNone = UINT32_MAX;

  HtmlNodeKind kind = HtmlNodeKind::kNone;
  uint32_t parent = kNone;
  uint64_t begin = 0;  // bytes [begin, end), with the tags
  uint64_t end = 0;
  uint64_t content_begin = 0;  // between the tags; a start tag is [begin, content_begin)
  uint64_t content_end = 0;
  std::string name;  // of the element; empty for a run of text that has none of its own
  std::vector<HtmlAttribute> attributes;
  uint64_t attributes_omitted = 0;
  std::vector<HtmlPiece> pieces;
  std::string_view hidden;  // why a reader does not see it; a constant
  uint32_t row = 0;         // of a table's row or cell, from 1
  uint32_t column = 0;      // of a cell: which one of its row, from 1
  bool has_start_tag = false;
  bool has_end_tag = false;
  bool keeps_spaces = false;
  bool has_text = false;    // a run of text is its own
  bool has_blocks = false;  // a block began in it
  bool is_in_svg = false;

  // The first attribute of that name (in lower case), or nullptr.
  [[nodiscard]] const HtmlAttribute* Find(std::string_view name) const;
};

// Nodes are larger than records of most formats: 2 million take 400 MB while they are read.
inline constexpr uint64_t kHtmlNodesMax = 2'000'000;

struct HtmlIssue {
  std::string code;
  uint64_t offset = 0;
  std::string message;
};

struct HtmlDocument {
  std::vector<HtmlNode> nodes;
  std::vector<HtmlIssue> issues;
  std::string_view charset_label;  // what the document says of its encoding, or ""
};

// Reads any text as HTML: its elements with their places in it, as browsers nest them except for
// what they move (text directly in a table stays there, and formatting that is closed out of turn
// is not opened again). Nesting beyond the limit is flattened; nodes beyond
// theirs are left out, with an issue.
[[nodiscard]] HtmlDocument ReadHtmlDocument(std::string_view text, const Limits& limits);

}  // namespace staged
