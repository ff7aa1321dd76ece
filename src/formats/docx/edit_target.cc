#include "formats/docx/edit_target.h"

#include <algorithm>
#include <charconv>

#include "formats/docx/word_names.h"

namespace staged::docx {
namespace {

bool ParseNumber(std::string_view digits, uint64_t& number) {
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc() && end == digits.data() + digits.size() && !digits.empty();
}

// Splits "p:12:4-10" into its path and span.
std::pair<std::string, std::optional<ByteSpan>> SplitSpan(const std::string& locator) {
  const size_t slash = locator.rfind('/');
  const size_t last = slash == std::string::npos ? 0 : slash + 1;
  const size_t colon = locator.rfind(':');
  if (!locator.substr(last).starts_with("p:") || colon == last + 1) return {locator, std::nullopt};
  const std::string_view span = std::string_view(locator).substr(colon + 1);
  const size_t dash = span.find('-');
  ByteSpan range;
  if (dash == std::string_view::npos || !ParseNumber(span.substr(0, dash), range.begin) ||
      !ParseNumber(span.substr(dash + 1), range.end)) {
    return {locator, std::nullopt};
  }
  return {locator.substr(0, colon), range};
}

bool EqualIgnoringCase(std::string_view left, std::string_view right) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; };
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [&](char a, char b) { return lower(a) == lower(b); });
}

bool IsBlock(uint16_t name) {
  return name == kParagraph || name == kTable || name == kContentControl ||
         name == kAlternateContent;
}

Status Orphan(const std::string& locator, const std::string& what) {
  return Status(ErrorCode::kUnsupportedEdit,
                "'" + locator + "' " + what + "; set its text to \"\" instead of deleting it");
}

}  // namespace

Result<EditableStory*> EditableStories::Open(const StoryPart& part) {
  std::unique_ptr<EditableStory>& story = stories_[part.part];
  if (story != nullptr) return story.get();
  STAGED_ASSIGN_OR_RETURN(const std::string* xml, package_.office().ContentForEdit(part.part));
  auto opened = std::make_unique<EditableStory>();
  opened->part = part.part;
  opened->prefix = part.prefix;
  opened->xml = xml;
  opened->tree = std::make_unique<XmlTree>(*xml, WordVocabulary(), limits_);
  STAGED_RETURN_IF_ERROR(opened->tree->error());
  opened->story = ReadStory(*opened->tree, package_.ContextOf(part), part.prefix);
  for (size_t i = 0; i < opened->story.records.size(); ++i) {
    opened->index_by_locator.emplace(opened->story.records[i].locator, i);
  }
  story = std::move(opened);
  return story.get();
}

Result<EditableStory*> EditableStories::StoryOf(std::string_view locator) {
  const StoryPart* found = &package_.stories().front();
  const std::pair<std::string_view, std::string_view> kRoles[] = {
      {"fn:", "footnotes"}, {"en:", "endnotes"}, {"cm:", "comments"}};
  for (const auto& [prefix, role] : kRoles) {
    if (!locator.starts_with(prefix)) continue;
    found = package_.FindStory(package_.PartOfRole(role));
  }
  for (const StoryPart& story : package_.stories()) {
    if (story.prefix.empty()) continue;
    const std::string whole = story.prefix.substr(0, story.prefix.size() - 1);
    if (locator == whole || locator.starts_with(story.prefix)) found = &story;
  }
  if (found == nullptr) {
    return Status(ErrorCode::kNoMatch, "the document has no part for '" + std::string(locator) +
                                           "'; list the locators with `staged parse FILE --jsonl`");
  }
  return Open(*found);
}

Result<EditTarget> EditableStories::Resolve(const std::string& locator) {
  auto [path, span] = SplitSpan(locator);
  const size_t slash = path.rfind('/');
  const std::string last = path.substr(slash == std::string::npos ? 0 : slash + 1);
  Result<EditTarget> target = last.starts_with("p:#")
                                  ? ResolveParagraphId(path, std::string_view(last).substr(3))
                                  : ResolvePath(path);
  if (target.ok()) target->span = span;
  return target;
}

