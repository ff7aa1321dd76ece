#include "formats/xlsx/styles.h"

#include <charconv>
#include <map>

#include "codec/xml.h"

namespace staged::xlsx {
namespace {

unsigned ReadUnsigned(std::string_view text) {
  unsigned number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

std::string_view BuiltinNumberFormat(unsigned id) {
  switch (id) {
    case 0:
      return "General";
    case 1:
      return "0";
    case 2:
      return "0.00";
    case 3:
      return "#,##0";
    case 4:
      return "#,##0.00";
    case 5:
      return "\"$\"#,##0_);(\"$\"#,##0)";
    case 6:
      return "\"$\"#,##0_);[Red](\"$\"#,##0)";
    case 7:
      return "\"$\"#,##0.00_);(\"$\"#,##0.00)";
    case 8:
      return "\"$\"#,##0.00_);[Red](\"$\"#,##0.00)";
    case 9:
      return "0%";
    case 10:
      return "0.00%";
    case 11:
      return "0.00E+00";
    case 12:
      return "# ?/?";
    case 13:
      return "# ?\?/?\?";
    case 14:
      return "mm-dd-yy";
    case 15:
      return "d-mmm-yy";
    case 16:
      return "d-mmm";
    case 17:
      return "mmm-yy";
    case 18:
      return "h:mm AM/PM";
    case 19:
      return "h:mm:ss AM/PM";
    case 20:
      return "h:mm";
    case 21:
      return "h:mm:ss";
    case 22:
      return "m/d/yy h:mm";
    case 37:
      return "#,##0_);(#,##0)";
    case 38:
      return "#,##0_);[Red](#,##0)";
    case 39:
      return "#,##0.00_);(#,##0.00)";
    case 40:
      return "#,##0.00_);[Red](#,##0.00)";
    case 41:
      return "_(* #,##0_);_(* \\(#,##0\\);_(* \"-\"_);_(@_)";
    case 42:
      return "_(\"$\"* #,##0_);_(\"$\"* \\(#,##0\\);_(\"$\"* \"-\"_);_(@_)";
    case 43:
      return "_(* #,##0.00_);_(* \\(#,##0.00\\);_(* \"-\"?\?_);_(@_)";
    case 44:
      return "_(\"$\"* #,##0.00_);_(\"$\"* \\(#,##0.00\\);_(\"$\"* \"-\"?\?_);_(@_)";
    case 45:
      return "mm:ss";
    case 46:
      return "[h]:mm:ss";
    case 47:
      return "mmss.0";
    case 48:
      return "##0.0E+0";
    case 49:
      return "@";
    default:
      return "";
  }
}

Styles ReadStyles(std::string_view xml, const Limits& limits) {
  Styles styles;
  std::map<unsigned, std::string> custom;
  std::vector<unsigned> format_ids;
  XmlTokenizer tokenizer(xml, limits);
  bool in_cell_formats = false;
  while (tokenizer.Read()) {
    const XmlToken& token = tokenizer.token();
    if (token.type != XmlTokenType::kStart && token.type != XmlTokenType::kEnd) continue;
    const bool starts = token.type == XmlTokenType::kStart;
    const std::string_view name = token.local_name();
    if (name == "cellXfs") {
      in_cell_formats = starts;
    } else if (starts && name == "numFmt") {
      const unsigned id = ReadUnsigned(tokenizer.Attribute("numFmtId").value_or(""));
      custom[id] = XmlDecodeAttribute(tokenizer.Attribute("formatCode").value_or(""));
    } else if (starts && in_cell_formats && name == "xf") {
      format_ids.push_back(ReadUnsigned(tokenizer.Attribute("numFmtId").value_or("")));
    }
  }
  styles.formats.reserve(format_ids.size());
  for (const unsigned id : format_ids) {
    const auto found = custom.find(id);
    if (found != custom.end()) {
      styles.formats.push_back(found->second);
      continue;
    }
    const std::string_view builtin = BuiltinNumberFormat(id);
    styles.formats.emplace_back(builtin.empty() ? "General" : builtin);
  }
  return styles;
}

}  // namespace staged::xlsx
