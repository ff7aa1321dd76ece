#include "diff/facets.h"

#include <algorithm>

namespace staged {
namespace {

// Content outweighs structure, and so on down to what follows by itself.
int Gravity(ChangeClass change_class) {
  switch (change_class) {
    case ChangeClass::kContent:
      return 5;
    case ChangeClass::kStructure:
      return 4;
    case ChangeClass::kFormat:
      return 3;
    case ChangeClass::kOpaque:
      return 2;
    case ChangeClass::kDerived:
      return 1;
    case ChangeClass::kSerialization:
      return 0;
  }
  return 5;
}

// Absent and null are the same to a facet, but not to the record: "other" tells them apart.
bool SameAttr(const Value& before, const Value& after, const std::string& name) {
  const Value* left = before.Find(name);
  const Value* right = after.Find(name);
  if (left == nullptr || right == nullptr) return left == right;
  return *left == *right;
}

bool Names(const KindRule* rule, const std::string& attr) {
  if (rule == nullptr) return false;
  return std::any_of(rule->facets.begin(), rule->facets.end(), [&](const FacetRule& facet) {
    return std::find(facet.attrs.begin(), facet.attrs.end(), attr) != facet.attrs.end();
  });
}

bool SameUnnamedAttrs(const Value& before, const Value& after, const KindRule* rule) {
  for (const Value* side : {&before, &after}) {
    if (!side->is_object()) continue;
    for (const auto& [name, value] : side->as_object()) {
      if (!Names(rule, name) && !SameAttr(before, after, name)) return false;
    }
  }
  return true;
}

}  // namespace

FacetDifference CompareFacets(const Record& before, const Record& after, const KindRule* rule) {
  FacetDifference difference;
  const auto add = [&](const std::string& name, ChangeClass change_class) {
    if (difference.facets.empty() || Gravity(change_class) > Gravity(difference.change_class)) {
      difference.change_class = change_class;
    }
    difference.facets.push_back(name);
    difference.classes.push_back(change_class);
  };
  if (rule != nullptr) {
    for (const FacetRule& facet : rule->facets) {
      const bool same =
          std::all_of(facet.attrs.begin(), facet.attrs.end(), [&](const std::string& name) {
            return name == "text" ? before.text == after.text
                                  : SameAttr(before.attrs, after.attrs, name);
          });
      if (same) continue;
      const Value* source =
          facet.derived_from_attr.empty() ? nullptr : after.attrs.Find(facet.derived_from_attr);
      const bool derived = source != nullptr && !source->is_null();
      add(facet.name, derived ? ChangeClass::kDerived : facet.change_class);
    }
  }
  if (before.text != after.text && !Names(rule, "text")) add("text", ChangeClass::kContent);
  if (before.hidden != after.hidden) {
    const bool derived = rule != nullptr && rule->hidden_by_others;
    add("hidden", derived ? ChangeClass::kDerived : ChangeClass::kStructure);
  }
  if (!SameUnnamedAttrs(before.attrs, after.attrs, rule)) add("other", ChangeClass::kContent);
  // The same attributes in another order, or null instead of no object at all.
  if (difference.facets.empty() && before.attrs != after.attrs) {
    add("other", ChangeClass::kSerialization);
  }
  return difference;
}

bool IsNoise(ChangeClass change_class) {
  return change_class == ChangeClass::kDerived || change_class == ChangeClass::kSerialization;
}

ChangeClass ClassOfKind(const KindRule* rule) {
  return rule == nullptr || rule->facets.empty() ? ChangeClass::kContent
                                                 : rule->facets.front().change_class;
}

}  // namespace staged
