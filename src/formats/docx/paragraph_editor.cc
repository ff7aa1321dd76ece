#include "formats/docx/paragraph_editor.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "formats/docx/word_names.h"

namespace staged::docx {
namespace {

constexpr std::string_view kNoBreakHyphenText = "\xE2\x80\x91";
constexpr std::string_view kSoftHyphenText = "\xC2\xAD";

struct Splice {
  size_t begin = 0;
  size_t end = 0;
  std::string text;
};

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// The element that stands for the text at `position`, and how many bytes of text it is.
std::string_view ElementName(std::string_view text, size_t position, size_t& size) {
  size = 1;
  if (text[position] == '\t') return "tab";
  if (text[position] == '\n') return "br";
  size = kNoBreakHyphenText.size();
  if (text.substr(position, size) == kNoBreakHyphenText) return "noBreakHyphen";
  size = kSoftHyphenText.size();
  if (text.substr(position, size) == kSoftHyphenText) return "softHyphen";
  size = 1;
  return "";
}

// Whether some w:t of the text may begin or end with white space.
bool NeedsPreserve(std::string_view text) {
  return !text.empty() && (IsSpace(text.front()) || IsSpace(text.back()) ||
                           text.find_first_of("\t\n") != std::string_view::npos ||
                           text.find(kNoBreakHyphenText) != std::string_view::npos ||
                           text.find(kSoftHyphenText) != std::string_view::npos);
}

// Plans the changes of one paragraph's source.
class ReplacementPlan {
 public:
  ReplacementPlan(const XmlTree& tree, const InlineContent& content)
      : tree_(tree), content_(content) {}

  Status Add(const TextReplacement& replacement) {
    const std::string& text = content_.text;
    if (replacement.begin > replacement.end || replacement.end > text.size() ||
        !IsCharacterBorder(text, replacement.begin) || !IsCharacterBorder(text, replacement.end)) {
      return Status(ErrorCode::kInvalidArgument,
                    "the span " + std::to_string(replacement.begin) + "-" +
                        std::to_string(replacement.end) +
                        " does not lie at character borders of the paragraph's " +
                        std::to_string(text.size()) + " bytes; offsets are bytes of UTF-8");
    }
    if (replacement.begin == replacement.end) return Insert(replacement.begin, replacement.text);
    bool is_first = true;
    for (size_t i = FirstAtom(replacement.begin); i < content_.atoms.size(); ++i) {
      const TextAtom& atom = content_.atoms[i];
      if (atom.begin >= replacement.end) break;
      if (atom.end <= replacement.begin) continue;
      if (atom.kind == AtomKind::kFixed) {
        return Status(ErrorCode::kUnsupportedEdit,
                      "the text is part of an equation, which is not edited as text; name a span "
                      "outside of it");
      }
      const std::string_view added = is_first ? std::string_view(replacement.text) : "";
      is_first = false;
      if (atom.kind == AtomKind::kText) {
        const size_t begin = std::max(replacement.begin, atom.begin) - atom.begin;
        const size_t end = std::min(replacement.end, atom.end) - atom.begin;
        text_edits_[i].push_back({begin, end, std::string(added)});
      } else {
        ReplaceElement(atom, added);
      }
    }
    return OkStatus();
  }

  std::string Finish(bool keeps_empty_text) {
    for (const auto& [index, edits] : text_edits_) EditText(index, edits, keeps_empty_text);
    RemoveEmptyRuns();
    std::sort(splices_.begin(), splices_.end(), [](const Splice& left, const Splice& right) {
      return std::tie(left.begin, left.end) < std::tie(right.begin, right.end);
    });
    const std::string_view source = tree_.source();
    std::string out;
    size_t position = 0;
    for (const Splice& splice : splices_) {
      if (splice.begin < position) continue;  // inside a run that was removed whole
      out.append(source.substr(position, splice.begin - position));
      out.append(splice.text);
      position = splice.end;
    }
    out.append(source.substr(position));
    return out;
  }

 private:
  [[nodiscard]] size_t FirstAtom(size_t offset) const {
    const auto found = std::partition_point(
        content_.atoms.begin(), content_.atoms.end(),
        [offset](const TextAtom& atom) { return atom.end <= offset && atom.begin < offset; });
    return static_cast<size_t>(found - content_.atoms.begin());
  }

