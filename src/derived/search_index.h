#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "derived/rows.h"
#include "derived/search_query.h"
#include "derived/view_cache.h"

// Search over the records of exactly one working state.
namespace staged {

struct StateFile {
  std::string path;
  ContentHash hash;
};

// A working state, as the index knows it. Immutable and thread-safe; keep one as long as the state
// stands still, since making it costs some microseconds a file.
struct SearchScope {
  struct IndexedSegment {
    int64_t id = 0;
    int64_t title_first = 0;
    int64_t body_first = 0;
    RowMap map;
    std::vector<uint32_t> files;  // positions in `files` that have it, ascending
  };

  int64_t generation = 0;
  std::vector<StateFile> files;  // sorted by path
  std::vector<IndexedSegment> segments;
  std::vector<std::vector<uint32_t>> file_segments;  // beside `files`: positions in `segments`
  std::vector<RowRange> titles;                      // sorted
  std::vector<RowRange> bodies;                      // sorted
  std::vector<std::string> missing;  // paths without an indexed view: nothing of them is found
  std::vector<std::string> cut;      // paths whose view lacks some of their content (IsCut)
};

struct SearchResult {
  std::vector<SearchHit> hits;       // best first; equal ones by path, then by place in the file
  bool more = false;                 // there are, or may be, hits that are not given
  std::vector<std::string> missing;  // both as in the scope
  std::vector<std::string> cut;
};

// A view that is ready to be stored and indexed, made outside of any lock.
struct PreparedView {
  EncodedView encoded;
  std::vector<SegmentRows> rows;  // beside encoded.segments; empty for what was stored before
};

// The search index follows segments: what two versions of a file share is indexed once. Answers are
// exact for their state up to a bound on how many rows are ranked; `more` says when it was reached.
// Thread-safe; many processes may use one database.
class SearchIndex {
 public:
  // `views` must outlive this.
  explicit SearchIndex(ViewCache& views) : views_(views) {}

  // Stores and indexes one view. Errors: kBusy, and those of the disk.
  Status Index(const ViewKey& key, const std::shared_ptr<const View>& view, LockWait wait);

  // The same in two steps, for those who index much in one transaction.
  [[nodiscard]] PreparedView Prepare(const ViewKey& key, const std::shared_ptr<const View>& view);
  Status Write(Connection& connection, const PreparedView& prepared);

  // One answer for each key: whether its view is stored and indexed, whole.
  std::vector<bool> HasIndexed(const std::vector<ViewKey>& keys);

  Result<std::shared_ptr<const SearchScope>> Resolve(std::vector<StateFile> files);
  // Errors: kInvalidArgument (the query), kBusy.
  Result<SearchResult> Search(const SearchQuery& query, const SearchScope& scope);

 private:
  Status InsertRows(Connection& connection, int64_t segment, const SegmentRows& rows);
  Status ResolveIn(Connection& connection, SearchScope& scope);
  Status SearchIn(Connection& connection, const SearchQuery& query, const SearchScope& scope,
                  SearchResult& result);
  Status SearchWords(Connection& connection, const SearchQuery& query, const SearchScope& scope,
                     SearchResult& result);
  Status SearchRegex(Connection& connection, const SearchQuery& query, const SearchScope& scope,
                     SearchResult& result);
  Result<std::shared_ptr<const Segment>> LoadSegment(Connection& connection, int64_t id);

  ViewCache& views_;
  std::mutex mutex_;
  std::deque<std::shared_ptr<const Segment>> recent_;  // newest first; guarded by mutex_
  uint64_t recent_bytes_ = 0;
};

}  // namespace staged
