#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/test_corpus.h"
#include "staged/ext/format.h"

// For tests only: files, the corpus, and short ways to write edits.
namespace staged::testing {

inline std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The files of the corpus below `folder`, sorted.
inline std::vector<std::string> CorpusFiles(const std::string& folder) {
  std::vector<std::string> files;
  const std::string root = CorpusFolder();
  if (root.empty()) return files;
  for (const auto& item : std::filesystem::recursive_directory_iterator(root + "/" + folder)) {
    if (item.is_regular_file()) files.push_back(item.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// What /usr/bin/python3 prints for a script of tests/oracles, one file or folder and `more`
// arguments; "" when it fails.
inline std::string RunOracle(const std::string& script, const std::string& file,
                             const std::string& more = "") {
  const std::string command = "/usr/bin/python3 '" STAGED_SOURCE_DIR "/tests/oracles/" + script +
                              "' '" + file + "' " + more + " 2>/dev/null";
  std::string output;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return output;
  char buffer[1 << 16];
  for (size_t size = 0; (size = fread(buffer, 1, sizeof(buffer), pipe)) > 0;) {
    output.append(buffer, size);
  }
  return pclose(pipe) == 0 ? output : "";
}

inline Edit MakeEdit(std::string op, std::string locator,
                     std::vector<std::pair<std::string, Value>> arguments = {}) {
  Edit edit;
  edit.op = std::move(op);
  edit.locator = std::move(locator);
  for (auto& [name, value] : arguments) {
    if (name == "expect") {
      edit.expect = std::move(value);
    } else {
      edit.arguments.Set(name, std::move(value));
    }
  }
  return edit;
}

// The new bytes, or "ERROR code: message".
inline std::string ApplyEdits(const Format& format, std::string_view bytes,
                              const std::vector<Edit>& edits) {
  Result<EditOutcome> outcome = format.Apply(bytes, edits, Limits());
  if (outcome.ok()) return outcome->bytes;
  return "ERROR " + std::string(ErrorCodeName(outcome.status().code())) + ": " +
         outcome.status().message();
}

}  // namespace staged::testing
