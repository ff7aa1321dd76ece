#include "env/posix_watcher.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <ctime>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "env/posix_directory.h"

#if defined(__linux__)
#include <sys/inotify.h>
#endif

namespace staged::posix {
namespace {

using Skip = std::function<bool(const std::string&)>;

std::string Join(const std::string& directory, std::string_view name) {
  return directory.empty() ? std::string(name) : directory + "/" + std::string(name);
}

int64_t MonotonicMs() {
  struct timespec time = {};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * int64_t{1000} + time.tv_nsec / 1'000'000;
}

// Compares the status of everything below the directory with what it was at the last call.
class PollingWatcher : public Watcher {
 public:
  PollingWatcher(std::unique_ptr<Directory> directory, Skip skip)
      : directory_(std::move(directory)), skip_(std::move(skip)) {}

  Status Start() { return Scan("", &known_); }

  Result<std::vector<std::string>> Wait(int timeout_ms) override {
    constexpr int64_t kIntervalMs = 50;
    const int64_t deadline_ms = MonotonicMs() + timeout_ms;
    while (true) {
      std::map<std::string, FileStatus> found;
      STAGED_RETURN_IF_ERROR(Scan("", &found));
      std::vector<std::string> touched = Compare(found);
      known_ = std::move(found);
      const int64_t left_ms = deadline_ms - MonotonicMs();
      if (!touched.empty() || left_ms <= 0) return touched;
      (void)poll(nullptr, 0, static_cast<int>(std::min(left_ms, kIntervalMs)));
    }
  }

 private:
  Status Scan(const std::string& path, std::map<std::string, FileStatus>* found) {
    Result<std::vector<DirectoryItem>> items = directory_->List(path);
    if (!items.ok()) {
      // Removed or replaced since it was listed: the next scan tells.
      return path.empty() ? items.status() : OkStatus();
    }
    for (const DirectoryItem& item : *items) {
      const std::string child = Join(path, item.name);
      const Result<FileStatus> status = directory_->Stat(child);
      if (!status.ok()) continue;
      const bool is_directory = status->kind == FileKind::kDirectory;
      if (is_directory && skip_ && skip_(child)) continue;
      found->emplace(child, *status);
      if (is_directory) STAGED_RETURN_IF_ERROR(Scan(child, found));
    }
    return OkStatus();
  }

  [[nodiscard]] std::vector<std::string> Compare(
      const std::map<std::string, FileStatus>& found) const {
    std::vector<std::string> touched;
    auto before = known_.begin();
    auto now = found.begin();
    while (before != known_.end() || now != found.end()) {
      if (now == found.end() || (before != known_.end() && before->first < now->first)) {
        touched.push_back((before++)->first);
      } else if (before == known_.end() || now->first < before->first) {
        touched.push_back((now++)->first);
      } else {
        // A directory's own times change with its items, which are reported themselves.
        const bool is_directory = now->second.kind == FileKind::kDirectory &&
                                  before->second.kind == FileKind::kDirectory &&
                                  now->second.inode == before->second.inode;
        if (!is_directory && !(now->second == before->second)) touched.push_back(now->first);
        ++before;
        ++now;
      }
    }
    return touched;
  }

  std::unique_ptr<Directory> directory_;
  Skip skip_;
  std::map<std::string, FileStatus> known_;
};

#if defined(__linux__)

// One inotify watch a directory. Watches are kept by relative path; a directory that is moved loses
// those below it and gets new ones where it turns up.
class InotifyWatcher : public Watcher {
 public:
  InotifyWatcher(Descriptor inotify, Descriptor root, Skip skip, const PosixEnvOptions& options)
      : inotify_(std::move(inotify)),
        root_(std::move(root)),
        skip_(std::move(skip)),
        options_(options) {}

  // ENOSPC and the like: too many directories for this system's limit of watches.
  [[nodiscard]] int Start() { return WatchTree("", nullptr); }

  Result<std::vector<std::string>> Wait(int timeout_ms) override {
    const int64_t deadline_ms = MonotonicMs() + timeout_ms;
    std::set<std::string> touched;
    while (true) {
      STAGED_RETURN_IF_ERROR(Drain(&touched));
      if (IsRootRemoved()) touched.insert("");
      const int64_t left_ms = deadline_ms - MonotonicMs();
      if (!touched.empty() || left_ms <= 0) break;
      struct pollfd ready = {inotify_.get(), POLLIN, 0};
      if (poll(&ready, 1, static_cast<int>(left_ms)) < 0 && errno != EINTR) {
        return ErrorStatus(errno, "watch", "");
      }
    }
    // "Anything" includes all the others.
    if (touched.contains("")) return std::vector<std::string>{""};
    return std::vector<std::string>(touched.begin(), touched.end());
  }

 private:
  static constexpr uint32_t kEvents = IN_CREATE | IN_DELETE | IN_MODIFY | IN_ATTRIB |
                                      IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF |
                                      IN_ONLYDIR;

  // There is no event for it while the root is held open.
  [[nodiscard]] bool IsRootRemoved() const {
    struct stat status;
    return fstat(root_.get(), &status) == 0 && status.st_nlink == 0;
  }

