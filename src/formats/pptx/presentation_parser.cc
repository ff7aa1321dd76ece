#include "formats/pptx/presentation_parser.h"

#include <algorithm>
#include <map>
#include <set>

#include "codec/vba_records.h"
#include "codec/xml_summary.h"
#include "formats/pptx/deck.h"
#include "formats/pptx/presentation_names.h"
#include "formats/pptx/related_media.h"
#include "formats/pptx/related_parts.h"
#include "record/segments.h"

namespace staged::pptx {
namespace {

const std::vector<std::string> kShapeKinds = {"shape", "image", "connector", "group",      "table",
                                              "row",   "cell",  "chart",     "diagram",    "object",
                                              "ink",   "frame", "paragraph", "alternative"};

const char* KindName(StoryKind kind) {
  switch (kind) {
    case StoryKind::kSlide:
      return "slide";
    case StoryKind::kNotes:
      return "notes";
    case StoryKind::kLayout:
      return "layout";
    default:
      return "master";
  }
}

bool IsTransition(const XmlTree& tree, uint32_t node) {
  return tree[node].name == kTransition || (tree[node].name == kAlternateContent &&
                                            Descendant(tree, node, kTransition) != XmlTree::kNone);
}

// The story's own record, and those of its transition and animations.
std::vector<Record> StoryRecords(const XmlTree& tree, const StoryPart& story,
                                 const ShapeContext& context, const std::string& layout,
                                 const std::string& title) {
  const std::string& hidden = context.hidden;
  std::vector<Record> records(1);
  Record& whole = records[0];
  whole.kind = KindName(story.kind);
  whole.locator = whole.key = story.prefix;
  whole.text = title;
  whole.hidden = hidden;
  const size_t slash = story.prefix.rfind('/');
  if (slash != std::string::npos) whole.parent = story.prefix.substr(0, slash);
  if (story.number > 0) whole.attrs.Set("number", story.number);
  if (!layout.empty()) whole.attrs.Set("layout", layout);
  if (tree.size() == 0) return records;
  std::vector<ByteSpan> modelled;
  const uint32_t common = tree.Child(0, kCommonSlide);
  if (common != XmlTree::kNone) {
    const std::string name = tree.AttributeText(common, "name");
    if (!name.empty()) whole.attrs.Set("name", name);
    const uint32_t background = tree.Child(common, kBackground);
    if (background != XmlTree::kNone) {
      whole.attrs.Set("background", XmlDigest(tree, background));
      AddMedia(tree, background, context, {}, whole);
    }
    modelled.push_back({tree[common].begin, tree[common].end});
  }
  for (uint32_t child = tree.FirstChild(0); child != XmlTree::kNone;
       child = tree.NextSibling(child)) {
    const bool is_timing = tree[child].name == kTiming;
    if (!is_timing && !IsTransition(tree, child)) continue;
    Record record{.kind = is_timing ? "animation" : "transition", .parent = story.prefix};
    record.key = record.kind;
    record.locator = story.prefix + "/" + record.kind;
    record.attrs.Set("digest", XmlDigest(tree, child));
    if (!is_timing) record.text = XmlSummary(tree, child);
    AddMedia(tree, child, context, {}, record);
    record.span = ByteSpan{tree[child].begin, tree[child].end};
    record.hidden = hidden;
    const bool is_known = std::any_of(records.begin(), records.end(), [&](const Record& other) {
      return other.locator == record.locator;
    });
    modelled.push_back({tree[child].begin, tree[child].end});
    if (!is_known) records.push_back(std::move(record));
  }
  std::sort(modelled.begin(), modelled.end(),
            [](const ByteSpan& left, const ByteSpan& right) { return left.begin < right.begin; });
  records[0].attrs.Set("format", XmlDigest(tree, 0, modelled));
  return records;
}

class PresentationParser {
 public:
  PresentationParser(Deck& deck, const Limits& limits, const SegmentSource& reuse)
      : deck_(deck), package_(deck.package()), limits_(limits), reuse_(reuse) {}

