#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace staged {

// Runs task(0) .. task(count - 1), each once, on the calling thread and up to `threads` - 1 others;
// returns when all are done. Tasks are started in order.
void ParallelFor(size_t count, int threads, const std::function<void(size_t)>& task);

}  // namespace staged
