#include "formats/html/html_tree_builder.h"

#include <algorithm>
#include <utility>

#include "formats/html/html_visibility.h"

namespace staged {
namespace {

constexpr size_t kNotOpen = OpenElements::kNone;
constexpr std::string_view kFallback = "fallback content";

bool IsBlank(std::string_view text) {
  return text.find_first_not_of(" \t\n\f\r") == std::string_view::npos;
}

bool IsOneOf(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

HtmlTreeBuilder::HtmlTreeBuilder(std::string_view text, const Limits& limits)
    : text_(text), limits_(limits), tokenizer_(text) {}

HtmlDocument HtmlTreeBuilder::Read() {
  while (tokenizer_.Read()) {
    if (document_.nodes.size() >= std::min(limits_.records_max, kHtmlNodesMax)) {
      Report("limit_exceeded", tokenizer_.token().begin,
             "the limit of records is reached; what follows is not shown");
      break;
    }
    Take();
    tokenizer_.set_allows_cdata(!open_.empty() && open_.top().names != HtmlNamespace::kHtml);
  }
  if (tokenizer_.unfinished_tag() != std::string_view::npos) {
    Report("unfinished_tag", tokenizer_.unfinished_tag(),
           "the file ends inside this tag; browsers do not show it");
  }
  while (!open_.empty()) {
    OpenElement& element = open_.top();
    if (element.node != kNone) {
      HtmlNode& node = document_.nodes[element.node];
      node.end = node.content_end = std::max<uint64_t>(node.content_begin, text_.size());
    }
    open_.Erase(open_.size() - 1);
  }
  return std::move(document_);
}

void HtmlTreeBuilder::Report(std::string code, uint64_t offset, std::string message) {
  document_.issues.push_back({std::move(code), offset, std::move(message)});
}

void HtmlTreeBuilder::Take() {
  switch (tokenizer_.token().type) {
    case HtmlTokenType::kText:
      return TakeText();
    case HtmlTokenType::kStartTag:
      return TakeStart();
    case HtmlTokenType::kEndTag:
      return TakeEnd();
    case HtmlTokenType::kComment:
      return TakeComment();
    case HtmlTokenType::kDoctype:
      return TakeDoctype();
  }
}

std::string_view HtmlTreeBuilder::HiddenHere() const {
  return open_.empty() ? std::string_view() : open_.top().hidden;
}

uint32_t HtmlTreeBuilder::NewNode(HtmlNodeKind kind, uint32_t parent) {
  const HtmlToken& token = tokenizer_.token();
  HtmlNode& node = document_.nodes.emplace_back();
  node.kind = kind;
  node.parent = parent;
  node.begin = token.begin;
  node.end = node.content_begin = node.content_end = token.end;
  node.hidden = HiddenHere();
  node.is_in_svg = !open_.empty() && open_.top().names == HtmlNamespace::kSvg;
  if (token.type == HtmlTokenType::kStartTag) {
    node.name = token.name;
    node.attributes = token.attributes;
    node.attributes_omitted = token.attributes_omitted;
    node.has_start_tag = true;
  }
  return static_cast<uint32_t>(document_.nodes.size() - 1);
}

uint32_t HtmlTreeBuilder::BlockOwner() const {
  for (size_t index = open_.size(); index-- > 0;) {
    if (open_[index].node != kNone && !open_[index].is_link) return open_[index].node;
  }
  return kNone;
}

uint32_t HtmlTreeBuilder::LineOwner() const {
  return texts_.back() != kNone ? texts_.back() : BlockOwner();
}

bool HtmlTreeBuilder::TakesText(const HtmlNode& node) const {
  if (node.has_text || node.has_blocks) return false;
  switch (node.kind) {
    case HtmlNodeKind::kTable:
    case HtmlNodeKind::kTableRow:
    case HtmlNodeKind::kForm:
    case HtmlNodeKind::kImage:
    case HtmlNodeKind::kMedia:
      return false;
    case HtmlNodeKind::kField:
      return node.name != "select";
    default:
      return true;
  }
}

// Text goes to the block that is open, if it has none yet, else to a paragraph without a tag.
void HtmlTreeBuilder::EnsureText() {
  if (texts_.back() != kNone) return;
  const uint32_t owner = BlockOwner();
  if (owner != kNone && TakesText(document_.nodes[owner])) {
    document_.nodes[owner].has_text = true;
    texts_.back() = owner;
    return;
  }
  const uint32_t index = NewNode(HtmlNodeKind::kParagraph, owner);
  HtmlNode& node = document_.nodes[index];
  node.name.clear();
  node.attributes.clear();
  node.attributes_omitted = 0;
  node.has_start_tag = false;
  node.has_text = true;
  node.keeps_spaces = !open_.empty() && open_.top().keeps_spaces;
  node.content_begin = node.content_end = node.end = node.begin;
  texts_.back() = index;
}

void HtmlTreeBuilder::EndText() {
  texts_.back() = kNone;
  if (links_.empty() || links_.back().depth != texts_.size()) return;
  HtmlNode& link = document_.nodes[links_.back().node];
  const uint64_t at = tokenizer_.token().begin;
  if (!link.pieces.empty()) link.pieces.push_back({at, at, HtmlPieceKind::kBreak});
}

void HtmlTreeBuilder::AddPiece(HtmlPiece piece) {
  HtmlNode& node = document_.nodes[texts_.back()];
  node.pieces.push_back(piece);
  if (!node.has_start_tag) node.end = node.content_end = std::max(node.end, piece.end);
  if (links_.empty() || links_.back().depth != texts_.size()) return;
  document_.nodes[links_.back().node].pieces.push_back(piece);
}

void HtmlTreeBuilder::TakeText() {
  const HtmlToken& token = tokenizer_.token();
  const bool is_blank = IsBlank(token.raw);
  if (!is_blank && open_.IsTop({"head"})) Pop(false);
  const bool keeps_spaces = !open_.empty() && open_.top().keeps_spaces;
  if (is_blank && !keeps_spaces && texts_.back() == kNone) return;
  EnsureText();
  const auto begin = static_cast<uint64_t>(token.raw.data() - text_.data());
  AddPiece({begin, begin + token.raw.size(),
            token.has_references ? HtmlPieceKind::kText : HtmlPieceKind::kRawText});
}

void HtmlTreeBuilder::TakeComment() {
  const HtmlToken& token = tokenizer_.token();
  if (token.begin == 0 && token.raw.starts_with("?xml")) {
    const size_t encoding = token.raw.find("encoding");
    const size_t open = token.raw.find_first_of("\"'", std::min(encoding, token.raw.size()));
    if (open != std::string_view::npos) {
      const size_t close = std::min(token.raw.find(token.raw[open], open + 1), token.raw.size());
      TakeCharsetLabel(token.raw.substr(open + 1, close - open - 1));
    }
  }
  const uint32_t index = NewNode(HtmlNodeKind::kComment, LineOwner());
  HtmlNode& node = document_.nodes[index];
  node.hidden = "comment";
  node.content_begin = static_cast<uint64_t>(token.raw.data() - text_.data());
  node.content_end = node.content_begin + token.raw.size();
  node.pieces.push_back({node.content_begin, node.content_end, HtmlPieceKind::kRawText});
}

void HtmlTreeBuilder::TakeDoctype() {
  const HtmlToken& token = tokenizer_.token();
  has_doctype_ = true;
  const uint32_t index = NewNode(HtmlNodeKind::kDoctype, kNone);
  document_.nodes[index].pieces.push_back({token.begin, token.end, HtmlPieceKind::kRawText});
}

// Section 13.2.3.2: where a meta element in the first 1,024 bytes names the encoding.
void HtmlTreeBuilder::TakeCharset() {
  const HtmlToken& token = tokenizer_.token();
  constexpr uint64_t kScannedBytes = 1024;
  if (!document_.charset_label.empty() || token.begin >= kScannedBytes) return;
  const HtmlAttribute* charset = FindHtmlAttribute(token.attributes, "charset");
  if (charset != nullptr) return TakeCharsetLabel(charset->value);
  const HtmlAttribute* header = FindHtmlAttribute(token.attributes, "http-equiv");
  const HtmlAttribute* content = FindHtmlAttribute(token.attributes, "content");
  if (header == nullptr || content == nullptr) return;
  if (!EqualsIgnoringCase(header->value, "content-type")) return;
  TakeCharsetLabel(HtmlCharsetLabel(content->value));
}

void HtmlTreeBuilder::TakeCharsetLabel(std::string_view label) {
  if (HtmlCharsetOf(label)) document_.charset_label = label;
}

void HtmlTreeBuilder::TakeStart() {
  const HtmlToken& token = tokenizer_.token();
  const HtmlElementTraits& traits = HtmlTraitsOf(token.name);
  if (!open_.empty() && open_.top().IsForeign()) {
    const bool is_old_font =
        token.name == "font" && (FindHtmlAttribute(token.attributes, "color") != nullptr ||
                                 FindHtmlAttribute(token.attributes, "face") != nullptr ||
                                 FindHtmlAttribute(token.attributes, "size") != nullptr);
    if ((traits.flags & kHtmlBreaksOut) == 0 && !is_old_font) return TakeForeignStart();
    while (!open_.empty() && open_.top().IsForeign()) Pop(false);
  }
  TakeHtmlStart(traits);
}

void HtmlTreeBuilder::TakeHtmlStart(const HtmlElementTraits& traits) {
  if (!MakeRoom(traits)) return;
  if ((traits.flags & kHtmlVoid) != 0) return TakeVoid(traits);
  Push(traits);
}

void HtmlTreeBuilder::TakeBreak() {
  if (texts_.back() == kNone) return;
  const HtmlToken& token = tokenizer_.token();
  AddPiece({token.begin, token.end, HtmlPieceKind::kBreak});
}

void HtmlTreeBuilder::TakeVoid(const HtmlElementTraits& traits) {
  const HtmlToken& token = tokenizer_.token();
  if (token.name == "br") TakeBreak();
  if (token.name == "meta") TakeCharset();
  if (traits.kind == HtmlNodeKind::kNone) return;
  uint32_t parent = kNone;
  if ((traits.flags & kHtmlBlock) != 0) {
    EndText();
    parent = BlockOwner();
    if (parent != kNone) document_.nodes[parent].has_blocks = true;
  } else if (traits.kind != HtmlNodeKind::kMetadata) {
    EnsureText();
    parent = LineOwner();
  }
  const uint32_t node = NewNode(traits.kind, parent);
  if (document_.nodes[node].hidden.empty()) {
    document_.nodes[node].hidden = HtmlHiddenReason(token.name, token.attributes);
  }
}

void HtmlTreeBuilder::TakeForeignStart() {
  const HtmlToken& token = tokenizer_.token();
  OpenElement element;
  element.traits = &HtmlTraitsOf("");
  element.name = token.name;
  element.names = open_.top().names;
  element.hidden = HiddenHere();
  const bool is_svg = element.names == HtmlNamespace::kSvg;
  element.is_integration = is_svg ? IsOneOf(token.name, {"foreignobject", "desc", "title"})
                                  : IsOneOf(token.name, {"mi", "mo", "mn", "ms", "mtext"});
  if (token.is_self_closing) return;
  const bool is_deep = open_.size() >= limits_.depth_max;
  if (is_deep) return;
  if (is_svg && IsOneOf(token.name, {"text", "title", "desc", "script", "style"})) {
    const HtmlNodeKind kind = token.name == "script"  ? HtmlNodeKind::kScript
                              : token.name == "style" ? HtmlNodeKind::kStyle
                                                      : HtmlNodeKind::kParagraph;
    element.has_own_text = true;
    element.node = NewNode(kind, BlockOwner());
    texts_.push_back(kNone);
  } else if (is_svg && token.name == "a") {
    element.is_link = true;
    element.node = NewNode(HtmlNodeKind::kLink, BlockOwner());
    links_.push_back({element.node, texts_.size()});
  } else if (!is_svg && token.name == "annotation") {
    element.has_own_text = true;
    element.hidden = "annotation";
    element.node = NewNode(HtmlNodeKind::kParagraph, LineOwner());
    document_.nodes[element.node].hidden = element.hidden;
    texts_.push_back(kNone);
  } else if (texts_.back() != kNone) {
    AddPiece({token.begin, token.end, HtmlPieceKind::kTag});
  }
  open_.Push(std::move(element));
}

void HtmlTreeBuilder::EnterContent(const HtmlElementTraits& traits) {
  if ((traits.flags & kHtmlRcData) != 0) return tokenizer_.Enter(HtmlContent::kRcData);
  if ((traits.flags & kHtmlRawText) == 0) return;
  tokenizer_.Enter(traits.name == "script"      ? HtmlContent::kScript
                   : traits.name == "plaintext" ? HtmlContent::kPlainText
                                                : HtmlContent::kRawText);
}

void HtmlTreeBuilder::Push(const HtmlElementTraits& traits) {
  const HtmlToken& token = tokenizer_.token();
  const bool is_text_only = (traits.flags & (kHtmlRcData | kHtmlRawText)) != 0;
  if (open_.size() >= limits_.depth_max && !is_text_only) {
    if ((traits.flags & kHtmlBlock) != 0) EndText();
    if (!std::exchange(is_flattened_, true)) {
      Report("depth", token.begin, "elements are nested too deeply here; they are shown flat");
    }
    return;
  }
  OpenElement element;
  element.traits = &traits;
  element.name = token.name;
  const bool is_block = (traits.flags & kHtmlBlock) != 0;
  const bool is_link =
      traits.kind == HtmlNodeKind::kLink && FindHtmlAttribute(token.attributes, "href") != nullptr;
  const std::string_view own_reason = HtmlHiddenReason(token.name, token.attributes);
  element.hidden = HiddenHere().empty() ? own_reason : HiddenHere();
  const bool is_hidden_inline = !is_block && !own_reason.empty() && HiddenHere().empty();
  element.has_own_text = (traits.flags & kHtmlNested) != 0 || is_hidden_inline;
  element.is_link = is_link && !element.has_own_text;
  element.keeps_spaces = (!open_.empty() && open_.top().keeps_spaces) ||
                         traits.kind == HtmlNodeKind::kPreformatted || token.name == "textarea";
  element.names = token.name == "svg"    ? HtmlNamespace::kSvg
                  : token.name == "math" ? HtmlNamespace::kMath
                                         : HtmlNamespace::kHtml;
  if (is_block) {
    EndText();
    const uint32_t owner = BlockOwner();
    if (owner != kNone) document_.nodes[owner].has_blocks = true;
    element.node = NewNode(traits.kind, owner);
    Number(element.node, traits.kind);
  } else if (element.has_own_text) {
    const bool is_known =
        traits.kind != HtmlNodeKind::kNone && (traits.kind != HtmlNodeKind::kLink || is_link);
    element.node = NewNode(is_known ? traits.kind : HtmlNodeKind::kParagraph, LineOwner());
  } else {
    EnsureText();
    if (is_link) {
      element.node = NewNode(HtmlNodeKind::kLink, LineOwner());
      links_.push_back({element.node, texts_.size()});
    } else {
      AddPiece({token.begin, token.end, HtmlPieceKind::kTag});
    }
  }
  if (element.node != kNone) {
    document_.nodes[element.node].hidden = element.hidden;
    document_.nodes[element.node].keeps_spaces = element.keeps_spaces;
  }
  if ((traits.flags & kHtmlFallback) != 0 && element.hidden.empty()) element.hidden = kFallback;
  if (element.has_own_text) texts_.push_back(kNone);
  const bool is_empty_foreign = element.names != HtmlNamespace::kHtml && token.is_self_closing;
  open_.Push(std::move(element));
  if (is_empty_foreign) return Pop(true);
  EnterContent(traits);
}

void HtmlTreeBuilder::Number(uint32_t node, HtmlNodeKind kind) {
  if (kind == HtmlNodeKind::kTableRow) {
    const size_t table = open_.Find({"table"}, kHtmlTableScope);
    if (table != kNotOpen) document_.nodes[node].row = ++open_[table].count;
  } else if (kind == HtmlNodeKind::kTableCell) {
    const size_t row = open_.Find({"tr"}, kHtmlTableScope);
    if (row == kNotOpen) return;
    document_.nodes[node].row = document_.nodes[open_[row].node].row;
    document_.nodes[node].column = ++open_[row].count;
  }
}

// The element at the top ends: with the current token if that is its end tag, else before it.
void HtmlTreeBuilder::Pop(bool is_closed) {
  const HtmlToken& token = tokenizer_.token();
  const OpenElement element = std::move(open_.top());
  if (element.has_own_text) {
    texts_.pop_back();
  } else if (element.Has(kHtmlBlock)) {
    EndText();
  }
  if (element.is_link && !links_.empty() && links_.back().node == element.node) links_.pop_back();
  if (element.node != kNone) {
    HtmlNode& node = document_.nodes[element.node];
    const bool has_end_tag = is_closed && token.type == HtmlTokenType::kEndTag;
    node.content_end = std::max(node.content_begin, token.begin);
    node.end = is_closed ? token.end : node.content_end;
    node.has_end_tag = has_end_tag;
  } else if (is_closed && texts_.back() != kNone && !element.Has(kHtmlBlock)) {
    AddPiece({token.begin, token.end, HtmlPieceKind::kTag});
  }
  open_.Erase(open_.size() - 1);
}

void HtmlTreeBuilder::PopAbove(size_t index) {
  while (open_.size() > index + 1) Pop(false);
}

void HtmlTreeBuilder::PopTo(size_t index, bool is_closed) {
  PopAbove(index);
  Pop(is_closed);
}

}  // namespace staged
