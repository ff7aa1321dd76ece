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

// What people read in a chart or diagram: titles, labels and cached values, a line each.
std::string DrawingText(const XmlTree& tree) {
  constexpr size_t kTextBytesMax = 64 << 10;
  std::string text;
  for (uint32_t node = 0; node < tree.size() && text.size() < kTextBytesMax; ++node) {
    const bool is_value = tree[node].group == kChartGroup && tree.LocalName(node) == "v";
    if (tree[node].name == kDrawingParagraph || is_value) {
      if (!text.empty() && text.back() != '\n') text += '\n';
    }
    if (tree[node].name == kDrawingText || is_value) tree.TextTo(node, text);
  }
  return text;
}

// XmlTakeAsUtf8, and whether it changed anything.
Result<std::string> TakeAsUtf8(std::string bytes, bool& was_converted) {
  const size_t size_before = bytes.size();
  const bool is_utf16 =
      bytes.substr(0, 2).find_first_of(std::string_view("\0\xFE\xFF", 3)) != std::string::npos;
  STAGED_ASSIGN_OR_RETURN(std::string utf8, XmlTakeAsUtf8(std::move(bytes)));
  was_converted = is_utf16 || utf8.size() != size_before;
  return utf8;
}

}  // namespace

Result<std::unique_ptr<Package>> Package::Open(std::string_view bytes, const Limits& limits) {
  if (IsCompoundFile(bytes)) {
    return Status(ErrorCode::kParseFailed,
                  "the file is encrypted or in the old binary format; save it as .docx without a "
                  "password");
  }
  std::unique_ptr<Package> package(new Package(limits));
  STAGED_ASSIGN_OR_RETURN(package->archive_, ZipReader::Open(bytes, limits));
  package->opc_.emplace(package->archive_);
  STAGED_RETURN_IF_ERROR(package->FindMainPart());
  package->FindStories();
  return package;
}

Status Package::FindMainPart() {
  Result<std::vector<OpcRelationship>> root = opc_->Relationships("", limits_);
  if (root.ok()) package_relationships_ = Relationships(std::move(root).value());
  const OpcRelationship* main = package_relationships_.FindByType("officeDocument");
  for (const std::string& part :
       {main != nullptr ? main->target : std::string(), std::string("word/document.xml")}) {
    const ZipMember* member = part.empty() ? nullptr : opc_->Find(part);
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
    const ZipMember* member = opc_->Find(relationship.target);
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
  const ZipMember* member = opc_->Find(part);
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
    if (const ZipMember* member = opc_->Find(relationship->target)) return member->name;
  }
  return "";
}

const Relationships& Package::RelationshipsOf(const std::string& part) {
  const auto found = relationships_.find(part);
  if (found != relationships_.end()) return found->second;
  Result<std::vector<OpcRelationship>> read = opc_->Relationships(part, limits_);
  return relationships_.emplace(part, read.ok() ? Relationships(*std::move(read)) : Relationships())
      .first->second;
}

Result<const std::string*> Package::Content(const std::string& part) {
  const auto found = contents_.find(part);
  if (found != contents_.end()) return &found->second;
  const ZipMember* member = opc_->Find(part);
  if (member == nullptr) {
    return Status(ErrorCode::kNotFound, "the file has no part '" + part + "'");
  }
  STAGED_ASSIGN_OR_RETURN(std::string bytes, archive_.Read(*member));
  expanded_bytes_ += bytes.size();
  if (expanded_bytes_ > limits_.expanded_bytes_max) {
    return Status(ErrorCode::kLimitExceeded,
                  "the parts unpack to more than the limit expanded_bytes_max");
  }
  bool was_converted = false;
  STAGED_ASSIGN_OR_RETURN(std::string utf8, TakeAsUtf8(std::move(bytes), was_converted));
  if (was_converted) converted_[part] = true;
  return &contents_.emplace(part, std::move(utf8)).first->second;
}

std::vector<Part> Package::DigestAll(std::vector<Diagnostic>& diagnostics) {
  std::vector<Part> parts;
  uint64_t expanded_bytes = 0;
  for (const ZipMember& member : archive_.members()) {
    if (archive_.has_duplicate_names() && archive_.Find(member.name) != &member) continue;
    if (member.name.ends_with('/')) continue;  // a folder entry holds nothing
    Part part{.name = member.name};
    Result<std::string> bytes =
        expanded_bytes > limits_.expanded_bytes_max
            ? Status(ErrorCode::kLimitExceeded, "the parts unpack to more than expanded_bytes_max")
            : archive_.Read(member);
    if (!bytes.ok()) {
      diagnostics.push_back({"error", "unreadable_part", member.name, bytes.status().message()});
      const std::string_view packed = archive_.CompressedBytes(member);
      part.digest = ContentHash::Of(packed);
      part.size_bytes = packed.size();
      parts.push_back(std::move(part));
      continue;
    }
    expanded_bytes += bytes->size();
    part.digest = ContentHash::Of(*bytes);
    part.size_bytes = bytes->size();
    digests_[member.name] = part.digest;
    if (FindStory(member.name) != nullptr) {
      bool was_converted = false;
      Result<std::string> utf8 = TakeAsUtf8(*std::move(bytes), was_converted);
      if (utf8.ok()) {
        if (was_converted) converted_[member.name] = true;
        contents_.emplace(member.name, *std::move(utf8));
      }
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

ContentHash Package::DigestOf(const std::string& part) const {
  const ZipMember* member = part.empty() ? nullptr : opc_->Find(part);
  if (member == nullptr) return ContentHash();
  const auto found = digests_.find(member->name);
  return found == digests_.end() ? ContentHash() : found->second;
}

const StyleTable& Package::styles() {
  if (styles_ == nullptr) {
    styles_ = std::make_unique<StyleTable>();
    const std::string part = PartOfRole("styles");
    Result<const std::string*> xml =
        part.empty() ? Status(ErrorCode::kNotFound, "no styles") : Content(part);
    if (xml.ok()) *styles_ = StyleTable(XmlTree(**xml, WordVocabulary(), limits_));
  }
  return *styles_;
}

const NumberingTable& Package::numbering() {
  if (numbering_ == nullptr) {
    numbering_ = std::make_unique<NumberingTable>();
    const std::string part = PartOfRole("numbering");
    Result<const std::string*> xml =
        part.empty() ? Status(ErrorCode::kNotFound, "no lists") : Content(part);
    if (xml.ok()) {
      *numbering_ = NumberingTable(XmlTree(**xml, WordVocabulary(), limits_), styles());
    }
  }
  return *numbering_;
}

RelatedPart Package::Related(const std::string& part) {
  RelatedPart related;
  const ContentHash digest = DigestOf(part);
  if (digest.is_zero()) return related;
  related.digest = digest.ToString();
  if (!part.ends_with(".xml")) return related;
  const Result<const std::string*> xml = Content(part);
  if (xml.ok()) related.text = DrawingText(XmlTree(**xml, WordVocabulary(), limits_));
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
  return context;
}

}  // namespace staged::docx
