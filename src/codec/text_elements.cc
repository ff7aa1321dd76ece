#include "codec/text_elements.h"

#include <algorithm>
#include <map>
#include <set>

#include "codec/splice.h"
#include "codec/xml.h"

namespace staged {
namespace {

// Plans the changes of one paragraph's source.
class ReplacementPlan {
 public:
  ReplacementPlan(const XmlTree& tree, const TextContent& content, const TextDialect& dialect)
      : tree_(tree), content_(content), dialect_(dialect) {}

  Status Add(const TextReplacement& replacement) {
    const std::string& text = content_.text;
    if (replacement.begin > replacement.end || replacement.end > text.size() ||
        !IsCharacterBorder(text, replacement.begin) || !IsCharacterBorder(text, replacement.end)) {
      return Status(ErrorCode::kInvalidArgument,
                    "the span " + std::to_string(replacement.begin) + "-" +
                        std::to_string(replacement.end) +
                        " does not lie at character borders of the text's " +
                        std::to_string(text.size()) + " bytes; offsets are bytes of UTF-8");
    }
    if (!XmlCanHold(replacement.text)) {
      return Status(ErrorCode::kInvalidArgument,
                    "the text holds a control character or malformed UTF-8, which a document "
                    "cannot store; leave it out");
    }
    if (replacement.begin == replacement.end) return Insert(replacement.begin, replacement.text);
    bool is_first = true;
    for (size_t i = 0; i < content_.pieces.size(); ++i) {
      const TextPiece& piece = content_.pieces[i];
      if (piece.begin >= replacement.end) break;
      if (piece.end <= replacement.begin) continue;
      if (piece.kind == TextPieceKind::kFixed) return FixedText();
      edits_[i].push_back({std::max(replacement.begin, piece.begin) - piece.begin,
                           std::min(replacement.end, piece.end) - piece.begin,
                           is_first ? replacement.text : std::string()});
      is_first = false;
    }
    return OkStatus();
  }

  // The new source, when some text remains or a place for it is to be kept.
  Result<std::string> Finish(bool keeps_runs) {
    SplicePlan plan;
    const std::set<uint32_t> gone = keeps_runs ? std::set<uint32_t>() : EmptiedRuns();
    for (const uint32_t run : gone) plan.Replace(tree_[run].begin, tree_[run].end, "");
    for (const auto& [index, edits] : edits_) {
      const TextPiece& piece = content_.pieces[index];
      if (gone.contains(piece.run)) continue;
      if (piece.kind == TextPieceKind::kCharacters) {
        EditCharacters(piece, edits, plan);
      } else {
        const std::string text = NewText(piece, edits);
        plan.Replace(piece.source_begin, piece.source_end,
                     text.empty() ? "" : dialect_.Write(text, tree_, piece));
      }
    }
    return plan.Apply(tree_.source());
  }

 private:
  static Status FixedText() {
    return Status(ErrorCode::kUnsupportedEdit,
                  "the text is part of a field, an equation or a mark, which are not edited as "
                  "text; name a span outside of it");
  }

  // Typing continues the text before it, as in an editor.
  Status Insert(size_t offset, const std::string& text) {
    if (text.empty()) return OkStatus();
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < content_.pieces.size(); ++i) {
      const TextPiece& piece = content_.pieces[i];
      if (piece.begin > offset) break;
      if (piece.end < offset) continue;
      if (piece.kind == TextPieceKind::kFixed) {
        if (piece.begin < offset && offset < piece.end) return FixedText();
        continue;
      }
      const bool is_better =
          best == SIZE_MAX || (content_.pieces[best].kind != TextPieceKind::kCharacters &&
                               piece.kind == TextPieceKind::kCharacters);
      if (is_better) best = i;
    }
    if (best == SIZE_MAX) {
      return Status(ErrorCode::kUnsupportedEdit,
                    "there is no plain text at that place to write into; edit the text beside the "
                    "field or equation in its own application");
    }
    const size_t begin = content_.pieces[best].begin;
    edits_[best].push_back({offset - begin, offset - begin, text});
    return OkStatus();
  }

  [[nodiscard]] std::string NewText(const TextPiece& piece,
                                    const std::vector<TextReplacement>& edits) const {
    const std::string_view before =
        std::string_view(content_.text).substr(piece.begin, piece.end - piece.begin);
    std::string text;
    size_t position = 0;
    for (const TextReplacement& edit : edits) {
      text.append(before.substr(position, edit.begin - position)).append(edit.text);
      position = edit.end;
    }
    return text.append(before.substr(position));
  }

  void EditCharacters(const TextPiece& piece, const std::vector<TextReplacement>& edits,
                      SplicePlan& plan) const {
    const std::string_view raw =
        tree_.source().substr(piece.source_begin, piece.source_end - piece.source_begin);
    for (const TextReplacement& edit : edits) {
      const size_t begin = XmlRawOffset(raw, edit.begin);
      const size_t end = begin + XmlRawOffset(raw.substr(begin), edit.end - edit.begin);
      plan.Replace(piece.source_begin + begin, piece.source_begin + end,
                   edit.text.empty() ? "" : dialect_.Write(edit.text, tree_, piece));
    }
  }

  // Runs of which nothing remains.
  [[nodiscard]] std::set<uint32_t> EmptiedRuns() const {
    std::set<uint32_t> touched;
    std::set<uint32_t> remaining;
    for (size_t i = 0; i < content_.pieces.size(); ++i) {
      const TextPiece& piece = content_.pieces[i];
      const auto edits = edits_.find(i);
      if (edits == edits_.end()) {
        remaining.insert(piece.run);
      } else if (NewText(piece, edits->second).empty()) {
        touched.insert(piece.run);
      } else {
        remaining.insert(piece.run);
      }
    }
    touched.erase(XmlTree::kNone);
    for (const uint32_t run : remaining) touched.erase(run);
    return touched;
  }

