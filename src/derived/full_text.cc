#include "derived/full_text.h"

#include "derived/database.h"

namespace staged {
namespace {

// BM25's usual constants (Robertson and Zaragoza, 2009). Rows are lines, so that the average length
// is a constant here, and a word's rarity is left out: it weighs the words of one query against
// each other, which matters little when every row has them all, and it would cost a count of all
// rows with the word.
constexpr double kSaturation = 1.2;
constexpr double kLengthWeight = 0.75;
constexpr double kAverageTokens = 12.0;
constexpr int kPhrasesMax = 64;

void RowScore(const Fts5ExtensionApi* api, Fts5Context* context, sqlite3_context* result,
              int /*argument_count*/, sqlite3_value** /*arguments*/) {
  auto* full_text = static_cast<FullText*>(api->xUserData(context));
  if (full_text->Find(api->xRowid(context)) == nullptr) {
    sqlite3_result_null(result);
    return;
  }
  int instances = 0;
  int tokens = 0;
  int code = api->xInstCount(context, &instances);
  if (code == SQLITE_OK) code = api->xColumnSize(context, -1, &tokens);
  int counts[kPhrasesMax] = {};
  for (int i = 0; code == SQLITE_OK && i < instances; ++i) {
    int phrase = 0;
    int column = 0;
    int offset = 0;
    code = api->xInst(context, i, &phrase, &column, &offset);
    if (phrase < kPhrasesMax) ++counts[phrase];
  }
  if (code != SQLITE_OK) {
    sqlite3_result_error_code(result, code);
    return;
  }
  const double length = kSaturation * (1 - kLengthWeight + kLengthWeight * tokens / kAverageTokens);
  double score = 0;
  for (const int count : counts) score += count * (kSaturation + 1) / (count + length);
  sqlite3_result_double(result, score);
}

struct Visit {
  const FullText::TokenVisitor* visitor;
};

int OnToken(void* context, int /*flags*/, const char* token, int size, int begin, int end) {
  (*static_cast<Visit*>(context)->visitor)({token, static_cast<size_t>(size)},
                                           static_cast<size_t>(begin), static_cast<size_t>(end));
  return SQLITE_OK;
}

}  // namespace

FullText::~FullText() {
  if (tokenizer_ != nullptr) tokenizer_class_->xDelete(tokenizer_);
}

Status FullText::Register(sqlite3* handle) {
  fts5_api* api = nullptr;
  sqlite3_stmt* statement = nullptr;
  int code = sqlite3_prepare_v2(handle, "SELECT fts5(?1)", -1, &statement, nullptr);
  if (code == SQLITE_OK) {
    sqlite3_bind_pointer(statement, 1, static_cast<void*>(&api), "fts5_api_ptr", nullptr);
    sqlite3_step(statement);
    code = sqlite3_finalize(statement);
  }
  if (code != SQLITE_OK || api == nullptr) return DatabaseError(handle, code);
  code = api->xCreateFunction(api, "row_score", this, &RowScore, nullptr);
  if (code != SQLITE_OK) return DatabaseError(handle, code);
  void* class_data = nullptr;
  code = api->xFindTokenizer_v2(api, "unicode61", &class_data, &tokenizer_class_);
  if (code != SQLITE_OK) return DatabaseError(handle, code);
  const char* arguments[] = {"remove_diacritics", "2"};  // as in the schema
  code = tokenizer_class_->xCreate(class_data, arguments, 2, &tokenizer_);
  return code == SQLITE_OK ? OkStatus() : DatabaseError(handle, code);
}

void FullText::SetScope(const std::vector<RowRange>* ranges) {
  ranges_ = ranges;
  position_ = 0;
}

const RowRange* FullText::Find(int64_t row) {
  while (position_ < ranges_->size() && (*ranges_)[position_].end <= row) ++position_;
  if (position_ == ranges_->size() || row < (*ranges_)[position_].first) return nullptr;
  return &(*ranges_)[position_];
}

int64_t FullText::NextStart() const {
  return position_ == ranges_->size() ? INT64_MAX : (*ranges_)[position_].first;
}

void FullText::Tokenize(std::string_view text, const TokenVisitor& visit) const {
  Visit context{&visit};
  tokenizer_class_->xTokenize(tokenizer_, &context, FTS5_TOKENIZE_DOCUMENT, text.data(),
                              static_cast<int>(text.size()), nullptr, 0, &OnToken);
}

}  // namespace staged
