#include "base/glob.h"

#include <cstddef>

namespace staged {
namespace {

// The ASCII members of "[:alpha:]" and its like, as in the C locale; false for unknown names.
bool IsInNamedClass(std::string_view name, char character) {
  const bool upper = character >= 'A' && character <= 'Z';
  const bool lower = character >= 'a' && character <= 'z';
  const bool digit = character >= '0' && character <= '9';
  const bool graphic = character > ' ' && character < 0x7f;
  if (name == "alpha") return upper || lower;
  if (name == "digit") return digit;
  if (name == "alnum") return upper || lower || digit;
  if (name == "upper") return upper;
  if (name == "lower") return lower;
  if (name == "space") return character == ' ' || (character >= '\t' && character <= '\r');
  if (name == "blank") return character == ' ' || character == '\t';
  if (name == "punct") return graphic && !upper && !lower && !digit;
  if (name == "graph") return graphic;
  if (name == "print") return graphic || character == ' ';
  if (name == "cntrl") return (character >= 0 && character < ' ') || character == 0x7f;
  if (name == "xdigit") {
    return digit || (character >= 'a' && character <= 'f') ||
           (character >= 'A' && character <= 'F');
  }
  return false;
}

bool MatchClass(std::string_view pattern, size_t& position, char character) {
  size_t i = position + 1;
  const bool negated = i < pattern.size() && (pattern[i] == '!' || pattern[i] == '^');
  if (negated) ++i;
  bool matched = false;
  for (bool first = true; i < pattern.size() && (pattern[i] != ']' || first); ++i, first = false) {
    if (pattern.substr(i).starts_with("[:")) {
      const size_t end = pattern.find(":]", i + 2);
      if (end != std::string_view::npos) {
        if (IsInNamedClass(pattern.substr(i + 2, end - i - 2), character)) matched = true;
        i = end + 1;
        continue;
      }
    }
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
      std::string_view rest = pattern.substr(p + 2);
      while (rest.starts_with('*')) rest.remove_prefix(1);
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
