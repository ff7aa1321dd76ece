#pragma once

#include <charconv>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "codec/zip.h"
#include "formats/test_support.h"
#include "staged/view.h"

// For tests only: office files made in memory, and what independent readers find in real ones.
namespace staged::testing {

using Parts = std::vector<std::pair<std::string, std::string>>;  // name and content

inline std::string MakeArchive(const Parts& parts) {
  const std::string empty = std::string("PK\x05\x06", 4) + std::string(18, '\0');
  const Result<ZipReader> reader = ZipReader::Open(empty, Limits());
  ZipSplicer splicer(*reader);
  for (const auto& [name, content] : parts) splicer.Add(name, content);
  return splicer.Finish().value();
}

inline std::string ReadMember(std::string_view archive, std::string_view name) {
  const Result<ZipReader> reader = ZipReader::Open(archive, Limits());
  if (!reader.ok()) return "ERROR " + reader.status().message();
  const ZipMember* member = reader->Find(name);
  return member == nullptr ? "ERROR absent" : reader->Read(*member).value();
}

inline View ParseWith(const Format& format, std::string_view bytes,
                      const SegmentSource& reuse = {}) {
  View view;
  Result<ParsedContent> parsed = format.Parse(bytes, Limits(), reuse);
  if (!parsed.ok()) {
    view.diagnostics.push_back({"error", "parse", "", parsed.status().message()});
    return view;
  }
  view.segments = parsed->segments;
  view.parts = parsed->parts;
  view.diagnostics = parsed->diagnostics;
  return view;
}

struct OracleFile {
  std::string path;
  std::vector<std::string> texts;
};

// What a script of tests/oracles that prints as office_walk.py says finds below a folder of the
// corpus; `more`: its other arguments.
inline std::vector<OracleFile> OracleTexts(const std::string& script, const std::string& folder,
                                           const std::string& more = "") {
  const std::string output = RunOracle(script, CorpusFolder() + "/" + folder, more);
  std::vector<OracleFile> files;
  for (size_t begin = 0; begin < output.size();) {
    const size_t end = output.find('\1', begin);
    OracleFile file;
    for (size_t at = begin; at <= end;) {
      const size_t stop = std::min(output.find('\0', at), end);
      (file.path.empty() ? file.path : file.texts.emplace_back()) = output.substr(at, stop - at);
      at = stop + 1;
    }
    files.push_back(std::move(file));
    begin = end + 1;
  }
  return files;
}

// Every string and number that a view's records show, wherever they show it.
struct ShownValues {
  std::string strings;  // each behind a zero byte
  std::set<double> numbers;

  void Add(const Value& value) {
    if (value.is_string()) {
      strings += '\0' + value.as_string();
    } else if (value.is_number()) {
      numbers.insert(value.as_double());
    } else if (value.is_array()) {
      for (const Value& item : value.as_array()) Add(item);
    } else if (value.is_object()) {
      for (const Value::Member& member : value.as_object()) Add(member.second);
    }
  }

