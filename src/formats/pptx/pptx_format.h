#pragma once

#include <memory>

#include "staged/ext/format.h"

namespace staged {

// PowerPoint presentations, templates and shows (ECMA-376 part 1, transitional and strict): pptx,
// pptm, potx, potm, ppsx, ppsm.
//
// Records, with locators: slides "slide[256]" by native id, shapes "slide[256]/shape[4]" by native
// id whatever group they stand in (kinds shape, image, connector, group, table, chart, diagram,
// object, ink, frame), paragraphs "slide[256]/shape[4]/p[1]", cells
// "slide[256]/shape[4]/t/r:2/c:1", notes "slide[256]/notes/p[1]", comments
// "slide[256]/comment[1.3]", series of charts "slide[256]/shape[5]/series:1"; masters
// "master[2147483648]" and layouts "layout[2147483649]" with their shapes. Geometry is in English
// Metric Units. "format" is a digest of what no other attribute shows.
//
// Edits: replace_text {find, replace, all?, occurrence?} on a paragraph, shape, cell, slide, notes
// or
// "" (all slides and notes); set {text} on a paragraph, or on a shape, cell or notes with a
// paragraph a line; insert_before, insert_after {text}; append {text}; delete a paragraph or slide;
// move a slide {before | after | to}; set_hidden {value} of a slide or shape; set_geometry {x, y,
// width, height, rotation}; set_alt_text {text}. A line break inside a paragraph is "\n".
[[nodiscard]] std::unique_ptr<Format> NewPptxFormat();

}  // namespace staged
