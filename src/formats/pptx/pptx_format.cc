#include "formats/pptx/pptx_format.h"

#include <algorithm>

#include "codec/office_package.h"
#include "formats/pptx/presentation_editor.h"
#include "formats/pptx/presentation_parser.h"

namespace staged {
namespace {

constexpr ChangeClass kContent = ChangeClass::kContent;
constexpr ChangeClass kFormat = ChangeClass::kFormat;
constexpr ChangeClass kStructure = ChangeClass::kStructure;
constexpr ChangeClass kDerived = ChangeClass::kDerived;

// First of a kind's facets: what class its records have when they come or go.
FacetRule Presence(ChangeClass change_class) { return {"presence", change_class, {}}; }

// Shapes of every kind.
void AddShapeKinds(Profile& profile) {
  const std::vector<FacetRule> facets = {
      Presence(kContent),
      {"position", kFormat, {"geometry", "geometry_from"}},
      {"alt_text", kContent, {"alt_text", "title", "text"}},
      {"content", kContent, {"digest", "target", "program", "media"}},
      {"link", kContent, {"link", "hover_link", "tooltip"}},
      {"placeholder", kStructure, {"placeholder", "duplicate_id"}},
      {"name", ChangeClass::kSerialization, {"name", "part"}},
      {"format", kFormat, {"format", "preset"}},
  };
  for (const char* kind : {"shape", "image", "connector", "group", "table", "chart", "diagram",
                           "object", "ink", "frame"}) {
    KindRule rule{kind, Matching::kOrdered, facets};
    rule.merge_set_op = "set_geometry";
    rule.merge_arguments = {{"geometry", "geometry"}};
    profile.kinds.push_back(std::move(rule));
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

Profile PptxProfile() {
  const FacetRule text{"text", kContent, {"text"}};
  const FacetRule format{"format", kFormat, {"format"}};
  const FacetRule title{"title", kDerived, {"text"}};
  const FacetRule digest{"digest", kFormat, {"digest", "text", "media"}};
  Profile profile;
  profile.kinds = {
      {"presentation",
       Matching::kKeyed,
       {{"size", kFormat, {"size"}}, {"protection", kStructure, {"write_protected"}}, format}},
      {"custom_show",
       Matching::kKeyed,
       {{"name", kContent, {"text"}}, {"slides", kStructure, {"slides"}}}},
      {"author", Matching::kKeyed, {{"name", kContent, {"text", "initials", "userId"}}}},
      {"alternative", Matching::kOrdered, {text}},
      {"section",
       Matching::kOrdered,
       {{"name", kContent, {"text"}}, {"slides", kStructure, {"slides"}}}},
      {"slide",
       Matching::kOrdered,
       {Presence(kContent),
        title,
        {"number", kDerived, {"number"}},
        {"layout", kStructure, {"layout"}},
        {"background", kFormat, {"background", "media"}},
        {"name", ChangeClass::kSerialization, {"name"}},
        format}},
      {"notes", Matching::kKeyed, {Presence(kContent), title, {"name", kFormat, {"name"}}, format}},
      {"layout",
       Matching::kKeyed,
       {Presence(kStructure), title, {"name", kFormat, {"name", "background", "media"}}, format}},
      {"master",
       Matching::kKeyed,
       {Presence(kStructure), title, {"name", kFormat, {"name", "background", "media"}}, format}},
      {"transition", Matching::kKeyed, {digest}},
      {"animation", Matching::kKeyed, {digest}},
      {"row", Matching::kOrdered, {Presence(kStructure), {"height", kFormat, {"height"}}}},
      {"cell",
       Matching::kOrdered,
       {{"span", kStructure, {"column_span", "row_span", "merged"}}, format}},
      {"chart_definition",
       Matching::kKeyed,
       {{"types", kContent, {"types"}}, {"media", kContent, {"media"}}, format}},
      {"series",
       Matching::kOrdered,
       {{"name", kContent, {"text"}},
        {"values", kContent, {"values", "categories", "x", "y", "sizes"}},
        {"references", kContent, {"references"}},
        {"type", kContent, {"type"}}}},
      {"chart_text", Matching::kOrdered, {text, {"runs", kFormat, {"runs", "properties"}}}},
      {"node",
       Matching::kOrdered,
       {{"picture", kContent, {"media", "alt_text", "title"}},
        {"link", kContent, {"link", "tooltip"}}}},
      {"comment",
       Matching::kKeyed,
       {text, {"author", kContent, {"author", "date", "status", "reply_to"}}}},
      {"property", Matching::kKeyed, {text}},
  };
  KindRule paragraph{"paragraph",
                     Matching::kOrdered,
                     {text,
                      {"level", kFormat, {"level", "alignment", "properties"}},
                      {"links", kContent, {"links"}},
                      {"runs", kFormat, {"runs", "hidden_text"}}}};
  paragraph.merge_set_op = "set";
  paragraph.merge_arguments = {{"text", "text"}};
  profile.kinds.push_back(std::move(paragraph));
  AddShapeKinds(profile);
  AddKeptKinds(profile);
  return profile;
}

class PptxFormat final : public Format {
 public:
  PptxFormat() {
    descriptor_.name = "pptx";
    descriptor_.parser = {"pptx", "2"};
    descriptor_.extensions = {"pptx", "pptm", "potx", "potm", "ppsx", "ppsm"};
    descriptor_.edit_ops = {"replace_text", "set",         "insert_before", "insert_after",
                            "append",       "delete",      "move",          "set_hidden",
                            "set_geometry", "set_alt_text"};
    descriptor_.profile = PptxProfile();
  }

  [[nodiscard]] const FormatDescriptor& descriptor() const override { return descriptor_; }

  [[nodiscard]] int Sniff(std::string_view bytes, std::string_view extension) const override {
    const auto& known = descriptor_.extensions;
    const bool is_named = std::find(known.begin(), known.end(), extension) != known.end();
    return OfficePackageScore(
        bytes, is_named,
        {{"presentationml.presentation.main+xml", "presentationml.template.main+xml",
          "presentationml.slideshow.main+xml", "ms-powerpoint.presentation.macroEnabled.main+xml",
          "ms-powerpoint.template.macroEnabled.main+xml",
          "ms-powerpoint.slideshow.macroEnabled.main+xml"},
         "ppt/presentation.xml"});
  }

  [[nodiscard]] Result<ParsedContent> Parse(std::string_view bytes, const Limits& limits,
                                            const SegmentSource& reuse) const override {
    return pptx::ParsePresentation(bytes, limits, reuse);
  }

  [[nodiscard]] Result<EditOutcome> Apply(std::string_view bytes, const std::vector<Edit>& edits,
                                          const Limits& limits) const override {
    return pptx::EditPresentation(bytes, edits, limits);
  }

 private:
  FormatDescriptor descriptor_;
};

}  // namespace

std::unique_ptr<Format> NewPptxFormat() { return std::make_unique<PptxFormat>(); }

}  // namespace staged
