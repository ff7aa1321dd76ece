#include "formats/json/json_records.h"

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <unordered_set>

#include "base/utf8.h"
#include "record/outline_segment.h"

namespace staged {
namespace {

std::string_view Slice(std::string_view text, uint64_t begin, uint64_t end) {
  return text.substr(begin, end - begin);
}

std::string KeyOf(std::string_view text, const JsonNode& node) {
  return DecodeJsonString(Slice(text, node.key_begin, node.key_end));
}

// The scalar member `name` of the object at `object`, or nullptr.
const JsonNode* ScalarMember(std::string_view text, const JsonTree& tree, size_t object,
                             std::string_view name) {
  const std::vector<JsonNode>& nodes = tree.nodes;
  constexpr size_t kLookedAtMax = 16;  // identities come early in an object
  size_t looked_at = 0;
  for (size_t child = object + 1; child < nodes[object].subtree_end && looked_at < kLookedAtMax;
       ++looked_at) {
    const JsonNode& node = nodes[child];
    const std::string_view token = Slice(text, node.key_begin, node.key_end);
    if (token.size() == name.size() + 2 && token.substr(1, name.size()) == name) {
      const bool is_identity = node.type == JsonType::kString || node.type == JsonType::kNumber;
      return is_identity ? &node : nullptr;
    }
    child = node.subtree_end;
  }
  return nullptr;
}

bool IsUniqueMember(std::string_view text, const JsonTree& tree, size_t array,
                    std::string_view name) {
  const std::vector<JsonNode>& nodes = tree.nodes;
  std::unordered_set<std::string_view> seen;
  for (size_t item = array + 1; item < nodes[array].subtree_end; item = nodes[item].subtree_end) {
    if (nodes[item].type != JsonType::kObject) return false;
    const JsonNode* member = ScalarMember(text, tree, item, name);
    if (member == nullptr) return false;
    if (!seen.insert(Slice(text, member->begin, member->end)).second) return false;
  }
  return !seen.empty();
}

// Whether the token's content is its characters as they stand.
bool IsPlain(std::string_view token) {
  return std::all_of(token.begin(), token.end(),
                     [](char c) { return c != '\\' && static_cast<unsigned char>(c) < 0x80; });
}

// Steps, keys and parents follow from the nodes before, so that one pass makes all rows.
class SegmentBuilder {
 public:
  SegmentBuilder(std::string_view text, const JsonTree& tree, OutlineSegment::Builder& builder)
      : text_(text), tree_(tree), builder_(builder), repeated_(RepeatedKeys(text, tree)) {}

  void Build() {
    const std::vector<JsonNode>& nodes = tree_.nodes;
    if (nodes.empty()) return;
    builder_.Reserve(nodes.size());
    // A container at the root is no record of its own.
    skipped_ = nodes[0].is_container() ? 1 : 0;
    if (skipped_ == 1) Open(0);
    for (size_t node = skipped_; node < nodes.size(); ++node) {
      while (!open_.empty() && node >= nodes[open_.back().node].subtree_end) open_.pop_back();
      Add(node);
      if (nodes[node].is_container()) Open(node);
    }
  }

 private:
  struct OpenContainer {
    size_t node = 0;
    uint32_t next_item = 0;
    std::string key;  // the member that tells an array's items apart
  };
  enum Kind : uint8_t { kValue, kMember, kItem, kKinds };

  void Open(size_t node) {
    open_.push_back({node, 0, {}});
    if (tree_.nodes[node].type == JsonType::kArray) {
      open_.back().key = InferArrayKey(text_, tree_, node);
    }
  }

  void Add(size_t index) {
    const JsonNode& node = tree_.nodes[index];
    const std::string text = JsonScalarText(text_, node);
    OutlineSegment::Builder::Row row;
    row.class_id = ClassOf(index == 0 ? kValue : node.has_key() ? kMember : kItem, node.type);
    row.begin = node.has_key() ? node.key_begin : node.begin;
    row.end = node.end;
    row.text = text;
    if (index == 0) return builder_.AddRoot(row);
    OpenContainer& parent = open_.back();
    if (parent.node >= skipped_) row.parent = static_cast<uint32_t>(parent.node - skipped_);
    if (node.has_key()) {
      return builder_.AddNamed(row, PointerToken(KeyOf(text_, node), OrdinalOf(repeated_, index)));
    }
    builder_.AddAt(row, parent.next_item++, ItemKey(index, parent.key));
  }

