#include "store/sequential_writer.h"

namespace staged {
namespace {

constexpr size_t kBufferBytes = 1 << 20;
constexpr size_t kDirectBytes = 256 << 10;

}  // namespace

Status SequentialWriter::Append(std::string_view bytes) {
  if (bytes.size() >= kDirectBytes) {
    STAGED_RETURN_IF_ERROR(Flush());
    STAGED_RETURN_IF_ERROR(file_.WriteAt(written_bytes_, bytes));
    written_bytes_ += bytes.size();
    return OkStatus();
  }
  if (buffer_.empty()) buffer_.reserve(kBufferBytes + kDirectBytes);
  buffer_.append(bytes);
  return buffer_.size() >= kBufferBytes ? Flush() : OkStatus();
}

Status SequentialWriter::Flush() {
  if (buffer_.empty()) return OkStatus();
  STAGED_RETURN_IF_ERROR(file_.WriteAt(written_bytes_, buffer_));
  written_bytes_ += buffer_.size();
  buffer_.clear();
  return OkStatus();
}

}  // namespace staged
