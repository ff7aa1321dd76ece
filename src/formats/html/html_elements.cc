#include "formats/html/html_elements.h"

#include <algorithm>
#include <iterator>

namespace staged {
namespace {

using enum HtmlNodeKind;

constexpr uint32_t kParagraphLike = kHtmlBlock | kHtmlSpecial | kHtmlClosesParagraph;
constexpr uint32_t kBlockLike = kHtmlBlock | kHtmlSpecial;
constexpr uint32_t kVoidBreakingOut = kHtmlVoid | kHtmlSpecial | kHtmlBreaksOut;
constexpr uint32_t kFormattingBreakingOut = kHtmlFormatting | kHtmlBreaksOut;

// Sorted by name.
constexpr HtmlElementTraits kElements[] = {
    {"a", kLink, kHtmlFormatting},
    {"address", kContainer, kParagraphLike},
    {"annotation", kNone, kHtmlNested},
    {"applet", kMedia, kHtmlNested | kHtmlSpecial | kHtmlScope | kHtmlFallback},
    {"area", kLink, kHtmlVoid | kHtmlSpecial},
    {"article", kContainer, kParagraphLike},
    {"aside", kContainer, kParagraphLike},
    {"audio", kMedia, kHtmlNested | kHtmlFallback},
    {"b", kNone, kFormattingBreakingOut},
    {"base", kMetadata, kHtmlVoid | kHtmlSpecial | kHtmlHead},
    {"basefont", kMetadata, kHtmlVoid | kHtmlSpecial | kHtmlHead},
    {"bgsound", kMedia, kHtmlVoid | kHtmlSpecial | kHtmlHead},
    {"big", kNone, kFormattingBreakingOut},
    {"blockquote", kQuote, kParagraphLike | kHtmlBreaksOut | kHtmlHolder},
    {"body", kContainer, kBlockLike | kHtmlBreaksOut},
    {"br", kNone, kVoidBreakingOut},
    {"button", kField, kHtmlNested | kHtmlSpecial},
    {"canvas", kMedia, kHtmlNested | kHtmlFallback},
    {"caption", kContainer, kBlockLike | kHtmlScope},
    {"center", kContainer, kParagraphLike | kHtmlBreaksOut},
    {"code", kNone, kFormattingBreakingOut},
    {"col", kContainer, kHtmlVoid | kBlockLike},
    {"colgroup", kContainer, kBlockLike},
    {"datalist", kContainer, kHtmlBlock},
    {"dd", kDefinition, kBlockLike | kHtmlImpliedEnd | kHtmlBreaksOut | kHtmlHolder},
    {"details", kContainer, kParagraphLike},
    {"dialog", kContainer, kParagraphLike},
    {"dir", kContainer, kParagraphLike},
    {"div", kContainer, kParagraphLike | kHtmlBreaksOut},
    {"dl", kContainer, kParagraphLike | kHtmlBreaksOut},
    {"dt", kTerm, kBlockLike | kHtmlImpliedEnd | kHtmlBreaksOut | kHtmlHolder},
    {"em", kNone, kFormattingBreakingOut},
    {"embed", kMedia, kVoidBreakingOut},
    {"fieldset", kContainer, kParagraphLike},
    {"figcaption", kContainer, kParagraphLike},
    {"figure", kContainer, kParagraphLike},
    {"font", kNone, kHtmlFormatting},
    {"footer", kContainer, kParagraphLike},
    {"form", kForm, kParagraphLike},
    {"frame", kMedia, kHtmlVoid | kHtmlSpecial},
    {"frameset", kContainer, kBlockLike},
    {"h1", kHeading, kParagraphLike | kHtmlBreaksOut},
    {"h2", kHeading, kParagraphLike | kHtmlBreaksOut},
    {"h3", kHeading, kParagraphLike | kHtmlBreaksOut},
    {"h4", kHeading, kParagraphLike | kHtmlBreaksOut},
    {"h5", kHeading, kParagraphLike | kHtmlBreaksOut},
    {"h6", kHeading, kParagraphLike | kHtmlBreaksOut},
    {"head", kContainer, kBlockLike | kHtmlBreaksOut},
    {"header", kContainer, kParagraphLike},
    {"hgroup", kContainer, kParagraphLike},
    {"hr", kThematicBreak, kHtmlVoid | kParagraphLike | kHtmlBreaksOut},
    {"html", kContainer, kBlockLike | kHtmlScope | kHtmlTableScope},
    {"i", kNone, kFormattingBreakingOut},
    {"iframe", kMedia, kHtmlNested | kHtmlSpecial | kHtmlRawText | kHtmlFallback},
    {"image", kImage, kHtmlVoid | kHtmlSpecial},
    {"img", kImage, kVoidBreakingOut},
    {"input", kField, kHtmlVoid | kHtmlSpecial},
    {"keygen", kField, kHtmlVoid | kHtmlSpecial},
    {"legend", kContainer, kHtmlBlock},
    {"li", kListItem, kBlockLike | kHtmlImpliedEnd | kHtmlBreaksOut | kHtmlHolder},
    {"link", kMetadata, kHtmlVoid | kHtmlSpecial | kHtmlHead},
    {"listing", kPreformatted, kParagraphLike | kHtmlBreaksOut},
    {"main", kContainer, kParagraphLike},
    {"map", kNone, 0},
    {"marquee", kContainer, kBlockLike | kHtmlScope},
    {"menu", kContainer, kParagraphLike | kHtmlBreaksOut},
    {"meta", kMetadata, kVoidBreakingOut | kHtmlHead},
    {"nav", kContainer, kParagraphLike},
    {"nobr", kNone, kFormattingBreakingOut},
    {"noembed", kContainer, kBlockLike | kHtmlRawText},
    {"noframes", kContainer, kBlockLike | kHtmlRawText | kHtmlHead},
    {"noscript", kContainer, kHtmlNested | kHtmlSpecial | kHtmlHead},
    {"object", kMedia, kHtmlNested | kHtmlSpecial | kHtmlScope | kHtmlFallback},
    {"ol", kContainer, kParagraphLike | kHtmlBreaksOut},
    {"optgroup", kContainer, kHtmlBlock | kHtmlImpliedEnd},
    {"option", kOption, kHtmlNested | kHtmlImpliedEnd | kHtmlHolder},
    {"p", kParagraph, kParagraphLike | kHtmlImpliedEnd | kHtmlBreaksOut},
    {"param", kContainer, kHtmlVoid | kBlockLike},
    {"plaintext", kPreformatted, kParagraphLike | kHtmlRawText},
    {"pre", kPreformatted, kParagraphLike | kHtmlBreaksOut},
    {"rb", kNone, kHtmlImpliedEnd},
    {"rp", kNone, kHtmlImpliedEnd},
    {"rt", kNone, kHtmlImpliedEnd},
    {"rtc", kNone, kHtmlImpliedEnd},
    {"ruby", kNone, kHtmlBreaksOut},
    {"s", kNone, kFormattingBreakingOut},
    {"script", kScript, kHtmlNested | kHtmlSpecial | kHtmlRawText | kHtmlHead},
    {"search", kContainer, kParagraphLike},
    {"section", kContainer, kParagraphLike},
    {"select", kField, kHtmlNested | kHtmlSpecial},
    {"small", kNone, kFormattingBreakingOut},
    {"source", kMedia, kHtmlVoid | kHtmlSpecial},
    {"span", kNone, kHtmlBreaksOut},
    {"strike", kNone, kFormattingBreakingOut},
    {"strong", kNone, kFormattingBreakingOut},
    {"style", kStyle, kHtmlNested | kHtmlSpecial | kHtmlRawText | kHtmlHead},
    {"sub", kNone, kHtmlBreaksOut},
    {"summary", kContainer, kParagraphLike},
    {"sup", kNone, kHtmlBreaksOut},
    {"svg", kImage, kHtmlNested},
    {"table", kTable, kBlockLike | kHtmlBreaksOut | kHtmlScope | kHtmlTableScope},
    {"tbody", kContainer, kBlockLike},
    {"td", kTableCell, kBlockLike | kHtmlScope | kHtmlHolder},
    {"template", kContainer, kHtmlNested | kHtmlSpecial | kHtmlScope | kHtmlTableScope | kHtmlHead},
    {"textarea", kField, kHtmlNested | kHtmlSpecial | kHtmlRcData},
    {"tfoot", kContainer, kBlockLike},
    {"th", kTableCell, kBlockLike | kHtmlScope | kHtmlHolder},
    {"thead", kContainer, kBlockLike},
    {"title", kMetadata, kHtmlNested | kHtmlSpecial | kHtmlRcData | kHtmlHead},
    {"tr", kTableRow, kBlockLike},
    {"track", kMedia, kHtmlVoid | kHtmlSpecial},
    {"tt", kNone, kFormattingBreakingOut},
    {"u", kNone, kFormattingBreakingOut},
    {"ul", kContainer, kParagraphLike | kHtmlBreaksOut},
    {"var", kNone, kHtmlBreaksOut},
    {"video", kMedia, kHtmlNested | kHtmlFallback},
    {"wbr", kNone, kHtmlVoid | kHtmlSpecial},
    {"xmp", kPreformatted, kParagraphLike | kHtmlRawText},
};
static_assert(std::is_sorted(std::begin(kElements), std::end(kElements),
                             [](const HtmlElementTraits& left, const HtmlElementTraits& right) {
                               return left.name < right.name;
                             }));

constexpr HtmlElementTraits kInline{"", kNone, 0};

}  // namespace

std::string_view HtmlNodeKindName(HtmlNodeKind kind) {
  switch (kind) {
    case kNone:
      return "";
    case kContainer:
      return "container";
    case kParagraph:
      return "paragraph";
    case kHeading:
      return "heading";
    case kListItem:
      return "list_item";
    case kTerm:
      return "term";
    case kDefinition:
      return "definition";
    case kQuote:
      return "quote";
    case kPreformatted:
      return "preformatted";
    case kTable:
      return "table";
    case kTableRow:
      return "table_row";
    case kTableCell:
      return "table_cell";
    case kThematicBreak:
      return "thematic_break";
    case kLink:
      return "link";
    case kImage:
      return "image";
    case kMedia:
      return "media";
    case kScript:
      return "script";
    case kStyle:
      return "style";
    case kComment:
      return "comment";
    case kDoctype:
      return "doctype";
    case kMetadata:
      return "metadata";
    case kForm:
      return "form";
    case kField:
      return "field";
    case kOption:
      return "option";
  }
  return "";
}

const HtmlElementTraits& HtmlTraitsOf(std::string_view name) {
  const auto* const found = std::lower_bound(
      std::begin(kElements), std::end(kElements), name,
      [](const HtmlElementTraits& traits, std::string_view key) { return traits.name < key; });
  return found != std::end(kElements) && found->name == name ? *found : kInline;
}

}  // namespace staged
