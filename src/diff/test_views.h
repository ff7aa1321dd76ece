#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/binary.h"
#include "record/segments.h"
#include "staged/ext/format.h"
#include "staged/view.h"

// Hand-made views for tests of diff and merge.
namespace staged {

inline ContentHash HashOfRecords(const std::vector<Record>& records) {
  return ContentHash::Of(RecordListSegment("", ContentHash(), records).Encode());
}

// A view of one part "" that holds `records`; its hash follows from them.
inline View MakeView(std::vector<Record> records, std::vector<std::string> kinds = {"line"}) {
  View view;
  view.hash = HashOfRecords(records);
  view.format = "test";
  view.parser = {"test", "1"};
  view.parts = {{"", view.hash, 0, std::move(kinds)}};
  view.segments = {std::make_shared<RecordListSegment>("", view.hash, std::move(records))};
  return view;
}

inline Record MakeRecord(std::string kind, std::string locator, std::string text,
                         std::string parent = "", std::string key = "") {
  Record record;
  record.kind = std::move(kind);
  record.locator = std::move(locator);
  record.text = std::move(text);
  record.parent = std::move(parent);
  record.key = std::move(key);
  return record;
}

// One record a line, with ordinal locators and spans, as a text format makes them.
inline View MakeLines(const std::vector<std::string>& lines) {
  std::vector<Record> records;
  uint64_t offset = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    Record record = MakeRecord("line", "line:" + std::to_string(i + 1), lines[i]);
    record.span = ByteSpan{offset, offset + lines[i].size()};
    offset += lines[i].size() + 1;
    records.push_back(std::move(record));
  }
  return MakeView(std::move(records));
}

// Cells by key with a value and a style; lines, paragraphs and tables in order.
inline Profile TestProfile() {
  Profile profile;
  profile.kinds = {
      {"cell",
       Matching::kKeyed,
       {{"value", ChangeClass::kContent, {"text", "value"}},
        {"style", ChangeClass::kFormat, {"style"}}}},
      {"line", Matching::kOrdered, {{"text", ChangeClass::kContent, {"text"}}}},
      {"paragraph",
       Matching::kOrdered,
       {{"text", ChangeClass::kContent, {"text"}}, {"style", ChangeClass::kFormat, {"style"}}}},
      {"table", Matching::kOrdered, {}},
      {"row", Matching::kOrdered, {}},
  };
  return profile;
}

}  // namespace staged
