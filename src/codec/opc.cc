#include "codec/opc.h"

#include "codec/xml.h"

namespace staged {
namespace {

std::string AsciiLower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  }
  return out;
}

std::string PercentDecode(std::string_view text) {
  const auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
  };
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && digit(text[i + 1]) >= 0 &&
        digit(text[i + 2]) >= 0) {
      out.push_back(static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2])));
      i += 2;
    } else {
      out.push_back(text[i]);
    }
  }
  return out;
}

std::string AttributeOr(const XmlTokenizer& tokenizer, std::string_view name) {
  const std::optional<std::string_view> raw = tokenizer.Attribute(name);
  return raw ? XmlDecodeAttribute(*raw) : std::string();
}

}  // namespace

std::string_view OpcRelationship::type_name() const {
  const std::string_view all = type;
  const size_t slash = all.rfind('/');
  return slash == std::string_view::npos ? all : all.substr(slash + 1);
}

Result<OpcRelationships> OpcRelationships::Parse(std::string_view xml, std::string_view source_part,
                                                 const Limits& limits) {
  STAGED_ASSIGN_OR_RETURN(const std::string utf8, XmlToUtf8(xml));
  OpcRelationships relationships;
  XmlTokenizer tokenizer(utf8, limits);
  while (tokenizer.Read()) {
    const XmlToken& token = tokenizer.token();
    if (token.type != XmlTokenType::kStart || token.local_name() != "Relationship") continue;
    OpcRelationship relationship;
    relationship.id = AttributeOr(tokenizer, "Id");
    relationship.type = AttributeOr(tokenizer, "Type");
    relationship.target = AttributeOr(tokenizer, "Target");
    relationship.is_external = tokenizer.Attribute("TargetMode") == "External";
    if (!relationship.is_external) {
      relationship.part = OpcResolveTarget(source_part, relationship.target);
    }
    relationships.index_by_id_.emplace(relationship.id, relationships.all_.size());
    relationships.all_.push_back(std::move(relationship));
  }
  STAGED_RETURN_IF_ERROR(tokenizer.status());
  return relationships;
}

Result<OpcRelationships> OpcRelationships::Read(const ZipReader& archive,
                                                std::string_view source_part,
                                                const Limits& limits) {
  const ZipMember* member = OpcFindMember(archive, OpcRelationshipsPart(source_part));
  if (member == nullptr) return OpcRelationships();
  STAGED_ASSIGN_OR_RETURN(const std::string xml, archive.Read(*member));
  return Parse(xml, source_part, limits);
}

const OpcRelationship* OpcRelationships::Find(std::string_view id) const {
  const auto found = index_by_id_.find(std::string(id));
  return found == index_by_id_.end() ? nullptr : &all_[found->second];
}

const OpcRelationship* OpcRelationships::FindByType(std::string_view type_name) const {
  for (const OpcRelationship& relationship : all_) {
    if (relationship.type_name() == type_name) return &relationship;
  }
  return nullptr;
}

Result<OpcContentTypes> OpcContentTypes::Parse(std::string_view xml, const Limits& limits) {
  STAGED_ASSIGN_OR_RETURN(const std::string utf8, XmlToUtf8(xml));
  OpcContentTypes types;
  XmlTokenizer tokenizer(utf8, limits);
  while (tokenizer.Read()) {
    const XmlToken& token = tokenizer.token();
    if (token.type != XmlTokenType::kStart) continue;
    const std::string type = AttributeOr(tokenizer, "ContentType");
    if (token.local_name() == "Default") {
      types.defaults_.emplace(AsciiLower(AttributeOr(tokenizer, "Extension")), type);
    } else if (token.local_name() == "Override") {
      const std::string part = OpcResolveTarget("", AttributeOr(tokenizer, "PartName"));
      types.overrides_.emplace(AsciiLower(part), type);
    }
  }
  STAGED_RETURN_IF_ERROR(tokenizer.status());
  return types;
}

Result<OpcContentTypes> OpcContentTypes::Read(const ZipReader& archive, const Limits& limits) {
  const ZipMember* member = OpcFindMember(archive, "[Content_Types].xml");
  if (member == nullptr) return OpcContentTypes();
  STAGED_ASSIGN_OR_RETURN(const std::string xml, archive.Read(*member));
  return Parse(xml, limits);
}

std::string_view OpcContentTypes::TypeOf(std::string_view part) const {
  const std::string lower = AsciiLower(part);
  if (const auto found = overrides_.find(lower); found != overrides_.end()) return found->second;
  const size_t dot = lower.rfind('.');
  if (dot == std::string::npos || lower.find('/', dot) != std::string::npos) return "";
  const auto found = defaults_.find(lower.substr(dot + 1));
  return found == defaults_.end() ? std::string_view() : std::string_view(found->second);
}

std::string OpcRelationshipsPart(std::string_view part) {
  const size_t slash = part.rfind('/');
  const size_t base = slash == std::string_view::npos ? 0 : slash + 1;
  return std::string(part.substr(0, base)) + "_rels/" + std::string(part.substr(base)) + ".rels";
}

std::string OpcResolveTarget(std::string_view source_part, std::string_view target) {
  target = target.substr(0, target.find('#'));
  std::string path;
  if (!target.starts_with('/') && !target.starts_with('\\')) {
    const size_t slash = source_part.rfind('/');
    if (slash != std::string_view::npos) path = source_part.substr(0, slash + 1);
  }
  path += target;
  std::vector<std::string_view> segments;
  const std::string_view all = path;
  size_t begin = 0;
  while (begin <= all.size()) {
    const size_t end = std::min(all.find_first_of("/\\", begin), all.size());
    const std::string_view segment = all.substr(begin, end - begin);
    if (segment == "..") {
      if (!segments.empty()) segments.pop_back();
    } else if (!segment.empty() && segment != ".") {
      segments.push_back(segment);
    }
    begin = end + 1;
  }
  std::string part;
  for (const std::string_view segment : segments) {
    if (!part.empty()) part += '/';
    part += segment;
  }
  return part;
}

const ZipMember* OpcFindMember(const ZipReader& archive, std::string_view part) {
  if (const ZipMember* exact = archive.Find(part)) return exact;
  const std::string lower = AsciiLower(part);
  for (const ZipMember& member : archive.members()) {
    if (member.name.size() == lower.size() && AsciiLower(member.name) == lower) return &member;
  }
  if (part.find('%') == std::string_view::npos) return nullptr;
  return archive.Find(PercentDecode(part));
}

}  // namespace staged
