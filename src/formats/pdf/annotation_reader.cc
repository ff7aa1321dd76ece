#include "formats/pdf/annotation_reader.h"

#include <algorithm>

namespace staged::pdf {
namespace {

constexpr uint32_t kAnnotationsMax = 50'000;
// So many annotations of a page get the words that they cover.
constexpr uint64_t kQuotesMax = 500;
constexpr size_t kQuoteBytesMax = 1'000;
constexpr uint32_t kOptionsMax = 1'000;

// FPDF_ANNOTATION_SUBTYPE; the names are those of ISO 32000-1, table 169.
constexpr const char* kSubtypes[] = {
    "",          "Text",    "Link",      "FreeText",  "Line",        "Square",
    "Circle",    "Polygon", "PolyLine",  "Highlight", "Underline",   "Squiggly",
    "StrikeOut", "Stamp",   "Caret",     "Ink",       "Popup",       "FileAttachment",
    "Sound",     "Movie",   "Widget",    "Screen",    "PrinterMark", "TrapNet",
    "Watermark", "3D",      "RichMedia", "XFAWidget", "Redact"};
constexpr uint32_t kLinkType = 2;
constexpr uint32_t kPopupType = 16;
constexpr uint32_t kWidgetType = 20;

// ISO 32000-1, table 165.
constexpr uint32_t kInvisibleFlag = 1;
constexpr uint32_t kHiddenFlag = 2;
constexpr uint32_t kNoViewFlag = 32;

// FPDF_FORMFIELD_*.
constexpr const char* kFieldTypes[] = {"unknown",   "push_button", "check_box", "radio_button",
                                       "combo_box", "list_box",    "text",      "signature"};
constexpr uint32_t kCheckBox = 2;
constexpr uint32_t kRadioButton = 3;
constexpr uint32_t kComboBox = 4;
constexpr uint32_t kListBox = 5;
// ISO 32000-1, table 221.
constexpr uint32_t kReadOnlyFlag = 1;
constexpr uint32_t kRequiredFlag = 2;

std::string HiddenReason(uint32_t flags) {
  if ((flags & kHiddenFlag) != 0) return "hidden annotation";
  if ((flags & kNoViewFlag) != 0) return "annotation is not shown on screen";
  if ((flags & kInvisibleFlag) != 0) return "invisible annotation";
  return "";
}

}  // namespace

void AnnotationReader::Read(Address page, const std::string& page_locator, uint32_t number) {
  number_ = number;
  const auto count = static_cast<int32_t>(pdfium_.Call(pdfium_FPDFPage_GetAnnotCount, page));
  for (int32_t i = 0; i < count && pdfium_.is_usable(); ++i) {
    if (static_cast<uint32_t>(i) == kAnnotationsMax) {
      content_.diagnostics.push_back({"error", "limit_exceeded", page_locator,
                                      "the page has more than " + std::to_string(kAnnotationsMax) +
                                          " annotations; the rest is left out"});
      break;
    }
    const Address annotation = pdfium_.Call(pdfium_FPDFPage_GetAnnot, page, i);
    if (annotation == 0) continue;
    ReadOne(annotation, page_locator);
    pdfium_.Call(pdfium_FPDFPage_CloseAnnot, annotation);
  }
}

void AnnotationReader::ReadOne(Address annotation, const std::string& page_locator) {
  const uint32_t type = pdfium_.Call(pdfium_FPDFAnnot_GetSubtype, annotation);
  if (type == kPopupType) return;  // the window of another annotation
  Box box;
  const Address at = pdfium_.scratch();
  if (pdfium_.Call(pdfium_FPDFAnnot_GetRect, annotation, at) != 0) {
    box = geometry_.Show({pdfium_.Read<float>(at), pdfium_.Read<float>(at + 12),
                          pdfium_.Read<float>(at + 8), pdfium_.Read<float>(at + 4)});
  }
  std::string hidden = HiddenReason(pdfium_.Call(pdfium_FPDFAnnot_GetFlags, annotation));
  if (type == kWidgetType && open_.forms != 0) return ReadField(annotation, box, hidden);
  Record record{.kind = type == kLinkType ? "link" : "annotation", .parent = page_locator};
  record.locator =
      page_locator + (type == kLinkType ? "/link:" + std::to_string(++links_)
                                        : "/annotation:" + std::to_string(++annotations_));
  record.hidden = std::move(hidden);
  const std::string quote = quotes_++ < kQuotesMax ? WordsIn(box) : "";
  if (type == kLinkType) {
    ReadLink(annotation, record);
    record.text = quote;
  } else {
    record.attrs.Set("type", type < std::size(kSubtypes) ? kSubtypes[type] : "");
    record.text = StringOf(annotation, "Contents");
    for (const auto& [name, key] : {std::pair{"author", "T"}, {"subject", "Subj"}, {"date", "M"}}) {
      std::string value = StringOf(annotation, key);
      if (!value.empty()) record.attrs.Set(name, std::move(value));
    }
    if (!quote.empty()) record.attrs.Set("quote", quote);
    record.key = StringOf(annotation, "NM");
  }
  record.attrs.Set("box", BoxValue(box));
  content_.records.push_back(std::move(record));
}

void AnnotationReader::ReadLink(Address annotation, Record& record) {
  const Address link = pdfium_.Call(pdfium_FPDFAnnot_GetLink, annotation);
  if (link == 0) return;
  const Address destination = pdfium_.Call(pdfium_FPDFLink_GetDest, open_.document, link);
  const Address action = pdfium_.Call(pdfium_FPDFLink_GetAction, link);
  AddTarget(pdfium_, open_.document, destination, action, record.attrs);
}

void AnnotationReader::ReadField(Address annotation, const Box& box, const std::string& hidden) {
  Record record{.kind = "field"};
  record.key = FieldText(pdfium_FPDFAnnot_GetFormFieldName, annotation);
  record.locator = "field:" + record.key;
  record.hidden = hidden;
  const uint32_t type = pdfium_.Call(pdfium_FPDFAnnot_GetFormFieldType, open_.forms, annotation);
  record.attrs.Set("type", type < std::size(kFieldTypes) ? kFieldTypes[type] : "unknown");
  std::string value = FieldText(pdfium_FPDFAnnot_GetFormFieldValue, annotation);
  record.text = value;
  record.attrs.Set("value", std::move(value));
  std::string label = FieldText(pdfium_FPDFAnnot_GetFormFieldAlternateName, annotation);
  if (!label.empty()) record.attrs.Set("label", std::move(label));
  if (type == kCheckBox || type == kRadioButton) {
    record.attrs.Set("checked",
                     pdfium_.Call(pdfium_FPDFAnnot_IsChecked, open_.forms, annotation) != 0);
    record.attrs.Set("export_value",
                     FieldText(pdfium_FPDFAnnot_GetFormFieldExportValue, annotation));
  }
  if (type == kComboBox || type == kListBox) {
    Value::Array options;
    Value::Array selected;
    const auto count = static_cast<int32_t>(
        pdfium_.Call(pdfium_FPDFAnnot_GetOptionCount, open_.forms, annotation));
    for (int32_t i = 0; i < count && i < static_cast<int32_t>(kOptionsMax); ++i) {
      std::string option = pdfium_.Text([&](Address buffer, uint32_t size) {
        return pdfium_.Call(pdfium_FPDFAnnot_GetOptionLabel, open_.forms, annotation, i, buffer,
                            size);
      });
      if (pdfium_.Call(pdfium_FPDFAnnot_IsOptionSelected, open_.forms, annotation, i) != 0) {
        selected.emplace_back(option);
      }
      options.emplace_back(std::move(option));
    }
    record.attrs.Set("options", std::move(options));
    record.attrs.Set("selected", std::move(selected));
  }
  const uint32_t flags = pdfium_.Call(pdfium_FPDFAnnot_GetFormFieldFlags, open_.forms, annotation);
  if ((flags & kReadOnlyFlag) != 0) record.attrs.Set("read_only", true);
  if ((flags & kRequiredFlag) != 0) record.attrs.Set("required", true);
  record.attrs.Set("page", number_);
  record.attrs.Set("box", BoxValue(box));
  // Half a field would look like one with other values; the page says that it was cut.
  if (pdfium_.is_usable()) content_.widgets.push_back(std::move(record));
}

std::string AnnotationReader::StringOf(Address annotation, std::string_view key) {
  const Address name = pdfium_.Key(key);
  return pdfium_.Text([&](Address buffer, uint32_t size) {
    return pdfium_.Call(pdfium_FPDFAnnot_GetStringValue, annotation, name, buffer, size);
  });
}

std::string AnnotationReader::FieldText(uint32_t (*get)(Z_pdfium_instance_t*, u32, u32, u32, u32),
                                        Address annotation) {
  return pdfium_.Text([&](Address buffer, uint32_t size) {
    return pdfium_.Call(get, open_.forms, annotation, buffer, size);
  });
}

std::string AnnotationReader::WordsIn(const Box& box) {
  std::string words;
  pdfium_.set_budget(pdfium_.budget() - static_cast<int64_t>(text_.words.size()));
  for (const Word& word : text_.words) {
    const float x = (word.box.x0 + word.box.x1) / 2;
    const float y = (word.box.y0 + word.box.y1) / 2;
    if (x < box.x0 || x > box.x1 || y < box.y0 || y > box.y1) continue;
    if (!words.empty()) words += ' ';
    const std::string_view text = text_.TextOf(word);
    if (words.size() + text.size() > kQuoteBytesMax) {
      size_t end = kQuoteBytesMax - std::min(words.size(), kQuoteBytesMax);
      while (end > 0 && (static_cast<uint8_t>(text[end]) & 0xC0) == 0x80) --end;
      return words.append(text.substr(0, end));
    }
    words += text;
  }
  return words;
}

}  // namespace staged::pdf
