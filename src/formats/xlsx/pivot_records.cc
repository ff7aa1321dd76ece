#include "formats/xlsx/pivot_records.h"

#include "codec/xml_summary.h"
#include "formats/xlsx/related_records.h"
#include "formats/xlsx/shared_strings.h"

namespace staged::xlsx {
namespace {

constexpr uint32_t kNone = XmlTree::kNone;

class PivotTableReader {
 public:
  PivotTableReader(const PartTree& tree, const PartContext& context)
      : tree_(tree), context_(context) {}

  void Fill(Record& record) const {
    record.text = tree_.Attribute(0, "name");
    record.attrs.Set("name", Value(record.text));
    SetUnlessEmpty(record.attrs, "range", tree_.Attribute(tree_.Child(0, "location"), "ref"));
    SetUnlessEmpty(record.attrs, "rows", FieldsOf("rowFields", "x"));
    SetUnlessEmpty(record.attrs, "columns", FieldsOf("colFields", "x"));
    SetUnlessEmpty(record.attrs, "filters", FieldsOf("pageFields", "fld"));
    std::string values;
    tree_.ForEachChild(tree_.Child(0, "dataFields"), [&](uint32_t field) {
      std::string function = tree_.Attribute(field, "subtotal");
      if (function.empty()) function = "sum";
      AppendItem(values, tree_.Attribute(field, "name") + " (" + function + " of " +
                             NameOf(tree_.Number(field, "fld").value_or(-1)) + ")");
    });
    SetUnlessEmpty(record.attrs, "values", values);
    SetUnlessEmpty(record.attrs, "captions", Captions());
    SetUnlessEmpty(record.attrs, "left_out", HiddenItems());
    SetUnlessEmpty(record.attrs, "style",
                   tree_.Attribute(tree_.Child(0, "pivotTableStyleInfo"), "name"));
    record.attrs.Set("digest", Value(XmlDigest(tree_.tree(), 0)));
  }

 private:
  std::string NameOf(double index) const {
    if (index == -2) return "values";  // 18.10.1.28
    const bool is_known = index >= 0 && index < static_cast<double>(context_.pivot_fields.size());
    return is_known ? context_.pivot_fields[static_cast<size_t>(index)] : "?";
  }

  std::string FieldsOf(std::string_view list, std::string_view attribute) const {
    std::string names;
    tree_.ForEachChild(tree_.Child(0, list), [&](uint32_t field) {
      AppendItem(names, NameOf(tree_.Number(field, attribute).value_or(-1)));
    });
    return names;
  }

  // What people renamed: fields and items.
  std::string Captions() const {
    std::string captions;
    for (const std::string_view attribute :
         {"dataCaption", "grandTotalCaption", "rowHeaderCaption", "colHeaderCaption",
          "errorCaption", "missingCaption"}) {
      AppendItem(captions, tree_.Attribute(0, attribute));
    }
    for (const std::string_view element : {"pivotField", "item"}) {
      const std::string_view attribute = element == "item" ? "n" : "name";
      tree_.ForEach(0, element,
                    [&](uint32_t node) { AppendItem(captions, tree_.Attribute(node, attribute)); });
    }
    return captions;
  }

  // Fields with items that are filtered out, and how many.
  std::string HiddenItems() const {
    std::string hidden;
    double index = 0;
    tree_.ForEachChild(tree_.Child(0, "pivotFields"), [&](uint32_t field) {
      size_t count = 0;
      tree_.ForEach(field, "item", [&](uint32_t item) { count += tree_.Flag(item, "h") ? 1 : 0; });
      if (count > 0) AppendItem(hidden, NameOf(index) + " " + std::to_string(count));
      ++index;
    });
    return hidden;
  }

  const PartTree& tree_;
  const PartContext& context_;
};

// A value among a cache's items: <s v="x"/>, <n v="1"/>, <m/> (18.10.1.96).
std::string ItemText(const PartTree& tree, uint32_t item) {
  const std::string value = DecodeXstring(tree.Attribute(item, "v"));
  return tree.Name(item) == "m" ? "(blank)" : value;
}

std::string SourceText(const PartTree& tree) {
  const uint32_t source = tree.Child(0, "cacheSource");
  const uint32_t sheet = tree.Child(source, "worksheetSource");
  if (sheet == kNone) return XmlSummary(tree.tree(), source == kNone ? 0 : source);
  std::string text = tree.Attribute(sheet, "sheet");
  if (!text.empty()) text += "!";
  return text + tree.Attribute(sheet, "ref") + tree.Attribute(sheet, "name");
}

}  // namespace

void ReadPivotTable(const PartTree& tree, const PartContext& context, RecordList& records) {
  if (tree.is_empty()) return;
  const std::string name = tree.Attribute(0, "name");
  PivotTableReader(tree, context)
      .Fill(records.Add("pivot_table", context.base + "pivot:" + name, context.sheet));
}

std::vector<std::string> PivotCacheFields(const PartTree& tree) {
  std::vector<std::string> names;
  tree.ForEachChild(tree.Child(0, "cacheFields"), [&](uint32_t field) {
    names.push_back(DecodeXstring(tree.Attribute(field, "name")));
  });
  return names;
}

void ReadPivotCache(const PartTree& tree, const PartContext& context, RecordList& records) {
  constexpr size_t kItemsMax = 1000;  // shown of one field
  if (tree.is_empty()) return;
  Record& cache = records.Add("pivot_cache", context.base, "");
  const std::string locator = cache.locator;
  cache.text = SourceText(tree);
  cache.hidden = "pivot cache";
  cache.attrs.Set("source", Value(cache.text));
  SetUnlessEmpty(cache.attrs, "refreshed_by", tree.Attribute(0, "refreshedBy"));
  SetUnlessEmpty(cache.attrs, "records", tree.Attribute(0, "recordCount"));
  SetUnlessEmpty(cache.attrs, "content",
                 context.digest_of(context.Target(tree.Attribute(0, "id"))));
  cache.attrs.Set("digest", Value(XmlDigest(tree.tree(), 0)));
  tree.ForEachChild(tree.Child(0, "cacheFields"), [&](uint32_t field) {
    const std::string name = DecodeXstring(tree.Attribute(field, "name"));
    Record& record = records.Add("pivot_field", locator + "/field:" + name, locator);
    record.hidden = "pivot cache";
    record.text = name;
    SetUnlessEmpty(record.attrs, "caption", tree.Attribute(field, "caption"));
    SetUnlessEmpty(record.attrs, "formula", tree.Attribute(field, "formula"));
    // What people, or ranges of dates and numbers, put together.
    const uint32_t group = tree.Child(field, "fieldGroup");
    std::string groups;
    tree.ForEachChild(tree.Child(group, "groupItems"),
                      [&](uint32_t item) { AppendItem(groups, ItemText(tree, item)); });
    SetUnlessEmpty(record.attrs, "groups", groups);
    const uint32_t items = tree.Child(field, "sharedItems");
    Value::Array shown;
    size_t count = 0;
    tree.ForEachChild(items, [&](uint32_t item) {
      if (++count <= kItemsMax) shown.emplace_back(ItemText(tree, item));
    });
    if (count == 0) return;
    record.attrs.Set("items", Value(std::move(shown)));
    if (count <= kItemsMax) return;
    record.attrs.Set("item_count", Value(static_cast<int64_t>(count)));
    record.attrs.Set("digest", Value(XmlDigest(tree.tree(), items)));
  });
}

}  // namespace staged::xlsx