  const XmlTree& tree_;
  const TextContent& content_;
  const TextDialect& dialect_;
  std::map<size_t, std::vector<TextReplacement>> edits_;  // by piece, in its own offsets
};

}  // namespace

TextElementEditor::TextElementEditor(std::string xml, XmlBindings bindings,
                                     const TextDialect& dialect, const Limits& limits)
    : xml_(std::move(xml)), bindings_(std::move(bindings)), dialect_(dialect), limits_(limits) {
  Reread();
}

void TextElementEditor::Reread() {
  tree_ = std::make_unique<XmlTree>(xml_, dialect_.vocabulary(), limits_, bindings_);
  content_ = tree_->size() == 0 ? TextContent() : dialect_.Read(*tree_, 0);
}

Status TextElementEditor::Replace(const std::vector<TextReplacement>& replacements) {
  bool is_exact = true;
  for (const TextReplacement& replacement : replacements) {
    const bool is_inside =
        replacement.begin <= replacement.end && replacement.end <= content_.text.size();
    is_exact = is_exact && (!is_inside || dialect_.Widen(content_, replacement) == replacement);
  }
  if (is_exact) return ReplaceExactly(replacements);
  // Neighbours may take part in two replacements: from the back, one after the other.
  for (size_t i = replacements.size(); i > 0; --i) {
    STAGED_RETURN_IF_ERROR(ReplaceExactly({dialect_.Widen(content_, replacements[i - 1])}));
  }
  return OkStatus();
}

Status TextElementEditor::ReplaceExactly(const std::vector<TextReplacement>& replacements) {
  STAGED_RETURN_IF_ERROR(tree_->error());
  ReplacementPlan plan(*tree_, content_, dialect_);
  size_t remaining = content_.text.size();
  std::string changed;
  if (content_.pieces.empty() && replacements.size() == 1 && replacements[0].end == 0) {
    if (!XmlCanHold(replacements[0].text)) return plan.Add(replacements[0]);
    changed = dialect_.WriteFirst(replacements[0].text, *tree_);
  } else {
    for (const TextReplacement& replacement : replacements) {
      STAGED_RETURN_IF_ERROR(plan.Add(replacement));
      remaining += replacement.text.size() - (replacement.end - replacement.begin);
    }
    // The last text that goes leaves an empty run behind, so that its format stays.
    STAGED_ASSIGN_OR_RETURN(changed, plan.Finish(remaining == 0));
  }
  std::string expected = content_.text;
  for (size_t i = replacements.size(); i > 0; --i) {
    const TextReplacement& item = replacements[i - 1];
    expected.replace(item.begin, item.end - item.begin, item.text);
  }
  tree_.reset();
  std::swap(xml_, changed);
  Reread();
  if (tree_->error().ok() && content_.text == expected) return OkStatus();
  tree_.reset();
  std::swap(xml_, changed);
  Reread();
  return Status(ErrorCode::kUnsupportedEdit,
                "the text's markup would not read as asked (white space or nesting around it is "
                "unusual); save the file once in its own application, then repeat the edit");
}

TextReplacement TextDifference(const std::string& before, const std::string& after) {
  size_t prefix = 0;
  const size_t shorter = std::min(before.size(), after.size());
  while (prefix < shorter && before[prefix] == after[prefix]) ++prefix;
  if (prefix < before.size() || prefix < after.size()) {
    while (prefix > 0 && before[prefix - 1] != ' ') --prefix;
  }
  size_t suffix = 0;
  while (suffix < shorter - prefix &&
         before[before.size() - 1 - suffix] == after[after.size() - 1 - suffix]) {
    ++suffix;
  }
  while (suffix > 0 && before[before.size() - suffix] != ' ') --suffix;
  return {prefix, before.size() - suffix, after.substr(prefix, after.size() - suffix - prefix)};
}

bool IsCharacterBorder(std::string_view text, size_t offset) {
  return offset == text.size() || (static_cast<uint8_t>(text[offset]) & 0xC0) != 0x80;
}

size_t XmlRawOffset(std::string_view raw, size_t offset) {
  size_t position = 0;
  size_t decoded = 0;
  while (position < raw.size() && decoded < offset) {
    if (raw[position] == '&') {
      const size_t semicolon = raw.find(';', position);
      const std::string_view reference =
          raw.substr(position, semicolon == std::string_view::npos ? 1 : semicolon - position + 1);
      const std::string character = XmlDecode(reference);
      if (character != reference) {
        position += reference.size();
        decoded += character.size();
        continue;
      }
    } else if (raw.substr(position, 2) == "\r\n") {
      ++position;
    }
    ++position;
    ++decoded;
  }
  return position;
}

std::string XmlPrefixOf(const XmlTree& tree, uint32_t element) {
  const std::string_view name = tree.QualifiedName(element);
  const size_t colon = name.find(':');
  return colon == std::string_view::npos ? "" : std::string(name.substr(0, colon + 1));
}

std::string XmlWithAppended(const XmlTree& tree, uint32_t element, std::string_view content) {
  const XmlNode& node = tree[element];
  std::string out(tree.Raw(element));
  if (node.content_begin < node.end) {
    out.insert(node.content_end - node.begin, content);
    return out;
  }
  out.erase(out.rfind('/'));  // <a/>
  return out + ">" + std::string(content) + "</" + std::string(tree.QualifiedName(element)) + ">";
}

}  // namespace staged