  Result<ParsedContent> Parse() {
    content_.parts = package_.DigestAll(content_.diagnostics);
    for (const std::string& warning : package_.archive().warnings()) {
      Diagnose("warning", "archive", "", warning);
    }
    ReadMain();
    ReadAuthors();
    for (const StoryPart& story : deck_.stories()) ReadStory(story);
    ReadProperties("core-properties", "prop:");
    ReadProperties("extended-properties", "app:");
    ReadProperties("extendedProperties", "app:");
    ReadProperties("custom-properties", "custom:");
    ReadProperties("customProperties", "custom:");
    ReadMacros();
    ReadOtherParts();
    for (Part& part : content_.parts) {
      const auto found = kinds_by_part_.find(part.name);
      if (found != kinds_by_part_.end()) {
        part.kinds.assign(found->second.begin(), found->second.end());
      }
      if (part.name.ends_with("vbaProject.bin")) {
        Diagnose("warning", "macros", part.name, "the file contains macros");
      }
    }
    if (package_.IsSigned()) {
      Diagnose("warning", "signed", "",
               "the file is digitally signed; any edit makes the signature invalid");
    }
    return std::move(content_);
  }

 private:
  void Diagnose(std::string severity, std::string code, std::string locator, std::string message) {
    if (content_.diagnostics.size() >= limits_.diagnostics_max) return;
    content_.diagnostics.push_back(
        {std::move(severity), std::move(code), std::move(locator), std::move(message)});
  }

  void Cover(const std::string& part, const std::vector<std::string>& kinds) {
    const ZipMember* member = package_.Find(part);
    if (member != nullptr) kinds_by_part_[member->name].insert(kinds.begin(), kinds.end());
  }

  // Segment by its digest from the cache, else made by `make` of the part's tree.
  template <typename Make>
  std::shared_ptr<const Segment> AddSegment(const std::string& part, ContentHasher& hasher,
                                            const Make& make) {
    hasher.Update(package_.DigestOf(part).raw());
    const ContentHash digest = hasher.Finish();
    std::shared_ptr<const Segment> segment = reuse_ ? reuse_(part, digest) : nullptr;
    if (segment == nullptr) {
      std::vector<Record> records;
      const Result<const std::string*> xml = package_.Content(part);
      if (xml.ok()) {
        const XmlTree tree(**xml, PresentationVocabulary(), limits_);
        if (!tree.error().ok()) {
          const bool is_limit = tree.error().code() == ErrorCode::kLimitExceeded;
          Diagnose("error", is_limit ? "limit_exceeded" : "damaged_xml", part,
                   tree.error().message());
        }
        records = make(tree);
      } else {
        Diagnose("error", "unreadable_part", part, xml.status().message());
      }
      const uint64_t allowed = limits_.records_max > records_ ? limits_.records_max - records_ : 0;
      if (records.size() > allowed) {
        Diagnose("error", "limit_exceeded", part,
                 "the file has more records than the limit records_max allows; the rest is left "
                 "out");
        records.resize(allowed);
      }
      segment = std::make_shared<RecordListSegment>(part, digest, std::move(records));
    }
    records_ += segment->record_count();
    content_.segments.push_back(segment);
    return segment;
  }

  static void Add(ContentHasher& hasher, std::string_view text) {
    hasher.Update(text);
    hasher.Update(std::string_view("\0", 1));
  }

  void ReadMain() {
    ContentHasher hasher;
    Add(hasher, "presentation");
    AddSegment(deck_.main_part(), hasher, [](const XmlTree& tree) {
      Record whole{.kind = "presentation", .locator = "presentation"};
      whole.key = whole.locator;
      whole.hidden = "settings";
      std::vector<ByteSpan> modelled;
      std::vector<Record> sections;
      size_t shows = 0;
      for (uint32_t node = 0; node < tree.size(); ++node) {
        const uint16_t name = tree[node].name;
        if (name == kSlideSize) {
          whole.attrs.Set("size", XmlSummary(tree, node));
        } else if (name == kSection) {
          sections.push_back(SectionRecord(tree, node, sections.size() + 1 - shows));
        } else if (name == kCustomShow) {
          sections.push_back(CustomShowRecord(tree, node, ++shows));
        } else if (tree.IsElement(node) && tree.LocalName(node) == "modifyVerifier") {
          whole.attrs.Set("write_protected", true);
        }
        if (name == kSlideSize || name == kSection || name == kSlideIdList) {
          modelled.push_back({tree[node].begin, tree[node].end});
        }
      }
      if (tree.size() > 0) whole.attrs.Set("format", XmlDigest(tree, 0, modelled));
      sections.insert(sections.begin(), std::move(whole));
      return sections;
    });
    Cover(deck_.main_part(), {"presentation", "section", "slide", "custom_show"});
  }

  static Record CustomShowRecord(const XmlTree& tree, uint32_t show, size_t number) {
    Record record{.kind = "custom_show", .locator = "show:" + std::to_string(number)};
    record.key = record.locator;
    record.text = tree.AttributeText(show, "name");
    record.hidden = "list of slides";
    record.attrs.Set("slides", XmlSummary(tree, show));
    record.span = ByteSpan{tree[show].begin, tree[show].end};
    return record;
  }

