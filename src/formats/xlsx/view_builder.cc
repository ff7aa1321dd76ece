#include "formats/xlsx/view_builder.h"

#include <algorithm>
#include <future>
#include <map>
#include <set>
#include <thread>

#include "base/binary.h"
#include "codec/opc.h"
#include "codec/vba_records.h"
#include "codec/xml.h"
#include "formats/xlsx/package_parts.h"
#include "formats/xlsx/part_segments.h"
#include "formats/xlsx/sheet_parser.h"
#include "formats/xlsx/sheet_records.h"
#include "formats/xlsx/strings_identity.h"
#include "formats/xlsx/workbook.h"
#include "formats/xlsx/workbook_records.h"
#include "record/segments.h"

namespace staged::xlsx {
namespace {

// Below this size of a part, starting a thread costs more than it brings.
constexpr size_t kHashBesideBytesMin = size_t{1} << 20;
constexpr uint64_t kReadAheadBytesMin = uint64_t{256} << 10;

// Sheets that changed, or that nobody has seen, before it is taken that nobody has seen any.
constexpr size_t kUnknownSheetsMax = 3;

class ViewBuilder {
 public:
  ViewBuilder(const ZipReader& zip, const Limits& limits, const SegmentSource& reuse)
      : zip_(zip), package_(zip), limits_(limits), reuse_(reuse) {}

  Result<ParsedContent> Build() {
    for (const std::string& warning : zip_.warnings()) {
      content_.diagnostics.push_back({"warning", "archive", "", warning});
    }
    STAGED_ASSIGN_OR_RETURN(workbook_, ReadWorkbook(package_, limits_, content_.diagnostics));
    FindSheetParts();
    DigestParts();
    NameKinds();
    LoadStyles();
    const auto digest_of = [this](std::string_view part) { return PartDigest(part); };
    const auto cover = [this](std::string_view part, std::vector<std::string> kinds) {
      AddKinds(part, std::move(kinds));
    };
    PartSegments segments(package_, limits_, reuse_, digest_of, cover, content_, records_left_);
    PackageParts parts(segments, workbook_, digest_of, cover);
    for (size_t i = 0; i < workbook_.sheets.size(); ++i) AddSheet(i, segments, parts);
    AddWorkbook();
    parts.AddOfWorkbook();
    parts.AddOthers(UnshownXml());
    CapDiagnostics();
    return std::move(content_);
  }

 private:
  struct Digest {
    ContentHash hash;
    uint64_t size_bytes = 0;
  };

  void Diagnose(std::string severity, std::string code, std::string locator, std::string text) {
    content_.diagnostics.push_back(
        {std::move(severity), std::move(code), std::move(locator), std::move(text)});
  }

  void FindSheetParts() {
    std::set<std::string> names;
    for (const SheetEntry& sheet : workbook_.sheets) {
      if (!names.insert(sheet.name).second) {
        Diagnose("warning", "duplicate_sheet", QuoteSheetName(sheet.name),
                 "two sheets have this name: their locators are the same");
      }
      const ZipMember* member = sheet.part.empty() ? nullptr : package_.Find(sheet.part);
      if (member != nullptr) sheet_members_.insert(member);
    }
  }

  // Every member a part. Sheets wait until it is known whether they must be read at all.
  void DigestParts() {
    std::map<std::string, size_t> uses;
    for (const ZipMember& member : zip_.members()) {
      Part part;
      part.name = member.name;
      if (zip_.has_duplicate_names()) {
        const bool is_shadowed = zip_.Find(member.name) != &member;
        if (is_shadowed) part.name += "#" + std::to_string(++uses[member.name]);
      }
      if (!sheet_members_.contains(&member)) {
        const Digest digest = DigestOf(member);
        part.digest = digest.hash;
        part.size_bytes = digest.size_bytes;
      }
      part_index_[&member] = content_.parts.size();
      content_.parts.push_back(std::move(part));
    }
  }

