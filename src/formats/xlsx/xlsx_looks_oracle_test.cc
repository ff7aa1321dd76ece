#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "formats/office_test_support.h"
#include "formats/xlsx/xlsx_format.h"
#include "record/cell_address.h"

// Compares what stands around the values (looks, hidden lines, rules, comments, pictures, pages)
// with what openpyxl finds of it over the corpus.
namespace staged {
namespace {

using Facts = std::set<std::array<std::string, 3>>;  // kind, place, words

std::string Unescape(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const char c = text[++i];
    out += c == 't' ? '\t' : c == 'n' ? '\n' : c == 'r' ? '\r' : c;
  }
  return out;
}

// Columns or rows of "Sheet1!col:C", "Sheet1!row:7:90".
std::pair<std::string, std::string> LinesOf(const Record& record) {
  const std::string lines = record.key.substr(record.key.find(':') + 1);
  const size_t colon = lines.find(':');
  return {lines.substr(0, colon), colon == std::string::npos ? lines : lines.substr(colon + 1)};
}

class Found {
 public:
  explicit Found(const View& view) {
    std::map<std::string, std::string> names;
    for (const Diagnostic& diagnostic : view.diagnostics) {
      is_ambiguous_ |= diagnostic.code == "duplicate_sheet";
    }
    view.ForEach([&](const Record& record) {
      if (record.kind == "sheet") names[record.locator] = record.text;
      Add(record, names[record.parent]);
      return true;
    });
  }

  [[nodiscard]] bool Has(const std::array<std::string, 3>& fact) const {
    const auto& [kind, place, words] = fact;
    if (is_ambiguous_) return true;  // openpyxl renames the second sheet of one name
    if (kind == "look") return HasLook(place, words);
    if (kind == "charts") {
      const auto found = charts_.find(place);
      return std::stoul(words) <= (found == charts_.end() ? 0 : found->second);
    }
    if (kind == "page" || kind == "comment") {
      const auto found = texts_.find(kind + place);
      return found != texts_.end() && found->second.find(words) != std::string::npos;
    }
    return facts_.contains(fact);
  }

  // openpyxl gives the first cell of a merge the borders of the cells at the merge's other edges.
  [[nodiscard]] bool IsMergedBorder(const std::array<std::string, 3>& fact) const {
    const std::string& words = fact[2];
    return fact[0] == "look" && (words.starts_with("right:") || words.starts_with("bottom:")) &&
           merged_.contains(fact[1]);
  }

 private:
  void Add(const Record& record, const std::string& sheet) {
    const std::string range(record.attrs.FindString("range"));
    if (record.kind == "sheet") {
      facts_.insert({"state", record.text, std::string(record.attrs.FindString("state"))});
    } else if (record.kind == "cell") {
      looks_[sheet + "!" + record.key] = std::string(record.attrs.FindString("style"));
    } else if (record.kind == "row" || record.kind == "column") {
      if (record.attrs.Find("hidden") != nullptr) AddHidden(record, sheet);
    } else if (record.kind == "merge") {
      facts_.insert({"merge", sheet, range});
      merged_.insert(sheet + "!" + range.substr(0, range.find(':')));
    } else if (record.kind == "data_validation") {
      facts_.insert({"validation", sheet + "!" + range,
                     std::string(record.attrs.FindString("type")) + " " +
                         std::string(record.attrs.FindString("formula1"))});
    } else if (record.kind == "conditional_format") {
      facts_.insert({"conditional_format", sheet + "!" + range,
                     std::string(record.attrs.FindString("type")) + " " +
                         std::string(record.attrs.FindString("formula"))});
    } else if (record.kind == "view" && record.text.find("frozen") != std::string::npos) {
      facts_.insert({"frozen", sheet, "frozen"});
    } else if (record.kind == "protection" && record.text.starts_with("protected")) {
      facts_.insert({"protected", sheet, "protected"});
    } else if (record.kind == "image") {
      facts_.insert({"image", sheet, range.substr(0, range.find(':'))});
    } else if (record.kind == "chart") {
      ++charts_[sheet];
    } else if (record.kind == "filter") {
      facts_.insert({"filter", sheet, range});
    } else if (record.kind == "header_footer") {
      texts_["page" + sheet] += record.text + "\n";
    } else if (record.kind == "comment") {
      texts_["comment" + sheet + "!" + std::string(record.attrs.FindString("cell"))] = record.text;
    } else if (record.kind == "property") {
      facts_.insert({"property", record.locator, record.text});
    }
  }

