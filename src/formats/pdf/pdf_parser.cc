#include "formats/pdf/pdf_parser.h"

#include <algorithm>

#include "formats/pdf/document_reader.h"
#include "formats/pdf/page_reader.h"
#include "record/record_codec.h"
#include "record/segments.h"

namespace staged::pdf {
namespace {

// Steps of PDFium (see PdfiumInstance::budget). A page of a report takes some 350,000.
constexpr int64_t kStepsPerPage = 1'500'000'000;
constexpr int64_t kStepsMin = 4'000'000'000;
constexpr int64_t kStepsPerByte = 400;
constexpr int64_t kStepsPerExpandedByte = 9;  // of the limit; by default a minute in all
// How often PDFium may give up before the rest of the pages is left out.
constexpr int kRestartsMax = 8;
constexpr int32_t kPagesMax = 200'000;

const std::vector<std::string> kKinds = {"document", "property",   "outline", "page",
                                         "block",    "image",      "link",    "annotation",
                                         "field",    "attachment", "script",  "signature"};

class PdfParser {
 public:
  PdfParser(std::string_view bytes, const Limits& limits) : bytes_(bytes), limits_(limits) {}

  Result<ParsedContent> Parse() {
    if (bytes_.size() > limits_.input_bytes_max) {
      return Status(ErrorCode::kLimitExceeded,
                    "the file is larger than the limit input_bytes_max allows");
    }
    steps_left_ =
        std::min(StepsMax(), kStepsMin + kStepsPerByte * static_cast<int64_t>(bytes_.size()));
    content_.parts.push_back({"", ContentHash::Of(bytes_), bytes_.size(), kKinds});
    STAGED_RETURN_IF_ERROR(Open());
    if (open_.failure != OpenFailure::kNone) {
      STAGED_RETURN_IF_ERROR(ExplainFailure());
      return std::move(content_);
    }
    // Asked for first: an instance that stops answers nothing more.
    const auto pages =
        static_cast<int32_t>(open_.pdfium->Call(pdfium_FPDF_GetPageCount, open_.document));
    ReadProperties();
    ReadPages(pages);
    AddFields();
    return std::move(content_);
  }

 private:
  [[nodiscard]] int64_t StepsMax() const {
    return kStepsPerExpandedByte *
           static_cast<int64_t>(std::min<uint64_t>(limits_.expanded_bytes_max, uint64_t{1} << 40));
  }

  Status Open() {
    const int64_t steps = std::min(steps_left_, kStepsPerPage);
    STAGED_ASSIGN_OR_RETURN(open_, OpenPdf(bytes_, limits_, steps));
    steps_left_ -= steps - std::max<int64_t>(open_.pdfium->budget(), 0);
    return OkStatus();
  }

  // A partial view of a document that is locked; an error for what is none.
  Status ExplainFailure() {
    const bool is_locked =
        open_.failure == OpenFailure::kPassword || open_.failure == OpenFailure::kSecurity;
    if (!is_locked) {
      const std::string why = WhyItStopped();
      return {ErrorCode::kParseFailed,
              why.empty()
                  ? "the file is no PDF, or damaged beyond repair; restore it from its source"
                  : "PDFium cannot open the file: " + why};
    }
    Record record{.kind = "document", .locator = "document"};
    record.key = record.locator;
    record.hidden = "settings";
    record.attrs.Set("encryption", open_.failure == OpenFailure::kPassword
                                       ? "needs a password"
                                       : "by an unsupported security handler");
    AddSegment({std::move(record)});
    Diagnose({"error", "encrypted", "document",
              "the file is encrypted, and what is in it cannot be read; save a copy without "
              "password"});
    return OkStatus();
  }

  std::string WhyItStopped() {
    if (open_.pdfium->memory_was_refused()) return "it needs more memory than a parser may use";
    switch (open_.pdfium->ending()) {
      case PDFIUM_TIME_IS_OVER:
        return "it takes longer than a parser may take";
      case PDFIUM_CALLS_TOO_DEEP:
        return "it is nested too deeply";
      case PDFIUM_FAULT:
        return "it is damaged in a way that PDFium does not withstand";
      default:
        return "";
    }
  }

  // What belongs to no page.
  void ReadProperties() {
    const int64_t steps = open_.pdfium->budget();
    DocumentContent document = ReadDocument(open_, limits_);
    steps_left_ -= steps - std::max<int64_t>(open_.pdfium->budget(), 0);
    if (!open_.pdfium->is_usable()) {
      document.diagnostics.push_back({"error", WasLimited() ? "limit_exceeded" : "damaged",
                                      "document",
                                      "only a part of the outline, attachments, scripts and "
                                      "signatures was read: " +
                                          WhyItStopped()});
    }
    AddAll(std::move(document.diagnostics));
    AddSegment(std::move(document.records));
  }