Result<EditTarget> EditableStories::ResolveParagraphId(const std::string& locator,
                                                       std::string_view id) {
  std::vector<EditTarget> found;
  for (const StoryPart& part : package_.stories()) {
    const Result<EditableStory*> story = Open(part);
    if (!story.ok()) continue;
    const std::vector<Record>& records = (*story)->story.records;
    for (size_t i = 0; i < records.size(); ++i) {
      if (records[i].kind != "paragraph" ||
          !EqualIgnoringCase(records[i].attrs.FindString("para_id"), id)) {
        continue;
      }
      found.push_back({*story, "paragraph", i, {i}, std::nullopt});
    }
  }
  if (found.size() == 1) return found.front();
  if (found.empty()) {
    return Status(ErrorCode::kNoMatch, "no paragraph has the identifier of '" + locator +
                                           "'; name it by its place, such as p:12");
  }
  std::string places;
  constexpr size_t kShownMax = 5;
  for (size_t i = 0; i < std::min(found.size(), kShownMax); ++i) {
    places += (i > 0 ? ", " : "") + found[i].story->story.records[found[i].record].locator;
  }
  return Status(ErrorCode::kAmbiguous, "'" + locator + "' names " + std::to_string(found.size()) +
                                           " paragraphs (" + places + "); use one of those");
}

Result<EditTarget> EditableStories::ResolvePath(const std::string& path) {
  STAGED_ASSIGN_OR_RETURN(EditableStory * story, StoryOf(path));
  EditTarget target{.story = story};
  const std::vector<Record>& records = story->story.records;
  const std::string whole =
      story->prefix.empty() ? "" : story->prefix.substr(0, story->prefix.size() - 1);
  if (path == whole) {
    target.kind = "story";
    for (size_t i = 0; i < records.size(); ++i) {
      if (records[i].kind == "paragraph") target.paragraphs.push_back(i);
    }
    return target;
  }
  const auto found = story->index_by_locator.find(path);
  if (found == story->index_by_locator.end()) {
    return Status(ErrorCode::kNoMatch, "the document has no '" + path +
                                           "'; list the locators with `staged parse FILE --jsonl`");
  }
  target.record = found->second;
  target.kind = records[found->second].kind;
  if (target.kind == "paragraph") {
    target.paragraphs.push_back(found->second);
    return target;
  }
  if (target.kind == "revision") {
    return Status(ErrorCode::kUnsupportedEdit,
                  "'" + path + "' is a tracked deletion; accept or reject it in Word first");
  }
  for (size_t i = found->second + 1; i < records.size(); ++i) {
    if (records[i].kind == "paragraph" && records[i].locator.starts_with(path + "/")) {
      target.paragraphs.push_back(i);
    }
  }
  if (target.paragraphs.empty()) {
    return Status(ErrorCode::kUnsupportedEdit,
                  "'" + path + "' (" + target.kind + ") holds no text to edit; name a paragraph");
  }
  return target;
}

Result<ParagraphEditor*> EditableStories::EditorOf(EditableStory& story, size_t record) {
  if (story.deleted.contains(record)) {
    return Status(ErrorCode::kNoMatch, "'" + story.story.records[record].locator +
                                           "' was deleted by an earlier edit of the same call");
  }
  std::unique_ptr<ParagraphEditor>& editor = story.editors[record];
  if (editor == nullptr) {
    const uint32_t node = story.story.nodes[record];
    const uint32_t parent = (*story.tree)[node].parent;
    XmlBindings bindings =
        parent == XmlTree::kNone ? XmlBindings() : story.tree->BindingsAt(parent);
    editor = std::make_unique<ParagraphEditor>(std::string(story.tree->Raw(node)),
                                               std::move(bindings), limits_);
  }
  return editor.get();
}

