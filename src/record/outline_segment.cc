#include "record/outline_segment.h"

#include <algorithm>
#include <utility>

#include "base/binary.h"
#include "record/record_codec.h"

namespace staged {
namespace {

// The name that stands for an empty locator; no row of a text has it, since names follow a slash.
constexpr uint32_t kRootName = 0;
// How many different names are held in memory once; an object used as a table has more.
constexpr size_t kSharedNamesMax = 1 << 16;

}  // namespace

std::string_view OutlineSegment::Name(uint32_t id) const {
  const uint64_t begin = id == 0 ? 0 : name_ends_[id - 1];
  return std::string_view(names_).substr(begin, name_ends_[id] - begin);
}

std::string_view OutlineSegment::Text(size_t row) const {
  const uint64_t begin = row == 0 ? 0 : text_ends_[row - 1];
  return std::string_view(texts_).substr(begin, text_ends_[row] - begin);
}

void OutlineSegment::AppendStep(std::string& locator, size_t row) const {
  const uint32_t step = steps_[row];
  if (step == kRootName) return;
  locator.push_back('/');
  if ((step & kIsPosition) != 0) {
    locator.append(std::to_string(step & ~kIsPosition));
  } else {
    locator.append(Name(step));
  }
}

void OutlineSegment::SetClass(size_t row, Record& record) const {
  const Class& shared = classes_[classes_of_[row]];
  record.kind = shared.kind;
  record.attrs = shared.attrs;
}

void OutlineSegment::Fill(size_t row, const uint32_t* key, Record& record) const {
  record.text = Text(row);
  record.key.clear();
  if (key != nullptr) {
    record.key = Name(*key);
  } else if ((steps_[row] & kIsPosition) == 0) {
    record.key = Name(steps_[row]);
  }
  if (has_spans_) {
    record.span = ByteSpan{spans_[row].begin + span_offset_, spans_[row].end + span_offset_};
  }
}

const uint32_t* OutlineSegment::FindKey(size_t row) const {
  const auto found = std::lower_bound(key_rows_.begin(), key_rows_.end(), row);
  if (found == key_rows_.end() || *found != row) return nullptr;
  return &keys_[static_cast<size_t>(found - key_rows_.begin())];
}

Record OutlineSegment::At(size_t index) const {
  if (index < leading_.size()) return leading_[index];
  index -= leading_.size();
  if (index >= rows()) return trailing_[index - rows()];
  Record record;
  SetClass(index, record);
  Fill(index, FindKey(index), record);
  std::vector<uint32_t> above;
  for (uint32_t at = parents_[index]; at != kNoParent; at = parents_[at]) above.push_back(at);
  for (; !above.empty(); above.pop_back()) AppendStep(record.parent, above.back());
  record.locator = record.parent;
  AppendStep(record.locator, index);
  return record;
}

void OutlineSegment::ForEach(const std::function<bool(const Record&)>& visit) const {
  for (const Record& record : leading_) {
    if (!visit(record)) return;
  }
  Record record;
  // The rows that lead to the present one, each with the size of its locator: all of them begin the
  // one locator that is being made.
  std::vector<std::pair<uint32_t, size_t>> above;
  size_t next_key = 0;
  for (size_t row = 0; row < rows(); ++row) {
    while (!above.empty() && above.back().first != parents_[row]) above.pop_back();
    record.locator.resize(above.empty() ? 0 : above.back().second);
    record.parent = record.locator;
    AppendStep(record.locator, row);
    if (row == 0 || classes_of_[row] != classes_of_[row - 1]) SetClass(row, record);
    const bool has_key = next_key < key_rows_.size() && key_rows_[next_key] == row;
    Fill(row, has_key ? &keys_[next_key++] : nullptr, record);
    if (!visit(record)) return;
    above.emplace_back(static_cast<uint32_t>(row), record.locator.size());
  }
  for (const Record& trailing : trailing_) {
    if (!visit(trailing)) return;
  }
}

std::string OutlineSegment::Encode() const {
  BinaryWriter writer;
  writer.PutByte(kOutlineSegmentTag);
  writer.PutString(part_);
  writer.PutHash(digest_);
  writer.PutBool(has_spans_);
  writer.PutUnsigned(span_offset_);
  for (const auto* records : {&leading_, &trailing_}) {
    writer.PutUnsigned(records->size());
    for (const Record& record : *records) PutRecord(writer, record);
  }
  writer.PutUnsigned(classes_.size());
  for (const Class& one : classes_) {
    writer.PutString(one.kind);
    writer.PutValue(one.attrs);
  }
  writer.PutUnsigned(name_ends_.size());
  for (uint32_t id = 0; id < name_ends_.size(); ++id) writer.PutUnsigned(Name(id).size());
  writer.PutString(names_);
  writer.PutUnsigned(key_rows_.size());
  for (size_t i = 0; i < key_rows_.size(); ++i) {
    writer.PutUnsigned(key_rows_[i]);
    writer.PutUnsigned(keys_[i]);
  }
  writer.PutString(texts_);
  writer.PutUnsigned(rows());
  for (size_t row = 0; row < rows(); ++row) {
    writer.PutByte(classes_of_[row]);
    writer.PutUnsigned(parents_[row] == kNoParent ? 0 : row - parents_[row]);
    writer.PutUnsigned(steps_[row]);
    writer.PutUnsigned(Text(row).size());
    writer.PutUnsigned(spans_[row].begin);
    writer.PutUnsigned(spans_[row].end - spans_[row].begin);
  }
  return writer.Take();
}

Result<std::shared_ptr<const Segment>> OutlineSegment::Decode(std::string_view bytes) {
  constexpr uint64_t kRowBytesMin = 6;
  BinaryReader reader(bytes);
  std::shared_ptr<OutlineSegment> segment(new OutlineSegment());
  segment->part_ = reader.GetString();
  segment->digest_ = reader.GetHash();
  segment->has_spans_ = reader.GetBool();
  segment->span_offset_ = reader.GetUnsigned();
  for (auto* records : {&segment->leading_, &segment->trailing_}) *records = GetRecords(reader);
  segment->classes_.resize(reader.GetCount(2));
  for (Class& one : segment->classes_) {
    one.kind = reader.GetString();
    one.attrs = reader.GetValue();
  }
  segment->name_ends_.resize(reader.GetCount(1));
  uint64_t end = 0;
  for (uint64_t& name_end : segment->name_ends_) name_end = end += reader.GetUnsigned();
  segment->names_ = reader.GetString();
  const size_t keys = reader.GetCount(2);
  for (size_t i = 0; i < keys && reader.ok(); ++i) {
    segment->key_rows_.push_back(static_cast<uint32_t>(reader.GetUnsigned()));
    segment->keys_.push_back(static_cast<uint32_t>(reader.GetUnsigned()));
  }
  segment->texts_ = reader.GetString();
  const size_t count = reader.GetCount(kRowBytesMin);
  segment->classes_of_.resize(count);
  segment->parents_.resize(count);
  segment->steps_.resize(count);
  segment->text_ends_.resize(count);
  segment->spans_.resize(count);
  end = 0;
  for (size_t row = 0; row < count && reader.ok(); ++row) {
    segment->classes_of_[row] = reader.GetByte();
    const uint64_t back = reader.GetUnsigned();
    segment->parents_[row] = back == 0 ? kNoParent : static_cast<uint32_t>(row - back);
    segment->steps_[row] = static_cast<uint32_t>(reader.GetUnsigned());
    segment->text_ends_[row] = end += reader.GetUnsigned();
    segment->spans_[row].begin = static_cast<uint32_t>(reader.GetUnsigned());
    segment->spans_[row].end =
        segment->spans_[row].begin + static_cast<uint32_t>(reader.GetUnsigned());
  }
  STAGED_RETURN_IF_ERROR(reader.Finish("a cached view"));
  if (!segment->IsSound()) {
    return Status(ErrorCode::kDataLoss, "a cached view is damaged; delete .staged/derived");
  }
  return std::shared_ptr<const Segment>(std::move(segment));
}

// Every number leads somewhere. Sums may have run over: ends that never fall and end well are
// right.
bool OutlineSegment::IsSound() const {
  const auto fits = [](const std::vector<uint64_t>& ends, const std::string& pool) {
    return std::is_sorted(ends.begin(), ends.end()) &&
           (ends.empty() ? pool.empty() : ends.back() == pool.size());
  };
  if (!fits(name_ends_, names_) || !fits(text_ends_, texts_)) return false;
  for (size_t row = 0; row < rows(); ++row) {
    if (classes_of_[row] >= classes_.size()) return false;
    if (parents_[row] != kNoParent && parents_[row] >= row) return false;
    if ((steps_[row] & kIsPosition) == 0 && steps_[row] >= name_ends_.size()) return false;
  }
  return std::all_of(keys_.begin(), keys_.end(),
                     [&](uint32_t key) { return key < name_ends_.size(); });
}

uint64_t OutlineSegment::memory_bytes() const {
  constexpr uint64_t kRowBytes =
      sizeof(uint8_t) + 2 * sizeof(uint32_t) + sizeof(uint64_t) + sizeof(Span);
  return sizeof(*this) + texts_.capacity() + names_.capacity() +
         name_ends_.capacity() * sizeof(uint64_t) + classes_of_.capacity() * kRowBytes +
         (key_rows_.capacity() + keys_.capacity()) * sizeof(uint32_t);
}

OutlineSegment::Builder::Builder(std::string part, const ContentHash& digest,
                                 const Options& options)
    : segment_(new OutlineSegment()) {
  segment_->part_ = std::move(part);
  segment_->digest_ = digest;
  segment_->has_spans_ = options.has_spans;
  segment_->span_offset_ = options.span_offset;
  AppendName("");  // kRootName
}

void OutlineSegment::Builder::Reserve(size_t rows) {
  segment_->classes_of_.reserve(rows);
  segment_->parents_.reserve(rows);
  segment_->steps_.reserve(rows);
  segment_->text_ends_.reserve(rows);
  segment_->spans_.reserve(rows);
}

uint8_t OutlineSegment::Builder::AddClass(std::string_view kind, Value attrs) {
  segment_->classes_.push_back({std::string(kind), std::move(attrs)});
  return static_cast<uint8_t>(segment_->classes_.size() - 1);
}

uint32_t OutlineSegment::Builder::AppendName(std::string_view name) {
  segment_->names_.append(name);
  segment_->name_ends_.push_back(segment_->names_.size());
  return static_cast<uint32_t>(segment_->name_ends_.size() - 1);
}

uint32_t OutlineSegment::Builder::NameId(std::string_view name) {
  const auto known = ids_.find(std::string(name));
  if (known != ids_.end()) return known->second;
  const uint32_t id = AppendName(name);
  if (ids_.size() < kSharedNamesMax) ids_.emplace(name, id);
  return id;
}

void OutlineSegment::Builder::Add(const Row& row, uint32_t step) {
  segment_->classes_of_.push_back(row.class_id);
  segment_->parents_.push_back(row.parent);
  segment_->steps_.push_back(step);
  segment_->texts_.append(row.text);
  segment_->text_ends_.push_back(segment_->texts_.size());
  segment_->spans_.push_back({row.begin, row.end});
}

void OutlineSegment::Builder::AddNamed(const Row& row, std::string_view name) {
  Add(row, NameId(name));
}

void OutlineSegment::Builder::AddAt(const Row& row, uint32_t position, std::string_view key) {
  if (!key.empty()) {
    segment_->key_rows_.push_back(static_cast<uint32_t>(segment_->rows()));
    segment_->keys_.push_back(AppendName(key));  // keys tell apart: hardly one comes twice
  }
  Add(row, kIsPosition | position);
}

void OutlineSegment::Builder::AddRoot(const Row& row) { Add(row, kRootName); }

}  // namespace staged
