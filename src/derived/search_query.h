#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "derived/full_text.h"
#include "staged/content_hash.h"
#include "staged/record.h"
#include "staged/status.h"

namespace staged {

enum class SearchMode : uint8_t {
  kWords = 1,  // all words, "phrases" and prefix* in one row; case and accents are folded
  kRegex = 2,  // RE2 syntax over the text of single records
  kName = 3,   // all words somewhere in the path; case is folded (ASCII)
};

struct SearchQuery {
  std::string text;
  SearchMode mode = SearchMode::kWords;
  std::string path_glob;           // MatchesFileGlob; "" for all
  std::vector<std::string> kinds;  // of records; empty for all
  size_t limit = 50;
};

// One answer. It is tied to the content that it was found in.
struct SearchHit {
  std::string path;
  ContentHash hash;
  std::string kind;
  std::string locator;          // of the record; "" for a file found by name
  std::string text;             // of the record
  std::string row_text;         // of its whole row where that is more (the other cells)
  std::vector<ByteSpan> spans;  // what matched, in `text`
  double score = 0;             // comparable within one answer only
};

// One word, phrase or prefix, as its folded tokens.
struct SearchTerm {
  std::string text;
  bool is_prefix = false;
  std::vector<std::string> tokens;
};

// Errors: kInvalidArgument where nothing is left to search for.
[[nodiscard]] Result<std::vector<SearchTerm>> ParseTerms(std::string_view text,
                                                         const FullText& full_text);
// The terms, all of them, in the query language of FTS5.
[[nodiscard]] std::string FtsExpression(const std::vector<SearchTerm>& terms);
// Where the terms are in `text`, sorted and without overlaps; empty where none is.
[[nodiscard]] std::vector<ByteSpan> FindTerms(const std::vector<SearchTerm>& terms,
                                              std::string_view text, const FullText& full_text);

// As MatchesPathGlob; a pattern without "/" is matched against the last name of the path.
[[nodiscard]] bool MatchesFileGlob(std::string_view pattern, std::string_view path);

}  // namespace staged
