#include "codec/xml_elements.h"

#include "codec/splice.h"
#include "codec/xml.h"

namespace staged {

Result<std::string> XmlWithoutElements(std::string_view xml, std::string_view element,
                                       std::string_view attribute,
                                       const std::set<std::string>& values, const Limits& limits) {
  SplicePlan plan;
  XmlTokenizer tokenizer(xml, limits);
  while (tokenizer.Read()) {
    const XmlToken& token = tokenizer.token();
    if (token.type != XmlTokenType::kStart || token.local_name() != element) continue;
    const std::string value = XmlDecodeAttribute(tokenizer.Attribute(attribute).value_or(""));
    if (!values.contains(value)) continue;
    const size_t begin = token.begin;
    STAGED_ASSIGN_OR_RETURN(const size_t end, tokenizer.SkipElement());
    plan.Replace(begin, end, "");
  }
  STAGED_RETURN_IF_ERROR(tokenizer.status());
  return plan.Apply(xml);
}

}  // namespace staged
