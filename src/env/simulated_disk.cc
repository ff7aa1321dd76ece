#include "env/simulated_disk.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace staged::simulated {

Disk::Disk(int64_t now_ns) {
  const NodeId root = NewNode(FileKind::kDirectory, 0755, now_ns);
  assert(root == kRootNode);
  Mutable(root).durable_mode = 0755;
}

size_t Disk::IndexOf(NodeId id) const {
  const auto entry = std::lower_bound(
      nodes_.begin(), nodes_.end(), id,
      [](const Entry& candidate, NodeId wanted) { return candidate.first < wanted; });
  assert(entry != nodes_.end() && entry->first == id);
  return static_cast<size_t>(entry - nodes_.begin());
}

const Node& Disk::Get(NodeId id) const { return *nodes_[IndexOf(id)].second; }

Node& Disk::Mutable(NodeId id) {
  std::shared_ptr<Node>& node = nodes_[IndexOf(id)].second;
  if (node.use_count() > 1) node = std::make_shared<Node>(*node);
  return *node;
}

void Disk::Touch(Node& node, int64_t now_ns) {
  node.modified_ns = now_ns;
  node.changed_ns = now_ns;
  node.version = next_version_++;
}

NodeId Disk::Lookup(NodeId directory, const std::string& name) const {
  const Node& node = Get(directory);
  const auto found = node.names.find(name);
  return found == node.names.end() ? kNoNode : found->second;
}

bool Disk::IsAncestor(NodeId node, NodeId directory) const {
  if (node == directory) return true;
  if (Get(node).kind != FileKind::kDirectory) return false;
  for (const auto& [name, child] : Get(node).names) {
    if (Get(child).kind == FileKind::kDirectory && IsAncestor(child, directory)) return true;
  }
  return false;
}

NodeId Disk::NewNode(FileKind kind, uint32_t mode, int64_t now_ns) {
  auto node = std::make_shared<Node>();
  node->kind = kind;
  node->mode = mode;
  node->durable_mode = mode;
  node->durable_modified_ns = now_ns;
  Touch(*node, now_ns);
  nodes_.emplace_back(next_id_, std::move(node));
  return next_id_++;
}

void Disk::ChangeNames(const std::vector<NameChange>& changes, int64_t now_ns) {
  const uint64_t transaction = next_transaction_++;
  bool moves_directory = false;
  if (changes.size() > 1 && changes[0].directory != changes[1].directory) {
    for (const NameChange& change : changes) {
      moves_directory = moves_directory ||
                        (change.node != kNoNode && Get(change.node).kind == FileKind::kDirectory);
    }
  }
  for (const NameChange& change : changes) {
    PendingName pending;
    pending.transaction = transaction;
    pending.name = change.name;
    pending.before = Lookup(change.directory, change.name);
    pending.after = change.node;
    pending.moves_directory = moves_directory;
    pending.removes_directory =
        pending.before != kNoNode && Get(pending.before).kind == FileKind::kDirectory;
    for (const NameChange& other : changes) {
      if (other.directory != change.directory) pending.other_directory = other.directory;
      if (other.node == pending.before) pending.removes_directory = false;
    }
    if (pending.removes_directory) Mutable(pending.before).is_removed = true;
    Node& directory = Mutable(change.directory);
    if (change.node == kNoNode) {
      directory.names.erase(change.name);
    } else {
      directory.names[change.name] = change.node;
      Mutable(change.node).changed_ns = now_ns;
    }
    directory.pending_names.push_back(std::move(pending));
    Touch(directory, now_ns);
  }
}

void Disk::SetTarget(NodeId id, const std::string& target) { Mutable(id).target = target; }

void Disk::SetMode(NodeId id, uint32_t mode, int64_t now_ns) {
  Node& node = Mutable(id);
  node.mode = mode;
  node.changed_ns = now_ns;
  node.version = next_version_++;
}

void Disk::Write(NodeId id, uint64_t offset, std::string_view bytes, int64_t now_ns) {
  if (bytes.empty()) return;
  Node& node = Mutable(id);
  node.content.Write(offset, bytes);
  node.pending_data.push_back(
      {offset, std::make_shared<const std::string>(bytes), node.content.size_bytes()});
  Touch(node, now_ns);
}

