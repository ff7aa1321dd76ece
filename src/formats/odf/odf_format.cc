#include "formats/odf/odf_format.h"

#include <algorithm>

#include "codec/zip.h"
#include "formats/odf/odf_editor.h"
#include "formats/odf/odf_parser.h"

namespace staged {
namespace {

using odf::OdfKind;

constexpr ChangeClass kContent = ChangeClass::kContent;
constexpr ChangeClass kFormat = ChangeClass::kFormat;
constexpr ChangeClass kStructure = ChangeClass::kStructure;
constexpr ChangeClass kDerived = ChangeClass::kDerived;

// First of a kind's facets: what class its records have when they come or go.
FacetRule Presence(ChangeClass change_class) { return {"presence", change_class, {}}; }

// What all three kinds of documents can hold.
void AddTextKinds(Profile& profile, bool has_grid) {
  const FacetRule style{"style", kFormat, {"style", "properties"}};
  const FacetRule text{"text", kContent, {"text"}};
  KindRule paragraph{"paragraph",
                     Matching::kOrdered,
                     {text,
                      {"style", kFormat, {"style", "level", "list_level", "properties"}},
                      {"runs", kFormat, {"runs", "ruby"}},
                      {"links", kContent, {"links"}},
                      {"fields", kContent, {"fields"}},
                      {"anchors", kStructure, {"bookmarks", "notes"}},
                      {"revisions", kContent, {"revisions"}}}};
  paragraph.merge_set_op = "set";
  paragraph.merge_delete_op = "delete";
  paragraph.merge_arguments = {{"text", "text"}};
  profile.kinds.push_back(std::move(paragraph));
  const std::vector<FacetRule> drawing = {{"alt_text", kContent, {"alt_text", "title"}},
                                          {"content", kContent, {"digest", "target"}},
                                          {"position", kFormat, {"geometry"}},
                                          {"placeholder", kStructure, {"placeholder", "type"}},
                                          {"name", ChangeClass::kSerialization, {"name", "part"}},
                                          style};
  for (const char* kind : {"shape", "image", "object", "group"}) {
    profile.kinds.push_back({kind, Matching::kOrdered, drawing});
  }
  std::vector<FacetRule> table = drawing;
  table.push_back({"name", kContent, {"text"}});
  table.push_back({"range", kStructure, {"refers_to"}});
  profile.kinds.push_back({"table", has_grid ? Matching::kKeyed : Matching::kOrdered, table});
  profile.kinds.push_back({"row", Matching::kOrdered, {{"repeated", kStructure, {"repeated"}}}});
  if (!has_grid) {
    profile.kinds.push_back({"cell",
                             Matching::kOrdered,
                             {{"span", kStructure, {"column_span", "row_span", "repeated"}},
                              {"formula", kContent, {"formula"}},
                              style}});
  }
  profile.kinds.push_back(
      {"comment", Matching::kOrdered, {{"author", kContent, {"author", "date"}}}});
  profile.kinds.push_back(
      {"note", Matching::kOrdered, {Presence(kContent), {"mark", kDerived, {"text"}}}});
  profile.kinds.push_back(
      {"revision", Matching::kKeyed, {text, {"revision", kContent, {"type", "author", "date"}}}});
  for (const char* kind : {"header", "footer"}) {
    profile.kinds.push_back(
        {kind, Matching::kKeyed, {Presence(kStructure), {"name", kFormat, {"name"}}}});
  }
  profile.kinds.push_back({"style",
                           Matching::kKeyed,
                           {{"name", kFormat, {"text", "based_on"}},
                            {"properties", kFormat, {"properties", "text_properties"}}}});
  profile.kinds.push_back({"property", Matching::kKeyed, {text}});
}

void AddSheetKinds(Profile& profile) {
  profile.kinds.push_back({"sheet",
                           Matching::kKeyed,
                           {{"name", kContent, {"text"}},
                            {"position", kStructure, {"index"}},
                            {"protection", kStructure, {"protected"}}}});
  KindRule cell{"cell",
                Matching::kGrid,
                {{"value", kContent, {"value", "type", "text", "currency"}, "formula"},
                 {"formula", kContent, {"formula"}},
                 {"span", kStructure, {"column_span", "row_span", "repeated"}},
                 {"style", kFormat, {"style", "properties"}}}};
  cell.merge_set_op = cell.merge_insert_op = "set";
  cell.merge_delete_op = "clear";
  cell.merge_arguments = {{"formula", "formula"}, {"value", "value"}};
  profile.kinds.push_back(std::move(cell));
  for (const char* kind : {"defined_name", "validation"}) {
    profile.kinds.push_back({kind,
                             Matching::kKeyed,
                             {{"value", kContent, {"refers_to", "condition", "text"}},
                              {"details", kFormat, {"digest"}}}});
  }
}

void AddPageKinds(Profile& profile) {
  const std::vector<FacetRule> page = {Presence(kContent),
                                       {"title", kDerived, {"text"}},
                                       {"number", kDerived, {"number"}},
                                       {"name", kContent, {"name"}},
                                       {"layout", kStructure, {"layout"}},
                                       {"style", kFormat, {"style", "properties"}}};
  profile.kinds.push_back({"slide", Matching::kOrdered, page});
  profile.kinds.push_back({"master", Matching::kKeyed, page});
  profile.kinds.push_back({"notes", Matching::kKeyed, {}});
  profile.kinds.push_back({"animation", Matching::kKeyed, {{"digest", kFormat, {"digest"}}}});
}

class OdfFormat final : public Format {
 public:
  OdfFormat(OdfKind kind, std::string name, std::vector<std::string> extensions) : kind_(kind) {
    descriptor_.name = std::move(name);
    descriptor_.parser = {descriptor_.name, "1"};
    descriptor_.extensions = std::move(extensions);
    descriptor_.edit_ops = {"replace_text", "set",    "insert_before",
                            "insert_after", "append", "delete"};
    if (kind == OdfKind::kSpreadsheet) {
      descriptor_.edit_ops.push_back("clear");
      AddSheetKinds(descriptor_.profile);
    }
    if (kind == OdfKind::kPresentation) AddPageKinds(descriptor_.profile);
    AddTextKinds(descriptor_.profile, kind == OdfKind::kSpreadsheet);
  }

