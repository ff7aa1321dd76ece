#pragma once

#include <string_view>
#include <vector>

#include "formats/html/html_document.h"
#include "formats/html/open_elements.h"

namespace staged {

// Makes the nodes of a document from its tokens. One use: Read.
class HtmlTreeBuilder {
 public:
  HtmlTreeBuilder(std::string_view text, const Limits& limits);

  [[nodiscard]] HtmlDocument Read();

 private:
  static constexpr uint32_t kNone = HtmlNode::kNone;

  void Take();
  void TakeText();
  void TakeStart();
  void TakeHtmlStart(const HtmlElementTraits& traits);
  void TakeForeignStart();
  void TakeVoid(const HtmlElementTraits& traits);
  void TakeBreak();
  void TakeEnd();
  [[nodiscard]] bool TakeForeignEnd();
  [[nodiscard]] bool TakeKnownEnd();
  void TakeComment();
  void TakeDoctype();
  void TakeCharset();
  void TakeCharsetLabel(std::string_view label);  // passes over what names no encoding

  // Ends what the element `traits` cannot stand in; false where its start tag is ignored.
  [[nodiscard]] bool MakeRoom(const HtmlElementTraits& traits);
  [[nodiscard]] bool MakeRoomInSelect(std::string_view name);
  [[nodiscard]] bool MakeRoomInTable(const HtmlElementTraits& traits);
  void CloseListItem(std::initializer_list<std::string_view> names);
  void CloseFormatting(size_t index);

  void Push(const HtmlElementTraits& traits);
  void EnterContent(const HtmlElementTraits& traits);
  void Pop(bool is_closed);
  // Ends all above `index`, and that one itself: by the current token where it is its end tag.
  void PopTo(size_t index, bool is_closed);
  void PopAbove(size_t index);

  uint32_t NewNode(HtmlNodeKind kind, uint32_t parent);
  void Number(uint32_t node, HtmlNodeKind kind);
  [[nodiscard]] uint32_t BlockOwner() const;
  [[nodiscard]] bool TakesText(const HtmlNode& node) const;
  [[nodiscard]] uint32_t LineOwner() const;  // the run of text that is open, or its block
  void EnsureText();
  void EndText();
  void AddPiece(HtmlPiece piece);
  [[nodiscard]] std::string_view HiddenHere() const;
  void Report(std::string code, uint64_t offset, std::string message);

  std::string_view text_;
  Limits limits_;
  HtmlTokenizer tokenizer_;
  HtmlDocument document_;
  OpenElements open_;
  std::vector<uint32_t> texts_{kNone};  // the run that text goes to; one for each nested element
  struct OpenLink {
    uint32_t node;
    size_t depth;  // of texts_: a nested element's text is none of the link's
  };
  std::vector<OpenLink> links_;
  bool has_doctype_ = false;
  bool has_head_ = false;
  bool is_flattened_ = false;
};

}  // namespace staged
