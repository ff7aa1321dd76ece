#include "derived/search_ranking.h"

#include <re2/re2.h>

#include <algorithm>

namespace staged {
namespace {

// Rows that are ranked, of titles and of bodies each.
constexpr size_t kCandidatesMax = 2000;
// Rows of other kinds than asked for that are stepped over before giving up.
constexpr size_t kOtherKindsMax = 200'000;
// Rows out of scope in a row after which it is cheaper to start again at the next range.
constexpr size_t kOutOfScopeMax = 64;
// One row may be in many files that are equal.
constexpr size_t kRankedMax = 200'000;
constexpr size_t kSpansMax = 100;

Status Damaged() {
  return Status(ErrorCode::kDataLoss,
                "the search index and the views do not agree; delete .staged/derived");
}

class Re2Matcher final : public RecordMatcher {
 public:
  Re2Matcher(const std::string& expression, const RE2::Options& options)
      : pattern_(expression, options) {}
  [[nodiscard]] const RE2& pattern() const { return pattern_; }

  [[nodiscard]] std::vector<ByteSpan> Find(std::string_view text) const override {
    std::vector<ByteSpan> spans;
    const re2::StringPiece input(text.data(), text.size());
    re2::StringPiece match;
    size_t position = 0;
    while (position <= text.size() && spans.size() < kSpansMax &&
           pattern_.Match(input, position, text.size(), RE2::UNANCHORED, &match, 1)) {
      const auto begin = static_cast<size_t>(match.data() - text.data());
      const size_t end = begin + match.size();
      if (!match.empty() || spans.empty()) {
        if (!spans.empty() && spans.back().begin == spans.back().end) spans.pop_back();
        spans.push_back({begin, end});
      }
      position = match.empty() ? end + 1 : end;
    }
    return spans;
  }

 private:
  RE2 pattern_;
};

std::string FoldAscii(std::string_view text) {
  std::string folded(text);
  for (char& letter : folded) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return folded;
}

// Words without the signs of the query language.
std::vector<std::string> NameWords(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char letter : FoldAscii(text) + " ") {
    if (letter == ' ' || letter == '\t' || letter == '"' || letter == '*') {
      if (!word.empty()) words.push_back(std::move(word));
      word.clear();
    } else {
      word += letter;
    }
  }
  return words;
}

// 0 for no match; more for a name that says less beside the words.
double NameScore(const std::vector<std::string>& words, const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  double score = 0;
  for (const std::string& word : words) {
    if (path.find(word) == std::string::npos) return 0;
    const size_t place = name.find(word);
    score += place == std::string::npos ? 1 : (place == 0 ? 3 : 2);
  }
  return score + 1.0 / (1.0 + static_cast<double>(name.size()));
}

}  // namespace

ScopeFilter::ScopeFilter(const SearchQuery& query, const SearchScope& scope)
    : kinds_(query.kinds), titles_(&scope.titles), bodies_(&scope.bodies) {
  if (query.path_glob.empty()) return;
  files_.resize(scope.files.size());
  segments_.resize(scope.segments.size());
  for (size_t i = 0; i < scope.files.size(); ++i) {
    files_[i] = MatchesFileGlob(query.path_glob, scope.files[i].path);
  }
  for (size_t i = 0; i < scope.segments.size(); ++i) {
    const std::vector<uint32_t>& files = scope.segments[i].files;
    segments_[i] = std::any_of(files.begin(), files.end(),
                               [&](uint32_t file) { return static_cast<bool>(files_[file]); });
  }
  const auto keep = [&](const RowRange& range) {
    return static_cast<bool>(segments_[range.segment]);
  };
  std::copy_if(scope.titles.begin(), scope.titles.end(), std::back_inserter(own_titles_), keep);
  std::copy_if(scope.bodies.begin(), scope.bodies.end(), std::back_inserter(own_bodies_), keep);
  titles_ = &own_titles_;
  bodies_ = &own_bodies_;
}