  Digest DigestOf(const ZipMember& member) {
    Result<std::string> bytes = zip_.Read(member);
    if (bytes.ok()) {
      const Digest digest{ContentHash::Of(*bytes), bytes->size()};
      const std::string& strings = workbook_.shared_strings_part;
      const bool is_strings = !strings.empty() && package_.Find(strings) == &member;
      if (is_strings) strings_ = StringsIdentity(*std::move(bytes));
      return digest;
    }
    Diagnose("error", "unreadable_part", "", bytes.status().message());
    return {ContentHash::Of(zip_.CompressedBytes(member)), member.size_bytes};
  }

  const ContentHash& PartDigest(std::string_view part) const {
    static const ContentHash kAbsent;
    const ZipMember* member = part.empty() ? nullptr : package_.Find(part);
    return member == nullptr ? kAbsent : content_.parts[part_index_.at(member)].digest;
  }

  void LoadStyles() {
    if (workbook_.styles_part.empty()) return;
    const Result<std::string> xml = package_.ReadXml(workbook_.styles_part);
    if (!xml.ok()) return Diagnose("error", "unreadable_part", "", xml.status().message());
    styles_ = ReadStyles(*xml, limits_);
    if (styles_.error.ok()) return;
    Diagnose("error", "malformed", "", workbook_.styles_part + ": " + styles_.error.message());
  }

  // Names, settings and named styles of the workbook.
  void AddWorkbook() {
    AddSegment(workbook_.part, [this] {
      std::vector<Record> records = MakeNameRecords(workbook_);
      if (const Result<std::string> xml = package_.ReadXml(workbook_.part); xml.ok()) {
        RecordList settings("");
        ReadWorkbookSettings(PartTree(*xml, limits_), settings);
        for (Record& record : settings.Take()) records.push_back(std::move(record));
      }
      return records;
    });
    AddSegment(workbook_.styles_part, [this] {
      RecordList records("");
      AddStyleRecords(styles_, records);
      return records.Take();
    });
    AddMacros();
  }

  void AddMacros() {
    const ZipMember* member =
        workbook_.macros_part.empty() ? nullptr : package_.Find(workbook_.macros_part);
    if (member == nullptr) return;
    const size_t before = content_.segments.size();
    AddSegment(workbook_.macros_part, [this, member]() -> std::vector<Record> {
      const Result<std::string> bytes = zip_.Read(*member);
      Result<std::vector<Record>> records =
          bytes.ok() ? VbaRecords(*bytes, limits_) : bytes.status();
      if (records.ok()) return std::move(*records);
      Diagnose("warning", "macros", "", workbook_.macros_part + ": " + records.status().message());
      return {};
    });
    if (content_.segments.size() == before) return;
    AddKinds(workbook_.macros_part, {std::begin(kVbaRecordKinds), std::end(kVbaRecordKinds)});
  }

  void AddSegment(const std::string& part, const std::function<std::vector<Record>()>& make) {
    BinaryWriter writer;
    writer.PutString(kParserVersion);
    writer.PutHash(PartDigest(part));
    const ContentHash key = ContentHash::Of(writer.bytes());
    if (std::shared_ptr<const Segment> segment = reuse_ ? reuse_(part, key) : nullptr) {
      content_.segments.push_back(std::move(segment));
      return;
    }
    std::vector<Record> records = make();
    if (records.empty()) return;
    content_.segments.push_back(std::make_shared<RecordListSegment>(part, key, std::move(records)));
  }

  void LoadSharedStrings() {
    if (shared_strings_loaded_) return;
    shared_strings_loaded_ = true;
    if (workbook_.shared_strings_part.empty()) return;
    const Result<std::string> xml = package_.ReadXml(workbook_.shared_strings_part);
    Status status = xml.status();
    if (xml.ok()) shared_strings_ = SharedStrings::Read(*xml, limits_, &status);
    if (!status.ok()) {
      Diagnose("error", "malformed", "", workbook_.shared_strings_part + ": " + status.message());
    }
  }

