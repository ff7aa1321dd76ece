#include "formats/pdf/pdf_format.h"

#include <algorithm>

#include "formats/pdf/pdf_parser.h"

namespace staged {
namespace {

constexpr ChangeClass kContent = ChangeClass::kContent;
constexpr ChangeClass kFormat = ChangeClass::kFormat;
constexpr ChangeClass kStructure = ChangeClass::kStructure;

Profile PdfProfile() {
  const FacetRule text{"text", kContent, {"text"}};
  const FacetRule position{"position", kFormat, {"box", "lines", "page"}};
  const FacetRule presence{"presence", kContent, {}};
  Profile profile;
  profile.kinds = {
      {"document",
       Matching::kKeyed,
       {text,
        {"security", kStructure, {"encryption", "permissions"}},
        {"version", ChangeClass::kSerialization, {"version"}},
        {"pages", ChangeClass::kDerived, {"pages"}}}},
      {"property", Matching::kKeyed, {text}},
      {"outline",
       Matching::kOrdered,
       {text, {"target", kStructure, {"page", "y", "uri", "file", "level"}}}},
      {"page",
       Matching::kOrdered,
       {presence,
        {"label", kStructure, {"label"}},
        {"size", kFormat, {"width", "height", "rotation"}},
        {"drawing", kFormat, {"drawing", "paths"}},
        {"number", ChangeClass::kDerived, {"number"}}}},
      {"block",
       Matching::kOrdered,
       {text, position, {"font", kFormat, {"font", "size", "angle", "table"}}}},
      {"image",
       Matching::kOrdered,
       {{"content", kContent, {"digest", "width", "height"}},
        position,
        {"encoding", ChangeClass::kSerialization, {"filters"}}}},
      {"link",
       Matching::kOrdered,
       {text, {"target", kContent, {"page", "y", "uri", "file"}}, position}},
      {"annotation",
       Matching::kOrdered,
       {text,
        {"author", kContent, {"author", "date", "subject"}},
        {"type", kContent, {"type"}},
        position}},
      {"field",
       Matching::kKeyed,
       {{"value", kContent, {"value", "text", "checked", "selected"}},
        {"definition", kStructure, {"type", "options", "label", "read_only", "required"}},
        position}},
      {"attachment",
       Matching::kKeyed,
       {{"content", kContent, {"digest", "size_bytes"}},
        {"description", kContent, {"text", "type", "date"}}}},
      {"script", Matching::kKeyed, {text}},
      {"signature",
       Matching::kKeyed,
       {{"signature", kContent, {"digest", "reason", "date", "method", "covers"}}}},
  };
  return profile;
}

class PdfFormat final : public Format {
 public:
  PdfFormat() {
    descriptor_.name = "pdf";
    descriptor_.parser = {"pdf", "1"};
    descriptor_.extensions = {"pdf"};
    descriptor_.profile = PdfProfile();
  }

  [[nodiscard]] const FormatDescriptor& descriptor() const override { return descriptor_; }

  [[nodiscard]] int Sniff(std::string_view bytes, std::string_view extension) const override {
    if (bytes.starts_with("%PDF-")) return 100;
    // Readers accept a header behind other bytes: ISO 32000-1, annex H, note 13.
    constexpr size_t kHeaderWithin = 1024;
    constexpr size_t kTrailerWithin = 2048;
    const std::string_view head = bytes.substr(0, kHeaderWithin);
    const std::string_view tail =
        bytes.substr(bytes.size() - std::min(bytes.size(), kTrailerWithin));
    if (head.find("%PDF-") != std::string_view::npos &&
        tail.find("startxref") != std::string_view::npos) {
      return 95;
    }
    return extension == "pdf" ? 50 : 0;
  }

  [[nodiscard]] Result<ParsedContent> Parse(std::string_view bytes, const Limits& limits,
                                            const SegmentSource& reuse) const override {
    return pdf::ParsePdf(bytes, limits, reuse);
  }

  [[nodiscard]] Result<EditOutcome> Apply(std::string_view, const std::vector<Edit>&,
                                          const Limits&) const override {
    return Status(ErrorCode::kUnsupportedEdit,
                  "a PDF file is read only; edit the document it was made from, or write the "
                  "whole file instead");
  }

 private:
  FormatDescriptor descriptor_;
};

}  // namespace

std::unique_ptr<Format> NewPdfFormat() { return std::make_unique<PdfFormat>(); }

}  // namespace staged
