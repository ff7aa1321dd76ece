#include "base/glob.h"

#include <cstddef>

namespace staged {
namespace {

bool MatchClass(std::string_view pattern, size_t& position, char character) {
  size_t i = position + 1;
  const bool negated = i < pattern.size() && (pattern[i] == '!' || pattern[i] == '^');
  if (negated) ++i;
  bool matched = false;
  for (bool first = true; i < pattern.size() && (pattern[i] != ']' || first); ++i, first = false) {
    char low = pattern[i];
    if (low == '\\' && i + 1 < pattern.size()) low = pattern[++i];
    char high = low;
    if (i + 2 < pattern.size() && pattern[i + 1] == '-' && pattern[i + 2] != ']') {
      high = pattern[i + 2];
      i += 2;
    }
    if (low <= character && character <= high) matched = true;
  }
  if (i >= pattern.size()) return false;
  position = i + 1;
  return matched != negated;
}

// Work is bounded: a '*' is retried at each later character only from the innermost star, and each
// '**' recursion starts at a name boundary.
bool Matches(std::string_view pattern, std::string_view text, int& work) {
  size_t p = 0;
  size_t t = 0;
  size_t star_p = std::string_view::npos;
  size_t star_t = 0;
  while (t <= text.size()) {
    if (--work < 0) return false;
    if (p < pattern.size() && pattern.substr(p).starts_with("**") &&
        (p == 0 || pattern[p - 1] == '/')) {
      const std::string_view rest = pattern.substr(p + 2);
      if (rest.empty()) return true;
      if (rest.front() == '/') {
        for (size_t start = t; start <= text.size(); ++start) {
          if (start != t && text[start - 1] != '/') continue;
          if (Matches(rest.substr(1), text.substr(start), work)) return true;
        }
        return false;
      }
    }
    if (p < pattern.size() && pattern[p] == '*') {
      star_p = ++p;
      star_t = t;
      continue;
    }
    if (t == text.size()) return p == pattern.size();
    bool same = false;
    size_t next = p + 1;
    if (p < pattern.size()) {
      if (pattern[p] == '?') {
        same = text[t] != '/';
      } else if (pattern[p] == '[') {
        next = p;
        same = text[t] != '/' && MatchClass(pattern, next, text[t]);
      } else if (pattern[p] == '\\' && p + 1 < pattern.size()) {
        same = pattern[p + 1] == text[t];
        next = p + 2;
      } else {
        same = pattern[p] == text[t];
      }
    }
    if (same) {
      p = next;
      ++t;
      continue;
    }
    if (star_p == std::string_view::npos || text[star_t] == '/') return false;
    p = star_p;
    t = ++star_t;
  }
  return false;
}

}  // namespace

bool MatchesPathGlob(std::string_view pattern, std::string_view path) {
  int work = 200'000;
  return Matches(pattern, path, work);
}

}  // namespace staged
