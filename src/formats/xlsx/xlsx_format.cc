#include "formats/xlsx/xlsx_format.h"

#include <algorithm>
#include <array>

#include "codec/opc.h"
#include "formats/xlsx/editor.h"
#include "formats/xlsx/view_builder.h"

namespace staged {
namespace {

constexpr std::array<std::string_view, 4> kExtensions = {"xlsx", "xlsm", "xltx", "xltm"};

FormatDescriptor MakeDescriptor() {
  FormatDescriptor descriptor;
  descriptor.name = "xlsx";
  descriptor.parser = {"xlsx", std::string(xlsx::kParserVersion)};
  descriptor.extensions.assign(kExtensions.begin(), kExtensions.end());
  descriptor.edit_ops = {"set", "clear", "replace_text"};
  const auto keyed = [&](std::string kind, std::vector<FacetRule> facets) {
    descriptor.profile.kinds.push_back({std::move(kind), Matching::kKeyed, std::move(facets)});
  };
  keyed("sheet", {{"name", ChangeClass::kContent, {"name", "text"}},
                  {"position", ChangeClass::kStructure, {"index"}},
                  {"state", ChangeClass::kStructure, {"state"}},
                  {"dimension", ChangeClass::kDerived, {"dimension"}},
                  {"type", ChangeClass::kStructure, {"type"}}});
  KindRule cell{"cell",
                Matching::kGrid,
                {{"value", ChangeClass::kContent, {"value", "type", "text"}, "formula"},
                 {"formula", ChangeClass::kContent, {"formula"}, "", true},
                 {"number_format", ChangeClass::kFormat, {"number_format"}}}};
  cell.merge_set_op = cell.merge_insert_op = "set";
  cell.merge_delete_op = "clear";
  cell.merge_arguments = {{"formula", "formula"}, {"value", "value"}};
  descriptor.profile.kinds.push_back(std::move(cell));
  keyed("defined_name", {{"value", ChangeClass::kContent, {"refers_to", "text"}}});
  keyed("merge", {{"range", ChangeClass::kStructure, {"range", "text"}}});
  keyed("hyperlink", {{"target", ChangeClass::kContent, {"target", "location", "text", "range"}},
                      {"display", ChangeClass::kContent, {"display", "tooltip"}}});
  keyed("table", {{"range", ChangeClass::kStructure, {"range", "header_rows", "totals_rows"}},
                  {"name", ChangeClass::kContent, {"name", "text"}}});
  keyed("table_column", {{"name", ChangeClass::kContent, {"name", "text"}},
                         {"formula", ChangeClass::kContent, {"formula", "totals"}}});
  keyed("comment", {{"text", ChangeClass::kContent, {"text"}},
                    {"metadata", ChangeClass::kContent, {"author", "cell"}}});
  keyed("threaded_comment",
        {{"text", ChangeClass::kContent, {"text"}},
         {"metadata", ChangeClass::kContent, {"author", "cell", "time", "reply_to", "done"}}});
  keyed("sheet_property", {{"content", ChangeClass::kFormat, {"digest", "text"}}});
  return descriptor;
}

class XlsxFormat final : public Format {
 public:
  XlsxFormat() : descriptor_(MakeDescriptor()) {}

  const FormatDescriptor& descriptor() const override { return descriptor_; }

  int Sniff(std::string_view bytes, std::string_view extension) const override {
    constexpr int kCertain = 100;
    constexpr int kLikely = 90;
    constexpr int kByName = 50;
    const bool is_named =
        std::find(kExtensions.begin(), kExtensions.end(), extension) != kExtensions.end();
    const int by_name = is_named ? kByName : 0;
    if (!bytes.starts_with("PK")) return by_name;
    const Result<ZipReader> zip = ZipReader::Open(bytes, Limits());
    if (!zip.ok()) return by_name;
    if (zip->Find("xl/workbook.bin") != nullptr) return 0;
    if (zip->Find("xl/workbook.xml") != nullptr) return kCertain;
    const ZipMember* types = OpcPackage(*zip).Find("[Content_Types].xml");
    constexpr uint64_t kTypesBytesMax = 1 << 20;
    if (types == nullptr || types->size_bytes > kTypesBytesMax) return by_name;
    const Result<std::string> xml = zip->Read(*types);
    const bool is_workbook = xml.ok() && xml->find("spreadsheetml") != std::string::npos &&
                             xml->find("main+xml") != std::string::npos &&
                             xml->find("wordprocessingml") == std::string::npos &&
                             xml->find("presentationml") == std::string::npos;
    return is_workbook ? kLikely : by_name;
  }

  Result<ParsedContent> Parse(std::string_view bytes, const Limits& limits,
                              const SegmentSource& reuse) const override {
    return xlsx::BuildView(bytes, limits, reuse);
  }

  Result<EditOutcome> Apply(std::string_view bytes, const std::vector<Edit>& edits,
                            const Limits& limits) const override {
    return xlsx::ApplyEdits(bytes, edits, limits);
  }

 private:
  const FormatDescriptor descriptor_;
};

}  // namespace

std::unique_ptr<Format> NewXlsxFormat() { return std::make_unique<XlsxFormat>(); }

}  // namespace staged
