#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "staged/content_hash.h"
#include "staged/ext/env.h"
#include "staged/status.h"

namespace staged {

// The bytes that the last edit made: who edits step by step needs them again at once, and the store
// has to deflate a large member anew to give them. In memory, and in ".staged/derived/edited" for
// the next process: the content's hash (32 bytes), then the content. The file may be absent, torn
// or of anybody else: what does not have the hash is not given out. Thread-safe.
class EditedContent {
 public:
  // `staged` is the workspace's ".staged" and must outlive this.
  explicit EditedContent(Directory& staged) : staged_(staged) {}

  // nullptr for any other content. The caller makes sure that it was not forgotten.
  [[nodiscard]] std::shared_ptr<const std::string> Find(const ContentHash& hash);
  // Contents of more than 64 MiB are not kept.
  void Remember(const ContentHash& hash, std::string bytes);
  // For other processes. Best effort, without waiting for the disk.
  void Save(const ContentHash& hash, std::string_view bytes);
  // Whatever it is, also what a killed process left half written. Errors: kIoError.
  [[nodiscard]] Status Remove();

 private:
  Directory& staged_;
  std::mutex mutex_;  // guards the next two
  ContentHash hash_;
  std::shared_ptr<const std::string> bytes_;
};

}  // namespace staged
