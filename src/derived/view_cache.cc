#include "derived/view_cache.h"

#include <algorithm>
#include <utility>

#include "base/binary.h"
#include "derived/view_codec.h"
#include "record/record_codec.h"

namespace staged {
namespace {

constexpr size_t kKeyBytes = 16;
// An encoded segment may be larger than the part it came from: addresses are spelled out.
constexpr uint64_t kExpansionMax = 64;
// From how many keys on the table is walked, unless it has this many rows a key.
constexpr size_t kWalkKeysMin = 256;
constexpr uint64_t kWalkRowsPerKeyMax = 8;

std::string ShortDigest(std::string_view bytes) {
  return std::string(ContentHash::Of(bytes).raw().substr(0, kKeyBytes));
}

// Detection chooses among all formats, so that a view depends on the whole list, in order.
std::string ProfileKey(const FormatRegistry& registry, const Limits& limits) {
  BinaryWriter writer;
  PutLimits(writer, limits);
  for (const auto& format : registry.formats()) {
    writer.PutString(format->descriptor().name);
    writer.PutString(format->descriptor().parser.name);
    writer.PutString(format->descriptor().parser.version);
  }
  return ShortDigest(writer.bytes());
}

// A key that views are looked up by, sorted by hash and extension: the first bytes decide nearly
// always, without a look at the key itself.
struct Wanted {
  uint64_t first_bytes;
  size_t index;
};

uint64_t FirstBytes(const ContentHash& hash) {
  uint64_t number = 0;
  for (const char byte : hash.raw().substr(0, sizeof(number))) {
    number = number << 8 | static_cast<unsigned char>(byte);
  }
  return number;
}

uint64_t WeightOf(const View& view) {
  uint64_t weight_bytes = 512;
  for (const auto& segment : view.segments) weight_bytes += 256 + segment->memory_bytes();
  for (const Part& part : view.parts) weight_bytes += 128 + part.name.size();
  return weight_bytes;
}

}  // namespace

std::string ExtensionOf(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return "";
  std::string extension(name.substr(dot + 1));
  for (char& letter : extension) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return extension;
}

ViewCache::ViewCache(DerivedDatabase& database, const FormatRegistry& registry,
                     ViewCacheOptions options)
    : database_(database),
      registry_(registry),
      options_(options),
      profile_key_(ProfileKey(registry, options.limits)) {}

Result<std::shared_ptr<const View>> ViewCache::Get(const ContentHash& hash, std::string_view path,
                                                   const BytesProvider& bytes) {
  if (std::shared_ptr<const View> known = Find(hash, path)) return known;
  STAGED_ASSIGN_OR_RETURN(const std::string content, bytes());
  const ViewKey key{hash, ExtensionOf(path)};
  STAGED_ASSIGN_OR_RETURN(std::shared_ptr<const View> view, Parse(content, key));
  Remember(key, view);
  const EncodedView encoded = Encode(key, view);
  // Only a cache: a reader that cannot write now goes on without it.
  (void)database_.Write(LockWait::kDoNotWait, [&](Connection& connection) {
    std::vector<int64_t> ids;
    return Store(connection, encoded, &ids);
  });
  return view;
}

std::shared_ptr<const View> ViewCache::Find(const ContentHash& hash, std::string_view path) {
  const ViewKey key{hash, ExtensionOf(path)};
  if (std::shared_ptr<const View> known = FindInMemory(key)) return known;
  std::shared_ptr<const View> view;
  const Status status = database_.Read([&](Connection& connection) -> Status {
    view = nullptr;
    Result<std::shared_ptr<const View>> loaded = Load(connection, key);
    if (loaded.ok()) {
      view = *std::move(loaded);
    } else if (loaded.status().code() != ErrorCode::kNotFound) {
      return loaded.status();
    }
    return OkStatus();
  });
  if (!status.ok() || view == nullptr) return nullptr;
  Remember(key, view);
  return view;
}

Result<int64_t> ViewCache::ProfileId(Connection& connection) {
  STAGED_ASSIGN_OR_RETURN(Statement find, connection.Prepare("SELECT id FROM profile WHERE key=?"));
  find.BindBlob(1, profile_key_);
  STAGED_ASSIGN_OR_RETURN(const bool found, find.Step());
  return found ? find.Integer(0) : 0;
}

Result<std::shared_ptr<const View>> ViewCache::Load(Connection& connection, const ViewKey& key) {
  STAGED_ASSIGN_OR_RETURN(
      Statement find,
      connection.Prepare("SELECT body FROM view WHERE hash=? AND extension=? AND profile="
                         "(SELECT id FROM profile WHERE key=?)"));
  find.BindBlob(1, key.hash.raw());
  find.BindText(2, key.extension);
  find.BindBlob(3, profile_key_);
  STAGED_ASSIGN_OR_RETURN(const bool found, find.Step());
  if (!found) return Status(ErrorCode::kNotFound, "the view is not cached");
  std::vector<int64_t> ids;
  STAGED_ASSIGN_OR_RETURN(View view, DecodeViewBody(find.Bytes(0), &ids));
  find.Reset();
  view.hash = key.hash;
  for (const int64_t id : ids) {
    STAGED_ASSIGN_OR_RETURN(std::shared_ptr<const Segment> segment, LoadSegment(connection, id));
    view.segments.push_back(std::move(segment));
  }
  return std::make_shared<const View>(std::move(view));
}

Result<std::shared_ptr<const Segment>> ViewCache::LoadSegment(Connection& connection, int64_t id) {
  STAGED_ASSIGN_OR_RETURN(Statement find,
                          connection.Prepare("SELECT key, body FROM segment WHERE id=?"));
  find.BindInteger(1, id);
  STAGED_ASSIGN_OR_RETURN(const bool found, find.Step());
  if (!found) {
    return Status(ErrorCode::kDataLoss, "a cached view lacks a part; delete .staged/derived");
  }
  const std::string key(find.Bytes(0));
  if (std::shared_ptr<const Segment> live = LiveSegment(key)) return live;
  STAGED_ASSIGN_OR_RETURN(
      std::shared_ptr<const Segment> segment,
      DecompressSegment(find.Bytes(1), options_.limits.expanded_bytes_max * kExpansionMax));
  RememberSegment(key, segment);
  return segment;
}

Result<std::shared_ptr<const View>> ViewCache::Parse(std::string_view bytes, const ViewKey& key) {
  ++parse_count_;
  const std::string path = key.extension.empty() ? "file" : "file." + key.extension;
  const std::string_view format = registry_.Detect(bytes, path).descriptor().name;
  const Format* parser = registry_.Find(format);
  const SegmentSource reuse = [&](const std::string& part, const ContentHash& digest) {
    return FindSegment(format, parser->descriptor().parser, part, digest);
  };
  STAGED_ASSIGN_OR_RETURN(View view, ParseView(registry_, bytes, path, options_.limits, reuse));
  view.hash = key.hash;
  return std::make_shared<const View>(std::move(view));
}

std::string ViewCache::SegmentKey(std::string_view format, const ParserVersion& parser,
                                  std::string_view fallback, std::string_view part,
                                  const ContentHash& digest) const {
  BinaryWriter writer;
  PutLimits(writer, options_.limits);
  writer.PutString(format);
  writer.PutString(parser.name);
  writer.PutString(parser.version);
  writer.PutString(fallback);
  writer.PutString(part);
  writer.PutHash(digest);
  return ShortDigest(writer.bytes());
}

std::shared_ptr<const Segment> ViewCache::FindSegment(std::string_view format,
                                                      const ParserVersion& parser,
                                                      const std::string& part,
                                                      const ContentHash& digest) {
  const std::string key = SegmentKey(format, parser, "", part, digest);
  if (std::shared_ptr<const Segment> live = LiveSegment(key)) return live;
  std::shared_ptr<const Segment> segment;
  const Status status = database_.Read([&](Connection& connection) -> Status {
    STAGED_ASSIGN_OR_RETURN(Statement find,
                            connection.Prepare("SELECT id FROM segment WHERE key=?"));
    find.BindBlob(1, key);
    STAGED_ASSIGN_OR_RETURN(const bool found, find.Step());
    if (!found) return OkStatus();
    const int64_t id = find.Integer(0);
    find.Reset();
    STAGED_ASSIGN_OR_RETURN(segment, LoadSegment(connection, id));
    return OkStatus();
  });
  return status.ok() ? segment : nullptr;
}

EncodedView ViewCache::Encode(const ViewKey& key, const std::shared_ptr<const View>& view) {
  EncodedView encoded{key, view, EncodeViewHeader(*view), {}};
  for (const auto& segment : view->segments) {
    EncodedSegment item;
    item.key =
        SegmentKey(view->format, view->parser, view->fallback, segment->part(), segment->digest());
    item.segment = segment;
    // A segment that is alive under its key was loaded from the database or stored there.
    if (LiveSegment(item.key) != segment) item.body = CompressSegment(*segment);
    encoded.segments.push_back(std::move(item));
  }
  return encoded;
}

Status ViewCache::Store(Connection& connection, const EncodedView& encoded,
                        std::vector<int64_t>* ids) {
  STAGED_ASSIGN_OR_RETURN(int64_t profile, ProfileId(connection));
  if (profile == 0) {
    STAGED_ASSIGN_OR_RETURN(Statement add,
                            connection.Prepare("INSERT INTO profile(key) VALUES(?)"));
    add.BindBlob(1, profile_key_);
    STAGED_RETURN_IF_ERROR(add.Run());
    profile = connection.LastInsertId();
  }
  std::vector<int64_t> own_ids;
  for (const EncodedSegment& item : encoded.segments) {
    STAGED_ASSIGN_OR_RETURN(Statement find,
                            connection.Prepare("SELECT id FROM segment WHERE key=?"));
    find.BindBlob(1, item.key);
    STAGED_ASSIGN_OR_RETURN(const bool found, find.Step());
    if (found) {
      own_ids.push_back(find.Integer(0));
      continue;
    }
    STAGED_ASSIGN_OR_RETURN(Statement add,
                            connection.Prepare("INSERT INTO segment(key, body) VALUES(?, ?)"));
    // The database was made anew since this segment came from it.
    const std::string fresh = item.body.empty() ? CompressSegment(*item.segment) : "";
    add.BindBlob(1, item.key);
    add.BindBlob(2, item.body.empty() ? fresh : item.body);
    STAGED_RETURN_IF_ERROR(add.Run());
    own_ids.push_back(connection.LastInsertId());
    RememberSegment(item.key, item.segment);
  }
  STAGED_ASSIGN_OR_RETURN(
      Statement add,
      connection.Prepare(
          "INSERT OR REPLACE INTO view(hash, extension, profile, body) VALUES(?, ?, ?, ?)"));
  const std::string body = EncodeViewBody(encoded.header, own_ids);
  add.BindBlob(1, encoded.key.hash.raw());
  add.BindText(2, encoded.key.extension);
  add.BindInteger(3, profile);
  add.BindBlob(4, body);
  STAGED_RETURN_IF_ERROR(add.Run());
  ids->insert(ids->end(), own_ids.begin(), own_ids.end());
  return OkStatus();
}

std::vector<bool> ViewCache::HasCurrentViews(const std::vector<ViewKey>& keys) {
  std::vector<bool> answers(keys.size(), false);
  (void)database_.Read([&](Connection& connection) -> Status {
    STAGED_ASSIGN_OR_RETURN(const int64_t profile, ProfileId(connection));
    if (profile == 0) return OkStatus();
    // One walk along the table's index costs less than many searches, unless most of the table is
    // of other contents.
    STAGED_ASSIGN_OR_RETURN(Statement last, connection.Prepare("SELECT max(id) FROM view"));
    STAGED_ASSIGN_OR_RETURN(const bool has_last, last.Step());
    const auto rows = static_cast<uint64_t>(has_last ? last.Integer(0) : 0);
    if (keys.size() >= kWalkKeysMin && rows / kWalkRowsPerKeyMax < keys.size()) {
      return WalkViews(connection, profile, keys, answers);
    }
    STAGED_ASSIGN_OR_RETURN(Statement find,
                            connection.Prepare("SELECT 1 FROM view WHERE hash=? AND extension=? "
                                               "AND profile=?"));
    for (size_t i = 0; i < keys.size(); ++i) {
      find.BindBlob(1, keys[i].hash.raw());
      find.BindText(2, keys[i].extension);
      find.BindInteger(3, profile);
      STAGED_ASSIGN_OR_RETURN(const bool found, find.Step());
      answers[i] = found;
      find.Reset();
    }
    return OkStatus();
  });
  return answers;
}

Status ViewCache::WalkViews(Connection& connection, int64_t profile,
                            const std::vector<ViewKey>& keys, std::vector<bool>& answers) {
  std::vector<Wanted> wanted;
  wanted.reserve(keys.size());
  for (size_t i = 0; i < keys.size(); ++i) {
    wanted.push_back({FirstBytes(keys[i].hash), i});
  }
  const auto key_of = [&](const Wanted& one) {
    const ViewKey& key = keys[one.index];
    return std::pair{key.hash.raw(), std::string_view(key.extension)};
  };
  std::sort(wanted.begin(), wanted.end(), [&](const Wanted& left, const Wanted& right) {
    return left.first_bytes != right.first_bytes ? left.first_bytes < right.first_bytes
                                                 : key_of(left) < key_of(right);
  });
  STAGED_ASSIGN_OR_RETURN(Statement walk,
                          connection.Prepare("SELECT hash, extension FROM view WHERE profile=? "
                                             "ORDER BY hash, extension"));
  walk.BindInteger(1, profile);
  auto next = wanted.begin();
  while (next != wanted.end()) {
    STAGED_ASSIGN_OR_RETURN(const bool row, walk.Step());
    if (!row) break;
    const std::pair<std::string_view, std::string_view> at{walk.Bytes(0), walk.Bytes(1)};
    while (next != wanted.end() && key_of(*next) < at) ++next;
    for (; next != wanted.end() && key_of(*next) == at; ++next) answers[next->index] = true;
  }
  return OkStatus();
}

Status ViewCache::Forget(const ContentHash& hash) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    for (auto item = recent_.begin(); item != recent_.end();) {
      const auto next = std::next(item);
      if (item->key.hash == hash) {
        memory_bytes_ -= item->weight_bytes;
        by_key_.erase(item->key);
        recent_.erase(item);
      }
      item = next;
    }
  }
  if (!database_.is_kept()) return OkStatus();
  const Status removed = database_.Write(LockWait::kWait, [&](Connection& connection) -> Status {
    STAGED_ASSIGN_OR_RETURN(Statement remove, connection.Prepare("DELETE FROM view WHERE hash=?"));
    remove.BindBlob(1, hash.raw());
    return remove.Run();
  });
  if (!removed.ok()) return removed;
  STAGED_RETURN_IF_ERROR(SweepSegments());
  return database_.Scrub();
}

