// Reading a document in one process.

#include <algorithm>
#include <cstdio>

#include "bench/measure.h"

namespace staged::bench {

// Reads the text of every page with the boxes of its blocks, lines and words, in reading order.
int RunPages(const Arguments& arguments) {
  const std::string bytes = ReadWholeFile(arguments[0]);
  const FormatRegistry formats = NewBuiltinRegistry();
  const View view = OrDie(ParseView(formats, bytes, arguments[0], Limits{}));
  size_t pages = 0;
  size_t words = 0;
  view.ForEach([&](const Record& record) {
    if (record.kind == "page") ++pages;
    const Value* lines = record.attrs.Find("lines");
    if (record.kind != "block" || lines == nullptr) return true;
    for (const Value& line : lines->as_array()) {
      const std::string& numbers = line.as_string();
      // Where the line begins and its box come first.
      words += static_cast<size_t>(std::count(numbers.begin(), numbers.end(), ' ') - 4) / 2;
    }
    return true;
  });
  std::printf("{\"pages\": %zu, \"words\": %zu}\n", pages, words);
  return 0;
}

// Reads the text of every paragraph of a Word file or a presentation, with all that its view shows.
int RunParagraphs(const Arguments& arguments) {
  const std::string bytes = ReadWholeFile(arguments[0]);
  const FormatRegistry formats = NewBuiltinRegistry();
  const View view = OrDie(ParseView(formats, bytes, arguments[0], Limits{}));
  size_t paragraphs = 0;
  size_t text_bytes = 0;
  view.ForEach([&](const Record& record) {
    if (record.kind != "paragraph") return true;
    ++paragraphs;
    text_bytes += record.text.size();
    return true;
  });
  std::printf("{\"paragraphs\": %zu, \"text_bytes\": %zu}\n", paragraphs, text_bytes);
  return 0;
}

}  // namespace staged::bench