bool ScopeFilter::HasKind(std::string_view kind) const {
  return kinds_.empty() || std::find(kinds_.begin(), kinds_.end(), kind) != kinds_.end();
}

namespace {

// Steps through the rows from `from` on. Returns where to go on (a row), or 0 when done.
Result<int64_t> CollectFrom(Connection& connection, Statement& match, int64_t from,
                            bool may_restart, const SearchScope& scope, const ScopeFilter& filter,
                            bool is_title, std::vector<Candidate>& candidates,
                            size_t candidates_max, bool& more) {
  FullText& full_text = connection.full_text();
  size_t out_of_scope = 0;
  size_t other_kinds = 0;
  match.Reset();
  match.BindInteger(2, from);
  while (true) {
    STAGED_ASSIGN_OR_RETURN(const bool has_row, match.Step());
    if (!has_row) return 0;
    const int64_t row = match.Integer(0);
    const RowRange* range = full_text.Find(row);
    if (range == nullptr) {
      if (full_text.NextStart() == INT64_MAX) return 0;
      if (may_restart && ++out_of_scope > kOutOfScopeMax) return full_text.NextStart();
      continue;
    }
    out_of_scope = 0;
    const SearchScope::IndexedSegment& segment = scope.segments[range->segment];
    const RowPlace place = FindRow(is_title ? segment.map.titles : segment.map.bodies,
                                   static_cast<uint64_t>(row - range->first));
    if (place.record_count == 0) return Damaged();
    if (!filter.HasKind(segment.map.kinds[place.kind])) {
      more = more || other_kinds == kOtherKindsMax;
      if (other_kinds++ == kOtherKindsMax) return 0;
      continue;
    }
    if (candidates.size() == candidates_max) {
      more = true;
      return 0;
    }
    candidates.push_back({match.Double(1), is_title, range->segment, place.kind, place.first_record,
                          place.record_count});
  }
}

}  // namespace

Status CollectCandidates(Connection& connection, const std::vector<SearchTerm>& terms,
                         const SearchScope& scope, const ScopeFilter& filter, bool is_title,
                         std::vector<Candidate>& candidates, bool& more) {
  const std::vector<RowRange>& ranges = is_title ? filter.titles() : filter.bodies();
  if (ranges.empty()) return OkStatus();
  connection.full_text().SetScope(&ranges);
  STAGED_ASSIGN_OR_RETURN(
      Statement match,
      connection.Prepare(is_title ? "SELECT rowid, row_score(title_index) FROM title_index WHERE "
                                    "title_index MATCH ?1 AND rowid>=?2 ORDER BY rowid"
                                  : "SELECT rowid, row_score(body_index) FROM body_index WHERE "
                                    "body_index MATCH ?1 AND rowid>=?2 ORDER BY rowid"));
  const std::string expression = FtsExpression(terms);
  match.BindText(1, expression);
  // A prefix is expanded into one list of rows at each start.
  const bool may_restart = std::none_of(terms.begin(), terms.end(),
                                        [](const SearchTerm& term) { return term.is_prefix; });
  const size_t candidates_max = candidates.size() + kCandidatesMax;
  int64_t from = ranges.front().first;
  while (from != 0) {
    STAGED_ASSIGN_OR_RETURN(from, CollectFrom(connection, match, from, may_restart, scope, filter,
                                              is_title, candidates, candidates_max, more));
  }
  return OkStatus();
}

