#include "formats/xlsx/sheet_pieces.h"

#include <algorithm>
#include <array>

#include "codec/xml_summary.h"
#include "formats/xlsx/looks.h"
#include "formats/xlsx/part_tree.h"
#include "record/number_format.h"

namespace staged::xlsx {
namespace {

constexpr uint32_t kNone = XmlTree::kNone;

// Where a rule holds: "sqref", an attribute or, in extensions, an element.
std::string RangeOf(const PartTree& tree, uint32_t node) {
  std::string range = tree.Attribute(node, "sqref");
  if (range.empty()) range = tree.Text(tree.Child(node, "sqref"));
  // Commas, as formulas join ranges.
  std::replace(range.begin(), range.end(), ' ', ',');
  return range;
}

// "top=1 left=2", of the attributes named and without those.
std::string AttributesOf(const PartTree& tree, uint32_t node,
                         const std::vector<std::string_view>& without) {
  std::string out;
  for (const XmlAttribute& attribute : tree.tree().Attributes(node)) {
    const std::string_view name = attribute.local_name();
    if (attribute.name.starts_with("xmlns")) continue;
    if (std::find(without.begin(), without.end(), name) != without.end()) continue;
    if (!out.empty()) out += ' ';
    out += std::string(name) + "=" + XmlDecodeAttribute(attribute.value);
  }
  return out;
}

class PieceReader {
 public:
  PieceReader(const PartTree& tree, const std::string& sheet, const Styles& styles,
              RecordList& records)
      : tree_(tree), sheet_(sheet), styles_(styles), records_(records) {}

  void Read(std::string_view name) {
    if (name == "sheetViews") return ReadViews();
    if (name == "sheetProtection") return ReadProtection();
    if (name == "conditionalFormatting") return ReadConditionalFormat(0);
    if (name == "dataValidations") return ReadValidations(0);
    if (name == "headerFooter") return ReadHeaderFooter();
    if (name == "autoFilter") return ReadFilter();
    if (name == "scenarios") return ReadScenarios();
    if (name == "extLst") return ReadExtensions();
    AddProperty(std::string(name), 0);
  }

 private:
  Record& Add(std::string kind, const std::string& what) {
    return records_.Add(std::move(kind), sheet_ + "!" + what, sheet_);
  }

  void AddProperty(const std::string& name, uint32_t node) {
    Record& record = Add("sheet_property", "property:" + name);
    record.text = XmlSummary(tree_.tree(), node);
    record.attrs.Set("name", Value(name));
    record.attrs.Set("digest", Value(XmlDigest(tree_.tree(), node)));
  }

  void ReadViews() {
    size_t number = 0;
    tree_.ForEachChild(0, [&](uint32_t view) {
      if (tree_.Name(view) != "sheetView") return AddProperty("sheetViews", view);
      Record& record = Add("view", "view:" + std::to_string(++number));
      std::string text;
      const uint32_t pane = tree_.Child(view, "pane");
      if (pane != kNone) AppendItem(text, PaneText(pane));
      const std::string zoom = tree_.Attribute(view, "zoomScale");
      if (!zoom.empty() && zoom != "100") AppendItem(text, "zoom " + zoom + "%");
      const std::string kind = tree_.Attribute(view, "view");
      if (!kind.empty() && kind != "normal") AppendItem(text, kind);
      if (tree_.Flag(view, "rightToLeft")) AppendItem(text, "right to left");
      if (tree_.Flag(view, "showFormulas")) AppendItem(text, "formulas shown");
      for (const auto& [attribute, words] :
           {std::pair("showGridLines", "grid lines hidden"),
            std::pair("showRowColHeaders", "headings hidden"),
            std::pair("showZeros", "zeros hidden"), std::pair("showRuler", "ruler hidden")}) {
        if (!tree_.Flag(view, attribute, true)) AppendItem(text, words);
      }
      record.text = text.empty() ? "usual" : text;
      const std::vector<std::string_view> position = {"tabSelected", "topLeftCell",
                                                      "workbookViewId", "activePane"};
      std::string settings = AttributesOf(tree_, view, position);
      if (pane != kNone) settings += " pane " + AttributesOf(tree_, pane, position);
      SetUnlessEmpty(record.attrs, "settings", settings);
      // Where the last reader looked.
      record.attrs.Set("position", Value(XmlDigest(tree_.tree(), view)));
    });
  }

