#pragma once

#include <string>

#include "codec/xml_tree.h"

namespace staged::docx {

// Appends an Office Math element (ECMA-376 part 1, section 22.1) as linear text: "(a+b)/2",
// "x^2", "√(y)", "∑_(i=1)^n i". No character data below the element is left out.
void MathTextTo(const XmlTree& tree, uint32_t element, std::string& out);

}  // namespace staged::docx
