#pragma once

#include <cstdint>
#include <string>

#include "codec/xml_tree.h"

namespace staged::docx {

// What becomes of the parts of an equation whose deletion is tracked.
enum class DeletedMath : uint8_t { kShown = 1, kLeftOut = 2 };

// Appends an Office Math element (ECMA-376 part 1, section 22.1) as linear text: "(a+b)/2",
// "x^2", "√(y)", "∑_(i=1)^n i". No other character data below the element is left out.
void MathTextTo(const XmlTree& tree, uint32_t element, DeletedMath deleted, std::string& out);

}  // namespace staged::docx
