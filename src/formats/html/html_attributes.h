#pragma once

#include "formats/html/html_document.h"
#include "staged/value.h"

namespace staged {

// The typed attributes of a record: what its kind is known by (href, src, level ...), the name of
// its element where the kind does not say it, and all others in "attributes" as they are named.
// Long values are shown by their beginning and digest.
[[nodiscard]] Value HtmlAttrs(const HtmlNode& node, HtmlNodeKind kind, HtmlCharset charset);

}  // namespace staged
