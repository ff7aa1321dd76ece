#include "formats/pptx/related_parts.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "codec/xml_summary.h"
#include "formats/pptx/drawing_text.h"
#include "formats/pptx/presentation_names.h"
#include "formats/pptx/related_media.h"

namespace staged::pptx {
namespace {

LinkTarget TargetsOf(const FrameContext& context) {
  return [&context](std::string_view id) {
    const OpcRelationship* relationship = id.empty() ? nullptr : context.part->relationship(id);
    return relationship == nullptr ? std::string() : relationship->target;
  };
}

// A cached value: a number where it is one, since that is how people compare them.
Value CachedValue(const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size() && !text.empty()) {
    return Value(number);
  }
  return Value(text);
}

// The values of the points below an element, in order.
Value::Array PointValues(const XmlTree& tree, uint32_t element) {
  Value::Array values;
  for (uint32_t node = element + 1; node < tree[element].subtree_end; ++node) {
    if (tree[node].name == kChartValue) values.push_back(CachedValue(tree.Text(node)));
  }
  return values;
}

// Text of an element's descendants of that name, joined by spaces.
std::string TextOfAll(const XmlTree& tree, uint32_t element, uint16_t name) {
  std::string text;
  for (uint32_t node = element + 1; node < tree[element].subtree_end; ++node) {
    if (tree[node].name != name) continue;
    if (!text.empty()) text += ' ';
    tree.TextTo(node, text);
  }
  return text;
}

class ChartReader {
 public:
  ChartReader(const XmlTree& tree, const FrameContext& context)
      : tree_(tree), context_(context), target_(TargetsOf(context)) {}

  std::vector<Record> Read() {
    records_.emplace_back();
    for (uint32_t node = 0; node < tree_.size(); ++node) {
      if (tree_[node].name == kChartSeries) {
        AddSeries(node);
      } else if (tree_[node].group == kExtendedChartGroup && tree_.IsElement(node)) {
        AddExtended(node);
      } else if (tree_[node].name == kParagraph) {
        AddText(node);
      }
    }
    Record& definition = records_.front();
    definition = NewRecord("chart_definition", "/chart");
    definition.key = "chart";
    definition.attrs.Set("types", std::move(types_));
    std::sort(modelled_.begin(), modelled_.end(),
              [](const ByteSpan& left, const ByteSpan& right) { return left.begin < right.begin; });
    if (tree_.size() > 0) {
      definition.attrs.Set("format", XmlDigest(tree_, 0, modelled_));
      // The workbook behind it, pictures in it.
      AddMedia(tree_, 0, *context_.part, {}, definition);
    }
    return std::move(records_);
  }

 private:
  [[nodiscard]] Record NewRecord(std::string kind, const std::string& suffix) const {
    Record record{.kind = std::move(kind), .parent = context_.locator};
    record.locator = context_.locator + suffix;
    record.hidden = context_.hidden;
    return record;
  }

  void AddType(std::string_view type) {
    const Value value(type);
    if (std::find(types_.begin(), types_.end(), value) == types_.end()) types_.push_back(value);
  }

  void AddSeries(uint32_t series) {
    AddType(tree_.LocalName(tree_[series].parent));
    Record record = NewRecord("series", "/series:" + std::to_string(++series_count_));
    record.span = ByteSpan{tree_[series].begin, tree_[series].end};
    record.attrs.Set("type", tree_.LocalName(tree_[series].parent));
    Value::Object references;
    for (const auto& [name, member] :
         {std::pair(kChartText, "name"), std::pair(kChartCategories, "categories"),
          std::pair(kChartX, "x"), std::pair(kChartValues, "values"), std::pair(kChartY, "y"),
          std::pair(kChartBubbles, "sizes")}) {
      const uint32_t child = tree_.Child(series, name);
      if (child == XmlTree::kNone) continue;
      modelled_.push_back({tree_[child].begin, tree_[child].end});
      if (name == kChartText) {
        record.text = TextOfAll(tree_, child, kChartValue);
      } else {
        record.attrs.Set(member, PointValues(tree_, child));
      }
      const uint32_t formula = Descendant(tree_, child, kChartFormula);
      if (formula != XmlTree::kNone) references.emplace_back(member, tree_.Text(formula));
    }
    if (!references.empty()) record.attrs.Set("references", std::move(references));
    records_.push_back(std::move(record));
  }