Result<bool> ViewCache::Knows(const ContentHash& hash) {
  bool is_known = false;
  if (!database_.is_kept()) return is_known;
  STAGED_RETURN_IF_ERROR(database_.Read([&](Connection& connection) -> Status {
    STAGED_ASSIGN_OR_RETURN(Statement find,
                            connection.Prepare("SELECT 1 FROM view WHERE hash=? LIMIT 1"));
    find.BindBlob(1, hash.raw());
    STAGED_ASSIGN_OR_RETURN(is_known, find.Step());
    return OkStatus();
  }));
  return is_known;
}

Status ViewCache::Sweep(const std::unordered_set<ContentHash>& live) {
  const Status swept = database_.Write(LockWait::kWait, [&](Connection& connection) -> Status {
    STAGED_ASSIGN_OR_RETURN(const int64_t profile, ProfileId(connection));
    std::vector<int64_t> dead;
    STAGED_ASSIGN_OR_RETURN(Statement list,
                            connection.Prepare("SELECT id, hash, profile FROM view"));
    while (true) {
      STAGED_ASSIGN_OR_RETURN(const bool row, list.Step());
      if (!row) break;
      const std::string_view hash = list.Bytes(1);
      if (hash.size() != ContentHash::kSizeBytes || list.Integer(2) != profile ||
          !live.contains(ContentHash::FromRaw(hash))) {
        dead.push_back(list.Integer(0));
      }
    }
    STAGED_ASSIGN_OR_RETURN(Statement remove, connection.Prepare("DELETE FROM view WHERE id=?"));
    for (const int64_t id : dead) {
      remove.BindInteger(1, id);
      STAGED_RETURN_IF_ERROR(remove.Run());
    }
    return OkStatus();
  });
  if (!swept.ok()) return swept;
  return SweepSegments();
}

