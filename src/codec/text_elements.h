#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "codec/xml_tree.h"
#include "staged/limits.h"
#include "staged/status.h"

// Text that a document keeps in pieces of XML (runs, spans, elements that stand for a character),
// read as one text and changed where only the matched characters change. Offsets in the text are
// bytes of UTF-8.
namespace staged {

enum class TextPieceKind : uint8_t {
  kCharacters = 1,  // raw character data
  kWhole = 2,       // source that is written anew when touched: an element, a CDATA section
  kFixed = 3,       // text that is not edited as text: a field, an equation, a note's mark
};

// Where a piece of the text comes from. Pieces are in order of the text and of the source; one may
// be empty, as a place where text can go.
struct TextPiece {
  TextPieceKind kind = TextPieceKind::kCharacters;
  size_t begin = 0;
  size_t end = 0;
  size_t source_begin = 0;
  size_t source_end = 0;
  uint32_t node = XmlTree::kNone;  // the text node, or the element
  uint32_t run = XmlTree::kNone;   // goes when all its pieces are deleted; kNone: nothing goes
};

struct TextContent {
  std::string text;
  std::vector<TextPiece> pieces;
};

struct TextReplacement {
  size_t begin = 0;
  size_t end = 0;
  std::string text;
  friend bool operator==(const TextReplacement&, const TextReplacement&) = default;
};

// How one format reads and writes the text of a paragraph element. Stateless, thread-safe.
class TextDialect {
 public:
  virtual ~TextDialect() = default;
  [[nodiscard]] virtual const XmlVocabulary& vocabulary() const = 0;
  [[nodiscard]] virtual TextContent Read(const XmlTree& tree, uint32_t paragraph) const = 0;
  // `text` as XML in the place of a piece, or inside it when it is kCharacters.
  [[nodiscard]] virtual std::string Write(std::string_view text, const XmlTree& tree,
                                          const TextPiece& piece) const = 0;
  // The replacement with those neighbours that it cannot be written without.
  [[nodiscard]] virtual TextReplacement Widen(const TextContent& content,
                                              TextReplacement replacement) const {
    static_cast<void>(content);
    return replacement;
  }
  // A paragraph without any piece to write into, the root of `tree`, as its source with `text`.
  [[nodiscard]] virtual std::string WriteFirst(std::string_view text,
                                               const XmlTree& tree) const = 0;
};

// One paragraph while it is edited: its own source, read again after each change. Borrows the
// dialect.
class TextElementEditor {
 public:
  // `bindings` are the namespace declarations around the element.
  TextElementEditor(std::string xml, XmlBindings bindings, const TextDialect& dialect,
                    const Limits& limits);

  [[nodiscard]] const std::string& xml() const { return xml_; }
  [[nodiscard]] const std::string& text() const { return content_.text; }
  // Replacements in one text, which do not overlap, in order. Errors: kInvalidArgument (no
  // character borders, a character that XML cannot hold), kUnsupportedEdit (fixed text is touched).
  [[nodiscard]] Status Replace(const std::vector<TextReplacement>& replacements);

 private:
  void Reread();
  [[nodiscard]] Status ReplaceExactly(const std::vector<TextReplacement>& replacements);

  std::string xml_;
  const XmlBindings bindings_;
  const TextDialect& dialect_;
  const Limits limits_;
  std::unique_ptr<XmlTree> tree_;
  TextContent content_;
};

// What lies between what both texts have in common at their ends, cut at spaces: the least that a
// new text replaces, so that the formats of the rest stay.
[[nodiscard]] TextReplacement TextDifference(const std::string& before, const std::string& after);
// Whether a text may be cut there: not inside a UTF-8 sequence.
[[nodiscard]] bool IsCharacterBorder(std::string_view text, size_t offset);
// The byte of raw character data at which byte `offset` of the decoded text starts.
[[nodiscard]] size_t XmlRawOffset(std::string_view raw, size_t offset);
// "w:" of an element named "w:p", "" of one named "p".
[[nodiscard]] std::string XmlPrefixOf(const XmlTree& tree, uint32_t element);
// The element's source with `content` put before its end tag; <a/> is opened for it.
[[nodiscard]] std::string XmlWithAppended(const XmlTree& tree, uint32_t element,
                                          std::string_view content);

}  // namespace staged
