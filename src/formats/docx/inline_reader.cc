#include "formats/docx/inline_reader.h"

#include "base/utf8.h"
#include "formats/docx/math_text.h"
#include "formats/docx/word_names.h"

namespace staged::docx {
namespace {

constexpr size_t kOpenFieldsMax = 64;
constexpr size_t kReadableBytesMax = 1 << 20;
constexpr std::string_view kNoBreakHyphenText = "\xE2\x80\x91";  // U+2011
constexpr std::string_view kSoftHyphenText = "\xC2\xAD";         // U+00AD

// What the symbol fonts show at a code point, for the few that text uses; 0 for others.
uint32_t SymbolCharacter(std::string_view font, uint32_t code) {
  const uint32_t low = code & 0xFF;
  if (font == "Symbol") {
    switch (low) {
      case 0xB7:
        return 0x2022;
      case 0xAE:
        return 0x2192;
      case 0xA3:
        return 0x2264;
      case 0xB3:
        return 0x2265;
      case 0xB1:
        return 0x00B1;
      case 0xB4:
        return 0x00D7;
      case 0x6D:
        return 0x03BC;
      default:
        return 0;
    }
  }
  if (font == "Wingdings") {
    switch (low) {
      case 0xFC:
        return 0x2713;
      case 0xFB:
        return 0x2717;
      case 0xFE:
        return 0x2611;
      case 0xA8:
        return 0x25FB;
      case 0x6F:
        return 0x25A1;
      case 0xA7:
        return 0x25AA;
      case 0xE0:
        return 0x2192;
      case 0xD8:
        return 0x27A2;
      case 0x4A:
        return 0x263A;
      default:
        return 0;
    }
  }
  return 0;
}

}  // namespace

void InlineContent::Clear() {
  text.clear();
  atoms.clear();
  formats.clear();
  links.clear();
  controls.clear();
  equations.clear();
  rubies.clear();
  tags.clear();
  fields.clear();
  revisions.clear();
  markers.clear();
  breaks.clear();
  pictures.clear();
  text_boxes.clear();
  imports.clear();
  alternatives.clear();
}

uint32_t ChosenBranch(const XmlTree& tree, uint32_t alternate_content) {
  const uint32_t choice = tree.Child(alternate_content, kChoice);
  return choice != XmlTree::kNone ? choice : tree.Child(alternate_content, kFallback);
}

std::string ReadableText(const XmlTree& tree, uint32_t element) {
  std::string text;
  VisitChosen(tree, element, [&](uint32_t node) {
    if (text.size() > kReadableBytesMax) return false;
    switch (tree[node].name) {
      case kParagraph:
      case kDrawingParagraph:
        if (!text.empty()) text += '\n';
        return true;
      case kText:
      case kDeletedText:
      case kDrawingText:
        tree.TextTo(node, text);
        return false;
      case kVmlTextPath:
        text += tree.AttributeText(node, "string");
        return true;
      default:
        break;
    }
    if (tree[node].group != kMathGroup || tree.LocalName(node) != "t") return true;
    tree.TextTo(node, text);
    return false;
  });
  return text;
}

std::vector<uint32_t> OtherBranches(const XmlTree& tree, uint32_t alternate_content) {
  const auto characters = [&tree](uint32_t branch) {
    std::string text = ReadableText(tree, branch);
    std::erase_if(text, [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; });
    return text;
  };
  std::vector<uint32_t> others;
  const uint32_t chosen = ChosenBranch(tree, alternate_content);
  if (chosen == XmlTree::kNone) return others;
  std::optional<std::string> shown;
  for (uint32_t branch = tree.FirstChild(alternate_content); branch != XmlTree::kNone;
       branch = tree.NextSibling(branch)) {
    const bool is_branch = tree[branch].name == kChoice || tree[branch].name == kFallback;
    if (!is_branch || branch == chosen) continue;
    const std::string text = characters(branch);
    if (text.empty()) continue;
    if (!shown) shown = characters(chosen);
    // What is too long to be compared to its end counts as different.
    if (text != *shown || text.size() > kReadableBytesMax) others.push_back(branch);
  }
  return others;
}

std::string_view ControlRevisionType(uint16_t name) {
  switch (name) {
    case kControlInserted:
      return "control_insertion";
    case kControlDeleted:
      return "control_deletion";
    case kControlMovedFrom:
      return "control_move_from";
    case kControlMovedTo:
      return "control_move_to";
    default:
      return "";
  }
}

void InlineReader::SeeMoveRange(uint32_t marker) {
  const uint16_t name = tree_[marker].name;
  const std::string id = tree_.AttributeText(marker, "id");
  if (name == kMoveFromRangeStart || name == kMoveToRangeStart) {
    if (moves_.size() < kOpenFieldsMax) {
      moves_.push_back({id, tree_.AttributeText(marker, "name"), name == kMoveFromRangeStart});
    }
    return;
  }
  std::erase_if(moves_, [&](const MoveRange& move) { return move.id == id; });
}

void InlineReader::Read(uint32_t paragraph, InlineContent& out) {
  out.Clear();
  out_ = &out;
  deleted_ = nullptr;
  for (OpenField& field : fields_) {
    field.began_here = false;
    field.begin = 0;
  }
  ReadChildren(paragraph);
  EndParagraph();
}

void InlineReader::EndParagraph() {
  for (const OpenField& field : fields_) {
    if (!field.began_here) continue;
    const size_t begin = field.in_result ? field.begin : out_->text.size();
    out_->fields.push_back({begin, out_->text.size(), field.instruction, true});
  }
}

void InlineReader::ReadChildren(uint32_t node) {
  for (uint32_t child = tree_.FirstChild(node); child != XmlTree::kNone;
       child = tree_.NextSibling(child)) {
    if (tree_.IsElement(child)) ReadInline(child);
  }
}

void InlineReader::ReadInline(uint32_t child) {
  const size_t begin = out_->text.size();
  switch (tree_[child].name) {
    case kRun:
      ReadRun(child);
      break;
    case kParagraphProperties:
    case kRunProperties:
    case kContentControlProperties:
    case kMarkupTagProperties:
      break;
    case kHyperlink:
      ReadChildren(child);
      out_->links.push_back({begin, out_->text.size(), child});
      break;
    case kInserted:
      ReadRevision(child, "insertion", false);
      break;
    case kMovedTo:
      ReadRevision(child, "move_to", false);
      break;
    case kDeleted:
      ReadRevision(child, "deletion", true);
      break;
    case kMovedFrom:
      ReadRevision(child, "move_from", true);
      break;
    case kContentControl:
      ReadContentControl(child);
      break;
    case kSimpleField:
      ReadSimpleField(child);
      break;
    case kMath:
    case kMathParagraph:
      ReadEquation(child);
      break;
    case kMarkupTag:
      ReadMarkupTag(child);
      break;
    case kSubdocument:
      out_->imports.push_back(child);
      break;
    case kControlInserted:
    case kControlDeleted:
    case kControlMovedFrom:
    case kControlMovedTo:
      out_->revisions.push_back(
          {ControlRevisionType(tree_[child].name), begin, begin, child, "", ""});
      break;
    case kAlternateContent:
      if (const uint32_t branch = ChosenBranch(tree_, child); branch != XmlTree::kNone) {
        ReadChildren(branch);
        AddAlternatives(child);
      }
      break;
    case kMoveFromRangeStart:
    case kMoveFromRangeEnd:
    case kMoveToRangeStart:
    case kMoveToRangeEnd:
      SeeMoveRange(child);
      break;
    case kBookmarkStart:
    case kBookmarkEnd:
    case kCommentRangeStart:
    case kCommentRangeEnd:
    case kPermissionStart:
    case kPermissionEnd:
      out_->markers.push_back({child, begin});
      break;
    default:
      ReadRunContent(child, XmlTree::kNone);
      break;
  }
}

void InlineReader::ReadRun(uint32_t run) {
  const size_t begin = out_->text.size();
  uint32_t properties = XmlTree::kNone;
  for (uint32_t child = tree_.FirstChild(run); child != XmlTree::kNone;
       child = tree_.NextSibling(child)) {
    if (!tree_.IsElement(child)) continue;
    if (tree_[child].name == kRunProperties) {
      properties = child;
    } else {
      ReadRunContent(child, run);
    }
  }
  if (out_->text.size() > begin) out_->formats.push_back({begin, out_->text.size(), properties});
  if (properties == XmlTree::kNone) return;
  const uint32_t change = tree_.Child(properties, kRunPropertiesChange);
  if (change != XmlTree::kNone) {
    out_->revisions.push_back({"format_change", begin, out_->text.size(), change, "", ""});
  }
}

bool InlineReader::ReadTextElement(uint32_t child, uint32_t run) {
  switch (tree_[child].name) {
    case kText:
      AddText(child, run);
      break;
    case kDeletedText:
      if (deleted_ != nullptr) {
        tree_.TextTo(child, *deleted_);
      } else {
        out_->revisions.push_back(
            {"deletion", out_->text.size(), out_->text.size(), child, tree_.Text(child), ""});
      }
      break;
    case kTab:
    case kPositionalTab:
      AddElement(child, run, "\t");
      break;
    case kCarriageReturn:
      AddElement(child, run, "\n");
      break;
    case kNoBreakHyphen:
      AddElement(child, run, kNoBreakHyphenText);
      break;
    case kSoftHyphen:
      AddElement(child, run, kSoftHyphenText);
      break;
    case kSymbol:
      AddSymbol(child, run);
      break;
    case kBreak: {
      const std::optional<std::string_view> type = tree_.Attribute(child, "type");
      if (!type || *type == "textWrapping") {
        AddElement(child, run, "\n");
      } else if (deleted_ == nullptr) {
        out_->breaks.push_back({child, out_->text.size()});
      }
      break;
    }
    default:
      return false;
  }
  return true;
}

void InlineReader::ReadRunContent(uint32_t child, uint32_t run) {
  if (ReadTextElement(child, run)) return;
  switch (tree_[child].name) {
    case kFieldCharacter:
      ReadFieldCharacter(child);
      break;
    case kInstructionText:
    case kDeletedInstructionText:
      if (!fields_.empty()) tree_.TextTo(child, fields_.back().instruction);
      break;
    case kFootnoteReference:
    case kEndnoteReference:
    case kCommentReference:
      out_->markers.push_back({child, out_->text.size(), deleted_ != nullptr});
      break;
    case kDynamicText:
      out_->fields.push_back(
          {out_->text.size(), out_->text.size(), std::string(tree_.LocalName(child)), false});
      break;
    case kDrawing:
    case kPicture:
    case kEmbeddedObject:
    case kContentPart:
      ReadPicture(child);
      break;
    case kTextBoxContent:
      out_->text_boxes.push_back(child);
      break;
    case kRuby:
      ReadRuby(child);
      break;
    case kAlternateContent:
      if (const uint32_t branch = ChosenBranch(tree_, child); branch != XmlTree::kNone) {
        for (uint32_t inner = tree_.FirstChild(branch); inner != XmlTree::kNone;
             inner = tree_.NextSibling(inner)) {
          if (tree_.IsElement(inner)) ReadRunContent(inner, run);
        }
        AddAlternatives(child);
      }
      break;
    case kUnknownName:
      ReadChildren(child);
      break;
    // Anything else that is no run content may stand here only by mistake: read it as it is.
    case kRun:
    case kHyperlink:
    case kInserted:
    case kDeleted:
    case kMovedFrom:
    case kMovedTo:
    case kContentControl:
    case kSimpleField:
    case kMath:
    case kMathParagraph:
    case kMarkupTag:
      ReadInline(child);
      break;
    default:
      ReadChildren(child);
      break;
  }
}

void InlineReader::ReadRevision(uint32_t child, std::string_view type, bool is_deleted) {
  const size_t begin = out_->text.size();
  std::string move_name;
  for (const MoveRange& move : moves_) {
    if (type == (move.is_source ? "move_from" : "move_to")) move_name = move.name;
  }
  if (!is_deleted || deleted_ != nullptr) {
    ReadChildren(child);
    // Text that one author inserted and another one deleted is deleted; both stay named.
    const size_t end = deleted_ == nullptr ? out_->text.size() : begin;
    out_->revisions.push_back({type, begin, end, child, "", std::move(move_name)});
    return;
  }
  std::string deleted;
  deleted_ = &deleted;
  ReadChildren(child);
  deleted_ = nullptr;
  out_->revisions.push_back({type, begin, begin, child, std::move(deleted), std::move(move_name)});
}

void InlineReader::ReadEquation(uint32_t equation) {
  if (deleted_ != nullptr) {
    MathTextTo(tree_, equation, DeletedMath::kShown, *deleted_);
    return;
  }
  const size_t begin = out_->text.size();
  MathTextTo(tree_, equation, DeletedMath::kLeftOut, out_->text);
  const size_t end = out_->text.size();
  out_->atoms.push_back({AtomKind::kFixed, equation, XmlTree::kNone, begin, end});
  out_->equations.push_back({begin, end, equation});
  // Of the equation as a whole: its text stands in the paragraph.
  VisitChosen(tree_, equation, [&](uint32_t node) {
    switch (tree_[node].name) {
      case kInserted:
      case kMovedTo:
        out_->revisions.push_back({"equation_insertion", begin, begin, node, "", ""});
        return true;
      case kDeleted:
      case kMovedFrom: {
        std::string deleted;
        MathTextTo(tree_, node, DeletedMath::kShown, deleted);
        const std::string_view type = deleted.empty() ? "equation_deletion" : "deletion";
        out_->revisions.push_back({type, end, end, node, std::move(deleted), ""});
        return false;
      }
      case kRunPropertiesChange:
        out_->revisions.push_back({"format_change", begin, begin, node, "", ""});
        return false;
      default:
        return true;
    }
  });
}

void InlineReader::AddAlternatives(uint32_t alternate_content) {
  for (const uint32_t other : OtherBranches(tree_, alternate_content)) {
    out_->alternatives.push_back(other);
  }
}

void InlineReader::ReadMarkupTag(uint32_t child) {
  const size_t begin = out_->text.size();
  ReadChildren(child);
  if (deleted_ == nullptr) out_->tags.push_back({begin, out_->text.size(), child});
}

void InlineReader::ReadContentControl(uint32_t child) {
  const size_t begin = out_->text.size();
  const uint32_t content = tree_.Child(child, kContentControlContent);
  if (content != XmlTree::kNone) ReadChildren(content);
  out_->controls.push_back({begin, out_->text.size(), child});
}

void InlineReader::ReadSimpleField(uint32_t child) {
  const size_t begin = out_->text.size();
  ReadChildren(child);
  out_->fields.push_back({begin, out_->text.size(), tree_.AttributeText(child, "instr"), false});
}

void InlineReader::ReadRuby(uint32_t child) {
  const size_t begin = out_->text.size();
  const uint32_t base = tree_.Child(child, kRubyBase);
  if (base != XmlTree::kNone) ReadChildren(base);
  out_->rubies.push_back({begin, out_->text.size(), child});
}

void InlineReader::ReadFieldCharacter(uint32_t child) {
  const std::string_view type = tree_.Attribute(child, "fldCharType").value_or("");
  if (type == "begin") {
    if (fields_.size() < kOpenFieldsMax) fields_.push_back({"", out_->text.size(), false, true});
    const uint32_t form = tree_.Child(child, kFormFieldData);
    if (form != XmlTree::kNone) out_->markers.push_back({child, out_->text.size()});
  } else if (type == "separate" && !fields_.empty()) {
    fields_.back().in_result = true;
    fields_.back().begin = out_->text.size();
  } else if (type == "end" && !fields_.empty()) {
    OpenField field = std::move(fields_.back());
    fields_.pop_back();
    if (!field.began_here) return;
    const size_t begin = field.in_result ? field.begin : out_->text.size();
    out_->fields.push_back({begin, out_->text.size(), std::move(field.instruction), false});
  }
}

void InlineReader::ReadPicture(uint32_t picture) {
  out_->pictures.push_back({picture, out_->text.size(), deleted_ != nullptr});
  // Text boxes are stories of their own.
  VisitChosen(tree_, picture, [this](uint32_t node) {
    if (tree_[node].name != kTextBoxContent) return true;
    out_->text_boxes.push_back(node);
    return false;
  });
}

void InlineReader::AddText(uint32_t node, uint32_t run) {
  if (deleted_ != nullptr) {
    tree_.TextTo(node, *deleted_);
    return;
  }
  const size_t begin = out_->text.size();
  tree_.TextTo(node, out_->text);
  out_->atoms.push_back({AtomKind::kText, node, run, begin, out_->text.size()});
}

void InlineReader::AddElement(uint32_t node, uint32_t run, std::string_view text) {
  if (deleted_ != nullptr) {
    *deleted_ += text;
    return;
  }
  const size_t begin = out_->text.size();
  out_->text += text;
  out_->atoms.push_back({AtomKind::kElement, node, run, begin, out_->text.size()});
}

void InlineReader::AddSymbol(uint32_t node, uint32_t run) {
  const std::string_view digits = tree_.Attribute(node, "char").value_or("");
  uint32_t code = 0;
  for (const char c : digits.substr(0, 6)) {
    const char lower = static_cast<char>(c | 0x20);
    if (c >= '0' && c <= '9') {
      code = code * 16 + static_cast<uint32_t>(c - '0');
    } else if (lower >= 'a' && lower <= 'f') {
      code = code * 16 + static_cast<uint32_t>(lower - 'a' + 10);
    }
  }
  if (code == 0) return;
  const uint32_t shown = SymbolCharacter(tree_.Attribute(node, "font").value_or(""), code);
  std::string text;
  AppendUtf8(text, shown != 0 ? shown : code);
  AddElement(node, run, text);
}

}  // namespace staged::docx
