#include "formats/odf/odf_file.h"

#include "codec/xml.h"
#include "formats/odf/odf_names.h"

namespace staged::odf {

std::string_view MediaTypeName(OdfKind kind) {
  switch (kind) {
    case OdfKind::kText:
      return "text";
    case OdfKind::kSpreadsheet:
      return "spreadsheet";
    default:
      return "presentation";
  }
}

Result<std::unique_ptr<OdfFile>> OdfFile::Open(std::string_view bytes, OdfKind kind,
                                               const Limits& limits) {
  std::unique_ptr<OdfFile> file(new OdfFile(limits));
  file->kind_ = kind;
  if (!bytes.starts_with("PK")) {
    if (bytes.size() > limits.part_bytes_max) {
      return Status(ErrorCode::kLimitExceeded,
                    "the file is larger than the limit part_bytes_max; raise it to read this file");
    }
    STAGED_ASSIGN_OR_RETURN(file->flat_, XmlToUtf8(bytes));
    return file;
  }
  STAGED_ASSIGN_OR_RETURN(file->package_, OfficePackage::Open(bytes, limits));
  const Result<const std::string*> manifest = file->package_->Content("META-INF/manifest.xml");
  if (manifest.ok() && (*manifest)->find("encryption-data") != std::string::npos) {
    return Status(ErrorCode::kParseFailed, "the document is encrypted; save it without a password");
  }
  if (file->package_->Find("content.xml") == nullptr) {
    return Status(ErrorCode::kParseFailed,
                  "the archive holds no content.xml; check that it is an OpenDocument file");
  }
  file->content_part_ = "content.xml";
  if (file->package_->Find("styles.xml") != nullptr) file->styles_part_ = "styles.xml";
  return file;
}

Status OdfFile::ReadTrees(std::vector<Diagnostic>& diagnostics) {
  const auto diagnose = [&](const std::string& part, const Status& status) {
    if (status.ok() || diagnostics.size() >= limits_.diagnostics_max) return;
    const bool is_limit = status.code() == ErrorCode::kLimitExceeded;
    diagnostics.push_back(
        {"error", is_limit ? "limit_exceeded" : "damaged_xml", part, status.message()});
  };
  const std::string* xml = &flat_;
  if (package_ != nullptr) {
    STAGED_ASSIGN_OR_RETURN(xml, package_->Content(content_part_));
  }
  content_ = std::make_unique<XmlTree>(*xml, OdfVocabulary(), limits_);
  diagnose(content_part_, content_->error());
  if (!styles_part_.empty()) {
    const Result<const std::string*> styles = package_->Content(styles_part_);
    if (styles.ok()) {
      styles_tree_ = std::make_unique<XmlTree>(**styles, OdfVocabulary(), limits_);
      diagnose(styles_part_, styles_tree_->error());
      styles_.Add(*styles_tree_);
    } else {
      diagnose(styles_part_, styles.status());
    }
  }
  STAGED_RETURN_IF_ERROR(FindBody(kind_));
  styles_.Add(*content_);
  ReadChanges();
  ContentHasher hasher;
  const size_t before_body = (*content_)[body_].begin;
  hasher.Update(content_->source().substr(0, before_body));
  hasher.Update(content_->source().substr((*content_)[body_].end));
  if (styles_tree_ != nullptr) hasher.Update(styles_tree_->source());
  for (const auto& [id, change] : changes_) {
    hasher.Update(id + "\n" + change.type + "\n" + change.author + "\n" + change.date + "\n");
  }
  context_digest_ = hasher.Finish();
  return OkStatus();
}

Status OdfFile::FindBody(OdfKind kind) {
  const uint16_t wanted = kind == OdfKind::kText          ? kTextDocument
                          : kind == OdfKind::kSpreadsheet ? kSpreadsheet
                                                          : kPresentation;
  if (content_->size() > 0) {
    body_ = content_->Child(content_->Child(0, kBody), wanted);
    if (body_ == XmlTree::kNone && kind == OdfKind::kPresentation) {
      body_ = content_->Child(content_->Child(0, kBody), kDrawing);
    }
  }
  if (body_ != XmlTree::kNone) return OkStatus();
  return Status(ErrorCode::kParseFailed,
                "the document has no office:" + std::string(MediaTypeName(kind)) +
                    "; check that it is an OpenDocument " + std::string(MediaTypeName(kind)));
}

void OdfFile::ReadChanges() {
  const XmlTree& tree = *content_;
  for (uint32_t node = 0; node < tree.size(); ++node) {
    if (tree[node].name != kChangedRegion) continue;
    for (uint32_t child = tree.FirstChild(node); child != XmlTree::kNone;
         child = tree.NextSibling(child)) {
      if (!tree.IsElement(child)) continue;
      TrackedChange change{.type = std::string(tree.LocalName(child))};
      const uint32_t info = tree.Child(child, kChangeInfo);
      const uint32_t author = tree.Child(info, kCreator);
      const uint32_t date = tree.Child(info, kDate);
      if (author != XmlTree::kNone) change.author = tree.Text(author);
      if (date != XmlTree::kNone) change.date = tree.Text(date);
      changes_.emplace(tree.AttributeText(node, "id"), std::move(change));
    }
  }
}

BlockContext OdfFile::Context() const {
  BlockContext context;
  context.styles = &styles_;
  context.changes = changes_;
  context.limits = limits_;
  OfficePackage* package = package_.get();
  context.digest = [package](const std::string& part) -> std::string {
    if (package == nullptr) return "";
    ContentHash digest = package->DigestOf(part);
    if (digest.is_zero()) digest = package->DigestOf(part + "/content.xml");
    return digest.is_zero() ? std::string() : digest.ToString();
  };
  return context;
}

}  // namespace staged::odf
