#include "formats/xlsx/related_records.h"

#include <charconv>

#include "codec/xml_summary.h"
#include "formats/xlsx/looks.h"
#include "formats/xlsx/shared_strings.h"

namespace staged::xlsx {
namespace {

constexpr uint32_t kNone = XmlTree::kNone;

// What no other attribute shows, so that no change goes unseen.
void SetDigest(const PartTree& tree, uint32_t node, Record& record) {
  record.attrs.Set("digest", Value(XmlDigest(tree.tree(), node)));
}

}  // namespace

std::string PartContext::Target(std::string_view relationship_id) const {
  for (const OpcRelationship& relationship : *relationships) {
    if (relationship.id == relationship_id) return relationship.target;
  }
  return "";
}

void ReadTable(const PartTree& tree, const PartContext& context, RecordList& records) {
  if (tree.Name(0) != "table") return;
  std::string name = tree.Attribute(0, "displayName");
  if (name.empty()) name = tree.Attribute(0, "name");
  Record& table = records.Add("table", "table:" + name, context.sheet);
  const std::string locator = table.locator;
  table.text = name;
  table.attrs.Set("name", Value(name));
  table.attrs.Set("range", Value(tree.Attribute(0, "ref")));
  SetUnlessEmpty(table.attrs, "header_rows", tree.Attribute(0, "headerRowCount"));
  SetUnlessEmpty(table.attrs, "totals_rows", tree.Attribute(0, "totalsRowCount"));
  SetUnlessEmpty(table.attrs, "comment", tree.Attribute(0, "comment"));
  std::string filter;
  tree.ForEachChild(tree.Child(0, "autoFilter"),
                    [&](uint32_t column) { AppendItem(filter, XmlSummary(tree.tree(), column)); });
  SetUnlessEmpty(table.attrs, "filter", filter);
  const uint32_t sort = tree.Child(0, "sortState");
  if (sort != kNone) table.attrs.Set("sort", Value(XmlSummary(tree.tree(), sort)));
  const uint32_t style = tree.Child(0, "tableStyleInfo");
  if (style != kNone) table.attrs.Set("style", Value(XmlSummary(tree.tree(), style)));
  SetDigest(tree, 0, table);
  tree.ForEachChild(tree.Child(0, "tableColumns"), [&](uint32_t column) {
    const std::string title = DecodeXstring(tree.Attribute(column, "name"));
    Record& record = records.Add("table_column", name + "[" + title + "]", locator);
    record.text = title;
    record.attrs.Set("name", Value(title));
    SetUnlessEmpty(record.attrs, "totals", tree.Attribute(column, "totalsRowFunction"));
    SetUnlessEmpty(record.attrs, "totals_label", tree.Attribute(column, "totalsRowLabel"));
    SetUnlessEmpty(record.attrs, "formula",
                   tree.Text(tree.Child(column, "calculatedColumnFormula")));
    SetUnlessEmpty(record.attrs, "totals_formula",
                   tree.Text(tree.Child(column, "totalsRowFormula")));
  });
}

void ReadComments(const PartTree& tree, const PartContext& context, RecordList& records) {
  std::vector<std::string> authors;
  tree.ForEachChild(tree.Child(0, "authors"),
                    [&](uint32_t author) { authors.push_back(tree.Text(author)); });
  tree.ForEach(0, "comment", [&](uint32_t comment) {
    const std::string cell = tree.Attribute(comment, "ref");
    Record& record = records.Add("comment", context.base + "comment:" + cell, context.sheet);
    const uint32_t text = tree.Child(comment, "text");
    if (text != kNone) {
      record.text = PlainText(tree, text);
      SetUnlessEmpty(record.attrs, "runs", RunLooks(tree, text));
      SetUnlessEmpty(record.attrs, "phonetic", PhoneticText(tree, text));
    }
    record.attrs.Set("cell", Value(cell));
    const auto index = tree.Number(comment, "authorId");
    if (index && *index >= 0 && *index < static_cast<double>(authors.size())) {
      SetUnlessEmpty(record.attrs, "author", authors[static_cast<size_t>(*index)]);
    }
  });
}

void ReadThreadedComments(const PartTree& tree, const PartContext& context, RecordList& records) {
  tree.ForEach(0, "threadedComment", [&](uint32_t comment) {
    const std::string cell = tree.Attribute(comment, "ref");
    Record& record =
        records.Add("threaded_comment", context.base + "thread:" + cell, context.sheet);
    record.text = tree.Text(tree.Child(comment, "text"));
    record.attrs.Set("cell", Value(cell));
    const auto author = context.persons.find(tree.Attribute(comment, "personId"));
    if (author != context.persons.end()) SetUnlessEmpty(record.attrs, "author", author->second);
    SetUnlessEmpty(record.attrs, "time", tree.Attribute(comment, "dT"));
    SetUnlessEmpty(record.attrs, "reply_to", tree.Attribute(comment, "parentId"));
    SetUnlessEmpty(record.attrs, "done", tree.Attribute(comment, "done"));
  });
}

void ReadVmlDrawing(const PartTree& tree, const PartContext& context, RecordList& records) {
  size_t number = 0;
  tree.ForEach(0, "shape", [&](uint32_t shape) {
    const uint32_t data = tree.Child(shape, "ClientData");
    const std::string type = tree.Attribute(data, "ObjectType");
    if (type == "Note") {  // the box of a comment: its record has the text
      Record& record = records.Add(
          "comment_box", context.base + "comment_box:" + std::to_string(++number), context.sheet);
      const bool is_shown = tree.Child(data, "Visible") != kNone;
      record.text = is_shown ? "shown" : "shown when pointed at";
      record.attrs.Set("state", Value(record.text));
      SetUnlessEmpty(record.attrs, "anchor", tree.Text(tree.Child(data, "Anchor")));
      SetDigest(tree, shape, record);
      return;
    }
    Record& record =
        records.Add("control", context.base + "vml:" + std::to_string(++number), context.sheet);
    record.text = tree.Text(tree.Child(shape, "textbox"));
    SetUnlessEmpty(record.attrs, "name", tree.Attribute(shape, "alt"));
    SetUnlessEmpty(record.attrs, "type", type);
    const std::string image =
        context.Target(tree.Attribute(tree.Find(shape, "imagedata"), "relid"));
    SetUnlessEmpty(record.attrs, "part", image);
    if (!image.empty()) SetUnlessEmpty(record.attrs, "content", context.digest_of(image));
    for (const auto& [element, name] :
         {std::pair("FmlaMacro", "macro"), std::pair("FmlaLink", "link"),
          std::pair("FmlaRange", "source"), std::pair("Anchor", "anchor")}) {
      SetUnlessEmpty(record.attrs, name, tree.Text(tree.Child(data, element)));
    }
    SetDigest(tree, shape, record);
  });
}

void ReadSlicers(const PartTree& tree, const PartContext& context, RecordList& records) {
  tree.ForEachChild(0, [&](uint32_t slicer) {
    const std::string name = tree.Attribute(slicer, "name");
    Record& record = records.Add("slicer", context.base + "slicer:" + name, context.sheet);
    record.text = tree.Attribute(slicer, "caption");
    SetUnlessEmpty(record.attrs, "name", name);
    SetUnlessEmpty(record.attrs, "cache", tree.Attribute(slicer, "cache"));
    SetDigest(tree, slicer, record);
  });
}

void ReadControl(const PartTree& tree, const PartContext& context, RecordList& records) {
  if (tree.is_empty()) return;
  const std::string name = context.part.substr(context.part.rfind('/') + 1);
  Record& record = records.Add("control", context.base + "control:" + name, context.sheet);
  record.text = XmlSummary(tree.tree(), 0);
  SetUnlessEmpty(record.attrs, "type", tree.Attribute(0, "objectType"));
  SetUnlessEmpty(record.attrs, "link", tree.Attribute(0, "fmlaLink"));
  SetUnlessEmpty(record.attrs, "source", tree.Attribute(0, "fmlaRange"));
  SetDigest(tree, 0, record);
}

void ReadQueryTable(const PartTree& tree, const PartContext& context, RecordList& records) {
  if (tree.is_empty()) return;
  const std::string name = tree.Attribute(0, "name");
  Record& record = records.Add("query_table", context.base + "query:" + name, context.sheet);
  record.text = name;
  SetUnlessEmpty(record.attrs, "connection", tree.Attribute(0, "connectionId"));
  std::string fields;
  tree.ForEach(0, "queryTableField",
               [&](uint32_t field) { AppendItem(fields, tree.Attribute(field, "name")); });
  SetUnlessEmpty(record.attrs, "fields", fields);
  SetDigest(tree, 0, record);
}

}  // namespace staged::xlsx
