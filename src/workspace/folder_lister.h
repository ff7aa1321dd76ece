#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "staged/ext/env.h"

namespace staged {

// Lists folders with the status of their items, and those that will be asked for soon on other
// threads ahead: what a large tree's scan waits for is one system call a file. List and Expect are
// for one thread, the scan's own.
class FolderLister {
 public:
  // With less than two threads (the caller's own counts) nothing is listed ahead. `directory` must
  // outlive this.
  FolderLister(Directory& directory, int threads);
  ~FolderLister();
  FolderLister(const FolderLister&) = delete;
  FolderLister& operator=(const FolderLister&) = delete;

  // These will be asked for in this order, and before those that were expected earlier.
  void Expect(const std::vector<std::string>& folders);
  // Directory::ListWithStatus of that folder, from this call or from just before it.
  Result<std::vector<ListedItem>> List(const std::string& folder);

 private:
  struct Listing {
    bool is_taken = false;
    std::optional<Result<std::vector<ListedItem>>> items;
  };
  using Listings = std::map<std::string, Listing>;

  void WorkAhead();
  // Takes the next folder that nobody lists and lists it. REQUIRES: `lock` is held and there is
  // one; it is released meanwhile.
  void ListNext(std::unique_lock<std::mutex>& lock);

  Directory& directory_;
  std::mutex mutex_;  // guards all below but the threads
  std::condition_variable changed_;
  Listings listings_;                       // what is expected and was not asked for yet
  std::deque<Listings::iterator> waiting_;  // those of them that nobody lists
  size_t finished_ = 0;                     // those of them that are there
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace staged
