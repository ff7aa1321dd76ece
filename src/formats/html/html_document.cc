#include "formats/html/html_document.h"

#include <algorithm>

#include "formats/html/html_tree_builder.h"
#include "formats/html/html_visibility.h"

namespace staged {

const HtmlAttribute* HtmlNode::Find(std::string_view wanted) const {
  return FindHtmlAttribute(attributes, wanted);
}

HtmlDocument ReadHtmlDocument(std::string_view text, const Limits& limits) {
  return HtmlTreeBuilder(text, limits).Read();
}

}  // namespace staged
