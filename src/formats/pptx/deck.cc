#include "formats/pptx/deck.h"

#include <charconv>

#include "codec/xml.h"
#include "formats/pptx/presentation_names.h"

namespace staged::pptx {
namespace {

int64_t Number(std::string_view digits) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc() && end != nullptr ? number : 0;
}

// The value of r:id: of the attributes called "id" the one with a prefix.
std::string RelationshipId(const XmlTree& tree, uint32_t element) {
  for (const XmlAttribute& attribute : tree.Attributes(element)) {
    if (attribute.local_name() == "id" && attribute.name != "id") {
      return XmlDecodeAttribute(attribute.value);
    }
  }
  return "";
}

// The plain attribute "id".
std::string NativeId(const XmlTree& tree, uint32_t element) {
  for (const XmlAttribute& attribute : tree.Attributes(element)) {
    if (attribute.name != "id") continue;
    const std::string id = XmlDecodeAttribute(attribute.value);
    if (!id.empty() && id.size() <= 20 && id.find_first_not_of("0123456789") == std::string::npos) {
      return id;
    }
  }
  return "?";
}

std::string Bracketed(std::string_view name, const std::string& id) {
  return std::string(name) + "[" + id + "]";
}

}  // namespace

Result<std::unique_ptr<Deck>> Deck::Open(std::string_view bytes, const Limits& limits) {
  std::unique_ptr<Deck> deck(new Deck(limits));
  STAGED_ASSIGN_OR_RETURN(deck->package_, OfficePackage::Open(bytes, limits));
  deck->main_part_ = deck->package_->PartOfType("", "officeDocument");
  if (deck->main_part_.empty()) {
    const ZipMember* usual = deck->package_->Find("ppt/presentation.xml");
    if (usual != nullptr) deck->main_part_ = usual->name;
  }
  if (deck->main_part_.empty()) {
    return Status(ErrorCode::kParseFailed,
                  "the archive holds no presentation (no relationship to one and no "
                  "ppt/presentation.xml); check that it is a .pptx file");
  }
  STAGED_RETURN_IF_ERROR(deck->ReadPresentation());
  return deck;
}

Status Deck::ReadPresentation() {
  STAGED_ASSIGN_OR_RETURN(const std::string* xml, package_->Content(main_part_));
  const XmlTree tree(*xml, PresentationVocabulary(), limits_);
  if (tree.size() == 0) {
    return Status(ErrorCode::kParseFailed,
                  "the presentation part is no XML; restore the file from its source");
  }
  std::map<std::string, int> counts;
  std::vector<uint32_t> masters;
  for (uint32_t node = 0; node < tree.size(); ++node) {
    const bool is_listed = node > 0 && tree[tree[node].parent].name == kSlideIdList;
    if (tree[node].name == kSlideSize) {
      slide_width_ = Number(tree.Attribute(node, "cx").value_or(""));
      slide_height_ = Number(tree.Attribute(node, "cy").value_or(""));
    } else if (tree[node].name == kSlideId && is_listed) {
      AddSlide(tree, node, counts);
    } else if (tree[node].name == kSlideMasterId) {
      masters.push_back(node);
    }
  }
  for (const uint32_t master : masters) AddMaster(tree, master);
  AddOtherMasters();
  for (size_t i = 0; i < stories_.size(); ++i) story_by_prefix_.emplace(stories_[i].prefix, i);
  return OkStatus();
}

void Deck::AddSlide(const XmlTree& tree, uint32_t slide, std::map<std::string, int>& counts) {
  StoryPart story;
  story.relationship_id = RelationshipId(tree, slide);
  story.prefix = Bracketed("slide", NativeId(tree, slide));
  const int count = ++counts[story.prefix];
  if (count > 1) {
    for (StoryPart& other : stories_) {
      if (other.prefix == story.prefix) other.has_unique_id = false;
    }
    story.prefix += "#" + std::to_string(count);
    story.has_unique_id = false;
  }
  story.number = 1;
  for (const StoryPart& other : stories_) story.number += other.kind == StoryKind::kSlide ? 1 : 0;
  const OpcRelationship* relationship = package_->Relationship(main_part_, story.relationship_id);
  const ZipMember* member = relationship == nullptr || relationship->is_external
                                ? nullptr
                                : package_->Find(relationship->target);
  story.part = member == nullptr ? "" : member->name;
  if (member != nullptr) {
    story.layout_part = package_->PartOfType(story.part, "slideLayout");
    story.master_part = package_->PartOfType(story.layout_part, "slideMaster");
  }
  stories_.push_back(story);
  const std::string notes = member == nullptr ? "" : package_->PartOfType(story.part, "notesSlide");
  if (notes.empty()) return;
  StoryPart notes_story{.kind = StoryKind::kNotes, .prefix = story.prefix + "/notes"};
  notes_story.part = notes;
  notes_story.has_unique_id = story.has_unique_id;
  notes_story.master_part = package_->PartOfType(notes, "notesMaster");
  stories_.push_back(std::move(notes_story));
}

