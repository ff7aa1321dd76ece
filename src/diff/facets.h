#pragma once

#include <string>
#include <vector>

#include "staged/diff.h"
#include "staged/ext/format.h"

namespace staged {

// What differs between two records of one kind, by the facets of its rule (nullptr: no rule).
struct FacetDifference {
  std::vector<std::string> facets;
  std::vector<ChangeClass> classes;                  // of each facet
  ChangeClass change_class = ChangeClass::kContent;  // the gravest of the facets
};
[[nodiscard]] FacetDifference CompareFacets(const Record& before, const Record& after,
                                            const KindRule* rule);

// Whether nobody meant such a change: it follows from another, or is how a writer writes.
[[nodiscard]] bool IsNoise(ChangeClass change_class);

// The class of a change that brings or removes a whole record: that of its kind's first facet.
[[nodiscard]] ChangeClass ClassOfKind(const KindRule* rule);

}  // namespace staged
