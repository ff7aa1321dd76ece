#pragma once

#include <string_view>

namespace staged {

// Shell-style pattern over a whole path: '*' and '?' within one name, '**' as a whole name over any
// number of names, [classes], '\\' before a literal. Bytes are compared exactly; work is bounded.
[[nodiscard]] bool MatchesPathGlob(std::string_view pattern, std::string_view path);

}  // namespace staged
