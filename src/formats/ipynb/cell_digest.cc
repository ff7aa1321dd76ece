#include "formats/ipynb/cell_digest.h"

#include <optional>

namespace staged {

CellDigest DigestCell(std::string_view text, const JsonTree& tree, uint32_t cell,
                      bool is_valid_utf8) {
  constexpr uint32_t kLongBytes = 4096;
  constexpr std::string_view kNewline = "\\n";
  CellDigest found;
  ContentHasher whole;
  std::optional<ContentHasher> part;
  const JsonNode& at = tree.nodes[cell];
  uint32_t position = at.begin;
  for (uint32_t node = cell + 1; node < at.subtree_end && is_valid_utf8; ++node) {
    const JsonNode& value = tree.nodes[node];
    if (value.type != JsonType::kString || value.end - value.begin < kLongBytes) continue;
    std::string_view content = text.substr(value.begin + 1, value.end - value.begin - 2);
    const bool ends_line = content.ends_with(kNewline);
    if (ends_line) content.remove_suffix(kNewline.size());
    if (content.find('\\') != std::string_view::npos) continue;
    if (!part) part.emplace();
    part->Update(content);
    if (ends_line) part->Update("\n");
    const LongText long_text{content.size() + (ends_line ? 1 : 0), part->Finish()};
    whole.Update(text.substr(position, value.begin - position));
    // No JSON value begins with NUL, so that nothing else is hashed like this.
    whole.Update(std::string_view(ends_line ? "\0n" : "\0-", 2));
    whole.Update(long_text.digest.raw());
    position = value.end;
    found.texts.emplace(node, long_text);
  }
  whole.Update(text.substr(position, at.end - position));
  found.digest = whole.Finish();
  return found;
}

}  // namespace staged
