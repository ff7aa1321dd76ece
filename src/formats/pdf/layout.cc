#include <algorithm>
#include <cmath>
#include <numeric>

#include "formats/pdf/page_text.h"

namespace staged::pdf {
namespace {

constexpr size_t kDepthMax = 12;
// Lengths in units of the text's size.
constexpr float kGutterMin = 0.9F;
constexpr float kCellGapMin = 1.6F;
constexpr float kLeadingMax = 0.75F;
constexpr float kIndentMin = 0.9F;
constexpr float kSizeRatioMax = 1.25F;
// A column is told from a table by how much of its width its lines fill, and with how many words.
constexpr size_t kColumnRowsMin = 3;
constexpr double kColumnFillMin = 0.55;
constexpr double kColumnWordsMin = 2.5;

struct Row {
  std::vector<uint32_t> fragments;  // from left to right
  Box box;
};

class PageLayout {
 public:
  explicit PageLayout(const PageText& page) : page_(page) {}

  std::vector<Block> Run() {
    std::vector<uint32_t> upright;
    std::vector<uint32_t> others;
    for (uint32_t i = 0; i < page_.fragments.size(); ++i) {
      (StyleOf(i).angle == 0 ? upright : others).push_back(i);
    }
    if (upright.size() > kOrderedFragmentsMax) {
      others.resize(page_.fragments.size());
      std::iota(others.begin(), others.end(), 0);
    } else {
      Order(std::move(upright), 0);
    }
    EndBlock();
    for (const uint32_t fragment : others) {
      AddLine(Row{{fragment}, page_.fragments[fragment].box});
    }
    EndBlock();
    return std::move(blocks_);
  }

 private:
  [[nodiscard]] const Fragment& At(uint32_t index) const { return page_.fragments[index]; }
  [[nodiscard]] const TextStyle& StyleOf(uint32_t index) const {
    return page_.styles[At(index).style];
  }
  [[nodiscard]] float SizeOf(uint32_t index) const { return std::max(StyleOf(index).size, 1.0F); }

  [[nodiscard]] std::vector<Row> RowsOf(std::vector<uint32_t> fragments) const {
    std::stable_sort(fragments.begin(), fragments.end(), [this](uint32_t left, uint32_t right) {
      return At(left).box.y0 + At(left).box.y1 < At(right).box.y0 + At(right).box.y1;
    });
    std::vector<Row> rows;
    for (const uint32_t index : fragments) {
      const Box& box = At(index).box;
      bool joins = false;
      if (!rows.empty()) {
        const Box& row = rows.back().box;
        const float overlap = std::min(row.y1, box.y1) - std::max(row.y0, box.y0);
        joins = overlap > 0.5F * std::min(row.height(), box.height());
      }
      if (joins) {
        rows.back().box.Include(box);
        rows.back().fragments.push_back(index);
      } else {
        rows.push_back({{index}, box});
      }
    }
    for (Row& row : rows) {
      std::stable_sort(
          row.fragments.begin(), row.fragments.end(),
          [this](uint32_t left, uint32_t right) { return At(left).box.x0 < At(right).box.x0; });
    }
    return rows;
  }

  // Rows [begin, end) with nothing between x0 and x1.
  struct Gutter {
    size_t begin = 0;
    size_t end = 0;
    float x0 = 0;
    float x1 = 0;
    [[nodiscard]] size_t rows() const { return end - begin; }
  };

  // Narrows the gutter so that the row keeps clear of it; false when it cannot.
  bool KeepClear(Gutter& gutter, const Row& row, float width_min) const {
    Gutter narrowed = gutter;
    for (const uint32_t index : row.fragments) {
      const Box& box = At(index).box;
      if (box.x1 <= narrowed.x0 || box.x0 >= narrowed.x1) continue;
      if (box.x0 + box.x1 < narrowed.x0 + narrowed.x1) {
        narrowed.x0 = std::max(narrowed.x0, box.x1);
      } else {
        narrowed.x1 = std::min(narrowed.x1, box.x0);
      }
      if (narrowed.x1 - narrowed.x0 < width_min) return false;
    }
    gutter = narrowed;
    return true;
  }