  std::string PaneText(uint32_t pane) const {
    const std::string state = tree_.Attribute(pane, "state");
    const std::string columns = tree_.Attribute(pane, "xSplit");
    const std::string rows = tree_.Attribute(pane, "ySplit");
    std::string text = state.starts_with("frozen") ? "frozen" : "split";
    if (!rows.empty() && rows != "0") text += " rows " + rows;
    if (!columns.empty() && columns != "0") text += " columns " + columns;
    return text;
  }

  void ReadProtection() {
    Record& record = Add("protection", "protection");
    std::string text = tree_.Flag(0, "sheet") ? "protected" : "not protected";
    if (tree_.Has(0, "password") || tree_.Has(0, "hashValue")) AppendItem(text, "by password");
    if (tree_.Flag(0, "objects")) AppendItem(text, "objects");
    if (tree_.Flag(0, "scenarios")) AppendItem(text, "scenarios");
    // These are locked unless they say "0" (18.3.1.85).
    for (const std::string_view allowed :
         {"formatCells", "formatColumns", "formatRows", "insertColumns", "insertRows",
          "insertHyperlinks", "deleteColumns", "deleteRows", "sort", "autoFilter", "pivotTables"}) {
      if (!tree_.Flag(0, allowed, true)) AppendItem(text, "allows " + std::string(allowed));
    }
    for (const std::string_view locked : {"selectLockedCells", "selectUnlockedCells"}) {
      if (tree_.Flag(0, locked)) AppendItem(text, "forbids " + std::string(locked));
    }
    record.text = text;
    record.attrs.Set("settings", Value(AttributesOf(tree_, 0, {})));
  }

  std::string FormulasOf(uint32_t rule) const {
    std::string formulas;
    tree_.ForEachChild(rule, [&](uint32_t child) {
      const std::string_view name = tree_.Name(child);
      if (name == "formula" || name == "f") AppendItem(formulas, tree_.Text(child));
    });
    return formulas;
  }

  void ReadConditionalFormat(uint32_t node) {
    const std::string range = RangeOf(tree_, node);
    tree_.ForEachChild(node, [&](uint32_t rule) {
      if (tree_.Name(rule) != "cfRule") return;
      Record& record = Add("conditional_format", "conditional_format:" + range);
      const std::string formulas = FormulasOf(rule);
      std::string look;
      const auto index = tree_.Number(rule, "dxfId");
      if (index && *index >= 0 && *index < static_cast<double>(styles_.differential_looks.size())) {
        look = styles_.differential_looks[static_cast<size_t>(*index)];
      }
      const uint32_t own = tree_.Child(rule, "dxf");
      if (own != kNone) AppendItem(look, DifferentialLook(tree_, own));
      std::string settings = AttributesOf(tree_, rule, {"type", "dxfId", "priority", "id"});
      std::string graphics;
      tree_.ForEachChild(rule, [&](uint32_t child) {
        const std::string_view name = tree_.Name(child);
        if (name != "colorScale" && name != "dataBar" && name != "iconSet") return;
        AppendItem(graphics, std::string(name) + " " + XmlSummary(tree_.tree(), child));
      });
      record.text = tree_.Attribute(rule, "type");
      if (!settings.empty()) record.text += " " + settings;
      if (!formulas.empty()) record.text += " " + formulas;
      if (!look.empty()) record.text += ": " + look;
      record.attrs.Set("range", Value(range));
      SetUnlessEmpty(record.attrs, "type", tree_.Attribute(rule, "type"));
      SetUnlessEmpty(record.attrs, "formula", formulas);
      SetUnlessEmpty(record.attrs, "style", look);
      SetUnlessEmpty(record.attrs, "settings", settings);
      SetUnlessEmpty(record.attrs, "graphics", graphics);
      SetUnlessEmpty(record.attrs, "priority", tree_.Attribute(rule, "priority"));
    });
  }

