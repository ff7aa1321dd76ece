#pragma once

#include <string>
#include <vector>

#include "formats/office_test_support.h"
#include "formats/pdf/pdf_format.h"

// For tests only: PDF files made in memory.
namespace staged::testing {

// A file of `objects`: the first is number 1 and the catalog.
inline std::string MakePdf(const std::vector<std::string>& objects,
                           const std::string& trailer = "") {
  std::string file = "%PDF-1.7\n";
  std::vector<size_t> offsets;
  for (size_t i = 0; i < objects.size(); ++i) {
    offsets.push_back(file.size());
    file += std::to_string(i + 1) + " 0 obj\n" + objects[i] + "\nendobj\n";
  }
  const size_t table = file.size();
  file += "xref\n0 " + std::to_string(objects.size() + 1) + "\n0000000000 65535 f \n";
  for (const size_t offset : offsets) {
    const std::string digits = std::to_string(offset);
    file += std::string(10 - digits.size(), '0') + digits + " 00000 n \n";
  }
  return file + "trailer\n<< /Size " + std::to_string(objects.size() + 1) + " /Root 1 0 R " +
         trailer + " >>\nstartxref\n" + std::to_string(table) + "\n%%EOF\n";
}

inline std::string PdfStream(const std::string& content, const std::string& entries = "") {
  return "<< /Length " + std::to_string(content.size()) + " " + entries + " >>\nstream\n" +
         content + "\nendstream";
}

// Text at a place, from the lower left corner of the page.
inline std::string TextAt(double x, double y, const std::string& text, double size = 12) {
  return "BT /F1 " + std::to_string(size) + " Tf " + std::to_string(x) + " " + std::to_string(y) +
         " Td (" + text + ") Tj ET\n";
}

// A document of one page a content stream, in Helvetica on US letter. Objects 1 to 3 are catalog,
// page tree and font; then a page and its content each; `more` follows.
inline std::string MakePagedPdf(const std::vector<std::string>& contents,
                                const std::string& page_entries = "",
                                const std::string& catalog_entries = "",
                                const std::vector<std::string>& more = {},
                                const std::string& trailer = "") {
  std::string kids;
  for (size_t i = 0; i < contents.size(); ++i) kids += std::to_string(4 + 2 * i) + " 0 R ";
  std::vector<std::string> objects = {
      "<< /Type /Catalog /Pages 2 0 R " + catalog_entries + " >>",
      "<< /Type /Pages /Kids [" + kids + "] /Count " + std::to_string(contents.size()) + " >>",
      "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"};
  for (size_t i = 0; i < contents.size(); ++i) {
    objects.push_back(
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << "
        "/F1 3 0 R >> >> /Contents " +
        std::to_string(5 + 2 * i) + " 0 R " + page_entries + " >>");
    objects.push_back(PdfStream(contents[i]));
  }
  objects.insert(objects.end(), more.begin(), more.end());
  return MakePdf(objects, trailer);
}

inline View ParsePdfBytes(const std::string& bytes) { return ParseWith(*NewPdfFormat(), bytes); }

// The texts of the records of a kind, in order.
inline std::vector<std::string> TextsOf(const View& view, const std::string& kind) {
  std::vector<std::string> texts;
  view.ForEach([&](const Record& record) {
    if (record.kind == kind) texts.push_back(record.text);
    return true;
  });
  return texts;
}

inline std::vector<std::string> CodesOf(const View& view) {
  std::vector<std::string> codes;
  for (const Diagnostic& diagnostic : view.diagnostics) codes.push_back(diagnostic.code);
  return codes;
}

}  // namespace staged::testing
