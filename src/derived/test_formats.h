#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "record/segments.h"
#include "staged/ext/format.h"

// Tiny formats for the tests of this folder.
namespace staged::testing {

// "key:text" lines become records; the file is cut at lines "--- name" into parts that are each a
// segment. A text with "BROKEN" does not parse, one with "LONG" says that a limit cut it.
class PartsFormat final : public Format {
 public:
  explicit PartsFormat(std::string version = "1") {
    descriptor_.name = "parts";
    descriptor_.parser = {"parts", std::move(version)};
    descriptor_.extensions = {"parts"};
  }
  const FormatDescriptor& descriptor() const override { return descriptor_; }
  int Sniff(std::string_view, std::string_view extension) const override {
    return extension == "parts" ? 50 : 0;
  }
  Result<ParsedContent> Parse(std::string_view bytes, const Limits&,
                              const SegmentSource& reuse) const override {
    if (bytes.find("BROKEN") != std::string_view::npos) {
      return Status(ErrorCode::kParseFailed, "broken");
    }
    ParsedContent content;
    if (bytes.find("LONG") != std::string_view::npos) {
      content.diagnostics.push_back({"error", "limit_exceeded", "", "the rest is left out"});
    }
    std::string part;
    std::string_view rest = bytes;
    while (!rest.empty()) {
      const size_t end = std::min(rest.find("--- "), rest.size());
      AddPart(part, rest.substr(0, end), reuse, content);
      rest.remove_prefix(end);
      if (rest.empty()) break;
      const size_t newline = std::min(rest.find('\n'), rest.size() - 1);
      part = rest.substr(4, newline - 4);
      rest.remove_prefix(newline + 1);
    }
    return content;
  }
  Result<EditOutcome> Apply(std::string_view, const std::vector<Edit>&,
                            const Limits&) const override {
    return Status(ErrorCode::kUnsupportedEdit, "read only");
  }

 private:
  void AddPart(const std::string& part, std::string_view text, const SegmentSource& reuse,
               ParsedContent& content) const {
    const ContentHash digest = ContentHash::Of(part + "\n" + std::string(text));
    content.parts.push_back({part, digest, text.size(), {"line"}});
    if (std::shared_ptr<const Segment> known = reuse ? reuse(part, digest) : nullptr) {
      content.segments.push_back(std::move(known));
      return;
    }
    std::vector<Record> records;
    size_t number = 0;
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size());
      Record record;
      record.text = text.substr(0, end);
      const size_t colon = record.text.find(':');
      record.kind = colon == std::string::npos ? "line" : record.text.substr(0, colon);
      if (colon != std::string::npos) record.text.erase(0, colon + 1);
      record.locator = (part.empty() ? "" : part + "!") + "line:" + std::to_string(++number);
      records.push_back(std::move(record));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    content.segments.push_back(
        std::make_shared<RecordListSegment>(part, digest, std::move(records)));
  }

  FormatDescriptor descriptor_;
};

class BlobFormat final : public Format {
 public:
  BlobFormat() {
    descriptor_.name = "binary";
    descriptor_.parser = {"binary", "1"};
  }
  const FormatDescriptor& descriptor() const override { return descriptor_; }
  int Sniff(std::string_view, std::string_view) const override { return 1; }
  Result<ParsedContent> Parse(std::string_view bytes, const Limits&,
                              const SegmentSource&) const override {
    ParsedContent content;
    content.parts.push_back({"", ContentHash::Of(bytes), bytes.size(), {}});
    return content;
  }
  Result<EditOutcome> Apply(std::string_view, const std::vector<Edit>&,
                            const Limits&) const override {
    return Status(ErrorCode::kUnsupportedEdit, "read only");
  }

 private:
  FormatDescriptor descriptor_;
};

inline std::unique_ptr<FormatRegistry> MakeRegistry(const std::string& version = "1") {
  auto registry = std::make_unique<FormatRegistry>();
  registry->Register(std::make_unique<BlobFormat>());
  registry->Register(std::make_unique<PartsFormat>(version));
  return registry;
}

}  // namespace staged::testing