  static Record SectionRecord(const XmlTree& tree, uint32_t section, size_t number) {
    Record record{.kind = "section", .locator = "section:" + std::to_string(number)};
    record.key = tree.AttributeText(section, "id");
    record.text = tree.AttributeText(section, "name");
    Value::Array slides;
    for (uint32_t node = section + 1; node < tree[section].subtree_end; ++node) {
      if (tree[node].name == kSectionSlide) slides.emplace_back(tree.AttributeText(node, "id"));
    }
    record.attrs.Set("slides", std::move(slides));
    record.span = ByteSpan{tree[section].begin, tree[section].end};
    return record;
  }

  // Custom XML, tags, and whatever nothing leads to.
  void ReadOtherParts() {
    for (const Part& part : content_.parts) {
      const bool is_xml = part.name.ends_with(".xml") && part.name != "[Content_Types].xml";
      if (!is_xml || kinds_by_part_.contains(part.name)) continue;
      ContentHasher hasher;
      Add(hasher, "other part");
      const auto segment = AddSegment(part.name, hasher, [&](const XmlTree& tree) {
        return OtherPartRecords(tree, part.name);
      });
      if (segment->record_count() > 0) Cover(part.name, {"other_part"});
    }
  }

  void ReadMacros() {
    const std::string part = package_.PartOfType(deck_.main_part(), "vbaProject");
    const ZipMember* member = part.empty() ? nullptr : package_.Find(part);
    if (member == nullptr) return;
    const ContentHash digest = package_.DigestOf(part);
    std::shared_ptr<const Segment> segment = reuse_ ? reuse_(part, digest) : nullptr;
    if (segment == nullptr) {
      const Result<std::string> bytes = package_.archive().Read(*member);
      Result<std::vector<Record>> records =
          bytes.ok() ? VbaRecords(*bytes, limits_) : bytes.status();
      if (!records.ok()) {
        Diagnose("warning", "unreadable_part", part, records.status().message());
        return;
      }
      segment = std::make_shared<RecordListSegment>(part, digest, std::move(*records));
    }
    records_ += segment->record_count();
    content_.segments.push_back(segment);
    Cover(part, {std::begin(kVbaRecordKinds), std::end(kVbaRecordKinds)});
  }

  void ReadAuthors() {
    for (const std::string_view type : {"commentAuthors", "authors"}) {
      const std::string part = package_.PartOfType(deck_.main_part(), type);
      if (part.empty()) continue;
      authors_digest_ += package_.DigestOf(part).raw();
      const Result<const std::string*> xml = package_.Content(part);
      if (xml.ok()) {
        ReadCommentAuthors(XmlTree(**xml, PresentationVocabulary(), limits_), authors_);
      }
      ContentHasher hasher;
      Add(hasher, type);
      const auto segment = AddSegment(part, hasher, AuthorRecords);
      if (segment->record_count() > 0) Cover(part, {"author"});
    }
  }

  void AddStoryDigest(const StoryPart& story, ContentHasher& hasher) {
    Add(hasher, story.prefix);
    Add(hasher, std::to_string(story.number) + " " + std::to_string(deck_.slide_width()) + " " +
                    std::to_string(deck_.slide_height()));
    hasher.Update(package_.DigestOf(story.layout_part).raw());
    hasher.Update(package_.DigestOf(story.master_part).raw());
    for (const OpcRelationship& relationship : package_.RelationshipsOf(story.part)) {
      Add(hasher, relationship.id);
      Add(hasher, relationship.target);
      hasher.Update(package_.DigestOf(relationship.target).raw());
    }
  }

  void ReadStory(const StoryPart& story) {
    if (story.part.empty()) {
      Diagnose("error", "missing_part", story.prefix,
               "the slide's part is missing; restore the file from its source");
      return;
    }
    ContentHasher hasher;
    AddStoryDigest(story, hasher);
    const std::string layout = deck_.NameOf(story.layout_part);
    const auto segment = AddSegment(story.part, hasher, [&](const XmlTree& tree) {
      const std::string hidden =
          story.kind == StoryKind::kSlide ? HiddenReason(tree) : std::string();
      const ShapeContext context = deck_.ContextOf(story, hidden);
      ShapeStory shapes = ReadShapes(tree, context);
      std::vector<Record> records = StoryRecords(tree, story, context, layout, shapes.title);
      std::move(shapes.records.begin(), shapes.records.end(), std::back_inserter(records));
      return records;
    });
    if (!story.has_unique_id) {
      Diagnose("warning", "duplicate_id", story.prefix,
               "several slides share this id; save the file in its own application to renumber");
    }
    Cover(story.part, kShapeKinds);
    Cover(story.part, {KindName(story.kind), "transition", "animation"});
    ReadFramesOf(*segment);
    if (story.kind == StoryKind::kSlide) ReadCommentsOf(story);
  }