std::vector<RankedRow> Rank(const std::vector<Candidate>& candidates, const SearchScope& scope,
                            const ScopeFilter& filter, size_t limit, bool& more) {
  // What names a thing comes before what mentions it: no body's score reaches this.
  constexpr double kTitleBonus = 1000;
  std::vector<RankedRow> rows;
  for (const Candidate& candidate : candidates) {
    for (const uint32_t file : scope.segments[candidate.segment].files) {
      if (!filter.HasFile(file)) continue;
      if (rows.size() == kRankedMax) {
        more = true;
        break;
      }
      rows.push_back({candidate.score + (candidate.is_title ? kTitleBonus : 0), file,
                      candidate.segment, candidate.first_record, candidate.record_count});
    }
  }
  const auto is_better = [&](const RankedRow& left, const RankedRow& right) {
    if (left.score != right.score) return left.score > right.score;
    if (left.file != right.file) return left.file < right.file;
    if (left.segment != right.segment) {
      // Segments in the file's order.
      for (const uint32_t segment : scope.file_segments[left.file]) {
        if (segment == left.segment) return true;
        if (segment == right.segment) return false;
      }
    }
    return left.first_record < right.first_record;
  };
  more = more || rows.size() > limit;
  const size_t count = std::min(limit, rows.size());
  std::partial_sort(rows.begin(), rows.begin() + static_cast<ptrdiff_t>(count), rows.end(),
                    is_better);
  rows.resize(count);
  return rows;
}

Result<SearchHit> MakeHit(const Segment& segment, const RankedRow& row,
                          const std::vector<SearchTerm>& terms, const FullText& full_text) {
  if (uint64_t{row.first_record} + row.record_count > segment.record_count()) return Damaged();
  std::vector<Record> records;
  std::string text;
  std::vector<size_t> begins;
  for (uint32_t i = 0; i < row.record_count; ++i) {
    records.push_back(segment.At(row.first_record + i));
    if (i > 0) text += '\t';
    begins.push_back(AppendRowText(records.back(), text));
  }
  const std::vector<ByteSpan> spans = FindTerms(terms, text, full_text);
  size_t chosen = 0;
  while (!spans.empty() && chosen + 1 < records.size() && begins[chosen + 1] <= spans[0].begin) {
    ++chosen;
  }
  Record& record = records[chosen];
  SearchHit hit;
  hit.kind = std::move(record.kind);
  hit.locator = std::move(record.locator);
  const size_t begin = begins[chosen];
  const size_t end = begin + record.text.size();
  for (const ByteSpan& span : spans) {
    if (span.begin >= begin && span.end <= end && hit.spans.size() < kSpansMax) {
      hit.spans.push_back({span.begin - begin, span.end - begin});
    }
  }
  hit.text = std::move(record.text);
  if (text.size() > end - begin) hit.row_text = std::move(text);
  hit.score = row.score;
  return hit;
}

Result<std::unique_ptr<RecordMatcher>> MakeMatcher(const std::string& expression) {
  RE2::Options options;
  options.set_log_errors(false);
  auto matcher = std::make_unique<Re2Matcher>(expression, options);
  if (!matcher->pattern().ok()) {
    return Status(ErrorCode::kInvalidArgument, "the regular expression is not valid (" +
                                                   matcher->pattern().error() +
                                                   "); see RE2's syntax");
  }
  return std::unique_ptr<RecordMatcher>(std::move(matcher));
}

Status SearchNames(const SearchQuery& query, const SearchScope& scope, SearchResult& result) {
  const std::vector<std::string> words = NameWords(query.text);
  if (words.empty()) {
    return Status(ErrorCode::kInvalidArgument, "the query names nothing; give a part of a name");
  }
  const ScopeFilter filter(query, scope);
  for (uint32_t file = 0; file < scope.files.size(); ++file) {
    if (!filter.HasFile(file)) continue;
    const StateFile& item = scope.files[file];
    const double score = NameScore(words, FoldAscii(item.path));
    if (score == 0) continue;
    result.hits.push_back({item.path, item.hash, "file", "", item.path, "", {}, score});
  }
  std::stable_sort(
      result.hits.begin(), result.hits.end(),
      [](const SearchHit& left, const SearchHit& right) { return left.score > right.score; });
  result.more = result.hits.size() > query.limit;
  if (result.more) result.hits.resize(query.limit);
  return OkStatus();
}

}  // namespace staged