void Disk::Resize(NodeId id, uint64_t size_bytes, int64_t now_ns) {
  Node& node = Mutable(id);
  node.content.Resize(size_bytes);
  node.pending_data.push_back({0, nullptr, size_bytes});
  Touch(node, now_ns);
}

void Disk::CopyContent(NodeId from, NodeId to, int64_t now_ns) {
  const Content content = Get(from).content;
  Write(to, 0, content.Read(0, content.size_bytes()), now_ns);
  Mutable(to).content = content;
}

void Disk::SyncDirectory(NodeId id) {
  Node& node = Mutable(id);
  node.durable_mode = node.mode;
  SyncNames(id, node.pending_names.size());
}

void Disk::SyncNames(NodeId id, size_t count) {
  if (count == 0) return;
  Node& node = Mutable(id);
  const auto end = node.pending_names.begin() + static_cast<std::ptrdiff_t>(count);
  const std::vector<PendingName> synced(node.pending_names.begin(), end);
  node.pending_names.erase(node.pending_names.begin(), end);
  for (const PendingName& change : synced) {
    if (change.after == kNoNode) {
      node.durable_names.erase(change.name);
    } else {
      node.durable_names[change.name] = change.after;
    }
  }
  for (const PendingName& change : synced) {
    if (change.other_directory != kNoNode) {
      const std::vector<PendingName>& others = Get(change.other_directory).pending_names;
      size_t others_count = others.size();
      while (others_count > 0 && others[others_count - 1].transaction != change.transaction) {
        --others_count;
      }
      SyncNames(change.other_directory, others_count);
    }
    // What was moved out of a directory before it was removed must not be lost with it.
    if (change.removes_directory) {
      SyncNames(change.before, Get(change.before).pending_names.size());
    }
  }
}

void Disk::SyncEverything() {
  for (size_t index = 0; index < nodes_.size(); ++index) {
    const NodeId id = nodes_[index].first;
    if (nodes_[index].second->kind == FileKind::kDirectory) {
      SyncDirectory(id);
    } else {
      SyncFile(id);
    }
  }
}

void Disk::Corrupt(NodeId id, uint64_t offset, uint8_t mask) {
  Node& node = Mutable(id);
  const auto invert = [&](char byte) {
    return static_cast<char>(static_cast<uint8_t>(byte) ^ mask);
  };
  for (Content* content : {&node.content, &node.durable_content}) {
    if (offset >= content->size_bytes()) continue;
    content->Write(offset, std::string(1, invert(content->Read(offset, 1)[0])));
  }
  for (PendingData& pending : node.pending_data) {
    if (pending.bytes == nullptr || offset < pending.offset ||
        offset - pending.offset >= pending.bytes->size()) {
      continue;
    }
    std::string bytes = *pending.bytes;
    bytes[offset - pending.offset] = invert(bytes[offset - pending.offset]);
    pending.bytes = std::make_shared<const std::string>(std::move(bytes));
  }
}

void Disk::Collect(const std::vector<NodeId>& open) {
  std::vector<bool> is_reached(nodes_.size());
  std::vector<NodeId> to_visit = {kRootNode};
  to_visit.insert(to_visit.end(), open.begin(), open.end());
  while (!to_visit.empty()) {
    const NodeId id = to_visit.back();
    to_visit.pop_back();
    if (id == kNoNode) continue;
    const size_t index = IndexOf(id);
    if (is_reached[index]) continue;
    is_reached[index] = true;
    const Node& node = *nodes_[index].second;
    for (const auto& [name, child] : node.names) to_visit.push_back(child);
    for (const auto& [name, child] : node.durable_names) to_visit.push_back(child);
    for (const PendingName& pending : node.pending_names) {
      to_visit.push_back(pending.before);
      to_visit.push_back(pending.after);
      to_visit.push_back(pending.other_directory);
    }
  }
  std::vector<Entry> kept;
  kept.reserve(nodes_.size());
  for (size_t index = 0; index < nodes_.size(); ++index) {
    if (is_reached[index]) kept.push_back(std::move(nodes_[index]));
  }
  nodes_ = std::move(kept);
}

}  // namespace staged::simulated
