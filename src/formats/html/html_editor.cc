#include "formats/html/html_editor.h"

#include <algorithm>

#include "base/utf8.h"
#include "codec/html_references.h"
#include "format/text_matches.h"
#include "formats/html/html_text.h"
#include "formats/html/html_visibility.h"

namespace staged {
namespace {

Status Refused(std::string message) {
  return Status(ErrorCode::kUnsupportedEdit, std::move(message) + "; edit its lines instead");
}

// A text as HTML shows it: white space runs together, except in preformatted text.
std::string Collapsed(std::string_view text, bool keeps_spaces) {
  HtmlNode node;
  node.keeps_spaces = keeps_spaces;
  std::string escaped = EscapeHtml(text, '\0', false);
  if (keeps_spaces) {
    node.pieces.push_back({0, escaped.size(), HtmlPieceKind::kText});
    return ReadHtmlText(escaped, node, HtmlCharset::kUtf8, false).text;
  }
  // A line feed is a <br>.
  uint64_t begin = 0;
  for (uint64_t i = 0; i <= escaped.size(); ++i) {
    if (i < escaped.size() && escaped[i] != '\n') continue;
    node.pieces.push_back({begin, i, HtmlPieceKind::kText});
    if (i < escaped.size()) node.pieces.push_back({i, i + 1, HtmlPieceKind::kBreak});
    begin = i + 1;
  }
  return ReadHtmlText(escaped, node, HtmlCharset::kUtf8, false).text;
}

bool IsAttributeName(std::string_view name) {
  return !name.empty() && name.find_first_of(" \t\r\n\f\"'>/=<\0") == std::string_view::npos &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return static_cast<uint8_t>(c) > 0x20 && static_cast<uint8_t>(c) < 0x7F;
         });
}

}  // namespace

HtmlEditor::HtmlEditor(std::string_view bytes, const Limits& limits)
    : limits_(limits), editor_(bytes), decoded_(bytes), source_(decoded_, limits) {
  entries_ = HtmlRecords(source_.text(), source_.document(), source_.charset());
}

Result<size_t> HtmlEditor::Find(std::string_view locator) const {
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].record.locator == locator) return i;
  }
  return Status(ErrorCode::kNoMatch, "there is nothing at '" + std::string(locator) +
                                         "'; parse the file for its records, or name lines such "
                                         "as line:3");
}

Status HtmlEditor::Plan(const Edit& edit) {
  const bool is_of_lines = TextEditor::Handles(edit);
  if (is_of_lines ? has_record_edits_ : has_line_edits_) {
    return Status(ErrorCode::kUnsupportedEdit,
                  "edits of lines and edits of records do not go together in one request; make "
                  "them one after the other");
  }
  if (is_of_lines) {
    has_line_edits_ = true;
    return editor_.Plan(edit);
  }
  STAGED_ASSIGN_OR_RETURN(const size_t entry, Find(edit.locator));
  has_record_edits_ = true;
  if (edit.op == "set_attribute") return PlanAttribute(edit, entry);
  STAGED_RETURN_IF_ERROR(CheckExpectedText(edit, entries_[entry].record.text));
  if (edit.op == "set" || edit.op == "replace_text") return PlanText(edit, entry);
  if (edit.op == "delete") return PlanDelete(entry);
  return Status(ErrorCode::kUnsupportedEdit,
                "HTML cannot be edited with '" + edit.op +
                    "'; use set, replace_text, set_attribute or delete, or edit lines");
}

Status HtmlEditor::Splice(ByteSpan span, std::string text) {
  spliced_.push_back(span);
  return editor_.Replace(span, std::move(text));
}

void HtmlEditor::ExpectText(size_t entry, std::string text) {
  const auto [found, is_first] = texts_.emplace(entry, std::move(text));
  if (!is_first) found->second.reset();
}