const std::string& EditableStories::TextOf(const EditableStory& story, size_t record) const {
  const auto editor = story.editors.find(record);
  return editor != story.editors.end() ? editor->second->text() : story.story.records[record].text;
}

const std::string* EditableStories::DeletedTextWith(const EditableStory& story, size_t record,
                                                    const std::string& text) const {
  const std::vector<Record>& records = story.story.records;
  for (size_t i = record + 1; i < records.size() && records[i].kind == "revision"; ++i) {
    if (records[i].parent == records[record].locator &&
        records[i].text.find(text) != std::string::npos) {
      return &records[i].text;
    }
  }
  return nullptr;
}

// w:pPr with nothing but the style, by its name or id.
Result<std::string> EditableStories::StyleProperties(const EditableStory& story, uint32_t neighbour,
                                                     const std::string& style) {
  const Style* found = package_.styles().FindByName(style, "paragraph");
  if (found == nullptr) found = package_.styles().Find(style);
  if (found == nullptr || found->type != "paragraph") {
    return Status(ErrorCode::kInvalidArgument, "the document has no paragraph style '" + style +
                                                   "'; use the name of one of its style records");
  }
  const std::string prefix = XmlPrefixOf(*story.tree, neighbour);
  if (prefix.empty()) {
    return Status(ErrorCode::kUnsupportedEdit,
                  "the document declares its names without a prefix, so that no style can be set; "
                  "leave \"style\" out or save the document in Word first");
  }
  return "<" + prefix + "pPr><" + prefix + "pStyle " + prefix + "val=\"" +
         XmlEscapeAttribute(found->id) + "\"/></" + prefix + "pPr>";
}

namespace {

// The neighbour's w:pPr as a new paragraph takes it: without section and page breaks and without
// tracked changes.
std::string InheritedProperties(const XmlTree& tree, uint32_t properties) {
  if (properties == XmlTree::kNone) return "";
  std::string inner;
  for (uint32_t child = tree.FirstChild(properties); child != XmlTree::kNone;
       child = tree.NextSibling(child)) {
    if (!tree.IsElement(child)) continue;
    const uint16_t name = tree[child].name;
    if (name == kSectionProperties || name == kParagraphPropertiesChange ||
        tree.LocalName(child) == "pageBreakBefore") {
      continue;
    }
    inner +=
        name == kRunProperties ? PlainRunProperties(tree, child) : std::string(tree.Raw(child));
  }
  if (inner.empty()) return "";
  const std::string name(tree.QualifiedName(properties));
  return "<" + name + ">" + inner + "</" + name + ">";
}

// The format of most of a paragraph's text.
std::string MainRunProperties(const XmlTree& tree, uint32_t paragraph) {
  InlineContent content;
  InlineReader(tree).Read(paragraph, content);
  uint32_t best = XmlTree::kNone;
  size_t best_size = 0;
  for (const FormatSpan& span : content.formats) {
    if (span.end - span.begin <= best_size) continue;
    best_size = span.end - span.begin;
    best = span.properties;
  }
  return PlainRunProperties(tree, best);
}

}  // namespace

Status EditableStories::InsertParagraph(const EditTarget& target, bool is_after,
                                        const std::string& text, const std::string* style) {
  EditableStory& story = *target.story;
  const XmlTree& tree = *story.tree;
  const uint32_t neighbour = story.story.nodes[target.record];
  if (tree[neighbour].name != kParagraph && tree[neighbour].name != kTable) {
    return Status(ErrorCode::kUnsupportedEdit,
                  "the text stands outside of any paragraph; save the document in Word first");
  }
  const std::string prefix = XmlPrefixOf(tree, neighbour);
  std::string properties;
  std::string format;
  if (style != nullptr) {
    STAGED_ASSIGN_OR_RETURN(properties, StyleProperties(story, neighbour, *style));
  } else if (tree[neighbour].name == kParagraph) {
    properties = InheritedProperties(tree, tree.Child(neighbour, kParagraphProperties));
    format = MainRunProperties(tree, neighbour);
  }
  std::string run;
  if (!text.empty()) {
    run = "<" + prefix + "r>" + format + RunTextElement(text, prefix) + "</" + prefix + "r>";
  }
  const size_t at = is_after ? tree[neighbour].end : tree[neighbour].begin;
  story.inserted[at] += "<" + prefix + "p>" + properties + run + "</" + prefix + "p>";
  return OkStatus();
}

