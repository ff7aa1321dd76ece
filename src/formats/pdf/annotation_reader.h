#pragma once

#include <string>
#include <string_view>

#include "formats/pdf/page_reader.h"
#include "formats/pdf/text_reader.h"

namespace staged::pdf {

// Links, annotations and form fields of a page, into its content.
class AnnotationReader {
 public:
  AnnotationReader(OpenDocument& open, const PageGeometry& geometry, const PageText& text,
                   PageContent& content)
      : open_(open), pdfium_(*open.pdfium), geometry_(geometry), text_(text), content_(content) {}
  void Read(Address page, const std::string& page_locator, uint32_t number);

 private:
  void ReadOne(Address annotation, const std::string& page_locator);
  void ReadLink(Address annotation, Record& record);
  void ReadField(Address annotation, const Box& box, const std::string& hidden);
  [[nodiscard]] std::string StringOf(Address annotation, std::string_view key);
  [[nodiscard]] std::string FieldText(uint32_t (*get)(Z_pdfium_instance_t*, u32, u32, u32, u32),
                                      Address annotation);
  [[nodiscard]] std::string WordsIn(const Box& box);

  OpenDocument& open_;
  PdfiumInstance& pdfium_;
  const PageGeometry& geometry_;
  const PageText& text_;
  PageContent& content_;
  uint32_t number_ = 0;
  uint64_t links_ = 0;
  uint64_t annotations_ = 0;
  uint64_t quotes_ = 0;
};

}  // namespace staged::pdf
