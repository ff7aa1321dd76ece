#include "formats/pptx/slide_list_editor.h"

#include <algorithm>

#include "codec/splice.h"
#include "codec/xml_elements.h"
#include "formats/pptx/presentation_names.h"

namespace staged::pptx {

SlideListEditor::SlideListEditor(Deck& deck, const Limits& limits) : deck_(deck), limits_(limits) {
  for (const StoryPart& story : deck.stories()) {
    if (story.kind == StoryKind::kSlide) before_.push_back(&story);
  }
  order_ = before_;
}

bool SlideListEditor::is_changed() const { return order_ != before_; }

Result<size_t> SlideListEditor::PositionOf(const StoryPart& slide) const {
  const auto found = std::find(order_.begin(), order_.end(), &slide);
  if (found != order_.end()) return static_cast<size_t>(found - order_.begin());
  return Status(ErrorCode::kNoMatch, "'" + slide.prefix +
                                         "' was deleted by an earlier edit of the same call; leave "
                                         "one of the two out");
}

Status SlideListEditor::Delete(const StoryPart& slide) {
  STAGED_ASSIGN_OR_RETURN(const size_t position, PositionOf(slide));
  for (const StoryPart* other : before_) {
    if (other == &slide || other->part != slide.part) continue;
    return Status(ErrorCode::kUnsupportedEdit,
                  "'" + slide.prefix +
                      "' shares its part with another slide; save the file in its "
                      "own application first");
  }
  std::set<std::string> cut = deleted_;
  cut.insert(slide.relationship_id);
  if (!slide.part.empty() && ReachableParts(cut).contains(slide.part)) {
    return Status(ErrorCode::kUnsupportedEdit,
                  "other slides or views link to '" + slide.prefix +
                      "'; remove those links first, or hide it with set_hidden");
  }
  order_.erase(order_.begin() + static_cast<std::ptrdiff_t>(position));
  deleted_ = std::move(cut);
  return OkStatus();
}

Status SlideListEditor::Move(const Edit& edit, const StoryPart& slide) {
  STAGED_ASSIGN_OR_RETURN(const size_t from, PositionOf(slide));
  size_t to = SIZE_MAX;
  if (const Value* number = edit.arguments.Find("to"); number != nullptr && number->is_integer()) {
    if (number->as_integer() < 1 || static_cast<size_t>(number->as_integer()) > order_.size()) {
      return Status(ErrorCode::kInvalidArgument,
                    "\"to\" must be a slide's number from 1 to " + std::to_string(order_.size()));
    }
    to = static_cast<size_t>(number->as_integer()) - 1;
  }
  for (const std::string_view name : {"before", "after"}) {
    const std::string other(edit.arguments.FindString(name));
    if (other.empty()) continue;
    const StoryPart* neighbour = deck_.FindStory(other);
    if (neighbour == nullptr || neighbour->prefix != other ||
        neighbour->kind != StoryKind::kSlide || neighbour == &slide) {
      return Status(ErrorCode::kNoMatch, "\"" + std::string(name) +
                                             "\" must name another slide, not '" + other +
                                             "'; list them with `staged parse FILE --kind slide`");
    }
    STAGED_ASSIGN_OR_RETURN(to, PositionOf(*neighbour));
    if (from < to) --to;  // the place once the slide is taken out
    if (name == "after") ++to;
  }
  if (to == SIZE_MAX) {
    return Status(
        ErrorCode::kInvalidArgument,
        "move needs \"before\" or \"after\" with a slide's locator, or \"to\" with a number");
  }
  order_.erase(order_.begin() + static_cast<std::ptrdiff_t>(from));
  order_.insert(order_.begin() + static_cast<std::ptrdiff_t>(to), &slide);
  return OkStatus();
}

std::set<std::string> SlideListEditor::ReachableParts(const std::set<std::string>& cut) const {
  OfficePackage& package = deck_.package();
  std::set<std::string> reached;
  std::vector<std::string> open{""};
  while (!open.empty()) {
    const std::string part = open.back();
    open.pop_back();
    for (const OpcRelationship& relationship : package.RelationshipsOf(part)) {
      if (relationship.is_external) continue;
      if (part == deck_.main_part() && cut.contains(relationship.id)) continue;
      const ZipMember* member = package.Find(relationship.target);
      if (member != nullptr && reached.insert(member->name).second) open.push_back(member->name);
    }
  }
  return reached;
}

Result<std::string> SlideListEditor::NewPresentation(const std::string& xml) const {
  const XmlTree tree(xml, PresentationVocabulary(), limits_);
  STAGED_RETURN_IF_ERROR(tree.error());
  std::vector<uint32_t> slots;
  std::set<std::string> gone_ids;
  SplicePlan plan;
  for (uint32_t node = 0; node < tree.size(); ++node) {
    const bool is_listed = node > 0 && tree[tree[node].parent].name == kSlideIdList;
    if (tree[node].name == kSlideId && is_listed) slots.push_back(node);
  }
  if (slots.size() != before_.size()) {
    return Status(ErrorCode::kParseFailed, "the list of slides is damaged; save the file first");
  }
  for (size_t i = 0; i < before_.size(); ++i) {
    if (deleted_.contains(before_[i]->relationship_id)) {
      gone_ids.insert(tree.AttributeText(slots[i], "id"));
    }
  }
  for (size_t i = 0; i < slots.size(); ++i) {
    const XmlNode& slot = tree[slots[i]];
    if (i >= order_.size()) {
      const size_t begin = i == 0 ? slot.begin : tree[slots[i - 1]].end;
      plan.Replace(begin, slot.end, "");
      continue;
    }
    const auto source = std::find(before_.begin(), before_.end(), order_[i]) - before_.begin();
    const uint32_t node = slots[static_cast<size_t>(source)];
    if (node != slots[i]) plan.Replace(slot.begin, slot.end, std::string(tree.Raw(node)));
  }
  for (uint32_t node = 0; node < tree.size(); ++node) {
    const uint16_t name = tree[node].name;
    if (!tree.IsElement(node) || std::find(slots.begin(), slots.end(), node) != slots.end())
      continue;
    if (name == kSectionSlide) {
      if (gone_ids.contains(tree.AttributeText(node, "id"))) {
        plan.Replace(tree[node].begin, tree[node].end, "");
      }
      continue;
    }
    for (const XmlAttribute& attribute : tree.Attributes(node)) {
      if (attribute.local_name() == "id" && attribute.name != "id" &&
          deleted_.contains(std::string(attribute.value))) {
        return Status(ErrorCode::kUnsupportedEdit,
                      "a custom show names the slide to delete; take it out of the show first");
      }
    }
  }
  return plan.Apply(xml);
}

Status SlideListEditor::RemoveParts(std::vector<DerivedEffect>& derived) {
  OfficePackage& package = deck_.package();
  const std::set<std::string> before = ReachableParts({});
  const std::set<std::string> after = ReachableParts(deleted_);
  std::set<std::string> overrides;
  for (const std::string& part : before) {
    if (after.contains(part)) continue;
    package.Remove(part);
    package.Remove(OpcRelationshipsPart(part));
    overrides.insert("/" + part);
    derived.push_back({"", "the part '" + part + "' goes with its slide"});
  }
  const std::string relationships = OpcRelationshipsPart(deck_.main_part());
  for (const auto& [part, element, attribute, values] :
       {std::tuple{relationships, "Relationship", "Id", &deleted_},
        std::tuple{std::string("[Content_Types].xml"), "Override", "PartName", &overrides}}) {
    STAGED_ASSIGN_OR_RETURN(const std::string* xml, package.ContentForEdit(part));
    STAGED_ASSIGN_OR_RETURN(std::string changed,
                            XmlWithoutElements(*xml, element, attribute, *values, limits_));
    package.Replace(part, std::move(changed));
  }
  return OkStatus();
}

Status SlideListEditor::Finish(std::vector<DerivedEffect>& derived) {
  if (!is_changed()) return OkStatus();
  STAGED_ASSIGN_OR_RETURN(const std::string* xml,
                          deck_.package().ContentForEdit(deck_.main_part()));
  STAGED_ASSIGN_OR_RETURN(std::string changed, NewPresentation(*xml));
  deck_.package().Replace(deck_.main_part(), std::move(changed));
  return deleted_.empty() ? OkStatus() : RemoveParts(derived);
}

}  // namespace staged::pptx
