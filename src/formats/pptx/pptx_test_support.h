#pragma once

#include <string>
#include <vector>

#include "formats/office_test_support.h"
#include "formats/pptx/pptx_format.h"

// For tests only: small presentations made in memory.
namespace staged::testing {

inline constexpr std::string_view kSlideNamespaces =
    " xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\""
    " xmlns:p=\"http://schemas.openxmlformats.org/presentationml/2006/main\""
    " xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\""
    " xmlns:c=\"http://schemas.openxmlformats.org/drawingml/2006/chart\""
    " xmlns:dgm=\"http://schemas.openxmlformats.org/drawingml/2006/diagram\""
    " xmlns:mc=\"http://schemas.openxmlformats.org/markup-compatibility/2006\"";

inline std::string SlidePart(std::string_view root, std::string_view inner,
                             std::string_view attributes = "") {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\r\n<" + std::string(root) +
         std::string(kSlideNamespaces) + std::string(attributes) + ">" + std::string(inner) + "</" +
         std::string(root) + ">";
}

inline std::string ShapeTree(std::string_view shapes) {
  return "<p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id=\"1\" name=\"\"/><p:cNvGrpSpPr/><p:nvPr/>"
         "</p:nvGrpSpPr><p:grpSpPr/>" +
         std::string(shapes) + "</p:spTree></p:cSld>";
}

// A shape with those paragraphs; `properties` are the inside of p:spPr, `placeholder` a p:ph.
inline std::string TextShape(int id, std::string_view paragraphs, std::string_view properties = "",
                             std::string_view placeholder = "") {
  return "<p:sp><p:nvSpPr><p:cNvPr id=\"" + std::to_string(id) + "\" name=\"Shape " +
         std::to_string(id) + "\"/><p:cNvSpPr/><p:nvPr>" + std::string(placeholder) +
         "</p:nvPr></p:nvSpPr><p:spPr>" + std::string(properties) +
         "</p:spPr><p:txBody><a:bodyPr/>" + std::string(paragraphs) + "</p:txBody></p:sp>";
}

inline std::string SlideRun(std::string_view text, std::string_view attributes = "") {
  std::string run = "<a:r>";
  if (!attributes.empty()) run += "<a:rPr " + std::string(attributes) + "/>";
  return run + "<a:t>" + std::string(text) + "</a:t></a:r>";
}

inline std::string SlideParagraph(std::string_view inner) {
  return "<a:p>" + std::string(inner) + "</a:p>";
}

struct TestSlide {
  std::string shapes;
  std::string attributes = {};     // of p:sld
  std::string behind = {};         // behind p:cSld
  std::string relationships = {};  // Relationship elements beside the layout's
};

inline std::string RelationshipElement(std::string_view id, std::string_view type,
                                       std::string_view target) {
  return "<Relationship Id=\"" + std::string(id) +
         "\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/" +
         std::string(type) + "\" Target=\"" + std::string(target) + "\"/>";
}

inline std::string RelationshipsPart(std::string_view elements) {
  return "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">" +
         std::string(elements) + "</Relationships>";
}

// Slides 256, 257, ... of 9144000 by 6858000 EMU with one master and one layout, whose title stands
// at 100, 200 (master) and whose body of index 1 at 300, 400 (layout).
inline std::string MakeDeck(const std::vector<TestSlide>& slides, const Parts& extra = {},
                            std::string_view behind_list = "") {
  constexpr std::string_view kTransform =
      "<a:xfrm><a:off x=\"%X\" y=\"%Y\"/><a:ext cx=\"5\" "
      "cy=\"6\"/></a:xfrm>";
  const auto transform = [&](std::string_view x, std::string_view y) {
    std::string xml(kTransform);
    xml.replace(xml.find("%X"), 2, x);
    xml.replace(xml.find("%Y"), 2, y);
    return xml;
  };
  std::string list;
  std::string relationships = RelationshipElement("rIdM", "slideMaster", "slideMasters/master.xml");
  std::string types =
      "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">"
      "<Default Extension=\"xml\" ContentType=\"application/xml\"/>"
      "<Override PartName=\"/ppt/presentation.xml\" ContentType=\"application/vnd.openxmlformats-"
      "officedocument.presentationml.presentation.main+xml\"/>";
  Parts parts;
  for (size_t i = 0; i < slides.size(); ++i) {
    const std::string number = std::to_string(i + 1);
    const std::string part = "slides/slide" + number + ".xml";
    list += "<p:sldId id=\"" + std::to_string(256 + i) + "\" r:id=\"rId" + number + "\"/>";
    relationships += RelationshipElement("rId" + number, "slide", part);
    types += "<Override PartName=\"/ppt/" + part + "\" ContentType=\"slide\"/>";
    parts.emplace_back(
        "ppt/" + part,
        SlidePart("p:sld", ShapeTree(slides[i].shapes) + slides[i].behind, slides[i].attributes));
    parts.emplace_back(
        "ppt/slides/_rels/slide" + number + ".xml.rels",
        RelationshipsPart(RelationshipElement("rIdL", "slideLayout", "../slideLayouts/layout.xml") +
                          slides[i].relationships));
  }
  parts.emplace_back("[Content_Types].xml", types + "</Types>");
  parts.emplace_back("_rels/.rels", RelationshipsPart(RelationshipElement("rId1", "officeDocument",
                                                                          "ppt/presentation.xml")));
  parts.emplace_back("ppt/presentation.xml",
                     SlidePart("p:presentation",
                               "<p:sldMasterIdLst><p:sldMasterId id=\"2147483648\" r:id=\"rIdM\"/>"
                               "</p:sldMasterIdLst><p:sldIdLst>" +
                                   list + "</p:sldIdLst><p:sldSz cx=\"9144000\" cy=\"6858000\"/>" +
                                   std::string(behind_list)));
  parts.emplace_back("ppt/_rels/presentation.xml.rels", RelationshipsPart(relationships));
  parts.emplace_back(
      "ppt/slideMasters/master.xml",
      SlidePart("p:sldMaster",
                ShapeTree(TextShape(2, SlideParagraph(SlideRun("Master title")),
                                    transform("100", "200"), "<p:ph type=\"title\"/>")) +
                    "<p:sldLayoutIdLst><p:sldLayoutId id=\"2147483649\" "
                    "r:id=\"rId1\"/></p:sldLayoutIdLst>"));
  parts.emplace_back(
      "ppt/slideMasters/_rels/master.xml.rels",
      RelationshipsPart(RelationshipElement("rId1", "slideLayout", "../slideLayouts/layout.xml")));
  parts.emplace_back(
      "ppt/slideLayouts/layout.xml",
      SlidePart("p:sldLayout",
                ShapeTree(TextShape(2, SlideParagraph(""), "", "<p:ph type=\"title\"/>") +
                          TextShape(3, SlideParagraph(SlideRun("Click to edit")),
                                    transform("300", "400"), "<p:ph idx=\"1\"/>"))));
  parts.emplace_back(
      "ppt/slideLayouts/_rels/layout.xml.rels",
      RelationshipsPart(RelationshipElement("rId1", "slideMaster", "../slideMasters/master.xml")));
  parts.insert(parts.end(), extra.begin(), extra.end());
  return MakeArchive(parts);
}

inline View ParsePptx(std::string_view bytes) { return ParseWith(*NewPptxFormat(), bytes); }

}  // namespace staged::testing