  [[nodiscard]] const FormatDescriptor& descriptor() const override { return descriptor_; }

  [[nodiscard]] int Sniff(std::string_view bytes, std::string_view extension) const override {
    const auto& extensions = descriptor_.extensions;
    const bool is_named =
        std::find(extensions.begin(), extensions.end(), extension) != extensions.end();
    const int by_name = is_named ? 50 : 0;
    const std::string media_type =
        "application/vnd.oasis.opendocument." + std::string(MediaTypeName(kind_));
    if (!bytes.starts_with("PK")) {
      constexpr size_t kHeadBytes = 8 << 10;
      const std::string_view head = bytes.substr(0, kHeadBytes);
      const bool is_flat = head.find("office:document") != std::string_view::npos &&
                           (head.find("\"" + media_type + "\"") != std::string_view::npos ||
                            head.find("\"" + media_type + "-template\"") != std::string_view::npos);
      return is_flat ? 100 : by_name;
    }
    const Result<ZipReader> archive = ZipReader::Open(bytes, Limits{});
    if (!archive.ok()) return by_name;
    const ZipMember* type = archive->Find("mimetype");
    constexpr uint64_t kTypeBytesMax = 256;
    if (type == nullptr || type->size_bytes > kTypeBytesMax) return by_name;
    const Result<std::string> text = archive->Read(*type);
    if (!text.ok() || !text->starts_with(media_type)) return by_name;
    const std::string_view rest = std::string_view(*text).substr(media_type.size());
    return rest.empty() || rest.starts_with("-template") || rest[0] == '\n' || rest[0] == '\r'
               ? 100
               : by_name;
  }

  [[nodiscard]] Result<ParsedContent> Parse(std::string_view bytes, const Limits& limits,
                                            const SegmentSource& reuse) const override {
    return odf::ParseOdf(bytes, kind_, limits, reuse);
  }

  [[nodiscard]] Result<EditOutcome> Apply(std::string_view bytes, const std::vector<Edit>& edits,
                                          const Limits& limits) const override {
    return odf::EditOdf(bytes, kind_, edits, limits);
  }

 private:
  const OdfKind kind_;
  FormatDescriptor descriptor_;
};

std::unique_ptr<Format> NewOdf(OdfKind kind, std::string name,
                               std::vector<std::string> extensions) {
  return std::make_unique<OdfFormat>(kind, std::move(name), std::move(extensions));
}

}  // namespace

std::unique_ptr<Format> NewOdtFormat() {
  return NewOdf(OdfKind::kText, "odt", {"odt", "ott", "fodt"});
}
std::unique_ptr<Format> NewOdsFormat() {
  return NewOdf(OdfKind::kSpreadsheet, "ods", {"ods", "ots", "fods"});
}
std::unique_ptr<Format> NewOdpFormat() {
  return NewOdf(OdfKind::kPresentation, "odp", {"odp", "otp", "fodp"});
}

}  // namespace staged
