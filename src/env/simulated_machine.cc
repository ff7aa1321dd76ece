#include "env/simulated_machine.h"

#include <algorithm>
#include <utility>

#include "env/path.h"

namespace staged::simulated {
namespace {

constexpr int64_t kFirstProcessId = 1000;

// Different streams from one seed.
constexpr uint64_t kFaultsStream = 0x6661756c74730000;

Status PowerIsOff() {
  return {ErrorCode::kIoError, "the simulated machine has no power; reboot it"};
}

}  // namespace

Machine::Machine(const SimulatedEnvOptions& machine_options)
    : options(machine_options),
      disk(machine_options.start_ns),
      wall_ns(machine_options.start_ns),
      bytes_random(machine_options.seed),
      faults_random(machine_options.seed ^ kFaultsStream) {}

Machine::Machine(const Machine& other)
    : options(other.options),
      disk(other.disk),
      is_powered(other.is_powered),
      is_disk_full(other.is_disk_full),
      wall_ns(other.wall_ns),
      monotonic_ns(other.monotonic_ns),
      call_count(other.call_count),
      bytes_random(other.bytes_random),
      faults_random(other.faults_random),
      collect_at_node_count(other.collect_at_node_count),
      file_system(other.file_system) {}

uint64_t Machine::AddProcess(bool is_external) {
  Process process;
  process.id = kFirstProcessId + static_cast<int64_t>(processes.size());
  process.is_external = is_external;
  process.is_alive = is_powered;
  processes.push_back(process);
  return processes.size() - 1;
}

int64_t Machine::FileTimeNs() const { return wall_ns - wall_ns % options.time_resolution_ns; }

std::optional<Fault> Machine::TakeFault(CallKind kind) {
  if (kind == CallKind::kSync && faults.syncs_until_failure.has_value()) {
    if (*faults.syncs_until_failure == 0) {
      faults.syncs_until_failure.reset();
      return Fault::kIoError;
    }
    --*faults.syncs_until_failure;
  }
  if (const auto planned = faults.by_call.find(call_count); planned != faults.by_call.end()) {
    const Fault fault = planned->second;
    faults.by_call.erase(planned);
    return fault;
  }
  for (const auto& [fault, probability] : faults.rates) {
    if (faults_random.Fraction() < probability) return fault;
  }
  return std::nullopt;
}

Machine::Verdict Machine::BeginCall(const Caller& caller, CallKind kind) {
  Verdict verdict;
  if (!IsCurrent(caller)) {
    verdict.has_effect = false;
    verdict.status =
        !is_powered ? PowerIsOff()
                    : Status(ErrorCode::kIoError, "the simulated process has ended; open it again");
    return verdict;
  }
  wall_ns += options.call_duration_ns;
  monotonic_ns += options.call_duration_ns;
  if (processes[caller.process].is_external) return verdict;
  ++call_count;
  if (const auto other = faults.others_by_call.find(call_count);
      other != faults.others_by_call.end()) {
    const std::function<void()> act = std::move(other->second);
    faults.others_by_call.erase(other);
    act();
  }
  verdict.fault = TakeFault(kind);
  if (kind == CallKind::kAllocate && is_disk_full && !verdict.fault.has_value()) {
    verdict.fault = Fault::kNoSpace;
  }
  if (!verdict.fault.has_value()) return verdict;
  switch (*verdict.fault) {
    case Fault::kCrash:
    case Fault::kKill:
      verdict.end_of_call = std::exchange(verdict.fault, std::nullopt);
      verdict.has_effect = kind != CallKind::kRead && faults_random.Flip();
      verdict.status = verdict.end_of_call == Fault::kCrash
                           ? PowerIsOff()
                           : Status(ErrorCode::kIoError, "the simulated process was killed");
      break;
    case Fault::kIoError:
      verdict.status = Status(ErrorCode::kIoError,
                              "input/output error on the simulated disk; check it and try again");
      verdict.has_effect = false;
      break;
    case Fault::kNoSpace:
      if (kind != CallKind::kAllocate) break;
      verdict.status =
          Status(ErrorCode::kLimitExceeded, "the simulated disk is full; free some space");
      verdict.has_effect = false;
      break;
    case Fault::kInterrupted:
      break;
  }
  return verdict;
}

void Machine::EndCall(const Caller& caller, const Verdict& verdict) {
  if (!verdict.end_of_call.has_value()) return;
  if (*verdict.end_of_call == Fault::kCrash) {
    Crash();
  } else {
    EndProcess(caller.process);
  }
}

void Machine::EndProcess(uint64_t process) {
  processes[process].is_alive = false;
  ++processes[process].generation;
  std::erase_if(locks, [&](const auto& lock) { return lock.second.process == process; });
  std::erase_if(open_nodes,
                [&](const auto& open) { return open.second.caller.process == process; });
  lock_released.notify_all();
}

void Machine::Crash() {
  is_powered = false;
  for (uint64_t process = 0; process < processes.size(); ++process) EndProcess(process);
}

void Machine::Reboot(uint64_t seed) {
  Crash();
  Random random(seed);
  disk.Crash(random);
  faults = {};
  is_powered = true;
  for (Process& process : processes) process.is_alive = true;
}

void Machine::OpenNode(NodeId id, const Caller& caller, bool is_writer) {
  open_nodes.emplace(id, OpenHandle{caller, is_writer});
}

void Machine::CloseNode(NodeId id, const Caller& caller, bool is_writer) {
  const auto [first, last] = open_nodes.equal_range(id);
  for (auto open = first; open != last; ++open) {
    const OpenHandle& handle = open->second;
    if (handle.caller.process == caller.process && handle.caller.generation == caller.generation &&
        handle.is_writer == is_writer) {
      open_nodes.erase(open);
      return;
    }
  }
}

bool Machine::HasWriter(NodeId id) const {
  const auto [first, last] = open_nodes.equal_range(id);
  return std::any_of(first, last, [](const auto& open) { return open.second.is_writer; });
}

void Machine::CollectSometimes() {
  if (disk.node_count() < collect_at_node_count) return;
  std::vector<NodeId> open;
  for (const auto& [id, handle] : open_nodes) open.push_back(id);
  disk.Collect(open);
  collect_at_node_count = 2 * disk.node_count() + 256;
}

FileStatus ToFileStatus(const Disk& disk, NodeId id) {
  const Node& node = disk.Get(id);
  FileStatus status;
  status.kind = node.kind;
  status.size_bytes =
      node.kind == FileKind::kSymlink ? node.target.size() : node.content.size_bytes();
  status.modified_ns = node.modified_ns;
  status.changed_ns = node.changed_ns;
  status.inode = id;
  status.device = 1;
  status.mode = node.mode;
  return status;
}

Status NotFound(std::string_view action, std::string_view path) {
  return Failure(ErrorCode::kNotFound, action, path, "no such file or directory; check the path");
}

Status Failure(ErrorCode code, std::string_view action, std::string_view path,
               std::string_view why) {
  return {code, "cannot " + std::string(action) + " " + QuotePath(path) + ": " + std::string(why)};
}

}  // namespace staged::simulated
