#include "env/simulated_env.h"

#include <mutex>
#include <thread>
#include <utility>

#include "env/path.h"
#include "env/simulated_machine.h"

namespace staged {
namespace {

using simulated::CallKind;
using simulated::Disk;
using simulated::kNoNode;
using simulated::kRootNode;
using simulated::Machine;
using simulated::NodeId;

constexpr int kSymlinksMax = 40;

std::vector<std::string> SplitPath(std::string_view path) {
  std::vector<std::string> components;
  for (size_t start = 0; start < path.size();) {
    const size_t end = std::min(path.find('/', start), path.size());
    if (end > start && path.substr(start, end - start) != ".") {
      components.emplace_back(path.substr(start, end - start));
    }
    start = end + 1;
  }
  return components;
}

Status CheckAbsolutePath(const std::string& path) {
  if (path.empty() || path.front() != '/' || path.find('\0') != std::string::npos) {
    return {ErrorCode::kInvalidArgument,
            "the path " + QuotePath(path) + " is not absolute; give it from the root on"};
  }
  return OkStatus();
}

// The directory an absolute path means, as the system resolves it: symlinks are followed. With
// `make`, missing ones are made, durably.
Result<NodeId> ResolveDirectory(Machine& machine, const std::string& path, bool make) {
  STAGED_RETURN_IF_ERROR(CheckAbsolutePath(path));
  Disk& disk = machine.disk;
  std::vector<NodeId> trail = {kRootNode};  // from the root to where the walk is
  std::vector<std::string> components = SplitPath(path);
  int symlink_count = 0;
  for (size_t index = 0; index < components.size(); ++index) {
    if (components[index] == "..") {
      if (trail.size() > 1) trail.pop_back();
      continue;
    }
    NodeId next = disk.Lookup(trail.back(), components[index]);
    if (next == kNoNode) {
      if (!make) return simulated::NotFound("open", path);
      next = disk.NewNode(FileKind::kDirectory, 0755, machine.FileTimeNs());
      disk.ChangeNames({{trail.back(), components[index], next}}, machine.FileTimeNs());
      disk.SyncDirectory(trail.back());
    }
    if (disk.Get(next).kind == FileKind::kSymlink) {
      if (++symlink_count > kSymlinksMax) return simulated::NotFound("open", path);
      const std::string& target = disk.Get(next).target;
      std::vector<std::string> replaced = SplitPath(target);
      replaced.insert(replaced.end(), components.begin() + static_cast<std::ptrdiff_t>(index) + 1,
                      components.end());
      if (target.front() == '/') trail.resize(1);
      components = std::move(replaced);
      index = static_cast<size_t>(-1);
      continue;
    }
    if (disk.Get(next).kind != FileKind::kDirectory) {
      return make ? simulated::Failure(ErrorCode::kConflict, "make directory", path,
                                       "a file has that name; remove it first")
                  : simulated::NotFound("open", path);
    }
    trail.push_back(next);
  }
  return trail.back();
}

}  // namespace

SimulatedEnv::SimulatedEnv(const SimulatedEnvOptions& options)
    : SimulatedEnv(std::make_shared<Machine>(options), /*is_external=*/false) {}

SimulatedEnv::SimulatedEnv(std::shared_ptr<Machine> machine, bool is_external)
    : machine_(std::move(machine)) {
  const std::lock_guard<std::mutex> guard(machine_->mutex);
  process_ = machine_->AddProcess(is_external);
}

SimulatedEnv::~SimulatedEnv() = default;

Result<std::unique_ptr<Directory>> SimulatedEnv::OpenDirectory(const std::string& path) {
  const simulated::Caller caller = CurrentCaller();
  return simulated::RunCall(
      *machine_, caller, CallKind::kRead, [&]() -> Result<std::unique_ptr<Directory>> {
        STAGED_ASSIGN_OR_RETURN(const NodeId id, ResolveDirectory(*machine_, path, false));
        return simulated::NewDirectory(machine_, caller, id, path);
      });
}

Status SimulatedEnv::MakeDirectories(const std::string& path) {
  return simulated::RunCall(*machine_, CurrentCaller(), CallKind::kAllocate, [&]() -> Status {
    return ResolveDirectory(*machine_, path, true).status();
  });
}

Result<std::unique_ptr<Watcher>> SimulatedEnv::Watch(const std::string& path,
                                                     std::function<bool(const std::string&)> skip) {
  const simulated::Caller caller = CurrentCaller();
  return simulated::RunCall(
      *machine_, caller, CallKind::kRead, [&]() -> Result<std::unique_ptr<Watcher>> {
        STAGED_ASSIGN_OR_RETURN(const NodeId id, ResolveDirectory(*machine_, path, false));
        return simulated::NewWatcher(machine_, caller, id, std::move(skip));
      });
}

Result<Env::FileSystem> SimulatedEnv::GetFileSystem(const std::string& path) {
  return simulated::RunCall(
      *machine_, CurrentCaller(), CallKind::kRead, [&]() -> Result<FileSystem> {
        STAGED_RETURN_IF_ERROR(ResolveDirectory(*machine_, path, false).status());
        return machine_->file_system;
      });
}

simulated::Caller SimulatedEnv::CurrentCaller() const {
  const std::lock_guard<std::mutex> guard(machine_->mutex);
  return machine_->CallerOf(process_);
}

int64_t SimulatedEnv::NowNs() {
  const std::lock_guard<std::mutex> guard(machine_->mutex);
  return machine_->wall_ns;
}

int64_t SimulatedEnv::MonotonicNs() {
  const std::lock_guard<std::mutex> guard(machine_->mutex);
  return machine_->monotonic_ns;
}

void SimulatedEnv::Sleep(int64_t duration_ns) {
  AdvanceNs(duration_ns);
  std::this_thread::yield();
}

std::string SimulatedEnv::RandomBytes(size_t size_bytes) {
  const std::lock_guard<std::mutex> guard(machine_->mutex);
  std::string bytes(size_bytes, '\0');
  for (char& byte : bytes) byte = static_cast<char>(machine_->bytes_random.Below(256));
  return bytes;
}

int64_t SimulatedEnv::ProcessId() {
  const std::lock_guard<std::mutex> guard(machine_->mutex);
  return machine_->processes[process_].id;
}

std::string SimulatedEnv::HostName() { return "simulated"; }

std::unique_ptr<SimulatedEnv> SimulatedEnv::NewProcess() {
  return std::unique_ptr<SimulatedEnv>(new SimulatedEnv(machine_, /*is_external=*/false));
}

std::unique_ptr<SimulatedEnv> SimulatedEnv::NewExternalProcess() {
  return std::unique_ptr<SimulatedEnv>(new SimulatedEnv(machine_, /*is_external=*/true));
}

std::unique_ptr<SimulatedEnv> SimulatedEnv::Clone() const {
  const std::lock_guard<std::mutex> guard(machine_->mutex);
  return std::unique_ptr<SimulatedEnv>(
      new SimulatedEnv(std::make_shared<Machine>(*machine_), /*is_external=*/false));
}

void SimulatedEnv::Crash() {
  const std::lock_guard<std::mutex> guard(machine_->mutex);
  machine_->Crash();
}

void SimulatedEnv::Reboot(uint64_t seed) {
  const std::lock_guard<std::mutex> guard(machine_->mutex);
  machine_->Reboot(seed);
}

void SimulatedEnv::Kill() {
  const std::lock_guard<std::mutex> guard(machine_->mutex);
  machine_->EndProcess(process_);
}

void SimulatedEnv::Restart() {
  const std::lock_guard<std::mutex> guard(machine_->mutex);
  machine_->EndProcess(process_);
  simulated::Process& process = machine_->processes[process_];
  process.id += 1'000'000;  // as if many others had been started
  process.is_alive = machine_->is_powered;
}

bool SimulatedEnv::is_alive() const {
  const std::lock_guard<std::mutex> guard(machine_->mutex);
  return machine_->processes[process_].is_alive;
}

uint64_t SimulatedEnv::call_count() const {
  const std::lock_guard<std::mutex> guard(machine_->mutex);
  return machine_->call_count;
}

void SimulatedEnv::PlanFault(uint64_t call, Fault fault) {
  const std::lock_guard<std::mutex> guard(machine_->mutex);
  machine_->faults.by_call[call] = fault;
}

void SimulatedEnv::PlanSyncFailure(uint64_t skip) {
  const std::lock_guard<std::mutex> guard(machine_->mutex);
  machine_->faults.syncs_until_failure = skip;
}

void SimulatedEnv::SetFaultRate(Fault fault, double probability) {
  const std::lock_guard<std::mutex> guard(machine_->mutex);
  machine_->faults.rates[fault] = probability;
}

void SimulatedEnv::ClearFaults() {
  const std::lock_guard<std::mutex> guard(machine_->mutex);
  machine_->faults = {};
}

void SimulatedEnv::SetDiskFull(bool is_full) {
  const std::lock_guard<std::mutex> guard(machine_->mutex);
  machine_->is_disk_full = is_full;
}

void SimulatedEnv::SetFileSystem(const FileSystem& file_system) {
  const std::lock_guard<std::mutex> guard(machine_->mutex);
  machine_->file_system = file_system;
}

void SimulatedEnv::LoseWatchEvents() {
  const std::lock_guard<std::mutex> guard(machine_->mutex);
  ++machine_->lost_events_count;
}

void SimulatedEnv::SetNowNs(int64_t now_ns) {
  const std::lock_guard<std::mutex> guard(machine_->mutex);
  machine_->wall_ns = now_ns;
}

void SimulatedEnv::AdvanceNs(int64_t duration_ns) {
  const std::lock_guard<std::mutex> guard(machine_->mutex);
  machine_->wall_ns += duration_ns;
  machine_->monotonic_ns += duration_ns;
}

Result<SimulatedEnv::NamedFile> SimulatedEnv::FindExternally(const std::string& path) const {
  STAGED_RETURN_IF_ERROR(CheckAbsolutePath(path));
  const size_t slash = path.rfind('/');
  NamedFile file;
  file.name = path.substr(slash + 1);
  if (file.name.empty()) {
    return Status(ErrorCode::kInvalidArgument,
                  "the path " + QuotePath(path) + " names no file; add its name");
  }
  STAGED_ASSIGN_OR_RETURN(
      file.directory, ResolveDirectory(*machine_, slash == 0 ? "/" : path.substr(0, slash), false));
  file.node = machine_->disk.Lookup(file.directory, file.name);
  if (file.node != kNoNode && machine_->disk.Get(file.node).kind != FileKind::kFile) {
    return simulated::Failure(ErrorCode::kInvalidArgument, "open", path,
                              "it is not a regular file; name one");
  }
  return file;
}

Status SimulatedEnv::ExternalWrite(const std::string& path, std::string_view bytes,
                                   Durability durability) {
  const std::lock_guard<std::mutex> guard(machine_->mutex);
  return SaveExternally(path, bytes, durability, /*in_place=*/true);
}

Status SimulatedEnv::ExternalReplace(const std::string& path, std::string_view bytes,
                                     Durability durability) {
  const std::lock_guard<std::mutex> guard(machine_->mutex);
  return SaveExternally(path, bytes, durability, /*in_place=*/false);
}

Status SimulatedEnv::SaveExternally(const std::string& path, std::string_view bytes,
                                    Durability durability, bool in_place) {
  STAGED_ASSIGN_OR_RETURN(NamedFile file, FindExternally(path));
  machine_->wall_ns += machine_->options.call_duration_ns;
  const int64_t now_ns = machine_->FileTimeNs();
  Disk& disk = machine_->disk;
  if (file.node == kNoNode || !in_place) {
    const uint32_t mode = file.node == kNoNode ? 0644 : disk.Get(file.node).mode;
    file.node = disk.NewNode(FileKind::kFile, mode, now_ns);
    disk.Write(file.node, 0, bytes, now_ns);
    disk.ChangeNames({{file.directory, file.name, file.node}}, now_ns);
  } else {
    disk.Resize(file.node, 0, now_ns);
    disk.Write(file.node, 0, bytes, now_ns);
  }
  if (durability == Durability::kDurable) {
    disk.SyncFile(file.node);
    disk.SyncDirectory(file.directory);
  }
  return OkStatus();
}

Status SimulatedEnv::ExternalRemove(const std::string& path, Durability durability) {
  const std::lock_guard<std::mutex> guard(machine_->mutex);
  return RemoveExternally(path, durability);
}

void SimulatedEnv::PlanExternalSave(uint64_t call, ExternalSave save) {
  const std::lock_guard<std::mutex> guard(machine_->mutex);
  machine_->faults.others_by_call[call] = [this, save = std::move(save)] {
    const Status status =
        save.bytes ? SaveExternally(save.path, *save.bytes, save.durability, save.in_place)
                   : RemoveExternally(save.path, save.durability);
    if (status.ok() && save.is_done != nullptr) *save.is_done = true;
  };
}

Status SimulatedEnv::RemoveExternally(const std::string& path, Durability durability) {
  STAGED_ASSIGN_OR_RETURN(const NamedFile file, FindExternally(path));
  if (file.node == kNoNode) return simulated::NotFound("remove", path);
  machine_->wall_ns += machine_->options.call_duration_ns;
  machine_->disk.ChangeNames({{file.directory, file.name, kNoNode}}, machine_->FileTimeNs());
  if (durability == Durability::kDurable) machine_->disk.SyncDirectory(file.directory);
  return OkStatus();
}

Result<std::string> SimulatedEnv::ExternalRead(const std::string& path) {
  const std::lock_guard<std::mutex> guard(machine_->mutex);
  STAGED_ASSIGN_OR_RETURN(const NamedFile file, FindExternally(path));
  if (file.node == kNoNode) return simulated::NotFound("read", path);
  const simulated::Content& content = machine_->disk.Get(file.node).content;
  return content.Read(0, content.size_bytes());
}

void SimulatedEnv::SyncEverything() {
  const std::lock_guard<std::mutex> guard(machine_->mutex);
  machine_->disk.SyncEverything();
}

Status SimulatedEnv::CorruptByte(const std::string& path, uint64_t offset, uint8_t mask) {
  const std::lock_guard<std::mutex> guard(machine_->mutex);
  STAGED_ASSIGN_OR_RETURN(const NamedFile file, FindExternally(path));
  if (file.node == kNoNode) return simulated::NotFound("corrupt", path);
  if (offset >= machine_->disk.Get(file.node).content.size_bytes()) {
    return simulated::Failure(ErrorCode::kInvalidArgument, "corrupt", path,
                              "the offset is beyond its end; choose one before");
  }
  machine_->disk.Corrupt(file.node, offset, mask);
  return OkStatus();
}

}  // namespace staged
