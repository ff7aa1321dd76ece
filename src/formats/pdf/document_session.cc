#include "formats/pdf/document_session.h"

#include <algorithm>

namespace staged::pdf {
namespace {

constexpr uint64_t kMebibyte = 1 << 20;
// An instance needs so much besides the file.
constexpr uint64_t kWorkingBytesMin = 64 * kMebibyte;
// FPDF_FORMFILLINFO without any callback.
constexpr uint32_t kFormInfoBytes = 512;

enum ActionType : uint32_t { kGoTo = 1, kRemoteGoTo = 2, kUri = 3, kLaunch = 4, kEmbedded = 5 };

Address OpenForms(PdfiumInstance& pdfium, Address document) {
  if (pdfium.Call(pdfium_FPDF_GetFormType, document) == 0) return 0;
  const Address info = pdfium.Copy(std::string(kFormInfoBytes, '\0'));
  for (const int32_t version : {1, 2}) {  // 2 where PDFium was built with XFA
    pdfium.Write(info, version);
    const Address forms = pdfium.Call(pdfium_FPDFDOC_InitFormFillEnvironment, document, info);
    if (forms != 0) return forms;
  }
  return 0;
}

}  // namespace

Result<OpenDocument> OpenPdf(std::string_view bytes, const Limits& limits, int64_t budget) {
  const uint64_t memory_max = std::min<uint64_t>(limits.expanded_bytes_max, PDFIUM_MEMORY_SPAN);
  if (bytes.size() + kWorkingBytesMin > memory_max) {
    return Status(ErrorCode::kLimitExceeded,
                  "the file does not fit into the " + std::to_string(memory_max / kMebibyte) +
                      " MiB that a PDF parser may use; split it into smaller documents");
  }
  OpenDocument open;
  open.pdfium = PdfiumInstance::Start(memory_max);
  if (open.pdfium == nullptr) {
    return Status(ErrorCode::kLimitExceeded,
                  "there is no memory for a PDF parser; close other programs and try again");
  }
  PdfiumInstance& pdfium = *open.pdfium;
  pdfium.set_budget(budget);
  const Address copy = pdfium.Copy(bytes);
  open.document = copy == 0 ? 0
                            : pdfium.Call(pdfium_FPDF_LoadMemDocument, copy,
                                          static_cast<uint32_t>(bytes.size()), 0U);
  if (open.document == 0) {
    const uint32_t error = pdfium.Call(pdfium_FPDF_GetLastError);
    open.failure = error == 3 || error == 4 || error == 5 ? static_cast<OpenFailure>(error)
                                                          : OpenFailure::kOther;
    return open;
  }
  open.forms = OpenForms(pdfium, open.document);
  return open;
}

void AddTarget(PdfiumInstance& pdfium, Address document, Address destination, Address action,
               Value& attrs) {
  const uint32_t type = action == 0 ? 0 : pdfium.Call(pdfium_FPDFAction_GetType, action);
  if (destination == 0 && type == kGoTo) {
    destination = pdfium.Call(pdfium_FPDFAction_GetDest, document, action);
  }
  if (destination != 0) {
    const auto page =
        static_cast<int32_t>(pdfium.Call(pdfium_FPDFDest_GetDestPageIndex, document, destination));
    if (page >= 0) attrs.Set("page", int64_t{page} + 1);
    return;
  }
  if (type == kUri) {
    attrs.Set("uri", pdfium.PlainText([&](Address buffer, uint32_t size) {
      return pdfium.Call(pdfium_FPDFAction_GetURIPath, document, action, buffer, size);
    }));
  } else if (type == kRemoteGoTo || type == kLaunch || type == kEmbedded) {
    attrs.Set("file", pdfium.PlainText([&](Address buffer, uint32_t size) {
      return pdfium.Call(pdfium_FPDFAction_GetFilePath, action, buffer, size);
    }));
    if (type == kLaunch) attrs.Set("action", "launch");
  } else if (action != 0) {
    attrs.Set("action", "other");
  }
}

std::string LocatorNames::Take(std::string locator) {
  const uint64_t times = ++taken_[locator];
  if (times == 1) return locator;
  std::string numbered = locator + "~" + std::to_string(times);
  while (taken_.contains(numbered)) numbered += "~";
  taken_[numbered] = 1;
  return numbered;
}

}  // namespace staged::pdf