  // Everything that a sheet's records depend on, found without reading its XML. `compressed` is the
  // hash of the member's compressed bytes, `strings` the identity of the shared strings.
  ContentHash SheetDigest(size_t index, const ZipMember* member, const ContentHash& compressed,
                          const ContentHash& strings,
                          const std::vector<OpcRelationship>& relationships,
                          std::string_view which) const {
    const SheetEntry& sheet = workbook_.sheets[index];
    BinaryWriter key;
    key.PutString(kParserVersion);
    key.PutString(which);
    key.PutString(sheet.name);
    key.PutString(sheet.state);
    key.PutByte(static_cast<uint8_t>(workbook_.epoch));
    key.PutUnsigned(member == nullptr ? 0 : member->size_bytes);
    key.PutHash(compressed);
    key.PutHash(PartDigest(workbook_.styles_part));
    key.PutHash(strings);
    if (which == "cells") return ContentHash::Of(key.bytes());
    key.PutUnsigned(index);
    key.PutString(sheet.id);
    key.PutString(sheet.type);
    for (const OpcRelationship& relationship : relationships) {
      key.PutString(relationship.id);
      key.PutString(relationship.target);
      if (IsEmbeddedFile(relationship.type)) key.PutHash(PartDigest(relationship.target));
    }
    return ContentHash::Of(key.bytes());
  }

  void AddSheet(size_t index, PartSegments& segments, PackageParts& parts) {
    const SheetEntry& sheet = workbook_.sheets[index];
    const std::string locator = QuoteSheetName(sheet.name);
    const ZipMember* member = sheet.part.empty() ? nullptr : package_.Find(sheet.part);
    if (member == nullptr) Diagnose("error", "missing_part", locator, "the sheet has no part");
    std::vector<OpcRelationship> relationships;
    if (member != nullptr) relationships = segments.RelationshipsOf(sheet.part);
    AddCells(index, member, relationships, segments);
    for (const OpcRelationship& relationship : relationships) {
      if (IsEmbeddedFile(relationship.type)) AddKinds(relationship.target, {"embedded_file"});
    }
    parts.AddOfSheet(sheet, relationships);
  }

  const ContentHash& CompressedHash(const ZipMember& member) {
    ContentHash& hash = compressed_[&member];
    if (hash.is_zero()) hash = ContentHash::Of(zip_.CompressedBytes(member));
    return hash;
  }

  // The sheet's own records and its cells.
  void AddCells(size_t index, const ZipMember* member,
                const std::vector<OpcRelationship>& relationships, PartSegments& segments) {
    const SheetEntry& sheet = workbook_.sheets[index];
    const ContentHash compressed = member == nullptr ? ContentHash() : CompressedHash(*member);
    const auto digest = [&](const ContentHash& strings, std::string_view which) {
      return SheetDigest(index, member, compressed, strings, relationships, which);
    };
    const ContentHash cells_digest = digest(strings_.whole(), "cells");
    const ContentHash list_digest = digest(strings_.whole(), "list");
    bool is_reused = member != nullptr && Reuse(sheet.part, member, cells_digest, list_digest);
    // Sheets of a workbook that was not seen before are not looked for with fewer strings.
    if (member != nullptr && !is_reused && reuse_ && unknown_sheets_ < kUnknownSheetsMax) {
      for (const ContentHash& strings : strings_.Shorter()) {
        is_reused = Reuse(sheet.part, member, digest(strings, "cells"), digest(strings, "list"));
        if (is_reused) break;
      }
      if (!is_reused) ++unknown_sheets_;
    }
    if (is_reused) return;
    ParsedSheet parsed;
    if (member != nullptr) parsed = ParseCells(index, *member, cells_digest);
    RecordList list(sheet.HiddenReason());
    const uint64_t source_bytes =
        member == nullptr ? 0 : content_.parts[part_index_.at(member)].size_bytes;
    list.LimitBytes(RecordList::GrantedBytes(source_bytes));
    AddSheetRecords(
        sheet, index, parsed, relationships, styles_, limits_,
        [this](std::string_view part) {
          const ContentHash& found = PartDigest(part);
          return found.is_zero() ? std::string() : found.ToString();
        },
        list);
    const std::vector<Diagnostic>& complaints = parsed.diagnostics;
    const size_t before = content_.diagnostics.size();
    if (list.is_full()) segments.DiagnoseRepetition(QuoteSheetName(sheet.name), sheet.part);
    std::vector<Record> records = list.Take();
    segments.KeepLimit(QuoteSheetName(sheet.name), records);
    const bool is_sound = complaints.empty() && content_.diagnostics.size() == before;
    // A sheet that gave cause for complaint must be read again next time, to complain again.
    const ContentHash key =
        is_sound ? list_digest : ContentHash::Of(list_digest.ToString() + "complaints");
    content_.segments.push_back(
        std::make_shared<RecordListSegment>(sheet.part, key, std::move(records)));
    if (parsed.cells) content_.segments.push_back(parsed.cells);
    content_.diagnostics.insert(content_.diagnostics.end(), complaints.begin(), complaints.end());
  }

