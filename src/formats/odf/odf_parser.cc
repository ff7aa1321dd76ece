#include "formats/odf/odf_parser.h"

#include <algorithm>
#include <map>
#include <set>

#include "codec/xml_summary.h"
#include "formats/odf/odf_names.h"
#include "formats/odf/odf_stories.h"
#include "record/segments.h"

namespace staged::odf {
namespace {

class OdfParser {
 public:
  OdfParser(OdfFile& file, OdfKind kind, std::string_view bytes, const Limits& limits,
            const SegmentSource& reuse)
      : file_(file), kind_(kind), bytes_(bytes), limits_(limits), reuse_(reuse) {}

  Result<ParsedContent> Parse() {
    if (OfficePackage* package = file_.package()) {
      content_.parts = package->DigestAll(content_.diagnostics);
      for (const std::string& warning : package->archive().warnings()) {
        Diagnose("warning", "archive", "", warning);
      }
      if (package->IsSigned()) {
        Diagnose("warning", "signed", "",
                 "the file is digitally signed; any edit makes the signature invalid");
      }
    } else {
      content_.parts.push_back(
          {.name = "", .digest = ContentHash::Of(bytes_), .size_bytes = bytes_.size()});
    }
    STAGED_RETURN_IF_ERROR(file_.ReadTrees(content_.diagnostics));
    context_ = file_.Context();
    for (const OdfStory& story : StoriesOf(file_, kind_)) AddStory(story);
    AddStyles();
    AddMetadata();
    for (Part& part : content_.parts) {
      const auto found = kinds_by_part_.find(part.name);
      if (found != kinds_by_part_.end()) {
        part.kinds.assign(found->second.begin(), found->second.end());
      }
    }
    return std::move(content_);
  }

 private:
  void Diagnose(std::string severity, std::string code, std::string locator, std::string message) {
    if (content_.diagnostics.size() >= limits_.diagnostics_max) return;
    content_.diagnostics.push_back(
        {std::move(severity), std::move(code), std::move(locator), std::move(message)});
  }

  template <typename Make>
  std::shared_ptr<const Segment> AddSegment(const std::string& part, ContentHasher& hasher,
                                            const Make& make) {
    const ContentHash digest = hasher.Finish();
    std::shared_ptr<const Segment> segment = reuse_ ? reuse_(part, digest) : nullptr;
    if (segment == nullptr) {
      context_.limits.records_max =
          limits_.records_max > records_ ? limits_.records_max - records_ : 0;
      segment = std::make_shared<RecordListSegment>(part, digest, make());
    }
    records_ += segment->record_count();
    segment->ForEach([&](const Record& record) {
      kinds_by_part_[part].insert(record.kind);
      const std::string_view other = record.attrs.FindString("part");
      if (!other.empty()) kinds_by_part_[std::string(other)].insert(record.kind);
      return true;
    });
    content_.segments.push_back(segment);
    return segment;
  }

  std::vector<Record> Take(Blocks blocks, const std::string& part) {
    if (blocks.is_truncated) {
      Diagnose("error", "limit_exceeded", part,
               "the file has more records than the limit records_max allows; the rest is left out");
    }
    return std::move(blocks.records);
  }

  void AddStory(const OdfStory& story) {
    const XmlTree& tree = TreeOf(file_, story);
    ContentHasher hasher;
    hasher.Update(story.kind + "\n" + story.locator + "\n" + story.name + "\n" +
                  std::to_string(story.number) + "\n");
    hasher.Update(file_.context_digest().raw());
    if (story.kind == "names") {
      HashNames(tree, story.node, hasher);
    } else {
      hasher.Update(tree.Raw(story.node));
      // The page's own digests of pictures and objects.
      for (const Part& part : content_.parts) {
        if (part.name.starts_with("Pictures/") || part.name.starts_with("Object")) {
          hasher.Update(part.digest.raw());
        }
      }
    }
    const auto segment = AddSegment(
        story.part, hasher, [&] { return Take(ReadStory(file_, story, context_), story.part); });
    AddObjects(*segment);
  }

  static void HashNames(const XmlTree& tree, uint32_t body, ContentHasher& hasher) {
    for (uint32_t node = tree.FirstChild(body); node != XmlTree::kNone;
         node = tree.NextSibling(node)) {
      if (tree.IsElement(node) && tree[node].name != kTable) hasher.Update(tree.Raw(node));
    }
  }

  // Charts and other documents inside this one: their texts and tables.
  void AddObjects(const Segment& segment) {
    OfficePackage* package = file_.package();
    if (package == nullptr) return;
    std::vector<Record> objects;
    segment.ForEach([&](const Record& record) {
      if (record.kind == "object" && !record.attrs.FindString("part").empty()) {
        objects.push_back(record);
      }
      return true;
    });
    for (const Record& object : objects) {
      const std::string part = std::string(object.attrs.FindString("part")) + "/content.xml";
      if (package->Find(part) == nullptr) continue;
      ContentHasher hasher;
      hasher.Update(object.locator + "\n" + object.hidden + "\n");
      hasher.Update(package->DigestOf(part).raw());
      AddSegment(part, hasher, [&]() -> std::vector<Record> {
        const Result<const std::string*> xml = package->Content(part);
        if (!xml.ok()) return {};
        const XmlTree tree(**xml, OdfVocabulary(), limits_);
        Blocks blocks;
        BlockReader reader(tree, context_, Naming::kText, object.locator + "/", blocks);
        if (tree.size() > 0) {
          reader.ReadAll(tree.Child(0, kBody), object.locator + "/object/", object.locator,
                         object.hidden);
        }
        return Take(std::move(blocks), part);
      });
    }
  }

  void AddStyles() {
    ContentHasher hasher;
    hasher.Update("styles\n");
    hasher.Update(file_.context_digest().raw());
    const std::string part =
        file_.styles_part().empty() ? file_.content_part() : file_.styles_part();
    AddSegment(part, hasher, [&] { return file_.styles().Records(); });
  }

  void AddMetadata() {
    std::string part;
    const XmlTree* tree = &file_.content();
    std::unique_ptr<XmlTree> own;
    if (OfficePackage* package = file_.package()) {
      part = "meta.xml";
      const Result<const std::string*> xml = package->Content(part);
      if (!xml.ok()) return;
      own = std::make_unique<XmlTree>(**xml, OdfVocabulary(), limits_);
      tree = own.get();
    }
    if (tree->size() == 0) return;
    const uint32_t meta = tree->Child(0, kMeta);
    if (meta == XmlTree::kNone) return;
    ContentHasher hasher;
    hasher.Update("metadata\n");
    hasher.Update(tree->Raw(meta));
    AddSegment(part, hasher, [&] { return PropertyRecords(*tree, "prop:", meta); });
  }

  OdfFile& file_;
  const OdfKind kind_;
  const std::string_view bytes_;
  const Limits limits_;
  const SegmentSource& reuse_;
  BlockContext context_;
  ParsedContent content_;
  uint64_t records_ = 0;
  std::map<std::string, std::set<std::string>> kinds_by_part_;
};

}  // namespace

Result<ParsedContent> ParseOdf(std::string_view bytes, OdfKind kind, const Limits& limits,
                               const SegmentSource& reuse) {
  STAGED_ASSIGN_OR_RETURN(const std::unique_ptr<OdfFile> file, OdfFile::Open(bytes, kind, limits));
  return OdfParser(*file, kind, bytes, limits, reuse).Parse();
}

}  // namespace staged::odf
