#pragma once

#include <string_view>
#include <vector>

#include "codec/html_tokenizer.h"

namespace staged {

// Why a reader does not see an element of that name, as far as it says so itself: its name
// ("template", "noscript"), its attributes (hidden, aria-hidden, type=hidden) or its own style
// (display:none ...). A constant; empty where it is seen. What style sheets hide is not known here.
[[nodiscard]] std::string_view HtmlHiddenReason(std::string_view name,
                                                const std::vector<HtmlAttribute>& attributes);

// The first attribute of that name (in lower case), or nullptr.
[[nodiscard]] const HtmlAttribute* FindHtmlAttribute(const std::vector<HtmlAttribute>& attributes,
                                                     std::string_view name);
// Whether two texts are the same but for the case of ASCII letters.
[[nodiscard]] bool EqualsIgnoringCase(std::string_view left, std::string_view right);

}  // namespace staged
