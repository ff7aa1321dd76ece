#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "env/simulated_disk.h"
#include "env/simulated_env.h"

namespace staged::simulated {

// What a call does, as far as faults care.
enum class CallKind : uint8_t {
  kRead = 0,
  kChange = 1,    // of names or attributes; needs no space
  kAllocate = 2,  // needs space
  kSync = 3,
};

struct Process {
  int64_t id = 0;
  uint64_t generation = 0;  // handles of earlier ones are dead
  bool is_alive = true;
  bool is_external = false;
};

struct LockHolder {
  uint64_t process = 0;
  uint64_t token = 0;
};

struct PlannedFaults {
  std::map<uint64_t, Fault> by_call;
  std::map<uint64_t, std::function<void()>> others_by_call;  // run with the lock held
  std::map<Fault, double> rates;
  std::optional<uint64_t> syncs_until_failure;
};

// Who makes a call: a handle remembers it from when it was opened.
struct Caller {
  uint64_t process = 0;
  uint64_t generation = 0;
};

struct OpenHandle {
  Caller caller;
  bool is_writer = false;
};

// The computer that processes share. The members may only be used with `mutex` held.
class Machine {
 public:
  explicit Machine(const SimulatedEnvOptions& machine_options);
  // The same disk, clocks and random states; nothing else. REQUIRES: `other.mutex` held.
  explicit Machine(const Machine& other);

  // What a call is to do.
  struct Verdict {
    Status status;                     // what it returns, if this is an error
    bool has_effect = true;            // whether it happens at all
    std::optional<Fault> fault;        // kIoError, kNoSpace or kInterrupted, for writes and syncs
    std::optional<Fault> end_of_call;  // kCrash or kKill: to be carried out after the effect
  };
  // Counts the call, advances the clocks, and decides.
  Verdict BeginCall(const Caller& caller, CallKind kind);
  // Carries out what BeginCall put off.
  void EndCall(const Caller& caller, const Verdict& verdict);

  void Crash();
  void Reboot(uint64_t seed);
  void EndProcess(uint64_t process);
  [[nodiscard]] Caller CallerOf(uint64_t process) const {
    return {process, processes[process].generation};
  }
  [[nodiscard]] bool IsCurrent(const Caller& caller) const {
    return is_powered && processes[caller.process].is_alive &&
           processes[caller.process].generation == caller.generation;
  }
  uint64_t AddProcess(bool is_external);
  // The time that a file changed now gets.
  [[nodiscard]] int64_t FileTimeNs() const;
  // Registers that the caller has the node open, so that it stays without a name; and the reverse.
  void OpenNode(NodeId id, const Caller& caller, bool is_writer);
  void CloseNode(NodeId id, const Caller& caller, bool is_writer);
  [[nodiscard]] bool HasWriter(NodeId id) const;
  // Forgets unreachable nodes now and then.
  void CollectSometimes();

  const SimulatedEnvOptions options;
  std::mutex mutex;
  std::condition_variable lock_released;
  Disk disk;
  bool is_powered = true;
  bool is_disk_full = false;
  int64_t wall_ns = 0;
  int64_t monotonic_ns = 0;
  uint64_t call_count = 0;
  Random bytes_random;   // what programs see
  Random faults_random;  // what befalls them
  PlannedFaults faults;
  std::vector<Process> processes;
  std::map<NodeId, LockHolder> locks;
  std::multimap<NodeId, OpenHandle> open_nodes;  // of living processes
  uint64_t next_token = 1;
  uint64_t lost_events_count = 0;  // how often watchers were made to lose their events
  size_t collect_at_node_count = 256;
  Env::FileSystem file_system{"simulated", true};

 private:
  [[nodiscard]] std::optional<Fault> TakeFault(CallKind kind);
};

// Runs the body of a call under the lock, with the faults that any call can meet. It is not run
// when the verdict is that nothing happens.
template <typename Body>
auto RunCall(Machine& machine, const Caller& caller, CallKind kind, Body body) -> decltype(body()) {
  std::unique_lock<std::mutex> guard(machine.mutex);
  const Machine::Verdict verdict = machine.BeginCall(caller, kind);
  if (!verdict.has_effect) {
    machine.EndCall(caller, verdict);
    return verdict.status;
  }
  auto result = body();
  machine.EndCall(caller, verdict);
  // A handle in a result that is thrown away takes the lock when it is destroyed.
  guard.unlock();
  if (!verdict.status.ok()) return verdict.status;
  return result;
}

// `id` is a directory.
[[nodiscard]] std::unique_ptr<Directory> NewDirectory(std::shared_ptr<Machine> machine,
                                                      const Caller& caller, NodeId id,
                                                      std::string path);
[[nodiscard]] std::unique_ptr<File> NewFile(std::shared_ptr<Machine> machine, const Caller& caller,
                                            NodeId id, bool is_writable, std::string path);
[[nodiscard]] std::unique_ptr<Watcher> NewWatcher(std::shared_ptr<Machine> machine,
                                                  const Caller& caller, NodeId root,
                                                  std::function<bool(const std::string&)> skip);

[[nodiscard]] FileStatus ToFileStatus(const Disk& disk, NodeId id);

// Errors that say which path and what to do.
[[nodiscard]] Status NotFound(std::string_view action, std::string_view path);
[[nodiscard]] Status Failure(ErrorCode code, std::string_view action, std::string_view path,
                             std::string_view why);

}  // namespace staged::simulated