  // REQUIRES: the instance stopped.
  bool WasLimited() {
    return open_.pdfium->ending() != PDFIUM_FAULT || open_.pdfium->memory_was_refused();
  }

  void ReadPages(int32_t pages) {
    int restarts = 0;
    if (pages > kPagesMax) {
      Diagnose({"error", "limit_exceeded", "document",
                "the document has more than " + std::to_string(kPagesMax) +
                    " pages; the rest is left out"});
    }
    for (int32_t index = 0; index < std::min(pages, kPagesMax); ++index) {
      if (records_ >= limits_.records_max) {
        Diagnose({"error", "limit_exceeded", "page:" + std::to_string(index + 1),
                  "the file has more records than the limit records_max allows; the rest is left "
                  "out"});
        return;
      }
      if (!open_.pdfium->is_usable() && (++restarts > kRestartsMax || !Reopen())) {
        Diagnose({"error", "limit_exceeded", "page:" + std::to_string(index + 1),
                  "too much of the document cannot be read; this page and the rest are left out"});
        return;
      }
      ReadOne(static_cast<uint32_t>(index));
    }
    if (scans_ > 0) {
      Diagnose({"note", "no_text", "document",
                std::to_string(scans_) + " of " + std::to_string(pages) +
                    " pages are images without text; recognize their text (OCR) to search them"});
    }
  }

  bool Reopen() { return steps_left_ > 0 && Open().ok() && open_.failure == OpenFailure::kNone; }

  void ReadOne(uint32_t index) {
    const int64_t steps = std::min(steps_left_, kStepsPerPage);
    open_.pdfium->set_budget(steps);
    PageContent page = ReadPage(open_, index);
    steps_left_ -= steps - std::max<int64_t>(open_.pdfium->budget(), 0);
    if (!open_.pdfium->is_usable()) {
      page.diagnostics.push_back({"error", WasLimited() ? "limit_exceeded" : "damaged_page",
                                  page.records.front().locator,
                                  "only a part of the page was read: " + WhyItStopped()});
    }
    AddAll(std::move(page.diagnostics));
    scans_ += page.is_scan ? 1 : 0;
    std::move(page.widgets.begin(), page.widgets.end(), std::back_inserter(widgets_));
    AddSegment(std::move(page.records), page.digest);
  }

  // A field that is shown at several places is one record, at the first.
  void AddFields() {
    std::vector<Record> fields;
    std::map<std::string, size_t> by_name;
    for (Record& widget : widgets_) {
      const auto [known, is_new] = by_name.try_emplace(widget.key, fields.size());
      if (is_new) {
        widget.parent = "document";
        fields.push_back(std::move(widget));
        continue;
      }
      Value& attrs = fields[known->second].attrs;
      const Value* widgets = attrs.Find("widgets");
      attrs.Set("widgets", widgets == nullptr ? 2 : widgets->as_integer() + 1);
      if (const Value* checked = widget.attrs.Find("checked"); checked && checked->as_bool()) {
        attrs.Set("checked", true);
        if (const Value* value = widget.attrs.Find("export_value")) {
          attrs.Set("export_value", *value);
        }
      }
    }
    if (!fields.empty()) AddSegment(std::move(fields));
  }

  void AddSegment(std::vector<Record> records) {
    BinaryWriter writer;
    for (const Record& record : records) PutRecord(writer, record);
    const ContentHash digest = ContentHash::Of(writer.bytes());
    AddSegment(std::move(records), digest);
  }

  void AddSegment(std::vector<Record> records, ContentHash digest) {
    const uint64_t allowed = limits_.records_max > records_ ? limits_.records_max - records_ : 0;
    if (records.size() > allowed) {
      Diagnose({"error", "limit_exceeded", records[allowed].locator,
                "the file has more records than the limit records_max allows; the rest is left "
                "out"});
      records.resize(allowed);
      digest = ContentHash::Of(std::string(digest.raw()) + std::to_string(allowed));
    }
    records_ += records.size();
    content_.segments.push_back(
        std::make_shared<RecordListSegment>("", digest, std::move(records)));
  }

  void AddAll(std::vector<Diagnostic> diagnostics) {
    for (Diagnostic& diagnostic : diagnostics) Diagnose(std::move(diagnostic));
  }

  void Diagnose(Diagnostic diagnostic) {
    if (content_.diagnostics.size() < limits_.diagnostics_max) {
      content_.diagnostics.push_back(std::move(diagnostic));
    }
  }

  const std::string_view bytes_;
  const Limits& limits_;
  OpenDocument open_;
  ParsedContent content_;
  std::vector<Record> widgets_;
  uint64_t records_ = 0;
  uint64_t scans_ = 0;
  int64_t steps_left_ = 0;
};

}  // namespace

Result<ParsedContent> ParsePdf(std::string_view bytes, const Limits& limits,
                               const SegmentSource& reuse) {
  static_cast<void>(reuse);
  return PdfParser(bytes, limits).Parse();
}

}  // namespace staged::pdf