void Deck::AddMaster(const XmlTree& tree, uint32_t master) {
  const OpcRelationship* relationship =
      package_->Relationship(main_part_, RelationshipId(tree, master));
  const ZipMember* member =
      relationship == nullptr ? nullptr : package_->Find(relationship->target);
  if (member == nullptr) return;
  const std::string part = member->name;
  stories_.push_back({.kind = StoryKind::kMaster,
                      .prefix = Bracketed("master", NativeId(tree, master)),
                      .part = part});
  const Result<const std::string*> xml = package_->Content(part);
  if (!xml.ok()) return;
  const XmlTree master_tree(**xml, PresentationVocabulary(), limits_);
  for (uint32_t node = 0; node < master_tree.size(); ++node) {
    if (master_tree[node].name != kSlideLayoutId) continue;
    const OpcRelationship* to = package_->Relationship(part, RelationshipId(master_tree, node));
    const ZipMember* layout = to == nullptr ? nullptr : package_->Find(to->target);
    if (layout == nullptr) continue;
    stories_.push_back({.kind = StoryKind::kLayout,
                        .prefix = Bracketed("layout", NativeId(master_tree, node)),
                        .part = layout->name,
                        .master_part = part});
  }
}

void Deck::AddOtherMasters() {
  const std::string notes = package_->PartOfType(main_part_, "notesMaster");
  if (!notes.empty()) {
    stories_.push_back({.kind = StoryKind::kNotesMaster, .prefix = "notes_master", .part = notes});
  }
  const std::string handout = package_->PartOfType(main_part_, "handoutMaster");
  if (!handout.empty()) {
    stories_.push_back(
        {.kind = StoryKind::kHandoutMaster, .prefix = "handout_master", .part = handout});
  }
  // Ids are unique in a sound file; where they are not, locators still must be.
  std::map<std::string, int> counts;
  for (StoryPart& story : stories_) {
    const int count = ++counts[story.prefix];
    if (count > 1) {
      story.prefix += "#" + std::to_string(count);
      story.has_unique_id = false;
    }
  }
}

const StoryPart* Deck::FindStory(std::string_view locator) const {
  const StoryPart* best = nullptr;
  for (size_t end = locator.find('/'); true; end = locator.find('/', end + 1)) {
    const auto found = story_by_prefix_.find(locator.substr(0, end));
    if (found != story_by_prefix_.end()) best = &stories_[found->second];
    if (end == std::string_view::npos) return best;
  }
}

const Deck::Layout& Deck::LayoutOf(const std::string& part) {
  const auto [entry, is_new] = layouts_.try_emplace(part);
  if (!is_new || part.empty()) return entry->second;
  const Result<const std::string*> xml = package_->Content(part);
  if (!xml.ok()) return entry->second;
  const XmlTree tree(**xml, PresentationVocabulary(), limits_);
  if (tree.size() == 0) return entry->second;
  const uint32_t common = tree.Child(0, kCommonSlide);
  if (common != XmlTree::kNone) entry->second.name = tree.AttributeText(common, "name");
  entry->second.placeholders = ReadPlaceholders(tree);
  return entry->second;
}

std::string Deck::NameOf(const std::string& part) { return LayoutOf(part).name; }

ShapeContext Deck::ContextOf(const StoryPart& story, std::string hidden) {
  ShapeContext context = ContextOfPart(story.part);
  context.prefix = story.prefix;
  context.hidden = std::move(hidden);
  context.limits = limits_;
  if (!story.layout_part.empty()) context.layout = &LayoutOf(story.layout_part).placeholders;
  if (!story.master_part.empty()) context.master = &LayoutOf(story.master_part).placeholders;
  switch (story.kind) {
    case StoryKind::kSlide:
      context.slide_width = slide_width_;
      context.slide_height = slide_height_;
      break;
    case StoryKind::kNotes:
      context.hidden = "speaker notes";
      context.body_stands_alone = true;
      break;
    case StoryKind::kLayout:
      context.hidden_placeholders = "prompt of a layout";
      break;
    case StoryKind::kMaster:
      context.hidden_placeholders = "prompt of a master";
      break;
    case StoryKind::kNotesMaster:
    case StoryKind::kHandoutMaster:
      context.hidden = "master of notes or handouts";
      break;
  }
  return context;
}

ShapeContext Deck::ContextOfPart(const std::string& part) {
  ShapeContext context;
  context.part = part;
  context.relationship = [this, part](std::string_view id) {
    return package_->Relationship(part, id);
  };
  context.digest = [this](const std::string& of) {
    const ContentHash digest = package_->DigestOf(of);
    return digest.is_zero() ? std::string() : digest.ToString();
  };
  return context;
}

std::string HiddenReason(const XmlTree& slide) {
  if (slide.size() == 0) return "";
  const std::string_view show = slide.Attribute(0, "show").value_or("1");
  return show == "0" || show == "false" || show == "off" ? "hidden slide" : "";
}

}  // namespace staged::pptx
