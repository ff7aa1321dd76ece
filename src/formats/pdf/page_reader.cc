#include "formats/pdf/page_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/binary.h"
#include "formats/pdf/annotation_reader.h"
#include "formats/pdf/text_reader.h"
#include "record/record_codec.h"

namespace staged::pdf {
namespace {

constexpr uint32_t kObjectsMax = 1'000'000;  // of one page
constexpr uint32_t kImagesMax = 10'000;
constexpr uint32_t kImageBytesMax = 256 << 20;
constexpr int kFormDepthMax = 16;
// From this part of a page on, an image on a page without text is taken for a scan.
constexpr float kScanAreaMin = 0.5F;
constexpr size_t kFontNameBytesMax = 256;

// FPDF_PAGEOBJ_*.
enum ObjectType : uint32_t { kPath = 2, kImage = 3, kShading = 4, kForm = 5 };

// ISO 32000-1, 8.3.4: x' = a x + c y + e, y' = b x + d y + f.
struct Matrix {
  float a = 1, b = 0, c = 0, d = 1, e = 0, f = 0;

  [[nodiscard]] Matrix Then(const Matrix& next) const {
    return {a * next.a + b * next.c,          a * next.b + b * next.d,
            c * next.a + d * next.c,          c * next.b + d * next.d,
            e * next.a + f * next.c + next.e, e * next.b + f * next.d + next.f};
  }
  [[nodiscard]] Box Map(const Box& box) const {
    Box mapped{INFINITY, INFINITY, -INFINITY, -INFINITY};
    for (const float x : {box.x0, box.x1}) {
      for (const float y : {box.y0, box.y1}) {
        const float to_x = a * x + c * y + e;
        const float to_y = b * x + d * y + f;
        mapped.Include({to_x, to_y, to_x, to_y});
      }
    }
    return mapped;
  }
};

double Tenth(float value) {
  const double rounded = std::round(static_cast<double>(value) * 10) / 10;
  return std::isfinite(rounded) && std::abs(rounded) < 1e9 ? rounded + 0.0 : 0.0;
}

// A space and the number, rounded to tenths: " 72.5". REQUIRES: at most PageGeometry's lengths.
void AppendTenth(std::string& to, float value) {
  const long tenths = std::lround(value * 10);
  char digits[24];
  char* end = std::to_chars(digits, digits + sizeof(digits), std::abs(tenths) / 10).ptr;
  if (tenths % 10 != 0) {
    *end++ = '.';
    *end++ = static_cast<char>('0' + std::abs(tenths) % 10);
  }
  to += tenths < 0 ? " -" : " ";
  to.append(digits, end);
}

bool IsSound(const Box& crop) {
  constexpr float kLengthMax = 1e6F;
  for (const float edge : {crop.x0, crop.y0, crop.x1, crop.y1}) {
    if (!(std::abs(edge) <= kLengthMax)) return false;
  }
  return crop.x0 <= crop.x1 && crop.y0 <= crop.y1;
}

class PageReader {
 public:
  PageReader(OpenDocument& open, uint32_t index)
      : open_(open), pdfium_(*open.pdfium), index_(index) {}

  PageContent Read() {
    locator_ = "page:" + std::to_string(index_ + 1);
    Record record{.kind = "page", .locator = locator_, .parent = "document"};
    record.attrs.Set("number", index_ + 1);
    content_.records.push_back(std::move(record));
    const Address page = pdfium_.Call(pdfium_FPDF_LoadPage, open_.document, index_);
    if (page == 0) {
      if (pdfium_.is_usable()) {
        Diagnose("error", "damaged_page",
                 "the page cannot be read; restore the file from its source");
      }
      return Finished({});
    }
    ReadGeometry(page);
    const PageText text = ReadText(pdfium_, page, geometry_);
    AddBlocks(text);
    ReadObjects(page);
    AnnotationReader(open_, geometry_, text, content_).Read(page, locator_, index_ + 1);
    Finish(text);
    pdfium_.Call(pdfium_FPDF_ClosePage, page);
    return Finished(text);
  }

 private:
  Record& PageRecord() { return content_.records.front(); }

  void Diagnose(std::string severity, std::string code, std::string message) {
    content_.diagnostics.push_back(
        {std::move(severity), std::move(code), locator_, std::move(message)});
  }

