#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "staged/status.h"

// What this folder adds to FTS5: a ranking function that only looks at rows in scope, and the
// tokenizer, to find inside a row what the index only says about the whole of it.
namespace staged {

// Rows [first, end) of one index that a search may answer.
struct RowRange {
  int64_t first = 0;
  int64_t end = 0;
  uint32_t segment = 0;  // position in the scope's list of segments
};

// Belongs to one connection, and is used by one thread at a time like it.
class FullText {
 public:
  FullText() = default;
  ~FullText();
  FullText(const FullText&) = delete;
  FullText& operator=(const FullText&) = delete;

  // Makes `row_score(table)` known to the connection. This must outlive it.
  Status Register(sqlite3* handle);

  // `ranges` are sorted and disjoint; they must live until the next call. Rows are then asked for
  // in ascending order.
  void SetScope(const std::vector<RowRange>* ranges);
  // The range that holds the row, or nullptr; then NextStart tells where the next one begins
  // (INT64_MAX: nowhere).
  const RowRange* Find(int64_t row);
  [[nodiscard]] int64_t NextStart() const;

  // Calls `visit` with each folded token and its bytes [begin, end) in `text`.
  using TokenVisitor = std::function<void(std::string_view token, size_t begin, size_t end)>;
  void Tokenize(std::string_view text, const TokenVisitor& visit) const;

 private:
  fts5_tokenizer_v2* tokenizer_class_ = nullptr;
  Fts5Tokenizer* tokenizer_ = nullptr;
  const std::vector<RowRange>* ranges_ = nullptr;
  size_t position_ = 0;
};

}  // namespace staged
