#pragma once

#include <string>

#include "formats/xlsx/part_tree.h"

// What formats look like, in words: "bold, 14pt, color #FF0000", "fill #FFFF00". Elements are those
// of ECMA-376 part 1, 18.8; XmlTree::kNone stands for a missing one.
namespace staged::xlsx {

// "#FF0000", "accent1 +40%", "palette 10"; "" for an automatic colour or none.
[[nodiscard]] std::string ColorName(const PartTree& tree, uint32_t color);

// What of a font differs from `usual`; all of it when that is kNone.
[[nodiscard]] std::string FontLook(const PartTree& tree, uint32_t font, uint32_t usual);
[[nodiscard]] std::string FillLook(const PartTree& tree, uint32_t fill);
[[nodiscard]] std::string BorderLook(const PartTree& tree, uint32_t border);
[[nodiscard]] std::string AlignmentLook(const PartTree& tree, uint32_t alignment);
[[nodiscard]] std::string ProtectionLook(const PartTree& tree, uint32_t protection);
// Of a differential format (18.8.14): what it changes.
[[nodiscard]] std::string DifferentialLook(const PartTree& tree, uint32_t format);

// The formats of the parts of a rich text, an <si>, <is> or <text> element: "0-4 bold; 9-12 color
// #FF0000"; offsets are bytes of the text. "" where no part has one.
[[nodiscard]] std::string RunLooks(const PartTree& tree, uint32_t item);
// Its phonetic text (18.4.6), joined by spaces.
[[nodiscard]] std::string PhoneticText(const PartTree& tree, uint32_t item);
// Its text without phonetics, escapes of ST_Xstring decoded.
[[nodiscard]] std::string PlainText(const PartTree& tree, uint32_t item);

}  // namespace staged::xlsx
