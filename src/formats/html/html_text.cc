#include "formats/html/html_text.h"

#include <algorithm>

#include "base/utf8.h"
#include "codec/html_references.h"
#include "staged/content_hash.h"

namespace staged {
namespace {

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r'; }

class TextReader {
 public:
  TextReader(std::string_view source, const HtmlNode& node, HtmlCharset charset, bool with_sources)
      : source_(source), node_(node), charset_(charset), with_sources_(with_sources) {}

  HtmlText Read() {
    std::string tags;
    for (const HtmlPiece& piece : node_.pieces) {
      switch (piece.kind) {
        case HtmlPieceKind::kBreak:
          space_ = {};
          Append("\n", {piece.begin, piece.end});
          break;
        case HtmlPieceKind::kTag: {
          const std::string_view tag = source_.substr(piece.begin, piece.end - piece.begin);
          tags.append(Place()).append(tag);
          out_.has_attributes =
              out_.has_attributes || tag.find_first_of(" \t\r\n\f/", 2) < tag.size();
          break;
        }
        case HtmlPieceKind::kText:
        case HtmlPieceKind::kRawText:
          ReadPiece(piece);
          break;
      }
    }
    constexpr size_t kDigestDigits = 16;
    if (!tags.empty()) out_.format = ContentHash::Of(tags).ToHex().substr(0, kDigestDigits);
    const size_t end = out_.text.find_last_not_of(node_.keeps_spaces ? "\n" : " \n");
    out_.text.resize(end == std::string::npos ? 0 : end + 1);
    if (with_sources_) out_.sources.resize(out_.text.size());
    return std::move(out_);
  }

 private:
  // Where a tag stands: at the beginning of which word, or inside it. Words of another length leave
  // it where it is, so that a changed text is no changed format.
  [[nodiscard]] std::string Place() {
    for (; words_read_ < out_.text.size(); ++words_read_) {
      const char c = out_.text[words_read_];
      if (c == ' ' || c == '\n') ++words_;
    }
    const bool has_space = space_.begin != space_.end;
    const bool is_inside = !has_space && !out_.text.empty() && !IsSpace(out_.text.back());
    return std::to_string(words_ + (has_space ? 1 : 0)) + (is_inside ? "+" : " ");
  }

  void Append(std::string_view text, ByteSpan from) {
    out_.text.append(text);
    if (with_sources_) out_.sources.insert(out_.sources.end(), text.size(), from);
  }

  void ReadPiece(const HtmlPiece& piece) {
    const std::string_view text = source_.substr(0, piece.end);
    size_t position = piece.begin;
    // A newline directly behind <pre> or <textarea> belongs to the tag.
    if (node_.keeps_spaces && node_.has_start_tag && position == node_.content_begin) {
      if (text.substr(position).starts_with("\r\n")) ++position;
      if (text.substr(position).starts_with("\n")) ++position;
    }
    while (position < piece.end) {
      if (IsSpace(text[position])) {
        ReadSpaces(text, position);
      } else if (text[position] == '&' && piece.kind == HtmlPieceKind::kText) {
        ReadReference(text, position);
      } else {
        ReadCharacters(text, position, piece.kind);
      }
    }
  }

  void ReadSpaces(std::string_view text, size_t& position) {
    const size_t begin = position;
    if (node_.keeps_spaces) {
      if (text.substr(position).starts_with("\r\n")) ++position;
      const char c = text[position] == '\r' ? '\n' : text[position];
      ++position;
      return Append(std::string_view(&c, 1), {begin, position});
    }
    while (position < text.size() && IsSpace(text[position])) ++position;
    Space({begin, position});
  }

  void Space(ByteSpan from) {
    if (space_.begin == space_.end) space_ = from;
  }

  // Puts the space that came before what follows.
  void FlushSpace() {
    if (space_.begin == space_.end) return;
    if (!out_.text.empty() && out_.text.back() != '\n') Append(" ", space_);
    space_ = {};
  }

  void ReadReference(std::string_view text, size_t& position) {
    const size_t begin = position;
    std::string decoded;
    if (!DecodeHtmlReference(text, HtmlContext::kText, position, decoded)) {
      decoded.assign(1, '&');
      ++position;
    }
    const bool is_space = decoded.size() == 1 && IsSpace(decoded[0]) && !node_.keeps_spaces;
    if (is_space) return Space({begin, position});
    FlushSpace();
    Append(decoded, {begin, position});
  }

  void ReadCharacters(std::string_view text, size_t& position, HtmlPieceKind kind) {
    FlushSpace();
    size_t end = position + 1;
    while (end < text.size() && !IsSpace(text[end]) &&
           (text[end] != '&' || kind == HtmlPieceKind::kRawText)) {
      ++end;
    }
    if (!with_sources_) {
      out_.text.append(HtmlToUtf8(text.substr(position, end - position), charset_));
      position = end;
      return;
    }
    while (position < end) {
      const size_t begin = position;
      if (charset_ == HtmlCharset::kUtf8) {
        const uint32_t code = NextCodePoint(text.substr(0, end), position);
        std::string character;
        AppendUtf8(character, code);
        Append(character, {begin, position});
      } else {
        ++position;
        Append(HtmlToUtf8(text.substr(begin, 1), charset_), {begin, position});
      }
    }
  }

  std::string_view source_;
  const HtmlNode& node_;
  HtmlCharset charset_;
  bool with_sources_;
  HtmlText out_;
  size_t words_ = 0;
  size_t words_read_ = 0;  // bytes of the text in which words are counted
  ByteSpan space_;         // white space that shows if more text follows
};

}  // namespace

HtmlText ReadHtmlText(std::string_view source, const HtmlNode& node, HtmlCharset charset,
                      bool with_sources) {
  return TextReader(source, node, charset, with_sources).Read();
}

std::string HtmlAttributeValue(const HtmlAttribute& attribute, HtmlCharset charset) {
  return DecodeHtmlReferences(HtmlToUtf8(attribute.value, charset), HtmlContext::kAttribute);
}

}  // namespace staged
