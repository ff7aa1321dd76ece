#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "codec/zip.h"
#include "staged/limits.h"
#include "staged/status.h"

// What all Open Packaging Conventions files (ECMA-376 part 2: xlsx, docx, pptx) share:
// relationships and content types. Part names are written as zip member names: without the leading
// '/'.
namespace staged {

struct OpcRelationship {
  std::string id;
  std::string type;    // URI, transitional or strict
  std::string target;  // as written, entities decoded
  std::string part;    // the part it resolves to; empty when external
  bool is_external = false;

  // What stands behind the last '/' of the type: "worksheet", "image", "hyperlink". The same for
  // the transitional and the strict namespace.
  [[nodiscard]] std::string_view type_name() const;
};

// The relationships of one part, in the order of the file.
class OpcRelationships {
 public:
  OpcRelationships() = default;  // none
  // `xml` is the .rels part; `source_part` the part it belongs to, "" for the package. Errors:
  // kParseFailed, kLimitExceeded.
  [[nodiscard]] static Result<OpcRelationships> Parse(std::string_view xml,
                                                      std::string_view source_part,
                                                      const Limits& limits);
  // The relationships of `source_part` in the archive; none when it has no .rels part.
  [[nodiscard]] static Result<OpcRelationships> Read(const ZipReader& archive,
                                                     std::string_view source_part,
                                                     const Limits& limits);

  [[nodiscard]] const std::vector<OpcRelationship>& all() const { return all_; }
  [[nodiscard]] const OpcRelationship* Find(std::string_view id) const;  // nullptr if absent
  // The first one whose type_name() is that, or nullptr.
  [[nodiscard]] const OpcRelationship* FindByType(std::string_view type_name) const;

 private:
  std::vector<OpcRelationship> all_;
  std::unordered_map<std::string, size_t> index_by_id_;
};

class OpcContentTypes {
 public:
  OpcContentTypes() = default;
  // `xml` is "[Content_Types].xml". Errors: kParseFailed, kLimitExceeded.
  [[nodiscard]] static Result<OpcContentTypes> Parse(std::string_view xml, const Limits& limits);
  [[nodiscard]] static Result<OpcContentTypes> Read(const ZipReader& archive, const Limits& limits);
  // The part's content type by its override or its extension; empty when it has none. Names are
  // compared without regard to ASCII case, as the standard says.
  [[nodiscard]] std::string_view TypeOf(std::string_view part) const;

 private:
  std::unordered_map<std::string, std::string> defaults_;   // by extension, lower case
  std::unordered_map<std::string, std::string> overrides_;  // by part name, lower case
};

// "xl/workbook.xml" -> "xl/_rels/workbook.xml.rels"; "" -> "_rels/.rels".
[[nodiscard]] std::string OpcRelationshipsPart(std::string_view part);
// The part that `target` names, seen from `source_part`: relative, absolute, with "..", with a
// fragment. Never leaves the package: a ".." above its root is dropped.
[[nodiscard]] std::string OpcResolveTarget(std::string_view source_part, std::string_view target);
// The member that holds a part: by exact name, else without regard to case, else percent-decoded;
// nullptr when there is none.
[[nodiscard]] const ZipMember* OpcFindMember(const ZipReader& archive, std::string_view part);

}  // namespace staged
