#pragma once

#include <string>
#include <utility>
#include <vector>

#include "codec/zip.h"

// For tests only: small workbooks made from their XML.
namespace staged::testing {

struct WorkbookXml {
  std::string sheet_data;              // rows: what stands inside <sheetData>
  std::string before_data;             // between the root and <sheetData>
  std::string after_data;              // behind </sheetData>
  std::string shared_strings;          // items: what stands inside <sst>
  std::string cell_formats;            // further <xf> behind the default one (style 1, 2 ...)
  std::string workbook_properties;     // before <sheets>
  std::string workbook_rest;           // behind </sheets>
  std::string sheet_relationships;     // inside <Relationships>
  std::string workbook_relationships;  // further ones
  std::vector<std::pair<std::string, std::string>> parts;  // further members
};

inline std::string MakeArchive(const std::vector<std::pair<std::string, std::string>>& members) {
  const std::string empty = std::string("PK\5\6") + std::string(18, '\0');
  const ZipReader reader = *ZipReader::Open(empty, Limits());
  ZipSplicer splicer(reader);
  for (const auto& [name, content] : members) splicer.Add(name, content);
  return *splicer.Finish();
}

// A workbook of one sheet, "Sheet1".
inline std::string MakeWorkbook(const WorkbookXml& xml) {
  const std::string main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
  const std::string office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  const std::string package = "http://schemas.openxmlformats.org/package/2006/";
  const std::string type = "application/vnd.openxmlformats-officedocument.spreadsheetml.";
  const auto relationship = [&](const std::string& id, const std::string& kind,
                                const std::string& target) {
    return "<Relationship Id=\"" + id + "\" Type=\"" + office + "/" + kind + "\" Target=\"" +
           target + "\"/>";
  };
  const auto relationships = [&](const std::string& items) {
    return "<Relationships xmlns=\"" + package + "relationships\">" + items + "</Relationships>";
  };
  std::vector<std::pair<std::string, std::string>> members = {
      {"[Content_Types].xml",
       "<Types xmlns=\"" + package + "content-types\"><Default Extension=\"rels\" ContentType=\"" +
           "application/vnd.openxmlformats-package.relationships+xml\"/>" +
           "<Default Extension=\"xml\" ContentType=\"application/xml\"/>" +
           "<Override PartName=\"/xl/workbook.xml\" ContentType=\"" + type + "sheet.main+xml\"/>" +
           "<Override PartName=\"/xl/worksheets/sheet1.xml\" ContentType=\"" + type +
           "worksheet+xml\"/><Override PartName=\"/xl/styles.xml\" ContentType=\"" + type +
           "styles+xml\"/>" +
           (xml.shared_strings.empty()
                ? ""
                : "<Override PartName=\"/xl/sharedStrings.xml\" ContentType=\"" + type +
                      "sharedStrings+xml\"/>") +
           "</Types>"},
      {"_rels/.rels", relationships(relationship("rId1", "officeDocument", "xl/workbook.xml"))},
      {"xl/workbook.xml",
       "<workbook xmlns=\"" + main + "\" xmlns:r=\"" + office + "\">" + xml.workbook_properties +
           "<sheets><sheet name=\"Sheet1\" sheetId=\"1\" r:id=\"rId1\"/></sheets>" +
           xml.workbook_rest + "</workbook>"},
      {"xl/_rels/workbook.xml.rels",
       relationships(relationship("rId1", "worksheet", "worksheets/sheet1.xml") +
                     relationship("rId2", "styles", "styles.xml") +
                     (xml.shared_strings.empty()
                          ? ""
                          : relationship("rId3", "sharedStrings", "sharedStrings.xml")) +
                     xml.workbook_relationships)},
      {"xl/styles.xml",
       "<styleSheet xmlns=\"" + main + "\"><numFmts count=\"1\"><numFmt numFmtId=\"164\" " +
           "formatCode=\"yyyy\\-mm\\-dd\"/></numFmts><fonts count=\"1\"><font/></fonts>" +
           "<fills count=\"1\"><fill/></fills><borders count=\"1\"><border/></borders>" +
           "<cellStyleXfs count=\"1\"><xf/></cellStyleXfs><cellXfs><xf numFmtId=\"0\"/>" +
           xml.cell_formats + "</cellXfs></styleSheet>"},
      {"xl/worksheets/sheet1.xml", "<worksheet xmlns=\"" + main + "\" xmlns:r=\"" + office + "\">" +
                                       xml.before_data + "<sheetData>" + xml.sheet_data +
                                       "</sheetData>" + xml.after_data + "</worksheet>"}};
  if (!xml.shared_strings.empty()) {
    members.emplace_back("xl/sharedStrings.xml", "<sst xmlns=\"" + main +
                                                     "\" count=\"1\" uniqueCount=\"1\">" +
                                                     xml.shared_strings + "</sst>");
  }
  if (!xml.sheet_relationships.empty()) {
    members.emplace_back("xl/worksheets/_rels/sheet1.xml.rels",
                         relationships(xml.sheet_relationships));
  }
  members.insert(members.end(), xml.parts.begin(), xml.parts.end());
  return MakeArchive(members);
}

}  // namespace staged::testing
