#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "derived/database.h"
#include "staged/content_hash.h"
#include "staged/ext/format.h"
#include "staged/limits.h"
#include "staged/view.h"

// Views by content: parsed once, kept in the derived database and in memory.
namespace staged {

// Answers the native bytes of a content, on demand.
using BytesProvider = std::function<Result<std::string>()>;

struct ViewCacheOptions {
  Limits limits;
  uint64_t memory_bytes_max = uint64_t{256} << 20;  // views kept in memory, as they weigh there
};

// A content and the name it has: only the name's extension matters.
struct ViewKey {
  ContentHash hash;
  std::string extension;  // ExtensionOf(path)
  friend bool operator==(const ViewKey&, const ViewKey&) = default;
};

// The part of a path that format detection sees: lower case, without dot; "" when there is none.
[[nodiscard]] std::string ExtensionOf(std::string_view path);

// A view as it is written to the database: made outside of any lock.
struct EncodedSegment {
  std::string key;   // 16 bytes
  std::string body;  // compressed; empty when the database had it already
  std::shared_ptr<const Segment> segment;
};
struct EncodedView {
  ViewKey key;
  std::shared_ptr<const View> view;
  std::string header;
  std::vector<EncodedSegment> segments;
};

// A view is a function of (hash, format, parser version, limits): what was cached under other
// parsers or limits is never answered. Whatever happens to the database, a caller gets its view: by
// parsing, and uncached if need be. Thread-safe; many processes may use one database.
class ViewCache {
 public:
  // `database` and `registry` must outlive this. Does not touch the database yet.
  ViewCache(DerivedDatabase& database, const FormatRegistry& registry, ViewCacheOptions options);

  // The view, from memory, from the database, or parsed from `bytes` and then stored.
  // Errors: those of `bytes`, and kLimitExceeded for a file that is too large.
  Result<std::shared_ptr<const View>> Get(const ContentHash& hash, std::string_view path,
                                          const BytesProvider& bytes);
  // The view if it was made before, or nullptr.
  std::shared_ptr<const View> Find(const ContentHash& hash, std::string_view path);
  // One answer for each key: whether Find would answer a view, without reading it.
  std::vector<bool> HasCurrentViews(const std::vector<ViewKey>& keys);

  // Drops what was made from one content, so that no file of the database has anything of it any
  // more. Takes time in proportion to the database. Errors: kBusy (another process reads or writes:
  // try again).
  Status Forget(const ContentHash& hash);
  // Whether the database has a view of this content, under whatever name or parser.
  Result<bool> Knows(const ContentHash& hash);
  // Drops the views of all other contents, of old parser versions too, and the segments and index
  // rows that no view needs any more. Errors: kBusy.
  Status Sweep(const std::unordered_set<ContentHash>& live);

  // For those who store many views in one transaction. Parse never touches the database for
  // writing; Store adds nothing to memory.
  Result<std::shared_ptr<const View>> Parse(std::string_view bytes, const ViewKey& key);
  [[nodiscard]] EncodedView Encode(const ViewKey& key, const std::shared_ptr<const View>& view);
  // Appends the database ids of the view's segments, in order.
  Status Store(Connection& connection, const EncodedView& encoded, std::vector<int64_t>* ids);
  // The database's number for the current profile: what column view.profile must be.
  Result<int64_t> ProfileId(Connection& connection);
  // A stored segment by its id, from memory if some view still holds it. Errors: kNotFound,
  // kDataLoss.
  Result<std::shared_ptr<const Segment>> LoadSegment(Connection& connection, int64_t id);

  [[nodiscard]] DerivedDatabase& database() { return database_; }
  [[nodiscard]] uint64_t parse_count() const { return parse_count_; }

 private:
  struct MemoryItem {
    ViewKey key;
    std::shared_ptr<const View> view;
    uint64_t weight_bytes;
  };
  struct KeyHasher {
    size_t operator()(const ViewKey& key) const noexcept {
      return std::hash<ContentHash>()(key.hash) * 31 + std::hash<std::string>()(key.extension);
    }
  };

  std::shared_ptr<const View> FindInMemory(const ViewKey& key);
  void Remember(const ViewKey& key, const std::shared_ptr<const View>& view);
  Result<std::shared_ptr<const View>> Load(Connection& connection, const ViewKey& key);
  std::shared_ptr<const Segment> FindSegment(std::string_view format, const ParserVersion& parser,
                                             const std::string& part, const ContentHash& digest);
  [[nodiscard]] std::string SegmentKey(std::string_view format, const ParserVersion& parser,
                                       std::string_view fallback, std::string_view part,
                                       const ContentHash& digest) const;
  // The answers of HasCurrentViews by one walk over all views.
  static Status WalkViews(Connection& connection, int64_t profile, const std::vector<ViewKey>& keys,
                          std::vector<bool>& answers);
  Status SweepSegments();
  Status RemoveSegment(Connection& connection, int64_t id);
  std::shared_ptr<const Segment> LiveSegment(const std::string& key);
  void RememberSegment(const std::string& key, const std::shared_ptr<const Segment>& segment);

  DerivedDatabase& database_;
  const FormatRegistry& registry_;
  const ViewCacheOptions options_;
  const std::string profile_key_;

  std::mutex mutex_;
  std::list<MemoryItem> recent_;  // newest first; guarded by mutex_, like all below
  std::unordered_map<ViewKey, std::list<MemoryItem>::iterator, KeyHasher> by_key_;
  std::unordered_map<std::string, std::weak_ptr<const Segment>> segments_;
  size_t segments_prune_at_ = 1024;
  uint64_t memory_bytes_ = 0;
  std::atomic<uint64_t> parse_count_{0};
};

}  // namespace staged
