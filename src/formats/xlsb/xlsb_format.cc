#include "formats/xlsb/xlsb_format.h"

#include "codec/zip.h"
#include "formats/xlsb/view_builder.h"

namespace staged {
namespace {

constexpr ChangeClass kContent = ChangeClass::kContent;
constexpr ChangeClass kFormat = ChangeClass::kFormat;
constexpr ChangeClass kStructure = ChangeClass::kStructure;

Profile XlsbProfile() {
  Profile profile;
  KindRule cell{"cell",
                Matching::kGrid,
                {{"value", kContent, {"value", "type", "text"}, "formula"},
                 {"formula", kContent, {"formula"}, "", true},
                 {"number_format", kFormat, {"number_format"}},
                 {"array", kContent, {"array"}, "", true}}};
  cell.hidden_by_others = true;
  profile.kinds = {
      {"sheet",
       Matching::kKeyed,
       {{"name", kContent, {"name", "text"}},
        {"position", kStructure, {"index"}},
        {"state", kStructure, {"state"}},
        {"dimension", ChangeClass::kDerived, {"dimension"}},
        {"type", kStructure, {"type"}}}},
      std::move(cell),
      {"merge", Matching::kKeyed, {{"range", kStructure, {"range", "text"}}}},
      {"hyperlink",
       Matching::kKeyed,
       {{"target", kContent, {"target", "location", "text", "range"}},
        {"display", kContent, {"display", "tooltip"}}}},
      {"comment", Matching::kKeyed, {{"text", kContent, {"text", "author", "cell"}}}},
      {"table", Matching::kKeyed, {{"range", kStructure, {"range", "name", "text"}}}},
      {"table_column", Matching::kKeyed, {{"name", kContent, {"text"}}}},
      {"unshown",
       Matching::kKeyed,
       {{"content", ChangeClass::kOpaque, {"digest", "record_types"}}}},
      {"defined_name",
       Matching::kKeyed,
       {{"reference", kContent, {"refers_to", "text"}, "", true},
        {"comment", kContent, {"comment"}}}},
      {"property", Matching::kKeyed, {{"text", kContent, {"text"}}}},
      {"other_part",
       Matching::kKeyed,
       {{"content", kContent, {"text", "content", "is_cut", "digest"}}}},
      {"macro_project",
       Matching::kKeyed,
       {{"name", kContent, {"text", "modules", "undecoded_code_page"}}}},
      {"macro_module", Matching::kKeyed, {{"source", kContent, {"text", "type", "digest"}}}},
      {"macro_stream", Matching::kKeyed, {{"content", ChangeClass::kOpaque, {"text", "digest"}}}},
  };
  return profile;
}

class XlsbFormat final : public Format {
 public:
  XlsbFormat() {
    descriptor_.name = "xlsb";
    descriptor_.parser = {"xlsb", std::string(xlsb::kParserVersion)};
    descriptor_.extensions = {"xlsb"};
    descriptor_.profile = XlsbProfile();
  }

  [[nodiscard]] const FormatDescriptor& descriptor() const override { return descriptor_; }

  [[nodiscard]] int Sniff(std::string_view bytes, std::string_view extension) const override {
    constexpr int kCertain = 100;
    constexpr int kByName = 50;
    const int by_name = extension == "xlsb" ? kByName : 0;
    if (!bytes.starts_with("PK")) return by_name;
    const Result<ZipReader> zip = ZipReader::Open(bytes, Limits());
    return zip.ok() && zip->Find("xl/workbook.bin") != nullptr ? kCertain : by_name;
  }

  [[nodiscard]] Result<ParsedContent> Parse(std::string_view bytes, const Limits& limits,
                                            const SegmentSource&) const override {
    return xlsb::BuildView(bytes, limits);
  }

  [[nodiscard]] Result<EditOutcome> Apply(std::string_view, const std::vector<Edit>&,
                                          const Limits&) const override {
    return Status(ErrorCode::kUnsupportedEdit,
                  "a binary workbook is only read; save it as .xlsx to edit cells, or write native "
                  "bytes");
  }

 private:
  FormatDescriptor descriptor_;
};

}  // namespace

std::unique_ptr<Format> NewXlsbFormat() { return std::make_unique<XlsbFormat>(); }

}  // namespace staged
