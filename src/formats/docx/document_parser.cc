#include "formats/docx/document_parser.h"

#include <algorithm>
#include <set>

#include "codec/xml_summary.h"
#include "formats/docx/package.h"
#include "formats/docx/word_names.h"
#include "record/segments.h"

namespace staged::docx {
namespace {

const std::vector<std::string> kStoryKinds = {"paragraph", "table",   "row",      "cell",
                                              "section",   "control", "text_box", "revision",
                                              "image",     "chart",   "diagram",  "shape"};

// All settings in one record, a member each; revision ids are noise.
std::vector<Record> SettingsRecords(const XmlTree& tree) {
  Record record{.kind = "settings", .locator = "settings"};
  record.key = record.locator;
  record.hidden = "document settings";
  if (tree.size() > 0) {
    Value::Object settings = SummaryOfChildren(tree, 0);
    std::erase_if(settings, [](const Value::Member& member) { return member.first == "rsids"; });
    record.attrs = Value(std::move(settings));
  }
  return {std::move(record)};
}

class DocumentParser {
 public:
  DocumentParser(Package& package, const Limits& limits, const SegmentSource& reuse)
      : package_(package), limits_(limits), reuse_(reuse) {}

  Result<ParsedContent> Parse() {
    content_.parts = package_.office().DigestAll(content_.diagnostics);
    for (const std::string& warning : package_.archive().warnings()) {
      Diagnose("warning", "archive", "", warning);
    }
    for (const StoryPart& story : package_.stories()) ReadStoryPart(story);
    ReadOther("styles", {"style"},
              [this](const XmlTree& tree) { return StyleRecords(tree, package_.styles()); });
    ReadOther("numbering", {"numbering"},
              [this](const XmlTree&) { return package_.numbering().Records(); });
    ReadOther("settings", {"settings"}, SettingsRecords);
    ReadProperties("core-properties", "prop:");
    // The strict namespace names these two in another way.
    for (const std::string_view role : {"extended-properties", "extendedProperties"}) {
      ReadProperties(role, "app:");
    }
    for (const std::string_view role : {"custom-properties", "customProperties"}) {
      ReadProperties(role, "custom:");
    }
    CoverParts();
    DiagnoseSpecials();
    return std::move(content_);
  }

 private:
  void Diagnose(std::string severity, std::string code, std::string locator, std::string message) {
    if (content_.diagnostics.size() >= limits_.diagnostics_max) return;
    content_.diagnostics.push_back(
        {std::move(severity), std::move(code), std::move(locator), std::move(message)});
  }

  // Segment by its digest from the cache, else made by `make`.
  template <typename Make>
  std::shared_ptr<const Segment> SegmentOf(const std::string& part, const ContentHash& digest,
                                           const Make& make) {
    std::shared_ptr<const Segment> segment = reuse_ ? reuse_(part, digest) : nullptr;
    if (segment == nullptr) {
      segment = std::make_shared<RecordListSegment>(part, digest, make());
    }
    records_ += segment->record_count();
    content_.segments.push_back(segment);
    return segment;
  }

  [[nodiscard]] ContentHash StoryDigest(const StoryPart& story) {
    ContentHasher hasher;
    const auto add = [&hasher](std::string_view text) {
      hasher.Update(text);
      hasher.Update(std::string_view("\0", 1));
    };
    const auto add_digest = [&](const std::string& part) {
      hasher.Update(package_.office().DigestOf(part).raw());
    };
    add(story.prefix);
    add_digest(story.part);
    add_digest(package_.PartOfRole("styles"));
    add_digest(package_.PartOfRole("numbering"));
    for (const OpcRelationship& relationship : package_.RelationshipsOf(story.part).all()) {
      add(relationship.id);
      add(relationship.target);
      const std::string_view type = relationship.type;
      if (type == "header" || type == "footer") add(package_.StoryLocator(relationship.target));
      if (type == "image" || type == "chart" || type == "diagramData") {
        add_digest(relationship.target);
      }
    }
    // Comments tell where in the document they are anchored.
    if (story.part == package_.PartOfRole("comments")) {
      hasher.Update(content_.segments.front()->digest().raw());
    }
    return hasher.Finish();
  }

  void ReadStoryPart(const StoryPart& story) {
    const auto segment = SegmentOf(story.part, StoryDigest(story), [&] { return Read(story); });
    Cover(story.part, kStoryKinds);
    segment->ForEach([this](const Record& record) {
      const std::string_view part = record.attrs.FindString("part");
      if (!part.empty()) Cover(std::string(part), {record.kind});
      return true;
    });
    const std::string_view part = story.part;
    if (part == package_.PartOfRole("footnotes")) Cover(story.part, {"footnote"});
    if (part == package_.PartOfRole("endnotes")) Cover(story.part, {"endnote"});
    if (part == package_.PartOfRole("comments")) Cover(story.part, {"comment"});
    if (!story.kind.empty()) Cover(story.part, {story.kind});
    if (&story == &package_.stories().front()) CollectAnchors(*segment);
  }

