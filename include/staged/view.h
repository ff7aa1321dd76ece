#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "staged/content_hash.h"
#include "staged/record.h"

namespace staged {

// A run of records that came from one part of a file (a sheet, a document part, a whole text file)
// and is cached, indexed and reused as one. Immutable, thread-safe. Records are made on the way
// out, so that a sheet of two million cells never is two million objects.
class Segment {
 public:
  virtual ~Segment() = default;
  // Identity of what the records were made from (part bytes and whatever else they depend on).
  // Equal digests under one parser version mean equal records.
  [[nodiscard]] virtual const ContentHash& digest() const = 0;
  [[nodiscard]] virtual const std::string& part()
      const = 0;  // "xl/worksheets/sheet1.xml", "" whole
  [[nodiscard]] virtual size_t record_count() const = 0;
  [[nodiscard]] virtual Record At(size_t index) const = 0;  // REQUIRES: index < record_count()
  // Calls `visit` for each record in order until it returns false. The record is only borrowed.
  virtual void ForEach(const std::function<bool(const Record&)>& visit) const = 0;
  // Tag of the encoding ("list", "grid") and its bytes, read back by DecodeSegment.
  [[nodiscard]] virtual std::string Encode() const = 0;
  [[nodiscard]] virtual uint64_t memory_bytes() const = 0;
};

struct ParserVersion {
  std::string name;     // "xlsx"
  std::string version;  // "1"; a fallback's tool version is part of it
  friend bool operator==(const ParserVersion&, const ParserVersion&) = default;
};

// One part of a container, or the one part "" of a plain file. Every byte of a file belongs to some
// part; `kinds` empty means opaque: no record covers it, and it is diffed by digest.
struct Part {
  std::string name;
  ContentHash digest;  // of the uncompressed bytes
  uint64_t size_bytes = 0;
  std::vector<std::string> kinds;
  friend bool operator==(const Part&, const Part&) = default;
};

struct Diagnostic {
  std::string severity;  // "error", "warning", "note"
  std::string code;      // "truncated", "limit_exceeded", "encrypted", ...
  std::string locator;   // or ""
  std::string message;
  friend bool operator==(const Diagnostic&, const Diagnostic&) = default;
};

// The records parsed from one content hash. Immutable; a function of (hash, format, parser version,
// limits) and carries them all. A shared_ptr is justified: segments are shared by the views of
// successive versions.
struct View {
  ContentHash hash;
  std::string format;
  ParserVersion parser;
  std::string fallback;  // "binary", "libreoffice", ...; empty when the real parser made it
  std::vector<std::shared_ptr<const Segment>> segments;
  std::vector<Part> parts;
  std::vector<Diagnostic> diagnostics;

  [[nodiscard]] size_t record_count() const;
  void ForEach(const std::function<bool(const Record&)>& visit) const;
  // All records in order, copied out: for small views and tests.
  [[nodiscard]] std::vector<Record> Records() const;
  // The record with that exact locator. Errors: kNoMatch.
  [[nodiscard]] Result<Record> Find(std::string_view locator) const;
};

}  // namespace staged
