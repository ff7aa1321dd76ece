#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "staged/ext/env.h"
#include "staged/status.h"
#include "store/bundle.h"

namespace staged {

// Where a bundle lies.
struct BundlePlace {
  std::string file;         // relative to the objects folder
  uint64_t offset = 0;      // of its first byte
  uint64_t size_bytes = 0;  // 0: to the end of the file

  friend auto operator<=>(const BundlePlace&, const BundlePlace&) = default;
};

// A bundle opened for reading; its header is proven, its payloads are not. Not thread-safe.
class BundleFile {
 public:
  // `hash`: the bundle's, as the file's name or an index says. Errors: kNotFound (no such file),
  // kDataLoss (damaged, or another object's), kUnsupportedEdit (newer), kIoError.
  [[nodiscard]] static Result<BundleFile> Open(Directory& objects, const BundlePlace& place,
                                               const ContentHash& hash);

  [[nodiscard]] const BundleHeader& header() const { return header_; }
  [[nodiscard]] const BundlePlace& place() const { return place_; }
  [[nodiscard]] uint64_t size_bytes() const { return size_bytes_; }
  // `size_bytes` stored bytes at `offset` from the bundle's start. Errors: kDataLoss, kIoError.
  [[nodiscard]] Result<std::string> Read(uint64_t offset, uint64_t size_bytes);
  // A damage of this bundle, as an error that names object and file.
  [[nodiscard]] Status Damage(std::string_view what, uint64_t offset) const;

 private:
  BundleFile() = default;

  BundlePlace place_;
  uint64_t size_bytes_ = 0;
  BundleHeader header_;
  std::unique_ptr<File> file_;
  std::string prefix_;  // what was read along with the header
};

// The message of every damage: one form, so that people can search for it.
[[nodiscard]] Status ObjectDamageStatus(const ContentHash& hash, std::string_view file,
                                        std::string_view what, uint64_t offset);

}  // namespace staged
