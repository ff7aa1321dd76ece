#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace staged::pdf {

// Points (1/72 inch) from the upper left corner of the page as it is shown; y grows downwards.
struct Box {
  float x0 = 0;
  float y0 = 0;
  float x1 = 0;
  float y1 = 0;

  [[nodiscard]] float width() const { return x1 - x0; }
  [[nodiscard]] float height() const { return y1 - y0; }
  void Include(const Box& other);
};

// What the glyphs of one text object share.
struct TextStyle {
  float size = 0;     // points, as shown
  int angle = 0;      // quarter turns of the writing, as shown: 0 is from left to right
  uint32_t font = 0;  // index of PageText::fonts
  bool is_invisible = false;

  friend bool operator==(const TextStyle&, const TextStyle&) = default;
};

struct Word {
  uint32_t begin = 0;  // bytes of PageText::text
  uint32_t end = 0;
  Box box;
};
static_assert(sizeof(Word) == 24, "digested as it lies in memory");

// Words that stand on one line with no wider gap between them, of one style.
struct Fragment {
  uint32_t first_word = 0;
  uint32_t end_word = 0;
  uint32_t style = 0;             // index of PageText::styles: that of the first glyph
  bool ends_with_hyphen = false;  // the last word goes on in the next line
  Box box;
};

// The text of a page in the order in which the page draws it.
struct PageText {
  std::string text;  // UTF-8, words one after the other
  std::vector<Word> words;
  std::vector<Fragment> fragments;
  std::vector<TextStyle> styles;
  std::vector<std::string> fonts;         // names, without the subset's prefix
  std::vector<uint32_t> unmapped_glyphs;  // by font: glyphs whose meaning the font does not say
  uint64_t glyphs = 0;

  [[nodiscard]] std::string_view TextOf(const Word& word) const {
    return std::string_view(text).substr(word.begin, word.end - word.begin);
  }
};

// A line of a block: fragments side by side.
struct Line {
  std::vector<uint32_t> fragments;  // from left to right
  Box box;
  bool is_tabular = false;  // wide gaps between its fragments
};

// Lines that belong together: a paragraph, a heading, a table.
struct Block {
  std::vector<Line> lines;
  Box box;
  bool is_table = false;
};

// Above so many fragments a page is left in the order of drawing: no person laid it out.
constexpr size_t kOrderedFragmentsMax = 8'000;

// Blocks in reading order: from the top, columns one after the other, tables by row. Text that
// is not written from left to right follows in the order of drawing.
[[nodiscard]] std::vector<Block> LayOut(const PageText& page);

}  // namespace staged::pdf
