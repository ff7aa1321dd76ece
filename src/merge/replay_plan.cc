#include "merge/replay_plan.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "diff/alignment.h"
#include "diff/facets.h"
#include "diff/fingerprint.h"

namespace staged {
namespace {

// The facets that somebody meant to change.
std::vector<std::string> MeantFacets(const Record& before, const Record& after,
                                     const KindRule* rule) {
  FacetDifference difference = CompareFacets(before, after, rule);
  std::vector<std::string> meant;
  for (size_t i = 0; i < difference.facets.size(); ++i) {
    if (!IsNoise(difference.classes[i])) meant.push_back(std::move(difference.facets[i]));
  }
  return meant;
}

std::optional<Value> ArgumentOf(const Record& record, const MergeArgument& argument) {
  if (!argument.when_attr.empty() &&
      record.attrs.FindString(argument.when_attr) != argument.when_value) {
    return std::nullopt;
  }
  if (argument.attr.empty()) return argument.constant;
  if (argument.attr == "text") return Value(record.text);
  const Value* value = record.attrs.Find(argument.attr);
  if (value == nullptr || value->is_null()) return std::nullopt;
  return *value;
}

Value ValueOf(const std::optional<Record>& record, const KindRule* rule) {
  if (!record) return Value();
  if (rule != nullptr) {
    for (const MergeArgument& argument : rule->merge_arguments) {
      if (std::optional<Value> value = ArgumentOf(*record, argument)) return *std::move(value);
    }
  }
  const Value* value = record->attrs.Find("value");
  return value != nullptr && !value->is_null() ? *value : Value(record->text);
}

std::optional<Edit> EditFor(const std::string& op, const std::string& locator,
                            const Record* content, const KindRule& rule) {
  if (op.empty()) return std::nullopt;
  Edit edit;
  edit.op = op;
  edit.locator = locator;
  if (content == nullptr) return edit;
  for (const MergeArgument& argument : rule.merge_arguments) {
    if (std::optional<Value> value = ArgumentOf(*content, argument)) {
      edit.arguments.Set(argument.argument, *std::move(value));
      return edit;
    }
  }
  return std::nullopt;
}

using KeyedPlace = std::tuple<std::string, std::string, std::string>;

KeyedPlace PlaceOf(const Record& record) {
  return {record.kind, record.parent, record.key.empty() ? record.locator : record.key};
}

class Planner {
 public:
  Planner(const Diff& target, const Diff& source, const View& target_view, const KindRules& rules)
      : target_(target),
        source_(source),
        target_view_(target_view),
        rules_(rules),
        alignment_(target) {
    for (const Change& change : target.changes) {
      if (change.kind == "part" && change.after_index == kNoRecord &&
          change.before_index == kNoRecord) {
        target_parts_.emplace(PartLocator(change), &change);
      } else if (change.op == ChangeOp::kInsert) {
        target_inserts_.emplace(PlaceOf(*change.after), &change);
      }
    }
  }

  ReplayPlan Plan() {
    for (const Change& change : source_.changes) {
      if (change.before_index == kNoRecord && change.after_index == kNoRecord) {
        PlanPart(change);
      } else if (change.op != ChangeOp::kModify && IsNoise(change.change_class)) {
        continue;
      } else if (change.op == ChangeOp::kDelete) {
        PlanDelete(change);
      } else if (change.op == ChangeOp::kInsert) {
        PlanInsert(change);
      } else {
        PlanModify(change);
      }
    }
    FindOrphans();
    return std::move(plan_);
  }

 private:
  static std::string PartLocator(const Change& change) {
    return change.after ? change.after->locator : change.before->locator;
  }

  void CannotReplay(const std::string& locator) {
    if (plan_.inexpressible.empty()) plan_.inexpressible = locator;
  }

  void AddConflict(std::string kind, const std::string& locator, const std::optional<Record>& base,
                   const std::optional<Record>& target, const std::optional<Record>& source,
                   const KindRule* rule) {
    MergeConflict conflict;
    conflict.kind = std::move(kind);
    conflict.locator = locator;
    conflict.base = ValueOf(base, rule);
    conflict.left = ValueOf(target, rule);
    conflict.right = ValueOf(source, rule);
    plan_.conflicts.push_back(std::move(conflict));
    if (rule == nullptr || !target) return;
    std::optional<Edit> edit =
        base ? EditFor(rule->merge_set_op, target->locator, &*base, *rule)
             : EditFor(rule->merge_delete_op, target->locator, nullptr, *rule);
    if (edit) plan_.base_edits.push_back(*std::move(edit));
  }

