#include <algorithm>
#include <cstring>

#include "env/simulated_disk.h"

namespace staged::simulated {

uint64_t Random::Next() {
  uint64_t mixed = (state_ += 0x9e3779b97f4a7c15);
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return mixed ^ (mixed >> 31);
}

std::string Content::Read(uint64_t offset, uint64_t size_bytes) const {
  if (offset >= size_bytes_) return {};
  std::string bytes(std::min(size_bytes, size_bytes_ - offset), '\0');
  for (uint64_t done = 0; done < bytes.size();) {
    const uint64_t position = offset + done;
    const uint64_t start = position % kBlockBytes;
    const uint64_t count = std::min(kBlockBytes - start, bytes.size() - done);
    if (const auto& block = blocks_[position / kBlockBytes]; block != nullptr) {
      std::memcpy(bytes.data() + done, block->data() + start, count);
    }
    done += count;
  }
  return bytes;
}

std::string& Content::MutableBlock(uint64_t index) {
  std::shared_ptr<std::string>& block = blocks_[index];
  if (block == nullptr) {
    block = std::make_shared<std::string>(kBlockBytes, '\0');
  } else if (block.use_count() > 1) {
    block = std::make_shared<std::string>(*block);
  }
  return *block;
}

void Content::Write(uint64_t offset, std::string_view bytes) {
  if (bytes.empty()) return;
  if (offset + bytes.size() > size_bytes_) Resize(offset + bytes.size());
  for (uint64_t done = 0; done < bytes.size();) {
    const uint64_t position = offset + done;
    const uint64_t start = position % kBlockBytes;
    const uint64_t count = std::min<uint64_t>(kBlockBytes - start, bytes.size() - done);
    std::memcpy(MutableBlock(position / kBlockBytes).data() + start, bytes.data() + done, count);
    done += count;
  }
}

void Content::Resize(uint64_t size_bytes) {
  const uint64_t tail = size_bytes % kBlockBytes;
  blocks_.resize((size_bytes + kBlockBytes - 1) / kBlockBytes);
  if (size_bytes < size_bytes_ && tail != 0 && blocks_.back() != nullptr) {
    std::memset(MutableBlock(blocks_.size() - 1).data() + tail, 0, kBlockBytes - tail);
  }
  size_bytes_ = size_bytes;
}

}  // namespace staged::simulated
