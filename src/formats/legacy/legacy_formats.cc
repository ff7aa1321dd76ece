#include "formats/legacy/legacy_formats.h"

#include <array>
#include <utility>
#include <vector>

#include "codec/compound_file.h"
#include "record/grid_segment.h"
#include "record/segments.h"

namespace staged {
namespace {

struct LegacyKind {
  std::string_view name;     // and extension
  std::string_view modern;   // what it is converted to
  std::string_view package;  // of Debian, that reads it
  std::vector<std::string_view> extensions;
  std::vector<std::string_view> streams;     // of a compound file: one of them is there
  std::vector<std::string_view> beginnings;  // of other files
};

// Streams by [MS-DOC] 2.1, [MS-XLS] 2.1, [MS-PPT] 2.1; beginnings of files before Office 97, and of
// rich text.
const std::array<LegacyKind, 4>& LegacyKinds() {
  static const std::array<LegacyKind, 4> kinds = {{
      {"doc",
       "docx",
       "libreoffice-writer-nogui",
       {"doc", "dot"},
       {"WordDocument"},
       {"\xDB\xA5", "\x9B\xA5"}},
      {"xls",
       "xlsx",
       "libreoffice-calc-nogui",
       {"xls", "xlt"},
       {"Workbook", "Book"},
       {std::string_view("\x09\x00\x04\x00", 4), std::string_view("\x09\x02\x06\x00", 4),
        std::string_view("\x09\x04\x06\x00", 4), "\x09\x08"}},
      {"ppt",
       "pptx",
       "libreoffice-impress-nogui",
       {"ppt", "pot", "pps"},
       {"PowerPoint Document"},
       {}},
      {"rtf", "docx", "libreoffice-writer-nogui", {"rtf"}, {}, {"{\\rtf"}},
  }};
  return kinds;
}

// Without what the converter makes up anew each time: places in the converted file, and digests of
// XML and of files inside it.
Record Lasting(const Record& record) {
  Record lasting = record;
  lasting.span.reset();
  if (!lasting.attrs.is_object()) return lasting;
  lasting.attrs = Value(Value::Object{});
  for (const auto& [name, value] : record.attrs.as_object()) {
    const bool is_made_up = name == "format" || (name == "digest" && record.kind == "object");
    if (!is_made_up) lasting.attrs.Set(name, value);
  }
  return lasting;
}

// Cells are columns of plain values and stay as they are.
std::shared_ptr<const Segment> LastingSegment(const std::shared_ptr<const Segment>& segment,
                                              const ContentHash& hash, size_t number) {
  if (dynamic_cast<const GridSegment*>(segment.get()) != nullptr) return segment;
  std::vector<Record> records;
  records.reserve(segment->record_count());
  segment->ForEach([&](const Record& record) {
    records.push_back(Lasting(record));
    return true;
  });
  const std::string identity = hash.ToString() + "#" + std::to_string(number);
  return std::make_shared<RecordListSegment>(segment->part(), ContentHash::Of(identity),
                                             std::move(records));
}

class LegacyFormat final : public Format {
 public:
  LegacyFormat(const LegacyKind& kind, const Format& modern,
               std::shared_ptr<const OfficeConverter> converter)
      : kind_(kind), modern_(modern), converter_(std::move(converter)) {
    descriptor_.name = kind.name;
    descriptor_.parser = {descriptor_.name, "1"};
    if (converter_ != nullptr) {
      descriptor_.parser.version += "+" + modern.descriptor().parser.version + "+" +
                                    converter_->name() + "-" + converter_->version();
    }
    descriptor_.extensions.assign(kind.extensions.begin(), kind.extensions.end());
    for (KindRule rule : modern.descriptor().profile.kinds) {
      rule.merge_set_op = rule.merge_insert_op = rule.merge_delete_op = rule.merge_append_op = "";
      descriptor_.profile.kinds.push_back(std::move(rule));
    }
  }

  [[nodiscard]] const FormatDescriptor& descriptor() const override { return descriptor_; }

  [[nodiscard]] int Sniff(std::string_view bytes, std::string_view) const override {
    constexpr int kCertain = 100;
    constexpr int kLikely = 90;
    for (const std::string_view beginning : kind_.beginnings) {
      if (bytes.starts_with(beginning)) return kLikely;
    }
    constexpr std::string_view kCompoundFile = "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1";
    if (kind_.streams.empty() || !bytes.starts_with(kCompoundFile)) return 0;
    const Result<CompoundFile> file = CompoundFile::Open(bytes, Limits());
    if (!file.ok()) return 0;
    for (const std::string_view stream : kind_.streams) {
      if (file->Find(stream) != nullptr) return kCertain;
    }
    return 0;
  }

  [[nodiscard]] Result<ParsedContent> Parse(std::string_view bytes, const Limits& limits,
                                            const SegmentSource&) const override {
    if (converter_ == nullptr) {
      return Status(ErrorCode::kParseFailed,
                    "a " + descriptor_.name + " file is read through LibreOffice; install it (" +
                        "sudo apt-get install " + std::string(kind_.package) +
                        ") or save the file as ." + std::string(kind_.modern));
    }
    STAGED_ASSIGN_OR_RETURN(const std::string converted,
                            converter_->Convert(bytes, kind_.name, kind_.modern, limits));
    STAGED_ASSIGN_OR_RETURN(ParsedContent content, modern_.Parse(converted, limits, {}));
    const ContentHash hash = ContentHash::Of(bytes);
    for (size_t i = 0; i < content.segments.size(); ++i) {
      content.segments[i] = LastingSegment(content.segments[i], hash, i);
    }
    content.fallback = converter_->name();
    // The converted file's parts are none of this one's: all that changes in it is told.
    content.parts = {{"", hash, bytes.size(), {}}};
    content.diagnostics.insert(
        content.diagnostics.begin(),
        {"note", "converted", "",
         "read through " + converter_->name() + ": what it does not keep is not shown"});
    return content;
  }

  [[nodiscard]] Result<EditOutcome> Apply(std::string_view, const std::vector<Edit>&,
                                          const Limits&) const override {
    return Status(ErrorCode::kUnsupportedEdit,
                  "a " + descriptor_.name + " file is only read; save it as ." +
                      std::string(kind_.modern) + " to edit it, or write native bytes");
  }

 private:
  const LegacyKind& kind_;
  const Format& modern_;
  const std::shared_ptr<const OfficeConverter> converter_;
  FormatDescriptor descriptor_;
};

}  // namespace

void RegisterLegacyFormats(FormatRegistry& registry,
                           const std::shared_ptr<const OfficeConverter>& converter) {
  for (const LegacyKind& kind : LegacyKinds()) {
    const Format* modern = registry.Find(kind.modern);
    registry.Register(std::make_unique<LegacyFormat>(kind, *modern, converter));
  }
}

}  // namespace staged
