// Filling and asking a full-text index.

#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <sstream>

#include "bench/measure.h"

namespace staged::bench {

// The peer of `staged index`: every line of every file into a bare FTS5 table, in one transaction.
int RunFullText(const Arguments& arguments) {
  std::vector<std::string> files;
  for (const auto& item : std::filesystem::recursive_directory_iterator(arguments[0])) {
    if (item.is_regular_file() && item.path().string().find("/.") == std::string::npos) {
      files.push_back(item.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  sqlite3* database = nullptr;
  CheckCall(sqlite3_open(arguments[1].c_str(), &database), "opening the database");
  CheckCall(sqlite3_exec(database,
                         "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
                         "CREATE VIRTUAL TABLE line USING fts5(text); BEGIN",
                         nullptr, nullptr, nullptr),
            "making the table");
  sqlite3_stmt* insert = nullptr;
  CheckCall(sqlite3_prepare_v2(database, "INSERT INTO line(text) VALUES(?)", -1, &insert, nullptr),
            "preparing");
  size_t rows = 0;
  for (const std::string& file : files) {
    const std::string bytes = ReadWholeFile(file);
    for (size_t begin = 0; begin < bytes.size();) {
      const size_t end = std::min(bytes.find('\n', begin), bytes.size());
      if (end > begin) {
        sqlite3_bind_text(insert, 1, bytes.data() + begin, static_cast<int>(end - begin),
                          SQLITE_STATIC);
        CheckCall(sqlite3_step(insert) == SQLITE_DONE ? 0 : 1, "inserting");
        sqlite3_reset(insert);
        ++rows;
      }
      begin = end + 1;
    }
  }
  sqlite3_finalize(insert);
  CheckCall(sqlite3_exec(database, "COMMIT", nullptr, nullptr, nullptr), "committing");
  CheckCall(sqlite3_close(database), "closing");
  std::printf("{\"rows\": %zu}\n", rows);
  return 0;
}

// Asks a warm, indexed workspace for one or two words that occur in its files, rare and common.
int RunWords(const Arguments& arguments) {
  OpenedWorkspace opened(arguments[0]);
  const CallContext call;
  std::vector<std::string> words;
  const std::string text = ReadWholeFile(arguments[1] + "/lines000.csv");
  std::istringstream stream(text);
  for (std::string word; stream >> word;) {
    if (word.find(',') == std::string::npos && word.size() > 1) words.push_back(word);
  }
  std::mt19937 random(5);  // NOLINT: the same queries on every run
  std::uniform_int_distribution<size_t> pick(0, words.size() - 1);
  const int count = std::atoi(arguments[2].c_str());
  constexpr int kWarmUp = 5;
  std::string times;
  size_t hits = 0;
  for (int number = -kWarmUp; number < count; ++number) {
    SearchRequest request;
    request.query = words[pick(random)];
    if (number % 2 != 0) request.query += " " + words[pick(random)];
    const double begin = Seconds();
    const SearchAnswer answer = OrDie(opened.workspace->Search(call, request));
    const double took = Seconds() - begin;
    hits += answer.hits.size();
    if (number >= 0) times += (times.empty() ? "" : ", ") + std::to_string(took);
  }
  std::printf("{\"seconds\": [%s], \"hits\": %zu}\n", times.c_str(), hits);
  return 0;
}

}  // namespace staged::bench
