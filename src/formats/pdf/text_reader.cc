#include "formats/pdf/text_reader.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/utf8.h"

namespace staged::pdf {
namespace {

// Glyphs are fetched in runs of this size.
constexpr uint32_t kGlyphsAtOnce = 8192;
// Lengths in units of the text's size.
constexpr float kFragmentGapMin = 1.2F;
constexpr float kWordGapMin = 0.3F;
constexpr float kBackwardMax = 0.5F;
constexpr float kLengthMax = 1e6F;  // points
constexpr float kBaselineShiftMax = 0.45F;

// A text changes back and forth between a few styles.
constexpr size_t kStylesCompared = 3;

// What PDFium puts where a hyphenated word goes on in the next line.
constexpr uint32_t kLineHyphen = 0x02;
constexpr uint32_t kNoCharacter = 0xFFFE;
constexpr int kInvisibleMode = 3;    // ISO 32000-1, table 106
constexpr int kSubsetTagLength = 6;  // ISO 32000-1, 9.6.4

struct Glyph {
  uint32_t code;
  Address object;
  float left, top, right, bottom;
  bool is_inner;  // inside a run of glyphs: its box is not fetched
  bool is_unmapped;
};

struct Fetch {
  Address text_page;
  uint32_t first;
  uint32_t count;
  Address rectangle;
  Glyph* to;
};

bool IsSpace(uint32_t code) {
  return code == ' ' || code == '\r' || code == '\n' || code == '\t' || code == 0xA0 || code == 0;
}

// PDFium puts spaces wherever glyphs of one object stand apart, so that between two of them only
// the first and the last glyph's boxes matter.
void FetchGlyphs(Z_pdfium_instance_t* instance, void* argument) {
  const Fetch& fetch = *static_cast<Fetch*>(argument);
  for (uint32_t i = 0; i < fetch.count; ++i) {
    const uint32_t index = fetch.first + i;
    fetch.to[i].code = pdfium_FPDFText_GetUnicode(instance, fetch.text_page, index);
    fetch.to[i].object = pdfium_FPDFText_GetTextObject(instance, fetch.text_page, index);
  }
  const auto is_apart = [](uint32_t code) {
    return IsSpace(code) || code == kLineHyphen || code == kNoCharacter;
  };
  const auto breaks = [&](uint32_t left, uint32_t right) {
    return is_apart(fetch.to[left].code) || is_apart(fetch.to[right].code) ||
           fetch.to[left].object != fetch.to[right].object;
  };
  for (uint32_t i = 0; i < fetch.count; ++i) {
    Glyph& glyph = fetch.to[i];
    glyph.is_inner = i > 0 && i + 1 < fetch.count && !breaks(i - 1, i) && !breaks(i, i + 1);
    glyph.is_unmapped = false;
    glyph.left = glyph.top = glyph.right = glyph.bottom = 0;
    if (glyph.is_inner || IsSpace(glyph.code)) continue;
    const uint32_t index = fetch.first + i;
    glyph.is_unmapped = pdfium_FPDFText_HasUnicodeMapError(instance, fetch.text_page, index) == 1;
    float edges[4] = {0, 0, 0, 0};
    if (pdfium_FPDFText_GetLooseCharBox(instance, fetch.text_page, index, fetch.rectangle) != 0) {
      std::memcpy(edges, pdfium_memory(instance, fetch.rectangle, sizeof(edges)), sizeof(edges));
    }
    glyph.left = edges[0];
    glyph.top = edges[1];
    glyph.right = edges[2];
    glyph.bottom = edges[3];
  }
}

class TextReader {
 public:
  TextReader(PdfiumInstance& pdfium, const PageGeometry& geometry)
      : pdfium_(pdfium), geometry_(geometry) {}

  PageText Read(Address page) {
    text_page_ = pdfium_.Call(pdfium_FPDFText_LoadPage, page);
    if (text_page_ == 0) return std::move(text_);
    const auto count = static_cast<int32_t>(pdfium_.Call(pdfium_FPDFText_CountChars, text_page_));
    std::vector<Glyph> glyphs(std::min<uint32_t>(kGlyphsAtOnce, std::max(count, 0)));
    text_.text.reserve(static_cast<size_t>(std::max(count, 0)));
    for (uint32_t first = 0;
         pdfium_.is_usable() && first < static_cast<uint32_t>(std::max(count, 0));
         first += kGlyphsAtOnce) {
      Fetch fetch{text_page_, first, std::min(kGlyphsAtOnce, static_cast<uint32_t>(count) - first),
                  pdfium_.scratch(), glyphs.data()};
      pdfium_.Run(FetchGlyphs, &fetch);
      if (!pdfium_.is_usable()) break;
      for (uint32_t i = 0; i < fetch.count; ++i) Add(glyphs[i], first + i);
    }
    EndFragment();
    pdfium_.Call(pdfium_FPDFText_ClosePage, text_page_);
    return std::move(text_);
  }