  Status Insert(size_t offset, const std::string& text) {
    if (text.empty()) return OkStatus();
    // Typing continues the text before it, as in an editor.
    const TextAtom* neighbour = nullptr;
    for (size_t i = 0; i < content_.atoms.size(); ++i) {
      const TextAtom& atom = content_.atoms[i];
      if (atom.begin > offset) break;
      if (atom.end < offset) continue;
      if (atom.kind == AtomKind::kText) {
        text_edits_[i].push_back({offset - atom.begin, offset - atom.begin, text});
        return OkStatus();
      }
      if (atom.kind == AtomKind::kFixed && atom.begin < offset && offset < atom.end) {
        return Status(ErrorCode::kUnsupportedEdit,
                      "the place is inside an equation, which is not edited as text");
      }
      if (atom.kind == AtomKind::kElement && atom.run != XmlTree::kNone) neighbour = &atom;
    }
    if (neighbour != nullptr) {
      const size_t at =
          offset >= neighbour->end ? tree_[neighbour->node].end : tree_[neighbour->node].begin;
      splices_.push_back({at, at, RunTextElement(text, XmlPrefixOf(tree_, neighbour->run))});
      return OkStatus();
    }
    AppendRun(text);
    return OkStatus();
  }

  void AppendRun(const std::string& text) {
    const std::string prefix = XmlPrefixOf(tree_, 0);
    const uint32_t mark = tree_.Child(tree_.Child(0, kParagraphProperties), kRunProperties);
    const std::string run = "<" + prefix + "r>" + PlainRunProperties(tree_, mark) +
                            RunTextElement(text, prefix) + "</" + prefix + "r>";
    const XmlNode& paragraph = tree_[0];
    if (paragraph.content_begin == paragraph.end) {  // <w:p/>
      splices_.push_back({paragraph.end - 2, paragraph.end,
                          ">" + run + "</" + std::string(tree_.QualifiedName(0)) + ">"});
    } else {
      splices_.push_back({paragraph.content_end, paragraph.content_end, run});
    }
  }

  void ReplaceElement(const TextAtom& atom, std::string_view added) {
    const XmlNode& node = tree_[atom.node];
    std::string text = added.empty() ? "" : RunTextElement(added, XmlPrefixOf(tree_, atom.node));
    if (text.empty()) removed_.insert(atom.node);
    if (atom.run != XmlTree::kNone) touched_runs_.insert(atom.run);
    splices_.push_back({node.begin, node.end, std::move(text)});
  }

  void EditText(size_t index, const std::vector<TextReplacement>& edits, bool keeps_empty_text) {
    const TextAtom& atom = content_.atoms[index];
    const XmlNode& node = tree_[atom.node];
    const std::string prefix = XmlPrefixOf(tree_, atom.node);
    if (atom.run != XmlTree::kNone) touched_runs_.insert(atom.run);
    const std::string_view old_text =
        std::string_view(content_.text).substr(atom.begin, atom.end - atom.begin);
    std::string new_text;
    size_t position = 0;
    for (const TextReplacement& edit : edits) {
      new_text.append(old_text.substr(position, edit.begin - position));
      new_text.append(edit.text);
      position = edit.end;
    }
    new_text.append(old_text.substr(position));
    const bool is_kept = keeps_empty_text && index == text_edits_.begin()->first;
    if (new_text.empty() && !is_kept) {
      removed_.insert(atom.node);
      splices_.push_back({node.begin, node.end, ""});
      return;
    }
    const uint32_t only = tree_.FirstChild(atom.node);
    const bool is_plain = only != XmlTree::kNone && tree_[only].type == XmlTokenType::kText &&
                          tree_[only].begin == node.content_begin &&
                          tree_[only].end == node.content_end;
    if (!is_plain) {  // empty, or with sections or comments inside: written anew
      splices_.push_back({node.begin, node.end, RunTextElement(new_text, prefix)});
      return;
    }
    const std::string_view raw = tree_.Raw(only);
    for (const TextReplacement& edit : edits) {
      const size_t begin = XmlRawOffset(raw, edit.begin);
      const size_t end = begin + XmlRawOffset(raw.substr(begin), edit.end - edit.begin);
      splices_.push_back(
          {node.content_begin + begin, node.content_begin + end, RunText(edit.text, prefix)});
    }
    if (NeedsPreserve(new_text)) AddPreserve(atom.node);
  }