Status ViewCache::SweepSegments() {
  return database_.Write(LockWait::kWait, [&](Connection& connection) -> Status {
    std::unordered_set<int64_t> needed;
    STAGED_ASSIGN_OR_RETURN(Statement views, connection.Prepare("SELECT body FROM view"));
    while (true) {
      STAGED_ASSIGN_OR_RETURN(const bool row, views.Step());
      if (!row) break;
      STAGED_ASSIGN_OR_RETURN(const ViewSummary view, DecodeViewSummary(views.Bytes(0)));
      needed.insert(view.segment_ids.begin(), view.segment_ids.end());
    }
    std::vector<int64_t> dead;
    STAGED_ASSIGN_OR_RETURN(Statement list, connection.Prepare("SELECT id FROM segment"));
    while (true) {
      STAGED_ASSIGN_OR_RETURN(const bool row, list.Step());
      if (!row) break;
      if (!needed.contains(list.Integer(0))) dead.push_back(list.Integer(0));
    }
    for (const int64_t id : dead) STAGED_RETURN_IF_ERROR(RemoveSegment(connection, id));
    if (dead.empty()) return OkStatus();
    return connection.Execute("UPDATE generation SET number=number+1");
  });
}

Status ViewCache::RemoveSegment(Connection& connection, int64_t id) {
  for (const char* sql :
       {"DELETE FROM title_index WHERE rowid IN (SELECT id FROM title_index_docsize, indexed "
        "WHERE segment=?1 AND id>=title_first AND id<title_first+title_count)",
        "DELETE FROM body_index WHERE rowid IN (SELECT id FROM body_index_docsize, indexed "
        "WHERE segment=?1 AND id>=body_first AND id<body_first+body_count)",
        "DELETE FROM indexed WHERE segment=?1", "DELETE FROM segment WHERE id=?1"}) {
    STAGED_ASSIGN_OR_RETURN(Statement remove, connection.Prepare(sql));
    remove.BindInteger(1, id);
    STAGED_RETURN_IF_ERROR(remove.Run());
  }
  return OkStatus();
}

