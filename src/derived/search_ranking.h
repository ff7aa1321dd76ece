#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "derived/search_index.h"

// The steps of a search: collect a bounded number of rows in scope, rank these, make hits.
namespace staged {

// What a query's filters leave of a scope.
class ScopeFilter {
 public:
  ScopeFilter(const SearchQuery& query, const SearchScope& scope);

  [[nodiscard]] bool HasFile(uint32_t file) const { return files_.empty() || files_[file]; }
  [[nodiscard]] bool HasSegment(uint32_t segment) const {
    return segments_.empty() || segments_[segment];
  }
  [[nodiscard]] bool HasKind(std::string_view kind) const;
  [[nodiscard]] bool has_kinds() const { return !kinds_.empty(); }
  // The ranges of rows that are left.
  [[nodiscard]] const std::vector<RowRange>& titles() const { return *titles_; }
  [[nodiscard]] const std::vector<RowRange>& bodies() const { return *bodies_; }

 private:
  const std::vector<std::string>& kinds_;
  std::vector<bool> files_;     // empty: all
  std::vector<bool> segments_;  // empty: all
  std::vector<RowRange> own_titles_, own_bodies_;
  const std::vector<RowRange>* titles_;
  const std::vector<RowRange>* bodies_;
};

struct Candidate {
  double score = 0;
  bool is_title = false;
  uint32_t segment = 0;
  uint32_t kind = 0;
  uint32_t first_record = 0;
  uint32_t record_count = 0;
};

struct RankedRow {
  double score = 0;
  uint32_t file = 0;
  uint32_t segment = 0;
  uint32_t first_record = 0;
  uint32_t record_count = 0;
};

// Appends rows that have all terms; sets `more` when it stopped at the bound.
Status CollectCandidates(Connection& connection, const std::vector<SearchTerm>& terms,
                         const SearchScope& scope, const ScopeFilter& filter, bool is_title,
                         std::vector<Candidate>& candidates, bool& more);
// The best `limit`: titles first, then by score, path and place.
[[nodiscard]] std::vector<RankedRow> Rank(const std::vector<Candidate>& candidates,
                                          const SearchScope& scope, const ScopeFilter& filter,
                                          size_t limit, bool& more);
// The hit in its row: the record where the first match begins. Errors: kDataLoss (the index and the
// records do not agree).
[[nodiscard]] Result<SearchHit> MakeHit(const Segment& segment, const RankedRow& row,
                                        const std::vector<SearchTerm>& terms,
                                        const FullText& full_text);

// Finds a regular expression in texts, in time linear in their size.
class RecordMatcher {
 public:
  virtual ~RecordMatcher() = default;
  // The matches, none of them empty or overlapping; an expression that only matches the empty
  // string gives one empty span.
  [[nodiscard]] virtual std::vector<ByteSpan> Find(std::string_view text) const = 0;
};
// RE2's syntax. Errors: kInvalidArgument.
[[nodiscard]] Result<std::unique_ptr<RecordMatcher>> MakeMatcher(const std::string& expression);

Status SearchNames(const SearchQuery& query, const SearchScope& scope, SearchResult& result);

}  // namespace staged
