#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "derived/search_index.h"

namespace staged {

struct ParseProgress {
  uint64_t done = 0;
  uint64_t total = 0;   // of all that was ever added
  uint64_t failed = 0;  // of `done`: could not be read, or not be stored
};

struct ParsePoolOptions {
  unsigned parser_threads = 1;
  // Called from the pool's threads, never at the same time twice, and never with a lock held.
  std::function<void(const ParseProgress&)> on_progress;
};

// Parses, stores and indexes contents in the background: parsers work beside one writer, which
// puts many views into one transaction when there are many. Thread-safe.
class ParsePool {
 public:
  // `views` and `index` must outlive this. Threads start with the first request.
  ParsePool(ViewCache& views, SearchIndex& index, ParsePoolOptions options);
  // Ends what is being parsed; what is still queued is dropped.
  ~ParsePool();
  ParsePool(const ParsePool&) = delete;
  ParsePool& operator=(const ParsePool&) = delete;

  // Queues a content unless it is queued already. `bytes` is called at most once, from another
  // thread, and not at all when the view is stored and indexed already.
  void Add(const ContentHash& hash, const std::string& path, BytesProvider bytes);
  // Moves a queued content to the front and waits until it is done: stored and indexed, or failed.
  // Whether that was within the time; true at once for what is not queued.
  bool Wait(const ContentHash& hash, const std::string& path, int timeout_ms);
  bool WaitAll(int timeout_ms);
  [[nodiscard]] ParseProgress progress() const;

 private:
  struct Request {
    ViewKey key;
    std::string path;
    BytesProvider bytes;
  };
  struct KeyHasher {
    size_t operator()(const ViewKey& key) const noexcept {
      return std::hash<ContentHash>()(key.hash) * 31 + std::hash<std::string>()(key.extension);
    }
  };
  struct Parsed {
    PreparedView prepared;
    uint64_t weight_bytes = 0;
  };

  void ParseLoop();
  void WriteLoop();
  void ParseOne(const Request& request);
  void WriteBatch();
  // Takes the next parsed view if the batch may go on.
  bool TakeForBatch(std::deque<Parsed>& batch, uint64_t& batch_bytes);
  void Finish(const std::vector<ViewKey>& keys, uint64_t failed);

  ViewCache& views_;
  SearchIndex& index_;
  const ParsePoolOptions options_;

  mutable std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  std::deque<Request> queue_;
  std::deque<Parsed> parsed_;
  uint64_t parsed_bytes_ = 0;
  std::unordered_map<ViewKey, bool, KeyHasher> pending_;
  ParseProgress progress_;
  int waiters_ = 0;  // in Wait: somebody is impatient
  bool stopping_ = false;
  std::mutex progress_mutex_;  // held while on_progress runs
  std::vector<std::thread> threads_;
};

}  // namespace staged
