#pragma once

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
// corpus.
inline std::vector<OracleFile> OracleTexts(const std::string& script, const std::string& folder) {
  const std::string output = RunOracle(script, CorpusFolder() + "/" + folder);
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

// The texts of the file that are in no record of the view.
inline std::vector<std::string> TextsNotIn(const View& view, const OracleFile& file) {
  std::string ours;
  view.ForEach([&](const Record& record) {
    ours += record.text + '\0';
    if (const Value* rubies = record.attrs.Find("ruby")) {
      for (const Value& ruby : rubies->as_array()) {
        ours += std::string(ruby.FindString("text")) + '\0';
      }
    }
    return true;
  });
  std::vector<std::string> missing;
  for (const std::string& text : file.texts) {
    if (ours.find(text) == std::string::npos) missing.push_back(text);
  }
  return missing;
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
