#include "formats/docx/math_text.h"

#include "base/utf8.h"
#include "formats/docx/word_names.h"

namespace staged::docx {
namespace {

class MathWriter {
 public:
  MathWriter(const XmlTree& tree, DeletedMath deleted, std::string& out)
      : tree_(tree), deleted_(deleted), out_(out) {}

  void Write(uint32_t element) {
    const std::string_view name =
        tree_[element].group == kMathGroup ? tree_.LocalName(element) : std::string_view();
    if (name == "f") {
      Part(element, "num");
      out_ += '/';
      Part(element, "den");
    } else if (name == "sSup" || name == "sSub" || name == "sSubSup") {
      Part(element, "e");
      Script(element);
    } else if (name == "sPre") {
      Script(element);
      Part(element, "e");
    } else if (name == "rad") {
      out_ += "\xE2\x88\x9A";
      const std::string degree = PartText(element, "deg");
      out_ += degree.empty() ? "(" : "(" + degree + "&";
      Children(Find(element, "e"));
      out_ += ')';
    } else if (name == "nary") {
      out_ += Property(element, "chr").value_or("\xE2\x88\xAB");
      Script(element);
      Part(element, "e");
    } else if (name == "d") {
      Delimited(element);
    } else if (name == "m" || name == "eqArr") {
      Rows(element, name == "m");
    } else if (name == "acc") {
      Part(element, "e");
      out_ += Property(element, "chr").value_or("\xCC\x82");
    } else if (name == "limLow" || name == "limUpp") {
      Part(element, "e");
      out_ += name == "limLow" ? "_" : "^";
      Part(element, "lim");
    } else if (IsDeleted(element)) {
      if (deleted_ == DeletedMath::kShown) Children(element);
    } else if (name == "t" || (tree_[element].group == kWordGroup && IsWordText(element))) {
      tree_.TextTo(element, out_);
    } else {
      Children(element);
    }
  }

 private:
  [[nodiscard]] bool IsWordText(uint32_t element) const { return IsTextName(tree_[element].name); }
  [[nodiscard]] static bool IsTextName(uint16_t name) {
    return name == kText || name == kDeletedText;
  }
  [[nodiscard]] bool IsDeleted(uint32_t element) const {
    return tree_[element].name == kDeleted || tree_[element].name == kMovedFrom;
  }

  [[nodiscard]] uint32_t Find(uint32_t element, std::string_view name) const {
    if (element == XmlTree::kNone) return XmlTree::kNone;
    for (uint32_t child = tree_.FirstChild(element); child != XmlTree::kNone;
         child = tree_.NextSibling(child)) {
      if (tree_.IsElement(child) && tree_[child].group == kMathGroup &&
          tree_.LocalName(child) == name) {
        return child;
      }
    }
    return XmlTree::kNone;
  }

  // The character that a property element such as m:naryPr/m:chr names.
  [[nodiscard]] std::optional<std::string> Property(uint32_t element, std::string_view name) const {
    const uint32_t properties = Find(element, std::string(tree_.LocalName(element)) + "Pr");
    const uint32_t property = Find(properties, name);
    if (property == XmlTree::kNone) return std::nullopt;
    return tree_.AttributeText(property, "val");
  }

  void Children(uint32_t element) {
    if (element == XmlTree::kNone) return;
    for (uint32_t child = tree_.FirstChild(element); child != XmlTree::kNone;
         child = tree_.NextSibling(child)) {
      if (tree_.IsElement(child)) Write(child);
    }
  }

  [[nodiscard]] std::string PartText(uint32_t element, std::string_view name) const {
    std::string text;
    MathWriter(tree_, deleted_, text).Children(Find(element, name));
    return text;
  }

  void Part(uint32_t element, std::string_view name) { Bracketed(PartText(element, name)); }

  // A part of a formula, in brackets unless it is one character or one plain word or number.
  void Bracketed(const std::string& text) {
    bool is_plain = true;
    size_t position = 0;
    size_t characters = 0;
    while (position < text.size()) {
      const uint32_t code = NextCodePoint(text, position);
      ++characters;
      is_plain = is_plain && ((code >= '0' && code <= '9') || (code >= 'a' && code <= 'z') ||
                              (code >= 'A' && code <= 'Z') || code == '.' || code > 0x7F);
    }
    out_ += is_plain || characters == 1 ? text : "(" + text + ")";
  }

  // Each part is made once: twice at every level would double the work with every nesting.
  void Script(uint32_t element) {
    const std::string below = PartText(element, "sub");
    const std::string above = PartText(element, "sup");
    if (!below.empty()) {
      out_ += '_';
      Bracketed(below);
    }
    if (!above.empty()) {
      out_ += '^';
      Bracketed(above);
    }
  }

  void Delimited(uint32_t element) {
    out_ += Property(element, "begChr").value_or("(");
    bool is_first = true;
    for (uint32_t child = tree_.FirstChild(element); child != XmlTree::kNone;
         child = tree_.NextSibling(child)) {
      if (!tree_.IsElement(child) || tree_.LocalName(child) != "e") continue;
      if (!is_first) out_ += Property(element, "sepChr").value_or("|");
      is_first = false;
      Children(child);
    }
    out_ += Property(element, "endChr").value_or(")");
  }

  void Rows(uint32_t element, bool is_matrix) {
    out_ += is_matrix ? "[" : "{";
    bool is_first = true;
    for (uint32_t row = tree_.FirstChild(element); row != XmlTree::kNone;
         row = tree_.NextSibling(row)) {
      if (!tree_.IsElement(row)) continue;
      const std::string_view name = tree_.LocalName(row);
      if (name != "mr" && name != "e") continue;
      if (!is_first) out_ += "; ";
      is_first = false;
      if (!is_matrix) {
        Children(row);
        continue;
      }
      bool is_first_cell = true;
      for (uint32_t cell = tree_.FirstChild(row); cell != XmlTree::kNone;
           cell = tree_.NextSibling(cell)) {
        if (!tree_.IsElement(cell)) continue;
        if (!is_first_cell) out_ += ", ";
        is_first_cell = false;
        Children(cell);
      }
    }
    out_ += is_matrix ? "]" : "}";
  }

  const XmlTree& tree_;
  const DeletedMath deleted_;
  std::string& out_;
};

}  // namespace

void MathTextTo(const XmlTree& tree, uint32_t element, DeletedMath deleted, std::string& out) {
  // The element itself may be the deletion whose text is asked for.
  const bool is_deleted = tree[element].name == kDeleted || tree[element].name == kMovedFrom;
  MathWriter writer(tree, is_deleted ? DeletedMath::kShown : deleted, out);
  writer.Write(element);
}

}  // namespace staged::docx
