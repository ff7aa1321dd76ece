#include "formats/docx/story_facts.h"

#include <optional>
#include <set>
#include <utility>

#include "formats/docx/word_names.h"

namespace staged::docx {
namespace {

std::optional<size_t> OffsetOf(const Value& comment, std::string_view name) {
  const Value* value = comment.Find(name);
  if (value == nullptr) return std::nullopt;
  return static_cast<size_t>(value->as_integer());
}

void AddAnchor(const std::string& locator, const Value& comment, CommentAnchor& anchor) {
  const std::optional<size_t> at = OffsetOf(comment, "at");
  if (at && !anchor.start_locator.empty()) return;
  if (const std::optional<size_t> start = at ? at : OffsetOf(comment, "start")) {
    anchor.start_locator = locator;
    anchor.start = *start;
  }
  if (const std::optional<size_t> end = at ? at : OffsetOf(comment, "end")) {
    anchor.end_locator = locator;
    anchor.end = *end;
    anchor.has_end = true;
  }
}

bool IsTrue(std::string_view value) { return value == "1" || value == "true" || value == "on"; }

// Whether a section of those properties has a first page of its own kind.
bool HasTitlePage(const Record& section) {
  const Value* properties = section.attrs.Find("properties");
  const Value* title_page = properties == nullptr ? nullptr : properties->Find("titlePg");
  return title_page != nullptr && IsTrue(title_page->as_string());
}

}  // namespace

void CollectAnchors(const Segment& story, CommentAnchors& anchors) {
  story.ForEach([&](const Record& record) {
    const Value* comments = record.attrs.Find("comments");
    if (record.kind != "paragraph" || comments == nullptr) return true;
    for (const Value& comment : comments->as_array()) {
      AddAnchor(record.locator, comment, anchors[std::string(comment.FindString("id"))]);
    }
    return true;
  });
  std::erase_if(anchors, [](const auto& item) { return item.second.start_locator.empty(); });
}

CommentThreads ReadCommentThreads(const XmlTree& comments, const XmlTree& extension) {
  // The extension names a comment by the identifier of its last paragraph.
  std::map<std::string, std::string> id_by_paragraph;
  for (uint32_t node = 0; node < comments.size(); ++node) {
    if (comments[node].name != kComment) continue;
    std::string last;
    for (uint32_t inner = node + 1; inner < comments[node].subtree_end; ++inner) {
      if (comments[inner].name == kParagraph) last = comments.AttributeText(inner, "paraId");
    }
    if (!last.empty()) id_by_paragraph.emplace(last, comments.AttributeText(node, "id"));
  }
  CommentThreads threads;
  for (uint32_t node = 0; node < extension.size(); ++node) {
    if (!extension.IsElement(node) || extension.LocalName(node) != "commentEx") continue;
    const auto id = id_by_paragraph.find(extension.AttributeText(node, "paraId"));
    if (id == id_by_paragraph.end()) continue;
    CommentThread& thread = threads[id->second];
    thread.is_resolved = IsTrue(extension.Attribute(node, "done").value_or(""));
    const auto parent = id_by_paragraph.find(extension.AttributeText(node, "paraIdParent"));
    if (parent != id_by_paragraph.end()) thread.reply_to = "cm:" + parent->second;
  }
  return threads;
}

std::map<std::string, HeaderUse> HeaderUses(const Segment& document, bool has_even_headers) {
  std::map<std::string, HeaderUse> uses;
  std::map<std::pair<std::string, std::string>, std::string> current;  // kind and type
  std::set<std::string> shown;
  document.ForEach([&](const Record& record) {
    if (record.kind != "section") return true;
    const Value* headers = record.attrs.Find("headers");
    if (headers != nullptr) {
      for (const Value& header : headers->as_array()) {
        const std::string story(header.FindString("story"));
        const std::string type(header.FindString("type"));
        if (story.empty()) continue;
        current[{std::string(header.FindString("kind")), type}] = story;
        uses[story].sections.emplace_back(
            Value::Object{{"section", record.locator}, {"type", type.empty() ? "default" : type}});
      }
    }
    // A section without a header of some type has that of the section before it.
    for (const auto& [which, story] : current) {
      const bool is_off = (which.second == "first" && !HasTitlePage(record)) ||
                          (which.second == "even" && !has_even_headers);
      if (!is_off) shown.insert(story);
    }
    return true;
  });
  for (auto& [story, use] : uses) {
    if (!shown.contains(story)) use.hidden = "for first or even pages, which are not told apart";
  }
  return uses;
}

}  // namespace staged::docx
