#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <thread>

namespace staged {

void ParallelFor(size_t count, int threads, const std::function<void(size_t)>& task) {
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t i = next++; i < count; i = next++) task(i);
  };
  std::vector<std::thread> helpers;
  const size_t helper_count = std::min<size_t>(count, static_cast<size_t>(std::max(threads, 1)));
  for (size_t i = 1; i < helper_count; ++i) helpers.emplace_back(work);
  work();
  for (std::thread& helper : helpers) helper.join();
}

}  // namespace staged
