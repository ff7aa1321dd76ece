#pragma once

#include <cstdint>

// Layout of .staged/derived/derived.db. A database of another version is deleted and rebuilt, so
// that no migration is ever written.
namespace staged {

inline constexpr int64_t kDerivedSchemaVersion = 3;

// generation: changes whenever row or segment numbers may have been given away a second time.
// profile: what formats, parser versions and limits the views were made with, as one small number.
// view: (hash, extension, profile) -> encoded header of the view with the ids of its segments.
// segment: key = 16 bytes that identify (format, parser, limits, part, digest); body = zstd.
// indexed: the rows that a segment has in each of the two indexes, and how rows map to records.
// title_index, body_index: full text of what names things (headings, symbols) and of all the rest;
// apart, so that titles are found first however common the words are. They keep no text: that is
// in the segment. A large hash size means that filling the index sorts much in memory and merges
// little on disk. Accents are folded away ("resume" finds "résumé"), since people type without.
inline constexpr char kDerivedSchema[] = R"sql(
CREATE TABLE generation(number INTEGER NOT NULL);
INSERT INTO generation VALUES(random());
CREATE TABLE profile(id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE);
CREATE TABLE view(id INTEGER PRIMARY KEY, hash BLOB NOT NULL, extension TEXT NOT NULL,
                  profile INTEGER NOT NULL, body BLOB NOT NULL,
                  UNIQUE(hash, extension, profile));
CREATE TABLE segment(id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, body BLOB NOT NULL);
CREATE TABLE indexed(segment INTEGER PRIMARY KEY, title_first INTEGER NOT NULL,
                     title_count INTEGER NOT NULL, body_first INTEGER NOT NULL,
                     body_count INTEGER NOT NULL, rows BLOB NOT NULL);
CREATE VIRTUAL TABLE title_index USING fts5(text, content='', contentless_delete=1,
                                            tokenize="unicode61 remove_diacritics 2");
CREATE VIRTUAL TABLE body_index USING fts5(text, content='', contentless_delete=1,
                                           tokenize="unicode61 remove_diacritics 2");
INSERT INTO title_index(title_index, rank) VALUES('hashsize', 4194304);
INSERT INTO body_index(body_index, rank) VALUES('hashsize', 8388608);
PRAGMA user_version=3;
)sql";

// With a limit the last connection that closes empties the log, which the next process would have
// to read whole. NORMAL keeps the database consistent after power loss; only the last transactions
// may be missing.
inline constexpr char kDerivedSettings[] =
    "PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=4000; PRAGMA cache_size=-65536;"
    "PRAGMA journal_size_limit=67108864;"
    "PRAGMA temp_store=MEMORY; PRAGMA mmap_size=0";

}  // namespace staged