  [[nodiscard]] Gutter Extend(const std::vector<Row>& rows, size_t row, float x0, float x1) const {
    const float width_min = kGutterMin * SizeOf(rows[row].fragments.front());
    Gutter gutter{row, row + 1, x0, x1};
    while (gutter.end < rows.size() && KeepClear(gutter, rows[gutter.end], width_min)) ++gutter.end;
    while (gutter.begin > 0 && KeepClear(gutter, rows[gutter.begin - 1], width_min)) --gutter.begin;
    return gutter;
  }

  // Leaves out rows at both ends that only one side has, unless they go on with its text.
  void Trim(const std::vector<Row>& rows, Gutter& gutter) const {
    size_t first = gutter.end;
    size_t last = gutter.end;
    for (size_t row = gutter.begin; row < gutter.end; ++row) {
      const std::vector<uint32_t>& fragments = rows[row].fragments;
      const bool has_both = At(fragments.front()).box.x1 <= gutter.x0 + 1 &&
                            At(fragments.back()).box.x0 >= gutter.x1 - 1;
      if (!has_both) continue;
      first = std::min(first, row);
      last = row;
    }
    if (first == gutter.end) return;
    const auto goes_on = [&](size_t above, size_t below) {
      const float size = SizeOf(rows[below].fragments.front());
      return rows[below].box.y0 - rows[above].box.y1 <= kLeadingMax * size;
    };
    while (first > gutter.begin && goes_on(first - 1, first)) --first;
    while (last + 1 < gutter.end && goes_on(last, last + 1)) ++last;
    gutter.begin = first;
    gutter.end = last + 1;
  }

  // Whether both sides of the gutter read as running text.
  [[nodiscard]] bool SeparatesColumns(const std::vector<Row>& rows, const Gutter& gutter) const {
    struct Side {
      size_t rows = 0;
      size_t words = 0;
      double filled = 0;
      float x0 = INFINITY;
      float x1 = -INFINITY;
    } sides[2];
    for (size_t row = gutter.begin; row < gutter.end; ++row) {
      bool seen[2] = {false, false};
      for (const uint32_t index : rows[row].fragments) {
        const Fragment& fragment = At(index);
        const int which = fragment.box.x0 + fragment.box.x1 < gutter.x0 + gutter.x1 ? 0 : 1;
        Side& side = sides[which];
        side.rows += seen[which] ? 0 : 1;
        seen[which] = true;
        side.words += fragment.end_word - fragment.first_word;
        side.filled += fragment.box.width();
        side.x0 = std::min(side.x0, fragment.box.x0);
        side.x1 = std::max(side.x1, fragment.box.x1);
      }
    }
    return std::all_of(std::begin(sides), std::end(sides), [](const Side& side) {
      if (side.rows < kColumnRowsMin) return false;
      const auto count = static_cast<double>(side.rows);
      return side.filled >= kColumnFillMin * count * (side.x1 - side.x0) &&
             static_cast<double>(side.words) >= kColumnWordsMin * count;
    });
  }

  // The gutter of most rows that begins a run of columns at or below `first`; none: no rows.
  [[nodiscard]] Gutter FindColumns(const std::vector<Row>& rows, size_t first) const {
    for (size_t row = first; row < rows.size(); ++row) {
      Gutter best;
      const auto consider = [&](float x0, float x1) {
        Gutter gutter = Extend(rows, row, x0, x1);
        gutter.begin = std::max(gutter.begin, first);
        Trim(rows, gutter);
        if (gutter.rows() > best.rows() && SeparatesColumns(rows, gutter)) best = gutter;
      };
      const std::vector<uint32_t>& fragments = rows[row].fragments;
      for (size_t i = 0; i + 1 < fragments.size(); ++i) {
        const float x0 = At(fragments[i]).box.x1;
        const float x1 = At(fragments[i + 1]).box.x0;
        if (x1 - x0 >= kGutterMin * SizeOf(fragments[i])) consider(x0, x1);
      }
      // Columns whose lines stand at different heights.
      if (fragments.size() == 1 && row + 1 < rows.size() && rows[row + 1].fragments.size() == 1) {
        const Box& here = rows[row].box;
        const Box& next = rows[row + 1].box;
        if (next.y0 < here.y1) consider(std::min(here.x1, next.x1), std::max(here.x0, next.x0));
      }
      if (best.rows() > 0) return best;
    }
    return {};
  }

