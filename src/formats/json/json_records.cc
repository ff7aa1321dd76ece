#include "formats/json/json_records.h"

#include <algorithm>
#include <unordered_set>

#include "base/utf8.h"

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

// Locators, keys and parents follow from the nodes before, so records are made in one pass.
class RecordBuilder {
 public:
  RecordBuilder(std::string_view text, const JsonTree& tree, uint64_t span_offset, bool has_spans)
      : text_(text),
        tree_(tree),
        span_offset_(span_offset),
        has_spans_(has_spans),
        ordinals_(KeyOrdinals(text, tree)),
        next_item_(tree.nodes.size(), 0),
        array_keys_(tree.nodes.size()) {}

  std::vector<Record> Build() {
    if (tree_.nodes.empty()) return {};
    const bool has_root_record = !tree_.nodes[0].is_container();
    skipped_ = has_root_record ? 0 : 1;
    records_.reserve(tree_.nodes.size());
    if (!has_root_record) NoteArrayKey(0);
    for (size_t node = skipped_; node < tree_.nodes.size(); ++node) Add(node);
    return std::move(records_);
  }

 private:
  void NoteArrayKey(size_t node) {
    if (tree_.nodes[node].type == JsonType::kArray) {
      array_keys_[node] = InferArrayKey(text_, tree_, node);
    }
  }

  void Add(size_t index) {
    const JsonNode& node = tree_.nodes[index];
    Record record;
    const bool is_root = index == 0;
    record.kind = is_root ? "value" : node.has_key() ? "member" : "item";
    if (!is_root && node.parent >= skipped_)
      record.parent = records_[node.parent - skipped_].locator;
    if (node.has_key()) {
      record.key = PointerToken(KeyOf(text_, node), ordinals_[index]);
      record.locator = record.parent + "/" + record.key;
    } else if (!is_root) {
      record.locator = record.parent + "/" + std::to_string(next_item_[node.parent]++);
      record.key = ItemKey(index);
    }
    record.text = JsonScalarText(text_, node);
    record.attrs.Set("type", JsonTypeName(node.type));
    const uint64_t begin = node.has_key() ? node.key_begin : node.begin;
    if (has_spans_) record.span = ByteSpan{begin + span_offset_, node.end + span_offset_};
    records_.push_back(std::move(record));
    NoteArrayKey(index);
  }

  [[nodiscard]] std::string ItemKey(size_t index) const {
    const std::string& name = array_keys_[tree_.nodes[index].parent];
    if (name.empty()) return "";
    const JsonNode* member = ScalarMember(text_, tree_, index, name);
    return name + "=" + JsonScalarText(text_, *member);
  }

  std::string_view text_;
  const JsonTree& tree_;
  uint64_t span_offset_;
  bool has_spans_;
  std::vector<uint32_t> ordinals_;
  std::vector<uint32_t> next_item_;
  std::vector<std::string> array_keys_;
  size_t skipped_ = 0;
  std::vector<Record> records_;
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

std::vector<uint32_t> KeyOrdinals(std::string_view text, const JsonTree& tree) {
  std::vector<uint32_t> ordinals(tree.nodes.size(), 1);
  std::vector<std::pair<std::string, uint32_t>> keys;
  for (size_t object = 0; object < tree.nodes.size(); ++object) {
    const JsonNode& node = tree.nodes[object];
    if (node.type != JsonType::kObject || node.child_count < 2) continue;
    keys.clear();
    for (uint32_t child = static_cast<uint32_t>(object) + 1; child < node.subtree_end;
         child = tree.nodes[child].subtree_end) {
      keys.emplace_back(KeyOf(text, tree.nodes[child]), child);
    }
    std::sort(keys.begin(), keys.end());
    for (size_t i = 1; i < keys.size(); ++i) {
      if (keys[i].first == keys[i - 1].first) {
        ordinals[keys[i].second] = ordinals[keys[i - 1].second] + 1;
      }
    }
  }
  return ordinals;
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

std::vector<Record> JsonRecords(std::string_view text, const JsonTree& tree, uint64_t span_offset,
                                bool has_spans) {
  std::vector<Record> records = RecordBuilder(text, tree, span_offset, has_spans).Build();
  for (const JsonIssue& issue : tree.issues) {
    if (issue.end <= issue.offset) continue;
    records.push_back(
        BytesRecord("comment", text, issue.offset, issue.end, span_offset, has_spans));
  }
  if (!tree.is_complete() && tree.parsed_end < text.size()) {
    records.push_back(
        BytesRecord("unparsed", text, tree.parsed_end, text.size(), span_offset, has_spans));
  }
  return records;
}

}  // namespace staged
