#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "codec/zip.h"
#include "staged/limits.h"
#include "staged/status.h"

// Open Packaging Conventions (ECMA-376 part 2): what office files share on top of ZIP. Part names
// are given without the leading slash: "xl/workbook.xml".
namespace staged {

struct OpcRelationship {
  std::string id;
  std::string type;    // its last path segment: "worksheet", the same in both namespaces
  std::string target;  // a part name, or the address as written when external
  bool is_external = false;
};

// Borrows the reader. Thread-safe.
class OpcPackage {
 public:
  explicit OpcPackage(const ZipReader& reader);

  [[nodiscard]] const ZipReader& zip() const { return reader_; }
  // The member that holds a part: by exact name, else ignoring ASCII case and the slash's direction
  // as part 2, 6.2.2 asks; nullptr when absent.
  [[nodiscard]] const ZipMember* Find(std::string_view part) const;
  // The part as UTF-8. Errors: kNotFound, kParseFailed, kLimitExceeded.
  [[nodiscard]] Result<std::string> ReadXml(std::string_view part) const;
  // Relationships of a part ("" for the package), in order; none when there are none.
  // Errors: kParseFailed, kLimitExceeded.
  [[nodiscard]] Result<std::vector<OpcRelationship>> Relationships(std::string_view part,
                                                                   const Limits& limits) const;

 private:
  const ZipReader& reader_;
  std::unordered_map<std::string, const ZipMember*> by_normal_name_;
};

// "xl/_rels/workbook.xml.rels" of "xl/workbook.xml".
[[nodiscard]] std::string OpcRelationshipsPart(std::string_view part);
// A relationship's target against the folder of its source, without "." and "..".
[[nodiscard]] std::string OpcResolve(std::string_view source_part, std::string_view target);
// Whether the bytes are a compound file (MS-CFB), as encrypted office files and legacy ones are.
[[nodiscard]] bool IsCompoundFile(std::string_view bytes);
// Whether a compound file holds an encrypted office file (MS-OFFCRYPTO, 2.3).
[[nodiscard]] bool IsEncryptedOfficeFile(std::string_view bytes);

}  // namespace staged