  [[nodiscard]] std::string ItemKey(size_t index, const std::string& name) const {
    if (name.empty()) return "";
    const JsonNode* member = ScalarMember(text_, tree_, index, name);
    return name + "=" + JsonScalarText(text_, *member);
  }

  uint8_t ClassOf(Kind kind, JsonType type) {
    std::optional<uint8_t>& id = classes_[kind][static_cast<size_t>(type)];
    if (!id) {
      static constexpr std::string_view kNames[kKinds] = {"value", "member", "item"};
      Value attrs;
      attrs.Set("type", JsonTypeName(type));
      id = builder_.AddClass(kNames[kind], std::move(attrs));
    }
    return *id;
  }

  static constexpr size_t kTypes = static_cast<size_t>(JsonType::kInvalid) + 1;
  std::string_view text_;
  const JsonTree& tree_;
  OutlineSegment::Builder& builder_;
  const KeyOrdinals repeated_;
  std::array<std::array<std::optional<uint8_t>, kTypes>, kKinds> classes_;
  std::vector<OpenContainer> open_;
  size_t skipped_ = 0;
};

Record BytesRecord(std::string kind, std::string_view text, uint64_t begin, uint64_t end,
                   uint64_t span_offset, bool has_spans) {
  Record record;
  record.kind = std::move(kind);
  record.locator =
      "bytes:" + std::to_string(begin + span_offset) + "-" + std::to_string(end + span_offset);
  record.text = ReplaceInvalidUtf8(Slice(text, begin, end));
  if (has_spans) record.span = ByteSpan{begin + span_offset, end + span_offset};
  return record;
}

}  // namespace

KeyOrdinals RepeatedKeys(std::string_view text, const JsonTree& tree) {
  KeyOrdinals repeated;
  std::vector<std::pair<std::string_view, uint32_t>> keys;
  std::deque<std::string> decoded;  // what keys borrow that are not plain
  for (size_t object = 0; object < tree.nodes.size(); ++object) {
    const JsonNode& node = tree.nodes[object];
    if (node.type != JsonType::kObject || node.child_count < 2) continue;
    keys.clear();
    decoded.clear();
    for (uint32_t child = static_cast<uint32_t>(object) + 1; child < node.subtree_end;
         child = tree.nodes[child].subtree_end) {
      const JsonNode& member = tree.nodes[child];
      const std::string_view token = Slice(text, member.key_begin, member.key_end);
      if (token.size() >= 2 && IsPlain(token)) {
        keys.emplace_back(token.substr(1, token.size() - 2), child);
      } else {
        keys.emplace_back(decoded.emplace_back(DecodeJsonString(token)), child);
      }
    }
    std::sort(keys.begin(), keys.end());
    for (size_t i = 1; i < keys.size(); ++i) {
      if (keys[i].first == keys[i - 1].first) {
        repeated[keys[i].second] = OrdinalOf(repeated, keys[i - 1].second) + 1;
      }
    }
  }
  return repeated;
}

uint32_t OrdinalOf(const KeyOrdinals& repeated, size_t node) {
  if (repeated.empty()) return 1;
  const auto found = repeated.find(static_cast<uint32_t>(node));
  return found == repeated.end() ? 1 : found->second;
}

std::string InferArrayKey(std::string_view text, const JsonTree& tree, size_t array) {
  for (const std::string_view name : {"id", "key", "name", "uuid", "uid", "@id"}) {
    if (IsUniqueMember(text, tree, array, name)) return std::string(name);
  }
  return "";
}

std::string JsonScalarText(std::string_view text, const JsonNode& node) {
  if (node.is_container()) return "";
  const std::string_view token = Slice(text, node.begin, node.end);
  return node.type == JsonType::kString ? DecodeJsonString(token) : ReplaceInvalidUtf8(token);
}

std::shared_ptr<const Segment> MakeJsonSegment(std::string_view text, const JsonTree& tree,
                                               const ContentHash& digest, Record file,
                                               uint64_t span_offset, bool has_spans) {
  OutlineSegment::Builder builder("", digest, {.has_spans = has_spans, .span_offset = span_offset});
  builder.AddLeading(std::move(file));
  SegmentBuilder(text, tree, builder).Build();
  for (const JsonIssue& issue : tree.issues) {
    if (issue.end <= issue.offset) continue;
    builder.AddTrailing(
        BytesRecord("comment", text, issue.offset, issue.end, span_offset, has_spans));
  }
  if (!tree.is_complete() && tree.parsed_end < text.size()) {
    builder.AddTrailing(
        BytesRecord("unparsed", text, tree.parsed_end, text.size(), span_offset, has_spans));
  }
  return builder.Finish();
}

}  // namespace staged
