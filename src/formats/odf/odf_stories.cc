#include "formats/odf/odf_stories.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "codec/xml_summary.h"
#include "formats/odf/odf_names.h"
#include "formats/odf/sheet_reader.h"
#include "record/cell_address.h"

namespace staged::odf {
namespace {

class StoryFinder {
 public:
  StoryFinder(const OdfFile& file, OdfKind kind) : file_(file), kind_(kind) {}

  std::vector<OdfStory> Find() {
    const XmlTree& content = file_.content();
    const uint32_t body = file_.body();
    if (kind_ == OdfKind::kText) {
      Add({.node = body, .kind = "body"});
    } else if (kind_ == OdfKind::kSpreadsheet) {
      for (uint32_t node = content.FirstChild(body); node != XmlTree::kNone;
           node = content.NextSibling(node)) {
        if (content[node].name != kTable) continue;
        const size_t number = ++sheets_;
        const std::string name = SheetName(content, node, number);
        Add({.node = node,
             .kind = "sheet",
             .locator = QuoteSheetName(name),
             .name = name,
             .number = number});
      }
      Add({.node = body, .kind = "names"});
    } else {
      FindSlides(body);
    }
    FindMasters();
    return std::move(stories_);
  }

 private:
  void Add(OdfStory story) {
    story.part = story.is_in_styles ? file_.styles_part() : file_.content_part();
    if (!story.locator.empty()) {
      const int count = ++counts_[story.locator];
      if (count > 1) story.locator += "#" + std::to_string(count);
    }
    stories_.push_back(std::move(story));
  }

  // A name as a part of locators.
  static std::string Clean(std::string name) {
    std::erase_if(name, [](char c) { return c == '/' || c == '[' || c == ']'; });
    return name;
  }

  void FindSlides(uint32_t body) {
    const XmlTree& content = file_.content();
    size_t number = 0;
    for (uint32_t node = content.FirstChild(body); node != XmlTree::kNone;
         node = content.NextSibling(node)) {
      if (content[node].name != kPage) continue;
      ++number;
      const std::string name = content.AttributeText(node, "name");
      const std::string id = Clean(name);
      Add({.node = node,
           .kind = "slide",
           .locator = "slide[" + (id.empty() ? "?" + std::to_string(number) : id) + "]",
           .name = name,
           .number = number});
    }
  }

  void FindMasters() {
    const XmlTree& styles = file_.styles_tree();
    const bool is_in_styles = !file_.styles_part().empty();
    size_t headers = 0;
    size_t footers = 0;
    for (uint32_t page = 0; page < styles.size(); ++page) {
      if (styles[page].name != kMasterPage) continue;
      const std::string name = styles.AttributeText(page, "name");
      if (kind_ == OdfKind::kPresentation) {
        Add({.is_in_styles = is_in_styles,
             .node = page,
             .kind = "master",
             .locator = "master[" + Clean(name) + "]",
             .name = name});
        continue;
      }
      for (uint32_t child = styles.FirstChild(page); child != XmlTree::kNone;
           child = styles.NextSibling(child)) {
        if (!styles.IsElement(child)) continue;
        const std::string_view of = styles.LocalName(child);
        if (!of.starts_with("header") && !of.starts_with("footer")) continue;
        const bool is_header = of.starts_with("header");
        const size_t number = is_header ? ++headers : ++footers;
        Add({.is_in_styles = is_in_styles,
             .node = child,
             .kind = is_header ? "header" : "footer",
             .locator = (is_header ? "hdr:" : "ftr:") + std::to_string(number),
             .name = name + " " + std::string(of),
             .number = number});
      }
    }
  }

