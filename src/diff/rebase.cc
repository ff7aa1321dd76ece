#include "diff/rebase.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "diff/alignment.h"
#include "diff/fingerprint.h"

namespace staged {
namespace {

struct Sibling {
  size_t index = 0;  // among the view's records
  uint64_t content = 0;
};

// The records of `view` under one parent, in order.
std::vector<Sibling> SiblingsUnder(const View& view, const std::string& parent) {
  std::vector<Sibling> siblings;
  size_t index = 0;
  view.ForEach([&](const Record& record) {
    if (record.parent == parent) siblings.push_back({index, FingerprintContent(record)});
    ++index;
    return true;
  });
  return siblings;
}

// Indexes of the run of equal siblings around the record at `index`.
std::vector<size_t> EqualRun(const std::vector<Sibling>& siblings, size_t index) {
  const auto at = std::lower_bound(siblings.begin(), siblings.end(), index,
                                   [](const Sibling& s, size_t i) { return s.index < i; });
  if (at == siblings.end() || at->index != index) return {};
  auto begin = at, end = at + 1;
  while (begin != siblings.begin() && (begin - 1)->content == at->content) --begin;
  while (end != siblings.end() && end->content == at->content) ++end;
  std::vector<size_t> run;
  for (auto member = begin; member != end; ++member) run.push_back(member->index);
  return run;
}

std::vector<std::string> LocatorsAt(const View& view, const std::set<size_t>& indexes) {
  std::vector<std::string> locators;
  size_t index = 0;
  view.ForEach([&](const Record& record) {
    if (indexes.count(index++) > 0) locators.push_back(record.locator);
    return locators.size() < indexes.size();
  });
  return locators;
}

Record RecordAt(const View& view, size_t index) {
  for (const auto& segment : view.segments) {
    if (index < segment->record_count()) return segment->At(index);
    index -= segment->record_count();
  }
  return {};
}

// Where the twins of a record ended up: the runs of records equal to it in `to` around the
// counterparts of its own run. Empty when it has no twins, or as many as before.
std::set<size_t> AmbiguousTwins(const View& from, const View& to, const Alignment& alignment,
                                size_t index, const Record& record) {
  const uint64_t content = FingerprintContent(record);
  const std::vector<size_t> run = EqualRun(SiblingsUnder(from, record.parent), index);
  std::set<size_t> twins;
  std::optional<std::vector<Sibling>> siblings;
  for (size_t member : run) {
    const size_t counterpart = alignment.Find(member).index;
    if (counterpart == kNoRecord || twins.count(counterpart) > 0) continue;
    const Record after = RecordAt(to, counterpart);
    if (FingerprintContent(after) != content) continue;
    if (!siblings) siblings = SiblingsUnder(to, after.parent);
    const std::vector<size_t> twin_run = EqualRun(*siblings, counterpart);
    twins.insert(twin_run.begin(), twin_run.end());
  }
  if (twins.size() == run.size() || (run.size() <= 1 && twins.size() <= 1)) return {};
  return twins;
}

}  // namespace

std::string_view RebaseOutcomeName(RebaseOutcome outcome) {
  switch (outcome) {
    case RebaseOutcome::kExact:
      return "exact";
    case RebaseOutcome::kMoved:
      return "moved";
    case RebaseOutcome::kChanged:
      return "changed";
    case RebaseOutcome::kAmbiguous:
      return "ambiguous";
    case RebaseOutcome::kDeleted:
      return "deleted";
  }
  return "deleted";
}

Result<RebasedLocator> RebaseLocator(const View& from, const View& to, const Diff& diff,
                                     std::string_view locator) {
  if (diff.from != from.hash || diff.to != to.hash ||
      diff.from_record_count != from.record_count() || diff.to_record_count != to.record_count()) {
    return Status(ErrorCode::kInvalidArgument,
                  "the diff is not the one of these two views; compute it from them");
  }
  std::optional<Record> record;
  size_t index = 0;
  from.ForEach([&](const Record& candidate) {
    if (candidate.locator == locator) record = candidate;
    if (!record) ++index;
    return !record.has_value();
  });
  if (!record) {
    return Status(ErrorCode::kNoMatch, "no record has the locator '" + std::string(locator) +
                                           "'; list the locators with `staged parse FILE --jsonl`");
  }
  const Alignment alignment(diff);
  RebasedLocator answer;
  if (record->key.empty()) {
    std::set<size_t> twins = AmbiguousTwins(from, to, alignment, index, *record);
    if (twins.empty() && alignment.Find(index).index == kNoRecord) {
      for (const Change& change : diff.changes) {
        if (change.op == ChangeOp::kInsert && change.after_index != kNoRecord &&
            SameContent(*change.after, *record)) {
          twins.insert(change.after_index);
        }
      }
    }
    if (!twins.empty()) {
      answer.outcome = RebaseOutcome::kAmbiguous;
      answer.candidates = LocatorsAt(to, twins);
      return answer;
    }
  }
  const std::optional<Record> after = alignment.Locate(index, *record);
  if (!after) return answer;
  answer.locator = after->locator;
  answer.outcome = !SameContent(*record, *after)       ? RebaseOutcome::kChanged
                   : record->locator == after->locator ? RebaseOutcome::kExact
                                                       : RebaseOutcome::kMoved;
  return answer;
}

}  // namespace staged