  void ReadValidations(uint32_t node) {
    const std::string settings = AttributesOf(tree_, node, {"count", "xWindow", "yWindow"});
    if (!settings.empty()) AddProperty("dataValidations", node);
    tree_.ForEachChild(node, [&](uint32_t rule) {
      if (tree_.Name(rule) != "dataValidation") return;
      const std::string range = RangeOf(tree_, rule);
      Record& record = Add("data_validation", "validation:" + range);
      std::string type = tree_.Attribute(rule, "type");
      if (type.empty()) type = "none";
      std::string comparison = tree_.Attribute(rule, "operator");
      if (comparison.empty() && type != "list" && type != "custom" && type != "none") {
        comparison = "between";
      }
      record.text = type + (comparison.empty() ? "" : " " + comparison);
      record.attrs.Set("range", Value(range));
      record.attrs.Set("type", Value(type));
      SetUnlessEmpty(record.attrs, "operator", comparison);
      for (const std::string_view name : {"formula1", "formula2"}) {
        const std::string formula = tree_.Text(tree_.Child(rule, name));
        if (!formula.empty()) record.text += " " + formula;
        SetUnlessEmpty(record.attrs, name, formula);
      }
      for (const auto& [attribute, name] :
           {std::pair("promptTitle", "prompt_title"), std::pair("prompt", "prompt"),
            std::pair("errorTitle", "error_title"), std::pair("error", "error")}) {
        const std::string words = DecodeXstring(tree_.Attribute(rule, attribute));
        if (!words.empty()) record.text += "; " + std::string(attribute) + ": " + words;
        SetUnlessEmpty(record.attrs, name, words);
      }
      SetUnlessEmpty(record.attrs, "settings",
                     AttributesOf(tree_, rule,
                                  {"type", "operator", "sqref", "promptTitle", "prompt",
                                   "errorTitle", "error", "uid"}));
    });
  }

  void ReadHeaderFooter() {
    if (!AttributesOf(tree_, 0, {}).empty()) AddProperty("headerFooter", 0);
    tree_.ForEachChild(0, [&](uint32_t text) {
      const std::string name(tree_.Name(text));
      Record& record = Add("header_footer", "page:" + name);
      record.text = DecodeXstring(tree_.Text(text));
    });
  }

  void ReadFilter() {
    Record& record = Add("filter", "filter");
    const std::string range = tree_.Attribute(0, "ref");
    record.text = range;
    std::string criteria;
    tree_.ForEachChild(0, [&](uint32_t column) {
      AppendItem(criteria,
                 std::string(tree_.Name(column)) + " " + XmlSummary(tree_.tree(), column));
    });
    if (!criteria.empty()) record.text += ": " + criteria;
    record.attrs.Set("range", Value(range));
    SetUnlessEmpty(record.attrs, "criteria", criteria);
  }

  // Values that cells would get: nobody sees them in the sheet.
  void ReadScenarios() {
    tree_.ForEachChild(0, [&](uint32_t scenario) {
      Record& record = Add("scenario", "scenario:" + tree_.Attribute(scenario, "name"));
      record.text = tree_.Attribute(scenario, "name") + ":";
      tree_.ForEachChild(scenario, [&](uint32_t cell) {
        record.text += " " + tree_.Attribute(cell, "r") + "=" + tree_.Attribute(cell, "val");
      });
      const std::string comment = tree_.Attribute(scenario, "comment");
      if (!comment.empty()) record.text += "; " + comment;
      record.attrs.Set("settings", Value(AttributesOf(tree_, scenario, {})));
      if (record.hidden.empty()) record.hidden = "scenario";
    });
  }

  void ReadExtensions() {
    tree_.ForEachChild(0, [&](uint32_t extension) {
      tree_.ForEachChild(extension, [&](uint32_t child) {
        const std::string_view name = tree_.Name(child);
        if (name == "conditionalFormattings") {
          tree_.ForEachChild(child, [&](uint32_t each) { ReadConditionalFormat(each); });
        } else if (name == "dataValidations") {
          ReadValidations(child);
        } else if (name == "sparklineGroups") {
          ReadSparklines(child);
        } else {
          AddProperty(std::string(name), child);
        }
      });
    });
  }

  void ReadSparklines(uint32_t groups) {
    tree_.ForEachChild(groups, [&](uint32_t group) {
      const std::string settings = AttributesOf(tree_, group, {"uid"});
      std::string colors;
      tree_.ForEachChild(group, [&](uint32_t child) {
        const std::string color = ColorName(tree_, child);
        if (!color.empty()) AppendItem(colors, std::string(tree_.Name(child)) + " " + color);
      });
      std::string type = tree_.Attribute(group, "type");
      if (type.empty()) type = "line";
      tree_.ForEach(group, "sparkline", [&](uint32_t line) {
        const std::string cell = tree_.Text(tree_.Child(line, "sqref"));
        Record& record = Add("sparkline", "sparkline:" + cell);
        const std::string source = tree_.Text(tree_.Child(line, "f"));
        record.text = type + " " + source;
        record.attrs.Set("range", Value(cell));
        record.attrs.Set("type", Value(type));
        SetUnlessEmpty(record.attrs, "formula", source);
        SetUnlessEmpty(record.attrs, "settings", settings);
        SetUnlessEmpty(record.attrs, "style", colors);
      });
    });
  }