  void Order(std::vector<uint32_t> fragments, size_t depth) {
    const std::vector<Row> rows = RowsOf(std::move(fragments));
    size_t done = 0;
    while (done < rows.size()) {
      const Gutter gutter = depth < kDepthMax ? FindColumns(rows, done) : Gutter{};
      const size_t until = gutter.rows() > 0 ? gutter.begin : rows.size();
      for (; done < until; ++done) AddLine(rows[done]);
      if (gutter.rows() == 0) break;
      std::vector<uint32_t> sides[2];
      for (; done < gutter.end; ++done) {
        for (const uint32_t index : rows[done].fragments) {
          const Box& box = At(index).box;
          sides[box.x0 + box.x1 < gutter.x0 + gutter.x1 ? 0 : 1].push_back(index);
        }
      }
      for (std::vector<uint32_t>& side : sides) {
        EndBlock();
        Order(std::move(side), depth + 1);
      }
      EndBlock();
    }
  }

  void AddLine(const Row& row) {
    Line line{row.fragments, row.box};
    for (size_t i = 0; i + 1 < row.fragments.size(); ++i) {
      const float gap = At(row.fragments[i + 1]).box.x0 - At(row.fragments[i]).box.x1;
      line.is_tabular |= gap >= kCellGapMin * SizeOf(row.fragments[i]);
    }
    if (!GoesOn(line)) EndBlock();
    if (block_.lines.empty()) {
      block_.box = line.box;
    } else {
      block_.box.Include(line.box);
    }
    block_.lines.push_back(std::move(line));
  }

  // Whether the line belongs to the block before it.
  [[nodiscard]] bool GoesOn(const Line& line) const {
    if (block_.lines.empty()) return false;
    const Line& last = block_.lines.back();
    const uint32_t first = line.fragments.front();
    const float size = SizeOf(first);
    const float before = SizeOf(last.fragments.front());
    if (StyleOf(first).angle != StyleOf(last.fragments.front()).angle) return false;
    if (StyleOf(first).is_invisible != StyleOf(last.fragments.front()).is_invisible) return false;
    if (std::max(size, before) > kSizeRatioMax * std::min(size, before)) return false;
    if (StyleOf(first).angle != 0) return false;
    const float gap = line.box.y0 - last.box.y1;
    if (gap > kLeadingMax * size || gap < -size) return false;
    if (line.is_tabular || last.is_tabular) return line.is_tabular && last.is_tabular;
    if (line.box.x0 >= block_.box.x1 || line.box.x1 <= block_.box.x0) return false;
    const float indent = line.box.x0 - block_.box.x0;
    const bool is_indented = indent > kIndentMin * size && last.box.x0 - block_.box.x0 < 1;
    return !is_indented || block_.lines.size() == 1;
  }

  void EndBlock() {
    if (block_.lines.empty()) return;
    block_.is_table = block_.lines.size() > 1 && block_.lines.front().is_tabular;
    blocks_.push_back(std::move(block_));
    block_ = {};
  }

  const PageText& page_;
  std::vector<Block> blocks_;
  Block block_;
};

}  // namespace

void Box::Include(const Box& other) {
  x0 = std::min(x0, other.x0);
  y0 = std::min(y0, other.y0);
  x1 = std::max(x1, other.x1);
  y1 = std::max(y1, other.y1);
}

std::vector<Block> LayOut(const PageText& page) { return PageLayout(page).Run(); }

}  // namespace staged::pdf