// `text` as it is written into the node.
std::string HtmlEditor::Markup(const std::string& text, const HtmlNode& node) const {
  const bool ascii_only =
      decoded_.encoding() == TextEncoding::kUnknown8Bit || source_.charset() != HtmlCharset::kUtf8;
  const bool is_text_only = (HtmlTraitsOf(node.name).flags & kHtmlRcData) != 0;
  std::string escaped = EscapeHtml(text, '\0', ascii_only);
  if (node.keeps_spaces || is_text_only) {
    return WithNewlines(escaped, editor_.lines().dominant());
  }
  std::string out;
  for (const char c : escaped) {
    if (c == '\n') {
      out += "<br>";
    } else if (c != '\r') {
      out.push_back(c);
    }
  }
  return out;
}

Status HtmlEditor::PlanText(const Edit& edit, size_t index) {
  const HtmlEntry& entry = entries_[index];
  if (!entry.attribute.empty()) {
    std::string value;
    if (edit.op == "set") {
      STAGED_ASSIGN_OR_RETURN(value, TextArgument(edit, "value"));
    } else {
      TextEditor text(entry.record.text);
      STAGED_RETURN_IF_ERROR(text.ReplaceText(edit, {0, text.text().size()}));
      STAGED_ASSIGN_OR_RETURN(value, text.Finish());
    }
    if (entry.attribute == "charset") return Refused("the encoding is not changed by its name");
    ExpectText(index, value);
    return SetAttribute(source_.document().nodes[entry.node], entry.attribute, value);
  }
  if (entry.text_node == HtmlNode::kNone) {
    return Refused("'" + edit.locator + "' has no text; use set_attribute");
  }
  if (edit.op == "replace_text") return ReplaceInText(edit, index);
  STAGED_ASSIGN_OR_RETURN(const std::string text, TextArgument(edit, "value"));
  const HtmlNode& node = source_.document().nodes[entry.text_node];
  if (node.kind == HtmlNodeKind::kComment) return SetComment(index, text);
  return SetText(edit, index, text);
}

Status HtmlEditor::SetComment(size_t index, const std::string& text) {
  const HtmlNode& node = source_.document().nodes[entries_[index].text_node];
  const bool is_one = source_.text().substr(node.begin).starts_with("<!--") &&
                      text.find("--") == std::string::npos && !text.starts_with('>') &&
                      !text.starts_with("->") && !text.ends_with('-');
  if (!is_one) {
    return Status(ErrorCode::kInvalidArgument, "a comment of HTML cannot have -- inside");
  }
  ExpectText(index, Collapsed(text, false));
  return Splice({node.content_begin, node.content_end},
                WithNewlines(text, editor_.lines().dominant()));
}

Status HtmlEditor::SetText(const Edit& edit, size_t index, const std::string& text) {
  const HtmlNode& node = source_.document().nodes[entries_[index].text_node];
  const HtmlText shown = ReadHtmlText(source_.text(), node, source_.charset(), true);
  ExpectText(index, Collapsed(text, node.keeps_spaces));
  if (shown.sources.empty()) return FillEmpty(index, text);
  const ByteSpan span{shown.sources.front().begin, shown.sources.back().end};
  // Elements and comments between the first and the last character would be lost.
  uint64_t reached = span.begin;
  for (const HtmlPiece& piece : node.pieces) {
    if (piece.end <= span.begin || piece.begin >= span.end) continue;
    if (piece.kind == HtmlPieceKind::kTag || piece.begin > reached) break;
    if (piece.kind == HtmlPieceKind::kRawText) return Refused("raw text is not set");
    reached = std::max(reached, piece.end);
  }
  if (reached < span.end) {
    return Status(ErrorCode::kUnsupportedEdit,
                  "'" + edit.locator +
                      "' holds inline elements that a new text would lose; use replace_text, or "
                      "edit its lines");
  }
  return Splice(span, Markup(text, node));
}

Status HtmlEditor::FillEmpty(size_t index, const std::string& text) {
  const HtmlNode& node = source_.document().nodes[entries_[index].text_node];
  const bool takes_text = node.has_start_tag && node.has_end_tag && !node.has_blocks &&
                          node.kind != HtmlNodeKind::kField;
  if (!takes_text && node.name != "textarea" && node.name != "button") {
    return Refused("'" + entries_[index].record.locator + "' has no place for a text");
  }
  return Splice({node.content_begin, node.content_begin}, Markup(text, node));
}

