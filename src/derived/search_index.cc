#include "derived/search_index.h"

#include <algorithm>
#include <unordered_map>

#include "derived/search_ranking.h"
#include "derived/view_codec.h"

namespace staged {
namespace {

// Segments kept decoded between searches, so that the next hit in the same sheet costs nothing.
constexpr uint64_t kRecentBytesMax = uint64_t{192} << 20;

Result<int64_t> ReadGeneration(Connection& connection) {
  STAGED_ASSIGN_OR_RETURN(Statement read, connection.Prepare("SELECT number FROM generation"));
  STAGED_ASSIGN_OR_RETURN(const bool row, read.Step());
  return row ? read.Integer(0) : 0;
}

Status InsertTexts(Connection& connection, const char* sql, int64_t first, const RowTexts& texts) {
  STAGED_ASSIGN_OR_RETURN(Statement insert, connection.Prepare(sql));
  for (size_t row = 0; row < texts.count(); ++row) {
    insert.BindInteger(1, first + static_cast<int64_t>(row));
    insert.BindText(2, texts.At(row));
    STAGED_RETURN_IF_ERROR(insert.Run());
  }
  return OkStatus();
}

Result<int64_t> NextRow(Connection& connection, const char* sql) {
  STAGED_ASSIGN_OR_RETURN(Statement read, connection.Prepare(sql));
  STAGED_ASSIGN_OR_RETURN(const bool row, read.Step());
  return (row ? read.Integer(0) : 0) + 1;
}

int64_t RowCount(const std::vector<RowRun>& runs) {
  return runs.empty() ? 0 : static_cast<int64_t>(runs.back().first_row + runs.back().row_count);
}

}  // namespace

PreparedView SearchIndex::Prepare(const ViewKey& key, const std::shared_ptr<const View>& view) {
  PreparedView prepared{views_.Encode(key, view), {}};
  for (const EncodedSegment& segment : prepared.encoded.segments) {
    prepared.rows.push_back(segment.body.empty() ? SegmentRows() : BuildRows(*segment.segment));
  }
  return prepared;
}

Status SearchIndex::Index(const ViewKey& key, const std::shared_ptr<const View>& view,
                          LockWait wait) {
  const PreparedView prepared = Prepare(key, view);
  return views_.database().Write(
      wait, [&](Connection& connection) { return Write(connection, prepared); });
}

Status SearchIndex::Write(Connection& connection, const PreparedView& prepared) {
  std::vector<int64_t> ids;
  STAGED_RETURN_IF_ERROR(views_.Store(connection, prepared.encoded, &ids));
  for (size_t i = 0; i < ids.size(); ++i) {
    STAGED_ASSIGN_OR_RETURN(Statement find,
                            connection.Prepare("SELECT 1 FROM indexed WHERE segment=?"));
    find.BindInteger(1, ids[i]);
    STAGED_ASSIGN_OR_RETURN(const bool is_indexed, find.Step());
    if (is_indexed) continue;
    const EncodedSegment& segment = prepared.encoded.segments[i];
    Status inserted = InsertRows(
        connection, ids[i], segment.body.empty() ? BuildRows(*segment.segment) : prepared.rows[i]);
    if (!inserted.ok()) return inserted;
  }
  return OkStatus();
}

Status SearchIndex::InsertRows(Connection& connection, int64_t segment, const SegmentRows& rows) {
  STAGED_ASSIGN_OR_RETURN(const int64_t title_first,
                          NextRow(connection, "SELECT max(id) FROM title_index_docsize"));
  STAGED_ASSIGN_OR_RETURN(const int64_t body_first,
                          NextRow(connection, "SELECT max(id) FROM body_index_docsize"));
  STAGED_RETURN_IF_ERROR(InsertTexts(
      connection, "INSERT INTO title_index(rowid, text) VALUES(?, ?)", title_first, rows.titles));
  STAGED_RETURN_IF_ERROR(InsertTexts(connection, "INSERT INTO body_index(rowid, text) VALUES(?, ?)",
                                     body_first, rows.bodies));
  STAGED_ASSIGN_OR_RETURN(
      Statement add, connection.Prepare("INSERT INTO indexed(segment, title_first, title_count, "
                                        "body_first, body_count, rows) VALUES(?, ?, ?, ?, ?, ?)"));
  const std::string map = rows.map.Encode();
  add.BindInteger(1, segment);
  add.BindInteger(2, title_first);
  add.BindInteger(3, static_cast<int64_t>(rows.titles.count()));
  add.BindInteger(4, body_first);
  add.BindInteger(5, static_cast<int64_t>(rows.bodies.count()));
  add.BindBlob(6, map);
  return add.Run();
}

std::vector<bool> SearchIndex::HasIndexed(const std::vector<ViewKey>& keys) {
  std::vector<bool> answers(keys.size(), false);
  (void)views_.database().Read([&](Connection& connection) -> Status {
    STAGED_ASSIGN_OR_RETURN(const int64_t profile, views_.ProfileId(connection));
    STAGED_ASSIGN_OR_RETURN(Statement find,
                            connection.Prepare("SELECT body FROM view WHERE hash=? AND "
                                               "extension=? AND profile=?"));
    STAGED_ASSIGN_OR_RETURN(Statement find_rows,
                            connection.Prepare("SELECT 1 FROM indexed WHERE segment=?"));
    for (size_t i = 0; i < keys.size(); ++i) {
      find.Reset();
      find.BindBlob(1, keys[i].hash.raw());
      find.BindText(2, keys[i].extension);
      find.BindInteger(3, profile);
      STAGED_ASSIGN_OR_RETURN(const bool found, find.Step());
      if (!found) continue;
      STAGED_ASSIGN_OR_RETURN(const ViewSummary view, DecodeViewSummary(find.Bytes(0)));
      bool is_whole = true;
      for (const int64_t id : view.segment_ids) {
        find_rows.Reset();
        find_rows.BindInteger(1, id);
        STAGED_ASSIGN_OR_RETURN(const bool has_rows, find_rows.Step());
        is_whole = is_whole && has_rows;
      }
      answers[i] = is_whole;
    }
    return OkStatus();
  });
  return answers;
}

Result<std::shared_ptr<const SearchScope>> SearchIndex::Resolve(std::vector<StateFile> files) {
  std::sort(files.begin(), files.end(),
            [](const StateFile& left, const StateFile& right) { return left.path < right.path; });
  auto scope = std::make_shared<SearchScope>();
  const Status resolved = views_.database().Read([&](Connection& connection) {
    *scope = SearchScope();
    scope->files = files;
    return ResolveIn(connection, *scope);
  });
  if (!resolved.ok()) return resolved;
  return std::shared_ptr<const SearchScope>(std::move(scope));
}

Status SearchIndex::ResolveIn(Connection& connection, SearchScope& scope) {
  STAGED_ASSIGN_OR_RETURN(scope.generation, ReadGeneration(connection));
  STAGED_ASSIGN_OR_RETURN(const int64_t profile, views_.ProfileId(connection));
  STAGED_ASSIGN_OR_RETURN(Statement find,
                          connection.Prepare("SELECT body FROM view WHERE hash=? AND "
                                             "extension=? AND profile=?"));
  STAGED_ASSIGN_OR_RETURN(
      Statement find_rows,
      connection.Prepare("SELECT title_first, body_first, rows FROM indexed WHERE segment=?"));
  std::unordered_map<int64_t, uint32_t> positions;  // by segment id
  scope.file_segments.resize(scope.files.size());
  for (uint32_t file = 0; file < scope.files.size(); ++file) {
    const StateFile& item = scope.files[file];
    const std::string extension = ExtensionOf(item.path);
    find.Reset();
    find.BindBlob(1, item.hash.raw());
    find.BindText(2, extension);
    find.BindInteger(3, profile);
    STAGED_ASSIGN_OR_RETURN(const bool found, find.Step());
    bool is_whole = found;
    ViewSummary view;
    if (found) {
      STAGED_ASSIGN_OR_RETURN(view, DecodeViewSummary(find.Bytes(0)));
    }
    for (const int64_t id : view.segment_ids) {
      auto [place, is_new] =
          positions.try_emplace(id, static_cast<uint32_t>(scope.segments.size()));
      if (is_new) {
        find_rows.Reset();
        find_rows.BindInteger(1, id);
        STAGED_ASSIGN_OR_RETURN(const bool has_rows, find_rows.Step());
        if (!has_rows) {
          positions.erase(place);
          is_whole = false;
          continue;
        }
        STAGED_ASSIGN_OR_RETURN(RowMap map, RowMap::Decode(find_rows.Bytes(2)));
        scope.segments.push_back(
            {id, find_rows.Integer(0), find_rows.Integer(1), std::move(map), {}});
      }
      std::vector<uint32_t>& files = scope.segments[place->second].files;
      if (files.empty() || files.back() != file) files.push_back(file);
      scope.file_segments[file].push_back(place->second);
    }
    if (!is_whole) {
      scope.missing.push_back(item.path);
    } else if (view.is_cut) {
      scope.cut.push_back(item.path);
    }
  }
  for (uint32_t i = 0; i < scope.segments.size(); ++i) {
    const SearchScope::IndexedSegment& segment = scope.segments[i];
    const int64_t titles = RowCount(segment.map.titles);
    const int64_t bodies = RowCount(segment.map.bodies);
    if (titles > 0) scope.titles.push_back({segment.title_first, segment.title_first + titles, i});
    if (bodies > 0) scope.bodies.push_back({segment.body_first, segment.body_first + bodies, i});
  }
  for (std::vector<RowRange>* ranges : {&scope.titles, &scope.bodies}) {
    std::sort(ranges->begin(), ranges->end(),
              [](const RowRange& left, const RowRange& right) { return left.first < right.first; });
  }
  return OkStatus();
}

Result<SearchResult> SearchIndex::Search(const SearchQuery& query, const SearchScope& scope) {
  SearchResult result;
  const Status searched = views_.database().Read([&](Connection& connection) -> Status {
    result = SearchResult();
    STAGED_ASSIGN_OR_RETURN(const int64_t generation, ReadGeneration(connection));
    if (generation == scope.generation) return SearchIn(connection, query, scope, result);
    // Numbers were given away anew since the scope was made.
    SearchScope fresh;
    fresh.files = scope.files;
    STAGED_RETURN_IF_ERROR(ResolveIn(connection, fresh));
    return SearchIn(connection, query, fresh, result);
  });
  if (!searched.ok()) return searched;
  return result;
}

Status SearchIndex::SearchIn(Connection& connection, const SearchQuery& query,
                             const SearchScope& scope, SearchResult& result) {
  result.missing = scope.missing;
  result.cut = scope.cut;
  switch (query.mode) {
    case SearchMode::kWords:
      return SearchWords(connection, query, scope, result);
    case SearchMode::kRegex:
      return SearchRegex(connection, query, scope, result);
    case SearchMode::kName:
      return SearchNames(query, scope, result);
  }
  return Status(ErrorCode::kInvalidArgument, "unknown search mode; use words, regex or name");
}

Status SearchIndex::SearchWords(Connection& connection, const SearchQuery& query,
                                const SearchScope& scope, SearchResult& result) {
  const FullText& full_text = connection.full_text();
  STAGED_ASSIGN_OR_RETURN(const std::vector<SearchTerm> terms, ParseTerms(query.text, full_text));
  const ScopeFilter filter(query, scope);
  std::vector<Candidate> candidates;
  for (const bool is_title : {true, false}) {
    Status collected =
        CollectCandidates(connection, terms, scope, filter, is_title, candidates, result.more);
    if (!collected.ok()) return collected;
  }
  const std::vector<RankedRow> ranked = Rank(candidates, scope, filter, query.limit, result.more);
  for (const RankedRow& row : ranked) {
    const SearchScope::IndexedSegment& segment = scope.segments[row.segment];
    STAGED_ASSIGN_OR_RETURN(const std::shared_ptr<const Segment> records,
                            LoadSegment(connection, segment.id));
    STAGED_ASSIGN_OR_RETURN(SearchHit hit, MakeHit(*records, row, terms, full_text));
    hit.path = scope.files[row.file].path;
    hit.hash = scope.files[row.file].hash;
    result.hits.push_back(std::move(hit));
  }
  return OkStatus();
}

Status SearchIndex::SearchRegex(Connection& connection, const SearchQuery& query,
                                const SearchScope& scope, SearchResult& result) {
  STAGED_ASSIGN_OR_RETURN(const std::unique_ptr<RecordMatcher> matcher, MakeMatcher(query.text));
  const ScopeFilter filter(query, scope);
  for (uint32_t file = 0; file < scope.files.size() && !result.more; ++file) {
    if (!filter.HasFile(file)) continue;
    for (const uint32_t position : scope.file_segments[file]) {
      if (!filter.HasSegment(position)) continue;
      STAGED_ASSIGN_OR_RETURN(const std::shared_ptr<const Segment> segment,
                              LoadSegment(connection, scope.segments[position].id));
      segment->ForEach([&](const Record& record) {
        if (!filter.HasKind(record.kind)) return true;
        std::vector<ByteSpan> spans = matcher->Find(record.text);
        if (spans.empty()) return true;
        result.more = result.hits.size() == query.limit;
        if (result.more) return false;
        SearchHit hit{scope.files[file].path,
                      scope.files[file].hash,
                      record.kind,
                      record.locator,
                      record.text,
                      "",
                      std::move(spans),
                      0};
        result.hits.push_back(std::move(hit));
        return true;
      });
      if (result.more) break;
    }
  }
  return OkStatus();
}

Result<std::shared_ptr<const Segment>> SearchIndex::LoadSegment(Connection& connection,
                                                                int64_t id) {
  STAGED_ASSIGN_OR_RETURN(std::shared_ptr<const Segment> segment,
                          views_.LoadSegment(connection, id));
  std::lock_guard<std::mutex> lock(mutex_);
  const auto place = std::find(recent_.begin(), recent_.end(), segment);
  if (place != recent_.end()) return segment;
  recent_.push_front(segment);
  recent_bytes_ += segment->memory_bytes();
  while (recent_bytes_ > kRecentBytesMax && recent_.size() > 1) {
    recent_bytes_ -= recent_.back()->memory_bytes();
    recent_.pop_back();
  }
  return segment;
}

}  // namespace staged