  // Blocks follow from the text, which is quicker to digest than they are.
  PageContent Finished(const PageText& text) {
    BinaryWriter writer;
    for (const Record& record : content_.records) {
      if (record.kind != "block") PutRecord(writer, record);
    }
    for (const float edge : {geometry_.width(), geometry_.height()}) writer.PutDouble(edge);
    for (const TextStyle& style : text.styles) {
      writer.PutDouble(style.size);
      writer.PutSigned(style.angle);
      writer.PutUnsigned(style.font);
      writer.PutBool(style.is_invisible);
    }
    for (const std::string& font : text.fonts) writer.PutString(font);
    for (const Fragment& fragment : text.fragments) {
      writer.PutUnsigned(fragment.first_word);
      writer.PutUnsigned(fragment.end_word);
      writer.PutUnsigned(fragment.style);
      writer.PutBool(fragment.ends_with_hyphen);
    }
    writer.PutUnsigned(text.words.size());
    writer.PutRaw(
        {reinterpret_cast<const char*>(text.words.data()), text.words.size() * sizeof(Word)});
    writer.PutString(text.text);
    content_.digest = ContentHash::Of(writer.bytes());
    return std::move(content_);
  }

  void ReadGeometry(Address page) {
    const Address at = pdfium_.scratch();
    Box crop{0, 0, 612, 792};
    if (pdfium_.Call(pdfium_FPDF_GetPageBoundingBox, page, at) != 0) {
      // FS_RECTF: left, top, right, bottom.
      crop = {pdfium_.Read<float>(at), pdfium_.Read<float>(at + 12), pdfium_.Read<float>(at + 8),
              pdfium_.Read<float>(at + 4)};
    }
    if (!IsSound(crop)) {
      Diagnose("warning", "damaged_page", "the page has no sound size; US letter is taken");
      crop = {0, 0, 612, 792};
    }
    const uint32_t turns = pdfium_.Call(pdfium_FPDFPage_GetRotation, page);
    geometry_ = PageGeometry(crop, static_cast<int>(turns));
    Record& record = PageRecord();
    const std::string label = pdfium_.Text([&](Address buffer, uint32_t size) {
      return pdfium_.Call(pdfium_FPDF_GetPageLabel, open_.document, index_, buffer, size);
    });
    if (!label.empty()) record.attrs.Set("label", label);
    record.attrs.Set("width", Tenth(geometry_.width()));
    record.attrs.Set("height", Tenth(geometry_.height()));
    if (geometry_.quarter_turns() != 0)
      record.attrs.Set("rotation", geometry_.quarter_turns() * 90);
  }

  void AddBlocks(const PageText& text) {
    // Layout may compare each fragment with each other, up to as many as it puts in order.
    const auto fragments = static_cast<int64_t>(text.fragments.size());
    const int64_t compared = std::min(fragments, static_cast<int64_t>(kOrderedFragmentsMax));
    pdfium_.set_budget(pdfium_.budget() - compared * compared / 4 - fragments);
    uint64_t number = 0;
    for (const Block& block : LayOut(text)) {
      content_.records.push_back(BlockRecord(text, block, ++number));
    }
  }

  Record BlockRecord(const PageText& text, const Block& block, uint64_t number) {
    Record record{.kind = "block", .locator = locator_ + "/block:" + std::to_string(number)};
    record.parent = locator_;
    Value::Array lines;
    lines.reserve(block.lines.size());
    bool joins_word = false;
    for (const Line& line : block.lines) {
      if (!record.text.empty() && !joins_word) record.text += block.is_table ? '\n' : ' ';
      const size_t begin = record.text.size();
      joins_word = AppendLine(text, line, record.text);
      Value::Array words;
      lines.emplace_back(LineNumbers(text, line, begin));
    }
    const TextStyle& style =
        text.styles[text.fragments[block.lines.front().fragments.front()].style];
    Value::Object attrs;
    attrs.reserve(6);
    attrs.emplace_back("box", BoxValue(block.box));
    if (style.font < text.fonts.size()) {
      attrs.emplace_back("font", text.fonts[style.font].substr(0, kFontNameBytesMax));
    }
    attrs.emplace_back("size", Tenth(style.size));
    if (style.angle != 0) attrs.emplace_back("angle", style.angle * 90);
    if (block.is_table) attrs.emplace_back("table", true);
    attrs.emplace_back("lines", std::move(lines));
    record.attrs = Value(std::move(attrs));
    if (style.is_invisible) {
      record.hidden = "invisible text";
    } else if (geometry_.IsOff(block.box)) {
      record.hidden = "off the page";
    }
    return record;
  }

