#include "derived/parse_pool.h"

#include <algorithm>
#include <chrono>

namespace staged {
namespace {

// What may wait for the writer, and what one transaction takes at most: large enough that the
// index merges little, small enough that other processes get their turn to write.
constexpr uint64_t kParsedBytesMax = uint64_t{64} << 20;
constexpr uint64_t kBatchBytesMax = uint64_t{48} << 20;

uint64_t WeightOf(const PreparedView& prepared) {
  uint64_t weight_bytes = 1024;
  for (const EncodedSegment& segment : prepared.encoded.segments) {
    weight_bytes += segment.body.size();
  }
  for (const SegmentRows& rows : prepared.rows) {
    weight_bytes += rows.titles.text.size() + rows.bodies.text.size();
  }
  return weight_bytes;
}

}  // namespace

ParsePool::ParsePool(ViewCache& views, SearchIndex& index, ParsePoolOptions options)
    : views_(views), index_(index), options_(std::move(options)) {}

ParsePool::~ParsePool() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ParsePool::Add(const ContentHash& hash, const std::string& path, BytesProvider bytes) {
  std::lock_guard<std::mutex> lock(mutex_);
  const ViewKey key{hash, ExtensionOf(path)};
  if (!pending_.emplace(key, true).second) return;
  ++progress_.total;
  queue_.push_back({key, path, std::move(bytes)});
  if (threads_.empty()) {
    threads_.emplace_back([this] { WriteLoop(); });
    for (unsigned i = 0; i < std::max(1u, options_.parser_threads); ++i) {
      threads_.emplace_back([this] { ParseLoop(); });
    }
  }
  changed_.notify_all();
}

bool ParsePool::Wait(const ContentHash& hash, const std::string& path, int timeout_ms) {
  const ViewKey key{hash, ExtensionOf(path)};
  std::unique_lock<std::mutex> lock(mutex_);
  const auto place = std::find_if(queue_.begin(), queue_.end(),
                                  [&](const Request& request) { return request.key == key; });
  if (place != queue_.end()) {
    Request request = std::move(*place);
    queue_.erase(place);
    queue_.push_front(std::move(request));
  }
  ++waiters_;
  const bool done = changed_.wait_for(lock, std::chrono::milliseconds(timeout_ms),
                                      [&] { return !pending_.contains(key); });
  --waiters_;
  return done;
}

bool ParsePool::WaitAll(int timeout_ms) {
  std::unique_lock<std::mutex> lock(mutex_);
  return changed_.wait_for(lock, std::chrono::milliseconds(timeout_ms),
                           [&] { return pending_.empty(); });
}

ParseProgress ParsePool::progress() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return progress_;
}

void ParsePool::ParseLoop() {
  while (true) {
    Request request;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.wait(
          lock, [&] { return stopping_ || (!queue_.empty() && parsed_bytes_ < kParsedBytesMax); });
      if (stopping_) return;
      request = std::move(queue_.front());
      queue_.pop_front();
    }
    ParseOne(request);
  }
}

void ParsePool::ParseOne(const Request& request) {
  if (index_.HasIndexed({request.key})[0]) return Finish({request.key}, 0);
  std::shared_ptr<const View> view = views_.Find(request.key.hash, request.path);
  if (view == nullptr) {
    Result<std::string> bytes = request.bytes();
    Result<std::shared_ptr<const View>> parsed =
        bytes.ok() ? views_.Parse(*bytes, request.key)
                   : Result<std::shared_ptr<const View>>(bytes.status());
    if (!parsed.ok()) return Finish({request.key}, 1);
    view = *std::move(parsed);
  }
  Parsed parsed{index_.Prepare(request.key, view), 0};
  parsed.weight_bytes = WeightOf(parsed.prepared);
  std::lock_guard<std::mutex> lock(mutex_);
  parsed_bytes_ += parsed.weight_bytes;
  parsed_.push_back(std::move(parsed));
  changed_.notify_all();
}

void ParsePool::WriteLoop() {
  while (true) {
    {
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.wait(lock, [&] { return stopping_ || !parsed_.empty(); });
      if (stopping_ && parsed_.empty()) return;
    }
    WriteBatch();
  }
}

bool ParsePool::TakeForBatch(std::deque<Parsed>& batch, uint64_t& batch_bytes) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (!batch.empty()) {
    if (batch_bytes > kBatchBytesMax || waiters_ > 0) return false;
    // Nothing is ready, but more is coming: a longer transaction is cheaper than two.
    changed_.wait_for(lock, std::chrono::milliseconds(20), [&] {
      return stopping_ || waiters_ > 0 || !parsed_.empty() || batch.size() == pending_.size();
    });
  }
  if (parsed_.empty()) return false;
  batch.push_back(std::move(parsed_.front()));
  parsed_.pop_front();
  batch_bytes += batch.back().weight_bytes;
  parsed_bytes_ -= batch.back().weight_bytes;
  changed_.notify_all();
  return true;
}

void ParsePool::WriteBatch() {
  std::deque<Parsed> batch;
  uint64_t batch_bytes = 0;
  const Status written =
      views_.database().Write(LockWait::kWait, [&](Connection& connection) -> Status {
        // Runs anew after the database was repaired: with what it had taken.
        for (const Parsed& parsed : batch) {
          STAGED_RETURN_IF_ERROR(index_.Write(connection, parsed.prepared));
        }
        while (TakeForBatch(batch, batch_bytes)) {
          STAGED_RETURN_IF_ERROR(index_.Write(connection, batch.back().prepared));
        }
        return OkStatus();
      });
  if (batch.empty()) {
    // The lock was not to be had. What cannot be stored now is made by whoever needs it next.
    std::lock_guard<std::mutex> lock(mutex_);
    if (!written.ok() && !parsed_.empty()) {
      parsed_bytes_ -= parsed_.front().weight_bytes;
      batch.push_back(std::move(parsed_.front()));
      parsed_.pop_front();
    }
  }
  std::vector<ViewKey> keys;
  for (const Parsed& parsed : batch) keys.push_back(parsed.prepared.encoded.key);
  Finish(keys, written.ok() ? 0 : keys.size());
}

void ParsePool::Finish(const std::vector<ViewKey>& keys, uint64_t failed) {
  // Taken first, so that reports come in the order of what they say.
  std::lock_guard<std::mutex> progress_lock(progress_mutex_);
  ParseProgress progress;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    progress_.done += keys.size();
    progress_.failed += failed;
    progress = progress_;
  }
  if (options_.on_progress) options_.on_progress(progress);
  {
    std::lock_guard<std::mutex> lock(mutex_);
    for (const ViewKey& key : keys) pending_.erase(key);
  }
  changed_.notify_all();
}

}  // namespace staged
