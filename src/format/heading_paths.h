#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace staged {

// A heading's anchor as GitHub makes it: lower case, punctuation dropped, spaces to hyphens; cut
// where it is long, since every heading below repeats it.
[[nodiscard]] std::string HeadingAnchor(std::string_view text);

// Locators of headings by their path, `h:intro/setup`, in document order. A heading is the parent
// of what follows it up to the next one of its level or above.
class HeadingPaths {
 public:
  // The locator of the next heading, of that level (from 1) and anchor.
  [[nodiscard]] std::string Open(int level, const std::string& anchor);
  // The one that was opened last and still holds; "" before the first.
  [[nodiscard]] const std::string& current() const;
  // What current() will be for a heading of `level`: the heading that it stands below.
  void CloseTo(int level);

 private:
  struct Heading {
    int level;
    std::string locator;
  };
  std::vector<Heading> open_;
  std::unordered_map<std::string, size_t> counts_;
};

}  // namespace staged