Status HtmlEditor::ReplaceInText(const Edit& edit, size_t index) {
  const HtmlNode& node = source_.document().nodes[entries_[index].text_node];
  const HtmlText shown = ReadHtmlText(source_.text(), node, source_.charset(), true);
  // The common rules choose the matches; each is then put into the source.
  STAGED_ASSIGN_OR_RETURN(const std::string replacement, TextArgument(edit, "replace"));
  TextEditor chooser(shown.text);
  STAGED_RETURN_IF_ERROR(chooser.ReplaceText(edit, {0, shown.text.size()}));
  STAGED_ASSIGN_OR_RETURN(const std::string replaced, chooser.Finish());
  ExpectText(index, Collapsed(replaced, node.keeps_spaces));
  STAGED_ASSIGN_OR_RETURN(const std::vector<ByteSpan> matches,
                          TextMatches(edit, shown.text, chooser.lines().dominant()));
  for (const ByteSpan& match : matches) {
    const std::vector<ByteSpan> sources(shown.sources.begin() + static_cast<ptrdiff_t>(match.begin),
                                        shown.sources.begin() + static_cast<ptrdiff_t>(match.end));
    STAGED_RETURN_IF_ERROR(ReplaceMatch(node, sources, replacement));
  }
  return OkStatus();
}

// The matched characters go, wherever inline elements stand between them; the new text takes the
// place of the first.
Status HtmlEditor::ReplaceMatch(const HtmlNode& node, const std::vector<ByteSpan>& sources,
                                const std::string& replacement) {
  if (node.kind == HtmlNodeKind::kComment) return Refused("a comment takes set");
  std::vector<ByteSpan> spans;
  for (const ByteSpan& source : sources) {
    const auto is_inside = [&](const HtmlPiece& piece) {
      return piece.kind == HtmlPieceKind::kText && piece.begin <= source.begin &&
             source.end <= piece.end;
    };
    if (std::none_of(node.pieces.begin(), node.pieces.end(), is_inside)) {
      return Refused("a line break or raw text is not replaced");
    }
    if (!spans.empty() && source.begin <= spans.back().end) {
      spans.back().end = std::max(spans.back().end, source.end);
    } else {
      spans.push_back(source);
    }
  }
  for (size_t i = 0; i < spans.size(); ++i) {
    STAGED_RETURN_IF_ERROR(Splice(spans[i], i == 0 ? Markup(replacement, node) : ""));
  }
  return OkStatus();
}

Status HtmlEditor::PlanAttribute(const Edit& edit, size_t index) {
  STAGED_ASSIGN_OR_RETURN(const std::string name, TextArgument(edit, "name"));
  const HtmlNode& node = source_.document().nodes[entries_[index].node];
  if (!node.has_start_tag || node.attributes_omitted > 0) {
    return Refused("'" + edit.locator + "' has no tag that takes attributes");
  }
  if (!IsAttributeName(name)) {
    return Status(ErrorCode::kInvalidArgument, "'" + name + "' is no name of an attribute");
  }
  const HtmlAttribute* attribute = node.Find(name);
  STAGED_RETURN_IF_ERROR(CheckExpectedText(
      edit, attribute == nullptr ? "" : HtmlAttributeValue(*attribute, source_.charset())));
  const Value* value = edit.arguments.Find("value");
  if (value != nullptr && value->is_null()) {
    if (attribute == nullptr) {
      return Status(ErrorCode::kNoMatch, "'" + edit.locator + "' has no attribute '" + name + "'");
    }
    const size_t space = source_.text().find_last_not_of(" \t\r\n\f", attribute->begin - 1) + 1;
    return Splice({space, attribute->end}, "");
  }
  STAGED_ASSIGN_OR_RETURN(const std::string text, TextArgument(edit, "value"));
  return SetAttribute(node, name, text);
}

