#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "env/simulated_env.h"
#include "journal/env_vfs.h"
#include "staged/workspace.h"
#include "workspace/tree.h"

// A workspace on a simulated machine, and what must be true of one whatever happened to it.
namespace staged {

inline constexpr char kSimulatedRoot[] = "/simulated/workspace";

// One process that has the workspace open.
class WorkspaceSite {
 public:
  // `locks`: those of the machine's journal, which all its processes share; null: a new machine.
  explicit WorkspaceSite(SimulatedEnv& env, std::shared_ptr<EnvVfsLocks> locks = nullptr);

  Status Init();
  Status Open();
  void Close() { workspace_.reset(); }
  [[nodiscard]] bool is_open() const { return workspace_ != nullptr; }
  Workspace& operator*() { return *workspace_; }
  Workspace* operator->() { return workspace_.get(); }
  Journal& journal() { return *journal_; }
  SimulatedEnv& env() { return env_; }
  // For a workspace in that folder.
  [[nodiscard]] OpenOptions Options(const std::string& root = kSimulatedRoot);
  // Run each time this process is about to begin a write transaction: other processes' turn.
  std::function<void()> before_write;
  // Run each time this process is about to take a snapshot to read from.
  std::function<void()> before_read;
  // Run each time this process has taken a snapshot to read from.
  std::function<void()> after_read;

 private:
  SimulatedEnv& env_;
  std::unique_ptr<EnvVfs> vfs_;
  Journal* journal_ = nullptr;  // the workspace's own
  std::unique_ptr<Workspace> workspace_;
};

// What a person saved, or that a file was removed; in the order of the saves.
struct PersonsSave {
  std::string path;
  std::optional<std::string> bytes;
};

// What was promised: the journal up to an acknowledged operation.
struct Promise {
  JournalHead head;
  std::vector<PersonsSave> saves;
};

// The state that readers see, in a text that is equal for equal states: accepted tree, each
// branch's live operations, open receipts, policy. Without sequence numbers, ids and times.
[[nodiscard]] Result<std::string> DescribeState(Journal& journal);
[[nodiscard]] Result<JournalHead> ReadHead(Journal& journal);

// The live folder as it lies on disk, seen by nobody's code but this: all files but .staged's.
[[nodiscard]] Result<Tree> ListLiveFolder(SimulatedEnv& env);

// "" when every rule holds for an open workspace whose persons' changes were taken in; otherwise
// what is broken. Reads everything; changes nothing.
[[nodiscard]] std::string FindBrokenRule(WorkspaceSite& site, const Promise& promise);
// "" when a new file can be written, reviewed, submitted and seen in the live folder.
[[nodiscard]] std::string FindWhyNothingWorks(WorkspaceSite& site);

// The contexts of the histories.
[[nodiscard]] CallContext AgentContext(const std::string& branch = "main",
                                       const std::string& request_id = "");

}  // namespace staged
