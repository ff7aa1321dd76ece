#pragma once

#include <string>

#include "formats/odf/odf_format.h"
#include "formats/office_test_support.h"

// For tests only: small OpenDocument files made in memory.
namespace staged::testing {

inline std::string OdfRoot(std::string_view root, std::string_view inner,
                           std::string_view attributes = "") {
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<office:" + std::string(root);
  for (const auto& [prefix, name] :
       {std::pair("office", "office"), std::pair("text", "text"), std::pair("table", "table"),
        std::pair("draw", "drawing"), std::pair("style", "style"), std::pair("meta", "meta"),
        std::pair("fo", "xsl-fo-compatible"), std::pair("svg", "svg-compatible"),
        std::pair("presentation", "presentation")}) {
    xml += " xmlns:" + std::string(prefix) + "=\"urn:oasis:names:tc:opendocument:xmlns:" + name +
           ":1.0\"";
  }
  xml +=
      " xmlns:dc=\"http://purl.org/dc/elements/1.1/\" xmlns:xlink=\"http://www.w3.org/1999/xlink\"";
  return xml + std::string(attributes) + ">" + std::string(inner) +
         "</office:" + std::string(root) + ">";
}

// `kind`: "text", "spreadsheet", "presentation"; `body`: the inside of its element.
inline std::string MakeOdf(const std::string& kind, std::string_view body,
                           std::string_view automatic_styles = "", std::string_view styles = "",
                           const Parts& extra = {}) {
  Parts parts{
      {"mimetype", "application/vnd.oasis.opendocument." + kind},
      {"content.xml", OdfRoot("document-content",
                              "<office:automatic-styles>" + std::string(automatic_styles) +
                                  "</office:automatic-styles><office:body><office:" + kind + ">" +
                                  std::string(body) + "</office:" + kind + "></office:body>")},
      {"styles.xml", OdfRoot("document-styles", styles)},
      {"meta.xml",
       OdfRoot("document-meta", "<office:meta><dc:title>A title</dc:title></office:meta>")}};
  parts.insert(parts.end(), extra.begin(), extra.end());
  return MakeArchive(parts);
}

inline View ParseOdt(std::string_view bytes) { return ParseWith(*NewOdtFormat(), bytes); }
inline View ParseOds(std::string_view bytes) { return ParseWith(*NewOdsFormat(), bytes); }
inline View ParseOdp(std::string_view bytes) { return ParseWith(*NewOdpFormat(), bytes); }

}  // namespace staged::testing
