#pragma once

#include <sqlite3.h>

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "journal/env_vfs.h"

// The rules of SQLite's locks (https://www.sqlite.org/lockingv3.html, and sqlite3.h on xShmLock),
// for connections of one process.
namespace staged {

// What one open file holds.
struct EnvVfsHolder {
  int level = SQLITE_LOCK_NONE;
  bool has_memory = false;
  std::array<bool, SQLITE_SHM_NLOCK> shared{};
  std::array<bool, SQLITE_SHM_NLOCK> exclusive{};
};

// Thread-safe.
class EnvVfsLocks {
 public:
  int Lock(const std::string& path, EnvVfsHolder& holder, int level);
  int Unlock(const std::string& path, EnvVfsHolder& holder, int level);
  bool IsReserved(const std::string& path);

  int MapMemory(const std::string& path, EnvVfsHolder& holder, int region, int size_bytes,
                bool extend, void volatile** memory);
  int LockMemory(const std::string& path, EnvVfsHolder& holder, int first, int count, int flags);
  void UnmapMemory(const std::string& path, EnvVfsHolder& holder);
  void Barrier();

 private:
  struct Slot {
    int shared = 0;
    bool exclusive = false;
  };
  struct File {
    int shared = 0;
    const EnvVfsHolder* reserved = nullptr;  // RESERVED or more
    const EnvVfsHolder* pending = nullptr;   // PENDING or EXCLUSIVE
    int memory_users = 0;
    std::vector<std::vector<char>> regions;
    std::array<Slot, SQLITE_SHM_NLOCK> slots;
  };

  std::mutex mutex_;
  std::map<std::string, File> files_;
};

}  // namespace staged
