#include "codec/office_package.h"

#include "codec/xml.h"

namespace staged {
namespace {

bool IsXmlName(std::string_view name) { return name.ends_with(".xml") || name.ends_with(".rels"); }

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

Result<std::unique_ptr<OfficePackage>> OfficePackage::Open(std::string_view bytes,
                                                           const Limits& limits) {
  if (IsCompoundFile(bytes)) {
    return Status(ErrorCode::kParseFailed,
                  "the file is encrypted or in the old binary format; save it without a password "
                  "in the current format");
  }
  std::unique_ptr<OfficePackage> package(new OfficePackage(limits));
  STAGED_ASSIGN_OR_RETURN(package->archive_, ZipReader::Open(bytes, limits));
  package->opc_.emplace(package->archive_);
  return package;
}

const std::vector<OpcRelationship>& OfficePackage::RelationshipsOf(const std::string& part) {
  const auto found = relationships_.find(part);
  if (found != relationships_.end()) return found->second;
  Result<std::vector<OpcRelationship>> read = opc_->Relationships(part, limits_);
  auto& relationships = relationships_[part];
  if (read.ok()) relationships = *std::move(read);
  return relationships;
}

const OpcRelationship* OfficePackage::Relationship(const std::string& part, std::string_view id) {
  for (const OpcRelationship& relationship : RelationshipsOf(part)) {
    if (relationship.id == id) return &relationship;
  }
  return nullptr;
}

std::string OfficePackage::PartOfType(const std::string& part, std::string_view type) {
  for (const OpcRelationship& relationship : RelationshipsOf(part)) {
    if (relationship.type != type || relationship.is_external) continue;
    const ZipMember* member = Find(relationship.target);
    if (member != nullptr) return member->name;
  }
  return "";
}

Result<const std::string*> OfficePackage::Content(const std::string& part) {
  const ZipMember* member = Find(part);
  if (member == nullptr) {
    return Status(ErrorCode::kNotFound,
                  "the file has no part '" + part + "'; restore it from its source");
  }
  const auto found = contents_.find(member->name);
  if (found != contents_.end()) return &found->second;
  STAGED_ASSIGN_OR_RETURN(std::string bytes, archive_.Read(*member));
  expanded_bytes_ += bytes.size();
  if (expanded_bytes_ > limits_.expanded_bytes_max) {
    return Status(ErrorCode::kLimitExceeded,
                  "the parts unpack to more than the limit expanded_bytes_max; raise it to read "
                  "this file");
  }
  bool was_converted = false;
  STAGED_ASSIGN_OR_RETURN(std::string utf8, TakeAsUtf8(std::move(bytes), was_converted));
  if (was_converted) converted_.insert(member->name);
  return &contents_.emplace(member->name, std::move(utf8)).first->second;
}

Result<const std::string*> OfficePackage::ContentForEdit(const std::string& part) {
  const ZipMember* member = Find(part);
  const auto changed = member == nullptr ? replaced_.end() : replaced_.find(member->name);
  if (changed != replaced_.end() && changed->second) return &*changed->second;
  STAGED_ASSIGN_OR_RETURN(const std::string* content, Content(part));
  if (member != nullptr && converted_.contains(member->name)) {
    return Status(
        ErrorCode::kUnsupportedEdit,
        "the part '" + part + "' is not in UTF-8; save the file once with its own application");
  }
  return content;
}

std::vector<Part> OfficePackage::DigestAll(std::vector<Diagnostic>& diagnostics) {
  std::vector<Part> parts;
  for (const ZipMember& member : archive_.members()) {
    if (archive_.has_duplicate_names() && archive_.Find(member.name) != &member) continue;
    if (member.name.ends_with('/')) continue;  // a folder entry holds nothing
    Part part{.name = member.name};
    Result<std::string> bytes =
        expanded_bytes_ > limits_.expanded_bytes_max
            ? Status(ErrorCode::kLimitExceeded,
                     "the parts unpack to more than expanded_bytes_max; raise it to read this file")
            : archive_.Read(member);
    if (!bytes.ok()) {
      if (diagnostics.size() < limits_.diagnostics_max) {
        diagnostics.push_back({"error", "unreadable_part", member.name, bytes.status().message()});
      }
      const std::string_view packed = archive_.CompressedBytes(member);
      part.digest = ContentHash::Of(packed);
      part.size_bytes = packed.size();
      parts.push_back(std::move(part));
      continue;
    }
    expanded_bytes_ += bytes->size();
    part.digest = ContentHash::Of(*bytes);
    part.size_bytes = bytes->size();
    digests_[member.name] = part.digest;
    if (IsXmlName(member.name)) {
      bool was_converted = false;
      Result<std::string> utf8 = TakeAsUtf8(*std::move(bytes), was_converted);
      if (utf8.ok()) {
        if (was_converted) converted_.insert(member.name);
        contents_.emplace(member.name, *std::move(utf8));
      }
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

ContentHash OfficePackage::DigestOf(const std::string& part) const {
  const ZipMember* member = part.empty() ? nullptr : Find(part);
  if (member == nullptr) return ContentHash();
  const auto found = digests_.find(member->name);
  return found == digests_.end() ? ContentHash() : found->second;
}

void OfficePackage::Replace(const std::string& part, std::string content) {
  const ZipMember* member = Find(part);
  if (member != nullptr) replaced_[member->name] = std::move(content);
}

void OfficePackage::Remove(const std::string& part) {
  const ZipMember* member = Find(part);
  if (member != nullptr) replaced_[member->name] = std::nullopt;
}

void OfficePackage::Add(const std::string& part, std::string content) {
  added_[part] = std::move(content);
}

bool OfficePackage::IsSigned() const {
  for (const ZipMember& member : archive_.members()) {
    if (member.name.starts_with("_xmlsignatures/") ||
        member.name == "META-INF/documentsignatures.xml") {
      return true;
    }
  }
  return false;
}

Result<std::string> OfficePackage::Finish(std::vector<std::string>& rewritten) const {
  ZipSplicer splicer(archive_);
  for (const auto& [name, content] : replaced_) {
    const size_t index = static_cast<size_t>(archive_.Find(name) - archive_.members().data());
    if (content) {
      splicer.Replace(index, *content);
    } else {
      splicer.Remove(index);
    }
  }
  for (const auto& [name, content] : added_) splicer.Add(name, content);
  STAGED_ASSIGN_OR_RETURN(std::string bytes, splicer.Finish());
  rewritten = splicer.rewritten_members();
  return bytes;
}

int OfficePackageScore(std::string_view bytes, bool is_named, const OfficeMainPart& main) {
  constexpr int kCertain = 100;
  constexpr int kLikely = 90;
  const int by_name = is_named ? 50 : 0;
  if (!bytes.starts_with("PK")) return by_name;
  const Result<ZipReader> archive = ZipReader::Open(bytes, Limits());
  if (!archive.ok()) return by_name;
  constexpr uint64_t kTypesBytesMax = 4 << 20;
  const ZipMember* types = archive->Find("[Content_Types].xml");
  if (types != nullptr && types->size_bytes < kTypesBytesMax) {
    const Result<std::string> xml = archive->Read(*types);
    for (const std::string_view type : main.content_types) {
      if (xml.ok() && xml->find(type) != std::string::npos) return kCertain;
    }
  }
  return archive->Find(main.usual_name) != nullptr ? kLikely : by_name;
}

}  // namespace staged
