#include "formats/code/syntax_errors.h"

#include <algorithm>

namespace staged {

// Descends only where the tree has errors.
std::vector<ByteSpan> SyntaxErrors(TSNode root) {
  std::vector<ByteSpan> errors;
  std::vector<TSNode> open{root};
  size_t steps = 0;
  constexpr size_t kErrorsMax = 100;
  constexpr size_t kStepsMax = 200'000;
  while (!open.empty() && errors.size() < kErrorsMax && ++steps < kStepsMax) {
    const TSNode node = open.back();
    open.pop_back();
    if (!ts_node_has_error(node)) continue;
    if (ts_node_is_error(node) || ts_node_is_missing(node)) {
      errors.push_back({ts_node_start_byte(node), ts_node_end_byte(node)});
      continue;
    }
    TSTreeCursor cursor = ts_tree_cursor_new(node);
    if (ts_tree_cursor_goto_first_child(&cursor)) {
      do {
        const TSNode child = ts_tree_cursor_current_node(&cursor);
        if (ts_node_has_error(child) || ts_node_is_missing(child)) open.push_back(child);
      } while (ts_tree_cursor_goto_next_sibling(&cursor));
    }
    ts_tree_cursor_delete(&cursor);
  }
  std::sort(errors.begin(), errors.end(),
            [](const ByteSpan& left, const ByteSpan& right) { return left.begin < right.begin; });
  return errors;
}

}  // namespace staged