  // A sheet that was read without complaint before is not read again.
  bool Reuse(const std::string& part, const ZipMember* member, const ContentHash& cells_digest,
             const ContentHash& list_digest) {
    if (!reuse_) return false;
    std::shared_ptr<const Segment> cells = reuse_(part, cells_digest);
    if (cells == nullptr) return false;
    const auto* grid = dynamic_cast<const GridSegment*>(cells.get());
    if (grid == nullptr || grid->sheet().part_digest.is_zero()) return false;
    std::shared_ptr<const Segment> list = reuse_(part, list_digest);
    if (list == nullptr) return false;
    Part& entry = content_.parts[part_index_.at(member)];
    entry.digest = grid->sheet().part_digest;
    entry.size_bytes = grid->sheet().part_size_bytes;
    records_left_ -= std::min<uint64_t>(records_left_, cells->record_count());
    text_bytes_ += grid->text_bytes();
    text_source_bytes_ += entry.size_bytes;
    content_.segments.push_back(std::move(list));
    content_.segments.push_back(std::move(cells));
    return true;
  }

  ParsedSheet ParseCells(size_t index, const ZipMember& member, const ContentHash& digest) {
    LoadSharedStrings();
    ReadAhead(index);
    Part& part = content_.parts[part_index_.at(&member)];
    SheetRead read = TakeAhead(index);
    text_source_bytes_ += read.is_read ? read.size_bytes : member.size_bytes;
    const uint64_t text_bytes_max = TextBytesLeft();
    // What was read ahead of others knew nothing of what these left of the limits.
    const bool is_within = read.is_read && !read.is_cut() && read.cell_count() <= records_left_ &&
                           read.text_bytes() <= text_bytes_max;
    if (!is_within) read = ReadSheet(index, member, digest, records_left_, text_bytes_max);
    part.digest = read.part_digest;
    part.size_bytes = read.size_bytes;
    records_left_ -= std::min<uint64_t>(records_left_, read.cell_count());
    text_bytes_ += read.text_bytes();
    return std::move(read.parsed);
  }

  // A sheet's part, and what was read of it.
  struct SheetRead {
    ParsedSheet parsed;
    ContentHash part_digest;
    uint64_t size_bytes = 0;
    bool is_read = false;

    [[nodiscard]] uint64_t cell_count() const {
      return parsed.cells ? parsed.cells->cell_count() : 0;
    }
    [[nodiscard]] uint64_t text_bytes() const {
      return parsed.cells ? parsed.cells->text_bytes() : 0;
    }
    [[nodiscard]] bool is_cut() const {
      return std::any_of(parsed.diagnostics.begin(), parsed.diagnostics.end(),
                         [](const Diagnostic& one) { return one.code == "limit_exceeded"; });
    }
  };

