#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "base/test_corpus.h"

// The pairs of versions of real files, for tests; see PAIRS.tsv of the corpus.
namespace staged::testing {

struct CorpusPair {
  std::string format;
  std::string directory;  // absolute
  std::string kind;       // "history", "merge3-clean" ...
  std::vector<std::string> files;
};

inline std::string ReadBytes(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline std::vector<CorpusPair> ReadCorpusPairs() {
  std::vector<CorpusPair> pairs;
  const std::string root = CorpusFolder();
  if (root.empty()) return pairs;
  std::ifstream in(root + "/PAIRS.tsv");
  std::string line;
  std::getline(in, line);  // the column names
  while (std::getline(in, line)) {
    std::vector<std::string> columns;
    std::istringstream row(line);
    for (std::string column; std::getline(row, column, '\t');) columns.push_back(column);
    if (columns.size() < 5) continue;
    CorpusPair pair{columns[1], root + "/" + columns[2], columns[3], {}};
    std::istringstream files(columns[4]);
    for (std::string file; files >> file;) pair.files.push_back(file);
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

// Files of the corpus with one of those extensions, in order of their paths.
inline std::vector<std::string> CorpusFiles(const std::vector<std::string>& extensions) {
  std::vector<std::string> paths;
  const std::string root = CorpusFolder();
  if (root.empty()) return paths;
  for (const auto& file : std::filesystem::recursive_directory_iterator(root)) {
    const bool wanted = std::find(extensions.begin(), extensions.end(),
                                  file.path().extension().string()) != extensions.end();
    if (wanted && file.is_regular_file()) paths.push_back(file.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace staged::testing