  std::vector<Record> Read(const StoryPart& story) {
    const Result<const std::string*> xml = package_.office().Content(story.part);
    if (!xml.ok()) {
      Diagnose("error", "unreadable_part", story.part, xml.status().message());
      return {};
    }
    const XmlTree tree(**xml, WordVocabulary(), limits_);
    if (!tree.error().ok()) {
      const bool is_limit = tree.error().code() == ErrorCode::kLimitExceeded;
      Diagnose("error", is_limit ? "limit_exceeded" : "damaged_xml", story.part,
               tree.error().message());
    }
    StoryContext context = package_.ContextOf(story);
    context.comment_anchors = &anchors_;
    context.limits.records_max =
        limits_.records_max > records_ ? limits_.records_max - records_ : 0;
    Story read = ReadStory(tree, context, story.prefix);
    if (read.is_truncated) {
      Diagnose("error", "limit_exceeded", story.part,
               "the part has more records than the limit records_max allows; the rest is left out");
    }
    if (read.has_alternate_chunks) {
      Diagnose("warning", "alternate_chunk", story.part,
               "the part imports another document (altChunk) whose text is not in the records");
    }
    if (!story.kind.empty()) {
      Record whole{.kind = story.kind, .locator = story.prefix.substr(0, story.prefix.size() - 1)};
      whole.key = whole.locator;
      whole.attrs.Set("part", story.part);
      for (Record& record : read.records) {
        if (record.parent.empty()) record.parent = whole.locator;
      }
      read.records.insert(read.records.begin(), std::move(whole));
    }
    return std::move(read.records);
  }

  void CollectAnchors(const Segment& document) {
    document.ForEach([this](const Record& record) {
      const Value* comments = record.attrs.Find("comments");
      if (record.kind != "paragraph" || comments == nullptr) return true;
      for (const Value& comment : comments->as_array()) {
        const std::string id(comment.FindString("id"));
        const auto offset = [&](std::string_view name) -> std::optional<size_t> {
          const Value* value = comment.Find(name);
          if (value == nullptr) return std::nullopt;
          return static_cast<size_t>(value->as_integer());
        };
        CommentAnchor& anchor = anchors_[id];
        const std::optional<size_t> at = offset("at");
        if (at && !anchor.start_locator.empty()) continue;
        if (const std::optional<size_t> start = at ? at : offset("start")) {
          anchor.start_locator = record.locator;
          anchor.start = *start;
        }
        if (const std::optional<size_t> end = at ? at : offset("end")) {
          anchor.end_locator = record.locator;
          anchor.end = *end;
          anchor.has_end = true;
        }
      }
      return true;
    });
    std::erase_if(anchors_, [](const auto& item) { return item.second.start_locator.empty(); });
  }

  template <typename Make>
  void ReadOther(std::string_view role, const std::vector<std::string>& kinds, const Make& make) {
    const std::string part = package_.PartOfRole(role);
    if (part.empty()) return;
    ContentHasher hasher;
    hasher.Update(role);
    hasher.Update(package_.office().DigestOf(part).raw());
    if (role == "numbering") {
      hasher.Update(package_.office().DigestOf(package_.PartOfRole("styles")).raw());
    }
    SegmentOf(part, hasher.Finish(), [&]() -> std::vector<Record> {
      const Result<const std::string*> xml = package_.office().Content(part);
      if (!xml.ok()) {
        Diagnose("error", "unreadable_part", part, xml.status().message());
        return {};
      }
      const XmlTree tree(**xml, WordVocabulary(), limits_);
      if (!tree.error().ok()) Diagnose("error", "damaged_xml", part, tree.error().message());
      return make(tree);
    });
    Cover(part, kinds);
  }

  void ReadProperties(std::string_view role, std::string_view prefix) {
    ReadOther(role, {"property"},
              [&](const XmlTree& tree) { return PropertyRecords(tree, prefix); });
  }

  void Cover(const std::string& part, const std::vector<std::string>& kinds) {
    kinds_by_part_[part].insert(kinds.begin(), kinds.end());
  }

  void CoverParts() {
    for (Part& part : content_.parts) {
      const auto found = kinds_by_part_.find(part.name);
      if (found != kinds_by_part_.end()) {
        part.kinds.assign(found->second.begin(), found->second.end());
      }
    }
  }

  void DiagnoseSpecials() {
    for (const Part& part : content_.parts) {
      if (part.name.starts_with("_xmlsignatures/") && part.name.ends_with(".xml")) {
        Diagnose("warning", "signed", part.name,
                 "the document is digitally signed; any edit makes the signature invalid");
      } else if (part.name.ends_with("vbaProject.bin")) {
        Diagnose("warning", "macros", part.name, "the document contains macros (diffed by digest)");
      }
    }
  }

  Package& package_;
  const Limits limits_;
  const SegmentSource& reuse_;
  ParsedContent content_;
  uint64_t records_ = 0;
  std::map<std::string, CommentAnchor> anchors_;
  std::map<std::string, std::set<std::string>> kinds_by_part_;
};

}  // namespace

Result<ParsedContent> ParseDocument(std::string_view bytes, const Limits& limits,
                                    const SegmentSource& reuse) {
  STAGED_ASSIGN_OR_RETURN(const std::unique_ptr<Package> package, Package::Open(bytes, limits));
  return DocumentParser(*package, limits, reuse).Parse();
}

}  // namespace staged::docx
