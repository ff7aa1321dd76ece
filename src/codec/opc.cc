#include "codec/opc.h"

#include <algorithm>

#include "codec/xml.h"

namespace staged {
namespace {

std::string NormalName(std::string_view part) {
  std::string name;
  name.reserve(part.size());
  for (const char c : part) {
    if (c == '\\') {
      name.push_back('/');
    } else {
      name.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c);
    }
  }
  if (!name.empty() && name.front() == '/') name.erase(0, 1);
  return name;
}

std::string PercentDecode(std::string_view text) {
  const auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f') return (c | 0x20) - 'a' + 10;
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

std::string_view LastSegment(std::string_view type) { return type.substr(type.rfind('/') + 1); }

}  // namespace

OpcPackage::OpcPackage(const ZipReader& reader) : reader_(reader) {
  by_normal_name_.reserve(reader.members().size());
  for (const ZipMember& member : reader.members()) {
    by_normal_name_[NormalName(member.name)] = &member;
  }
}

const ZipMember* OpcPackage::Find(std::string_view part) const {
  if (const ZipMember* member = reader_.Find(part)) return member;
  const auto found = by_normal_name_.find(NormalName(part));
  if (found != by_normal_name_.end()) return found->second;
  const auto decoded = by_normal_name_.find(NormalName(PercentDecode(part)));
  return decoded == by_normal_name_.end() ? nullptr : decoded->second;
}

Result<std::string> OpcPackage::ReadXml(std::string_view part) const {
  const ZipMember* member = Find(part);
  if (member == nullptr) {
    return Status(ErrorCode::kNotFound, "the package has no part '" + std::string(part) +
                                            "'; restore the file from its source");
  }
  STAGED_ASSIGN_OR_RETURN(std::string bytes, reader_.Read(*member));
  return XmlTakeAsUtf8(std::move(bytes));
}

Result<std::vector<OpcRelationship>> OpcPackage::Relationships(std::string_view part,
                                                               const Limits& limits) const {
  std::vector<OpcRelationship> relationships;
  const std::string name = OpcRelationshipsPart(part);
  if (Find(name) == nullptr) return relationships;
  STAGED_ASSIGN_OR_RETURN(const std::string xml, ReadXml(name));
  XmlTokenizer tokenizer(xml, limits);
  while (tokenizer.Read()) {
    const XmlToken& token = tokenizer.token();
    if (token.type != XmlTokenType::kStart || token.local_name() != "Relationship") continue;
    const auto attribute = [&](std::string_view wanted) {
      return XmlDecodeAttribute(tokenizer.Attribute(wanted).value_or(""));
    };
    OpcRelationship relationship;
    relationship.id = attribute("Id");
    relationship.type = LastSegment(attribute("Type"));
    relationship.target = attribute("Target");
    relationship.is_external = attribute("TargetMode") == "External";
    if (!relationship.is_external) relationship.target = OpcResolve(part, relationship.target);
    relationships.push_back(std::move(relationship));
  }
  STAGED_RETURN_IF_ERROR(tokenizer.status());
  return relationships;
}

std::string OpcRelationshipsPart(std::string_view part) {
  const size_t slash = part.rfind('/');
  const size_t name = slash == std::string_view::npos ? 0 : slash + 1;
  return std::string(part.substr(0, name)) + "_rels/" + std::string(part.substr(name)) + ".rels";
}

std::string OpcResolve(std::string_view source_part, std::string_view target) {
  std::string path;
  if (target.empty() || target.front() != '/') {
    const size_t slash = source_part.rfind('/');
    if (slash != std::string_view::npos) path = source_part.substr(0, slash + 1);
  }
  path += target;
  std::vector<std::string_view> segments;
  const std::string_view whole = path;
  for (size_t begin = 0; begin <= whole.size();) {
    const size_t end = std::min(whole.find('/', begin), whole.size());
    const std::string_view segment = whole.substr(begin, end - begin);
    if (segment == "..") {
      if (!segments.empty()) segments.pop_back();
    } else if (!segment.empty() && segment != ".") {
      segments.push_back(segment);
    }
    begin = end + 1;
  }
  std::string resolved;
  for (const std::string_view segment : segments) {
    if (!resolved.empty()) resolved.push_back('/');
    resolved.append(segment);
  }
  return resolved;
}

bool IsCompoundFile(std::string_view bytes) {
  return bytes.starts_with("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1");
}

bool IsEncryptedOfficeFile(std::string_view bytes) {
  if (!IsCompoundFile(bytes)) return false;
  // A directory entry's name in UTF-16.
  std::string name;
  for (const char c : std::string_view("EncryptedPackage")) name += {c, '\0'};
  return bytes.find(name) != std::string_view::npos;
}

}  // namespace staged
