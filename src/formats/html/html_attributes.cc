#include "formats/html/html_attributes.h"

#include <algorithm>
#include <set>
#include <span>
#include <string>

#include "base/utf8.h"
#include "formats/html/html_records.h"
#include "formats/html/html_text.h"
#include "staged/content_hash.h"

namespace staged {
namespace {

constexpr std::string_view kLinkAttributes[] = {"href", "title"};
constexpr std::string_view kImageAttributes[] = {"src", "alt", "title"};
constexpr std::string_view kMediaAttributes[] = {"src", "data", "srcdoc"};
constexpr std::string_view kCodeAttributes[] = {"src", "type"};
constexpr std::string_view kCellAttributes[] = {"colspan", "rowspan"};
constexpr std::string_view kFormAttributes[] = {"action", "method"};
constexpr std::string_view kFieldAttributes[] = {"type",    "name",     "value",
                                                 "checked", "selected", "placeholder"};
constexpr std::string_view kMetadataAttributes[] = {"name",    "property", "itemprop", "http-equiv",
                                                    "content", "charset",  "rel",      "href"};

std::span<const std::string_view> KnownAttributes(HtmlNodeKind kind) {
  switch (kind) {
    case HtmlNodeKind::kLink:
      return kLinkAttributes;
    case HtmlNodeKind::kImage:
      return kImageAttributes;
    case HtmlNodeKind::kMedia:
      return kMediaAttributes;
    case HtmlNodeKind::kScript:
    case HtmlNodeKind::kStyle:
      return kCodeAttributes;
    case HtmlNodeKind::kTableCell:
      return kCellAttributes;
    case HtmlNodeKind::kForm:
      return kFormAttributes;
    case HtmlNodeKind::kField:
    case HtmlNodeKind::kOption:
      return kFieldAttributes;
    case HtmlNodeKind::kMetadata:
      return kMetadataAttributes;
    default:
      return {};
  }
}

std::string Shown(std::string value) {
  constexpr size_t kShownBytesMax = 2000;
  constexpr size_t kHeadBytes = 100;
  if (value.size() <= kShownBytesMax) return value;
  size_t end = kHeadBytes;
  while (end > 0 && (static_cast<uint8_t>(value[end]) & 0xC0) == 0x80) --end;
  return value.substr(0, end) + "... (" + std::to_string(value.size()) + " bytes, " +
         ContentHash::Of(value).ToString() + ")";
}

std::string LowerName(std::string_view name, HtmlCharset charset) {
  std::string lower = HtmlToUtf8(name, charset);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  }
  return lower;
}

}  // namespace

Value HtmlAttrs(const HtmlNode& node, HtmlNodeKind kind, HtmlCharset charset) {
  Value attrs;
  const bool says_element =
      !node.name.empty() &&
      (kind == HtmlNodeKind::kParagraph || kind == HtmlNodeKind::kContainer ||
       kind == HtmlNodeKind::kPreformatted || kind == HtmlNodeKind::kMedia ||
       kind == HtmlNodeKind::kField || kind == HtmlNodeKind::kMetadata || node.name == "svg");
  if (says_element && node.name != "p" && node.name != "pre") {
    attrs.Set("element", HtmlToUtf8(node.name, charset));
  }
  if (kind == HtmlNodeKind::kHeading) attrs.Set("level", node.name[1] - '0');
  if (kind == HtmlNodeKind::kTableCell && node.name == "th") attrs.Set("header", true);
  constexpr size_t kShownMax = 256;
  Value::Object others;
  std::set<std::string> seen;
  uint64_t omitted = node.attributes_omitted;
  const auto known = KnownAttributes(kind);
  for (const HtmlAttribute& attribute : node.attributes) {
    std::string name = LowerName(attribute.name, charset);
    if (!seen.insert(name).second) continue;  // only the first one counts
    if (name == "lang" && node.name == "html") continue;
    std::string value = Shown(HtmlAttributeValue(attribute, charset));
    if (std::find(known.begin(), known.end(), name) != known.end()) {
      attrs.Set(name, std::move(value));
    } else if (others.size() < kShownMax) {
      others.emplace_back(Shown(std::move(name)), std::move(value));
    } else {
      ++omitted;
    }
  }
  if (!others.empty()) attrs.Set("attributes", std::move(others));
  if (omitted > 0) attrs.Set("attributes_omitted", omitted);
  return attrs;
}

std::vector<KindRule> HtmlKindRules() {
  const FacetRule text{"text", ChangeClass::kContent, {"text"}};
  const FacetRule format{"format", ChangeClass::kFormat, {"format"}};
  const FacetRule attributes{
      "attributes", ChangeClass::kFormat, {"attributes", "attributes_omitted"}};
  const FacetRule element{"element", ChangeClass::kStructure, {"element"}};
  const FacetRule level{"level", ChangeClass::kStructure, {"level", "ordered"}};
  const FacetRule source{"source", ChangeClass::kContent, {"src", "data", "srcdoc", "title"}};
  const FacetRule digest{"digest", ChangeClass::kOpaque, {"digest", "size_bytes"}};
  std::vector<KindRule> rules;
  for (const char* kind : {"paragraph", "term", "definition", "quote", "preformatted", "container",
                           "table", "table_row", "thematic_break", "comment", "doctype"}) {
    rules.push_back({kind, Matching::kOrdered, {text, format, element, attributes}});
  }
  rules.push_back({"heading", Matching::kOrdered, {text, level, format, attributes}});
  rules.push_back({"list_item", Matching::kOrdered, {text, level, format, attributes}});
  rules.push_back({"table_cell",
                   Matching::kOrdered,
                   {text,
                    {"span", ChangeClass::kStructure, {"colspan", "rowspan", "header"}},
                    format,
                    attributes}});
  rules.push_back(
      {"link",
       Matching::kOrdered,
       {text, {"target", ChangeClass::kContent, {"href", "title"}}, format, attributes}});
  rules.push_back({"image", Matching::kOrdered, {text, source, digest, element, attributes}});
  rules.push_back({"media", Matching::kOrdered, {text, source, element, attributes}});
  rules.push_back({"script",
                   Matching::kOrdered,
                   {digest, source, {"type", ChangeClass::kContent, {"type"}}, attributes}});
  rules.push_back({"style",
                   Matching::kOrdered,
                   {digest, source, {"type", ChangeClass::kContent, {"type"}}, attributes}});
  rules.push_back({"form",
                   Matching::kOrdered,
                   {{"action", ChangeClass::kContent, {"action", "method"}}, attributes}});
  const FacetRule value{
      "value", ChangeClass::kContent, {"value", "checked", "selected", "type", "name"}};
  rules.push_back({"field", Matching::kOrdered, {text, value, format, element, attributes}});
  rules.push_back({"option", Matching::kOrdered, {text, value, format, attributes}});
  rules.push_back(
      {"metadata",
       Matching::kKeyed,
       {text,
        {"name",
         ChangeClass::kContent,
         {"name", "property", "itemprop", "http-equiv", "content", "charset", "rel", "href"}},
        element,
        attributes}});
  return rules;
}

}  // namespace staged
