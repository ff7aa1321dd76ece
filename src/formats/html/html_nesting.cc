#include <algorithm>

#include "formats/html/html_tree_builder.h"

// Which elements a tag ends (WHATWG HTML, section 13.2.6.4).
namespace staged {
namespace {

constexpr size_t kNotOpen = OpenElements::kNone;

bool IsOneOf(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

void HtmlTreeBuilder::CloseListItem(std::initializer_list<std::string_view> names) {
  for (size_t index = open_.size(); index-- > 0;) {
    const OpenElement& element = open_[index];
    if (element.names == HtmlNamespace::kHtml && IsOneOf(element.name, names)) {
      return PopTo(index, false);
    }
    if (element.Has(kHtmlSpecial) && !IsOneOf(element.name, {"address", "div", "p"})) return;
  }
}

// A formatting element ends before the blocks in it do: they stay open.
void HtmlTreeBuilder::CloseFormatting(size_t index) {
  const HtmlToken& token = tokenizer_.token();
  bool has_blocks = false;
  for (size_t above = index + 1; above < open_.size(); ++above) {
    has_blocks = has_blocks || open_[above].Has(kHtmlSpecial);
  }
  const bool is_closed = token.type == HtmlTokenType::kEndTag;
  if (!has_blocks || open_[index].has_own_text) return PopTo(index, is_closed);
  if (open_[index].is_link) {
    HtmlNode& link = document_.nodes[open_[index].node];
    link.content_end = std::max(link.content_begin, token.begin);
    link.end = is_closed ? token.end : link.content_end;
    link.has_end_tag = is_closed;
    const uint32_t node = open_[index].node;
    std::erase_if(links_, [&](const OpenLink& open) { return open.node == node; });
  } else if (is_closed && texts_.back() != kNone) {
    AddPiece({token.begin, token.end, HtmlPieceKind::kTag});
  }
  open_.Erase(index);
}

bool HtmlTreeBuilder::MakeRoomInSelect(std::string_view name) {
  const size_t select = open_.Find({"select"}, kHtmlScope);
  if (select == kNotOpen) return true;
  if (name == "select") {
    PopTo(select, false);
    return false;
  }
  if (IsOneOf(name, {"input", "keygen", "textarea"})) PopTo(select, false);
  if (name == "option" && open_.IsTop({"option"})) Pop(false);
  if (name == "optgroup" || name == "hr") {
    if (open_.IsTop({"option"})) Pop(false);
    if (open_.IsTop({"optgroup"})) Pop(false);
  }
  return true;
}

bool HtmlTreeBuilder::MakeRoomInTable(const HtmlElementTraits& traits) {
  const std::string_view name = traits.name;
  const bool is_section = IsOneOf(name, {"caption", "colgroup", "tbody", "thead", "tfoot"});
  const bool is_cell = traits.kind == HtmlNodeKind::kTableCell;
  if (!is_section && !is_cell && name != "tr" && name != "col") return true;
  const size_t table = open_.Find({"table"}, kHtmlTableScope);
  if (table == kNotOpen) {
    // In a template rows may stand alone.
    return open_.Find({"template"}, kHtmlScope) != kNotOpen;
  }
  if (is_section) {
    PopAbove(table);
  } else if (name == "col") {
    if (!open_.IsTop({"colgroup"})) PopAbove(table);
  } else {
    const size_t section = open_.Find({"tbody", "thead", "tfoot", "table"}, kHtmlTableScope);
    const size_t row = open_.Find({"tr"}, kHtmlTableScope, {"tbody", "thead", "tfoot", "table"});
    if (!is_cell) {
      PopAbove(section == kNotOpen ? table : section);
    } else if (row != kNotOpen) {
      PopAbove(row);
    } else {
      PopAbove(section == kNotOpen ? table : section);
      OpenElement element;
      element.traits = &HtmlTraitsOf("tr");
      element.name = "tr";
      element.hidden = HiddenHere();
      EndText();
      element.node = NewNode(HtmlNodeKind::kTableRow, BlockOwner());
      Number(element.node, HtmlNodeKind::kTableRow);
      HtmlNode& node = document_.nodes[element.node];
      node.attributes.clear();
      node.name = "tr";
      node.has_start_tag = false;
      node.content_begin = node.content_end = node.end = node.begin;
      open_.Push(std::move(element));
    }
  }
  return true;
}

bool HtmlTreeBuilder::MakeRoom(const HtmlElementTraits& traits) {
  const std::string_view name = traits.name;
  if (open_.IsTop({"head"}) && (traits.flags & kHtmlHead) == 0 && name != "head") Pop(false);
  // These three may come late, or again: their elements are there already.
  if (name == "html" && !open_.empty()) return false;
  if (name == "head" && (has_head_ || (!open_.empty() && !open_.IsTop({"html"})))) return false;
  if (name == "body" && !open_.empty() && !open_.IsTop({"html"})) return false;
  has_head_ = has_head_ || name == "head";
  if (name == "form" && open_.Find({"form"}, 0, {"template"}) != kNotOpen) return false;
  if (!MakeRoomInSelect(name) || !MakeRoomInTable(traits)) return false;
  if (name == "table" && open_.IsTop({"table", "tbody", "thead", "tfoot", "tr"})) {
    const size_t table = open_.Find({"table"}, kHtmlTableScope);
    if (table != kNotOpen) PopTo(table, false);
  }
  const bool closes_paragraph =
      (traits.flags & kHtmlClosesParagraph) != 0 || (name == "table" && has_doctype_);
  if (closes_paragraph || name == "li" || name == "dd" || name == "dt") {
    if (name == "li") CloseListItem({"li"});
    if (name == "dd" || name == "dt") CloseListItem({"dd", "dt"});
    const size_t paragraph = open_.Find({"p"}, kHtmlScope, {"button"});
    if (paragraph != kNotOpen) PopTo(paragraph, false);
  }
  if (traits.kind == HtmlNodeKind::kHeading && !open_.empty() &&
      open_.top().traits->kind == HtmlNodeKind::kHeading) {
    Pop(false);
  }
  if (IsOneOf(name, {"option", "optgroup"}) && open_.IsTop({"option"})) Pop(false);
  if (IsOneOf(name, {"rb", "rp", "rt", "rtc"}) && open_.IsTop({"rb", "rp", "rt"})) Pop(false);
  if (name == "button") {
    const size_t button = open_.Find({"button"}, kHtmlScope);
    if (button != kNotOpen) PopTo(button, false);
  }
  if (name == "a" || name == "nobr") {
    const size_t open = open_.Find({name}, kHtmlScope);
    if (open != kNotOpen) CloseFormatting(open);
  }
  return true;
}

bool HtmlTreeBuilder::TakeForeignEnd() {
  const std::string& name = tokenizer_.token().name;
  for (size_t index = open_.size(); index-- > 0;) {
    if (open_[index].names == HtmlNamespace::kHtml) return false;
    if (open_[index].name != name) continue;
    PopTo(index, true);
    return true;
  }
  return false;
}

// End tags with rules of their own; false for the others.
bool HtmlTreeBuilder::TakeKnownEnd() {
  const std::string& name = tokenizer_.token().name;
  if (name == "br") {
    TakeBreak();
    return true;
  }
  if (name == "body" || name == "html") return true;
  size_t index = kNotOpen;
  if (name == "p") {
    index = open_.Find({"p"}, kHtmlScope, {"button"});
    if (index == kNotOpen) EndText();
  } else if (name == "li") {
    index = open_.Find({"li"}, kHtmlScope, {"ol", "ul"});
  } else if (HtmlTraitsOf(name).kind == HtmlNodeKind::kHeading) {
    index = open_.Find({"h1", "h2", "h3", "h4", "h5", "h6"}, kHtmlScope);
  } else if (IsOneOf(name, {"table", "tbody", "thead", "tfoot", "tr", "td", "th", "caption",
                            "colgroup", "template"})) {
    index = open_.Find({name}, name == "template" ? 0u : kHtmlTableScope);
  } else {
    return false;
  }
  if (index != kNotOpen) PopTo(index, true);
  return true;
}

void HtmlTreeBuilder::TakeEnd() {
  const bool breaks_out = IsOneOf(tokenizer_.token().name, {"br", "p"});
  while (breaks_out && !open_.empty() && open_.top().IsForeign()) Pop(false);
  if (!open_.empty() && open_.top().names != HtmlNamespace::kHtml && TakeForeignEnd()) return;
  if (TakeKnownEnd()) return;
  const std::string& name = tokenizer_.token().name;
  const HtmlElementTraits& traits = HtmlTraitsOf(name);
  if ((traits.flags & kHtmlFormatting) != 0) {
    const size_t index = open_.Find({name}, kHtmlScope);
    if (index != kNotOpen) CloseFormatting(index);
    return;
  }
  if ((traits.flags & (kHtmlBlock | kHtmlSpecial)) != 0) {
    const size_t index = open_.Find({name}, kHtmlScope);
    if (index != kNotOpen) PopTo(index, true);
    return;
  }
  for (size_t index = open_.size(); index-- > 0;) {
    if (open_[index].name == name) return PopTo(index, true);
    if (open_[index].Has(kHtmlSpecial)) return;
  }
}

}  // namespace staged
