#include "derived/search_query.h"

#include <algorithm>

#include "base/glob.h"

namespace staged {
namespace {

constexpr size_t kTermsMax = 32;

bool IsSpace(char letter) {
  return letter == ' ' || letter == '\t' || letter == '\n' || letter == '\r';
}

void AddTerm(std::string_view text, bool is_prefix, const FullText& full_text,
             std::vector<SearchTerm>& terms) {
  SearchTerm term{std::string(text), is_prefix, {}};
  full_text.Tokenize(
      text, [&](std::string_view token, size_t, size_t) { term.tokens.emplace_back(token); });
  if (!term.tokens.empty()) terms.push_back(std::move(term));
}

}  // namespace

Result<std::vector<SearchTerm>> ParseTerms(std::string_view text, const FullText& full_text) {
  std::vector<SearchTerm> terms;
  size_t position = 0;
  while (position < text.size()) {
    if (IsSpace(text[position])) {
      ++position;
      continue;
    }
    const bool is_quoted = text[position] == '"';
    size_t end = position + (is_quoted ? 1 : 0);
    const size_t begin = end;
    while (end < text.size() && text[end] != '"' && (is_quoted || !IsSpace(text[end]))) ++end;
    std::string_view term = text.substr(begin, end - begin);
    position = is_quoted ? std::min(end + 1, text.size()) : end;
    bool is_prefix = false;
    if (is_quoted && position < text.size() && text[position] == '*') {
      is_prefix = true;
      ++position;
    } else if (!is_quoted && term.ends_with('*')) {
      is_prefix = true;
      term.remove_suffix(1);
    }
    AddTerm(term, is_prefix, full_text, terms);
  }
  if (terms.empty()) {
    return Status(ErrorCode::kInvalidArgument,
                  "the query has no letter or digit to search for; use --regex for signs");
  }
  if (terms.size() > kTermsMax) {
    return Status(ErrorCode::kInvalidArgument,
                  "the query has more than " + std::to_string(kTermsMax) + " words; shorten it");
  }
  return terms;
}

std::string FtsExpression(const std::vector<SearchTerm>& terms) {
  std::string expression;
  for (const SearchTerm& term : terms) {
    if (!expression.empty()) expression += " AND ";
    expression += '"';
    expression += term.text;  // holds no quote: quotes end a term
    expression += term.is_prefix ? "\" *" : "\"";
  }
  return expression;
}

std::vector<ByteSpan> FindTerms(const std::vector<SearchTerm>& terms, std::string_view text,
                                const FullText& full_text) {
  struct Token {
    std::string text;
    size_t begin;
    size_t end;
  };
  std::vector<Token> tokens;
  full_text.Tokenize(text, [&](std::string_view token, size_t begin, size_t end) {
    tokens.push_back({std::string(token), begin, end});
  });
  std::vector<ByteSpan> spans;
  for (const SearchTerm& term : terms) {
    const size_t length = term.tokens.size();
    for (size_t at = 0; at + length <= tokens.size(); ++at) {
      size_t same = 0;
      while (same < length) {
        const std::string& token = tokens[at + same].text;
        const bool is_open = term.is_prefix && same + 1 == length;
        if (is_open ? !token.starts_with(term.tokens[same]) : token != term.tokens[same]) break;
        ++same;
      }
      if (same == length) spans.push_back({tokens[at].begin, tokens[at + length - 1].end});
    }
  }
  std::sort(spans.begin(), spans.end(), [](const ByteSpan& left, const ByteSpan& right) {
    return left.begin != right.begin ? left.begin < right.begin : left.end > right.end;
  });
  std::vector<ByteSpan> apart;
  for (const ByteSpan& span : spans) {
    if (apart.empty() || span.begin >= apart.back().end) {
      apart.push_back(span);
    } else {
      apart.back().end = std::max(apart.back().end, span.end);
    }
  }
  return apart;
}

bool MatchesFileGlob(std::string_view pattern, std::string_view path) {
  if (pattern.find('/') == std::string_view::npos) path = path.substr(path.rfind('/') + 1);
  return MatchesPathGlob(pattern, path);
}

}  // namespace staged
