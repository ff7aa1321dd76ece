#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "record/segments.h"
#include "staged/ext/format.h"

// Small formats for tests of merging.
namespace staged {

// Extension "toy": lines "key=value style note", the last two optional, in any order of keys.
// Keyed; only the value can be edited. Bytes behind a line "%%" are an opaque part.
class ToyFormat final : public Format {
 public:
  ToyFormat() {
    descriptor_.name = "toy";
    descriptor_.parser = {"toy", "1"};
    descriptor_.extensions = {"toy"};
    KindRule rule;
    rule.kind = "entry";
    rule.matching = Matching::kKeyed;
    rule.facets = {{"value", ChangeClass::kContent, {"text", "value"}},
                   {"style", ChangeClass::kFormat, {"style"}},
                   {"note", ChangeClass::kDerived, {"note"}}};
    rule.merge_set_op = "set";
    rule.merge_insert_op = "set";
    rule.merge_delete_op = "delete";
    rule.merge_arguments = {{"value", "value"}};
    descriptor_.profile.kinds = {rule};
  }

  const FormatDescriptor& descriptor() const override { return descriptor_; }
  int Sniff(std::string_view, std::string_view extension) const override {
    return extension == "toy" ? 50 : 0;
  }

  Result<ParsedContent> Parse(std::string_view bytes, const Limits&,
                              const SegmentSource&) const override {
    const auto [lines, rest] = Split(bytes);
    std::vector<Record> records;
    std::map<std::string, int> seen;
    ParsedContent content;
    for (const std::string& line : lines) {
      Record record;
      record.kind = "entry";
      const size_t equals = line.find('=');
      record.key = line.substr(0, equals);
      const int count = ++seen[record.key];
      record.locator = count == 1 ? record.key : record.key + "#" + std::to_string(count);
      if (count > 1) content.diagnostics.push_back({"warning", "duplicate", record.key, "twice"});
      std::vector<std::string> words(1);
      for (char byte : line.substr(equals + 1)) {
        if (byte == ' ') {
          words.emplace_back();
        } else {
          words.back() += byte;
        }
      }
      record.text = words[0];
      record.attrs.Set("value", words[0]);
      if (words.size() > 1) record.attrs.Set("style", words[1]);
      if (words.size() > 2) record.attrs.Set("note", words[2]);
      records.push_back(std::move(record));
    }
    const std::string head(bytes.substr(0, bytes.size() - rest.size()));
    content.segments = {
        std::make_shared<RecordListSegment>("entries", ContentHash::Of(head), std::move(records))};
    content.parts = {{"entries", ContentHash::Of(head), head.size(), {"entry"}},
                     {"rest", ContentHash::Of(rest), rest.size(), {}}};
    return content;
  }

  Result<EditOutcome> Apply(std::string_view bytes, const std::vector<Edit>& edits,
                            const Limits&) const override {
    auto [lines, rest] = Split(bytes);
    for (const Edit& edit : edits) {
      const auto at = std::find_if(lines.begin(), lines.end(), [&](const std::string& line) {
        return line.substr(0, line.find('=')) == edit.locator;
      });
      if (edit.op == "delete" && at != lines.end()) {
        lines.erase(at);
        continue;
      }
      if (edit.op != "set") return Status(ErrorCode::kUnsupportedEdit, "only set and delete");
      const std::string value(edit.arguments.FindString("value"));
      if (at == lines.end()) {
        lines.push_back(edit.locator + "=" + value);
        continue;
      }
      const size_t style = at->find(' ');
      *at = edit.locator + "=" + value + (style == std::string::npos ? "" : at->substr(style));
    }
    EditOutcome outcome;
    for (const std::string& line : lines) outcome.bytes += line + "\n";
    outcome.bytes += rest;
    return outcome;
  }

 private:
  static std::pair<std::vector<std::string>, std::string> Split(std::string_view bytes) {
    std::vector<std::string> lines;
    while (!bytes.empty() && bytes.substr(0, 2) != "%%") {
      const size_t end = std::min(bytes.find('\n'), bytes.size());
      lines.emplace_back(bytes.substr(0, end));
      bytes.remove_prefix(std::min(end + 1, bytes.size()));
    }
    return {lines, std::string(bytes)};
  }

  FormatDescriptor descriptor_;
};

// Extension "lines": a record a line, merged by lines; under the name "binary" (any file) one
// opaque part without records.
class PlainFormat final : public Format {
 public:
  explicit PlainFormat(std::string name) {
    descriptor_.name = std::move(name);
    descriptor_.parser = {descriptor_.name, "1"};
    descriptor_.profile.line_based_merge = descriptor_.name == "lines";
    descriptor_.profile.kinds = {{"line", Matching::kOrdered, {}}};
  }
  const FormatDescriptor& descriptor() const override { return descriptor_; }
  int Sniff(std::string_view, std::string_view extension) const override {
    return extension == "lines" && descriptor_.name == "lines" ? 50 : 0;
  }
  Result<ParsedContent> Parse(std::string_view bytes, const Limits&,
                              const SegmentSource&) const override {
    ParsedContent content;
    const ContentHash digest = ContentHash::Of(bytes);
    content.parts = {{"", digest, bytes.size(), {}}};
    if (descriptor_.name == "binary") return content;
    content.parts[0].kinds = {"line"};
    std::vector<Record> records;
    while (!bytes.empty()) {
      const size_t end = std::min(bytes.find('\n'), bytes.size());
      Record record;
      record.kind = "line";
      record.locator = "line:" + std::to_string(records.size() + 1);
      record.text = bytes.substr(0, end);
      records.push_back(std::move(record));
      bytes.remove_prefix(std::min(end + 1, bytes.size()));
    }
    content.segments = {std::make_shared<RecordListSegment>("", digest, std::move(records))};
    return content;
  }
  Result<EditOutcome> Apply(std::string_view, const std::vector<Edit>&,
                            const Limits&) const override {
    return Status(ErrorCode::kUnsupportedEdit, "no edits here");
  }

 private:
  FormatDescriptor descriptor_;
};

inline FormatRegistry ToyRegistry() {
  FormatRegistry registry;
  registry.Register(std::make_unique<PlainFormat>("binary"));
  registry.Register(std::make_unique<PlainFormat>("lines"));
  registry.Register(std::make_unique<ToyFormat>());
  return registry;
}

}  // namespace staged