 private:
  void Add(const Glyph& glyph, uint32_t index) {
    if (glyph.code == '\r' || glyph.code == '\n') return EndFragment();
    if (glyph.code == 0) return;
    if (IsSpace(glyph.code)) return EndWord();
    ++text_.glyphs;
    if (glyph.is_inner && in_word_) {
      hyphen_ = false;
      follows_inner_ = true;
      return Append(glyph.code, word_.box);
    }
    const bool goes_on = follows_inner_;
    follows_inner_ = false;
    if (glyph.object != object_ && glyph.object != 0) BeginObject(glyph.object, index);
    // Glyphs of no text object, which come before any other, have a style without a font.
    if (glyph.is_unmapped && style_ < text_.styles.size() &&
        text_.styles[style_].font < text_.unmapped_glyphs.size()) {
      ++text_.unmapped_glyphs[text_.styles[style_].font];
    }
    const Box box = geometry_.Show({glyph.left, glyph.bottom, glyph.right, glyph.top});
    if (in_fragment_ && !goes_on && IsApart(box)) EndFragment();
    if (in_word_ && !goes_on && !text_.styles.empty() && text_.styles[style_].angle == 0 &&
        box.x0 - word_.box.x1 > kWordGapMin * text_.styles[style_].size) {
      EndWord();
    }
    if (glyph.code == kLineHyphen || glyph.code == kNoCharacter) {
      hyphen_ = true;
      Append('-', box);
    } else {
      hyphen_ = false;
      Append(glyph.code, box);
    }
  }

  void Append(uint32_t code, const Box& box) {
    if (!in_fragment_) {
      if (text_.styles.empty()) text_.styles.emplace_back();
      fragment_ = {static_cast<uint32_t>(text_.words.size()), 0, style_, false, box};
      in_fragment_ = true;
    }
    if (!in_word_) {
      word_ = {static_cast<uint32_t>(text_.text.size()), 0, box};
      in_word_ = true;
    }
    word_.box.Include(box);
    if (code < 0x80) {
      text_.text.push_back(code < 0x20 ? ' ' : static_cast<char>(code));
    } else {
      AppendUtf8(text_.text, code);
    }
  }

  // Whether a glyph does not go on where the last one ended.
  [[nodiscard]] bool IsApart(const Box& box) const {
    const TextStyle& style = text_.styles[style_];
    const TextStyle& before = text_.styles[fragment_.style];
    if (style.angle != before.angle || style.is_invisible != before.is_invisible) return true;
    const float size = std::max({style.size, before.size, 1.0F});
    const Box& last = in_word_ ? word_.box : text_.words.back().box;
    if (style.angle == 0) {
      const float shift = std::min(std::abs(box.y1 - last.y1), std::abs(box.y0 - last.y0));
      const float gap = box.x0 - last.x1;
      return gap > kFragmentGapMin * size || box.x1 < last.x0 - kBackwardMax * size ||
             shift > kBaselineShiftMax * size;
    }
    if (style.angle == 2) return std::abs(box.y1 - last.y1) > kBaselineShiftMax * size;
    return std::abs(box.x1 - last.x1) > kBaselineShiftMax * size;
  }

  void EndWord() {
    if (!in_word_) return;
    word_.end = static_cast<uint32_t>(text_.text.size());
    in_word_ = false;
    if (!in_fragment_) return;
    if (text_.words.size() == fragment_.first_word) {
      fragment_.box = word_.box;
    } else {
      fragment_.box.Include(word_.box);
    }
    text_.words.push_back(word_);
  }

  void EndFragment() {
    EndWord();
    if (!in_fragment_) return;
    in_fragment_ = false;
    fragment_.end_word = static_cast<uint32_t>(text_.words.size());
    fragment_.ends_with_hyphen = hyphen_;
    hyphen_ = false;
    if (fragment_.end_word > fragment_.first_word) text_.fragments.push_back(fragment_);
  }