// Cells, notes, headers and the like must keep a paragraph, cells at their end.
Status EditableStories::CheckContainer(const EditableStory& story, uint32_t paragraph,
                                       const std::string& locator) const {
  const XmlTree& tree = *story.tree;
  std::set<uint32_t> gone{paragraph};
  for (const auto& [record, text] : story.deleted) gone.insert(story.story.nodes[record]);
  const uint32_t parent = tree[paragraph].parent;
  if (parent == XmlTree::kNone) return Orphan(locator, "is the whole part");
  uint16_t last = kUnknownName;
  for (uint32_t child = tree.FirstChild(parent); child != XmlTree::kNone;
       child = tree.NextSibling(child)) {
    if (IsBlock(tree[child].name) && !gone.contains(child)) last = tree[child].name;
  }
  const bool is_cell = tree[parent].name == kTableCell;
  if (tree[parent].name != kBody && last == kUnknownName) {
    return Orphan(locator, is_cell ? "is the last paragraph of its cell"
                                   : "is the last paragraph of its container");
  }
  if (is_cell && last == kTable) {
    return Orphan(locator, "is the paragraph that must end its cell behind a table");
  }
  return OkStatus();
}

// What must stay when the paragraph goes: ends of bookmarks and the like whose other end stands
// elsewhere.
Result<std::string> EditableStories::RemainingMarkers(const EditableStory& story,
                                                      uint32_t paragraph,
                                                      const std::string& locator) {
  const XmlTree& tree = *story.tree;
  std::map<std::string, std::vector<uint32_t>> ends;  // by kind of range and id
  int open_fields = 0;
  for (uint32_t node = paragraph + 1; node < tree[paragraph].subtree_end; ++node) {
    const uint16_t name = tree[node].name;
    switch (name) {
      case kCommentReference:
        return Orphan(locator, "anchors a comment");
      case kFootnoteReference:
      case kEndnoteReference:
        return Orphan(locator, "holds the reference of a note");
      case kInserted:
      case kDeleted:
      case kMovedFrom:
      case kMovedTo:
        return Status(
            ErrorCode::kUnsupportedEdit,
            "'" + locator + "' holds tracked changes; accept or reject them in Word first");
      case kFieldCharacter: {
        const std::string_view type = tree.Attribute(node, "fldCharType").value_or("");
        if (type == "begin") ++open_fields;
        if (type == "end" && --open_fields < 0) return Orphan(locator, "ends a field");
        break;
      }
      case kBookmarkStart:
      case kBookmarkEnd:
      case kCommentRangeStart:
      case kCommentRangeEnd:
      case kPermissionStart:
      case kPermissionEnd: {
        std::string_view range = tree.LocalName(node);
        range = range.substr(0, range.size() - (range.ends_with("Start") ? 5 : 3));
        ends[std::string(range) + tree.AttributeText(node, "id")].push_back(node);
        break;
      }
      default:
        break;
    }
  }
  if (open_fields != 0) return Orphan(locator, "begins a field that ends elsewhere");
  std::map<uint32_t, std::string> kept;
  for (const auto& [id, nodes] : ends) {
    if (nodes.size() == 1) {
      kept[nodes[0]] = tree.Raw(nodes[0]);
    } else if (tree[nodes[0]].name == kBookmarkStart) {
      AddEffect(locator, "the bookmark '" + tree.AttributeText(nodes[0], "name") + "' is gone");
    }
  }
  std::string markers;
  for (const auto& [node, raw] : kept) markers += raw;
  return markers;
}