  // Whether the text is there at least that many times; a number that is shown as such once.
  [[nodiscard]] bool Holds(const std::string& text, size_t times) const {
    size_t found = 0;
    const char* at = strings.data();
    const char* const end_of_all = at + strings.size();
    while (found < times) {
      const auto left = static_cast<size_t>(end_of_all - at);
      const void* next = memmem(at, left, text.data(), text.size());
      if (next == nullptr) break;
      at = static_cast<const char*>(next) + text.size();
      ++found;
    }
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return found >= times ||
           (error == std::errc() && end == text.data() + text.size() && numbers.contains(number));
  }
};

// A text that no record shows, known with its reason.
struct LeftOutText {
  std::string file;  // the end of its path; "*": of any file
  std::string text;
};

inline std::vector<LeftOutText> ReadLeftOutTexts() {
  std::ifstream in(STAGED_SOURCE_DIR "/tests/data/office/texts_left_out.tsv");
  std::vector<LeftOutText> texts;
  for (std::string line; std::getline(in, line);) {
    const size_t first = line.find('\t');
    const size_t second = line.find('\t', first + 1);
    if (line.starts_with('#') || second == std::string::npos) continue;
    texts.push_back({line.substr(0, first), line.substr(first + 1, second - first - 1)});
  }
  return texts;
}

// The texts of the file that the view shows less often than the file holds them, or not at all, and
// for which no reason is known.
enum class Counting : uint8_t { kEachTime = 1, kOnce = 2 };
inline std::vector<std::string> TextsNotIn(const View& view, const OracleFile& file,
                                           Counting counting = Counting::kEachTime) {
  ShownValues shown;
  view.ForEach([&](const Record& record) {
    shown.strings += '\0' + record.text;
    shown.Add(record.attrs);
    return true;
  });
  std::map<std::string, size_t> times;
  for (const std::string& text : file.texts) {
    if (counting == Counting::kEachTime || times[text] == 0) ++times[text];
  }
  for (const LeftOutText& known : ReadLeftOutTexts()) {
    if (known.file == "*" || file.path.ends_with(known.file)) times.erase(known.text);
  }
  std::vector<std::string> missing;
  for (const auto& [text, count] : times) {
    if (!shown.Holds(text, count)) missing.push_back(text);
  }
  return missing;
}

// What is wrong with a view's parts: they are all members of the archive with their digests, and
// the kinds that a part is covered by have records. `file` is of office_parts.py.
inline std::vector<std::string> UnsoundParts(const View& view, const OracleFile& file) {
  std::set<std::string> expected(file.texts.begin(), file.texts.end());
  std::set<std::string> kinds;
  view.ForEach([&](const Record& record) {
    kinds.insert(record.kind);
    return true;
  });
  std::vector<std::string> unsound;
  for (const Part& part : view.parts) {
    if (expected.erase(part.name + "\t" + part.digest.ToHex()) == 0) unsound.push_back(part.name);
    const bool has_records =
        std::any_of(part.kinds.begin(), part.kinds.end(),
                    [&](const std::string& kind) { return kinds.contains(kind); });
    if (!part.kinds.empty() && !has_records) unsound.push_back(part.name + " is not covered");
  }
  unsound.insert(unsound.end(), expected.begin(), expected.end());
  return unsound;
}

// The files of the corpus below a folder that have one of the extensions.
inline size_t CountCorpusFiles(const std::string& folder,
                               const std::vector<std::string>& extensions) {
  size_t count = 0;
  for (const std::string& path : CorpusFiles(folder)) {
    count += std::any_of(extensions.begin(), extensions.end(), [&](const std::string& extension) {
      return path.ends_with("." + extension);
    });
  }
  return count;
}

// Records whose locator or parent is not sound: locators are unique, parents come before.
inline std::vector<std::string> UnsoundLocators(const View& view) {
  std::vector<std::string> unsound;
  std::set<std::string> seen;
  view.ForEach([&](const Record& record) {
    const bool is_new = seen.insert(record.locator).second;
    if (!is_new || (!record.parent.empty() && !seen.contains(record.parent))) {
      unsound.push_back(record.locator + " in " + record.parent);
    }
    return true;
  });
  return unsound;
}

// Parses each hostile file of the corpus and edits it; the number of those that ended in an answer
// with a message where it is an error.
inline size_t AnswersForHostileFiles(const Format& format) {
  Limits limits;
  limits.expanded_bytes_max = 256 << 20;
  limits.part_bytes_max = 128 << 20;
  const Edit edit = MakeEdit("replace_text", "", {{"find", "e"}, {"replace", "E"}, {"all", true}});
  size_t answers = 0;
  for (const std::string& path : CorpusFiles("hostile")) {
    const std::string bytes = ReadFile(path);
    const Result<ParsedContent> parsed = format.Parse(bytes, limits, {});
    const Result<EditOutcome> edited = format.Apply(bytes, {edit}, limits);
    answers += (parsed.ok() || !parsed.status().message().empty()) &&
                       (edited.ok() || !edited.status().message().empty())
                   ? 1
                   : 0;
  }
  return answers;
}

}  // namespace staged::testing
