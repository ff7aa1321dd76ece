#pragma once

#include <set>
#include <string>

#include "staged/diff.h"

namespace staged {

// Appends a change for every part whose bytes differ while none of its records does ("shown"): of
// class serialization where records cover the part, opaque where none do. If the files differ and
// still nothing shows, one change for the file as a whole, so that the diff is not empty.
void AddPartChanges(const View& from, const View& to, const std::set<std::string>& shown_parts,
                    Diff& diff);
// The same for a file that appeared or went.
void AddWholePartChanges(const View& view, bool inserted, const std::set<std::string>& shown_parts,
                         Diff& diff);

}  // namespace staged
