#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "staged/status.h"
#include "staged/view.h"

namespace staged {

// The exact locators of the records that `locator` means in a view:
// - the record with that locator (View::Find);
// - or, in a text, what stands on the lines of line:2 or line:3-5 (from 1, both included): records
//   that begin or end there, and of records that only go through, the innermost.
// `bytes` gives the file's content and is called for lines only. Errors: kNoMatch;
// kLimitExceeded when it may be in what a limit kept out of the view; those of `bytes`.
[[nodiscard]] Result<std::set<std::string>> FindLocators(
    const View& view, const std::string& locator,
    const std::function<Result<std::string>()>& bytes);

}  // namespace staged
