#include "formats/html/open_elements.h"

#include <algorithm>

namespace staged {
namespace {

bool IsOneOf(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

bool OpenElements::IsTop(std::initializer_list<std::string_view> names) const {
  return !empty() && top().names == HtmlNamespace::kHtml && IsOneOf(top().name, names);
}

size_t OpenElements::Find(std::initializer_list<std::string_view> names, uint32_t until,
                          std::initializer_list<std::string_view> until_names) const {
  for (size_t index = elements_.size(); index-- > 0;) {
    const OpenElement& element = elements_[index];
    if (element.names != HtmlNamespace::kHtml) {
      if (element.is_integration) return kNone;
      continue;
    }
    if (IsOneOf(element.name, names)) return index;
    if (element.Has(until) || IsOneOf(element.name, until_names)) return kNone;
  }
  return kNone;
}

}  // namespace staged