  const OdfFile& file_;
  const OdfKind kind_;
  std::vector<OdfStory> stories_;
  std::map<std::string, int> counts_;
  size_t sheets_ = 0;
};

// A slide or master: its record, shapes, animations and notes.
void ReadPage(const XmlTree& tree, const OdfStory& story, const BlockContext& context,
              BlockReader& reader, Blocks& blocks) {
  const bool is_master = story.kind == "master";
  Record page{.kind = story.kind, .locator = story.locator, .key = story.locator};
  page.attrs.Set("name", story.name);
  if (story.number > 0) page.attrs.Set("number", story.number);
  const std::string master = tree.AttributeText(story.node, "master-page-name");
  if (!master.empty()) page.attrs.Set("layout", master);
  const std::string style = tree.AttributeText(story.node, "style-name");
  context.styles->Describe("drawing-page", style, page.attrs);
  const Style* of = context.styles->Find("drawing-page", style);
  if (of != nullptr) {
    for (const Value::Member& member : of->others) {
      const bool is_hidden =
          member.second.is_string() &&
          member.second.as_string().find("visibility=hidden") != std::string::npos;
      if (is_hidden) page.hidden = "hidden slide";
    }
  }
  const std::string hidden = is_master ? "master page" : page.hidden;
  page.hidden = hidden;
  if (!reader.Add(std::move(page), story.node)) return;
  reader.ReadShapes(story.node, story.locator, story.locator, hidden);
  // The first title becomes the page's text.
  for (const Record& record : blocks.records) {
    if (is_master || record.kind != "paragraph" || record.text.empty()) continue;
    blocks.records[0].text = record.text;
    std::replace(blocks.records[0].text.begin(), blocks.records[0].text.end(), '\n', ' ');
    break;
  }
  size_t animations = 0;
  for (uint32_t child = tree.FirstChild(story.node); child != XmlTree::kNone;
       child = tree.NextSibling(child)) {
    if (!tree.IsElement(child)) continue;
    if (tree.QualifiedName(child).starts_with("anim:")) {
      Record record{.kind = "animation", .parent = story.locator};
      record.key = "animation:" + std::to_string(++animations);
      record.locator = story.locator + "/" + record.key;
      record.attrs.Set("digest", XmlDigest(tree, child));
      record.hidden = hidden;
      if (!reader.Add(std::move(record), child)) return;
    }
    if (tree[child].name != kNotes) continue;
    Record notes{.kind = "notes", .locator = story.locator + "/notes", .parent = story.locator};
    notes.key = "notes";
    notes.hidden = "speaker notes";
    const std::string locator = notes.locator;
    if (!reader.Add(std::move(notes), child)) return;
    reader.ReadShapes(child, locator, locator, "speaker notes");
  }
}

void MakeLocatorsUnique(Blocks& blocks) {
  std::unordered_map<std::string, int> counts;
  for (Record& record : blocks.records) {
    const int count = ++counts[record.locator];
    if (count > 1) record.locator += "#" + std::to_string(count);
  }
}

}  // namespace

std::vector<OdfStory> StoriesOf(const OdfFile& file, OdfKind kind) {
  return StoryFinder(file, kind).Find();
}

const XmlTree& TreeOf(const OdfFile& file, const OdfStory& story) {
  return story.is_in_styles ? file.styles_tree() : file.content();
}

Blocks ReadStory(const OdfFile& file, const OdfStory& story, const BlockContext& context) {
  Blocks blocks;
  const XmlTree& tree = TreeOf(file, story);
  const bool is_page = story.kind == "slide" || story.kind == "master";
  const std::string prefix = story.locator.empty() ? "" : story.locator + "/";
  BlockReader reader(tree, context, is_page ? Naming::kSlide : Naming::kText, prefix, blocks);
  if (story.kind == "sheet") {
    ReadSheet(tree, story.node, story.number, story.locator, context, blocks);
  } else if (story.kind == "names") {
    ReadNames(tree, story.node, blocks, reader, "");
  } else if (is_page) {
    ReadPage(tree, story, context, reader, blocks);
  } else {
    if (!story.locator.empty()) {
      Record whole{.kind = story.kind, .locator = story.locator, .key = story.locator};
      whole.attrs.Set("name", story.name);
      if (tree.AttributeText(story.node, "display") == "false") whole.hidden = "not displayed";
      const std::string hidden = whole.hidden;
      if (!reader.Add(std::move(whole), story.node)) return blocks;
      reader.ReadAll(story.node, prefix, story.locator, hidden);
    } else {
      reader.ReadAll(story.node, "", "", "");
    }
  }
  MakeLocatorsUnique(blocks);
  return blocks;
}

}  // namespace staged::odf
