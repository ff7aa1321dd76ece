#pragma once

#include <memory>

#include "staged/ext/format.h"

namespace staged {

// Word documents and templates (ECMA-376 part 1, transitional and strict): docx, docm, dotx, dotm.
//
// Records, with locators: paragraphs of the body "p:12" (counted outside of tables), of a table
// cell "t:2/r:3/c:1/p:1", of a text box "p:12/box:1/p:1", of a header "hdr:1/p:1", footer
// "ftr:1/p:1", note "fn:3/p:1", "en:2/p:1" and comment "cm:1/p:1" (by their native ids), of a
// building block "glossary/p:1"; containers and pictures by the same paths ("t:2", "cm:1", "img:2",
// "chart:1"). All text stands in paragraphs, in the view with tracked changes accepted; deleted
// text stands in "p:12/rev:1". Offsets are bytes of the UTF-8 text. A paragraph without "style" has
// the default one.
//
// Edits: replace_text {find, replace, all?, occurrence?} on a paragraph, on a container or on ""
// (the whole body), or {replace} on a span "p:12:4-10"; set {text}; insert_before, insert_after
// {text, style?}; delete. A tab in a text becomes a tab, a newline a line break. A paragraph may
// also be named by its identifier: "p:#1A2B3C4D".
[[nodiscard]] std::unique_ptr<Format> NewDocxFormat();

}  // namespace staged
