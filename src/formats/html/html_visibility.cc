#include "formats/html/html_visibility.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "codec/html_references.h"

namespace staged {
namespace {

constexpr std::string_view kSpaces = " \t\n\f\r";

std::string_view Trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) return "";
  return text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
}

bool IsZero(std::string_view number) {
  const size_t end = std::min(number.find_first_not_of("0."), number.size());
  return end > 0 && number.find_first_of("123456789") == std::string_view::npos &&
         number.substr(0, end).find('0') != std::string_view::npos;
}

// CSS Style Attributes: declarations of name:value between semicolons.
std::string_view StyleReason(std::string_view style) {
  while (!style.empty()) {
    const size_t end = std::min(style.find(';'), style.size());
    const std::string_view declaration = style.substr(0, end);
    style.remove_prefix(std::min(end + 1, style.size()));
    const size_t colon = declaration.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view name = Trimmed(declaration.substr(0, colon));
    std::string_view value = declaration.substr(colon + 1);
    value = Trimmed(value.substr(0, value.find('!')));
    if (EqualsIgnoringCase(name, "display") && EqualsIgnoringCase(value, "none")) {
      return "display:none";
    }
    if (EqualsIgnoringCase(name, "visibility") &&
        (EqualsIgnoringCase(value, "hidden") || EqualsIgnoringCase(value, "collapse"))) {
      return "visibility:hidden";
    }
    if (EqualsIgnoringCase(name, "content-visibility") && EqualsIgnoringCase(value, "hidden")) {
      return "content-visibility:hidden";
    }
    if (EqualsIgnoringCase(name, "opacity") && IsZero(value)) return "opacity:0";
    if (EqualsIgnoringCase(name, "font-size") && IsZero(value)) return "font-size:0";
  }
  return "";
}

}  // namespace

bool EqualsIgnoringCase(std::string_view left, std::string_view right) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; };
  return left.size() == right.size() &&
         std::equal(left.begin(), left.end(), right.begin(),
                    [&](char a, char b) { return lower(a) == lower(b); });
}

const HtmlAttribute* FindHtmlAttribute(const std::vector<HtmlAttribute>& attributes,
                                       std::string_view name) {
  for (const HtmlAttribute& attribute : attributes) {
    if (EqualsIgnoringCase(attribute.name, name)) return &attribute;
  }
  return nullptr;
}

std::string_view HtmlHiddenReason(std::string_view name,
                                  const std::vector<HtmlAttribute>& attributes) {
  constexpr std::string_view kHiddenElements[] = {"template", "noscript",   "noembed", "noframes",
                                                  "datalist", "annotation", "rp"};
  const auto* const by_name =
      std::find(std::begin(kHiddenElements), std::end(kHiddenElements), name);
  if (by_name != std::end(kHiddenElements)) return *by_name;
  if (attributes.empty()) return name == "dialog" ? "closed dialog" : "";
  if (FindHtmlAttribute(attributes, "hidden") != nullptr) return "hidden attribute";
  const HtmlAttribute* style = FindHtmlAttribute(attributes, "style");
  if (style != nullptr) {
    const std::string_view reason =
        StyleReason(DecodeHtmlReferences(style->value, HtmlContext::kAttribute));
    if (!reason.empty()) return reason;
  }
  const HtmlAttribute* type = FindHtmlAttribute(attributes, "type");
  if (name == "input" && type != nullptr && EqualsIgnoringCase(Trimmed(type->value), "hidden")) {
    return "type=hidden";
  }
  const HtmlAttribute* aria = FindHtmlAttribute(attributes, "aria-hidden");
  if (aria != nullptr && EqualsIgnoringCase(Trimmed(aria->value), "true")) return "aria-hidden";
  if (name == "dialog" && FindHtmlAttribute(attributes, "open") == nullptr) {
    return "closed dialog";
  }
  return "";
}

}  // namespace staged
