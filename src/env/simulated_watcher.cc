#include <algorithm>
#include <utility>

#include "env/simulated_machine.h"

namespace staged::simulated {
namespace {

// Compares with what it saw last, by the nodes' versions: unlike the times, they always change.
class SimulatedWatcher : public Watcher {
 public:
  SimulatedWatcher(std::shared_ptr<Machine> machine, const Caller& caller, NodeId root,
                   std::function<bool(const std::string&)> skip)
      : machine_(std::move(machine)),
        caller_(caller),
        root_(root),
        skip_(std::move(skip)),
        lost_events_count_(machine_->lost_events_count),
        known_(Scan()) {
    machine_->OpenNode(root_, caller_, false);
  }
  ~SimulatedWatcher() override {
    const std::lock_guard<std::mutex> guard(machine_->mutex);
    machine_->CloseNode(root_, caller_, false);
  }

  Result<std::vector<std::string>> Wait(int timeout_ms) override {
    constexpr int64_t kNsPerMs = 1'000'000;
    return RunCall(*machine_, caller_, CallKind::kRead, [&]() -> Result<std::vector<std::string>> {
      std::map<std::string, Seen> found = Scan();
      std::vector<std::string> touched = Compare(found);
      known_ = std::move(found);
      const bool is_lost = lost_events_count_ != machine_->lost_events_count;
      lost_events_count_ = machine_->lost_events_count;
      if (is_lost || machine_->disk.Get(root_).is_removed) return std::vector<std::string>{""};
      if (touched.empty()) {
        machine_->wall_ns += std::max(timeout_ms, 0) * kNsPerMs;
        machine_->monotonic_ns += std::max(timeout_ms, 0) * kNsPerMs;
      }
      return touched;
    });
  }

 private:
  struct Seen {
    NodeId node = kNoNode;
    uint64_t version = 0;
    friend bool operator==(const Seen&, const Seen&) = default;
  };

  [[nodiscard]] std::map<std::string, Seen> Scan() const {
    std::map<std::string, Seen> found;
    ScanBelow(root_, "", &found);
    return found;
  }

  void ScanBelow(NodeId directory, const std::string& prefix,
                 std::map<std::string, Seen>* found) const {
    for (const auto& [name, child] : machine_->disk.Get(directory).names) {
      const std::string path = prefix + name;
      const Node& node = machine_->disk.Get(child);
      if (node.kind != FileKind::kDirectory) {
        found->emplace(path, Seen{child, node.version});
      } else if (!skip_ || !skip_(path)) {
        // Changed items are reported themselves.
        found->emplace(path, Seen{child, 0});
        ScanBelow(child, path + "/", found);
      }
    }
  }

  [[nodiscard]] std::vector<std::string> Compare(const std::map<std::string, Seen>& found) const {
    std::vector<std::string> touched;
    for (const auto& [path, seen] : found) {
      const auto before = known_.find(path);
      if (before == known_.end() || !(before->second == seen)) touched.push_back(path);
    }
    for (const auto& [path, seen] : known_) {
      if (!found.contains(path)) touched.push_back(path);
    }
    std::sort(touched.begin(), touched.end());
    return touched;
  }

  const std::shared_ptr<Machine> machine_;
  const Caller caller_;
  const NodeId root_;
  const std::function<bool(const std::string&)> skip_;
  uint64_t lost_events_count_;
  std::map<std::string, Seen> known_;
};

}  // namespace

std::unique_ptr<Watcher> NewWatcher(std::shared_ptr<Machine> machine, const Caller& caller,
                                    NodeId root, std::function<bool(const std::string&)> skip) {
  return std::make_unique<SimulatedWatcher>(std::move(machine), caller, root, std::move(skip));
}

}  // namespace staged::simulated