  void AddExtended(uint32_t node) {
    const std::string_view name = tree_.LocalName(node);
    if (name == "series") AddType(tree_.AttributeText(node, "layoutId"));
    if (name != "lvl" && name != "txData") return;
    Record record = NewRecord("series", "/series:" + std::to_string(++series_count_));
    Value::Array values;
    for (uint32_t child = node + 1; child < tree_[node].subtree_end; ++child) {
      const std::string_view of = tree_.IsElement(child) ? tree_.LocalName(child) : "";
      if (of == "pt") values.push_back(CachedValue(tree_.Text(child)));
      if (of == "v") record.text = tree_.Text(child);
    }
    record.span = ByteSpan{tree_[node].begin, tree_[node].end};
    if (!values.empty()) record.attrs.Set("values", std::move(values));
    modelled_.push_back({tree_[node].begin, tree_[node].end});
    records_.push_back(std::move(record));
  }

  void AddText(uint32_t paragraph) {
    Record record = NewRecord("chart_text", "");
    FillParagraph(tree_, paragraph, target_, "", record);
    if (record.text.empty()) return;  // the format of axes and legends
    record.locator += "/text:" + std::to_string(++text_count_);
    modelled_.push_back({tree_[paragraph].begin, tree_[paragraph].end});
    records_.push_back(std::move(record));
  }

  const XmlTree& tree_;
  const FrameContext& context_;
  const LinkTarget target_;
  std::vector<Record> records_;
  std::vector<ByteSpan> modelled_;
  Value::Array types_;
  size_t series_count_ = 0;
  size_t text_count_ = 0;
};

// The paragraphs of a comment's or node's body, a line each.
std::string BodyText(const XmlTree& tree, uint32_t body) {
  std::string text;
  bool is_first = true;
  for (uint32_t child = body == XmlTree::kNone ? body : tree.FirstChild(body);
       child != XmlTree::kNone; child = tree.NextSibling(child)) {
    if (tree[child].name != kParagraph) continue;
    if (!is_first) text += '\n';
    is_first = false;
    text += ReadParagraph(tree, child).text;
  }
  return text;
}

std::string WithoutBraces(std::string id) {
  std::erase_if(id, [](char c) { return c == '{' || c == '}' || c == '/'; });
  return id;
}

// Pictures, links and alternative text of a point of a diagram.
void AddNodeAttributes(const XmlTree& tree, uint32_t point, const FrameContext& context,
                       Record& record) {
  AddMedia(tree, point, *context.part, {}, record);
  const uint32_t properties = Descendant(tree, point, kNonVisualProperties);
  if (properties == XmlTree::kNone) return;
  for (const auto& [attribute, name] :
       {std::pair("descr", "alt_text"), std::pair("title", "title")}) {
    std::string value = tree.AttributeText(properties, attribute);
    if (!value.empty()) record.attrs.Set(name, std::move(value));
  }
  const uint32_t link = tree.Child(properties, kLinkClick);
  if (link == XmlTree::kNone) return;
  record.attrs.Set("link", LinkText(tree, link, TargetsOf(context)));
  std::string tooltip = tree.AttributeText(link, "tooltip");
  if (!tooltip.empty()) record.attrs.Set("tooltip", std::move(tooltip));
}

// The comment that a legacy one answers, by the extension of 2012; "" for none.
std::string ParentOf(const XmlTree& tree, uint32_t comment) {
  for (uint32_t node = comment + 1; node < tree[comment].subtree_end; ++node) {
    if (!tree.IsElement(node) || tree.LocalName(node) != "parentCm") continue;
    return tree.AttributeText(node, "authorId") + "." + tree.AttributeText(node, "idx");
  }
  return "";
}

std::string AuthorOf(const CommentAuthors& authors, const std::string& id) {
  const auto found = authors.find(id);
  return found == authors.end() ? id : found->second;
}

}  // namespace

std::vector<Record> ReadChart(const XmlTree& tree, const FrameContext& context) {
  return ChartReader(tree, context).Read();
}

std::vector<Record> ReadChartDrawing(const XmlTree& tree, const FrameContext& context) {
  std::vector<Record> records;
  for (uint32_t node = 0; node < tree.size(); ++node) {
    if (tree[node].name != kParagraph) continue;
    Record record{.kind = "chart_text", .parent = context.locator, .hidden = context.hidden};
    FillParagraph(tree, node, TargetsOf(context), "", record);
    if (record.text.empty()) continue;
    record.locator = context.locator + "/drawn:" + std::to_string(records.size() + 1);
    records.push_back(std::move(record));
  }
  return records;
}

