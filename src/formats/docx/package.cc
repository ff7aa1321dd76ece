#include "formats/docx/package.h"

#include <algorithm>

#include "formats/docx/word_names.h"

namespace staged::docx {
namespace {

// "word/header2.xml" comes before "word/header10.xml".
bool NaturalLess(const std::string& left, const std::string& right) {
  size_t i = 0;
  size_t j = 0;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  while (i < left.size() && j < right.size()) {
    if (is_digit(left[i]) && is_digit(right[j])) {
      size_t i_end = i;
      size_t j_end = j;
      while (i_end < left.size() && is_digit(left[i_end])) ++i_end;
      while (j_end < right.size() && is_digit(right[j_end])) ++j_end;
      const std::string_view a = std::string_view(left).substr(i, i_end - i);
      const std::string_view b = std::string_view(right).substr(j, j_end - j);
      if (a.size() != b.size()) return a.size() < b.size();
      if (a != b) return a < b;
      i = i_end;
      j = j_end;
    } else {
      if (left[i] != right[j]) return left[i] < right[j];
      ++i;
      ++j;
    }
  }
  return left.size() - i < right.size() - j;
}

constexpr size_t kDrawingTextBytesMax = 64 << 10;

// Adds what people read in a chart or diagram: titles, labels and cached values, a line each.
void DrawingTextTo(const XmlTree& tree, std::string& text) {
  for (uint32_t node = 0; node < tree.size() && text.size() < kDrawingTextBytesMax; ++node) {
    const uint8_t group = tree[node].group;
    bool is_value = false;
    if (tree.IsElement(node) && (group == kChartGroup || group == kExtendedChartGroup)) {
      const std::string_view name = tree.LocalName(node);
      is_value = name == "v" || (group == kExtendedChartGroup && name == "pt");
    }
    if (tree[node].name == kDrawingParagraph || is_value) {
      if (!text.empty() && text.back() != '\n') text += '\n';
    }
    if (tree[node].name == kDrawingText || is_value) tree.TextTo(node, text);
  }
}

}  // namespace

Result<std::unique_ptr<Package>> Package::Open(std::string_view bytes, const Limits& limits) {
  std::unique_ptr<Package> package(new Package(limits));
  STAGED_ASSIGN_OR_RETURN(package->office_, OfficePackage::Open(bytes, limits));
  STAGED_RETURN_IF_ERROR(package->FindMainPart());
  package->FindStories();
  return package;
}

Status Package::FindMainPart() {
  package_relationships_ = Relationships(office_->RelationshipsOf(""));
  const OpcRelationship* main = package_relationships_.FindByType("officeDocument");
  for (const std::string& part :
       {main != nullptr ? main->target : std::string(), std::string("word/document.xml")}) {
    const ZipMember* member = part.empty() ? nullptr : office_->Find(part);
    if (member == nullptr) continue;
    main_part_ = member->name;
    return OkStatus();
  }
  return Status(ErrorCode::kParseFailed,
                "the archive holds no Word document (no relationship to one and no "
                "word/document.xml); check that it is a .docx file");
}

void Package::FindStories() {
  AddStory({main_part_, "", ""});
  AddNumberedStories("header", "hdr:", "header");
  AddNumberedStories("footer", "ftr:", "footer");
  for (const std::string_view role : {"footnotes", "endnotes", "comments"}) {
    const std::string part = PartOfRole(role);
    if (!part.empty() && FindStory(part) == nullptr) AddStory({part, "", ""});
  }
  const std::string glossary = PartOfRole("glossaryDocument");
  if (!glossary.empty() && FindStory(glossary) == nullptr) {
    AddStory({glossary, "glossary/", ""});
  }
}

void Package::AddNumberedStories(std::string_view role, std::string_view prefix,
                                 std::string_view kind) {
  std::vector<std::string> parts;
  for (const OpcRelationship& relationship : RelationshipsOf(main_part_).all()) {
    if (relationship.type != role || relationship.is_external) continue;
    const ZipMember* member = office_->Find(relationship.target);
    if (member != nullptr && FindStory(member->name) == nullptr) parts.push_back(member->name);
  }
  std::sort(parts.begin(), parts.end(), NaturalLess);
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  for (size_t i = 0; i < parts.size(); ++i) {
    AddStory({parts[i], std::string(prefix) + std::to_string(i + 1) + "/", std::string(kind)});
  }
}

void Package::AddStory(StoryPart story) {
  story_by_part_.emplace(story.part, stories_.size());
  stories_.push_back(std::move(story));
}

const StoryPart* Package::FindStory(std::string_view part) const {
  const auto found = story_by_part_.find(part);
  return found == story_by_part_.end() ? nullptr : &stories_[found->second];
}

std::string Package::StoryLocator(const std::string& part) const {
  const ZipMember* member = office_->Find(part);
  const StoryPart* story = member == nullptr ? nullptr : FindStory(member->name);
  if (story == nullptr || story->prefix.empty()) return "";
  return story->prefix.substr(0, story->prefix.size() - 1);
}

std::string Package::PartOfRole(std::string_view role) const {
  const Relationships* tables[] = {&package_relationships_, nullptr};
  const auto main = relationships_.find(main_part_);
  if (main != relationships_.end()) tables[1] = &main->second;
  for (const Relationships* table : tables) {
    const OpcRelationship* relationship = table == nullptr ? nullptr : table->FindByType(role);
    if (relationship == nullptr || relationship->is_external) continue;
    if (const ZipMember* member = office_->Find(relationship->target)) return member->name;
  }
  return "";
}

const Relationships& Package::RelationshipsOf(const std::string& part) {
  const auto found = relationships_.find(part);
  if (found != relationships_.end()) return found->second;
  return relationships_.emplace(part, Relationships(office_->RelationshipsOf(part))).first->second;
}

const StyleTable& Package::styles() {
  if (styles_ == nullptr) {
    styles_ = std::make_unique<StyleTable>();
    const std::string part = PartOfRole("styles");
    Result<const std::string*> xml =
        part.empty() ? Status(ErrorCode::kNotFound, "no styles") : office_->Content(part);
    if (xml.ok()) *styles_ = StyleTable(XmlTree(**xml, WordVocabulary(), limits_));
  }
  return *styles_;
}

const NumberingTable& Package::numbering() {
  if (numbering_ == nullptr) {
    numbering_ = std::make_unique<NumberingTable>();
    const std::string part = PartOfRole("numbering");
    Result<const std::string*> xml =
        part.empty() ? Status(ErrorCode::kNotFound, "no lists") : office_->Content(part);
    if (xml.ok()) {
      *numbering_ = NumberingTable(XmlTree(**xml, WordVocabulary(), limits_), styles());
    }
  }
  return *numbering_;
}

std::string Package::TextPartOf(const std::string& part) {
  const OpcRelationship* drawn = RelationshipsOf(part).FindByType("chartUserShapes");
  return drawn == nullptr || drawn->is_external ? "" : drawn->target;
}

// The workbook behind a chart, pictures and links of a diagram.
Value::Array Package::MediaOf(const std::string& part) {
  Value::Array media;
  for (const OpcRelationship& relationship : RelationshipsOf(part).all()) {
    const std::string_view type = relationship.type;
    if (relationship.is_external) {
      media.emplace_back(
          Value::Object{{"type", relationship.type}, {"target", relationship.target}});
    } else if (type == "image" || type == "package" || type == "oleObject") {
      media.emplace_back(
          Value::Object{{"type", relationship.type},
                        {"part", relationship.target},
                        {"digest", office_->DigestOf(relationship.target).ToString()}});
    }
  }
  return media;
}

const RelatedPart& Package::Related(const std::string& part) {
  const auto [entry, is_new] = related_.try_emplace(part);
  RelatedPart& related = entry->second;
  if (!is_new) return related;
  const ContentHash digest = office_->DigestOf(part);
  if (digest.is_zero()) return related;
  related.digest = digest.ToString();
  if (!part.ends_with(".xml")) return related;
  for (const std::string& source : {part, TextPartOf(part)}) {
    if (source.empty()) continue;
    const Result<const std::string*> xml = office_->Content(source);
    if (xml.ok()) DrawingTextTo(XmlTree(**xml, WordVocabulary(), limits_), related.text);
  }
  related.is_cut = related.text.size() >= kDrawingTextBytesMax;
  related.media = MediaOf(part);
  return related;
}

StoryContext Package::ContextOf(const StoryPart& story) {
  StoryContext context;
  context.styles = &styles();
  context.numbering = &numbering();
  context.relationships = &RelationshipsOf(story.part);
  context.related = [this](const std::string& part) { return Related(part); };
  context.story_locator = [this](const std::string& part) { return StoryLocator(part); };
  context.limits = limits_;
  if (story.prefix.starts_with("glossary/")) context.hidden = "building block";
  if (story.part == PartOfRole("comments")) context.hidden = "comment";
  return context;
}

}  // namespace staged::docx
