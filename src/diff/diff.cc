#include "staged/diff.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "diff/cell_references.h"
#include "diff/facets.h"
#include "diff/fingerprint.h"
#include "diff/forest.h"
#include "diff/kept_runs.h"
#include "diff/matching.h"
#include "diff/part_changes.h"
#include "diff/segment_pairing.h"
#include "diff/summary.h"
#include "diff/words.h"
#include "record/cell_address.h"

namespace staged {
namespace {

constexpr size_t kContextBytesMax = 80;

std::string Shortened(std::string_view text) {
  if (text.size() <= kContextBytesMax) return std::string(text);
  size_t end = kContextBytesMax;
  while (end > 0 && (static_cast<uint8_t>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "…";
}

// For each node, what a reader would look under: the containing record, or the last heading (a
// record with an integer attribute "level") of its segment.
std::vector<std::string> Contexts(const DiffForest& forest, const std::vector<bool>& wanted) {
  std::vector<std::string> contexts(forest.nodes.size());
  const Record* heading = nullptr;
  uint32_t segment = 0;
  for (uint32_t i = 0; i < forest.nodes.size(); ++i) {
    const DiffNode& node = forest.nodes[i];
    if (node.segment != segment) heading = nullptr;
    segment = node.segment;
    if (wanted[i]) {
      if (node.parent != kNoNode) {
        const Record& parent = forest.nodes[node.parent].record;
        contexts[i] = Shortened(parent.text.empty() ? parent.locator : parent.text);
      } else if (!node.record.parent.empty()) {
        contexts[i] = Shortened(node.record.parent);
      } else if (heading != nullptr) {
        contexts[i] = Shortened(heading->text);
      }
    }
    const Value* level = node.record.attrs.Find("level");
    if (level != nullptr && level->is_integer() && !node.record.text.empty()) {
      heading = &node.record;
    }
  }
  return contexts;
}

class DiffBuilder {
 public:
  DiffBuilder(const View& from, const View& to, const Profile& profile)
      : from_(from), to_(to), rules_(profile) {}

  Diff Build() {
    diff_.from = from_.hash;
    diff_.to = to_.hash;
    diff_.format = to_.format;
    diff_.parser = to_.parser;
    diff_.from_record_count = from_.record_count();
    diff_.to_record_count = to_.record_count();
    const SegmentPairing pairing = PairSegments(from_, to_);
    left_ = BuildForest(from_, pairing.from_skipped, rules_);
    right_ = BuildForest(to_, pairing.to_skipped, rules_);
    shifts_ = MatchForests(left_, right_);
    EmitDeletions();
    EmitPairsAndInsertions();
    EmitShifts();
    AddContexts();
    Order();
    LinkCauses();
    BuildKept(pairing);
    diff_.changes.reserve(pending_.size());
    for (Pending& pending : pending_) diff_.changes.push_back(std::move(pending.change));
    AddPartChanges(from_, to_, shown_parts_, diff_);
    NumberChanges(diff_);
    return std::move(diff_);
  }

 private:
  struct Pending {
    Change change;
    // Deletions stand behind the record that was before them.
    std::tuple<size_t, int, size_t> position;
    uint32_t left = kNoNode, right = kNoNode;
    // Of a change of a grid's line and of what it causes: shift, line, whether it is the left's.
    std::optional<std::tuple<size_t, uint32_t, bool>> line, cause;
  };

  void EmitDeletions() {
    size_t behind = 0;
    for (uint32_t i = 0; i < left_.nodes.size(); ++i) {
      DiffNode& node = left_.nodes[i];
      if (node.match != kNoNode) {
        if (!node.moved) behind = right_.nodes[node.match].index + 1;
        continue;
      }
      Pending& pending = pending_.emplace_back();
      pending.position = {behind, 0, node.index};
      pending.left = i;
      pending.change.op = ChangeOp::kDelete;
      pending.change.before_index = node.index;
      pending.change.after_index = kNoRecord;
      pending.change.change_class = ClassOfKind(rules_.Find(node.record.kind));
      pending.change.kind = node.record.kind;
      shown_parts_.insert(from_.segments[node.segment]->part());
    }
  }

  void EmitPairsAndInsertions() {
    changed_.resize(right_.nodes.size());
    for (uint32_t i = 0; i < right_.nodes.size(); ++i) {
      const DiffNode& node = right_.nodes[i];
      const bool inserted = node.match == kNoNode;
      const bool modified = !inserted && !SameContent(left_.nodes[node.match].record, node.record);
      if (!inserted && !modified && !node.moved) continue;
      changed_[i] = true;
      Pending& pending = pending_.emplace_back();
      pending.position = {node.index, 1, 0};
      pending.left = node.match;
      pending.right = i;
      Change& change = pending.change;
      change.kind = node.record.kind;
      change.after_index = node.index;
      change.before_index = inserted ? kNoRecord : left_.nodes[node.match].index;
      change.op = inserted    ? ChangeOp::kInsert
                  : !modified ? ChangeOp::kMove
                              : (node.moved ? ChangeOp::kMoveModify : ChangeOp::kModify);
      const KindRule* rule = rules_.Find(node.record.kind);
      change.change_class = inserted ? ClassOfKind(rule) : ChangeClass::kStructure;
      if (modified) {
        const Record& before = left_.nodes[node.match].record;
        FacetDifference difference = CompareFacets(before, node.record, rule);
        change.facets = std::move(difference.facets);
        change.change_class = difference.change_class;
        change.text_changes = DiffWords(before.text, node.record.text);
        shown_parts_.insert(from_.segments[left_.nodes[node.match].segment]->part());
      }
      shown_parts_.insert(to_.segments[node.segment]->part());
    }
  }

  // Whether the record is a cell of that shift's grid; then, its line.
  static std::optional<uint32_t> LineIn(const GridShift& shift, const DiffNode& node) {
    if (node.grid_content == 0 || node.record.parent != shift.parent ||
        !node.record.locator.starts_with(shift.prefix)) {
      return std::nullopt;
    }
    const auto cell = ParseCellAddress(node.record.key);
    if (!cell) return std::nullopt;
    return shift.axis == GridAxis::kRows ? cell->row : cell->column;
  }

  // Rows and columns that came or went, as the cause of what happened to their cells and of the
  // references that moved along.
  void EmitShifts() {
    const size_t cell_changes = pending_.size();
    for (size_t i = 0; i < shifts_.size(); ++i) {
      for (const bool deleted : {true, false}) EmitLines(i, deleted, cell_changes);
    }
    if (shifts_.empty()) return;
    for (size_t i = 0; i < cell_changes; ++i) {
      if (pending_[i].change.op == ChangeOp::kModify) ExplainReferences(pending_[i]);
    }
  }

  void EmitLines(size_t shift_index, bool deleted, size_t cell_changes) {
    const GridShift& shift = shifts_[shift_index];
    const bool rows = shift.axis == GridAxis::kRows;
    std::map<uint32_t, Pending> lines;
    for (uint32_t line : deleted ? shift.deleted : shift.inserted) {
      Record record;
      record.kind = rows ? "row" : "column";
      record.key = std::to_string(line);
      record.locator = shift.prefix + (rows ? "row:" : "col:");
      if (rows) {
        record.locator += record.key;
      } else {
        AppendColumnName(record.locator, line);
      }
      record.parent = shift.parent;
      record.attrs.Set(record.kind, line);
      Pending& pending = lines[line];
      pending.line = {shift_index, line, deleted};
      pending.position = {kNoRecord, -1, 0};
      pending.change.op = deleted ? ChangeOp::kDelete : ChangeOp::kInsert;
      pending.change.kind = record.kind;
      pending.change.change_class = ChangeClass::kStructure;
      pending.change.before_index = pending.change.after_index = kNoRecord;
      pending.change.context = shift.parent;
      (deleted ? pending.change.before : pending.change.after) = std::move(record);
    }
    for (size_t i = 0; i < cell_changes; ++i) {
      Pending& cell = pending_[i];
      if (cell.change.op != (deleted ? ChangeOp::kDelete : ChangeOp::kInsert)) continue;
      const DiffNode& node = deleted ? left_.nodes[cell.left] : right_.nodes[cell.right];
      const auto line = LineIn(shift, node);
      const auto found = line ? lines.find(*line) : lines.end();
      if (found == lines.end()) continue;
      cell.cause = found->second.line;
      Record& record = *(deleted ? found->second.change.before : found->second.change.after);
      record.text += (record.text.empty() ? "" : "\t") + node.record.text;
      const auto [at, side, index] = cell.position;
      found->second.position = std::min(found->second.position, std::tuple(at, -1, size_t{*line}));
    }
    // Lines without cells stand where the next cell of the new side does.
    for (auto& [line, pending] : lines) {
      if (std::get<0>(pending.position) == kNoRecord) {
        pending.position = {PositionOfLine(shift, deleted ? shift.Map(line + 1) : line), -1, line};
      }
      pending_.push_back(std::move(pending));
    }
  }

  size_t PositionOfLine(const GridShift& shift, uint32_t line) const {
    size_t behind = right_.nodes.empty() ? 0 : right_.nodes.back().index + 1;
    for (const DiffNode& node : right_.nodes) {
      const auto at = LineIn(shift, node);
      if (at && *at >= line) return node.index;
      if (at) behind = node.index + 1;
    }
    return behind;
  }

  // A formula that only follows its cells is derived, and so is what it computes.
  void ExplainReferences(Pending& pending) {
    const DiffNode& before = left_.nodes[pending.left];
    const DiffNode& after = right_.nodes[pending.right];
    const KindRule* rule = rules_.Find(before.record.kind);
    if (rule == nullptr) return;
    const auto own = SplitSheetLocator(before.record.locator);
    std::optional<size_t> cause;
    const auto remap = [&](std::string_view sheet, CellAddress cell) {
      for (size_t i = 0; i < shifts_.size(); ++i) {
        const GridShift& shift = shifts_[i];
        if (shift.sheet != (sheet.empty() && own ? std::string_view(own->sheet) : sheet)) continue;
        uint32_t& line = shift.axis == GridAxis::kRows ? cell.row : cell.column;
        const uint32_t mapped = shift.Map(line);
        if (mapped != line) cause = i;
        line = mapped;
      }
      return cell;
    };
    FacetDifference difference = CompareFacets(before.record, after.record, rule);
    for (size_t i = 0; i < difference.facets.size(); ++i) {
      if (IsNoise(difference.classes[i])) continue;
      const auto facet = std::find_if(
          rule->facets.begin(), rule->facets.end(),
          [&](const FacetRule& candidate) { return candidate.name == difference.facets[i]; });
      if (facet == rule->facets.end() || !facet->holds_references) return;
      for (const std::string& attr : facet->attrs) {
        const std::string_view old = before.record.attrs.FindString(attr);
        if (RemapReferences(old, remap) != after.record.attrs.FindString(attr)) return;
      }
    }
    if (!cause) return;
    const GridShift& shift = shifts_[*cause];
    pending.change.change_class = ChangeClass::kDerived;
    pending.cause = shift.inserted.empty() ? std::tuple(*cause, shift.deleted.front(), true)
                                           : std::tuple(*cause, shift.inserted.front(), false);
  }

  void AddContexts() {
    std::vector<bool> left_wanted(left_.nodes.size()), right_wanted(right_.nodes.size());
    for (const Pending& pending : pending_) {
      if (pending.right != kNoNode) {
        right_wanted[pending.right] = true;
      } else if (pending.left != kNoNode) {
        left_wanted[pending.left] = true;
      }
    }
    const std::vector<std::string> left = Contexts(left_, left_wanted);
    const std::vector<std::string> right = Contexts(right_, right_wanted);
    for (Pending& pending : pending_) {
      if (pending.left == kNoNode && pending.right == kNoNode) continue;
      pending.change.context = pending.right != kNoNode ? right[pending.right] : left[pending.left];
    }
  }

  void Order() {
    std::sort(pending_.begin(), pending_.end(),
              [](const Pending& a, const Pending& b) { return a.position < b.position; });
    for (size_t i = 0; i < pending_.size(); ++i) pending_[i].change.id = ChangeId(i);
  }

  // What came or went with the record that contains it follows from that one's change.
  void LinkCauses() {
    std::vector<size_t> left_change(left_.nodes.size(), kNoRecord);
    std::vector<size_t> right_change(right_.nodes.size(), kNoRecord);
    std::map<std::tuple<size_t, uint32_t, bool>, size_t> line_change;
    for (size_t i = 0; i < pending_.size(); ++i) {
      if (pending_[i].line) {
        line_change[*pending_[i].line] = i;
        continue;
      }
      if (pending_[i].change.op == ChangeOp::kDelete) left_change[pending_[i].left] = i;
      if (pending_[i].change.op == ChangeOp::kInsert) right_change[pending_[i].right] = i;
    }
    for (Pending& pending : pending_) {
      if (pending.cause) pending.change.caused_by = ChangeId(line_change.at(*pending.cause));
      if (pending.cause || pending.line) continue;
      const bool deleted = pending.change.op == ChangeOp::kDelete;
      if (!deleted && pending.change.op != ChangeOp::kInsert) continue;
      const uint32_t parent =
          deleted ? left_.nodes[pending.left].parent : right_.nodes[pending.right].parent;
      if (parent == kNoNode) continue;
      const size_t cause = deleted ? left_change[parent] : right_change[parent];
      if (cause != kNoRecord) pending.change.caused_by = ChangeId(cause);
    }
  }

  // Also hands the records of changed nodes over to their changes: nothing reads them later.
  void BuildKept(const SegmentPairing& pairing) {
    KeptRunBuilder builder;
    size_t next_run = 0;
    const auto add_skipped_before = [&](size_t index) {
      for (; next_run < pairing.runs.size(); ++next_run) {
        const RecordRun& run = pairing.runs[next_run];
        if (run.to_index >= index) break;
        builder.AddUnshifted(run.from_index, run.to_index, run.count);
      }
    };
    for (uint32_t i = 0; i < right_.nodes.size(); ++i) {
      const DiffNode& node = right_.nodes[i];
      if (changed_[i]) continue;
      add_skipped_before(node.index);
      const DiffNode& other = left_.nodes[node.match];
      builder.Add(other.record, other.index, node.record, node.index);
    }
    add_skipped_before(kNoRecord);
    diff_.kept = builder.Take();
    for (Pending& pending : pending_) {
      if (pending.left != kNoNode) {
        pending.change.before = std::move(left_.nodes[pending.left].record);
      }
      if (pending.right != kNoNode) {
        pending.change.after = std::move(right_.nodes[pending.right].record);
      }
    }
  }

  const View& from_;
  const View& to_;
  KindRules rules_;
  DiffForest left_, right_;
  std::vector<Pending> pending_;
  std::vector<bool> changed_;  // by node of `to`
  std::vector<GridShift> shifts_;
  std::set<std::string> shown_parts_;
  Diff diff_;
};

void AddWholeSide(const View& view, bool inserted, Diff& diff) {
  size_t index = 0;
  std::map<std::string, std::string> change_of_locator;
  std::set<std::string> shown_parts;
  for (const auto& segment : view.segments) {
    if (segment->record_count() > 0) shown_parts.insert(segment->part());
    segment->ForEach([&](const Record& record) {
      Change change;
      change.id = ChangeId(diff.changes.size());
      change.op = inserted ? ChangeOp::kInsert : ChangeOp::kDelete;
      change.kind = record.kind;
      change.before_index = inserted ? kNoRecord : index;
      change.after_index = inserted ? index : kNoRecord;
      (inserted ? change.after : change.before) = record;
      ++index;
      if (!record.parent.empty()) {
        change.context = record.parent;
        const auto cause = change_of_locator.find(record.parent);
        if (cause != change_of_locator.end()) change.caused_by = cause->second;
      }
      change_of_locator.emplace(record.locator, change.id);
      diff.changes.push_back(std::move(change));
      return true;
    });
  }
  (inserted ? diff.to_record_count : diff.from_record_count) = index;
  AddWholePartChanges(view, inserted, shown_parts, diff);
}

}  // namespace

Diff ComputeDiff(const View& from, const View& to, const Profile& profile) {
  if (from.hash != to.hash && from.format != to.format) return ComputeWholeFileDiff(&from, &to);
  if (from.hash == to.hash && from.format == to.format && from.parser == to.parser) {
    Diff diff;
    diff.from = diff.to = from.hash;
    diff.format = to.format;
    diff.parser = to.parser;
    diff.identical = true;
    diff.from_record_count = diff.to_record_count = from.record_count();
    KeptRunBuilder builder;
    builder.AddUnshifted(0, 0, diff.from_record_count);
    diff.kept = builder.Take();
    return diff;
  }
  Diff diff = DiffBuilder(from, to, profile).Build();
  diff.identical = from.hash == to.hash;
  return diff;
}

Diff ComputeWholeFileDiff(const View* from, const View* to) {
  Diff diff;
  const View* named = to != nullptr ? to : from;
  if (named == nullptr) {
    diff.identical = true;
    return diff;
  }
  diff.format = named->format;
  diff.parser = named->parser;
  if (from != nullptr) {
    diff.from = from->hash;
    AddWholeSide(*from, false, diff);
  }
  if (to != nullptr) {
    diff.to = to->hash;
    AddWholeSide(*to, true, diff);
  }
  NumberChanges(diff);
  return diff;
}

}  // namespace staged
