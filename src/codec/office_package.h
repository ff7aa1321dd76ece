#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "codec/opc.h"
#include "codec/zip.h"
#include "staged/limits.h"
#include "staged/status.h"
#include "staged/view.h"

namespace staged {

// An office file in a ZIP archive: its parts as text, read once, their digests, and what edits
// change. Borrows the bytes. Not thread-safe.
class OfficePackage {
 public:
  // Errors: kParseFailed (no archive, encrypted), kLimitExceeded.
  [[nodiscard]] static Result<std::unique_ptr<OfficePackage>> Open(std::string_view bytes,
                                                                   const Limits& limits);

  [[nodiscard]] const ZipReader& archive() const { return archive_; }
  // The member that holds a part, as OpcPackage::Find; nullptr when absent.
  [[nodiscard]] const ZipMember* Find(std::string_view part) const { return opc_->Find(part); }
  // Relationships of a part, read once; none when there are none or they cannot be read.
  [[nodiscard]] const std::vector<OpcRelationship>& RelationshipsOf(const std::string& part);
  // Its relationship of that id, or nullptr.
  [[nodiscard]] const OpcRelationship* Relationship(const std::string& part, std::string_view id);
  // The name of the member that the first relationship of that type leads to, "" when none.
  [[nodiscard]] std::string PartOfType(const std::string& part, std::string_view type);

  // A part as UTF-8, read once. Errors: kNotFound, kParseFailed, kLimitExceeded.
  [[nodiscard]] Result<const std::string*> Content(const std::string& part);
  // The same for a part that is to be spliced, with earlier changes. Errors: also kUnsupportedEdit
  // when it is not in UTF-8.
  [[nodiscard]] Result<const std::string*> ContentForEdit(const std::string& part);

  // Reads and hashes every member; keeps the XML parts for Content.
  [[nodiscard]] std::vector<Part> DigestAll(std::vector<Diagnostic>& diagnostics);
  // Digest of a part; zero when it is missing or DigestAll was not called.
  [[nodiscard]] ContentHash DigestOf(const std::string& part) const;

  // Changes; the last one of a part counts.
  void Replace(const std::string& part, std::string content);
  void Remove(const std::string& part);
  void Add(const std::string& part, std::string content);
  [[nodiscard]] bool is_changed() const { return !replaced_.empty() || !added_.empty(); }
  // Whether the archive is signed, so that any change makes the signature invalid.
  [[nodiscard]] bool IsSigned() const;
  // The new archive. `rewritten` gets the names of the members that were compressed anew.
  [[nodiscard]] Result<std::string> Finish(std::vector<std::string>& rewritten) const;

 private:
  explicit OfficePackage(const Limits& limits) : limits_(limits) {}

  const Limits limits_;
  ZipReader archive_;
  std::optional<OpcPackage> opc_;  // borrows archive_
  uint64_t expanded_bytes_ = 0;
  std::map<std::string, std::vector<OpcRelationship>, std::less<>> relationships_;
  std::map<std::string, std::string, std::less<>> contents_;  // by member's name
  std::set<std::string, std::less<>> converted_;              // members that are not in UTF-8
  std::map<std::string, ContentHash, std::less<>> digests_;
  std::map<std::string, std::optional<std::string>, std::less<>> replaced_;  // nullopt: removed
  std::map<std::string, std::string, std::less<>> added_;
};

// How a kind of package is known (ECMA-376 part 2, 10.1.2.2): the ends of its main part's content
// types, and the name that the part has where nobody chose another.
struct OfficeMainPart {
  std::vector<std::string_view> content_types;
  std::string_view usual_name;
};

// Format::Sniff's score for `bytes` as such a package: 100 by content type, 90 by the part's name,
// else 50 for a file that its extension claims.
[[nodiscard]] int OfficePackageScore(std::string_view bytes, bool is_named,
                                     const OfficeMainPart& main);

}  // namespace staged
