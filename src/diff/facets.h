#pragma once

#include <string>
#include <vector>

#include "staged/diff.h"
#include "staged/ext/format.h"

namespace staged {

// What differs between two records of one kind, by the facets of its rule (nullptr: no rule).
struct FacetDifference {
  std::vector<std::string> facets;
  ChangeClass change_class = ChangeClass::kContent;  // the gravest of the facets
};
[[nodiscard]] FacetDifference CompareFacets(const Record& before, const Record& after,
                                            const KindRule* rule);

// The class of one facet that CompareFacets named.
[[nodiscard]] ChangeClass ClassOfFacet(const std::string& facet, const KindRule* rule);

// The class of a change that brings or removes a whole record: that of its kind's first facet.
[[nodiscard]] ChangeClass ClassOfKind(const KindRule* rule);

}  // namespace staged
