#include "formats/xlsx/looks.h"

#include <array>
#include <cmath>
#include <utility>

#include "formats/xlsx/shared_strings.h"
#include "record/number_format.h"

namespace staged::xlsx {
namespace {

constexpr uint32_t kNone = XmlTree::kNone;

std::string Signed(double percent) { return (percent > 0 ? "+" : "") + FormatShortest(percent); }

// An element whose presence says yes, unless its "val" says no: <b/>, <b val="0"/>.
bool Switch(const PartTree& tree, uint32_t parent, std::string_view name) {
  const uint32_t node = tree.Child(parent, name);
  return node != kNone && tree.Flag(node, "val", true);
}

std::string ValueOf(const PartTree& tree, uint32_t parent, std::string_view name) {
  return tree.Attribute(tree.Child(parent, name), "val");
}

std::string FontName(const PartTree& tree, uint32_t font) {
  const std::string name = ValueOf(tree, font, "name");
  return name.empty() ? ValueOf(tree, font, "rFont") : name;
}

std::string Underline(const PartTree& tree, uint32_t font) {
  const uint32_t node = tree.Child(font, "u");
  if (node == kNone) return "";
  const std::string kind = tree.Attribute(node, "val");
  if (kind == "none") return "";
  return kind.empty() || kind == "single" ? "underline" : "underline " + kind;
}

std::string FontColor(const PartTree& tree, uint32_t font) {
  const uint32_t color = tree.Child(font, "color");
  const std::string name = ColorName(tree, color);
  // Black by theme or by system is what text has anyway.
  return name == "dark1" ? "" : name;
}

std::string SideLook(const PartTree& tree, uint32_t border, std::string_view side) {
  const uint32_t node = tree.Child(border, side);
  const std::string style = tree.Attribute(node, "style");
  if (style.empty() || style == "none") return "";
  const std::string color = ColorName(tree, tree.Child(node, "color"));
  return color.empty() ? style : style + " " + color;
}

}  // namespace

std::string ColorName(const PartTree& tree, uint32_t color) {
  static constexpr std::array<std::string_view, 12> kThemeColors = {
      "light1",  "dark1",   "light2",  "dark2",   "accent1",   "accent2",
      "accent3", "accent4", "accent5", "accent6", "hyperlink", "followed hyperlink"};
  constexpr double kSystemColors = 64;  // from here on: what the window has
  if (color == kNone || tree.Flag(color, "auto")) return "";
  std::string name;
  if (const std::string rgb = tree.Attribute(color, "rgb"); !rgb.empty()) {
    constexpr size_t kWithAlpha = 8;
    name = "#" + (rgb.size() == kWithAlpha ? rgb.substr(2) : rgb);
  } else if (const auto theme = tree.Number(color, "theme")) {
    const bool is_known = *theme >= 0 && *theme < static_cast<double>(kThemeColors.size());
    name = is_known ? std::string(kThemeColors[static_cast<size_t>(*theme)])
                    : "theme " + FormatShortest(*theme);
  } else if (const auto index = tree.Number(color, "indexed")) {
    if (*index >= kSystemColors) return "";
    name = "palette " + FormatShortest(*index);
  }
  const double tint = tree.Number(color, "tint").value_or(0);
  if (!name.empty() && tint != 0) name += " " + Signed(std::round(tint * 100)) + "%";
  return name;
}

std::string FontLook(const PartTree& tree, uint32_t font, uint32_t usual) {
  std::string look;
  if (font == kNone) return look;
  const auto differs = [&](const std::string& mine, const std::string& theirs) {
    return usual == kNone ? !mine.empty() : mine != theirs;
  };
  const std::string name = FontName(tree, font);
  if (differs(name, FontName(tree, usual))) AppendItem(look, name);
  const std::string size = ValueOf(tree, font, "sz");
  if (differs(size, ValueOf(tree, usual, "sz")) && !size.empty()) AppendItem(look, size + "pt");
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kSwitches = {
      {{"b", "bold"},
       {"i", "italic"},
       {"strike", "struck through"},
       {"outline", "outline"},
       {"shadow", "shadow"},
       {"condense", "condensed"},
       {"extend", "extended"}}};
  for (const auto& [element, word] : kSwitches) {
    const bool mine = Switch(tree, font, element);
    if (mine == Switch(tree, usual, element)) continue;
    AppendItem(look, (mine ? "" : "not ") + std::string(word));
  }
  const std::string underline = Underline(tree, font);
  if (differs(underline, Underline(tree, usual))) {
    AppendItem(look, underline.empty() ? "not underline" : underline);
  }
  const std::string position = ValueOf(tree, font, "vertAlign");
  if (differs(position, ValueOf(tree, usual, "vertAlign"))) AppendItem(look, position);
  const std::string color = FontColor(tree, font);
  if (differs(color, FontColor(tree, usual))) {
    AppendItem(look, color.empty() ? "color automatic" : "color " + color);
  }
  return look;
}

std::string FillLook(const PartTree& tree, uint32_t fill) {
  const uint32_t pattern = tree.Child(fill, "patternFill");
  if (pattern != kNone) {
    const std::string type = tree.Attribute(pattern, "patternType");
    const std::string front = ColorName(tree, tree.Child(pattern, "fgColor"));
    const std::string back = ColorName(tree, tree.Child(pattern, "bgColor"));
    if (type == "none") return "";
    if (type.empty() || type == "solid") {
      // A differential format names the colour of a solid fill as its background (18.8.32).
      const std::string& color = front.empty() ? back : front;
      if (color.empty()) return type.empty() ? "" : "fill solid";
      return "fill " + color;
    }
    std::string look = "fill " + type;
    if (!front.empty()) look += " " + front;
    if (!back.empty()) look += " on " + back;
    return look;
  }
  const uint32_t gradient = tree.Child(fill, "gradientFill");
  if (gradient == kNone) return "";
  std::string look = "fill gradient";
  for (const std::string_view attribute : {"type", "degree", "left", "right", "top", "bottom"}) {
    const std::string value = tree.Attribute(gradient, attribute);
    if (!value.empty()) look += " " + std::string(attribute) + "=" + value;
  }
  tree.ForEachChild(gradient, [&](uint32_t stop) {
    look += " " + ColorName(tree, tree.Child(stop, "color")) + " at " +
            tree.Attribute(stop, "position");
  });
  return look;
}

std::string BorderLook(const PartTree& tree, uint32_t border) {
  if (border == kNone) return "";
  const std::array<std::pair<std::string_view, std::string>, 4> sides = {
      {{"left", SideLook(tree, border, tree.Child(border, "left") == kNone ? "start" : "left")},
       {"right", SideLook(tree, border, tree.Child(border, "right") == kNone ? "end" : "right")},
       {"top", SideLook(tree, border, "top")},
       {"bottom", SideLook(tree, border, "bottom")}}};
  std::string look;
  bool all_same = !sides[0].second.empty();
  for (const auto& [side, words] : sides) all_same &= words == sides[0].second;
  if (all_same) {
    look = "border " + sides[0].second;
  } else {
    for (const auto& [side, words] : sides) {
      if (!words.empty()) AppendItem(look, std::string(side) + " border " + words);
    }
  }
  const std::string diagonal = SideLook(tree, border, "diagonal");
  if (!diagonal.empty()) {
    std::string which;
    if (tree.Flag(border, "diagonalUp")) which += " up";
    if (tree.Flag(border, "diagonalDown")) which += " down";
    if (!which.empty()) AppendItem(look, "diagonal border" + which + " " + diagonal);
  }
  for (const std::string_view inner : {"vertical", "horizontal"}) {
    const std::string words = SideLook(tree, border, inner);
    if (!words.empty()) AppendItem(look, "inner " + std::string(inner) + " border " + words);
  }
  return look;
}

std::string AlignmentLook(const PartTree& tree, uint32_t alignment) {
  std::string look;
  const std::string horizontal = tree.Attribute(alignment, "horizontal");
  if (!horizontal.empty() && horizontal != "general") AppendItem(look, "align " + horizontal);
  const std::string vertical = tree.Attribute(alignment, "vertical");
  if (!vertical.empty() && vertical != "bottom") AppendItem(look, "vertical " + vertical);
  const std::string rotation = tree.Attribute(alignment, "textRotation");
  if (!rotation.empty() && rotation != "0") {
    AppendItem(look, rotation == "255" ? "stacked" : "rotated " + rotation);
  }
  if (tree.Flag(alignment, "wrapText")) AppendItem(look, "wrapped");
  const std::string indent = tree.Attribute(alignment, "indent");
  if (!indent.empty() && indent != "0") AppendItem(look, "indent " + indent);
  if (tree.Flag(alignment, "shrinkToFit")) AppendItem(look, "shrunk to fit");
  if (tree.Flag(alignment, "justifyLastLine")) AppendItem(look, "last line justified");
  const std::string order = tree.Attribute(alignment, "readingOrder");
  if (order == "1") AppendItem(look, "left to right");
  if (order == "2") AppendItem(look, "right to left");
  return look;
}

std::string ProtectionLook(const PartTree& tree, uint32_t protection) {
  std::string look;
  if (!tree.Flag(protection, "locked", true)) AppendItem(look, "unlocked");
  if (tree.Flag(protection, "hidden")) AppendItem(look, "formula hidden");
  return look;
}

std::string DifferentialLook(const PartTree& tree, uint32_t format) {
  std::string look = FontLook(tree, tree.Child(format, "font"), kNone);
  const uint32_t number = tree.Child(format, "numFmt");
  if (number != kNone) AppendItem(look, "number " + tree.Attribute(number, "formatCode"));
  AppendItem(look, FillLook(tree, tree.Child(format, "fill")));
  AppendItem(look, BorderLook(tree, tree.Child(format, "border")));
  AppendItem(look, AlignmentLook(tree, tree.Child(format, "alignment")));
  AppendItem(look, ProtectionLook(tree, tree.Child(format, "protection")));
  return look;
}

std::string RunLooks(const PartTree& tree, uint32_t item) {
  std::string looks;
  size_t offset = 0;
  tree.ForEachChild(item, [&](uint32_t run) {
    if (tree.Name(run) != "r") return;
    const size_t begin = offset;
    offset += DecodeXstring(tree.Text(tree.Child(run, "t"))).size();
    const std::string look = FontLook(tree, tree.Child(run, "rPr"), kNone);
    if (look.empty() || begin == offset) return;
    if (!looks.empty()) looks += "; ";
    looks += std::to_string(begin) + "-" + std::to_string(offset) + " " + look;
  });
  return looks;
}

std::string PhoneticText(const PartTree& tree, uint32_t item) {
  std::string text;
  tree.ForEachChild(item, [&](uint32_t run) {
    if (tree.Name(run) != "rPh") return;
    if (!text.empty()) text += ' ';
    text += DecodeXstring(tree.Text(tree.Child(run, "t")));
  });
  return text;
}

std::string PlainText(const PartTree& tree, uint32_t item) {
  std::string text;
  tree.ForEachChild(item, [&](uint32_t child) {
    if (tree.Name(child) == "t") text += tree.Text(child);
    if (tree.Name(child) == "r") text += tree.Text(tree.Child(child, "t"));
  });
  return DecodeXstring(std::move(text));
}

}  // namespace staged::xlsx