  void AddHidden(const Record& record, const std::string& sheet) {
    const auto [first, last] = LinesOf(record);
    if (record.kind == "row") {
      for (unsigned long row = std::stoul(first); row <= std::stoul(last); ++row) {
        facts_.insert({"hidden_row", sheet, std::to_string(row)});
      }
      return;
    }
    const uint32_t end = ParseCellAddress(last + "1")->column;
    for (uint32_t column = ParseCellAddress(first + "1")->column; column <= end; ++column) {
      std::string name;
      AppendColumnName(name, column);
      facts_.insert({"hidden_column", sheet, name});
    }
  }

  [[nodiscard]] bool HasLook(const std::string& place, const std::string& words) const {
    const auto found = looks_.find(place);
    if (found == looks_.end()) return false;
    const std::string look = ", " + found->second + ",";
    const size_t colon = words.find(':');
    if (colon == std::string::npos) return look.find(", " + words + ",") != std::string::npos;
    // "left:thin", which may be part of the border of all sides.
    const std::string style = words.substr(colon + 1);
    for (const std::string& border :
         {words.substr(0, colon) + " border " + style, "border " + style}) {
      const size_t at = look.find(", " + border);
      if (at == std::string::npos) continue;
      const char next = look[at + 2 + border.size()];
      if (next == ',' || next == ' ') return true;
    }
    return false;
  }

  bool is_ambiguous_ = false;
  Facts facts_;
  std::set<std::string> merged_;  // the first cells
  std::map<std::string, std::string> looks_;
  std::map<std::string, std::string> texts_;
  std::map<std::string, size_t> charts_;
};

TEST(XlsxLooksOracle, FindsWhatOpenpyxlFinds) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) /
                                       ("staged_xlsx_looks_" + std::to_string(getpid()));
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  size_t listed = 0;
  {
    std::ofstream list(folder / "list");
    for (const char* part : {"xlsx", "pairs/xlsx"}) {
      for (const std::string& path : testing::CorpusFiles(part)) {
        list << path << "\n";
        ++listed;
      }
    }
  }
  if (listed == 0) GTEST_SKIP() << testing::kNoCorpus;
  const std::string command =
      "/usr/bin/python3 '" STAGED_SOURCE_DIR "/tests/oracles/xlsx_looks.py' < '" +
      (folder / "list").string() + "' > '" + (folder / "answer").string() + "'";
  if (std::system(command.c_str()) != 0) GTEST_SKIP() << "1 test skipped: no python3 with openpyxl";
  const auto format = NewXlsxFormat();
  std::ifstream answer(folder / "answer");
  std::unique_ptr<Found> ours;
  std::string path;
  std::map<std::string, size_t> counts;
  size_t files = 0;
  size_t missing = 0;
  size_t merged_borders = 0;
  for (std::string line; std::getline(answer, line);) {
    const size_t first = line.find('\t');
    const std::string kind = line.substr(0, first);
    if (kind == "FILE") {
      path = line.substr(first + 1);
      ours = std::make_unique<Found>(testing::ParseWith(*format, testing::ReadFile(path)));
      ++files;
      continue;
    }
    const size_t second = line.find('\t', first + 1);
    if (kind == "UNREADABLE" || second == std::string::npos) continue;
    const std::array<std::string, 3> fact = {kind,
                                             Unescape(line.substr(first + 1, second - first - 1)),
                                             Unescape(line.substr(second + 1))};
    ++counts[kind];
    if (ours->Has(fact)) continue;
    if (ours->IsMergedBorder(fact)) {
      ++merged_borders;
      continue;
    }
    constexpr size_t kPrintedMax = 100;
    if (++missing <= kPrintedMax) {
      std::printf("missing: %s: %s %s: %s\n", path.c_str(), kind.c_str(), fact[1].c_str(),
                  fact[2].c_str());
    }
  }
  EXPECT_EQ(missing, 0u);
  std::printf("%zu borders that openpyxl gives the first cell of a merge\n", merged_borders);
  for (const auto& [kind, count] : counts) std::printf("%zu: %s\n", count, kind.c_str());
  EXPECT_GT(files, 120u);
  EXPECT_GT(counts["look"], 10'000u);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace staged
