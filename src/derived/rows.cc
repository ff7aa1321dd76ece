#include "derived/rows.h"

#include <algorithm>
#include <array>

#include "base/binary.h"
#include "record/grid_segment.h"

namespace staged {
namespace {

constexpr std::array<std::string_view, 12> kTitleKinds = {
    "chapter", "class",   "defined_name", "function", "heading", "method",
    "outline", "section", "sheet",        "slide",    "symbol",  "table"};
constexpr std::string_view kCellKind = "cell";
constexpr std::string_view kMemberKind = "member";

// A row that would grow beyond this is continued as another one, so that sheets of thousands of
// columns neither make endless rows nor lose a cell.
constexpr size_t kRowBytesMax = size_t{64} << 10;
// Of the text of a record that is no cell, the index takes so much; regular expressions see all.
constexpr size_t kIndexedTextBytesMax = size_t{1} << 20;

// What the index takes of a text: whole characters, at most `bytes_max` bytes.
std::string_view IndexedText(std::string_view text, size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  size_t end = bytes_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end);
}

bool HasKeyInRow(const Record& record) { return record.kind == kMemberKind && !record.key.empty(); }

// The row of an address such as "Sheet1!B7": everything but the column's letters. Empty when the
// locator is of another shape.
struct SheetRow {
  std::string_view sheet;
  std::string_view row;
  friend bool operator==(const SheetRow&, const SheetRow&) = default;
};
SheetRow SheetRowOf(std::string_view locator) {
  size_t digits = locator.size();
  while (digits > 0 && locator[digits - 1] >= '0' && locator[digits - 1] <= '9') --digits;
  size_t letters = digits;
  while (letters > 0 && locator[letters - 1] >= 'A' && locator[letters - 1] <= 'Z') --letters;
  const bool is_address =
      digits < locator.size() && letters < digits && (letters == 0 || locator[letters - 1] == '!');
  if (!is_address) return {};
  return {locator.substr(0, letters), locator.substr(digits)};
}

// Takes a row of records [first, end) in; it is number `row_count` - 1.
void AppendRow(std::vector<RowRun>& runs, uint32_t kind, uint32_t first, uint32_t end,
               uint64_t row_count) {
  const uint32_t size = end - first;
  if (!runs.empty() && runs.back().kind == kind && runs.back().row_records == size) {
    RowRun& last = runs.back();
    // The second row of a run decides how far apart its rows are.
    if (last.row_count == 1) last.stride = first - last.first_record;
    if (last.first_record + uint64_t{last.row_count} * last.stride == first) {
      ++last.row_count;
      return;
    }
  }
  runs.push_back({kind, first, size, size, 1, row_count - 1});
}

class RowBuilder {
 public:
  explicit RowBuilder(SegmentRows& out) : out_(out) {}

  void Add(const Record& record) {
    const uint32_t number = next_record_++;
    if (open_ && number == open_end_ && IsSameTableRow(last_cell_, record) && HasRoom(record)) {
      open_end_ = number + 1;
      out_.bodies.text += '\t';
      out_.bodies.text += IndexedText(record.text, kIndexedCellBytesMax);
      return;
    }
    Close();
    if (record.kind != kCellKind && record.text.empty() && !HasKeyInRow(record)) return;
    kind_ = KindOf(record.kind);
    is_title_ = title_kinds_[kind_];
    first_ = number;
    RowTexts& texts = is_title_ ? out_.titles : out_.bodies;
    AppendRowText(record, texts.text);
    if (record.kind == kCellKind) {
      open_ = true;
      open_end_ = number + 1;
      last_cell_.kind = record.kind;
      last_cell_.locator = record.locator;
      last_cell_.parent = record.parent;
      return;
    }
    texts.ends.push_back(texts.text.size());
    AddToRuns(number + 1);
  }

  void Close() {
    if (!open_) return;
    open_ = false;
    RowTexts& texts = out_.bodies;
    const uint64_t begin = texts.ends.empty() ? 0 : texts.ends.back();
    if (texts.text.find_first_not_of('\t', begin) == std::string::npos) {
      texts.text.resize(begin);
      return;
    }
    texts.ends.push_back(texts.text.size());
    AddToRuns(open_end_);
  }

 private:
  // Whether the open row takes this cell too.
  [[nodiscard]] bool HasRoom(const Record& record) const {
    const RowTexts& texts = out_.bodies;
    const uint64_t begin = texts.ends.empty() ? 0 : texts.ends.back();
    return texts.text.size() - begin + record.text.size() < kRowBytesMax;
  }

  uint32_t KindOf(const std::string& kind) {
    std::vector<std::string>& kinds = out_.map.kinds;
    if (kind_ < kinds.size() && kinds[kind_] == kind) return kind_;
    const auto place = std::find(kinds.begin(), kinds.end(), kind);
    if (place != kinds.end()) return static_cast<uint32_t>(place - kinds.begin());
    kinds.push_back(kind);
    title_kinds_.push_back(IsTitleKind(kind));
    return static_cast<uint32_t>(kinds.size() - 1);
  }

  void AddToRuns(uint32_t end) {
    AppendRow(is_title_ ? out_.map.titles : out_.map.bodies, kind_, first_, end,
              (is_title_ ? out_.titles : out_.bodies).count());
  }

