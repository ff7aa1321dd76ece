#include "formats/docx/document_parser.h"

#include <algorithm>
#include <set>

#include "codec/vba_records.h"
#include "codec/xml_summary.h"
#include "formats/docx/package.h"
#include "formats/docx/properties.h"
#include "formats/docx/story_facts.h"
#include "formats/docx/word_names.h"
#include "record/segments.h"

namespace staged::docx {
namespace {

const std::vector<std::string> kStoryKinds = {
    "paragraph", "table",    "row",    "cell",       "section",    "control",
    "text_box",  "revision", "image",  "chart",      "diagram",    "shape",
    "object",    "ink",      "import", "background", "alternative"};

// All settings in one record, a member each; revision ids are noise. `relationships` lead to
// templates and data sources.
std::vector<Record> SettingsRecords(const XmlTree& tree, const Relationships& relationships) {
  Record record{.kind = "settings", .locator = "settings"};
  record.key = record.locator;
  record.hidden = "document settings";
  if (tree.size() > 0) {
    Value::Object settings = SummaryOfChildren(tree, 0);
    std::erase_if(settings, [](const Value::Member& member) { return member.first == "rsids"; });
    Value::Array targets;
    for (const OpcRelationship& relationship : relationships.all()) {
      targets.emplace_back(
          Value::Object{{"type", relationship.type}, {"target", relationship.target}});
    }
    if (!targets.empty()) settings.emplace_back("targets", std::move(targets));
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
    const std::string settings = package_.PartOfRole("settings");
    ReadOther("settings", {"settings"}, [&](const XmlTree& tree) {
      return SettingsRecords(tree, package_.RelationshipsOf(settings));
    });
    ReadProperties("core-properties", "prop:");
    // The strict namespace names these two in another way.
    for (const std::string_view role : {"extended-properties", "extendedProperties"}) {
      ReadProperties(role, "app:");
    }
    for (const std::string_view role : {"custom-properties", "customProperties"}) {
      ReadProperties(role, "custom:");
    }
    ReadMacros();
    ReadOtherParts();
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
    add(has_background_ ? "background" : "");
    add_digest(story.part);
    add_digest(package_.PartOfRole("styles"));
    add_digest(package_.PartOfRole("numbering"));
    for (const OpcRelationship& relationship : package_.RelationshipsOf(story.part).all()) {
      add(relationship.id);
      add(relationship.target);
      const std::string_view type = relationship.type;
      if (type == "header" || type == "footer") {
        add(package_.StoryLocator(relationship.target));
      } else if (!relationship.is_external && IsShownInStory(type)) {
        add_digest(relationship.target);
        add_digest(package_.TextPartOf(relationship.target));
        for (const OpcRelationship& inner : package_.RelationshipsOf(relationship.target).all()) {
          add(inner.target);
          add_digest(inner.is_external ? std::string() : inner.target);
        }
      }
    }
    if (const auto use = header_uses_.find(story.prefix); use != header_uses_.end()) {
      add(use->second.hidden);
      for (const Value& section : use->second.sections) {
        add(section.FindString("section"));
        add(section.FindString("type"));
      }
    }
    // Comments tell where in the document they are anchored, and which ones they answer.
    if (story.part == package_.PartOfRole("comments")) {
      for (const auto& [id, anchor] : anchors_) {
        add(id);
        add(anchor.start_locator + ":" + std::to_string(anchor.start));
        add(anchor.has_end ? anchor.end_locator + ":" + std::to_string(anchor.end) : "");
      }
      add_digest(package_.PartOfRole("commentsExtended"));
    }
    return hasher.Finish();
  }

  // Whether the records of a story show the part that such a relationship leads to.
  static bool IsShownInStory(std::string_view type) {
    for (const std::string_view shown :
         {"image", "chart", "chartEx", "diagramData", "oleObject", "package", "control", "aFChunk",
          "customXml", "subDocument"}) {
      if (type == shown) return true;
    }
    return false;
  }

  void ReadStoryPart(const StoryPart& story) {
    const auto segment = SegmentOf(story.part, StoryDigest(story), [&] { return Read(story); });
    segment->ForEach([this](const Record& record) {
      for (const std::string_view name : {"part", "vector_part"}) {
        const std::string_view part = record.attrs.FindString(name);
        if (part.empty()) continue;
        Cover(std::string(part), {record.kind});
        Cover(package_.TextPartOf(std::string(part)), {record.kind});
      }
      if (const Value* media = record.attrs.Find("media")) {
        for (const Value& item : media->as_array()) {
          Cover(std::string(item.FindString("part")), {record.kind});
        }
      }
      return true;
    });
    if (segment->record_count() > 0) CoverRole(story);
    if (&story == &package_.stories().front()) {
      segment->ForEach([this](const Record& record) {
        has_background_ |= record.kind == "background";
        return !has_background_;
      });
      FindHeaderUses(*segment);
    }
    CollectAnchors(*segment, anchors_);
  }

  void CoverRole(const StoryPart& story) {
    Cover(story.part, kStoryKinds);
    if (!story.kind.empty()) Cover(story.part, {story.kind});
    if (story.part == package_.PartOfRole("footnotes")) Cover(story.part, {"footnote"});
    if (story.part == package_.PartOfRole("endnotes")) Cover(story.part, {"endnote"});
    if (story.part == package_.PartOfRole("comments")) {
      Cover(story.part, {"comment"});
      Cover(package_.PartOfRole("commentsExtended"), {"comment"});
    }
  }

  void FindHeaderUses(const Segment& document) {
    bool has_even_headers = false;
    WithTree("settings", [&](const XmlTree& tree) {
      for (uint32_t node = tree.size() > 0 ? tree.FirstChild(0) : XmlTree::kNone;
           node != XmlTree::kNone; node = tree.NextSibling(node)) {
        has_even_headers |=
            tree.IsElement(node) && tree.LocalName(node) == "evenAndOddHeaders" && IsOn(tree, node);
      }
    });
    std::map<std::string, HeaderUse> uses = HeaderUses(document, has_even_headers);
    for (const StoryPart& story : package_.stories()) {
      if (story.kind.empty()) continue;
      const auto use = uses.find(story.prefix.substr(0, story.prefix.size() - 1));
      header_uses_[story.prefix] =
          use != uses.end() ? std::move(use->second) : HeaderUse{{}, "in no section"};
    }
  }

  // Calls `use` with the tree of the part of that role, where there is one that can be read.
  template <typename Use>
  void WithTree(std::string_view role, const Use& use) {
    const std::string part = package_.PartOfRole(role);
    if (part.empty()) return;
    const Result<const std::string*> xml = package_.office().Content(part);
    if (xml.ok()) use(XmlTree(**xml, WordVocabulary(), limits_));
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
    context.has_background =
        has_background_ || (tree.size() > 0 && tree.Child(0, kBackground) != XmlTree::kNone);
    context.comment_anchors = &anchors_;
    CommentThreads threads;
    if (story.part == package_.PartOfRole("comments")) {
      WithTree("commentsExtended",
               [&](const XmlTree& extension) { threads = ReadCommentThreads(tree, extension); });
    }
    context.comment_threads = &threads;
    const auto use = header_uses_.find(story.prefix);
    if (use != header_uses_.end()) context.hidden = use->second.hidden;
    context.limits.records_max =
        limits_.records_max > records_ ? limits_.records_max - records_ : 0;
    Story read = ReadStory(tree, context, story.prefix);
    if (read.is_truncated) {
      Diagnose("error", "limit_exceeded", story.part,
               "the part has more records than the limit records_max allows; the rest is left out");
    }
    if (read.has_alternate_chunks) {
      Diagnose("warning", "alternate_chunk", story.part,
               "the part imports other documents (altChunk); records name them by digest, their "
               "texts are not in the view");
    }
    if (!story.kind.empty()) {
      Record whole{.kind = story.kind, .locator = story.prefix.substr(0, story.prefix.size() - 1)};
      whole.key = whole.locator;
      whole.attrs.Set("part", story.part);
      whole.hidden = context.hidden;
      if (use != header_uses_.end() && !use->second.sections.empty()) {
        whole.attrs.Set("sections", use->second.sections);
      }
      for (Record& record : read.records) {
        if (record.parent.empty()) record.parent = whole.locator;
      }
      read.records.insert(read.records.begin(), std::move(whole));
    }
    return std::move(read.records);
  }

  template <typename Make>
  void ReadOther(std::string_view role, const std::vector<std::string>& kinds, const Make& make) {
    const std::string part = package_.PartOfRole(role);
    if (part.empty()) return;
    ContentHasher hasher;
    hasher.Update(role);
    hasher.Update(package_.office().DigestOf(part).raw());
    for (const OpcRelationship& relationship : package_.RelationshipsOf(part).all()) {
      hasher.Update(relationship.type + " " + relationship.target);
    }
    if (role == "numbering") {
      hasher.Update(package_.office().DigestOf(package_.PartOfRole("styles")).raw());
    }
    const auto segment = SegmentOf(part, hasher.Finish(), [&]() -> std::vector<Record> {
      const Result<const std::string*> xml = package_.office().Content(part);
      if (!xml.ok()) {
        Diagnose("error", "unreadable_part", part, xml.status().message());
        return {};
      }
      const XmlTree tree(**xml, WordVocabulary(), limits_);
      if (!tree.error().ok()) Diagnose("error", "damaged_xml", part, tree.error().message());
      return make(tree);
    });
    if (segment->record_count() > 0) Cover(part, kinds);
  }

  void ReadProperties(std::string_view role, std::string_view prefix) {
    ReadOther(role, {"property"},
              [&](const XmlTree& tree) { return PropertyRecords(tree, prefix); });
  }

  // Custom XML, people, and whatever nothing leads to.
  void ReadOtherParts() {
    for (const Part& part : content_.parts) {
      if (!part.name.ends_with(".xml") || part.name == "[Content_Types].xml") continue;
      if (kinds_by_part_.contains(part.name)) continue;
      const Result<const std::string*> xml = package_.office().Content(part.name);
      if (!xml.ok() || records_ >= limits_.records_max) continue;
      const auto segment = SegmentOf(part.name, part.digest, [&] {
        return OtherPartRecords(XmlTree(**xml, WordVocabulary(), limits_), part.name);
      });
      if (segment->record_count() > 0) Cover(part.name, {"other_part"});
    }
  }

  void ReadMacros() {
    const std::string part = package_.PartOfRole("vbaProject");
    const ZipMember* member = part.empty() ? nullptr : package_.office().Find(part);
    if (member == nullptr) return;
    const auto segment =
        SegmentOf(part, package_.office().DigestOf(part), [&]() -> std::vector<Record> {
          const Result<std::string> bytes = package_.archive().Read(*member);
          Result<std::vector<Record>> records =
              bytes.ok() ? VbaRecords(*bytes, limits_) : bytes.status();
          if (records.ok()) return std::move(*records);
          Diagnose("warning", "unreadable_part", part, records.status().message());
          return {};
        });
    if (segment->record_count() > 0) {
      Cover(part, {std::begin(kVbaRecordKinds), std::end(kVbaRecordKinds)});
    }
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
        Diagnose("warning", "macros", part.name, "the document contains macros");
      }
    }
  }

  Package& package_;
  const Limits limits_;
  const SegmentSource& reuse_;
  ParsedContent content_;
  uint64_t records_ = 0;
  CommentAnchors anchors_;
  std::map<std::string, HeaderUse> header_uses_;  // by the story's prefix
  bool has_background_ = false;
  std::map<std::string, std::set<std::string>> kinds_by_part_;
};

}  // namespace

Result<ParsedContent> ParseDocument(std::string_view bytes, const Limits& limits,
                                    const SegmentSource& reuse) {
  STAGED_ASSIGN_OR_RETURN(const std::unique_ptr<Package> package, Package::Open(bytes, limits));
  return DocumentParser(*package, limits, reuse).Parse();
}

}  // namespace staged::docx
