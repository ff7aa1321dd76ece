#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "formats/pdf/pdfium_instance.h"
#include "staged/limits.h"
#include "staged/record.h"
#include "staged/status.h"

namespace staged::pdf {

// What PDFium says of a document that it does not open (FPDF_GetLastError).
enum class OpenFailure : uint32_t {
  kNone = 0,
  kFormat = 3,
  kPassword = 4,
  kSecurity = 5,
  kOther = 1
};

// A document open in an instance of PDFium.
struct OpenDocument {
  std::unique_ptr<PdfiumInstance> pdfium;
  Address document = 0;
  Address forms = 0;  // the form filling environment; 0: the document has no form
  OpenFailure failure = OpenFailure::kNone;
};

// Errors: kLimitExceeded (no memory for it). A document that cannot be opened is no error: see
// `failure`.
[[nodiscard]] Result<OpenDocument> OpenPdf(std::string_view bytes, const Limits& limits,
                                           int64_t budget);

// Where a destination or an action leads, as attributes "page", "uri", "file" or "action".
void AddTarget(PdfiumInstance& pdfium, Address document, Address destination, Address action,
               Value& attrs);

// `locator`, or with ~2, ~3 ... behind it where it is taken, which it is then.
class LocatorNames {
 public:
  [[nodiscard]] std::string Take(std::string locator);

 private:
  std::map<std::string, uint64_t, std::less<>> taken_;
};

}  // namespace staged::pdf
