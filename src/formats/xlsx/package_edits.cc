#include "formats/xlsx/package_edits.h"

#include <array>
#include <charconv>

#include "codec/xml.h"
#include "formats/xlsx/splices.h"

namespace staged::xlsx {
namespace {

std::string_view PrefixOf(const XmlToken& token) {
  return token.name.substr(0, token.name.size() - token.local_name().size());
}

// Adds to a number in an attribute, where it is one.
void AddToAttribute(const XmlTokenizer& tokenizer, std::string_view name, int64_t delta,
                    Splices& splices) {
  for (const XmlAttribute& attribute : tokenizer.attributes()) {
    if (attribute.name != name) continue;
    int64_t number = 0;
    const std::string_view value = attribute.value;
    if (std::from_chars(value.data(), value.data() + value.size(), number).ec != std::errc()) {
      return;
    }
    const size_t end = attribute.end - 1;
    splices.Replace(end - value.size(), end, std::to_string(number + delta));
  }
}

// Puts a new item in behind the root's last child, also where the root is an empty tag.
void InsertBeforeEnd(const XmlToken& root, std::string_view root_name, size_t end_tag,
                     std::string text, Splices& splices) {
  if (root.is_empty) {
    text = ">" + text + "</" + std::string(root_name) + ">";
    splices.Replace(root.end - 2, root.end, std::move(text));
  } else {
    splices.Insert(end_tag, std::move(text));
  }
}

}  // namespace

size_t SharedStringAppender::IndexOf(const std::string& text) {
  const auto known = indices_.find(text);
  if (known != indices_.end()) return known->second;
  std::optional<size_t> index = strings_.FindPlain(text);
  if (!index) {
    index = strings_.size() + added_.size();
    added_.push_back(text);
  }
  indices_.emplace(text, *index);
  return *index;
}

Result<std::string> SharedStringAppender::Make(int64_t reference_delta,
                                               const Limits& limits) const {
  Splices splices(xml_);
  XmlTokenizer tokenizer(xml_, limits);
  XmlToken root;
  size_t last_end_tag = 0;
  while (tokenizer.Read()) {
    const XmlToken& token = tokenizer.token();
    if (token.type == XmlTokenType::kStart && tokenizer.depth() == 1) {
      root = token;
      AddToAttribute(tokenizer, "count", reference_delta, splices);
      AddToAttribute(tokenizer, "uniqueCount", static_cast<int64_t>(added_.size()), splices);
    }
    // Items come before extensions.
    if (token.type == XmlTokenType::kStart && tokenizer.depth() == 2 &&
        token.local_name() == "extLst" && last_end_tag == 0) {
      last_end_tag = token.begin;
    }
    if (token.type == XmlTokenType::kEnd && tokenizer.depth() == 0 && last_end_tag == 0) {
      last_end_tag = token.begin;
    }
  }
  STAGED_RETURN_IF_ERROR(tokenizer.status());
  const std::string prefix(PrefixOf(root));
  std::string items;
  for (const std::string& text : added_) {
    items += "<" + prefix + "si><" + prefix + "t xml:space=\"preserve\">" + EncodeXstring(text) +
             "</" + prefix + "t></" + prefix + "si>";
  }
  InsertBeforeEnd(root, root.name, last_end_tag, std::move(items), splices);
  return splices.Make();
}

Result<std::optional<std::string>> RemoveFromChain(std::string_view xml,
                                                   const std::set<ChainEntry>& gone,
                                                   const Limits& limits) {
  Splices splices(xml);
  XmlTokenizer tokenizer(xml, limits);
  std::string sheet;       // as the entry means it
  std::string kept_sheet;  // as the last kept entry says
  size_t kept = 0;
  while (tokenizer.Read()) {
    const XmlToken token = tokenizer.token();
    if (token.type != XmlTokenType::kStart || token.local_name() != "c") continue;
    const std::optional<std::string_view> own = tokenizer.Attribute("i");
    if (own) sheet = std::string(*own);
    const std::string address(tokenizer.Attribute("r").value_or(""));
    if (gone.contains({sheet, address})) {
      STAGED_ASSIGN_OR_RETURN(const size_t end, tokenizer.SkipElement());
      splices.Replace(token.begin, end, "");
      continue;
    }
    ++kept;
    if (!own && sheet != kept_sheet) {
      splices.Insert(token.begin + 1 + token.name.size(), " i=\"" + sheet + "\"");
    }
    kept_sheet = sheet;
  }
  STAGED_RETURN_IF_ERROR(tokenizer.status());
  if (kept == 0) return std::optional<std::string>();
  return std::optional<std::string>(splices.Make());
}

Result<std::string> RequestFullCalculation(std::string_view workbook_xml, const Limits& limits) {
  // What may stand before calcPr (ECMA-376 part 1, 18.2.27).
  constexpr std::array<std::string_view, 9> kBefore = {
      "fileVersion", "fileSharing",    "workbookPr",         "workbookProtection", "bookViews",
      "sheets",      "functionGroups", "externalReferences", "definedNames"};
  Splices splices(workbook_xml);
  XmlTokenizer tokenizer(workbook_xml, limits);
  std::string prefix;
  size_t insert_at = 0;
  bool is_done = false;
  std::string_view child;
  while (tokenizer.Read()) {
    const XmlToken& token = tokenizer.token();
    if (token.type == XmlTokenType::kStart && tokenizer.depth() == 1) {
      prefix = std::string(PrefixOf(token));
      insert_at = token.end;
    } else if (token.type == XmlTokenType::kStart && tokenizer.depth() == 2) {
      child = token.local_name();
      if (child != "calcPr") continue;
      is_done = true;
      bool is_set = false;
      for (const XmlAttribute& attribute : tokenizer.attributes()) {
        if (attribute.name != "fullCalcOnLoad") continue;
        is_set = true;
        const size_t end = attribute.end - 1;
        splices.Replace(end - attribute.value.size(), end, "1");
      }
      if (!is_set) {
        splices.Insert(token.begin + 1 + token.name.size(), " fullCalcOnLoad=\"1\"");
      }
    } else if (token.type == XmlTokenType::kEnd && tokenizer.depth() == 1) {
      for (const std::string_view before : kBefore) {
        if (child == before) insert_at = token.end;
      }
    }
  }
  STAGED_RETURN_IF_ERROR(tokenizer.status());
  if (!is_done) splices.Insert(insert_at, "<" + prefix + "calcPr fullCalcOnLoad=\"1\"/>");
  return splices.Make();
}

Result<std::string> RemoveElement(std::string_view xml, std::string_view element,
                                  std::string_view attribute, std::string_view value_end,
                                  const Limits& limits) {
  Splices splices(xml);
  XmlTokenizer tokenizer(xml, limits);
  while (tokenizer.Read()) {
    const XmlToken token = tokenizer.token();
    if (token.type != XmlTokenType::kStart || token.local_name() != element) continue;
    if (!tokenizer.Attribute(attribute).value_or("").ends_with(value_end)) continue;
    STAGED_ASSIGN_OR_RETURN(const size_t end, tokenizer.SkipElement());
    splices.Replace(token.begin, end, "");
  }
  STAGED_RETURN_IF_ERROR(tokenizer.status());
  return splices.Make();
}

}  // namespace staged::xlsx