  // Changes nothing, so that sheets may be read at the same time.
  SheetRead ReadSheet(size_t index, const ZipMember& member, const ContentHash& digest,
                      uint64_t records_max, uint64_t text_bytes_max) const {
    SheetRead read;
    read.is_read = true;
    const SheetEntry& sheet = workbook_.sheets[index];
    Result<std::string> bytes = zip_.Read(member);
    if (!bytes.ok()) {
      read.parsed.diagnostics.push_back(
          {"error", "unreadable_part", QuoteSheetName(sheet.name), bytes.status().message()});
      read.part_digest = ContentHash::Of(zip_.CompressedBytes(member));
      read.size_bytes = member.size_bytes;
      return read;
    }
    read.size_bytes = bytes->size();
    // A large part is hashed while it is read, if it is read as it is.
    const bool is_hashed_beside = bytes->size() >= kHashBesideBytesMin && XmlIsUtf8(*bytes);
    if (!is_hashed_beside) read.part_digest = ContentHash::Of(*bytes);
    Result<std::string> xml = XmlTakeAsUtf8(*std::move(bytes));
    if (!xml.ok()) {
      read.parsed.diagnostics.push_back(
          {"error", "malformed", QuoteSheetName(sheet.name), xml.status().message()});
      return read;
    }
    GridSheet grid;
    grid.name = sheet.name;
    grid.part = sheet.part;
    grid.parent = QuoteSheetName(sheet.name);
    grid.hidden = sheet.HiddenReason();
    grid.epoch = workbook_.epoch;
    grid.part_digest = read.part_digest;
    grid.part_size_bytes = read.size_bytes;
    SheetContext context{&shared_strings_, &styles_, limits_, text_bytes_max, {}};
    context.limits.records_max = records_max;
    std::future<ContentHash> hashed;
    if (is_hashed_beside) {
      hashed = std::async(std::launch::async | std::launch::deferred,
                          [&xml] { return ContentHash::Of(*xml); });
      context.part_digest = [&] { return read.part_digest = hashed.get(); };
    }
    read.parsed = ParseSheet(*xml, std::move(grid), digest, context);
    return read;
  }

  // Begins with the next sheets while this one is read, where nobody is likely to have seen them.
  void ReadAhead(size_t index) {
    if (reuse_ && unknown_sheets_ < kUnknownSheetsMax) return;
    const size_t end = std::min(workbook_.sheets.size(), index + 1 + SheetsAhead());
    for (size_t next = std::max(index + 1, ahead_end_); next < end; ++next) {
      ahead_end_ = next + 1;
      const std::string& part = workbook_.sheets[next].part;
      const ZipMember* member = part.empty() ? nullptr : package_.Find(part);
      if (member == nullptr || member->size_bytes < kReadAheadBytesMin) continue;
      const ContentHash digest =
          SheetDigest(next, member, CompressedHash(*member), strings_.whole(), {}, "cells");
      if (reuse_ && reuse_(part, digest) != nullptr) continue;
      ahead_[next] =
          std::async(std::launch::async | std::launch::deferred,
                     [this, next, member, digest, records_max = records_left_,
                      text_bytes_max = TextBytesLeft()] {
                       return ReadSheet(next, *member, digest, records_max, text_bytes_max);
                     });
    }
  }

  static size_t SheetsAhead() {
    constexpr unsigned kMost = 3;
    return std::min(kMost, std::max(1U, std::thread::hardware_concurrency()) - 1);
  }

  SheetRead TakeAhead(size_t index) {
    const auto found = ahead_.find(index);
    if (found == ahead_.end()) return {};
    SheetRead read = found->second.get();
    ahead_.erase(found);
    return read;
  }

  // Strings are shared, so that little XML can say much text. A cell takes some thirty bytes of
  // XML, which leaves an honest sheet hundreds of bytes of text in each.
  uint64_t TextBytesLeft() const {
    constexpr uint64_t kTextBytesMax = uint64_t{1} << 30;
    constexpr uint64_t kAlwaysGrantedBytes = uint64_t{32} << 20;
    constexpr uint64_t kTextPerSourceByte = 16;
    const ZipMember* strings = workbook_.shared_strings_part.empty()
                                   ? nullptr
                                   : package_.Find(workbook_.shared_strings_part);
    const uint64_t strings_bytes =
        strings == nullptr ? 0 : content_.parts[part_index_.at(strings)].size_bytes;
    const uint64_t granted_bytes =
        std::min(kTextBytesMax,
                 kAlwaysGrantedBytes + kTextPerSourceByte * (strings_bytes + text_source_bytes_));
    return granted_bytes - std::min(granted_bytes, text_bytes_);
  }

  void AddKinds(std::string_view part, std::vector<std::string> kinds) {
    const ZipMember* member = part.empty() ? nullptr : package_.Find(part);
    if (member != nullptr) content_.parts[part_index_.at(member)].kinds = std::move(kinds);
  }

