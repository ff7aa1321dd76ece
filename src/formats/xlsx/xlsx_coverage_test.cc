#include <fnmatch.h>
#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "formats/office_test_support.h"
#include "formats/xlsx/xlsx_format.h"

// Coverage as a fact: every part of every real workbook is shown by records or listed with its
// digest, and every text and number in it is in a record made of that part. What is not is listed,
// with the reason, in tests/data/xlsx/left_out.txt.
namespace staged {
namespace {

struct Exception {
  std::string file;  // pattern of the path below the corpus
  std::string part;  // pattern of the part's name
  std::string text;  // pattern
  size_t uses = 0;
};

// Lines "file | part | text  # reason"; "opaque | part" for parts that no record shows though they
// hold texts.
std::vector<Exception> ReadExceptions() {
  std::vector<Exception> exceptions;
  std::ifstream in(STAGED_SOURCE_DIR "/tests/data/xlsx/left_out.txt");
  for (std::string line; std::getline(in, line);) {
    const size_t reason = line.find("  # ");
    if (line.empty() || line[0] == '#') continue;
    EXPECT_NE(reason, std::string::npos) << "say why: " << line;
    line.resize(std::min(reason, line.size()));
    Exception exception;
    std::string* fields[] = {&exception.file, &exception.part, &exception.text};
    size_t at = 0;
    for (std::string* field : fields) {
      const size_t bar = line.find(" | ", at);
      *field = line.substr(at, bar == std::string::npos ? bar : bar - at);
      if (bar == std::string::npos) break;
      at = bar + 3;
    }
    if (exception.text.empty()) exception.text = "*";
    exceptions.push_back(std::move(exception));
  }
  return exceptions;
}

bool Matches(const std::string& pattern, const std::string& text) {
  return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

// All strings and numbers of some records.
class Shown {
 public:
  void AddSegment(const Segment& segment) {
    segment.ForEach([&](const Record& record) {
      AddText(record.text);
      Add(record.attrs);
      return true;
    });
  }
  [[nodiscard]] bool Has(const std::string& text) const {
    return texts_.contains(text) || all_.find(text) != std::string::npos;
  }
  [[nodiscard]] bool HasNumber(double number) const {
    const auto above = numbers_.lower_bound(number - std::abs(number) * 1e-14);
    return above != numbers_.end() && *above <= number + std::abs(number) * 1e-14;
  }

 private:
  void AddText(const std::string& text) {
    if (texts_.insert(text).second) all_ += text + '\0';
    // A number alone, or in a list: "A1=5, B1=7".
    for (size_t at = 0; at < text.size();) {
      double number = 0;
      const auto read = std::from_chars(text.data() + at, text.data() + text.size(), number);
      const bool is_whole =
          read.ec == std::errc() && (read.ptr == text.data() + text.size() || *read.ptr == ',');
      if (is_whole) numbers_.insert(number);
      const size_t next = text.find_first_of("= ", at);
      at = next == std::string::npos ? text.size() : next + 1;
    }
  }
  void Add(const Value& value) {
    if (value.is_string()) AddText(value.as_string());
    if (value.is_number()) numbers_.insert(value.as_double());
    if (value.is_array()) {
      for (const Value& item : value.as_array()) Add(item);
    }
    if (value.is_object()) {
      for (const auto& [name, member] : value.as_object()) Add(member);
    }
  }

  std::set<std::string> texts_;
  std::set<double> numbers_;
  std::string all_;
};

// As archives and relationships name a part in one way.
std::string NormalName(std::string name) {
  for (char& c : name) {
    if (c == '\\') c = '/';
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  }
  return name;
}

// What the records show that were made of each part. Strings are shared by the cells of all sheets,
// and the workbook names the sheets.
class ShownByPart {
 public:
  explicit ShownByPart(const View& view) {
    for (const auto& segment : view.segments) {
      parts_[NormalName(segment->part())].AddSegment(*segment);
    }
  }

  [[nodiscard]] bool Has(const std::string& part, const std::string& text, bool is_number) const {
    const std::string name = NormalName(part);
    if (name.ends_with("sharedstrings.xml") || name.ends_with("workbook.xml")) {
      return std::any_of(parts_.begin(), parts_.end(), [&](const auto& each) {
        return is_number ? each.second.HasNumber(std::strtod(text.c_str(), nullptr))
                         : each.second.Has(text);
      });
    }
    const auto found = parts_.find(name);
    if (found == parts_.end()) return false;
    return is_number ? found->second.HasNumber(std::strtod(text.c_str(), nullptr))
                     : found->second.Has(text);
  }

 private:
  std::map<std::string, Shown> parts_;
};

class Coverage {
 public:
  Coverage() : exceptions_(ReadExceptions()) {}

  void Check(const testing::OracleFile& file) {
    const View view = testing::ParseWith(*format_, testing::ReadFile(file.path));
    const std::string name = file.path.substr(testing::CorpusFolder().size() + 1);
    if (view.parts.empty()) {
      EXPECT_TRUE(name.starts_with("hostile/")) << name << ": has no view";
      return;
    }
    ++files_;
    const bool is_ambiguous =
        std::any_of(view.diagnostics.begin(), view.diagnostics.end(),
                    [](const Diagnostic& each) { return each.code == "duplicate_sheet"; });
    if (!is_ambiguous) {
      EXPECT_EQ(testing::UnsoundLocators(view), std::vector<std::string>()) << name;
    }
    std::map<std::string, const Part*> parts;
    std::multiset<std::pair<std::string, std::string>> digests;
    for (const Part& part : view.parts) {
      parts[part.name] = &part;
      digests.emplace(part.name.substr(0, part.name.find('#')), part.digest.ToHex());
    }
    const ShownByPart shown(view);
    for (const std::string& item : file.texts) CheckItem(name, item, parts, digests, shown);
    EXPECT_TRUE(digests.empty()) << name << ": parts that the archive does not have, such as "
                                 << digests.begin()->first;
  }

  void Finish() const {
    constexpr size_t kPrintedMax = 100;
    EXPECT_EQ(missing_.size(), 0u);
    for (size_t i = 0; i < std::min(missing_.size(), kPrintedMax); ++i) {
      std::printf("missing: %s\n", missing_[i].c_str());
    }
    for (const Exception& exception : exceptions_) {
      EXPECT_GT(exception.uses, 0u) << "delete what is shown by now: " << exception.file << " | "
                                    << exception.part << " | " << exception.text;
    }
    std::printf("%zu files: %zu parts (%zu shown by records), %zu texts, %zu numbers\n", files_,
                parts_, covered_, texts_, numbers_);
    std::printf("left out: %zu texts of opaque parts, %zu others by name, %zu unused strings\n",
                opaque_, excused_, unused_);
  }

  [[nodiscard]] size_t files() const { return files_; }

 private:
  void CheckItem(const std::string& file, const std::string& item,
                 const std::map<std::string, const Part*>& parts,
                 std::multiset<std::pair<std::string, std::string>>& digests,
                 const ShownByPart& shown) {
    const size_t tab = item.find('\t', 2);
    if (item.size() < 2 || tab == std::string::npos) return;
    const std::string name = item.substr(2, tab - 2);
    const std::string value = item.substr(tab + 1);
    const auto found = parts.find(name);
    if (item[0] == 'P') {
      ++parts_;
      const auto digest = digests.find({name, value});
      if (digest == digests.end()) return Miss(file, name, "its digest " + value);
      digests.erase(digest);
      covered_ += found != parts.end() && !found->second->kinds.empty() ? 1 : 0;
      return;
    }
    if (item[0] == 'U') {
      ++unused_;
      return;
    }
    const bool is_number = item[0] == 'N';
    ++(is_number ? numbers_ : texts_);
    if (found != parts.end() && found->second->kinds.empty()) {
      ++opaque_;
      if (!Excuse("opaque", name, value)) Miss(file, name, "opaque: " + value);
      return;
    }
    if (shown.Has(name, value, is_number)) return;
    if (Excuse(file, name, value)) {
      ++excused_;
    } else {
      Miss(file, name, value);
    }
  }

  void Miss(const std::string& file, const std::string& part, const std::string& what) {
    missing_.push_back(file + " | " + part + " | " + what);
  }

  bool Excuse(const std::string& file, const std::string& part, const std::string& text) {
    for (Exception& exception : exceptions_) {
      if (!Matches(exception.file, file) || !Matches(exception.part, part) ||
          !Matches(exception.text, text)) {
        continue;
      }
      ++exception.uses;
      return true;
    }
    return false;
  }

  const std::unique_ptr<Format> format_ = NewXlsxFormat();
  std::vector<Exception> exceptions_;
  std::vector<std::string> missing_;
  size_t files_ = 0;
  size_t parts_ = 0;
  size_t covered_ = 0;
  size_t texts_ = 0;
  size_t numbers_ = 0;
  size_t opaque_ = 0;
  size_t excused_ = 0;
  size_t unused_ = 0;
};

TEST(XlsxCoverage, EveryPartTextAndNumberOfRealWorkbooksIsShownOrNamed) {
  if (testing::CorpusFolder().empty()) GTEST_SKIP() << testing::kNoCorpus;
  Coverage coverage;
  for (const char* folder : {"xlsx", "pairs/xlsx", "hostile"}) {
    for (const testing::OracleFile& file : testing::OracleTexts("xlsx_walk.py", folder)) {
      coverage.Check(file);
    }
  }
  if (coverage.files() == 0) GTEST_SKIP() << "1 test skipped: no python3";
  coverage.Finish();
  EXPECT_GT(coverage.files(), 120u);
}

}  // namespace
}  // namespace staged