Status EditableStories::DeleteParagraph(const EditTarget& target, const std::string& locator) {
  EditableStory& story = *target.story;
  const uint32_t node = story.story.nodes[target.record];
  if (story.deleted.contains(target.record)) {
    return Status(ErrorCode::kNoMatch, "'" + locator + "' was deleted by an earlier edit");
  }
  const XmlTree& tree = *story.tree;
  const uint32_t properties = tree.Child(node, kParagraphProperties);
  if (tree.Child(properties, kSectionProperties) != XmlTree::kNone) {
    return Orphan(locator, "holds a section break");
  }
  STAGED_RETURN_IF_ERROR(CheckContainer(story, node, locator));
  STAGED_ASSIGN_OR_RETURN(std::string markers, RemainingMarkers(story, node, locator));
  story.editors.erase(target.record);
  story.deleted[target.record] = std::move(markers);
  return OkStatus();
}

void EditableStories::AddEffect(std::string locator, std::string description) {
  effects_.push_back({std::move(locator), std::move(description)});
}

Result<std::string> EditableStories::Assemble(EditableStory& story) const {
  struct Change {
    size_t begin;
    size_t end;
    const std::string* text;
  };
  std::vector<Change> changes;
  for (const auto& [record, editor] : story.editors) {
    const XmlNode& node = (*story.tree)[story.story.nodes[record]];
    if (editor->xml() == story.tree->Raw(story.story.nodes[record])) continue;
    changes.push_back({node.begin, node.end, &editor->xml()});
  }
  for (const auto& [record, markers] : story.deleted) {
    const XmlNode& node = (*story.tree)[story.story.nodes[record]];
    changes.push_back({node.begin, node.end, &markers});
  }
  for (const auto& [at, xml] : story.inserted) changes.push_back({at, at, &xml});
  std::sort(changes.begin(), changes.end(), [](const Change& left, const Change& right) {
    return std::tie(left.begin, left.end) < std::tie(right.begin, right.end);
  });
  std::string out;
  size_t position = 0;
  for (const Change& change : changes) {
    if (change.begin < position) {
      return Status(ErrorCode::kUnsupportedEdit,
                    "the edits name a paragraph and a text box inside it; make them in two calls");
    }
    out.append(*story.xml, position, change.begin - position);
    out.append(*change.text);
    position = change.end;
  }
  out.append(*story.xml, position);
  return out;
}

Result<EditOutcome> EditableStories::Finish() {
  EditOutcome outcome;
  ZipSplicer splicer(package_.archive());
  bool is_changed = false;
  for (const auto& [part, story] : stories_) {
    if (story == nullptr) continue;
    STAGED_ASSIGN_OR_RETURN(std::string xml, Assemble(*story));
    if (xml == *story->xml) continue;
    STAGED_RETURN_IF_ERROR(XmlTree(xml, WordVocabulary(), limits_).error());
    const ZipMember* member = package_.archive().Find(part);
    splicer.Replace(static_cast<size_t>(member - package_.archive().members().data()),
                    std::move(xml));
    is_changed = true;
  }
  if (!is_changed) {
    outcome.bytes = std::string(package_.archive().bytes());
    return outcome;
  }
  for (const ZipMember& member : package_.archive().members()) {
    if (!member.name.starts_with("_xmlsignatures/")) continue;
    AddEffect("", "the document's digital signature is no longer valid");
    break;
  }
  STAGED_ASSIGN_OR_RETURN(outcome.bytes, splicer.Finish());
  outcome.rewritten_members = splicer.rewritten_members();
  outcome.derived = std::move(effects_);
  return outcome;
}

}  // namespace staged::docx