  void BeginObject(Address object, uint32_t index) {
    object_ = object;
    TextStyle style;
    const auto size =
        static_cast<float>(pdfium_.Call(pdfium_FPDFText_GetFontSize, text_page_, index));
    // The matrix scales and turns what the size says.
    const Address at = pdfium_.scratch();
    float matrix[6] = {1, 0, 0, 1, 0, 0};
    if (pdfium_.Call(pdfium_FPDFText_GetMatrix, text_page_, index, at) != 0) {
      for (uint32_t i = 0; i < 6; ++i) matrix[i] = pdfium_.Read<float>(at + 4 * i);
    }
    const float scale = std::hypot(matrix[2], matrix[3]);
    style.size = std::round(std::abs(size) * (scale > 0 ? scale : 1) * 10) / 10;
    if (!(style.size < 100'000)) style.size = 0;
    style.angle = (QuarterTurns(matrix[0], matrix[1]) + 4 - geometry_.quarter_turns()) & 3;
    style.is_invisible = static_cast<int>(pdfium_.Call(pdfium_FPDFTextObj_GetTextRenderMode,
                                                       object)) == kInvisibleMode;
    style.font = FontOf(object);
    const size_t count = text_.styles.size();
    for (size_t back = 1; back <= std::min(count, kStylesCompared); ++back) {
      if (text_.styles[count - back] == style) {
        style_ = static_cast<uint32_t>(count - back);
        return;
      }
    }
    style_ = static_cast<uint32_t>(count);
    text_.styles.push_back(style);
  }

  // Of the direction of writing in the page's coordinates, counter-clockwise.
  static int QuarterTurns(float x, float y) {
    if (std::abs(x) >= std::abs(y)) return x >= 0 ? 0 : 2;
    return y > 0 ? 1 : 3;
  }

  uint32_t FontOf(Address object) {
    const Address font = pdfium_.Call(pdfium_FPDFTextObj_GetFont, object);
    const auto known = fonts_.find(font);
    if (known != fonts_.end()) return known->second;
    std::string name = pdfium_.PlainText([&](Address buffer, uint32_t size) {
      return pdfium_.Call(pdfium_FPDFFont_GetBaseFontName, font, buffer, size);
    });
    if (name.size() > kSubsetTagLength && name[kSubsetTagLength] == '+') {
      name.erase(0, kSubsetTagLength + 1);
    }
    const auto index = static_cast<uint32_t>(text_.fonts.size());
    text_.fonts.push_back(std::move(name));
    text_.unmapped_glyphs.push_back(0);
    fonts_[font] = index;
    return index;
  }

  PdfiumInstance& pdfium_;
  const PageGeometry& geometry_;
  PageText text_;
  Fragment fragment_;
  Word word_;
  bool in_fragment_ = false;
  bool in_word_ = false;
  bool hyphen_ = false;
  bool follows_inner_ = false;  // the last glyph's box is not known
  Address text_page_ = 0;
  Address object_ = 0;
  uint32_t style_ = 0;
  std::map<Address, uint32_t> fonts_;
};

}  // namespace

Box PageGeometry::Show(const Box& rectangle) const {
  // Also for what is no number.
  const auto bounded = [](float length) {
    return std::min(kLengthMax, std::max(-kLengthMax, length));
  };
  const float left = bounded(rectangle.x0);
  const float lower = bounded(rectangle.y0);
  const float right = bounded(rectangle.x1);
  const float upper = bounded(rectangle.y1);
  const Box from{std::min(left, right), std::min(lower, upper), std::max(left, right),
                 std::max(lower, upper)};
  switch (turns_) {
    case 1:
      return {from.y0 - crop_.y0, from.x0 - crop_.x0, from.y1 - crop_.y0, from.x1 - crop_.x0};
    case 2:
      return {crop_.x1 - from.x1, from.y0 - crop_.y0, crop_.x1 - from.x0, from.y1 - crop_.y0};
    case 3:
      return {crop_.y1 - from.y1, crop_.x1 - from.x1, crop_.y1 - from.y0, crop_.x1 - from.x0};
    default:
      return {from.x0 - crop_.x0, crop_.y1 - from.y1, from.x1 - crop_.x0, crop_.y1 - from.y0};
  }
}

PageText ReadText(PdfiumInstance& pdfium, Address page, const PageGeometry& geometry) {
  return TextReader(pdfium, geometry).Read(page);
}

}  // namespace staged::pdf
