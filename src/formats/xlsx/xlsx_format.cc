#include "formats/xlsx/xlsx_format.h"

#include <algorithm>
#include <array>

#include "codec/opc.h"
#include "formats/xlsx/editor.h"
#include "formats/xlsx/profile.h"
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
  descriptor.profile = xlsx::WorkbookProfile();
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
