#include "formats/docx/docx_format.h"

#include <algorithm>

#include "codec/office_package.h"
#include "formats/docx/document_editor.h"
#include "formats/docx/document_parser.h"

namespace staged {
namespace {

constexpr ChangeClass kContent = ChangeClass::kContent;
constexpr ChangeClass kFormat = ChangeClass::kFormat;
constexpr ChangeClass kStructure = ChangeClass::kStructure;
constexpr ChangeClass kDerived = ChangeClass::kDerived;

// What is drawn, embedded or imported.
void AddPictureKinds(Profile& profile) {
  for (const char* kind :
       {"image", "chart", "diagram", "shape", "object", "ink", "import", "background"}) {
    profile.kinds.push_back(
        {kind,
         Matching::kOrdered,
         {{"picture",
           kContent,
           {"text", "digest", "vector_digest", "media", "target", "alternative_text", "title",
            "program"}},
          {"link", kContent, {"link"}},
          {"placement", kFormat, {"size_emu", "at", "format"}},
          {"name", ChangeClass::kSerialization, {"name", "part", "vector_part", "embedding"}}}});
  }
}

// Macros, and what the program keeps and nobody sees.
void AddKeptKinds(Profile& profile) {
  profile.kinds.push_back({"macro_project",
                           Matching::kKeyed,
                           {{"name", kContent, {"text", "modules", "undecoded_code_page"}}}});
  profile.kinds.push_back(
      {"macro_module", Matching::kKeyed, {{"source", kContent, {"text", "type", "digest"}}}});
  profile.kinds.push_back(
      {"macro_stream", Matching::kKeyed, {{"content", ChangeClass::kOpaque, {"text", "digest"}}}});
  profile.kinds.push_back({"other_part",
                           Matching::kKeyed,
                           {{"content", kContent, {"text", "content", "is_cut", "digest"}}}});
}

Profile DocxProfile() {
  const FacetRule text{"text", kContent, {"text"}};
  const FacetRule revisions{"revisions", kContent, {"revisions"}};
  const FacetRule properties{"properties", kFormat, {"properties", "style"}};
  const FacetRule sections{"sections", kDerived, {"sections"}};
  Profile profile;
  profile.kinds = {
      {"paragraph",
       Matching::kOrdered,
       {text,
        {"style", kFormat, {"style", "level", "alignment", "properties"}},
        {"list", kFormat, {"list", "list_level"}},
        {"label", kDerived, {"label"}},
        {"runs", kFormat, {"runs", "breaks", "hidden_text"}},
        {"links", kContent, {"links"}},
        {"fields", kContent, {"fields", "forms", "equations", "ruby"}},
        {"anchors",
         kStructure,
         {"bookmarks", "comments", "notes", "controls", "tags", "permissions", "section_break"}},
        revisions,
        {"identity", ChangeClass::kSerialization, {"para_id"}}}},
      {"table",
       Matching::kOrdered,
       {properties,
        {"size", kStructure, {"rows", "columns"}},
        {"grid", kFormat, {"column_widths"}},
        revisions}},
      {"row",
       Matching::kOrdered,
       {properties, {"header", kFormat, {"header", "exceptions"}}, revisions}},
      {"cell",
       Matching::kOrdered,
       {properties,
        {"span", kStructure, {"column", "column_span", "row_span", "merged"}},
        revisions}},
      {"section",
       Matching::kOrdered,
       {properties, {"headers", kStructure, {"headers"}}, revisions}},
      {"control", Matching::kOrdered, {text}},
      {"text_box", Matching::kOrdered, {text}},
      {"revision",
       Matching::kOrdered,
       {text, {"revision", kContent, {"type", "author", "date", "move", "start"}}}},
      {"header", Matching::kKeyed, {sections}},
      {"footer", Matching::kKeyed, {sections}},
      {"footnote", Matching::kKeyed, {{"type", kStructure, {"type"}}}},
      {"endnote", Matching::kKeyed, {{"type", kStructure, {"type"}}}},
      {"comment",
       Matching::kKeyed,
       {{"author", kContent, {"author", "initials", "date"}},
        {"thread", kContent, {"reply_to", "resolved"}},
        {"anchor", kDerived, {"anchor", "anchor_end"}}}},
      {"style",
       Matching::kKeyed,
       {{"name", kFormat, {"text", "type", "default", "based_on"}}, properties}},
      {"numbering", Matching::kKeyed, {{"levels", kFormat, {"definition", "levels", "format"}}}},
      {"settings", Matching::kKeyed, {}},
      {"property", Matching::kKeyed, {text}},
      {"alternative", Matching::kOrdered, {text}},
  };
  KindRule& paragraph = profile.kinds.front();
  paragraph.merge_set_op = "set";
  paragraph.merge_delete_op = "delete";
  paragraph.merge_arguments = {{"text", "text"}};
  AddPictureKinds(profile);
  AddKeptKinds(profile);
  return profile;
}

class DocxFormat final : public Format {
 public:
  DocxFormat() {
    descriptor_.name = "docx";
    descriptor_.parser = {"docx", "2"};
    descriptor_.extensions = {"docx", "docm", "dotx", "dotm"};
    descriptor_.edit_ops = {"replace_text", "set", "insert_before", "insert_after", "delete"};
    descriptor_.profile = DocxProfile();
  }

  [[nodiscard]] const FormatDescriptor& descriptor() const override { return descriptor_; }

  [[nodiscard]] int Sniff(std::string_view bytes, std::string_view extension) const override {
    const auto& known = descriptor_.extensions;
    const bool is_named = std::find(known.begin(), known.end(), extension) != known.end();
    return OfficePackageScore(
        bytes, is_named,
        {{"wordprocessingml.document.main+xml", "wordprocessingml.template.main+xml",
          "ms-word.document.macroEnabled.main+xml",
          "ms-word.template.macroEnabledTemplate.main+xml"},
         "word/document.xml"});
  }

  [[nodiscard]] Result<ParsedContent> Parse(std::string_view bytes, const Limits& limits,
                                            const SegmentSource& reuse) const override {
    return docx::ParseDocument(bytes, limits, reuse);
  }

  [[nodiscard]] Result<EditOutcome> Apply(std::string_view bytes, const std::vector<Edit>& edits,
                                          const Limits& limits) const override {
    return docx::EditDocument(bytes, edits, limits);
  }

 private:
  FormatDescriptor descriptor_;
};

}  // namespace

std::unique_ptr<Format> NewDocxFormat() { return std::make_unique<DocxFormat>(); }

}  // namespace staged
