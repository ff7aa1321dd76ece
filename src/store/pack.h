#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "staged/ext/env.h"
#include "staged/status.h"
#include "store/bundle_builder.h"
#include "store/sequential_writer.h"

namespace staged {

struct PackEntry {
  BundleKey key;
  uint64_t offset = 0;
  uint64_t size_bytes = 0;
  uint64_t native_size_bytes = 0;
  BundleKind kind = BundleKind::kContent;

  friend bool operator==(const PackEntry&, const PackEntry&) = default;
};

// The footer: where the index is and how it is cut into slices by the hash's first byte, so that a
// look-up reads one slice and a damaged slice is known.
struct PackFooter {
  struct Slice {
    uint64_t end = 0;  // count of the entries in this slice and all before it
    uint64_t checksum = 0;
  };
  std::array<Slice, kPackSliceCount> slices{};
  uint64_t index_offset = 0;

  [[nodiscard]] uint64_t first(size_t slice) const {
    return slice == 0 ? 0 : slices[slice - 1].end;
  }
  [[nodiscard]] uint64_t count() const { return slices.back().end; }
};

[[nodiscard]] std::string EncodePackHead();
// Errors: kDataLoss, kUnsupportedEdit (newer version).
[[nodiscard]] Status CheckPackHead(std::string_view bytes);
// Index and footer of the entries, which it sorts.
[[nodiscard]] std::string EncodePackIndex(std::vector<PackEntry>& entries, uint64_t index_offset);
// `bytes` are the file's last kPackFooterSizeBytes. Errors: as CheckPackHead.
[[nodiscard]] Result<PackFooter> DecodePackFooter(std::string_view bytes, uint64_t file_size_bytes);
// Errors: kDataLoss.
[[nodiscard]] Result<std::vector<PackEntry>> DecodePackSlice(std::string_view bytes,
                                                             const PackFooter& footer,
                                                             size_t slice);

// A pack's index. Where it is damaged, the bundles are found by reading the pack from its start.
// Thread-safe.
class Pack {
 public:
  // `file` is relative to the objects folder. Never fails for damage; errors: kNotFound, kIoError,
  // kUnsupportedEdit.
  [[nodiscard]] static Result<std::shared_ptr<Pack>> Open(Directory& objects, std::string file);

  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] uint64_t size_bytes() const { return size_bytes_; }
  [[nodiscard]] Result<std::vector<PackEntry>> Find(const ContentHash& hash);
  // All of them, sorted by key.
  [[nodiscard]] Result<std::vector<PackEntry>> Entries();
  // What is wrong with the pack itself, empty if nothing was noticed so far.
  [[nodiscard]] std::string damage();

 private:
  Pack(Directory& objects, std::string file) : objects_(objects), file_(std::move(file)) {}

  // Entries of that slice, loaded on first use.
  [[nodiscard]] Result<const std::vector<PackEntry>*> Slice(size_t slice);
  [[nodiscard]] Result<std::vector<PackEntry>> LoadSlice(File& file, size_t slice);
  [[nodiscard]] Status ScanLocked(std::string_view reason);

  Directory& objects_;
  const std::string file_;
  uint64_t size_bytes_ = 0;
  std::mutex mutex_;
  PackFooter footer_;
  std::array<std::unique_ptr<std::vector<PackEntry>>, kPackSliceCount> slices_;
  std::string damage_;
};

// Writes a new pack as a temporary file; nothing is seen of it before Finish. Not thread-safe.
class PackWriter {
 public:
  [[nodiscard]] static Result<std::unique_ptr<PackWriter>> Create(Env& env, Directory& objects);
  // Removes the temporary file unless Finish succeeded.
  ~PackWriter();

  [[nodiscard]] Status Append(const EncodedBundle& bundle);
  [[nodiscard]] uint64_t size_bytes() const { return writer_->size_bytes(); }
  // Durable on return: the pack's file, relative to the objects folder.
  [[nodiscard]] Result<std::string> Finish();

 private:
  PackWriter(Directory& objects, std::string name) : objects_(objects), name_(std::move(name)) {}

  Directory& objects_;
  const std::string name_;
  std::unique_ptr<File> file_;
  std::unique_ptr<SequentialWriter> writer_;
  std::vector<PackEntry> entries_;
  bool finished_ = false;
};

// The path of a new temporary file in the objects folder; its name was never used before.
[[nodiscard]] std::string NewTemporaryPath(Env& env);

}  // namespace staged
