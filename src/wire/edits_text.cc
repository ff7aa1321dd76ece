// Edits from JSON text, with numbers as they were written.

#include <array>
#include <charconv>

#include "codec/json.h"
#include "wire/encode.h"
#include "wire/json_text.h"

namespace staged {
namespace {

template <typename Number>
bool ReadsBackAs(std::string_view text) {
  Number number{};
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return false;
  std::array<char, 40> shortest{};
  const char* end = std::to_chars(shortest.data(), shortest.data() + shortest.size(), number).ptr;
  return std::string_view(shortest.data(), static_cast<size_t>(end - shortest.data())) == text;
}

// Whether a number of the subtree would be written otherwise than it stands there.
bool LosesDigits(std::string_view text, const JsonTree& tree, uint32_t node) {
  for (uint32_t i = node; i < tree.nodes[node].subtree_end; ++i) {
    if (tree.nodes[i].type != JsonType::kNumber) continue;
    const std::string_view number =
        text.substr(tree.nodes[i].begin, tree.nodes[i].end - tree.nodes[i].begin);
    const bool is_whole = number.find_first_of(".eE") == std::string_view::npos;
    if (!(is_whole ? ReadsBackAs<int64_t>(number) : ReadsBackAs<double>(number))) return true;
  }
  return false;
}

// The first member of that name in an object, or 0 (which is the root, and so no member).
uint32_t FindMember(std::string_view text, const JsonTree& tree, uint32_t object,
                    std::string_view name) {
  for (uint32_t child = object + 1; child < tree.nodes[object].subtree_end;
       child = tree.nodes[child].subtree_end) {
    const JsonNode& node = tree.nodes[child];
    if (DecodeJsonString(text.substr(node.key_begin, node.key_end - node.key_begin)) == name) {
      return child;
    }
  }
  return 0;
}

}  // namespace

Result<std::vector<Edit>> ParseEdits(std::string_view text) {
  STAGED_ASSIGN_OR_RETURN(const Value value, ParseJson(text));
  STAGED_ASSIGN_OR_RETURN(std::vector<Edit> edits, DecodeEdits(value));
  const JsonTree tree = ParseJson(text, JsonSyntax::kDocument, Limits{});
  // Two readers of one grammar; should they ever differ, the values of the first one stand.
  if (!tree.is_complete() || tree.nodes.empty() || tree.nodes[0].child_count != edits.size()) {
    return edits;
  }
  uint32_t object = 1;
  for (Edit& edit : edits) {
    const uint32_t member = FindMember(text, tree, object, "value");
    if (member != 0 && edit.arguments.Find("json") == nullptr && LosesDigits(text, tree, member)) {
      const JsonNode& node = tree.nodes[member];
      edit.arguments.Set("json", text.substr(node.begin, node.end - node.begin));
    }
    object = tree.nodes[object].subtree_end;
  }
  return edits;
}

}  // namespace staged