  // Where the line's text begins, its box, and left and right edge of each of its words.
  static std::string LineNumbers(const PageText& text, const Line& line, size_t begin) {
    std::string numbers = std::to_string(begin);
    numbers.reserve(160);
    for (const float edge : {line.box.x0, line.box.y0, line.box.x1, line.box.y1}) {
      AppendTenth(numbers, edge);
    }
    for (const uint32_t fragment : line.fragments) {
      const Fragment& of = text.fragments[fragment];
      for (uint32_t word = of.first_word; word < of.end_word; ++word) {
        AppendTenth(numbers, text.words[word].box.x0);
        AppendTenth(numbers, text.words[word].box.x1);
      }
    }
    return numbers;
  }

  // Whether its last word goes on in the next line; the hyphen is then left out.
  static bool AppendLine(const PageText& text, const Line& line, std::string& to) {
    bool joins_word = false;
    float end = 0;
    for (size_t i = 0; i < line.fragments.size(); ++i) {
      const Fragment& fragment = text.fragments[line.fragments[i]];
      if (i > 0) {
        const float size = std::max(text.styles[fragment.style].size, 1.0F);
        const float gap = fragment.box.x0 - end;
        if (gap > 1.6F * size) {
          to += '\t';
        } else if (gap > 0.1F * size || fragment.box.x0 < end) {
          to += ' ';
        }
      }
      for (uint32_t word = fragment.first_word; word < fragment.end_word; ++word) {
        if (word > fragment.first_word) to += ' ';
        to += text.TextOf(text.words[word]);
      }
      end = fragment.box.x1;
      joins_word = fragment.ends_with_hyphen;
    }
    if (joins_word && to.ends_with('-')) to.pop_back();
    return joins_word;
  }

  void ReadObjects(Address page) {
    const auto count = static_cast<int32_t>(pdfium_.Call(pdfium_FPDFPage_CountObjects, page));
    for (int32_t i = 0; i < count && pdfium_.is_usable(); ++i) {
      ReadObject(pdfium_.Call(pdfium_FPDFPage_GetObject, page, i), Matrix(), 0);
    }
    if (paths_ > 0) {
      PageRecord().attrs.Set("paths", paths_);
      PageRecord().attrs.Set("drawing", ContentHash::Of(drawing_.bytes()).ToHex().substr(0, 16));
    }
  }

  void ReadObject(Address object, const Matrix& matrix, int depth) {
    if (object == 0 || ++objects_ > kObjectsMax) return;
    if (objects_ == kObjectsMax) {
      Diagnose("error", "limit_exceeded",
               "the page draws more than " + std::to_string(kObjectsMax) +
                   " objects; images among the rest are left out");
    }
    const uint32_t type = pdfium_.Call(pdfium_FPDFPageObj_GetType, object);
    if (type == kImage) {
      AddImage(object, geometry_.Show(matrix.Map(BoundsOf(object))));
    } else if (type == kPath || type == kShading) {
      ++paths_;
      const Box box = geometry_.Show(matrix.Map(BoundsOf(object)));
      for (const float edge : {box.x0, box.y0, box.x1, box.y1}) {
        drawing_.PutFixed64(static_cast<uint64_t>(static_cast<int64_t>(Tenth(edge) * 10)));
      }
    } else if (type == kForm && depth < kFormDepthMax) {
      const Address at = pdfium_.scratch();
      Matrix own;
      if (pdfium_.Call(pdfium_FPDFPageObj_GetMatrix, object, at) != 0) {
        own = pdfium_.Read<Matrix>(at);
      }
      const Matrix inner = own.Then(matrix);
      const auto count =
          static_cast<int32_t>(pdfium_.Call(pdfium_FPDFFormObj_CountObjects, object));
      for (int32_t i = 0; i < count && pdfium_.is_usable() && objects_ < kObjectsMax; ++i) {
        ReadObject(pdfium_.Call(pdfium_FPDFFormObj_GetObject, object, i), inner, depth + 1);
      }
    }
  }