std::shared_ptr<const View> ViewCache::FindInMemory(const ViewKey& key) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto place = by_key_.find(key);
  if (place == by_key_.end()) return nullptr;
  recent_.splice(recent_.begin(), recent_, place->second);
  return place->second->view;
}

void ViewCache::Remember(const ViewKey& key, const std::shared_ptr<const View>& view) {
  const uint64_t weight_bytes = WeightOf(*view);
  if (weight_bytes > options_.memory_bytes_max) return;
  std::lock_guard<std::mutex> lock(mutex_);
  if (by_key_.contains(key)) return;
  recent_.push_front(MemoryItem{key, view, weight_bytes});
  by_key_[key] = recent_.begin();
  memory_bytes_ += weight_bytes;
  while (memory_bytes_ > options_.memory_bytes_max) {
    const MemoryItem& oldest = recent_.back();
    memory_bytes_ -= oldest.weight_bytes;
    by_key_.erase(oldest.key);
    recent_.pop_back();
  }
}

std::shared_ptr<const Segment> ViewCache::LiveSegment(const std::string& key) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto place = segments_.find(key);
  return place == segments_.end() ? nullptr : place->second.lock();
}

void ViewCache::RememberSegment(const std::string& key,
                                const std::shared_ptr<const Segment>& segment) {
  std::lock_guard<std::mutex> lock(mutex_);
  segments_[key] = segment;
  if (segments_.size() < segments_prune_at_) return;
  std::erase_if(segments_, [](const auto& item) { return item.second.expired(); });
  segments_prune_at_ = std::max<size_t>(1024, segments_.size() * 2);
}

}  // namespace staged
