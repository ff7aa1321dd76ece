#include <algorithm>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#include "store/content_cutter.h"
#include "store/object_writer.h"

namespace staged {
namespace {

struct Job {
  std::string bytes;
  ContentHash hash;
  CutContent cut;
  EncodedBundle bundle;
  bool done = false;
};

// Threads that cut and compress. They do no I/O: that stays with the caller, in the order of Add,
// so that the same calls always write the same pack.
class Workers {
 public:
  explicit Workers(int count) {
    for (int i = 0; i < count; ++i) threads_.emplace_back([this] { Run(); });
  }

  ~Workers() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  void Start(Job& job) {
    {
      const std::lock_guard lock(mutex_);
      queue_.push_back(&job);
    }
    wake_.notify_one();
  }

  void WaitFor(const Job& job) {
    std::unique_lock lock(mutex_);
    if (job.done) return;
    // Rather than wait, the caller takes a hand in the work.
    while (!job.done && !queue_.empty()) RunNext(lock);
    finished_.wait(lock, [&] { return job.done; });
  }

  bool IsDone(const Job& job) {
    const std::lock_guard lock(mutex_);
    return job.done;
  }

 private:
  void Run() {
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [&] { return stop_ || !queue_.empty(); });
      if (stop_) return;
      RunNext(lock);
    }
  }

  void RunNext(std::unique_lock<std::mutex>& lock) {
    Job& job = *queue_.front();
    queue_.pop_front();
    lock.unlock();
    job.cut = CutForStorage(job.bytes, {}, 1, &job.hash);
    job.bundle = BuildBundle(job.cut, KnownChunks(), 1);
    lock.lock();
    job.done = true;
    finished_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable finished_;
  std::deque<Job*> queue_;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

class PackBatch : public PutBatch {
 public:
  PackBatch(BundleCatalog& catalog, const ObjectStoreOptions& options)
      : catalog_(catalog), options_(options) {}

  Result<ContentHash> Add(std::string_view bytes) override {
    STAGED_RETURN_IF_ERROR(failure_);
    if (bytes.size() > kContentSizeMaxBytes) {
      return Status(ErrorCode::kLimitExceeded,
                    "the content is larger than an object may be; split it");
    }
    const ContentHash hash = ContentHash::Of(bytes);
    if (!added_.insert(hash).second) return hash;
    Result<Existing> existing = FindExisting(catalog_, hash, bytes, std::exchange(first_, false));
    if (!existing.ok()) return Fail(existing.status());
    if (existing->sound) {
      places_.push_back(existing->place);
      return hash;
    }
    // A damaged loose file would be found before the pack's sound bundle is tried; it goes now.
    if (existing->damaged_loose) {
      const Status put = PutLoose(catalog_, bytes, {}, options_.threads).status();
      if (!put.ok()) return Fail(put);
      return hash;
    }
    Start(hash, bytes);
    const Status drained = Drain(options_.batch_memory_bytes);
    if (!drained.ok()) return Fail(drained);
    return hash;
  }

  Status Commit() override {
    STAGED_RETURN_IF_ERROR(failure_);
    // What follows is done once: a second Commit of a batch that failed cannot know what is there.
    failure_ = Status(ErrorCode::kInvalidArgument, "the batch was committed; make a new one");
    for (const BundlePlace& place : places_) STAGED_RETURN_IF_ERROR(catalog_.MakeDurable(place));
    if (writer_ == nullptr && jobs_.size() <= 1) {
      if (jobs_.empty()) return OkStatus();
      workers_->WaitFor(*jobs_.front());
      return catalog_.WriteLoose(jobs_.front()->bundle, /*replace=*/false);
    }
    STAGED_RETURN_IF_ERROR(Drain(0));
    return writer_->Finish().status();
  }

 private:
  Status Fail(const Status& status) {
    failure_ = status;
    return status;
  }

  void Start(const ContentHash& hash, std::string_view bytes) {
    if (workers_ == nullptr) {
      workers_ = std::make_unique<Workers>(std::max(1, options_.threads - 1));
    }
    auto job = std::make_unique<Job>();
    job->bytes = bytes;
    job->hash = hash;
    pending_bytes_ += bytes.size();
    jobs_.push_back(std::move(job));
    workers_->Start(*jobs_.back());
  }

  // Writes the oldest jobs until no more than `keep_bytes` are in memory.
  Status Drain(uint64_t keep_bytes) {
    while (!jobs_.empty() && (pending_bytes_ > keep_bytes || keep_bytes == 0)) {
      Job& job = *jobs_.front();
      workers_->WaitFor(job);
      if (writer_ == nullptr) {
        STAGED_ASSIGN_OR_RETURN(writer_, PackWriter::Create(catalog_.env(), catalog_.objects()));
      }
      STAGED_RETURN_IF_ERROR(writer_->Append(job.bundle));
      pending_bytes_ -= job.bytes.size();
      jobs_.pop_front();
    }
    return OkStatus();
  }

  BundleCatalog& catalog_;
  const ObjectStoreOptions options_;
  Status failure_;
  bool first_ = true;
  std::unordered_set<ContentHash> added_;
  std::vector<BundlePlace> places_;  // of what was there before
  std::deque<std::unique_ptr<Job>> jobs_;
  uint64_t pending_bytes_ = 0;
  std::unique_ptr<PackWriter> writer_;
  std::unique_ptr<Workers> workers_;  // last: stops before the jobs go
};

}  // namespace

std::unique_ptr<PutBatch> MakePackBatch(BundleCatalog& catalog, const ObjectStoreOptions& options) {
  return std::make_unique<PackBatch>(catalog, options);
}

}  // namespace staged
