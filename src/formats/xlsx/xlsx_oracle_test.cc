#include <gtest/gtest.h>
#include <unistd.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>

#include "formats/test_support.h"
#include "formats/xlsx/shared_strings.h"
#include "formats/xlsx/xlsx_format.h"
#include "record/grid_segment.h"

// Compares cells with openpyxl's over the corpus, before and after an edit.
namespace staged {
namespace {

struct Cell {
  std::string type;
  std::string value;
  std::string formula;
  bool is_in_merge = false;  // and not its first cell
  bool is_in_array = false;  // and not its first cell
};
using Cells = std::map<std::string, Cell>;

std::string Escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '\\':
        out += "\\\\";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      default:
        out += c;
    }
  }
  return out;
}

Cells CellsOf(std::string_view bytes) {
  Cells cells;
  const auto content = NewXlsxFormat()->Parse(bytes, Limits(), {});
  if (!content.ok()) return cells;
  std::map<std::string, std::vector<CellRange>> merges;
  for (const auto& segment : content->segments) {
    segment->ForEach([&](const Record& record) {
      const auto range = ParseCellRange(record.attrs.FindString("range"));
      if (record.kind == "merge" && range) merges[record.parent].push_back(*range);
      return record.kind != "cell";
    });
  }
  for (const auto& segment : content->segments) {
    const auto* grid = dynamic_cast<const GridSegment*>(segment.get());
    if (grid == nullptr) continue;
    for (size_t i = 0; i < grid->cell_count(); ++i) {
      Cell cell;
      for (const CellRange& range : merges[grid->sheet().parent]) {
        const CellAddress address = grid->address(i);
        cell.is_in_merge |= range.Contains(address) && range.first != address;
      }
      const auto array = ParseCellRange(grid->detail(i, CellDetail::kArray));
      cell.is_in_array = array && array->first != grid->address(i);
      cell.formula = Escape(grid->formula(i));
      switch (grid->type(i)) {
        case CellType::kBlank:
          cell.type = "blank";
          break;
        case CellType::kNumber:
        case CellType::kDate:
          cell.type = "number";
          cell.value = FormatShortest(grid->number(i));
          break;
        case CellType::kBoolean:
          cell.type = "boolean";
          cell.value = grid->number(i) != 0 ? "1" : "0";
          break;
        case CellType::kString:
        case CellType::kError:
          cell.type = "string";
          cell.value = Escape(grid->string(i));
          break;
      }
      cells[Escape(grid->sheet().name) + "!" + FormatCellAddress(grid->address(i))] = cell;
    }
  }
  return cells;
}

bool SameNumber(const std::string& left, const std::string& right) {
  const double a = std::strtod(left.c_str(), nullptr);
  const double b = std::strtod(right.c_str(), nullptr);
  return a == b || std::abs(a - b) <= 1e-9 * std::max(1.0, std::abs(b));
}

// Why two readings of a cell may differ; empty when they may not.
std::string Explain(const Cell* ours, const Cell* theirs) {
  if (theirs == nullptr) {
    if (ours->is_in_merge) return "openpyxl drops what merged cells hide";
    if (ours->type == "string" && ours->value.empty()) return "openpyxl drops empty texts";
    if (ours->formula.starts_with("TABLE(")) return "openpyxl drops data tables";
    return "";
  }
  if (ours == nullptr) return "";
  const bool same_value = ours->value == theirs->value ||
                          (ours->type == "number" && SameNumber(ours->value, theirs->value));
  if (ours->is_in_array && theirs->formula.empty() && same_value) {
    return "openpyxl gives an array's formula to its first cell only";
  }
  if (ours->formula != theirs->formula) {
    if (ours->formula.starts_with("TABLE(")) return "openpyxl drops data tables";
    return "";
  }
  if (ours->type == theirs->type) {
    if (ours->value == theirs->value) return "equal";
    if (ours->type == "number" && SameNumber(ours->value, theirs->value)) return "equal";
    if (Escape(xlsx::DecodeXstring(theirs->value)) == ours->value) {
      return "openpyxl leaves _xHHHH_ escapes in texts";
    }
    return "";
  }
  if (ours->type == "string" && ours->value.empty() && theirs->type == "blank") {
    return "openpyxl reads an empty cached text as nothing";
  }
  return "";
}

