#include "formats/pdf/document_reader.h"

#include <algorithm>
#include <set>

namespace staged::pdf {
namespace {

constexpr uint64_t kOutlineItemsMax = 100'000;
constexpr int32_t kAttachmentsMax = 10'000;
constexpr int32_t kScriptsMax = 10'000;
constexpr int32_t kSignaturesMax = 1'000;
constexpr uint32_t kAttachmentBytesMax = 256 << 20;
constexpr uint32_t kNoSecurity = 0xFFFFFFFF;

// ISO 32000-1, table 317.
constexpr const char* kInformation[] = {"Title",        "Author",  "Subject",
                                        "Keywords",     "Creator", "Producer",
                                        "CreationDate", "ModDate", "Trapped"};

class DocumentReader {
 public:
  DocumentReader(OpenDocument& open, const Limits& limits)
      : open_(open), pdfium_(*open.pdfium), limits_(limits) {}

  DocumentContent Read() {
    ReadOverview();
    ReadProperties();
    ReadOutline(0, "document", 1);
    ReadAttachments();
    ReadScripts();
    ReadSignatures();
    return std::move(content_);
  }

 private:
  void Diagnose(std::string severity, std::string code, std::string message) {
    content_.diagnostics.push_back(
        {std::move(severity), std::move(code), "document", std::move(message)});
  }

  void ReadOverview() {
    Record record{.kind = "document", .locator = "document"};
    record.key = record.locator;
    record.hidden = "settings";
    const Address at = pdfium_.scratch();
    if (pdfium_.Call(pdfium_FPDF_GetFileVersion, open_.document, at) != 0) {
      const auto version = pdfium_.Read<int32_t>(at);
      record.attrs.Set("version",
                       std::to_string(version / 10) + "." + std::to_string(version % 10));
    }
    record.attrs.Set("pages",
                     static_cast<int32_t>(pdfium_.Call(pdfium_FPDF_GetPageCount, open_.document)));
    if (pdfium_.Call(pdfium_FPDFCatalog_IsTagged, open_.document) != 0) {
      record.attrs.Set("tagged", true);
    }
    const uint32_t form = pdfium_.Call(pdfium_FPDF_GetFormType, open_.document);
    if (form != 0) record.attrs.Set("form", form == 1 ? "acroform" : "xfa");
    if (form > 1) {
      Diagnose("warning", "xfa_form",
               "the form is an XFA form: only what is also in the PDF's own fields is shown");
    }
    const uint32_t revision = pdfium_.Call(pdfium_FPDF_GetSecurityHandlerRevision, open_.document);
    if (revision != kNoSecurity && pdfium_.is_usable()) {
      record.attrs.Set("encryption",
                       "standard security handler, revision " + std::to_string(revision));
      record.attrs.Set("permissions", pdfium_.Call(pdfium_FPDF_GetDocPermissions, open_.document));
    }
    if (pdfium_.is_usable() &&
        pdfium_.Call(pdfium_FPDF_DocumentHasValidCrossReferenceTable, open_.document) == 0) {
      Diagnose("warning", "damaged",
               "the file's table of objects is damaged and was rebuilt; something may be missing");
    }
    content_.records.push_back(std::move(record));
  }

  void ReadProperties() {
    for (const char* name : kInformation) {
      const Address key = pdfium_.Key(name);
      Record record{.kind = "property", .locator = std::string("prop:") + name};
      record.text = pdfium_.Text([&](Address buffer, uint32_t size) {
        return pdfium_.Call(pdfium_FPDF_GetMetaText, open_.document, key, buffer, size);
      });
      if (record.text.empty()) continue;
      record.key = name;
      record.parent = "document";
      record.hidden = "metadata";
      content_.records.push_back(std::move(record));
    }
  }

  // Siblings may form a ring: each is visited once.
  void ReadOutline(Address parent, const std::string& parent_locator, uint32_t depth) {
    if (depth > std::min(limits_.depth_max, 64U)) {
      Diagnose("error", "limit_exceeded", "the outline is nested too deeply; the rest is left out");
      return;
    }
    Address item = pdfium_.Call(pdfium_FPDFBookmark_GetFirstChild, open_.document, parent);
    while (item != 0 && pdfium_.is_usable() && seen_.insert(item).second) {
      if (++outline_items_ > kOutlineItemsMax) {
        if (outline_items_ == kOutlineItemsMax + 1) {
          Diagnose("error", "limit_exceeded", "the outline is too long; the rest is left out");
        }
        return;
      }
      Record record{.kind = "outline", .locator = "outline:" + std::to_string(outline_items_)};
      record.parent = parent_locator;
      record.text = pdfium_.Text([&](Address buffer, uint32_t size) {
        return pdfium_.Call(pdfium_FPDFBookmark_GetTitle, item, buffer, size);
      });
      record.attrs.Set("level", depth);
      const Address destination = pdfium_.Call(pdfium_FPDFBookmark_GetDest, open_.document, item);
      const Address action = pdfium_.Call(pdfium_FPDFBookmark_GetAction, item);
      AddTarget(pdfium_, open_.document, destination, action, record.attrs);
      const std::string locator = record.locator;
      content_.records.push_back(std::move(record));
      ReadOutline(item, locator, depth + 1);
      item = pdfium_.Call(pdfium_FPDFBookmark_GetNextSibling, open_.document, item);
    }
  }

