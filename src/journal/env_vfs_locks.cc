#include "journal/env_vfs_locks.h"

namespace staged {

std::shared_ptr<EnvVfsLocks> MakeEnvVfsLocks() { return std::make_shared<EnvVfsLocks>(); }

int EnvVfsLocks::Lock(const std::string& path, EnvVfsHolder& holder, int level) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (holder.level >= level) return SQLITE_OK;
  File& file = files_[path];
  if (level == SQLITE_LOCK_SHARED) {
    if (file.pending != nullptr) return SQLITE_BUSY;
    ++file.shared;
    holder.level = SQLITE_LOCK_SHARED;
    return SQLITE_OK;
  }
  if (file.reserved != nullptr && file.reserved != &holder) return SQLITE_BUSY;
  file.reserved = &holder;
  if (level == SQLITE_LOCK_RESERVED) {
    holder.level = level;
    return SQLITE_OK;
  }
  file.pending = &holder;  // keeps new readers out while the last ones leave
  holder.level = SQLITE_LOCK_PENDING;
  if (level == SQLITE_LOCK_EXCLUSIVE) {
    if (file.shared > 1) return SQLITE_BUSY;
    holder.level = level;
  }
  return SQLITE_OK;
}

int EnvVfsLocks::Unlock(const std::string& path, EnvVfsHolder& holder, int level) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (holder.level <= level) return SQLITE_OK;
  File& file = files_[path];
  if (file.reserved == &holder) file.reserved = nullptr;
  if (file.pending == &holder) file.pending = nullptr;
  if (level == SQLITE_LOCK_NONE) --file.shared;
  holder.level = level;
  return SQLITE_OK;
}

bool EnvVfsLocks::IsReserved(const std::string& path) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return files_[path].reserved != nullptr;
}

int EnvVfsLocks::MapMemory(const std::string& path, EnvVfsHolder& holder, int region,
                           int size_bytes, bool extend, void volatile** memory) {
  const std::lock_guard<std::mutex> lock(mutex_);
  File& file = files_[path];
  if (!holder.has_memory) {
    holder.has_memory = true;
    ++file.memory_users;
  }
  const auto index = static_cast<size_t>(region);
  *memory = nullptr;
  if (index >= file.regions.size()) {
    if (!extend) return SQLITE_OK;
    file.regions.resize(index + 1);
  }
  // A region stays where it is: growing the outer vector moves the inner ones' handles only.
  if (file.regions[index].empty()) file.regions[index].resize(static_cast<size_t>(size_bytes));
  *memory = file.regions[index].data();
  return SQLITE_OK;
}

int EnvVfsLocks::LockMemory(const std::string& path, EnvVfsHolder& holder, int first, int count,
                            int flags) {
  const std::lock_guard<std::mutex> lock(mutex_);
  File& file = files_[path];
  const bool shared = (flags & SQLITE_SHM_SHARED) != 0;
  if ((flags & SQLITE_SHM_LOCK) != 0) {
    for (int i = first; i < first + count; ++i) {
      const Slot& slot = file.slots[i];
      const int others = slot.shared - (holder.shared[i] ? 1 : 0);
      if ((slot.exclusive && !holder.exclusive[i]) || (!shared && others > 0)) return SQLITE_BUSY;
    }
  }
  for (int i = first; i < first + count; ++i) {
    Slot& slot = file.slots[i];
    bool& held = shared ? holder.shared[i] : holder.exclusive[i];
    const bool wanted = (flags & SQLITE_SHM_LOCK) != 0;
    if (held == wanted) continue;
    held = wanted;
    if (shared) {
      slot.shared += wanted ? 1 : -1;
    } else {
      slot.exclusive = wanted;
    }
  }
  return SQLITE_OK;
}

void EnvVfsLocks::UnmapMemory(const std::string& path, EnvVfsHolder& holder) {
  for (int i = 0; i < SQLITE_SHM_NLOCK; ++i) {
    LockMemory(path, holder, i, 1, SQLITE_SHM_UNLOCK | SQLITE_SHM_SHARED);
    LockMemory(path, holder, i, 1, SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE);
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!holder.has_memory) return;
  holder.has_memory = false;
  File& file = files_[path];
  // The last one takes it along; the next to come recovers it from the log.
  if (--file.memory_users == 0) file.regions.clear();
}

void EnvVfsLocks::Barrier() { const std::lock_guard<std::mutex> lock(mutex_); }

}  // namespace staged
