#include "formats/xlsx/workbook_records.h"

#include <algorithm>
#include <array>
#include <map>

#include "codec/xml_summary.h"
#include "formats/xlsx/looks.h"
#include "formats/xlsx/shared_strings.h"
#include "record/cell_address.h"

namespace staged::xlsx {
namespace {

constexpr uint32_t kNone = XmlTree::kNone;

bool IsOneOf(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The attributes in their order, those named or all others.
std::string AttributesOf(const PartTree& tree, uint32_t node,
                         std::initializer_list<std::string_view> names, bool are_wanted) {
  std::string out;
  if (node == kNone) return out;
  for (const XmlAttribute& attribute : tree.tree().Attributes(node)) {
    if (attribute.name.starts_with("xmlns")) continue;
    const std::string_view name = attribute.local_name();
    if (IsOneOf(name, names) != are_wanted) continue;
    if (!out.empty()) out += ' ';
    out += std::string(name) + "=" + XmlDecodeAttribute(attribute.value);
  }
  return out;
}

void AddCalculation(const PartTree& tree, uint32_t node, RecordList& records) {
  // What a program notes for its next opening.
  const std::initializer_list<std::string_view> state = {"calcId", "fullCalcOnLoad",
                                                         "calcCompleted", "forceFullCalc"};
  Record& record = records.Add("calculation", "calculation", "");
  std::string mode = tree.Attribute(node, "calcMode");
  if (mode.empty()) mode = "auto";
  const std::string settings = AttributesOf(tree, node, state, false);
  record.text = mode;
  if (tree.Flag(node, "iterate")) AppendItem(record.text, "iterative");
  if (!tree.Flag(node, "fullPrecision", true)) AppendItem(record.text, "precision as displayed");
  SetUnlessEmpty(record.attrs, "settings", settings);
  SetUnlessEmpty(record.attrs, "state", AttributesOf(tree, node, state, true));
}

void AddWindows(const PartTree& tree, uint32_t views, RecordList& records) {
  size_t number = 0;
  tree.ForEachChild(views, [&](uint32_t view) {
    Record& record = records.Add("window", "window:" + std::to_string(++number), "");
    const std::string settings = AttributesOf(
        tree, view, {"showHorizontalScroll", "showVerticalScroll", "showSheetTabs", "visibility"},
        true);
    record.text = settings.empty() ? "usual" : settings;
    SetUnlessEmpty(record.attrs, "settings", settings);
    record.attrs.Set("position", Value(XmlSummary(tree.tree(), view)));
  });
}

}  // namespace

std::vector<Record> MakeNameRecords(const Workbook& workbook) {
  std::vector<Record> records;
  std::map<std::string, size_t> uses;
  for (const DefinedName& defined : workbook.names) {
    Record record;
    record.kind = "defined_name";
    record.key = defined.name;
    if (defined.sheet && *defined.sheet < workbook.sheets.size()) {
      record.parent = QuoteSheetName(workbook.sheets[*defined.sheet].name);
      record.locator = record.parent + "!";
    }
    record.locator += "name:" + defined.name;
    const size_t use = ++uses[record.locator];
    if (use > 1) {
      record.locator += "#" + std::to_string(use);
      record.key += "#" + std::to_string(use);
    }
    record.text = defined.refers_to;
    record.attrs.Set("refers_to", Value(defined.refers_to));
    SetUnlessEmpty(record.attrs, "comment", defined.comment);
    if (defined.is_hidden) record.hidden = "hidden name";
    records.push_back(std::move(record));
  }
  return records;
}

void ReadWorkbookSettings(const PartTree& tree, RecordList& records) {
  AddCalculation(tree, tree.Child(0, "calcPr"), records);
  tree.ForEachChild(0, [&](uint32_t child) {
    const std::string_view name = tree.Name(child);
    if (IsOneOf(name, {"sheets", "definedNames", "calcPr"})) return;
    if (name == "bookViews") return AddWindows(tree, child, records);
    // Which program saved it, where, and what its other parts are called.
    const bool is_saved = IsOneOf(name, {"fileVersion", "fileRecoveryPr", "revisionPtr",
                                         "AlternateContent", "externalReferences", "pivotCaches"});
    const std::string kind = is_saved                       ? "saved_setting"
                             : name == "workbookProtection" ? "protection"
                                                            : "workbook_property";
    Record& record = records.Add(kind, "workbook:" + std::string(name), "");
    record.text = XmlSummary(tree.tree(), child);
    record.attrs.Set("digest", Value(XmlDigest(tree.tree(), child)));
    if (is_saved) record.hidden = "saved by the program";
  });
}

void AddStyleRecords(const Styles& styles, RecordList& records) {
  for (const NamedStyle& style : styles.named) {
    Record& record = records.Add("cell_style", "style:" + style.name, "");
    record.text = style.look;
    record.attrs.Set("name", Value(style.name));
    record.attrs.Set("number_format", Value(style.number_format));
  }
  for (const StylePart& part : styles.rest) {
    Record& record = records.Add("style_property", "styles:" + part.name, "");
    record.text = part.summary;
    record.attrs.Set("digest", Value(part.digest));
  }
}

void ReadTheme(const PartTree& tree, const PartContext& context, RecordList& records) {
  if (tree.is_empty()) return;
  Record& record = records.Add("theme", context.base, "");
  record.text = tree.Attribute(0, "name");
  const uint32_t elements = tree.Child(0, "themeElements");
  std::string colors;
  tree.ForEachChild(tree.Child(elements, "clrScheme"), [&](uint32_t slot) {
    tree.ForEachChild(slot, [&](uint32_t color) {
      std::string value = tree.Attribute(color, "lastClr");
      if (value.empty()) value = tree.Attribute(color, "val");
      AppendItem(colors, std::string(tree.Name(slot)) + " " + value);
    });
  });
  std::string fonts;
  const uint32_t scheme = tree.Child(elements, "fontScheme");
  for (const std::string_view use : {"majorFont", "minorFont"}) {
    AppendItem(fonts, tree.Attribute(tree.Child(tree.Child(scheme, use), "latin"), "typeface"));
  }
  SetUnlessEmpty(record.attrs, "colors", colors);
  SetUnlessEmpty(record.attrs, "fonts", fonts);
  record.attrs.Set("digest", Value(XmlDigest(tree.tree(), 0)));
}

void ReadProperties(const PartTree& tree, std::string_view prefix, RecordList& records) {
  for (Record& property : PropertyRecords(tree.tree(), prefix)) {
    const std::string name = property.locator.substr(prefix.size());
    const bool is_saved =
        prefix == "prop:"
            ? IsOneOf(name, {"modified", "lastModifiedBy", "revision", "lastPrinted"})
            : prefix == "app:" &&
                  IsOneOf(name, {"Application", "AppVersion", "TotalTime", "HeadingPairs",
                                 "TitlesOfParts", "DocSecurity", "ScaleCrop", "LinksUpToDate",
                                 "SharedDoc", "HyperlinksChanged"});
    Record& record = records.Add(is_saved ? "saved_property" : "property", property.locator, "");
    record.text = std::move(property.text);
    record.hidden = std::move(property.hidden);
  }
}

void ReadExternalLink(const PartTree& tree, const PartContext& context, RecordList& records) {
  if (tree.is_empty()) return;
  Record& link = records.Add("external_link", context.base, "");
  const std::string locator = link.locator;
  uint32_t source = kNone;
  tree.ForEachChild(0, [&](uint32_t child) { source = source == kNone ? child : source; });
  const std::string target = context.Target(tree.Attribute(source, "id"));
  std::string text = target;
  for (const std::string_view name : {"ddeService", "ddeTopic", "progId"}) {
    AppendItem(text, tree.Attribute(source, name));
  }
  link.text = text;
  SetUnlessEmpty(link.attrs, "target", target);
  SetUnlessEmpty(link.attrs, "type", std::string(tree.Name(source)));
  link.attrs.Set("digest", Value(XmlDigest(tree.tree(), 0)));
  std::vector<std::string> sheets;
  tree.ForEach(source, "sheetName",
               [&](uint32_t name) { sheets.push_back(tree.Attribute(name, "val")); });
  const auto add = [&](const std::string& what) -> Record& {
    Record& record = records.Add("external_value", locator + "/" + what, locator);
    record.hidden = "kept of another file";
    return record;
  };
  tree.ForEach(source, "sheetData", [&](uint32_t data) {
    const auto index = tree.Number(data, "sheetId");
    const bool is_known = index && *index >= 0 && *index < static_cast<double>(sheets.size());
    Record& record =
        add("sheet:" + (is_known ? sheets[static_cast<size_t>(*index)] : std::string("?")));
    tree.ForEach(data, "cell", [&](uint32_t cell) {
      AppendItem(record.text,
                 tree.Attribute(cell, "r") + "=" + DecodeXstring(tree.Text(tree.Child(cell, "v"))));
    });
  });
  tree.ForEach(source, "definedName", [&](uint32_t name) {
    add("name:" + tree.Attribute(name, "name")).text = tree.Attribute(name, "refersTo");
  });
  for (const std::string_view element : {"ddeItem", "oleItem"}) {
    tree.ForEach(source, element, [&](uint32_t item) {
      Record& record = add("item:" + tree.Attribute(item, "name"));
      tree.ForEach(item, "val", [&](uint32_t value) { AppendItem(record.text, tree.Text(value)); });
    });
  }
  // Sheets of which no value is kept.
  for (const std::string& sheet : sheets) AppendItem(text, sheet);
  records.At(0).attrs.Set("sheets", Value(text));
}

void ReadConnections(const PartTree& tree, const PartContext& context, RecordList& records) {
  tree.ForEachChild(0, [&](uint32_t connection) {
    const std::string name = tree.Attribute(connection, "name");
    Record& record = records.Add("connection", context.base + name, "");
    record.text = XmlSummary(tree.tree(), connection);
    record.hidden = "data connection";
    SetUnlessEmpty(record.attrs, "name", name);
    SetUnlessEmpty(record.attrs, "description", tree.Attribute(connection, "description"));
    const uint32_t database = tree.Child(connection, "dbPr");
    SetUnlessEmpty(record.attrs, "source", tree.Attribute(database, "connection"));
    SetUnlessEmpty(record.attrs, "command", tree.Attribute(database, "command"));
    SetUnlessEmpty(record.attrs, "address", tree.Attribute(tree.Child(connection, "webPr"), "url"));
    record.attrs.Set("digest", Value(XmlDigest(tree.tree(), connection)));
  });
}

void ReadSlicerCache(const PartTree& tree, const PartContext& context, RecordList& records) {
  if (tree.is_empty()) return;
  Record& record = records.Add("slicer_cache", context.base + tree.Attribute(0, "name"), "");
  record.text = tree.Attribute(0, "sourceName");
  std::string items;
  tree.ForEach(0, "i", [&](uint32_t item) {
    if (tree.Flag(item, "s")) AppendItem(items, tree.Attribute(item, "n"));
  });
  SetUnlessEmpty(record.attrs, "chosen", items);
  record.attrs.Set("digest", Value(XmlDigest(tree.tree(), 0)));
}

bool IsLookOnly(std::string_view root) {
  return IsOneOf(root, {"chartStyle", "colorStyle", "layoutDef", "colorsDef", "styleDef",
                        "themeOverride", "clrMapOvr"});
}

void ReadOtherPart(const PartTree& tree, const PartContext& context, RecordList& records) {
  constexpr size_t kTextBytesMax = size_t{1} << 20;
  if (tree.is_empty() || IsLookOnly(tree.Name(0))) return;
  Record& record = records.Add("other_part", context.base, "");
  record.hidden = "kept by the program";
  const XmlTree& nodes = tree.tree();
  std::string& text = record.text;
  bool is_cut = false;
  for (uint32_t node = 0; node < nodes.size() && !is_cut; ++node) {
    if (!nodes.IsElement(node)) {
      std::string words = nodes.Text(node);
      if (words.find_first_not_of(" \t\r\n") != std::string::npos) AppendItem(text, words);
    } else {
      for (const XmlAttribute& attribute : nodes.Attributes(node)) {
        if (attribute.name.starts_with("xmlns")) continue;
        AppendItem(text, DecodeXstring(XmlDecodeAttribute(attribute.value)));
      }
    }
    is_cut = text.size() > kTextBytesMax;
  }
  record.attrs.Set("content", Value(std::string(tree.Name(0))));
  if (is_cut) record.attrs.Set("is_cut", Value(true));
  record.attrs.Set("digest", Value(XmlDigest(nodes, 0)));
}

}  // namespace staged::xlsx
