#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "codec/xml_tree.h"
#include "formats/docx/word_names.h"

// What stands inside one paragraph, in the view with all tracked changes accepted. Offsets are
// bytes of the UTF-8 text.
namespace staged::docx {

enum class AtomKind : uint8_t {
  kText,     // a w:t
  kElement,  // one character that an element stands for: tab, break, hyphen, symbol
  kFixed,    // text that is not edited as text: an equation
};

// Where a piece of the text comes from.
struct TextAtom {
  AtomKind kind = AtomKind::kText;
  uint32_t node = XmlTree::kNone;
  uint32_t run = XmlTree::kNone;  // the w:r around it, kNone when none
  size_t begin = 0;
  size_t end = 0;
};

struct FormatSpan {
  size_t begin = 0;
  size_t end = 0;
  uint32_t properties = XmlTree::kNone;  // w:rPr
};

// A hyperlink, content control, equation, ruby: its element and its text.
struct InlineRange {
  size_t begin = 0;
  size_t end = 0;
  uint32_t node = XmlTree::kNone;
};

struct FieldRange {
  size_t begin = 0;
  size_t end = 0;
  std::string instruction;  // "PAGE", "REF _Ref1 \h"
  bool is_open = false;     // the result goes on in the next paragraph
};

struct Revision {
  std::string_view type;  // "insertion", "deletion", "move_from", "move_to", "format_change" ...
  size_t begin = 0;
  size_t end = 0;  // insertions
  uint32_t node = XmlTree::kNone;
  std::string deleted_text;  // deletions
  std::string move_name;     // of both ends of one move
};

// A point in the text: a note's reference, one end of a bookmark or comment range.
struct InlineMarker {
  uint32_t node = XmlTree::kNone;
  size_t at = 0;
  bool is_deleted = false;  // it stands in a tracked deletion
};

struct InlineContent {
  std::string text;
  std::vector<TextAtom> atoms;
  std::vector<FormatSpan> formats;
  std::vector<InlineRange> links;
  std::vector<InlineRange> controls;
  std::vector<InlineRange> equations;
  std::vector<InlineRange> rubies;
  std::vector<InlineRange> tags;  // w:smartTag, w:customXml
  std::vector<FieldRange> fields;
  std::vector<Revision> revisions;
  std::vector<InlineMarker> markers;   // bookmarks, comment ranges, references of notes
  std::vector<InlineMarker> breaks;    // of pages and columns: no text
  std::vector<InlineMarker> pictures;  // w:drawing, w:pict, w:object
  std::vector<uint32_t> text_boxes;    // w:txbxContent
  std::vector<uint32_t> imports;       // w:subDoc
  std::vector<uint32_t> alternatives;  // branches that are not read and say something else

  void Clear();
};

// The branch of an mc:AlternateContent that is read: the first choice, else the fallback; kNone
// when both are missing. Only one, since both say the same.
[[nodiscard]] uint32_t ChosenBranch(const XmlTree& tree, uint32_t alternate_content);

// What people read below an element, a line for each paragraph; cut beyond 1 MiB.
[[nodiscard]] std::string ReadableText(const XmlTree& tree, uint32_t element);
// The branches of an mc:AlternateContent that are not read and show other text than the chosen one.
[[nodiscard]] std::vector<uint32_t> OtherBranches(const XmlTree& tree, uint32_t alternate_content);

// The type of the tracked change of a control that such a marker begins ("control_insertion"), or
// "" for other elements (ECMA-376 part 1, 17.13.5.5 and following).
[[nodiscard]] std::string_view ControlRevisionType(uint16_t name);

// Calls `visit` for the elements below `node` in document order, of alternate contents only for the
// chosen branch; goes below an element only where `visit` answers true.
template <typename Visit>
void VisitChosen(const XmlTree& tree, uint32_t node, const Visit& visit) {
  for (uint32_t child = tree.FirstChild(node); child != XmlTree::kNone;
       child = tree.NextSibling(child)) {
    if (!tree.IsElement(child)) continue;
    if (tree[child].name == kAlternateContent) {
      const uint32_t branch = ChosenBranch(tree, child);
      if (branch != XmlTree::kNone) VisitChosen(tree, branch, visit);
    } else if (visit(child)) {
      VisitChosen(tree, child, visit);
    }
  }
}

// Reads the paragraphs of one story in order: fields go on from paragraph to paragraph.
class InlineReader {
 public:
  explicit InlineReader(const XmlTree& tree) : tree_(tree) {}
  // Of a w:p (or any other element with inline content), into `out`, which is cleared first.
  void Read(uint32_t paragraph, InlineContent& out);
  // The start or end of a moved range: the moves that follow are named after it.
  void SeeMoveRange(uint32_t marker);

 private:
  struct OpenField {
    std::string instruction;
    size_t begin = 0;
    bool in_result = false;
    bool began_here = true;  // in the paragraph that is being read
  };

  void ReadChildren(uint32_t node);
  void ReadInline(uint32_t child);
  void ReadRun(uint32_t run);
  void ReadRunContent(uint32_t child, uint32_t run);
  // Text and what stands for a character; false for other elements.
  bool ReadTextElement(uint32_t child, uint32_t run);
  void AddAlternatives(uint32_t alternate_content);
  void ReadRevision(uint32_t child, std::string_view type, bool is_deleted);
  void ReadContentControl(uint32_t child);
  void ReadRuby(uint32_t child);
  void ReadSimpleField(uint32_t child);
  void ReadFieldCharacter(uint32_t child);
  void ReadPicture(uint32_t picture);
  void ReadEquation(uint32_t equation);
  void ReadMarkupTag(uint32_t child);
  void AddText(uint32_t node, uint32_t run);
  void AddElement(uint32_t node, uint32_t run, std::string_view text);
  void AddSymbol(uint32_t node, uint32_t run);
  void EndParagraph();

  const XmlTree& tree_;
  InlineContent* out_ = nullptr;
  std::string* deleted_ = nullptr;  // where text goes inside a tracked deletion
  std::vector<OpenField> fields_;
  struct MoveRange {
    std::string id;
    std::string name;
    bool is_source = false;
  };
  std::vector<MoveRange> moves_;  // open ones
};

}  // namespace staged::docx