  void PlanPart(const Change& change) {
    if (change.kind != "part") {
      CannotReplay(PartLocator(change));  // a row or column of a grid came or went
      return;
    }
    if (change.change_class == ChangeClass::kSerialization) return;
    const std::string locator = PartLocator(change);
    const auto found = target_parts_.find(locator);
    if (found == target_parts_.end()) {
      CannotReplay(locator);
    } else if (found->second->after != change.after) {
      AddConflict("edit_edit", locator, change.before, found->second->after, change.after, nullptr);
    }
  }

  void PlanModify(const Change& change) {
    const KindRule* rule = rules_.Find(change.kind);
    const std::string& locator = change.before->locator;
    const std::vector<std::string> meant = MeantFacets(*change.before, *change.after, rule);
    const bool moved = change.op != ChangeOp::kModify;
    const Alignment::Counterpart counterpart = alignment_.Find(change.before_index);
    if (counterpart.index == kNoRecord) {
      if (moved || !meant.empty()) {
        AddConflict("delete_modify", locator, change.before, std::nullopt, change.after, rule);
      }
      return;
    }
    if (moved) {
      CannotReplay(locator);
      return;
    }
    if (meant.empty()) return;
    const std::optional<Record> target = alignment_.Locate(change.before_index, *change.before);
    const std::vector<std::string> apart = MeantFacets(*target, *change.after, rule);
    std::vector<std::string> open;  // facets that the target does not have yet
    const std::vector<std::string> of_target = MeantFacets(*change.before, *target, rule);
    for (const std::string& facet : meant) {
      if (std::find(apart.begin(), apart.end(), facet) == apart.end()) continue;
      if (std::find(of_target.begin(), of_target.end(), facet) != of_target.end()) {
        AddConflict("edit_edit", locator, change.before, target, change.after, rule);
        return;
      }
      open.push_back(facet);
    }
    if (open.empty()) return;
    std::optional<Edit> edit;
    if (rule != nullptr) {
      edit = EditFor(rule->merge_set_op, target->locator, &*change.after, *rule);
    }
    AddExpected(
        std::move(edit), 0,
        {target->locator, ChangeOp::kModify, std::move(open), *target, *change.after, true});
  }

  void PlanDelete(const Change& change) {
    const KindRule* rule = rules_.Find(change.kind);
    const Alignment::Counterpart counterpart = alignment_.Find(change.before_index);
    if (counterpart.index == kNoRecord) return;
    const std::optional<Record> target = alignment_.Locate(change.before_index, *change.before);
    const bool moved = counterpart.change != nullptr && counterpart.change->op != ChangeOp::kModify;
    if (moved || !MeantFacets(*change.before, *target, rule).empty()) {
      AddConflict("delete_modify", change.before->locator, change.before, target, std::nullopt,
                  rule);
      return;
    }
    deleted_in_target_.emplace(target->locator, change.before->locator);
    if (replayed_.count(change.caused_by) > 0) {
      replayed_.insert(change.id);
      plan_.expectations.push_back({target->locator, ChangeOp::kDelete, {}, *target, {}, false});
      return;
    }
    std::optional<Edit> edit;
    if (rule != nullptr) edit = EditFor(rule->merge_delete_op, target->locator, nullptr, *rule);
    if (AddExpected(std::move(edit), 0,
                    {target->locator, ChangeOp::kDelete, {}, *target, {}, true})) {
      replayed_.insert(change.id);
    }
  }

  void PlanInsert(const Change& change) {
    const KindRule* rule = rules_.Find(change.kind);
    const Record& record = *change.after;
    const bool keyed = rule != nullptr && rule->matching == Matching::kKeyed;
    const auto parent_round = round_of_.find(record.parent);
    const bool parent_is_new = parent_round != round_of_.end();
    if (!keyed && !parent_is_new) {
      CannotReplay(record.locator);
      return;
    }
    const auto found = keyed ? target_inserts_.find(PlaceOf(record)) : target_inserts_.end();
    if (found != target_inserts_.end()) {
      if (!MeantFacets(*found->second->after, record, rule).empty()) {
        AddConflict("insert_insert", record.locator, std::nullopt, found->second->after,
                    change.after, rule);
      }
      return;
    }
    // The address must mean the same on the target's side.
    if (TargetHas(record.locator) || deleted_in_target_.count(record.parent) > 0) {
      CannotReplay(record.locator);
      return;
    }
    const size_t round = parent_is_new ? parent_round->second + 1 : 0;
    const std::string& op = keyed             ? rule->merge_insert_op
                            : rule == nullptr ? ""
                                              : rule->merge_append_op;
    const std::string& address = keyed ? record.locator : record.parent;
    std::optional<Edit> edit =
        rule == nullptr ? std::nullopt : EditFor(op, address, &record, *rule);
    AddExpected(std::move(edit), round, {record.locator, ChangeOp::kInsert, {}, {}, record, true});
  }

