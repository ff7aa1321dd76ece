#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "codec/opc.h"
#include "formats/xlsx/part_tree.h"
#include "formats/xlsx/record_list.h"
#include "formats/xlsx/related_records.h"
#include "staged/ext/format.h"

namespace staged::xlsx {

// One part as one segment: read anew only when it, or what its records name of other parts,
// changed. Not thread-safe.
class PartSegments {
 public:
  using Reader = void (*)(const PartTree& tree, const PartContext& context, RecordList& records);
  struct Job {
    std::string part;
    std::string sheet;   // as PartContext::sheet
    std::string base;    // as PartContext::base
    std::string hidden;  // as RecordList's
    std::string extra;   // identity of what the reader knows besides: it is part of the digest
    Reader read = nullptr;
    std::vector<std::string> kinds;  // that cover the part
    // Adds what the reader needs besides; not called when the segment is reused.
    std::function<void(PartContext& context)> prepare = {};
  };

  // Borrows everything; `records_left` is what the limit leaves. `digest_of` answers a part's
  // digest, zero when there is none.
  PartSegments(const OpcPackage& package, const Limits& limits, const SegmentSource& reuse,
               std::function<ContentHash(std::string_view part)> digest_of,
               std::function<void(std::string_view part, std::vector<std::string> kinds)> cover,
               ParsedContent& content, uint64_t& records_left);

  // Adds the part's segment to the content; its records, or nullptr when there are none.
  std::shared_ptr<const Segment> Add(const Job& job);
  // Relationships of a part, none when they cannot be read; read once.
  [[nodiscard]] const std::vector<OpcRelationship>& RelationshipsOf(const std::string& part);
  // The part as a tree for `read`; errors become diagnostics at `locator`.
  void ReadTree(const std::string& part, const std::string& locator,
                const std::function<void(const PartTree&)>& read);
  // Takes the records from what the limit leaves; those beyond it go, with a diagnostic at
  // `locator`. The first one stays: others may stand under it.
  void KeepLimit(const std::string& locator, std::vector<Record>& records);
  // That RecordList::is_full.
  void DiagnoseRepetition(const std::string& locator, const std::string& part);
  [[nodiscard]] bool Has(std::string_view part) const { return package_.Find(part) != nullptr; }

 private:
  [[nodiscard]] ContentHash KeyOf(const Job& job);
  void Diagnose(std::string code, std::string locator, std::string message);

  const OpcPackage& package_;
  const Limits& limits_;
  const SegmentSource& reuse_;
  const std::function<ContentHash(std::string_view part)> digest_of_;
  const std::function<void(std::string_view part, std::vector<std::string> kinds)> cover_;
  ParsedContent& content_;
  uint64_t& records_left_;
  std::map<std::string, std::vector<OpcRelationship>, std::less<>> relationships_;
  uint64_t bytes_left_;
};

}  // namespace staged::xlsx
