#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "staged/ext/env.h"

// An operating system in memory with a disk that loses what was not synced. Everything that happens
// follows from the calls made and the seeds given (threads aside), so that a failure can be
// replayed.
//
// What a crash leaves (SimulatedEnv::Reboot):
// - File data: what was there at the last Sync, and of the writes since then any subset of 512-byte
//   sectors, in order; the file's size is that of some moment since then. Bytes that were never
//   written are zero. Sync does not make the file's name durable.
// - Names: what was there at the directory's last SyncDirectory, and of the creations, removals and
//   renames since then the first few. A rename, also between two directories, happens whole or not
//   at all. SyncDirectory does not make the files' data durable, nor the directory's own name.
// - Locks and handles are gone: calls on old Directory and File objects fail with kIoError.
//
// Permission bits of the owner are enforced. New files get their mode less the umask 022. Times
// have the resolution given; a person's change within one tick is thus not seen in the modified
// time.
namespace staged {

namespace simulated {
class Machine;
struct Caller;
}  // namespace simulated

enum class Fault : uint8_t {
  // The power goes: this call may take effect or not, and every later one of every process fails
  // with kIoError until Reboot.
  kCrash = 1,
  // This process dies in the call, which may take effect or not: every later call of it fails with
  // kIoError until Restart. What was written stays for other processes.
  kKill = 2,
  // kIoError. A write may have happened in part. After a failed Sync the data it was about may have
  // been dropped from the list of what is still to be written, so that a second Sync succeeds
  // without writing it, as on Linux; it is still read back until the machine crashes.
  kIoError = 3,
  // kLimitExceeded from a call that needs space (a write may have happened in part); others
  // succeed.
  kNoSpace = 4,
  // The system call is interrupted or short and gets repeated: it succeeds, in two steps.
  kInterrupted = 5,
};

struct SimulatedEnvOptions {
  uint64_t seed = 0;                             // of RandomBytes and of random faults
  int64_t start_ns = 1'700'000'000'000'000'000;  // wall clock
  int64_t call_duration_ns = 1'000;              // by which each call advances the clocks
  int64_t time_resolution_ns = 1;                // of modified and changed times
};

enum class Durability : uint8_t { kVolatile = 0, kDurable = 1 };

// What a person does to a file at a planned moment.
struct ExternalSave {
  std::string path;                  // absolute
  std::optional<std::string> bytes;  // nullopt: the file is removed, if it is there
  bool in_place = true;              // else an editor renames a new file over the old one
  Durability durability = Durability::kDurable;
  std::shared_ptr<bool> is_done;  // set when it has happened; may be null
};

// One process on a simulated machine; the first is made by NewSimulatedEnv, more by NewProcess.
// Thread-safe. The machine lives as long as a process or a handle on it does.
class SimulatedEnv : public Env {
 public:
  explicit SimulatedEnv(const SimulatedEnvOptions& options = {});
  ~SimulatedEnv() override;

  Result<std::unique_ptr<Directory>> OpenDirectory(const std::string& path) override;
  Status MakeDirectories(const std::string& path) override;
  Result<std::unique_ptr<Watcher>> Watch(const std::string& path,
                                         std::function<bool(const std::string&)> skip) override;
  Result<FileSystem> GetFileSystem(const std::string& path) override;
  int64_t NowNs() override;
  int64_t MonotonicNs() override;
  void Sleep(int64_t duration_ns) override;  // advances the clocks; other threads get their turn
  std::string RandomBytes(size_t size_bytes) override;
  int64_t ProcessId() override;
  std::string HostName() override;

  // --- Processes and machines ---

  // Another process on the same machine.
  [[nodiscard]] std::unique_ptr<SimulatedEnv> NewProcess();
  // The same, but somebody else's: its calls meet no faults, are not counted, and work on disks
  // that are full. For the person who edits files meanwhile, and for checks.
  [[nodiscard]] std::unique_ptr<SimulatedEnv> NewExternalProcess();
  // Another machine with a copy of the disk (volatile state included), the clocks, the counter and
  // the random state; with one process, no faults planned, no locks and no handles. Costs
  // time by the number of files, not by their sizes: blocks are shared until written.
  [[nodiscard]] std::unique_ptr<SimulatedEnv> Clone() const;

  // The power goes now (as Fault::kCrash does during a call).
  void Crash();
  // Starts the machine again with what the disk kept; `seed` decides what was lost. Crashes first
  // if that has not happened. Planned faults are dropped, every process is alive again.
  void Reboot(uint64_t seed);
  // This process dies now: its locks are free, its handles and watchers fail.
  void Kill();
  // This process starts again after Kill or Fault::kKill, with a new process id.
  void Restart();
  [[nodiscard]] bool is_alive() const;

  // --- Faults ---

  // Calls made so far by processes that are not external: each call of Directory, File, Watcher
  // and Env that does I/O (not: clocks, random bytes, closing) is one.
  [[nodiscard]] uint64_t call_count() const;
  // Plans a fault for the call that makes call_count() be `call` (the next is call_count() + 1).
  void PlanFault(uint64_t call, Fault fault);
  // Plans somebody else's save for the instant before the call that makes call_count() be `call`;
  // a save that cannot be made then (its folder is gone) is not. ClearFaults and Reboot drop it.
  // REQUIRES: this object lives until then.
  void PlanExternalSave(uint64_t call, ExternalSave save);
  // The next Sync or SyncDirectory (the one after `skip` of them) fails as kIoError does.
  void PlanSyncFailure(uint64_t skip = 0);
  // From now on each call meets `fault` with this probability.
  void SetFaultRate(Fault fault, double probability);
  void ClearFaults();
  // While set, every call that needs space fails with kLimitExceeded.
  void SetDiskFull(bool is_full);
  void SetFileSystem(const FileSystem& file_system);
  // Watchers lose their events: the next Wait of each returns "".
  void LoseWatchEvents();

  // --- Clock ---

  void SetNowNs(int64_t now_ns);  // the wall clock only, in either direction
  void AdvanceNs(int64_t duration_ns);

  // --- Somebody else's hands; absolute paths; no faults, not counted ---

  // A person saves the file in place (same inode), making it if absent.
  Status ExternalWrite(const std::string& path, std::string_view bytes, Durability durability);
  // A person's editor saves by renaming a new file over the old one.
  Status ExternalReplace(const std::string& path, std::string_view bytes, Durability durability);
  Status ExternalRemove(const std::string& path, Durability durability);
  Result<std::string> ExternalRead(const std::string& path);
  // Makes everything on the disk durable.
  void SyncEverything();
  // Inverts bits of one byte of a file, on the disk and in memory, leaving its times as they are.
  Status CorruptByte(const std::string& path, uint64_t offset, uint8_t mask = 0xff);

 private:
  // Where a file is or would be; `node` 0 if absent.
  struct NamedFile {
    uint64_t directory = 0;
    std::string name;
    uint64_t node = 0;
  };

  SimulatedEnv(std::shared_ptr<simulated::Machine> machine, bool is_external);

  [[nodiscard]] simulated::Caller CurrentCaller() const;
  // REQUIRES: the machine's lock.
  [[nodiscard]] Result<NamedFile> FindExternally(const std::string& path) const;
  // REQUIRES: the machine's lock.
  Status SaveExternally(const std::string& path, std::string_view bytes, Durability durability,
                        bool in_place);
  Status RemoveExternally(const std::string& path, Durability durability);

  const std::shared_ptr<simulated::Machine> machine_;
  uint64_t process_ = 0;
};

}  // namespace staged
