#include "workspace/folder_lister.h"

#include <algorithm>
#include <utility>

namespace staged {
namespace {

// Bounds the memory that listings take before they are asked for.
constexpr size_t kFinishedMax = 256;

}  // namespace

FolderLister::FolderLister(Directory& directory, int threads) : directory_(directory) {
  for (int i = 1; i < threads; ++i) threads_.emplace_back([this] { WorkAhead(); });
}

FolderLister::~FolderLister() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void FolderLister::Expect(const std::vector<std::string>& folders) {
  if (threads_.empty() || folders.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    for (auto folder = folders.rbegin(); folder != folders.rend(); ++folder) {
      const auto [place, is_new] = listings_.try_emplace(*folder);
      if (is_new) waiting_.push_front(place);
    }
  }
  changed_.notify_all();
}

void FolderLister::ListNext(std::unique_lock<std::mutex>& lock) {
  const Listings::iterator next = waiting_.front();
  waiting_.pop_front();
  next->second.is_taken = true;
  lock.unlock();
  Result<std::vector<ListedItem>> items = directory_.ListWithStatus(next->first);
  lock.lock();
  next->second.items = std::move(items);
  ++finished_;
}

void FolderLister::WorkAhead() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock,
                  [this] { return stopping_ || (!waiting_.empty() && finished_ < kFinishedMax); });
    if (stopping_) return;
    ListNext(lock);
    changed_.notify_all();
  }
}

Result<std::vector<ListedItem>> FolderLister::List(const std::string& folder) {
  if (threads_.empty()) return directory_.ListWithStatus(folder);
  std::unique_lock lock(mutex_);
  const auto found = listings_.find(folder);
  if (found == listings_.end()) {
    lock.unlock();
    return directory_.ListWithStatus(folder);
  }
  if (!found->second.is_taken) {
    // First in line, as a rule: it was expected last.
    std::erase(waiting_, found);
    listings_.erase(found);
    lock.unlock();
    return directory_.ListWithStatus(folder);
  }
  // While another thread is at it, this one is better used than asleep.
  while (!found->second.items) {
    if (waiting_.empty()) {
      changed_.wait(lock, [&] { return found->second.items.has_value(); });
    } else {
      ListNext(lock);
    }
  }
  Result<std::vector<ListedItem>> items = *std::move(found->second.items);
  listings_.erase(found);
  if (finished_-- == kFinishedMax) changed_.notify_all();
  return items;
}

}  // namespace staged
