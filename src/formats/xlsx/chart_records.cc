#include <algorithm>
#include <array>
#include <charconv>

#include "codec/xml_summary.h"
#include "formats/xlsx/related_records.h"
#include "formats/xlsx/shared_strings.h"

namespace staged::xlsx {
namespace {

constexpr uint32_t kNone = XmlTree::kNone;

// A cached value: a number where it is one, since that is how people compare them.
Value CachedValue(const std::string& written) {
  const std::string text = DecodeXstring(written);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc() && end == text.data() + text.size() && !text.empty();
  return is_number ? Value(number) : Value(text);
}

class ChartReader {
 public:
  ChartReader(const PartTree& tree, const PartContext& context, RecordList& records)
      : tree_(tree), context_(context), records_(records) {}

  void Read() {
    const std::string title = DrawingText(tree_, tree_.Child(tree_.Child(0, "chart"), "title"));
    records_.Add("chart_definition", context_.base + "definition", context_.sheet);
    // Each kind of element counts where it is not inside another one of its kind.
    for (const auto& [name, add] : {std::pair("ser", &ChartReader::AddSeries),
                                    std::pair("series", &ChartReader::AddExtendedSeries),
                                    std::pair("data", &ChartReader::AddExtendedData),
                                    std::pair("p", &ChartReader::AddText)}) {
      tree_.ForEach(0, name, [&, member = add](uint32_t node) { (this->*member)(node); });
    }
    tree_.ForEach(0, "externalData", [&](uint32_t data) {
      records_.At(0).attrs.Set("data", Value(context_.Target(tree_.Attribute(data, "id"))));
    });
    Record& definition = records_.At(0);
    std::string types;
    for (const std::string& type : types_) AppendItem(types, type);
    definition.text = title.empty() ? types : title;
    SetUnlessEmpty(definition.attrs, "title", title);
    SetUnlessEmpty(definition.attrs, "types", types);
    std::sort(modelled_.begin(), modelled_.end(),
              [](const ByteSpan& left, const ByteSpan& right) { return left.begin < right.begin; });
    definition.attrs.Set("format", Value(XmlDigest(tree_.tree(), 0, modelled_)));
  }

 private:
  void AddType(std::string type) {
    if (std::find(types_.begin(), types_.end(), type) == types_.end()) {
      types_.push_back(std::move(type));
    }
  }

  Value::Array ValuesBelow(uint32_t node) const {
    Value::Array values;
    tree_.ForEach(node, "v",
                  [&](uint32_t value) { values.push_back(CachedValue(tree_.Text(value))); });
    return values;
  }

  void AddSeries(uint32_t series) {
    std::string type(tree_.Name(tree_.tree()[series].parent));
    AddType(type);
    Record& record = records_.Add("series", context_.base + "series:" + std::to_string(++series_),
                                  context_.sheet);
    record.attrs.Set("type", Value(type));
    static constexpr std::array<std::array<std::string_view, 2>, 6> kMembers = {
        {{"tx", "name"},
         {"cat", "categories"},
         {"xVal", "x"},
         {"val", "values"},
         {"yVal", "y"},
         {"bubbleSize", "sizes"}}};
    tree_.ForEachChild(series, [&](uint32_t child) {
      const std::string_view name = tree_.Name(child);
      const auto known = std::find_if(kMembers.begin(), kMembers.end(),
                                      [&](const auto& member) { return member[0] == name; });
      const std::string member(known == kMembers.end() ? name : (*known)[1]);
      Value::Array values = ValuesBelow(child);
      const std::string formula = tree_.Text(tree_.Find(child, "f"));
      SetUnlessEmpty(record.attrs, member + "_formula", formula);
      if (known == kMembers.end() && values.empty()) return;
      if (known != kMembers.end()) {
        modelled_.push_back({tree_.tree()[child].begin, tree_.tree()[child].end});
      }
      if (name == "tx") {
        tree_.ForEach(child, "v", [&](uint32_t value) {
          if (!record.text.empty()) record.text += ' ';
          record.text += DecodeXstring(tree_.Text(value));
        });
      } else if (!values.empty()) {
        record.attrs.Set(member, Value(std::move(values)));
      }
    });
  }

  // cx:series and cx:data of [MS-ODRAWXML] 2.24.3.
  void AddExtendedSeries(uint32_t series) {
    AddType(tree_.Attribute(series, "layoutId"));
    Record& record = records_.Add("series", context_.base + "series:" + std::to_string(++series_),
                                  context_.sheet);
    record.attrs.Set("type", Value(tree_.Attribute(series, "layoutId")));
    const uint32_t text = tree_.Child(series, "tx");
    record.text = DecodeXstring(tree_.Text(tree_.Find(text, "v")));
    SetUnlessEmpty(record.attrs, "name_formula", tree_.Text(tree_.Find(text, "f")));
  }

  void AddExtendedData(uint32_t data) {
    tree_.ForEachChild(data, [&](uint32_t dimension) {
      Record& record = records_.Add("chart_data", context_.base + "data:" + std::to_string(++data_),
                                    context_.sheet);
      record.text = tree_.Text(tree_.Child(dimension, "f"));
      SetUnlessEmpty(record.attrs, "formula", record.text);
      SetUnlessEmpty(record.attrs, "type", tree_.Attribute(dimension, "type"));
      Value::Array values;
      tree_.ForEach(dimension, "pt",
                    [&](uint32_t point) { values.push_back(CachedValue(tree_.Text(point))); });
      if (!values.empty()) record.attrs.Set("values", Value(std::move(values)));
    });
  }

  // A title, a label or another text, told by what it stands in.
  void AddText(uint32_t paragraph) {
    const std::string text = ParagraphText(tree_, paragraph);
    if (text.empty()) return;
    std::string role;
    for (uint32_t node = tree_.tree()[paragraph].parent; node != kNone && role.empty();
         node = tree_.tree()[node].parent) {
      const std::string_view name = tree_.Name(node);
      if (name == "title" || name == "dLbl" || name == "dLbls" || name == "trendlineLbl") {
        role = name;
        const std::string_view of = tree_.Name(tree_.tree()[node].parent);
        if (name == "title" && of.ends_with("Ax")) role = std::string(of) + " title";
      }
    }
    Record& record = records_.Add("chart_text", context_.base + "text:" + std::to_string(++texts_),
                                  context_.sheet);
    record.text = text;
    SetUnlessEmpty(record.attrs, "role", role);
  }

  const PartTree& tree_;
  const PartContext& context_;
  RecordList& records_;
  std::vector<std::string> types_;
  std::vector<ByteSpan> modelled_;
  size_t series_ = 0;
  size_t data_ = 0;
  size_t texts_ = 0;
};

}  // namespace

void ReadChart(const PartTree& tree, const PartContext& context, RecordList& records) {
  if (!tree.is_empty()) ChartReader(tree, context, records).Read();
}

}  // namespace staged::xlsx
