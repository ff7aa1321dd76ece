#include "diff/forest.h"

#include <string_view>
#include <utility>

#include "diff/cell_references.h"
#include "diff/fingerprint.h"

namespace staged {
namespace {

void LinkParents(DiffForest& forest) {
  std::unordered_map<std::string_view, uint32_t> by_locator;
  by_locator.reserve(forest.nodes.size());
  for (uint32_t i = 0; i < forest.nodes.size(); ++i) {
    by_locator.emplace(forest.nodes[i].record.locator, i);
  }
  for (uint32_t i = 0; i < forest.nodes.size(); ++i) {
    DiffNode& node = forest.nodes[i];
    if (node.record.parent.empty()) continue;
    const auto found = by_locator.find(node.record.parent);
    if (found != by_locator.end() && found->second != i) node.parent = found->second;
  }
}

// Parents before children. Whoever is caught in a cycle of parents becomes a root.
std::vector<uint32_t> TopologicalOrder(DiffForest& forest) {
  const size_t count = forest.nodes.size();
  enum : uint8_t { kNew, kOnPath, kDone };
  std::vector<uint8_t> state(count, kNew);
  std::vector<uint32_t> order, path;
  order.reserve(count);
  for (uint32_t start = 0; start < count; ++start) {
    path.clear();
    for (uint32_t at = start; at != kNoNode && state[at] != kDone;) {
      if (state[at] == kOnPath) {
        forest.nodes[path.back()].parent = kNoNode;
        break;
      }
      state[at] = kOnPath;
      path.push_back(at);
      at = forest.nodes[at].parent;
    }
    for (; !path.empty(); path.pop_back()) {
      state[path.back()] = kDone;
      order.push_back(path.back());
    }
  }
  return order;
}

}  // namespace

KindRules::KindRules(const Profile& profile) {
  for (const KindRule& rule : profile.kinds) rules_.emplace(rule.kind, &rule);
}

const KindRule* KindRules::Find(const std::string& kind) const {
  const auto found = rules_.find(kind);
  return found == rules_.end() ? nullptr : found->second;
}

bool KindRules::IsKeyed(const Record& record) const {
  const KindRule* rule = Find(record.kind);
  return rule != nullptr && rule->matching != Matching::kOrdered;
}

uint64_t KindRules::GridContent(const Record& record) const {
  const KindRule* rule = Find(record.kind);
  if (rule == nullptr || rule->matching != Matching::kGrid) return 0;
  uint64_t content = FingerprintText(4, record.kind);
  for (const FacetRule& facet : rule->facets) {
    const Value* source =
        facet.derived_from_attr.empty() ? nullptr : record.attrs.Find(facet.derived_from_attr);
    if (source != nullptr && !source->is_null()) continue;
    for (const std::string& attr : facet.attrs) {
      const Value* value = attr == "text" ? nullptr : record.attrs.Find(attr);
      if (attr == "text") {
        content = FingerprintText(content, record.text);
      } else if (value == nullptr) {
        content = FingerprintCombine(content, 0);
      } else if (facet.holds_references && value->is_string()) {
        content = FingerprintText(
            content, RemapReferences(value->as_string(),
                                     [](std::string_view, CellAddress) { return CellAddress(); }));
      } else {
        content = FingerprintValue(content, *value);
      }
    }
  }
  return content == 0 ? 1 : content;
}

DiffForest BuildForest(const View& view, const std::vector<SkippedRecords>& skipped,
                       const KindRules& rules) {
  DiffForest forest;
  size_t count = 0;
  for (size_t i = 0; i < view.segments.size(); ++i) {
    if (skipped[i].all) continue;
    count += skipped[i].kept.empty() ? view.segments[i]->record_count() : skipped[i].kept.size();
  }
  forest.nodes.reserve(count);
  size_t start = 0;
  for (size_t i = 0; i < view.segments.size(); ++i) {
    const Segment& segment = *view.segments[i];
    size_t index = start;
    start += segment.record_count();
    if (skipped[i].all) continue;
    const auto add = [&](const Record& record) {
      DiffNode node;
      node.record = record;
      node.index = index++;
      node.segment = static_cast<uint32_t>(i);
      node.keyed = rules.IsKeyed(record);
      node.content = FingerprintContent(record);
      node.grid_content = rules.GridContent(record);
      forest.nodes.push_back(std::move(node));
      return true;
    };
    if (skipped[i].kept.empty()) {
      segment.ForEach(add);
      continue;
    }
    const size_t first = index;
    for (const size_t kept : skipped[i].kept) {
      index = first + kept;
      add(segment.At(kept));
    }
  }
  LinkParents(forest);
  const std::vector<uint32_t> order = TopologicalOrder(forest);
  for (uint32_t i = 0; i < forest.nodes.size(); ++i) {
    const uint32_t parent = forest.nodes[i].parent;
    (parent == kNoNode ? forest.roots : forest.nodes[parent].children).push_back(i);
  }
  for (size_t i = order.size(); i > 0; --i) {
    DiffNode& node = forest.nodes[order[i - 1]];
    node.subtree = node.keyed ? FingerprintText(node.content, node.record.key) : node.content;
    for (uint32_t child : node.children) {
      node.subtree = FingerprintCombine(node.subtree, forest.nodes[child].subtree);
    }
  }
  return forest;
}

}  // namespace staged