// What openpyxl reads of those files; absent for one that it cannot read.
std::map<std::string, std::optional<Cells>> AskOpenpyxl(const std::vector<std::string>& paths,
                                                        const std::filesystem::path& folder) {
  std::map<std::string, std::optional<Cells>> answers;
  {
    std::ofstream list(folder / "list");
    for (const std::string& path : paths) list << path << "\n";
  }
  const std::string command =
      "/usr/bin/python3 '" STAGED_SOURCE_DIR "/tests/oracles/xlsx_cells.py' < '" +
      (folder / "list").string() + "' > '" + (folder / "answer").string() + "'";
  if (std::system(command.c_str()) != 0) return answers;
  std::ifstream answer(folder / "answer");
  std::string line;
  std::optional<Cells>* current = nullptr;
  while (std::getline(answer, line)) {
    std::vector<std::string> fields(1);
    for (const char c : line) {
      if (c == '\t') {
        fields.emplace_back();
      } else {
        fields.back() += c;
      }
    }
    if (fields[0] == "FILE" && fields.size() == 2) {
      current = &answers[fields[1]];
      current->emplace();
    } else if (fields[0] == "UNREADABLE") {
      current->reset();
    } else if (fields.size() == 4 && *current) {
      (**current)[fields[0]] = {fields[1], fields[2], fields[3], false, false};
    }
  }
  return answers;
}

// Files of the strict namespace: openpyxl reads no cells of them.
bool IsStrict(const std::string& path) { return path.find("Strict") != std::string::npos; }

TEST(XlsxOracle, ReadsCellsAsOpenpyxlDoesBeforeAndAfterAnEdit) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) /
                                       ("staged_xlsx_oracle_" + std::to_string(getpid()));
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const auto format = NewXlsxFormat();
  std::vector<std::string> paths;
  std::map<std::string, Cells> ours;
  for (const std::string& path : testing::CorpusFiles("xlsx")) {
    const std::string bytes = testing::ReadFile(path);
    paths.push_back(path);
    ours[path] = CellsOf(bytes);
    const auto content = format->Parse(bytes, Limits(), {});
    if (!content.ok()) continue;
    std::vector<Edit> edits;
    for (const auto& segment : content->segments) {
      if (edits.size() >= 2 || segment->record_count() == 0) continue;
      const Record first = segment->At(segment->record_count() - 1);
      if (first.kind != "cell") continue;
      edits.push_back(testing::MakeEdit("set", first.locator, {{"value", Value("<staged> & 1")}}));
    }
    if (edits.empty()) continue;
    const Result<EditOutcome> outcome = format->Apply(bytes, edits, Limits());
    if (!outcome.ok()) continue;
    const std::string file = (folder / (std::to_string(paths.size()) + ".xlsx")).string();
    std::ofstream(file, std::ios::binary) << outcome->bytes;
    if (!IsStrict(path)) {
      paths.push_back(file);
      ours[file] = CellsOf(outcome->bytes);
    }
  }
  if (paths.empty()) GTEST_SKIP() << testing::kNoCorpus;
  const auto theirs = AskOpenpyxl(paths, folder);
  if (theirs.empty()) GTEST_SKIP() << "1 test skipped: no python3 with openpyxl";
  std::map<std::string, size_t> reasons;
  size_t files = 0;
  for (const auto& [path, cells] : theirs) {
    if (!cells || IsStrict(path)) continue;
    ++files;
    std::map<std::string, std::pair<const Cell*, const Cell*>> pairs;
    for (const auto& [locator, cell] : ours[path]) pairs[locator].first = &cell;
    for (const auto& [locator, cell] : *cells) pairs[locator].second = &cell;
    for (const auto& [locator, pair] : pairs) {
      const std::string reason = Explain(pair.first, pair.second);
      ++reasons[reason];
      const auto show = [](const Cell* cell) {
        return cell == nullptr ? "nothing" : cell->type + " " + cell->value + " =" + cell->formula;
      };
      EXPECT_FALSE(reason.empty()) << path << "\n  " << locator << "\n  ours: " << show(pair.first)
                                   << "\n  theirs: " << show(pair.second);
    }
  }
  std::printf("%zu files\n", files);
  for (const auto& [reason, count] : reasons) std::printf("%zu: %s\n", count, reason.c_str());
  EXPECT_GT(files, 120u);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace staged