  // Watches the directory `path` and all below it; what is found there goes to `found` if not null.
  // A directory that is gone is not an error.
  int WatchTree(const std::string& path, std::set<std::string>* found) {
    if (!path.empty() && skip_ && skip_(path)) return 0;
    Descriptor directory =
        path.empty() ? Descriptor(openat(root_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC))
                     : OpenBeneath(root_.get(), path, O_RDONLY | O_DIRECTORY, 0, options_);
    if (!directory.valid()) return path.empty() ? -1 : 0;
    // By descriptor, because a name could meanwhile have become a symlink to elsewhere.
    const std::string handle = "/proc/self/fd/" + std::to_string(directory.get());
    const int watch = inotify_add_watch(inotify_.get(), handle.c_str(), kEvents);
    if (watch < 0) return -1;
    if (const auto [known, is_new] = paths_.try_emplace(watch, path); !is_new) {
      watches_.erase(known->second);
      known->second = path;
    }
    watches_[path] = watch;
    // Listed after the watch is set: what comes later is told by an event.
    const Result<std::vector<DirectoryItem>> items = ListItems(std::move(directory), path);
    if (!items.ok()) return 0;
    for (const DirectoryItem& item : *items) {
      const std::string child = Join(path, item.name);
      if (found != nullptr) found->insert(child);
      if (item.kind == FileKind::kDirectory && WatchTree(child, found) != 0) return -1;
    }
    return 0;
  }

  void Forget(const std::string& path) {
    const std::string prefix = path + "/";
    for (auto item = watches_.lower_bound(path); item != watches_.end();) {
      const bool is_below = item->first == path || path.empty() || item->first.starts_with(prefix);
      if (!is_below) {
        if (item->first > prefix) break;
        ++item;
        continue;
      }
      (void)inotify_rm_watch(inotify_.get(), item->second);
      paths_.erase(item->second);
      item = watches_.erase(item);
    }
  }

  // After lost events neither the watches nor the paths below can be trusted.
  Status StartOver(std::set<std::string>* touched) {
    Forget("");
    touched->insert("");
    if (WatchTree("", nullptr) != 0) return ErrorStatus(errno, "watch", ".");
    return OkStatus();
  }

  Status Drain(std::set<std::string>* touched) {
    alignas(struct inotify_event) std::array<char, 1 << 16> buffer;
    while (true) {
      const ssize_t size =
          Retry([&] { return read(inotify_.get(), buffer.data(), buffer.size()); });
      if (size < 0 && errno == EAGAIN) return OkStatus();
      if (size < 0) return ErrorStatus(errno, "watch", ".");
      for (ssize_t position = 0; position < size;) {
        struct inotify_event event;
        std::memcpy(&event, buffer.data() + position, sizeof(event));
        const char* name = buffer.data() + position + sizeof(event);
        STAGED_RETURN_IF_ERROR(Handle(event, event.len > 0 ? name : "", touched));
        position += static_cast<ssize_t>(sizeof(event) + event.len);
      }
    }
  }

  Status Handle(const struct inotify_event& event, std::string_view name,
                std::set<std::string>* touched) {
    if ((event.mask & IN_Q_OVERFLOW) != 0) return StartOver(touched);
    const auto known = paths_.find(event.wd);
    if (known == paths_.end()) return OkStatus();  // a watch forgotten meanwhile
    const std::string directory = known->second;
    if ((event.mask & (IN_IGNORED | IN_DELETE_SELF | IN_MOVE_SELF)) != 0) {
      // Below the root its parent tells; the root itself has none that is watched.
      if (directory.empty()) touched->insert("");
      if ((event.mask & IN_IGNORED) != 0) {
        watches_.erase(directory);
        paths_.erase(known);
      }
      return OkStatus();
    }
    if (name.empty()) return OkStatus();  // the directory's own attributes; its parent tells
    const std::string path = Join(directory, name);
    const bool is_directory = (event.mask & IN_ISDIR) != 0;
    if (is_directory && skip_ && skip_(path)) return OkStatus();
    touched->insert(path);
    if (is_directory && (event.mask & (IN_MOVED_FROM | IN_DELETE)) != 0) Forget(path);
    if (is_directory && (event.mask & (IN_MOVED_TO | IN_CREATE)) != 0 &&
        WatchTree(path, touched) != 0) {
      return ErrorStatus(errno, "watch", path);
    }
    return OkStatus();
  }

  Descriptor inotify_;
  Descriptor root_;
  Skip skip_;
  const PosixEnvOptions options_;
  std::map<int, std::string> paths_;    // by watch
  std::map<std::string, int> watches_;  // by path
};

std::unique_ptr<Watcher> TryInotify(int root, const Skip& skip, const PosixEnvOptions& options) {
  if (!options.use_inotify) return nullptr;
  Descriptor inotify(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  Descriptor own_root(fcntl(root, F_DUPFD_CLOEXEC, 0));
  if (!inotify.valid() || !own_root.valid()) return nullptr;
  auto watcher =
      std::make_unique<InotifyWatcher>(std::move(inotify), std::move(own_root), skip, options);
  if (watcher->Start() != 0) return nullptr;
  return watcher;
}

#else

std::unique_ptr<Watcher> TryInotify(int, const Skip&, const PosixEnvOptions&) { return nullptr; }

#endif

}  // namespace

Result<std::unique_ptr<Watcher>> NewWatcher(Descriptor root, std::unique_ptr<Directory> directory,
                                            Skip skip, const PosixEnvOptions& options) {
  if (auto watcher = TryInotify(root.get(), skip, options); watcher != nullptr) return watcher;
  auto watcher = std::make_unique<PollingWatcher>(std::move(directory), std::move(skip));
  STAGED_RETURN_IF_ERROR(watcher->Start());
  return std::unique_ptr<Watcher>(std::move(watcher));
}

}  // namespace staged::posix
