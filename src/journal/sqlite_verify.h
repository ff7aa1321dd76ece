#pragma once

#include <functional>

#include "journal/sqlite_connection.h"
#include "staged/status.h"

namespace staged {

// SQLite's own check of every page, row and index, then the chain from the first operation to the
// head and whether the columns that are searched say what the encodings say. REQUIRES: in a
// transaction. Errors: kDataLoss naming what is broken.
Status VerifySqliteJournal(SqliteConnection& connection,
                           const std::function<void(int64_t done, int64_t total)>& progress);

}  // namespace staged