  const PartTree& tree_;
  const std::string& sheet_;
  const Styles& styles_;
  RecordList& records_;
};

std::string ColumnName(uint32_t column) {
  std::string name;
  AppendColumnName(name, column);
  return name;
}

void FillLine(const LineRun& run, std::string_view size_name, std::string_view unit,
              const Styles& styles, Record& record) {
  std::string text;
  if (run.is_hidden) AppendItem(text, "hidden");
  if (!run.size.empty()) {
    AppendItem(text, std::string(size_name) + " " + run.size + std::string(unit));
  }
  if (!run.outline_level.empty()) AppendItem(text, "outline level " + run.outline_level);
  if (run.is_collapsed) AppendItem(text, "collapsed");
  std::string style(run.style == 0 ? "" : styles.LookOf(run.style));
  const std::string_view format = styles.FormatOf(run.style);
  if (run.style != 0 && format != "General") AppendItem(style, "number " + std::string(format));
  AppendItem(text, style);
  record.text = text.empty() ? "usual" : text;
  if (run.is_hidden) {
    record.attrs.Set("hidden", Value(true));
    if (record.hidden.empty()) record.hidden = "hidden " + record.kind;
  }
  SetUnlessEmpty(record.attrs, size_name, run.size);
  SetUnlessEmpty(record.attrs, "outline_level", run.outline_level);
  if (run.is_collapsed) record.attrs.Set("collapsed", Value(true));
  SetUnlessEmpty(record.attrs, "style", style);
}

}  // namespace

void AddPieceRecords(const std::vector<SheetPiece>& pieces, const std::string& sheet,
                     const Styles& styles, const Limits& limits, RecordList& records) {
  for (const SheetPiece& piece : pieces) {
    const PartTree tree(piece.xml, limits);
    if (!tree.is_empty()) PieceReader(tree, sheet, styles, records).Read(piece.name);
  }
}

void AddLayoutRecords(const ParsedSheet& parsed, const std::string& sheet, const Styles& styles,
                      RecordList& records) {
  // Few columns that are alike are shown one by one, so that one of them can change alone.
  constexpr uint32_t kColumnsApartMax = 64;
  for (const LineRun& run : parsed.columns) {
    const bool apart = run.lines.last - run.lines.first < kColumnsApartMax;
    for (uint32_t first = run.lines.first; first <= run.lines.last; ++first) {
      const uint32_t last = apart ? first : run.lines.last;
      std::string name = "col:" + ColumnName(first);
      if (last != first) name += ":" + ColumnName(last);
      FillLine(run, "width", "", styles, records.Add("column", sheet + "!" + name, sheet));
      first = last;
    }
  }
  for (const LineRun& run : parsed.rows) {
    std::string name = "row:" + std::to_string(run.lines.first);
    if (run.lines.last != run.lines.first) name += ":" + std::to_string(run.lines.last);
    FillLine(run, "height", "pt", styles, records.Add("row", sheet + "!" + name, sheet));
  }
  for (const FormattedCells& cells : parsed.formats) {
    std::string look(styles.LookOf(cells.style));
    const std::string_view format = styles.FormatOf(cells.style);
    if (format != "General") AppendItem(look, "number " + std::string(format));
    if (look.empty()) look = "usual";
    constexpr size_t kDigits = 8;
    const std::string name = "format:" + ContentHash::Of(look).ToHex().substr(0, kDigits);
    Record& record = records.Add("format", sheet + "!" + name, sheet);
    record.text = look;
    std::string ranges;
    for (const CellRange& range : cells.ranges) {
      if (!ranges.empty()) ranges += ',';
      ranges += FormatCellRange(range);
    }
    record.attrs.Set("ranges", Value(ranges));
    if (cells.range_count == cells.ranges.size()) continue;
    record.attrs.Set("range_count", Value(static_cast<int64_t>(cells.range_count)));
    record.attrs.Set("digest", Value(std::to_string(cells.digest)));
  }
}

}  // namespace staged::xlsx
