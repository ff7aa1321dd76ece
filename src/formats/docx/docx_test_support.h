#pragma once

#include <string>
#include <utility>
#include <vector>

#include "formats/docx/docx_format.h"
#include "formats/office_test_support.h"

// For tests only: small Word files made in memory.
namespace staged::testing {

inline constexpr std::string_view kWordNamespaces =
    " xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\""
    " xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\""
    " xmlns:w14=\"http://schemas.microsoft.com/office/word/2010/wordml\""
    " xmlns:mc=\"http://schemas.openxmlformats.org/markup-compatibility/2006\""
    " xmlns:m=\"http://schemas.openxmlformats.org/officeDocument/2006/math\""
    " xmlns:wps=\"http://schemas.microsoft.com/office/word/2010/wordprocessingShape\"";

inline std::string Part(std::string_view root, std::string_view inner) {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\r\n<w:" +
         std::string(root) + std::string(kWordNamespaces) + ">" + std::string(inner) +
         "</w:" + std::string(root) + ">";
}

// A document whose body is `body`. `extra` are parts "word/<role>.xml" with their relationships
// named by role ("styles", "comments" ...).
inline std::string MakeDocument(std::string_view body, const Parts& extra = {},
                                std::string_view more_relationships = "") {
  constexpr std::string_view kType =
      "http://schemas.openxmlformats.org/officeDocument/2006/relationships/";
  std::string relationships =
      "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">";
  const std::string head = relationships;
  Parts parts{
      {"[Content_Types].xml",
       "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">"
       "<Default Extension=\"rels\" ContentType="
       "\"application/vnd.openxmlformats-package.relationships+xml\"/>"
       "<Default Extension=\"xml\" ContentType=\"application/xml\"/>"
       "<Override PartName=\"/word/document.xml\" ContentType=\"application/vnd."
       "openxmlformats-officedocument.wordprocessingml.document.main+xml\"/></Types>"},
      {"_rels/.rels", head + "<Relationship Id=\"rId1\" Type=\"" + std::string(kType) +
                          "officeDocument\" Target=\"word/document.xml\"/></Relationships>"},
      {"word/document.xml", Part("document", "<w:body>" + std::string(body) + "</w:body>")}};
  for (const auto& [role, content] : extra) {
    parts.emplace_back("word/" + role + ".xml", content);
    std::string type = role;
    while (!type.empty() && type.back() >= '0' && type.back() <= '9') type.pop_back();
    relationships += "<Relationship Id=\"x" + role + "\" Type=\"" + std::string(kType) + type +
                     "\" Target=\"" + role + ".xml\"/>";
  }
  parts.emplace_back("word/_rels/document.xml.rels",
                     relationships + std::string(more_relationships) + "</Relationships>");
  return MakeArchive(parts);
}

inline View ParseDocx(std::string_view bytes) { return ParseWith(*NewDocxFormat(), bytes); }

}  // namespace staged::testing
