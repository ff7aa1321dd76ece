#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "staged/limits.h"
#include "staged/status.h"
#include "staged/view.h"

// For those who add a format: one folder under src/formats, one class, one line in
// src/formats/builtin_formats.cc. See docs/adding-a-format.md.
namespace staged {

class DeflatedContent;  // codec/zip.h

enum class ChangeClass : uint8_t {
  kContent = 1,
  kFormat = 2,
  kStructure = 3,
  kDerived = 4,
  kSerialization = 5,
  kOpaque = 6,
};

// A facet: what is diffed and merged apart within one record.
struct FacetRule {
  std::string name;  // "value", "formula", "number_format", "text", "style"
  ChangeClass change_class = ChangeClass::kContent;
  std::vector<std::string> attrs;  // attribute names it covers; the name "text" means Record::text
  // A record with this attribute computes the facet from it: the facet's changes are then derived
  // ("formula" for the value of a cell).
  std::string derived_from_attr = {};
  // The attributes are formulas in A1 notation: what only follows moved rows or columns is derived.
  bool holds_references = false;
};

// How records of one kind are matched between two views.
enum class Matching : uint8_t {
  kKeyed = 1,    // by Record::key within the parent (cells, JSON members)
  kOrdered = 2,  // by position in a sequence under the parent (paragraphs, lines)
  // By cell address ("B7" as Record::key, a locator "<sheet>!B7") within the parent, after rows and
  // columns were aligned by content: an inserted row is a change, the cells it shifts are none.
  kGrid = 3,
};

// An argument of a replayed edit and where its value comes from: an attribute of the record ("text"
// means Record::text), or a constant where `attr` is empty. With `when_attr`, only for records in
// which that attribute is the string `when_value`.
struct MergeArgument {
  std::string argument;
  std::string attr;
  std::string when_attr = {};
  std::string when_value = {};
  Value constant = {};
};

struct KindRule {
  std::string kind;
  Matching matching = Matching::kOrdered;
  std::vector<FacetRule> facets;  // in order of display; attributes no rule names are "other"
  // How a three-way merge replays one side's change of such a record as an Edit on the other side.
  // Without an op, such a change cannot be replayed. Ops act on the record's locator.
  std::string merge_set_op = {};     // gives a record that both sides have its new content
  std::string merge_insert_op = {};  // makes a keyed record that the other side lacks
  std::string merge_delete_op = {};
  // Makes a record at the end of its parent (at the parent's locator): how ordered records come
  // along with a container that the merge itself inserts.
  std::string merge_append_op = {};
  // The first one that fits the record is passed ("formula" before "value").
  std::vector<MergeArgument> merge_arguments = {};
  // Such records are hidden by others, which show that change: a cell by its row. That they are
  // hidden, or no longer, is then derived.
  bool hidden_by_others = false;
};

// The declarative profile that the one generic diff and merge engine reads.
struct Profile {
  std::vector<KindRule> kinds;
  bool line_based_merge = false;  // bytes are text: three-way line merge applies
};

struct FormatDescriptor {
  std::string name;  // "xlsx"
  ParserVersion parser;
  std::vector<std::string> extensions;  // lower case, without dot
  std::vector<std::string> edit_ops;    // "set", "replace_text"; empty: read only
  Profile profile;
};

// Answers segments parsed earlier, so that re-parsing after an edit costs what changed. May answer
// nullptr always. Thread-safe.
using SegmentSource = std::function<std::shared_ptr<const Segment>(const std::string& part,
                                                                   const ContentHash& digest)>;

// What a parser makes of bytes; the caller adds hash, format and parser version.
struct ParsedContent {
  std::string fallback;
  std::vector<std::shared_ptr<const Segment>> segments;
  std::vector<Part> parts;
  std::vector<Diagnostic> diagnostics;
};

struct DerivedEffect {
  std::string locator;
  std::string description;  // "calcChain entry removed"
};

struct EditOutcome {
  std::string bytes;                           // the whole new native file
  std::vector<std::string> rewritten_members;  // zip members this writer compressed itself
  // The large ones of them, to spare the store deflating them again. A hint; may be empty.
  std::vector<std::shared_ptr<const DeflatedContent>> deflated;
  std::vector<DerivedEffect> derived;  // what the edits implied beyond what they named
};

// Stateless and thread-safe. Bytes are untrusted: never crashes, never hangs, keeps its limits.
class Format {
 public:
  virtual ~Format() = default;
  [[nodiscard]] virtual const FormatDescriptor& descriptor() const = 0;
  // How sure it is that `bytes` are of this format: 0 not at all, 50 by extension only (lower-case,
  // without dot), 100 by unmistakable content. Cheap: looks at the head, or at a zip directory.
  [[nodiscard]] virtual int Sniff(std::string_view bytes, std::string_view extension) const = 0;
  // Errors: kParseFailed, kLimitExceeded. Whatever can be read is rather a partial view with
  // diagnostics than an error.
  [[nodiscard]] virtual Result<ParsedContent> Parse(std::string_view bytes, const Limits& limits,
                                                    const SegmentSource& reuse) const = 0;
  // All edits or none, in order, planned against `bytes`. Splices: what the edits do not name keeps
  // its exact bytes. Errors: kNoMatch, kAmbiguous, kUnsupportedEdit (with what can be done
  // instead), kInvalidArgument, kParseFailed.
  [[nodiscard]] virtual Result<EditOutcome> Apply(std::string_view bytes,
                                                  const std::vector<Edit>& edits,
                                                  const Limits& limits) const = 0;
};

// The formats a workspace knows. Built by the adapter, then only read: thread-safe.
class FormatRegistry {
 public:
  void Register(std::unique_ptr<Format> format);
  // The best match of all; the format registered under the name "binary" when none is surer.
  // REQUIRES: "binary" is registered.
  [[nodiscard]] const Format& Detect(std::string_view bytes, std::string_view path) const;
  [[nodiscard]] const Format* Find(std::string_view name) const;  // nullptr if unknown
  [[nodiscard]] const std::vector<std::unique_ptr<Format>>& formats() const { return formats_; }

 private:
  std::vector<std::unique_ptr<Format>> formats_;
};

// Detects, parses and labels. A parser's failure becomes a view of fallback "binary" that says what
// failed, so that every content has a view. Errors: kLimitExceeded (of the input size), kIoError
// (no parser could be run).
[[nodiscard]] Result<View> ParseView(const FormatRegistry& registry, std::string_view bytes,
                                     std::string_view path, const Limits& limits,
                                     const SegmentSource& reuse = {});

}  // namespace staged
