#pragma once

#include <memory>

#include "staged/ext/format.h"

namespace staged {

// OpenDocument files (ISO/IEC 26300), packaged or flat.
//
// Texts (odt, ott, fodt): paragraphs "p:12" outside of tables, cells "t:2/r:3/c:1/p:1", notes
// "fn:ftn1/p:1", comments "cm:1/p:1", tracked deletions "rev:ct123", headers "hdr:1/p:1", frames
// and shapes "p:12/shape:1/p:1".
[[nodiscard]] std::unique_ptr<Format> NewOdtFormat();
// Spreadsheets (ods, ots, fods): sheets, cells "'Q3 Sales'!B7", comments "Sheet1!comment:B7",
// names.
[[nodiscard]] std::unique_ptr<Format> NewOdsFormat();
// Presentations (odp, otp, fodp): pages "slide[page1]" by name, shapes "slide[page1]/shape[2]" by
// their order on the page, "slide[page1]/shape[2]/p[1]", tables ".../t/r:1/c:2", notes
// "slide[page1]/notes/shape[2]/p[1]", masters "master[Default]".
[[nodiscard]] std::unique_ptr<Format> NewOdpFormat();

}  // namespace staged
