#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "staged/ext/env.h"

// The state of a simulated disk: what programs see, what is durable, and the changes between the
// two. No errors, faults, permissions or paths here. Not thread-safe.
namespace staged::simulated {

using NodeId = uint64_t;  // shown as the inode number; 0 is no node
inline constexpr NodeId kNoNode = 0;
inline constexpr NodeId kRootNode = 1;

// SplitMix64 (Steele, Lea, Flood 2014): small, seeded, the same everywhere.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t Next();
  // Below `bound`, which is not 0.
  uint64_t Below(uint64_t bound) { return Next() % bound; }
  bool Flip() { return (Next() >> 63) != 0; }
  // In [0, 1).
  double Fraction() { return static_cast<double>(Next() >> 11) * 0x1.0p-53; }

 private:
  uint64_t state_;
};

// A file's bytes in blocks that copies share until one of them is written.
class Content {
 public:
  [[nodiscard]] uint64_t size_bytes() const { return size_bytes_; }
  // Fewer bytes only at the end.
  [[nodiscard]] std::string Read(uint64_t offset, uint64_t size_bytes) const;
  void Write(uint64_t offset, std::string_view bytes);
  void Resize(uint64_t size_bytes);  // new bytes are zero

 private:
  static constexpr uint64_t kBlockBytes = 4096;

  std::string& MutableBlock(uint64_t index);

  uint64_t size_bytes_ = 0;
  std::vector<std::shared_ptr<std::string>> blocks_;  // null: zeros. Zero beyond the end.
};

// A write, or with null bytes a change of size, that is not durable yet.
struct PendingData {
  uint64_t offset = 0;
  std::shared_ptr<const std::string> bytes;
  uint64_t size_bytes_after = 0;
};

// What a directory's name is to mean, not durable yet.
struct PendingName {
  uint64_t transaction = 0;  // all names of one transaction change together
  std::string name;
  NodeId before = kNoNode;
  NodeId after = kNoNode;
  NodeId other_directory = kNoNode;  // the transaction's second directory, if any
  bool moves_directory = false;      // from one directory to another
  bool removes_directory = false;    // `before` is one and has no name afterwards
};

struct Node {
  FileKind kind = FileKind::kFile;
  uint32_t mode = 0;
  uint32_t durable_mode = 0;
  int64_t modified_ns = 0;
  int64_t changed_ns = 0;
  int64_t durable_modified_ns = 0;
  uint64_t version = 0;  // another after each change, unlike the times

  Content content;
  Content durable_content;
  std::vector<PendingData> pending_data;
  bool has_dropped_data = false;  // a sync failed: content is not durable content plus pending data

  std::map<std::string, NodeId> names;
  std::map<std::string, NodeId> durable_names;
  std::vector<PendingName> pending_names;
  bool is_removed = false;  // a directory that has no name any more, but may still be open

  std::string target;  // of a symlink
};

// One name to be changed by ChangeNames; `node` kNoNode removes it.
struct NameChange {
  NodeId directory = kNoNode;
  std::string name;
  NodeId node = kNoNode;
};

// Copies share their nodes until one of them changes them.
class Disk {
 public:
  explicit Disk(int64_t now_ns);

  [[nodiscard]] const Node& Get(NodeId id) const;
  // kNoNode if absent. REQUIRES: `directory` is one.
  [[nodiscard]] NodeId Lookup(NodeId directory, const std::string& name) const;
  // Whether `node` is `directory` or above it.
  [[nodiscard]] bool IsAncestor(NodeId node, NodeId directory) const;
  [[nodiscard]] size_t node_count() const { return nodes_.size(); }

  // A node without a name, not durable.
  NodeId NewNode(FileKind kind, uint32_t mode, int64_t now_ns);
  // Changes names of at most two directories in one transaction.
  void ChangeNames(const std::vector<NameChange>& changes, int64_t now_ns);
  void SetTarget(NodeId id, const std::string& target);
  void SetMode(NodeId id, uint32_t mode, int64_t now_ns);
  void Write(NodeId id, uint64_t offset, std::string_view bytes, int64_t now_ns);
  void Resize(NodeId id, uint64_t size_bytes, int64_t now_ns);
  // `to` shares the blocks of `from`.
  void CopyContent(NodeId from, NodeId to, int64_t now_ns);

  void SyncFile(NodeId id);
  void SyncDirectory(NodeId id);
  void SyncEverything();
  // A failed sync: part of the pending data is forgotten, though still read back.
  void DropPendingData(NodeId id, Random& random);
  // Inverts bits in what is read, in what is durable and in pending writes. No times change.
  void Corrupt(NodeId id, uint64_t offset, uint8_t mask);

  // The power went and came back.
  void Crash(Random& random);
  // Forgets nodes that neither names, nor pending changes, nor `open` refer to.
  void Collect(const std::vector<NodeId>& open);

 private:
  using Entry = std::pair<NodeId, std::shared_ptr<Node>>;

  [[nodiscard]] size_t IndexOf(NodeId id) const;
  Node& Mutable(NodeId id);
  void Touch(Node& node, int64_t now_ns);
  // Makes the first `count` pending names durable, and those of other directories that go with
  // them.
  void SyncNames(NodeId id, size_t count);
  [[nodiscard]] std::map<NodeId, size_t> ChooseSurvivingNames(Random& random, int policy) const;

  std::vector<Entry> nodes_;  // ascending by id
  NodeId next_id_ = kRootNode;
  uint64_t next_transaction_ = 1;
  uint64_t next_version_ = 1;
};

}  // namespace staged::simulated
