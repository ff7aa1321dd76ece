// What survives when the power goes.
#include <algorithm>

#include "env/simulated_disk.h"

namespace staged::simulated {
namespace {

constexpr uint64_t kSectorBytes = 512;

// How a crash treats what was not synced: the extremes find most bugs, so that they get their
// share.
enum Policy : int {
  kLoseAll = 0,
  kKeepAll = 1,
  kMixed = 2,
  kPolicyCount = 4
};  // 2 and 3 are mixed

// With kMixed: all, nothing or part, for one file or directory.
Policy ChooseFor(int policy, Random& random) {
  if (policy < kMixed) return static_cast<Policy>(policy);
  return static_cast<Policy>(random.Below(3));
}

// Applies the sectors of a write that `keep` says survive.
template <typename Keep>
void WriteSectors(const PendingData& pending, Keep keep, Content* content) {
  const std::string_view bytes = *pending.bytes;
  for (uint64_t done = 0; done < bytes.size();) {
    const uint64_t position = pending.offset + done;
    const uint64_t count =
        std::min<uint64_t>(kSectorBytes - position % kSectorBytes, bytes.size() - done);
    if (keep()) content->Write(position, bytes.substr(done, count));
    done += count;
  }
}

void ApplyAll(const std::vector<PendingData>& pending_data, Content* content) {
  for (const PendingData& pending : pending_data) {
    if (pending.bytes == nullptr) {
      content->Resize(pending.size_bytes_after);
    } else {
      content->Write(pending.offset, *pending.bytes);
      // A dropped write before this one may have been what made the file longer.
      if (content->size_bytes() < pending.size_bytes_after) {
        content->Resize(pending.size_bytes_after);
      }
    }
  }
}

// The file's size is that after the first few changes; bytes of later ones beyond it are cut off.
void ApplySome(const std::vector<PendingData>& pending_data, Random& random, Content* content) {
  const size_t sized_count = random.Below(pending_data.size() + 1);
  const uint64_t size_bytes =
      sized_count == 0 ? content->size_bytes() : pending_data[sized_count - 1].size_bytes_after;
  const bool is_coarse = random.Flip();  // whole writes survive or not
  for (size_t index = 0; index < pending_data.size(); ++index) {
    const PendingData& pending = pending_data[index];
    if (pending.bytes == nullptr) {
      if (index < sized_count) content->Resize(pending.size_bytes_after);
      continue;
    }
    if (is_coarse) {
      const bool is_kept = random.Flip();
      WriteSectors(pending, [&] { return is_kept; }, content);
    } else {
      WriteSectors(pending, [&] { return random.Flip(); }, content);
    }
  }
  content->Resize(size_bytes);
}

// The number of pending names that `count` leaves when no transaction is torn.
size_t AtTransactionBoundary(const std::vector<PendingName>& pending, size_t count) {
  while (count > 0 && count < pending.size() &&
         pending[count].transaction == pending[count - 1].transaction) {
    --count;
  }
  return count;
}

}  // namespace

void Disk::SyncFile(NodeId id) {
  const Node& current = Get(id);
  if (current.pending_data.empty() && current.durable_mode == current.mode) return;
  Node& node = Mutable(id);
  if (node.has_dropped_data) {
    ApplyAll(node.pending_data, &node.durable_content);
  } else {
    node.durable_content = node.content;
  }
  node.pending_data.clear();
  node.durable_mode = node.mode;
  node.durable_modified_ns = node.modified_ns;
}

void Disk::DropPendingData(NodeId id, Random& random) {
  Node& node = Mutable(id);
  if (node.pending_data.empty()) return;
  node.has_dropped_data = true;
  // Some sectors reached the disk before the error, the others are never tried again.
  for (const PendingData& pending : node.pending_data) {
    if (pending.bytes == nullptr) {
      node.durable_content.Resize(pending.size_bytes_after);
    } else {
      WriteSectors(pending, [&] { return random.Flip(); }, &node.durable_content);
      if (node.durable_content.size_bytes() < pending.size_bytes_after) {
        node.durable_content.Resize(pending.size_bytes_after);
      }
    }
  }
  node.pending_data.clear();
}

// Starts from a choice for each directory and shortens it until no transaction happens in part, no
// directory is removed without what happened in it before, and directories are moved in order (so
// that none ends up below itself).
std::map<NodeId, size_t> Disk::ChooseSurvivingNames(Random& random, int policy) const {
  std::map<NodeId, size_t> kept;
  for (const auto& [id, node] : nodes_) {
    const size_t count = node->pending_names.size();
    if (count == 0) continue;
    const Policy choice = ChooseFor(policy, random);
    const size_t wanted = choice == kLoseAll   ? 0
                          : choice == kKeepAll ? count
                                               : static_cast<size_t>(random.Below(count + 1));
    kept[id] = AtTransactionBoundary(node->pending_names, wanted);
  }
  const auto survives = [&](NodeId directory, uint64_t transaction) {
    const std::vector<PendingName>& pending = Get(directory).pending_names;
    for (size_t index = 0; index < pending.size(); ++index) {
      if (pending[index].transaction == transaction) return index < kept[directory];
    }
    return true;  // durable already
  };
  bool is_settled = false;
  while (!is_settled) {
    is_settled = true;
    uint64_t first_lost_move = next_transaction_;
    for (const auto& [id, count] : kept) {
      const std::vector<PendingName>& pending = Get(id).pending_names;
      for (size_t index = count; index < pending.size(); ++index) {
        if (!pending[index].moves_directory) continue;
        first_lost_move = std::min(first_lost_move, pending[index].transaction);
      }
    }
    for (auto& [id, count] : kept) {
      const std::vector<PendingName>& pending = Get(id).pending_names;
      for (size_t index = 0; index < count; ++index) {
        const PendingName& change = pending[index];
        const auto removed = kept.find(change.before);
        const bool is_torn = change.other_directory != kNoNode &&
                             !survives(change.other_directory, change.transaction);
        const bool loses_content = change.removes_directory && removed != kept.end() &&
                                   removed->second < Get(change.before).pending_names.size();
        const bool is_early = change.moves_directory && change.transaction > first_lost_move;
        if (is_torn || loses_content || is_early) {
          count = AtTransactionBoundary(pending, index);
          is_settled = false;
        }
      }
    }
  }
  return kept;
}

void Disk::Crash(Random& random) {
  const int policy = static_cast<int>(random.Below(kPolicyCount));
  for (const auto& [id, count] : ChooseSurvivingNames(random, policy)) {
    Node& node = Mutable(id);
    for (size_t index = 0; index < count; ++index) {
      const PendingName& change = node.pending_names[index];
      if (change.after == kNoNode) {
        node.durable_names.erase(change.name);
      } else {
        node.durable_names[change.name] = change.after;
      }
    }
  }
  for (size_t index = 0; index < nodes_.size(); ++index) {
    const Node& current = *nodes_[index].second;
    if (current.pending_data.empty() && current.pending_names.empty() &&
        !current.has_dropped_data && current.mode == current.durable_mode) {
      continue;
    }
    Node& node = Mutable(nodes_[index].first);
    const Policy choice = ChooseFor(policy, random);
    if (choice == kKeepAll) {
      ApplyAll(node.pending_data, &node.durable_content);
    } else if (choice == kMixed && !node.pending_data.empty()) {
      ApplySome(node.pending_data, random, &node.durable_content);
    }
    if (choice == kLoseAll || (choice == kMixed && random.Flip())) {
      node.mode = node.durable_mode;
      node.modified_ns = node.durable_modified_ns;
    }
    node.content = node.durable_content;
    node.names = node.durable_names;
    node.durable_mode = node.mode;
    node.durable_modified_ns = node.modified_ns;
    node.pending_data.clear();
    node.pending_names.clear();
    node.has_dropped_data = false;
    node.is_removed = false;  // else it is not collected only because its removal did not survive
    node.version = next_version_++;
  }
  Collect({});
}

}  // namespace staged::simulated