  // Parts that every workbook has and whose content records show.
  void NameKinds() {
    AddKinds(workbook_.part, {"sheet", "defined_name", "calculation", "window", "protection",
                              "workbook_property", "saved_setting"});
    AddKinds(workbook_.styles_part,
             {"cell", "row", "column", "format", "cell_style", "style_property"});
    AddKinds(workbook_.shared_strings_part, {"cell"});
    AddKinds(workbook_.calculation_chain_part, {"cell"});
    AddKinds(workbook_.threaded_persons_part, {"threaded_comment"});
    AddKinds(OpcRelationshipsPart(workbook_.part), {"sheet"});
    for (const SheetEntry& sheet : workbook_.sheets) {
      const ZipMember* member = sheet.part.empty() ? nullptr : package_.Find(sheet.part);
      if (member == nullptr) continue;
      std::vector<std::string> kinds = {"sheet", "view", "protection", "header_footer",
                                        "sheet_property"};
      if (sheet.type == "worksheet" || sheet.type == "xlMacrosheet") {
        kinds.insert(kinds.end(),
                     {"cell", "row", "column", "format", "merge", "hyperlink", "conditional_format",
                      "data_validation", "filter", "scenario", "sparkline"});
      }
      AddKinds(sheet.part, std::move(kinds));
      AddKinds(OpcRelationshipsPart(sheet.part), {"hyperlink"});
    }
  }

  // Parts in XML that no record shows yet; content types and relationships are no content.
  std::vector<std::string> UnshownXml() const {
    std::vector<std::string> names;
    for (const ZipMember& member : zip_.members()) {
      const size_t dot = member.name.rfind('.');
      if (dot == std::string::npos || zip_.Find(member.name) != &member) continue;
      const std::string_view extension = std::string_view(member.name).substr(dot);
      const bool is_xml = extension == ".xml" || extension == ".XML" || extension == ".vml";
      const bool is_types = IsContentTypes(member.name);
      const bool is_shown = !content_.parts[part_index_.at(&member)].kinds.empty();
      if (is_xml && !is_types && !is_shown) names.push_back(member.name);
    }
    return names;
  }

  static bool IsContentTypes(std::string name) {
    for (char& c : name) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
    }
    return name == "[content_types].xml";
  }

  void CapDiagnostics() {
    const size_t most = limits_.diagnostics_max;
    const size_t count = content_.diagnostics.size();
    if (count <= most) return;
    content_.diagnostics.resize(most);
    Diagnose("note", "diagnostics_cut", "",
             std::to_string(count - most) + " more diagnostics are left out");
  }

  const ZipReader& zip_;
  OpcPackage package_;
  const Limits& limits_;
  const SegmentSource& reuse_;
  Workbook workbook_;
  Styles styles_;
  StringsIdentity strings_;
  size_t unknown_sheets_ = 0;
  SharedStrings shared_strings_;
  bool shared_strings_loaded_ = false;
  uint64_t records_left_ = limits_.records_max;
  uint64_t text_bytes_ = 0;         // of the cells so far
  uint64_t text_source_bytes_ = 0;  // XML of the sheets so far
  std::set<const ZipMember*> sheet_members_;
  std::map<const ZipMember*, size_t> part_index_;
  std::map<const ZipMember*, ContentHash> compressed_;
  ParsedContent content_;
  size_t ahead_end_ = 0;                            // behind the last sheet that was thought of
  std::map<size_t, std::future<SheetRead>> ahead_;  // last: they use all of the others
};

}  // namespace

Status CheckContainer(std::string_view bytes) {
  if (IsEncryptedOfficeFile(bytes)) {
    return Status(ErrorCode::kParseFailed,
                  "the workbook is encrypted; save it without a password first");
  }
  if (IsCompoundFile(bytes)) {
    return Status(ErrorCode::kParseFailed,
                  "this is a legacy binary workbook (xls); save it as xlsx first");
  }
  return OkStatus();
}

Result<ParsedContent> BuildView(std::string_view bytes, const Limits& limits,
                                const SegmentSource& reuse) {
  STAGED_RETURN_IF_ERROR(CheckContainer(bytes));
  STAGED_ASSIGN_OR_RETURN(const ZipReader zip, ZipReader::Open(bytes, limits));
  return ViewBuilder(zip, limits, reuse).Build();
}

}  // namespace staged::xlsx