  Box BoundsOf(Address object) {
    const Address at = pdfium_.scratch();
    if (pdfium_.Call(pdfium_FPDFPageObj_GetBounds, object, at, at + 4, at + 8, at + 12) == 0)
      return {};
    return pdfium_.Read<Box>(at);  // left, bottom, right, top
  }

  void AddImage(Address image, const Box& box) {
    if (++images_ > kImagesMax) {
      if (images_ == kImagesMax + 1) {
        Diagnose("error", "limit_exceeded",
                 "the page has more than " + std::to_string(kImagesMax) +
                     " images; the rest is left out");
      }
      return;
    }
    Record record{.kind = "image", .locator = locator_ + "/image:" + std::to_string(images_)};
    record.parent = locator_;
    const Address at = pdfium_.scratch();
    if (pdfium_.Call(pdfium_FPDFImageObj_GetImagePixelSize, image, at, at + 4) != 0) {
      record.attrs.Set("width", pdfium_.Read<uint32_t>(at));
      record.attrs.Set("height", pdfium_.Read<uint32_t>(at + 4));
    }
    Value::Array filters;
    const uint32_t count = pdfium_.Call(pdfium_FPDFImageObj_GetImageFilterCount, image);
    for (uint32_t i = 0; i < std::min(count, 16U); ++i) {
      filters.emplace_back(pdfium_.PlainText([&](Address buffer, uint32_t size) {
        return pdfium_.Call(pdfium_FPDFImageObj_GetImageFilter, image, i, buffer, size);
      }));
    }
    if (!filters.empty()) record.attrs.Set("filters", std::move(filters));
    const std::string digest = DigestOf(image);
    if (!digest.empty()) record.attrs.Set("digest", digest);
    record.attrs.Set("box", BoxValue(box));
    if (geometry_.IsOff(box)) record.hidden = "off the page";
    const float page_area = geometry_.width() * geometry_.height();
    fills_page_ |= page_area > 0 && box.width() * box.height() > kScanAreaMin * page_area;
    content_.records.push_back(std::move(record));
  }

  // Of the image's bytes as they are in the file, decrypted.
  std::string DigestOf(Address image) {
    const uint32_t size = pdfium_.Call(pdfium_FPDFImageObj_GetImageDataRaw, image, 0U, 0U);
    if (size == 0 || size > kImageBytesMax) return "";
    const Address buffer = pdfium_.Call(pdfium_malloc, size);
    if (buffer == 0) return "";
    pdfium_.Call(pdfium_FPDFImageObj_GetImageDataRaw, image, buffer, size);
    std::string digest = ContentHash::Of(pdfium_.Bytes(buffer, size)).ToString();
    pdfium_.set_budget(pdfium_.budget() - size / 4);  // hashing takes time, too
    pdfium_.Call(pdfium_free, buffer);
    return pdfium_.is_usable() ? digest : "";
  }

  void Finish(const PageText& text) {
    content_.is_scan = text.glyphs == 0 && fills_page_;
    if (content_.is_scan) PageRecord().attrs.Set("scan", true);
    for (size_t font = 0; font < text.fonts.size(); ++font) {
      if (text.unmapped_glyphs[font] == 0) continue;
      Diagnose("warning", "unmapped_font",
               "the font " + text.fonts[font].substr(0, kFontNameBytesMax) +
                   " does not say what all of its glyphs mean: their text may be wrong");
    }
  }

  OpenDocument& open_;
  PdfiumInstance& pdfium_;
  const uint32_t index_;
  std::string locator_;
  PageGeometry geometry_;
  PageContent content_;
  uint32_t objects_ = 0;
  uint32_t images_ = 0;
  int64_t paths_ = 0;
  BinaryWriter drawing_;
  bool fills_page_ = false;
};

}  // namespace

Value BoxValue(const Box& box) {
  Value::Array edges;
  edges.reserve(4);
  for (const float edge : {box.x0, box.y0, box.x1, box.y1}) edges.emplace_back(Tenth(edge));
  return edges;
}

PageContent ReadPage(OpenDocument& open, uint32_t index) { return PageReader(open, index).Read(); }

}  // namespace staged::pdf
