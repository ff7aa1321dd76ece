#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "codec/office_package.h"
#include "formats/odf/block_reader.h"
#include "formats/odf/odf_styles.h"

namespace staged::odf {

enum class OdfKind : uint8_t { kText, kSpreadsheet, kPresentation };

// "text" of "application/vnd.oasis.opendocument.text".
[[nodiscard]] std::string_view MediaTypeName(OdfKind kind);

// An OpenDocument file, packaged or flat, with its trees and styles. Borrows the bytes. Not
// thread-safe.
class OdfFile {
 public:
  // Errors: kParseFailed (neither archive nor flat file, encrypted, another kind of document),
  // kLimitExceeded.
  [[nodiscard]] static Result<std::unique_ptr<OdfFile>> Open(std::string_view bytes, OdfKind kind,
                                                             const Limits& limits);

  // The package; nullptr for a flat file.
  [[nodiscard]] OfficePackage* package() { return package_.get(); }
  // Reads the trees. `diagnostics` gets what was damaged.
  [[nodiscard]] Status ReadTrees(std::vector<Diagnostic>& diagnostics);
  // REQUIRES for the rest: ReadTrees was called.
  [[nodiscard]] const std::string& content_part() const { return content_part_; }
  [[nodiscard]] const std::string& styles_part() const { return styles_part_; }
  [[nodiscard]] const XmlTree& content() const { return *content_; }
  [[nodiscard]] const XmlTree& styles_tree() const {
    return styles_tree_ == nullptr ? *content_ : *styles_tree_;
  }
  // The element office:text, office:spreadsheet or office:presentation; kNone when absent.
  [[nodiscard]] uint32_t body() const { return body_; }
  [[nodiscard]] const StyleTable& styles() const { return styles_; }
  [[nodiscard]] BlockContext Context() const;
  // Everything in the file that how a body reads depends on: styles and tracked changes.
  [[nodiscard]] const ContentHash& context_digest() const { return context_digest_; }

 private:
  explicit OdfFile(const Limits& limits) : limits_(limits) {}
  [[nodiscard]] Status FindBody(OdfKind kind);
  void ReadChanges();

  const Limits limits_;
  OdfKind kind_ = OdfKind::kText;
  std::unique_ptr<OfficePackage> package_;
  std::string flat_;  // UTF-8
  std::string content_part_;
  std::string styles_part_;
  std::unique_ptr<XmlTree> content_;
  std::unique_ptr<XmlTree> styles_tree_;  // nullptr: in the content
  uint32_t body_ = XmlTree::kNone;
  StyleTable styles_;
  std::map<std::string, TrackedChange, std::less<>> changes_;
  ContentHash context_digest_;
};

}  // namespace staged::odf