Status HtmlEditor::SetAttribute(const HtmlNode& node, const std::string& name,
                                const std::string& value) {
  const bool ascii_only =
      decoded_.encoding() == TextEncoding::kUnknown8Bit || source_.charset() != HtmlCharset::kUtf8;
  const HtmlAttribute* attribute = node.Find(name);
  const char quote = attribute != nullptr && attribute->quote != '\0' ? attribute->quote : '"';
  const std::string escaped = EscapeHtml(value, quote, ascii_only);
  const std::string quoted = quote + escaped + quote;
  if (attribute == nullptr) {
    const uint64_t at =
        node.attributes.empty() ? node.begin + 1 + node.name.size() : node.attributes.back().end;
    return Splice({at, at}, " " + name + "=" + quoted);
  }
  const auto begin = static_cast<uint64_t>(attribute->value.data() - source_.text().data());
  const uint64_t end = begin + attribute->value.size();
  if (attribute->quote != '\0') return Splice({begin, end}, escaped);
  if (attribute->has_value) return Splice({begin, end}, quoted);
  return Splice({attribute->end, attribute->end}, "=" + quoted);
}

Status HtmlEditor::PlanDelete(size_t index) {
  const HtmlEntry& entry = entries_[index];
  const HtmlNode& node = source_.document().nodes[entry.node];
  const HtmlElementTraits& traits = HtmlTraitsOf(node.name);
  const bool is_whole = node.has_end_tag || node.kind == HtmlNodeKind::kComment ||
                        (node.has_start_tag && (traits.flags & kHtmlVoid) != 0);
  if (!is_whole || entry.record.locator == "meta:lang") {
    return Refused("'" + entry.record.locator + "' has no end tag of its own");
  }
  if (node.name == "html" || node.name == "body" || node.name == "head") {
    return Refused("'" + node.name + "' is not deleted");
  }
  for (size_t i = 0; i < entries_.size(); ++i) {
    const ByteSpan& span = *entries_[i].record.span;
    if (span.begin >= node.begin && span.end <= node.end) deleted_.insert(i);
  }
  const LineIndex& lines = editor_.lines();
  const size_t first = lines.LineOf(node.begin);
  const size_t last = lines.LineOf(node.end - 1);
  const auto is_blank = [](std::string_view text) {
    return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
  };
  const std::string_view text = source_.text();
  const uint64_t begin = lines.Span(first).begin;
  const uint64_t end = lines.Span(last).end;
  if (is_blank(text.substr(begin, node.begin - begin)) &&
      is_blank(text.substr(node.end, end - node.end))) {
    spliced_.push_back({begin, end});
    editor_.DeleteLines({first, last});
    return OkStatus();
  }
  return Splice({node.begin, node.end}, "");
}

bool HtmlEditor::IsTouched(const Record& record) const {
  return std::any_of(spliced_.begin(), spliced_.end(), [&](const ByteSpan& span) {
    return span.begin <= record.span->end && record.span->begin <= span.end;
  });
}

bool HtmlEditor::IsAsPlanned(const std::vector<HtmlEntry>& after) const {
  size_t next = 0;
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (deleted_.count(i) > 0) continue;
    if (next == after.size()) return false;
    const Record& now = after[next++].record;
    const Record& before = entries_[i].record;
    const auto text = texts_.find(i);
    if (text != texts_.end() && text->second && now.text != *text->second) return false;
    if (now.kind != before.kind) return false;
    if (!IsTouched(before) &&
        (now.text != before.text || now.attrs != before.attrs || now.hidden != before.hidden)) {
      return false;
    }
  }
  return next == after.size();
}

Result<std::string> HtmlEditor::Finish() {
  STAGED_ASSIGN_OR_RETURN(std::string bytes, editor_.Finish());
  if (!has_record_edits_) return bytes;
  const DecodedText decoded(bytes);
  const HtmlSource after(decoded, limits_);
  if (IsAsPlanned(HtmlRecords(after.text(), after.document(), after.charset()))) return bytes;
  return Refused("the edits cannot be made safely in this HTML");
}

}  // namespace staged