  SegmentRows& out_;
  std::vector<bool> title_kinds_;  // beside out_.map.kinds
  uint32_t next_record_ = 0;
  uint32_t first_ = 0;
  uint32_t kind_ = 0;
  bool is_title_ = false;
  bool open_ = false;  // a row of cells that may go on
  uint32_t open_end_ = 0;
  Record last_cell_;
};

// The same as through records, without making two million of them.
void BuildGridRows(const GridSegment& grid, SegmentRows& out) {
  const size_t count = grid.cell_count();
  if (count > 0) out.map.kinds.emplace_back(kCellKind);
  RowTexts& texts = out.bodies;
  for (size_t begin = 0; begin < count;) {
    const size_t text_begin = texts.text.size();
    size_t end = begin;
    for (; end < count && grid.row(end) == grid.row(begin); ++end) {
      const std::string text = grid.text(end);
      if (end > begin) {
        if (texts.text.size() - text_begin + text.size() >= kRowBytesMax) break;
        texts.text += '\t';
      }
      texts.text += IndexedText(text, kIndexedCellBytesMax);
    }
    if (texts.text.find_first_not_of('\t', text_begin) == std::string::npos) {
      texts.text.resize(text_begin);
    } else {
      texts.ends.push_back(texts.text.size());
      AppendRow(out.map.bodies, 0, static_cast<uint32_t>(begin), static_cast<uint32_t>(end),
                texts.count());
    }
    begin = end;
  }
}

void PutRuns(BinaryWriter& writer, const std::vector<RowRun>& runs) {
  writer.PutUnsigned(runs.size());
  uint32_t expected = 0;
  for (const RowRun& run : runs) {
    writer.PutUnsigned(run.kind);
    writer.PutUnsigned(run.first_record - expected);
    writer.PutUnsigned(run.row_records);
    writer.PutUnsigned(run.stride);
    writer.PutUnsigned(run.row_count);
    expected = run.first_record + run.stride * run.row_count;
  }
}

std::vector<RowRun> GetRuns(BinaryReader& reader) {
  constexpr uint64_t kRunBytesMin = 5;
  std::vector<RowRun> runs(reader.GetCount(kRunBytesMin));
  uint32_t expected = 0;
  uint64_t rows = 0;
  for (RowRun& run : runs) {
    run.kind = static_cast<uint32_t>(reader.GetUnsigned());
    run.first_record = expected + static_cast<uint32_t>(reader.GetUnsigned());
    run.row_records = static_cast<uint32_t>(reader.GetUnsigned());
    run.stride = static_cast<uint32_t>(reader.GetUnsigned());
    run.row_count = static_cast<uint32_t>(reader.GetUnsigned());
    run.first_row = rows;
    rows += run.row_count;
    expected = run.first_record + run.stride * run.row_count;
  }
  return runs;
}

}  // namespace

bool IsTitleKind(std::string_view kind) {
  return std::binary_search(kTitleKinds.begin(), kTitleKinds.end(), kind);
}

size_t AppendRowText(const Record& record, std::string& out) {
  if (HasKeyInRow(record)) {
    out += record.key;
    out += ": ";
  }
  const size_t begin = out.size();
  out += IndexedText(record.text,
                     record.kind == kCellKind ? kIndexedCellBytesMax : kIndexedTextBytesMax);
  return begin;
}

bool IsSameTableRow(const Record& left, const Record& right) {
  if (left.kind != kCellKind || right.kind != kCellKind || left.parent != right.parent) {
    return false;
  }
  const SheetRow left_row = SheetRowOf(left.locator);
  const SheetRow right_row = SheetRowOf(right.locator);
  // Without a cell address, the parent is the row.
  return left_row == right_row;
}

std::string RowMap::Encode() const {
  BinaryWriter writer;
  writer.PutUnsigned(kinds.size());
  for (const std::string& kind : kinds) writer.PutString(kind);
  PutRuns(writer, titles);
  PutRuns(writer, bodies);
  return writer.Take();
}

Result<RowMap> RowMap::Decode(std::string_view bytes) {
  BinaryReader reader(bytes);
  RowMap map;
  map.kinds.resize(reader.GetCount(1));
  for (std::string& kind : map.kinds) kind = reader.GetString();
  map.titles = GetRuns(reader);
  map.bodies = GetRuns(reader);
  STAGED_RETURN_IF_ERROR(reader.Finish("a part of the search index"));
  for (const std::vector<RowRun>* runs : {&map.titles, &map.bodies}) {
    for (const RowRun& run : *runs) {
      if (run.kind >= map.kinds.size()) {
        return Status(ErrorCode::kDataLoss, "the search index is damaged; delete .staged/derived");
      }
    }
  }
  return map;
}

RowPlace FindRow(const std::vector<RowRun>& runs, uint64_t row) {
  auto run =
      std::upper_bound(runs.begin(), runs.end(), row,
                       [](uint64_t number, const RowRun& item) { return number < item.first_row; });
  if (run == runs.begin()) return {};
  --run;
  const uint64_t inside = row - run->first_row;
  if (inside >= run->row_count) return {};
  return {run->kind, static_cast<uint32_t>(run->first_record + inside * run->stride),
          run->row_records};
}

SegmentRows BuildRows(const Segment& segment) {
  SegmentRows rows;
  if (const auto* grid = dynamic_cast<const GridSegment*>(&segment)) {
    BuildGridRows(*grid, rows);
    return rows;
  }
  RowBuilder builder(rows);
  segment.ForEach([&](const Record& record) {
    builder.Add(record);
    return true;
  });
  builder.Close();
  return rows;
}

}  // namespace staged
