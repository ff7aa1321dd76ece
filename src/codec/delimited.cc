#include "codec/delimited.h"

#include <algorithm>
#include <map>
#include <unordered_set>

namespace staged {
namespace {

constexpr size_t kIssuesMax = 1000;
constexpr char kDelimiters[] = {',', ';', '\t', '|'};

class DelimitedParser {
 public:
  DelimitedParser(std::string_view text, const DelimitedDialect& dialect)
      : text_(text), dialect_(dialect) {
    for (const char c : {dialect.delimiter, '\n', '\r'}) {
      is_special_[static_cast<uint8_t>(c)] = true;
    }
  }

  DelimitedParse Parse() {
    DelimitedTable& table = parse_.table;
    while (position_ < text_.size()) {
      table.row_begins.push_back(static_cast<uint32_t>(position_));
      table.row_cells.push_back(static_cast<uint32_t>(table.cells.size()));
      if (!SkipNewline()) ParseRow();
    }
    if (!table.row_begins.empty()) {
      table.row_begins.push_back(static_cast<uint32_t>(text_.size()));
      table.row_cells.push_back(static_cast<uint32_t>(table.cells.size()));
    }
    return std::move(parse_);
  }

 private:
  void Report(std::string_view code) {
    if (parse_.issues.size() < kIssuesMax) {
      parse_.issues.push_back({code, parse_.table.row_begins.size() - 1});
    }
  }

  bool SkipNewline() {
    if (position_ >= text_.size()) return true;
    if (text_[position_] == '\r') {
      position_ += text_.substr(position_ + 1, 1) == "\n" ? 2 : 1;
      return true;
    }
    if (text_[position_] != '\n') return false;
    ++position_;
    return true;
  }

  void ParseRow() {
    while (true) {
      const size_t begin = position_;
      if (position_ < text_.size() && text_[position_] == dialect_.quote) SkipQuoted();
      while (position_ < text_.size() && !is_special_[static_cast<uint8_t>(text_[position_])]) {
        ++position_;
      }
      parse_.table.cells.push_back(
          {static_cast<uint32_t>(begin), static_cast<uint32_t>(position_)});
      if (SkipNewline()) return;
      ++position_;  // the delimiter; a cell follows, be it empty
    }
  }

  // Moves behind the closing quote.
  void SkipQuoted() {
    ++position_;
    while (true) {
      const size_t quote = text_.find(dialect_.quote, position_);
      if (quote == std::string_view::npos) {
        Report("unterminated_quote");
        position_ = text_.size();
        return;
      }
      position_ = quote + 1;
      if (position_ >= text_.size()) return;
      if (text_[position_] != dialect_.quote) break;
      ++position_;
    }
    if (!is_special_[static_cast<uint8_t>(text_[position_])]) Report("stray_quote");
  }

  std::string_view text_;
  const DelimitedDialect& dialect_;
  bool is_special_[256] = {};
  size_t position_ = 0;
  DelimitedParse parse_;
};

// How much a sample looks like a table by this delimiter: the share of its rows that have the most
// common width, a little more for more columns; 0 for one column.
double Score(std::string_view sample, bool is_cut, char delimiter) {
  DelimitedDialect dialect;
  dialect.delimiter = delimiter;
  const DelimitedTable table = ParseDelimited(sample, dialect).table;
  std::map<size_t, size_t> rows_by_width;
  size_t rows = 0;
  const size_t row_count = table.row_count() - (is_cut && table.row_count() > 1 ? 1 : 0);
  for (size_t row = 0; row < row_count; ++row) {
    if (table.width(row) == 0) continue;
    ++rows_by_width[table.width(row)];
    ++rows;
  }
  size_t best_width = 1;
  size_t best_rows = 0;
  for (const auto& [width, count] : rows_by_width) {
    if (width > 1 && count >= best_rows) {
      best_width = width;
      best_rows = count;
    }
  }
  if (best_width == 1 || rows == 0) return 0;
  constexpr double kWidthMax = 20;
  const double share = static_cast<double>(best_rows) / static_cast<double>(rows);
  return share * (1 + std::min(static_cast<double>(best_width), kWidthMax) / 100);
}

bool IsIdentityName(std::string_view name) {
  std::string lower(name);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  for (const std::string_view known : {"id", "key", "uuid", "guid", "uid", "sku"}) {
    if (lower == known) return true;
  }
  return lower.ends_with("_id") || lower.ends_with(" id");
}

}  // namespace

DelimitedDialect DetectDialect(std::string_view text) {
  constexpr size_t kSampleBytesMax = 64 << 10;
  const std::string_view sample = text.substr(0, kSampleBytesMax);
  DelimitedDialect best;
  double best_score = 0;
  for (const char delimiter : kDelimiters) {
    if (sample.find(delimiter) == std::string_view::npos) continue;
    const double score = Score(sample, sample.size() < text.size(), delimiter);
    if (score > best_score) {
      best.delimiter = delimiter;
      best_score = score;
    }
  }
  return best;
}

DelimitedParse ParseDelimited(std::string_view text, const DelimitedDialect& dialect) {
  return DelimitedParser(text, dialect).Parse();
}

void AppendDelimitedCell(std::string& out, std::string_view content,
                         const DelimitedDialect& dialect, bool force_quotes) {
  const bool needs_quotes = std::any_of(content.begin(), content.end(), [&](char c) {
    return c == dialect.delimiter || c == dialect.quote || c == '\n' || c == '\r';
  });
  if (!needs_quotes && !force_quotes) {
    out.append(content);
    return;
  }
  out.push_back(dialect.quote);
  for (const char c : content) {
    if (c == dialect.quote) out.push_back(c);
    out.push_back(c);
  }
  out.push_back(dialect.quote);
}

size_t InferKeyColumn(std::string_view text, const DelimitedTable& table,
                      const DelimitedDialect& dialect) {
  if (table.row_count() < 2) return DelimitedSegment::kNoKeyColumn;
  for (size_t column = 0; column < table.width(0); ++column) {
    const DelimitedTable::Cell header = table.at(0, column);
    std::string name;
    AppendCellText(name, text.substr(header.begin, header.end - header.begin), dialect.quote);
    if (!IsIdentityName(name)) continue;
    std::unordered_set<std::string_view> seen;
    bool is_unique = true;
    for (size_t row = 1; row < table.row_count() && is_unique; ++row) {
      if (table.width(row) == 0) continue;
      if (table.width(row) <= column) {
        is_unique = false;
        break;
      }
      const DelimitedTable::Cell cell = table.at(row, column);
      is_unique = cell.end > cell.begin &&
                  seen.insert(text.substr(cell.begin, cell.end - cell.begin)).second;
    }
    if (is_unique) return column;
  }
  return DelimitedSegment::kNoKeyColumn;
}

}  // namespace staged