  void AddPreserve(uint32_t node) {
    for (const XmlAttribute& attribute : tree_.Attributes(node)) {
      if (attribute.name != "xml:space") continue;
      if (attribute.value == "preserve") return;
      splices_.push_back({attribute.begin, attribute.end, "xml:space=\"preserve\""});
      return;
    }
    const size_t at = tree_[node].content_begin - 1;
    splices_.push_back({at, at, " xml:space=\"preserve\""});
  }

  void RemoveEmptyRuns() {
    for (const uint32_t run : touched_runs_) {
      bool is_empty = true;
      for (uint32_t child = tree_.FirstChild(run); child != XmlTree::kNone;
           child = tree_.NextSibling(child)) {
        if (!tree_.IsElement(child) || tree_[child].name == kRunProperties) continue;
        is_empty = is_empty && removed_.contains(child);
      }
      const uint32_t properties = tree_.Child(run, kRunProperties);
      const bool is_tracked = properties != XmlTree::kNone &&
                              tree_.Child(properties, kRunPropertiesChange) != XmlTree::kNone;
      if (is_empty && !is_tracked) splices_.push_back({tree_[run].begin, tree_[run].end, ""});
    }
  }

  const XmlTree& tree_;
  const InlineContent& content_;
  std::map<size_t, std::vector<TextReplacement>> text_edits_;  // by atom, in its own offsets
  std::vector<Splice> splices_;
  std::set<uint32_t> removed_;
  std::set<uint32_t> touched_runs_;
};

}  // namespace

std::string RunText(std::string_view text, std::string_view prefix) {
  const std::string name(prefix);
  std::string out;
  size_t begin = 0;
  size_t position = 0;
  while (position < text.size()) {
    size_t size = 0;
    const std::string_view element = ElementName(text, position, size);
    if (!element.empty()) {
      out += XmlEscapeText(text.substr(begin, position - begin)) + "</" + name + "t><" + name +
             std::string(element) + "/><" + name + "t xml:space=\"preserve\">";
      begin = position + size;
    }
    position += size;
  }
  return out + XmlEscapeText(text.substr(begin));
}

std::string RunTextElement(std::string_view text, std::string_view prefix) {
  const std::string name(prefix);
  return "<" + name + "t" + (NeedsPreserve(text) ? " xml:space=\"preserve\"" : "") + ">" +
         RunText(text, prefix) + "</" + name + "t>";
}

std::string PlainRunProperties(const XmlTree& tree, uint32_t run_properties) {
  if (run_properties == XmlTree::kNone) return "";
  std::string inner;
  for (uint32_t child = tree.FirstChild(run_properties); child != XmlTree::kNone;
       child = tree.NextSibling(child)) {
    switch (tree[child].name) {
      case kInserted:
      case kDeleted:
      case kMovedFrom:
      case kMovedTo:
      case kRunPropertiesChange:
        break;
      default:
        if (tree.IsElement(child)) inner += tree.Raw(child);
    }
  }
  if (inner.empty()) return "";
  const std::string name(tree.QualifiedName(run_properties));
  return "<" + name + ">" + inner + "</" + name + ">";
}

ParagraphEditor::ParagraphEditor(std::string xml, XmlBindings bindings, const Limits& limits)
    : xml_(std::move(xml)), bindings_(std::move(bindings)), limits_(limits) {
  Reread();
}

void ParagraphEditor::Reread() {
  tree_ = std::make_unique<XmlTree>(xml_, WordVocabulary(), limits_, bindings_);
  InlineReader(*tree_).Read(0, content_);
}

Status ParagraphEditor::Replace(const std::vector<TextReplacement>& replacements) {
  ReplacementPlan plan(*tree_, content_);
  size_t remaining = content_.text.size();
  for (const TextReplacement& replacement : replacements) {
    if (!XmlCanHold(replacement.text)) {
      return Status(ErrorCode::kInvalidArgument,
                    "the text holds a control character or malformed UTF-8, which a document "
                    "cannot store; leave it out");
    }
    STAGED_RETURN_IF_ERROR(plan.Add(replacement));
    remaining += replacement.text.size() - (replacement.end - replacement.begin);
  }
  // The last text that goes leaves an empty one behind, so that its format stays.
  std::string changed = plan.Finish(remaining == 0);
  tree_.reset();
  xml_ = std::move(changed);
  Reread();
  return tree_->error();
}

}  // namespace staged::docx