  // The parts that the records of a segment name.
  void CoverShown(const Segment& segment) {
    segment.ForEach([this](const Record& record) {
      const std::string_view part = record.attrs.FindString("part");
      const bool has_records = record.kind == "chart" || record.kind == "diagram";
      if (!part.empty() && !has_records) Cover(std::string(part), {record.kind});
      if (const Value* media = record.attrs.Find("media")) {
        for (const Value& item : media->as_array()) {
          Cover(std::string(item.FindString("part")), {record.kind});
        }
      }
      return true;
    });
  }

  // Charts and diagrams that the story's frames show; images and embedded parts are covered.
  void ReadFramesOf(const Segment& segment) {
    CoverShown(segment);
    std::vector<Record> frames;
    segment.ForEach([&](const Record& record) {
      const bool is_frame = record.kind == "chart" || record.kind == "diagram";
      if (is_frame && !record.attrs.FindString("part").empty()) frames.push_back(record);
      return true;
    });
    for (const Record& frame : frames) {
      const ZipMember* member = package_.Find(frame.attrs.FindString("part"));
      if (member == nullptr) {
        Diagnose("warning", "missing_part", frame.locator,
                 "the part that the frame shows is missing");
        continue;
      }
      if (frame.kind == "chart") {
        ReadFrame(member->name, frame, ReadChart, {"chart_definition", "series", "chart_text"});
        const std::string drawn = package_.PartOfType(member->name, "chartUserShapes");
        if (!drawn.empty()) ReadFrame(drawn, frame, ReadChartDrawing, {"chart_text"});
      } else {
        ReadFrame(member->name, frame, ReadDiagram, {"node", "paragraph"});
      }
    }
  }

  void ReadFrame(const std::string& part, const Record& frame,
                 std::vector<Record> (*read)(const XmlTree&, const FrameContext&),
                 const std::vector<std::string>& kinds) {
    ContentHasher hasher;
    Add(hasher, frame.locator);
    Add(hasher, frame.hidden);
    for (const OpcRelationship& relationship : package_.RelationshipsOf(part)) {
      Add(hasher, relationship.id);
      Add(hasher, relationship.target);
      hasher.Update(package_.DigestOf(relationship.target).raw());
    }
    const auto segment = AddSegment(part, hasher, [&](const XmlTree& tree) {
      const ShapeContext context = deck_.ContextOfPart(part);
      return read(tree, {frame.locator, frame.hidden, &context});
    });
    if (segment->record_count() > 0) Cover(part, kinds);
    CoverShown(*segment);
  }

  void ReadCommentsOf(const StoryPart& slide) {
    for (const OpcRelationship& relationship : package_.RelationshipsOf(slide.part)) {
      if (relationship.type != "comments" || relationship.is_external) continue;
      const ZipMember* member = package_.Find(relationship.target);
      if (member == nullptr) continue;
      ContentHasher hasher;
      Add(hasher, slide.prefix);
      hasher.Update(authors_digest_);
      AddSegment(member->name, hasher,
                 [&](const XmlTree& tree) { return ReadComments(tree, slide.prefix, authors_); });
      Cover(member->name, {"comment"});
    }
  }

  void ReadProperties(std::string_view type, std::string_view prefix) {
    const std::string part = package_.PartOfType("", type);
    if (part.empty()) return;
    ContentHasher hasher;
    Add(hasher, prefix);
    AddSegment(part, hasher, [&](const XmlTree& tree) { return PropertyRecords(tree, prefix); });
    Cover(part, {"property"});
  }

  Deck& deck_;
  OfficePackage& package_;
  const Limits limits_;
  const SegmentSource& reuse_;
  ParsedContent content_;
  uint64_t records_ = 0;
  CommentAuthors authors_;
  std::string authors_digest_;
  std::map<std::string, std::set<std::string>> kinds_by_part_;
};

}  // namespace

Result<ParsedContent> ParsePresentation(std::string_view bytes, const Limits& limits,
                                        const SegmentSource& reuse) {
  STAGED_ASSIGN_OR_RETURN(const std::unique_ptr<Deck> deck, Deck::Open(bytes, limits));
  return PresentationParser(*deck, limits, reuse).Parse();
}

}  // namespace staged::pptx
