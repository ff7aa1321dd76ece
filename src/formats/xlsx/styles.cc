#include "formats/xlsx/styles.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <utility>

#include "codec/xml_summary.h"
#include "formats/xlsx/looks.h"
#include "record/number_format.h"

namespace staged::xlsx {
namespace {

unsigned ReadUnsigned(std::string_view text) {
  unsigned number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

constexpr uint32_t kNone = XmlTree::kNone;

class StyleSheetReader {
 public:
  StyleSheetReader(std::string_view xml, const Limits& limits) : tree_(xml, limits) {}

  Styles Read() {
    styles_.error = tree_.error();
    if (tree_.is_empty()) return std::move(styles_);
    ReadNumberFormats();
    const std::vector<uint32_t> fonts = ChildrenOf("fonts");
    if (!fonts.empty()) usual_font_ = fonts.front();
    for (const uint32_t font : fonts) fonts_.push_back(FontLook(tree_, font, usual_font_));
    for (const uint32_t fill : ChildrenOf("fills")) fills_.push_back(FillLook(tree_, fill));
    for (const uint32_t border : ChildrenOf("borders")) {
      borders_.push_back(BorderLook(tree_, border));
    }
    ReadNames();
    for (const uint32_t format : ChildrenOf("cellXfs")) {
      styles_.formats.push_back(NumberFormatOf(format));
      styles_.looks.push_back(LookOf(format));
    }
    std::map<std::pair<std::string_view, std::string_view>, uint32_t> classes;
    for (size_t i = 0; i < styles_.looks.size(); ++i) {
      styles_.look_classes.push_back(
          classes.emplace(std::pair(styles_.FormatOf(i), styles_.LookOf(i)), uint32_t(i))
              .first->second);
    }
    for (const uint32_t format : ChildrenOf("dxfs")) {
      styles_.differential_looks.push_back(DifferentialLook(tree_, format));
    }
    ReadRest();
    return std::move(styles_);
  }

 private:
  std::vector<uint32_t> ChildrenOf(std::string_view list) const {
    std::vector<uint32_t> children;
    tree_.ForEachChild(tree_.Child(0, list), [&](uint32_t child) { children.push_back(child); });
    return children;
  }

  void ReadNumberFormats() {
    tree_.ForEach(0, "numFmt", [&](uint32_t format) {
      if (tree_.Name(tree_.tree()[format].parent) != "numFmts") return;
      custom_[ReadUnsigned(tree_.Attribute(format, "numFmtId"))] =
          tree_.Attribute(format, "formatCode");
    });
  }

  std::string NumberFormatOf(uint32_t format) const {
    const unsigned id = ReadUnsigned(tree_.Attribute(format, "numFmtId"));
    const auto found = custom_.find(id);
    if (found != custom_.end()) return found->second;
    const std::string_view builtin = BuiltinNumberFormat(id);
    return std::string(builtin.empty() ? "General" : builtin);
  }

  static std::string_view At(const std::vector<std::string>& looks, const std::string& index) {
    const unsigned number = ReadUnsigned(index);
    return number < looks.size() ? std::string_view(looks[number]) : std::string_view();
  }

  // Fill, border and what else a format says itself.
  void AppendRest(uint32_t format, std::string& look) const {
    AppendItem(look, At(fills_, tree_.Attribute(format, "fillId")));
    AppendItem(look, At(borders_, tree_.Attribute(format, "borderId")));
    AppendItem(look, AlignmentLook(tree_, tree_.Child(format, "alignment")));
    AppendItem(look, ProtectionLook(tree_, tree_.Child(format, "protection")));
    if (tree_.Flag(format, "quotePrefix")) AppendItem(look, "quoted");
    if (tree_.Flag(format, "pivotButton")) AppendItem(look, "pivot button");
  }

  std::string LookOf(uint32_t format) const {
    std::string look;
    const auto name = names_.find(ReadUnsigned(tree_.Attribute(format, "xfId")));
    if (name != names_.end()) look = "style " + name->second;
    AppendItem(look, At(fonts_, tree_.Attribute(format, "fontId")));
    AppendRest(format, look);
    return look;
  }

  void ReadNames() {
    const std::vector<uint32_t> formats = ChildrenOf("cellStyleXfs");
    const std::vector<uint32_t> fonts = ChildrenOf("fonts");
    const auto add = [&](std::string name, uint32_t format) {
      NamedStyle style{std::move(name), "", NumberFormatOf(format)};
      const unsigned font = ReadUnsigned(tree_.Attribute(format, "fontId"));
      if (font < fonts.size()) style.look = FontLook(tree_, fonts[font], kNone);
      AppendRest(format, style.look);
      styles_.named.push_back(std::move(style));
    };
    bool has_usual = false;
    for (const uint32_t style : ChildrenOf("cellStyles")) {
      const unsigned id = ReadUnsigned(tree_.Attribute(style, "xfId"));
      std::string name = tree_.Attribute(style, "name");
      has_usual |= id == 0;
      if (id != 0) names_.emplace(id, name);
      if (id < formats.size()) add(std::move(name), formats[id]);
    }
    if (!has_usual && !formats.empty()) add("Normal", formats.front());
  }

  void ReadRest() {
    static constexpr std::array<std::string_view, 7> kShown = {
        "numFmts", "fonts", "fills", "borders", "cellStyleXfs", "cellXfs", "cellStyles"};
    tree_.ForEachChild(0, [&](uint32_t child) {
      const std::string_view name = tree_.Name(child);
      if (std::find(kShown.begin(), kShown.end(), name) != kShown.end()) return;
      if (tree_.tree().FirstChild(child) == kNone) return;
      styles_.rest.push_back(
          {std::string(name), XmlSummary(tree_.tree(), child), XmlDigest(tree_.tree(), child)});
    });
  }

  PartTree tree_;
  Styles styles_;
  uint32_t usual_font_ = kNone;
  std::map<unsigned, std::string> custom_;
  std::map<unsigned, std::string> names_;  // of named styles but the usual one, by format
  std::vector<std::string> fonts_;
  std::vector<std::string> fills_;
  std::vector<std::string> borders_;
};

}  // namespace

Styles ReadStyles(std::string_view xml, const Limits& limits) {
  return StyleSheetReader(xml, limits).Read();
}

}  // namespace staged::xlsx
