#pragma once

#include <functional>
#include <memory>
#include <string>

#include "staged/ext/env.h"
#include "staged/status.h"

// SQLite's files on an Env: a journal on a simulated machine, or on any other environment.
namespace staged {

struct EnvVfsState;

// SQLite's locks and shared memory of all files on one (simulated) machine, kept in this process's
// memory. Give the same one to every EnvVfs on that machine; a machine that lost its power needs a
// new one.
class EnvVfsLocks;
[[nodiscard]] std::shared_ptr<EnvVfsLocks> MakeEnvVfsLocks();

struct EnvVfsOptions {
  std::shared_ptr<EnvVfsLocks> locks;           // null: its own
  std::function<void(int microseconds)> sleep;  // null: the thread sleeps
};

// A registered VFS: usable while it lives. It must outlive its connections, and `env` must outlive
// it. Thread-safe as far as the Env is. Paths are absolute; files are made with mode 0600; names
// that are made or removed are durable before the call returns. No temporary files.
class EnvVfs {
 public:
  ~EnvVfs();
  EnvVfs(const EnvVfs&) = delete;
  EnvVfs& operator=(const EnvVfs&) = delete;

  // Unique in this process; for SqliteJournalOptions::vfs.
  [[nodiscard]] const std::string& name() const;

 private:
  friend Result<std::unique_ptr<EnvVfs>> RegisterEnvVfs(Env& env, EnvVfsOptions options);
  explicit EnvVfs(std::unique_ptr<EnvVfsState> state);
  std::unique_ptr<EnvVfsState> state_;
};

[[nodiscard]] Result<std::unique_ptr<EnvVfs>> RegisterEnvVfs(Env& env, EnvVfsOptions options = {});

}  // namespace staged