std::vector<Record> ReadDiagram(const XmlTree& tree, const FrameContext& context) {
  const std::string& locator = context.locator;
  const std::string& hidden = context.hidden;
  std::vector<Record> records;
  size_t number = 0;
  for (uint32_t node = 0; node < tree.size(); ++node) {
    if (tree[node].name != kDiagramPoint) continue;
    const uint32_t body = tree.Child(node, kDiagramText);
    Record record{.kind = "node", .parent = locator, .hidden = hidden};
    AddNodeAttributes(tree, node, context, record);
    const bool has_text = BodyText(tree, body).find_first_not_of('\n') != std::string::npos;
    if (!has_text && record.attrs.is_null()) continue;
    record.locator = locator + "/node:" + std::to_string(++number);
    record.key = WithoutBraces(tree.AttributeText(node, "modelId"));
    record.span = ByteSpan{tree[node].begin, tree[node].end};
    const std::string parent = record.locator;
    records.push_back(std::move(record));
    size_t paragraphs = 0;
    for (uint32_t child = has_text ? tree.FirstChild(body) : XmlTree::kNone;
         child != XmlTree::kNone; child = tree.NextSibling(child)) {
      if (tree[child].name != kParagraph) continue;
      Record paragraph{.kind = "paragraph", .locator = parent};
      paragraph.locator += "/p[" + std::to_string(++paragraphs) + "]";
      paragraph.parent = parent;
      paragraph.hidden = hidden;
      FillParagraph(tree, child, TargetsOf(context), "", paragraph);
      records.push_back(std::move(paragraph));
    }
  }
  return records;
}

void ReadCommentAuthors(const XmlTree& tree, CommentAuthors& authors) {
  for (uint32_t node = 0; node < tree.size(); ++node) {
    if (tree[node].name != kCommentAuthor && tree[node].name != kModernAuthor) continue;
    authors.emplace(tree.AttributeText(node, "id"), tree.AttributeText(node, "name"));
  }
}

std::vector<Record> AuthorRecords(const XmlTree& tree) {
  std::vector<Record> records;
  std::set<std::string> known;
  for (uint32_t node = 0; node < tree.size(); ++node) {
    if (tree[node].name != kCommentAuthor && tree[node].name != kModernAuthor) continue;
    Record record{.kind = "author", .hidden = "author of comments"};
    record.key = WithoutBraces(tree.AttributeText(node, "id"));
    record.locator = "author[" + record.key + "]";
    record.text = tree.AttributeText(node, "name");
    for (const std::string_view name : {"initials", "userId"}) {
      std::string value = tree.AttributeText(node, name);
      if (!value.empty()) record.attrs.Set(name, std::move(value));
    }
    record.span = ByteSpan{tree[node].begin, tree[node].end};
    if (known.insert(record.locator).second) records.push_back(std::move(record));
  }
  return records;
}

std::vector<Record> ReadComments(const XmlTree& tree, const std::string& locator,
                                 const CommentAuthors& authors) {
  std::vector<Record> records;
  std::map<std::string, int> counts;
  std::string thread;
  for (uint32_t node = 0; node < tree.size(); ++node) {
    const uint16_t name = tree[node].name;
    if (name != kLegacyComment && name != kModernComment && name != kModernReply) continue;
    Record record{.kind = "comment", .parent = locator, .hidden = "comment"};
    const std::string author = tree.AttributeText(node, "authorId");
    if (name == kLegacyComment) {
      record.key = author + "." + tree.AttributeText(node, "idx");
      record.attrs.Set("date", tree.AttributeText(node, "dt"));
      const uint32_t text = tree.Child(node, kLegacyCommentText);
      if (text != XmlTree::kNone) record.text = tree.Text(text);
      const std::string parent = ParentOf(tree, node);
      if (!parent.empty()) record.attrs.Set("reply_to", locator + "/comment[" + parent + "]");
    } else {
      record.key = WithoutBraces(tree.AttributeText(node, "id"));
      record.attrs.Set("date", tree.AttributeText(node, "created"));
      const std::string status = tree.AttributeText(node, "status");
      if (!status.empty()) record.attrs.Set("status", status);
      if (name == kModernReply) record.attrs.Set("reply_to", thread);
      record.text = BodyText(tree, tree.Child(node, kModernText));
    }
    record.attrs.Set("author", AuthorOf(authors, author));
    record.key = "comment[" + record.key + "]";
    const int count = ++counts[record.key];
    if (count > 1) record.key += "#" + std::to_string(count);
    record.locator = locator + "/" + record.key;
    if (name == kModernComment) thread = record.locator;
    record.span = ByteSpan{tree[node].begin, tree[node].end};
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace staged::pptx