  bool TargetHas(const std::string& locator) {
    if (target_locators_.empty()) {
      target_view_.ForEach([&](const Record& record) {
        target_locators_.insert(FingerprintText(0, record.locator));
        return true;
      });
    }
    return target_locators_.count(FingerprintText(0, locator)) > 0;
  }

  // An edit that is missing cannot be written.
  bool AddExpected(std::optional<Edit> edit, size_t round, ReplayExpectation expectation) {
    if (!edit) {
      CannotReplay(expectation.locator);
      return false;
    }
    if (plan_.rounds.size() <= round) plan_.rounds.resize(round + 1);
    plan_.rounds[round].push_back(*std::move(edit));
    if (expectation.op != ChangeOp::kDelete) round_of_[expectation.locator] = round;
    plan_.expectations.push_back(std::move(expectation));
    return true;
  }

  // What the target made below a record that the source deletes would go with it.
  void FindOrphans() {
    if (deleted_in_target_.empty()) return;
    for (const Change& change : target_.changes) {
      if (!change.after || change.op == ChangeOp::kModify) continue;
      const auto found = deleted_in_target_.find(change.after->parent);
      if (found == deleted_in_target_.end()) continue;
      AddConflict("delete_modify", found->second, std::nullopt, change.after, std::nullopt,
                  rules_.Find(change.kind));
    }
  }

  const Diff& target_;
  const Diff& source_;
  const View& target_view_;
  const KindRules& rules_;
  Alignment alignment_;
  std::unordered_map<std::string, const Change*> target_parts_;
  std::map<KeyedPlace, const Change*> target_inserts_;
  std::unordered_set<uint64_t> target_locators_;
  // Locator in the target -> in base.
  std::unordered_map<std::string, std::string> deleted_in_target_;
  std::set<std::string> replayed_;  // ids of the source's deletions that edits express
  // Locators in the target that edits write, and in which round.
  std::unordered_map<std::string, size_t> round_of_;
  ReplayPlan plan_;
};

bool Fulfils(const ReplayExpectation& expectation, const Change& change, const KindRule* rule) {
  if (expectation.op == ChangeOp::kDelete) return change.op == ChangeOp::kDelete;
  if (!change.after) return false;
  if (expectation.op == ChangeOp::kInsert) {
    return change.op == ChangeOp::kInsert &&
           MeantFacets(*change.after, expectation.source, rule).empty();
  }
  if (change.op != ChangeOp::kModify) return false;
  const auto asked = [&](const std::string& facet) {
    return std::find(expectation.facets.begin(), expectation.facets.end(), facet) !=
           expectation.facets.end();
  };
  const std::vector<std::string> from_source = MeantFacets(*change.after, expectation.source, rule);
  const std::vector<std::string> from_target = MeantFacets(*change.after, expectation.target, rule);
  return std::none_of(from_source.begin(), from_source.end(), asked) &&
         std::all_of(from_target.begin(), from_target.end(), asked);
}

}  // namespace

ReplayPlan PlanReplay(const Diff& target, const Diff& source, const View& target_view,
                      const KindRules& rules) {
  return Planner(target, source, target_view, rules).Plan();
}

bool ReplayIsAccountedFor(const ReplayPlan& plan, const View& target, const View& merged,
                          const Profile& profile, bool writer_derives) {
  std::unordered_map<std::string, size_t> expected;
  for (size_t i = 0; i < plan.expectations.size(); ++i) {
    expected.emplace(plan.expectations[i].locator, i);
  }
  const KindRules rules(profile);
  std::vector<bool> seen(plan.expectations.size());
  const Diff diff = ComputeDiff(target, merged, profile);
  for (const Change& change : diff.changes) {
    const KindRule* rule = rules.Find(change.kind);
    const std::string& locator = change.before ? change.before->locator : change.after->locator;
    const auto found = expected.find(locator);
    if (found != expected.end() && Fulfils(plan.expectations[found->second], change, rule)) {
      seen[found->second] = true;
      continue;
    }
    if (IsNoise(change.change_class)) continue;
    if (change.change_class == ChangeClass::kOpaque && writer_derives) continue;
    return false;
  }
  for (size_t i = 0; i < seen.size(); ++i) {
    if (plan.expectations[i].requested && !seen[i]) return false;
  }
  return true;
}

}  // namespace staged
