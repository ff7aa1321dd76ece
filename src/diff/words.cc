#include "diff/words.h"

#include "diff/align.h"
#include "diff/fingerprint.h"

namespace staged {
namespace {

enum class WordClass : uint8_t { kWord, kSpace, kOther };

WordClass ClassOf(char byte) {
  const auto code = static_cast<uint8_t>(byte);
  if (code >= 0x80 || code == '_' || (code >= '0' && code <= '9') ||
      ((code | 0x20) >= 'a' && (code | 0x20) <= 'z')) {
    return WordClass::kWord;
  }
  return code == ' ' || (code >= '\t' && code <= '\r') ? WordClass::kSpace : WordClass::kOther;
}

std::vector<uint64_t> Fingerprints(std::string_view text, const std::vector<ByteSpan>& words) {
  std::vector<uint64_t> fingerprints;
  fingerprints.reserve(words.size());
  for (const ByteSpan& word : words) {
    fingerprints.push_back(FingerprintText(0, text.substr(word.begin, word.end - word.begin)));
  }
  return fingerprints;
}

// Where word `index` begins; the end of the text behind the last one.
uint64_t Offset(std::string_view text, const std::vector<ByteSpan>& words, size_t index) {
  return index < words.size() ? words[index].begin : text.size();
}

}  // namespace

std::vector<ByteSpan> SplitWords(std::string_view text) {
  std::vector<ByteSpan> words;
  for (size_t begin = 0; begin < text.size();) {
    const WordClass word_class = ClassOf(text[begin]);
    size_t end = begin + 1;
    while (word_class != WordClass::kOther && end < text.size() &&
           ClassOf(text[end]) == word_class) {
      ++end;
    }
    words.push_back({begin, end});
    begin = end;
  }
  return words;
}

std::vector<TextReplacement> DiffWords(std::string_view before, std::string_view after) {
  if (before == after) return {};
  const std::vector<ByteSpan> left = SplitWords(before);
  const std::vector<ByteSpan> right = SplitWords(after);
  std::vector<MatchedPair> pairs =
      AlignSequences(Fingerprints(before, left), Fingerprints(after, right));
  pairs.push_back({left.size(), right.size()});
  std::vector<TextReplacement> replacements;
  size_t next_left = 0, next_right = 0;
  for (const MatchedPair& pair : pairs) {
    if (pair.left > next_left || pair.right > next_right) {
      const TextReplacement found = {
          {Offset(before, left, next_left), Offset(before, left, pair.left)},
          {Offset(after, right, next_right), Offset(after, right, pair.right)}};
      // White space alone between two replaced words does not make two replacements.
      if (!replacements.empty()) {
        TextReplacement& last = replacements.back();
        const uint64_t gap = found.before.begin - last.before.end;
        if (gap == found.after.begin - last.after.end && gap == 1 &&
            before[last.before.end] == ' ') {
          last = {{last.before.begin, found.before.end}, {last.after.begin, found.after.end}};
          next_left = pair.left + 1;
          next_right = pair.right + 1;
          continue;
        }
      }
      replacements.push_back(found);
    }
    next_left = pair.left + 1;
    next_right = pair.right + 1;
  }
  return replacements;
}

}  // namespace staged