  void ReadAttachments() {
    const auto count =
        static_cast<int32_t>(pdfium_.Call(pdfium_FPDFDoc_GetAttachmentCount, open_.document));
    for (int32_t i = 0; i < std::min(count, kAttachmentsMax) && pdfium_.is_usable(); ++i) {
      const Address file = pdfium_.Call(pdfium_FPDFDoc_GetAttachment, open_.document, i);
      if (file == 0) continue;
      Record record{.kind = "attachment"};
      record.text = pdfium_.Text([&](Address buffer, uint32_t size) {
        return pdfium_.Call(pdfium_FPDFAttachment_GetName, file, buffer, size);
      });
      record.key = record.text;
      record.locator = names_.Take("attachment:" + record.text);
      record.parent = "document";
      record.hidden = "attached file";
      const std::string type = pdfium_.Text([&](Address buffer, uint32_t size) {
        return pdfium_.Call(pdfium_FPDFAttachment_GetSubtype, file, buffer, size);
      });
      if (!type.empty()) record.attrs.Set("type", type);
      AddContent(file, record);
      content_.records.push_back(std::move(record));
    }
  }

  void AddContent(Address file, Record& record) {
    const Address at = pdfium_.scratch();
    if (pdfium_.Call(pdfium_FPDFAttachment_GetFile, file, 0U, 0U, at) == 0) return;
    const auto size = pdfium_.Read<uint32_t>(at);
    record.attrs.Set("size_bytes", size);
    if (size > kAttachmentBytesMax) {
      Diagnose("warning", "limit_exceeded",
               "the attachment " + record.text + " is too large to be compared by content");
      return;
    }
    const Address buffer = pdfium_.Call(pdfium_malloc, std::max(size, 1U));
    if (buffer == 0) return;
    if (pdfium_.Call(pdfium_FPDFAttachment_GetFile, file, buffer, size, at) != 0) {
      record.attrs.Set("digest", ContentHash::Of(pdfium_.Bytes(buffer, size)).ToString());
      pdfium_.set_budget(pdfium_.budget() - size / 4);  // hashing takes time, too
    }
    pdfium_.Call(pdfium_free, buffer);
  }

  void ReadScripts() {
    const auto count =
        static_cast<int32_t>(pdfium_.Call(pdfium_FPDFDoc_GetJavaScriptActionCount, open_.document));
    for (int32_t i = 0; i < std::min(count, kScriptsMax) && pdfium_.is_usable(); ++i) {
      const Address script = pdfium_.Call(pdfium_FPDFDoc_GetJavaScriptAction, open_.document, i);
      if (script == 0) continue;
      Record record{.kind = "script"};
      record.key = pdfium_.Text([&](Address buffer, uint32_t size) {
        return pdfium_.Call(pdfium_FPDFJavaScriptAction_GetName, script, buffer, size);
      });
      record.text = pdfium_.Text([&](Address buffer, uint32_t size) {
        return pdfium_.Call(pdfium_FPDFJavaScriptAction_GetScript, script, buffer, size);
      });
      record.locator = names_.Take("script:" + record.key);
      record.parent = "document";
      record.hidden = "script";
      pdfium_.Call(pdfium_FPDFDoc_CloseJavaScriptAction, script);
      content_.records.push_back(std::move(record));
    }
    if (count > 0) Diagnose("warning", "scripts", "the document carries scripts");
  }

  void ReadSignatures() {
    const auto count =
        static_cast<int32_t>(pdfium_.Call(pdfium_FPDF_GetSignatureCount, open_.document));
    for (int32_t i = 0; i < std::min(count, kSignaturesMax) && pdfium_.is_usable(); ++i) {
      const Address signature = pdfium_.Call(pdfium_FPDF_GetSignatureObject, open_.document, i);
      if (signature == 0) continue;
      Record record{.kind = "signature", .locator = "signature:" + std::to_string(i + 1)};
      record.key = record.locator;
      record.parent = "document";
      record.text = pdfium_.Text([&](Address buffer, uint32_t size) {
        return pdfium_.Call(pdfium_FPDFSignatureObj_GetReason, signature, buffer, size);
      });
      const auto plain = [&](const char* name, auto function) {
        std::string value = pdfium_.PlainText([&](Address buffer, uint32_t size) {
          return pdfium_.Call(function, signature, buffer, size);
        });
        if (!value.empty()) record.attrs.Set(name, std::move(value));
      };
      plain("method", pdfium_FPDFSignatureObj_GetSubFilter);
      plain("date", pdfium_FPDFSignatureObj_GetTime);
      content_.records.push_back(std::move(record));
    }
    if (count > 0) {
      Diagnose("note", "signed",
               "the document carries digital signatures; they are shown, not verified");
    }
  }

  OpenDocument& open_;
  PdfiumInstance& pdfium_;
  const Limits& limits_;
  DocumentContent content_;
  LocatorNames names_;
  std::set<Address> seen_;
  uint64_t outline_items_ = 0;
};

}  // namespace

DocumentContent ReadDocument(OpenDocument& open, const Limits& limits) {
  return DocumentReader(open, limits).Read();
}

}  // namespace staged::pdf
