#include "formats/builtin_formats.h"

#include "formats/binary/binary_format.h"
#include "formats/code/code_format.h"
#include "formats/csv/csv_format.h"
#include "formats/docx/docx_format.h"
#include "formats/html/html_format.h"
#include "formats/image/image_format.h"
#include "formats/ipynb/ipynb_format.h"
#include "formats/json/json_format.h"
#include "formats/legacy/legacy_formats.h"
#include "formats/markdown/markdown_format.h"
#include "formats/odf/odf_format.h"
#include "formats/pdf/pdf_format.h"
#include "formats/pptx/pptx_format.h"
#include "formats/text/text_format.h"
#include "formats/toml/toml_format.h"
#include "formats/xlsb/xlsb_format.h"
#include "formats/xlsx/xlsx_format.h"
#include "formats/xml/xml_format.h"
#include "formats/yaml/yaml_format.h"

namespace staged {

FormatRegistry NewBuiltinRegistry() {
  FormatRegistry registry;
  registry.Register(NewBinaryFormat());
  registry.Register(NewTextFormat());
  registry.Register(NewCsvFormat());
  registry.Register(NewDocxFormat());
  registry.Register(NewMarkdownFormat());
  registry.Register(NewHtmlFormat());
  registry.Register(NewImageFormat());
  registry.Register(NewIpynbFormat());
  registry.Register(NewJsonFormat());
  registry.Register(NewJsonLinesFormat());
  for (std::unique_ptr<Format>& format : NewCodeFormats()) registry.Register(std::move(format));
  registry.Register(NewXlsxFormat());
  registry.Register(NewXlsbFormat());
  registry.Register(NewPptxFormat());
  registry.Register(NewPdfFormat());
  registry.Register(NewYamlFormat());
  registry.Register(NewTomlFormat());
  registry.Register(NewOdtFormat());
  registry.Register(NewOdsFormat());
  registry.Register(NewOdpFormat());
  registry.Register(NewXmlFormat());
  return registry;
}

void AddConvertedFormats(FormatRegistry& registry,
                         const std::shared_ptr<const OfficeConverter>& converter) {
  RegisterLegacyFormats(registry, converter);
}

}  // namespace staged
