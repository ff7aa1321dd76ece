#include "wire/encode.h"

#include <array>
#include <cstdio>

#include "workspace/tree.h"

namespace staged {
namespace {

template <typename List>
Value StringsToValue(const List& list) {
  Value::Array items;
  for (const auto& item : list) items.emplace_back(item);
  return items;
}

Value EncodeSide(const std::optional<Record>& record) {
  if (!record) return {};
  const Value* typed = record->attrs.Find("value");
  return Value::Object{{"locator", record->locator},
                       {"text", record->text},
                       {"value", typed ? *typed : Value(record->text)},
                       {"attrs", record->attrs}};
}

Value EncodeMergeConflict(const MergeConflict& conflict) {
  return Value::Object{{"kind", conflict.kind},
                       {"locator", conflict.locator},
                       {"base", conflict.base},
                       {"left", conflict.left},
                       {"right", conflict.right}};
}

Value EncodeMergeConflicts(const std::vector<MergeConflict>& conflicts) {
  Value::Array list;
  for (const MergeConflict& conflict : conflicts) list.push_back(EncodeMergeConflict(conflict));
  return list;
}

Value EncodeSubmitRow(const SubmitAnswer::Row& row) {
  return Value::Object{
      {"path", row.path}, {"base", EncodeHash(row.base)}, {"hash", EncodeHash(row.hash)}};
}

}  // namespace

std::string_view FreshnessName(Freshness freshness) {
  return freshness == Freshness::kCurrent ? "current" : "stale";
}

std::string FormatTime(int64_t time_ns) {
  // Civil date from days since 1970 (proleptic Gregorian), without locale or time zone.
  const int64_t milliseconds = time_ns / 1'000'000;
  const int64_t seconds = milliseconds / 1000;
  const int64_t shifted = seconds / 86400 + 719468;
  const int64_t era = shifted / 146097;
  const int64_t day_of_era = shifted - era * 146097;
  const int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t month_index = (5 * day_of_year + 2) / 153;
  const int64_t day = day_of_year - (153 * month_index + 2) / 5 + 1;
  const int64_t month = month_index < 10 ? month_index + 3 : month_index - 9;
  const int64_t year = year_of_era + era * 400 + (month <= 2 ? 1 : 0);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ",
                static_cast<int>(year), static_cast<int>(month), static_cast<int>(day),
                static_cast<int>(seconds / 3600 % 24), static_cast<int>(seconds / 60 % 60),
                static_cast<int>(seconds % 60), static_cast<int>(milliseconds % 1000));
  return text.data();
}

Value EncodeHash(const BaseHash& hash) { return hash ? Value(hash->ToString()) : Value(); }

Value EncodeError(const Status& status) {
  return Value::Object{
      {"error", Value::Object{{"code", ErrorCodeName(status.code())},
                              {"message", status.message()},
                              {"details", status.details().is_null() ? Value(Value::Object{})
                                                                     : status.details()}}}};
}

Value EncodeRecord(const Record& record, const Profile* profile) {
  Value::Array facets;
  if (profile != nullptr) {
    for (const KindRule& rule : profile->kinds) {
      if (rule.kind != record.kind) continue;
      for (const FacetRule& facet : rule.facets) facets.emplace_back(facet.name);
    }
  }
  Value value = Value::Object{
      {"kind", record.kind},
      {"locator", record.locator},
      {"parent", record.parent.empty() ? Value() : Value(record.parent)},
      {"text", record.text},
      {"attrs", record.attrs.is_null() ? Value(Value::Object{}) : record.attrs},
      {"facets", std::move(facets)},
      {"span", record.span ? Value(Value::Array{record.span->begin, record.span->end}) : Value()}};
  if (!record.key.empty()) value.Set("key", record.key);
  if (!record.hidden.empty()) {
    value.Set("hidden", true);
    value.Set("hidden_reason", record.hidden);
  }
  return value;
}

Value EncodeViewHead(const View& view, std::string_view path, Freshness freshness) {
  return Value::Object{
      {"path", path},
      {"hash", view.hash.ToString()},
      {"format", view.format},
      {"parser", Value::Object{{"name", view.parser.name}, {"version", view.parser.version}}},
      {"freshness", FreshnessName(freshness)},
      {"fallback", view.fallback.empty() ? Value() : Value(view.fallback)}};
}

Value EncodeParts(const View& view) {
  Value::Array parts;
  for (const Part& part : view.parts) {
    parts.push_back(Value::Object{{"name", part.name},
                                  {"digest", part.digest.ToString()},
                                  {"size", part.size_bytes},
                                  {"opaque", part.kinds.empty()},
                                  {"kinds", StringsToValue(part.kinds)}});
  }
  return parts;
}

Value EncodeDiagnostics(const View& view) {
  Value::Array list;
  for (const Diagnostic& diagnostic : view.diagnostics) {
    list.push_back(Value::Object{{"severity", diagnostic.severity},
                                 {"code", diagnostic.code},
                                 {"locator", diagnostic.locator},
                                 {"message", diagnostic.message}});
  }
  return list;
}

Value EncodeDiff(const Diff& diff, std::string_view from_path, std::string_view to_path) {
  Value::Array changes;
  for (const Change& change : diff.changes) {
    Value value =
        Value::Object{{"id", change.id},
                      {"op", ChangeOpName(change.op)},
                      {"kind", change.kind},
                      {"facets", StringsToValue(change.facets)},
                      {"class", ChangeClassName(change.change_class)},
                      {"before", EncodeSide(change.before)},
                      {"after", EncodeSide(change.after)},
                      {"context", change.context},
                      {"caused_by", change.caused_by.empty() ? Value() : Value(change.caused_by)}};
    if (!change.text_changes.empty()) {
      Value::Array spans;
      for (const TextReplacement& span : change.text_changes) {
        spans.push_back(Value::Object{{"before", Value::Array{span.before.begin, span.before.end}},
                                      {"after", Value::Array{span.after.begin, span.after.end}}});
      }
      value.Set("text_changes", std::move(spans));
    }
    changes.push_back(std::move(value));
  }
  const DiffSummary& summary = diff.summary;
  return Value::Object{
      {"from", Value::Object{{"path", from_path}, {"hash", EncodeHash(diff.from)}}},
      {"to", Value::Object{{"path", to_path}, {"hash", EncodeHash(diff.to)}}},
      {"format", diff.format},
      {"parser", Value::Object{{"name", diff.parser.name}, {"version", diff.parser.version}}},
      {"identical", diff.identical},
      {"changes", std::move(changes)},
      {"summary", Value::Object{{"insert", summary.insertions},
                                {"delete", summary.deletions},
                                {"modify", summary.modifications},
                                {"move", summary.moves},
                                {"derived", summary.derived},
                                {"serialization", summary.serialization},
                                {"opaque", summary.opaque}}}};
}

Value EncodeMerge(const MergeResult& merge) {
  const bool has_bytes = merge.clean || !merge.bytes.empty();
  return Value::Object{
      {"clean", merge.clean},
      {"method", merge.method},
      {"conflicts", EncodeMergeConflicts(merge.conflicts)},
      {"merged_hash", has_bytes ? Value(ContentHash::Of(merge.bytes).ToString()) : Value()}};
}

Value EncodeStagedChange(const StagedChange& change) {
  Value value = Value::Object{{"path", change.path}};
  if (!change.moved_to.empty()) value.Set("to", change.moved_to);
  value.Set("base", EncodeHash(change.base));
  value.Set("hash", EncodeHash(change.hash));
  value.Set("op", change.operation);
  value.Set("turn", change.turn);
  if (!change.superseded.empty()) value.Set("superseded", StringsToValue(change.superseded));
  if (!change.derived.empty()) {
    Value::Array derived;
    for (const DerivedEffect& effect : change.derived) {
      derived.push_back(
          Value::Object{{"locator", effect.locator}, {"description", effect.description}});
    }
    value.Set("derived", std::move(derived));
  }
  if (change.diff) value.Set("diff", EncodeDiff(*change.diff, change.path, change.path));
  return value;
}

Value EncodeSkipped(const std::vector<SkippedPath>& skipped) {
  Value::Array list;
  for (const SkippedPath& one : skipped) {
    list.push_back(Value::Object{{"path", one.path}, {"reason", one.reason}});
  }
  return list;
}

Value EncodeStatus(const StatusReport& report) {
  Value::Array files;
  files.reserve(report.files.size());
  for (const FileRow& row : report.files) {
    files.push_back(Value::Object{{"path", row.path},
                                  {"kind", EntryKindName(row.kind)},
                                  {"state", row.state},
                                  {"accepted", EncodeHash(row.accepted)},
                                  {"working", EncodeHash(row.working)},
                                  {"disk", EncodeHash(row.disk)},
                                  {"staged", EncodeHash(row.staged)},
                                  {"view", EncodeHash(row.view)},
                                  {"freshness", FreshnessName(row.freshness)},
                                  {"branch", report.branch},
                                  {"also_on", StringsToValue(row.also_on)}});
  }
  return Value::Object{{"files", std::move(files)}, {"skipped", EncodeSkipped(report.skipped)}};
}

Value EncodeReview(const ReviewAnswer& review) {
  Value::Array receipts;
  for (const ReviewedPath& reviewed : review.reviewed) {
    const ReceiptRow& receipt = reviewed.receipt;
    Value value = Value::Object{{"receipt", receipt.id},
                                {"path", receipt.path},
                                {"base", EncodeHash(HashOf(receipt.base))},
                                {"hash", EncodeHash(HashOf(receipt.staged))},
                                {"diff", receipt.evidence.FindString("diff")},
                                {"pending", receipt.state == ReceiptState::kPending}};
    if (!reviewed.moved_with.empty()) value.Set("moved_with", reviewed.moved_with);
    receipts.push_back(std::move(value));
  }
  return Value::Object{{"receipts", std::move(receipts)}};
}

Value EncodeSubmit(const SubmitAnswer& submit) {
  Value::Array rows;
  for (const SubmitAnswer::Row& row : submit.submitted) rows.push_back(EncodeSubmitRow(row));
  return Value::Object{{"submitted", std::move(rows)},
                       {"op", submit.operation == 0 ? Value() : Value(submit.operation)}};
}

Value EncodeConflicts(const std::vector<PathConflict>& conflicts) {
  Value::Array list;
  for (const PathConflict& conflict : conflicts) {
    list.push_back(Value::Object{{"path", conflict.path},
                                 {"base", EncodeHash(conflict.base)},
                                 {"left", EncodeHash(conflict.left)},
                                 {"right", EncodeHash(conflict.right)},
                                 {"details", EncodeMergeConflicts(conflict.details)}});
  }
  return list;
}

Value EncodeRebase(const RebaseAnswer& rebase) {
  Value::Array rebased;
  for (const StagedChange& change : rebase.rebased) rebased.push_back(EncodeStagedChange(change));
  return Value::Object{{"rebased", std::move(rebased)},
                       {"conflicts", EncodeConflicts(rebase.conflicts)}};
}

Value EncodeSync(const SyncAnswer& sync) {
  Value::Array operations;
  for (const StagedChange& change : sync.operations) {
    operations.push_back(EncodeStagedChange(change));
  }
  return Value::Object{{"ops", std::move(operations)},
                       {"skipped", EncodeSkipped(sync.skipped)},
                       {"conflicts", EncodeConflicts(sync.conflicts)}};
}

Value EncodeUndo(const UndoAnswer& undo) {
  Value::Array paths;
  for (const SubmitAnswer::Row& row : undo.paths) paths.push_back(EncodeSubmitRow(row));
  return Value::Object{
      {"undone", StringsToValue(undo.undone)}, {"op", undo.operation}, {"paths", std::move(paths)}};
}

Value EncodeSearch(const SearchAnswer& answer) {
  Value::Array hits;
  for (const SearchMatch& match : answer.hits) {
    Value hit = Value::Object{{"path", match.path},
                              {"hash", match.hash.ToString()},
                              {"locator", match.locator},
                              {"text", match.text},
                              {"score", match.score},
                              {"freshness", FreshnessName(match.freshness)},
                              {"working", match.working.ToString()}};
    if (match.conflict) hit.Set("conflict", true);
    hits.push_back(std::move(hit));
  }
  return Value::Object{{"hits", std::move(hits)},
                       {"more", answer.more},
                       {"unsearched", StringsToValue(answer.unsearched)},
                       {"notes", StringsToValue(answer.notes)}};
}

Value EncodeOperationRow(const Operation& operation) {
  Value value =
      Value::Object{{"op", operation.sequence},      {"time", FormatTime(operation.time_ns)},
                    {"actor", operation.actor.name}, {"branch", operation.branch},
                    {"turn", operation.turn},        {"type", OperationTypeName(operation.type)}};
  if (operation.changes.size() == 1) {
    const PathChange& change = operation.changes.front();
    value.Set("path", change.path);
    value.Set("base", EncodeHash(HashOf(change.base)));
    value.Set("hash", EncodeHash(HashOf(change.result)));
    return value;
  }
  Value::Array paths;
  for (const PathChange& change : operation.changes) {
    paths.push_back(Value::Object{{"path", change.path},
                                  {"base", EncodeHash(HashOf(change.base))},
                                  {"hash", EncodeHash(HashOf(change.result))}});
  }
  value.Set("paths", std::move(paths));
  return value;
}

Value EncodeOperationWhole(const Operation& operation) {
  Value value = EncodeOperationRow(operation);
  value.Set("actor_kind", operation.actor.kind == ActorKind::kHuman   ? "human"
                          : operation.actor.kind == ActorKind::kAgent ? "agent"
                                                                      : "system");
  value.Set("consumes", StringsToValue(operation.consumes));
  value.Set("revives", StringsToValue(operation.revives));
  value.Set("payload", operation.payload);
  value.Set("request_id", operation.request_id.empty() ? Value() : Value(operation.request_id));
  value.Set("chain", operation.chain.ToString());
  return value;
}

Value EncodeFsck(const FsckReport& report) {
  Value::Array findings;
  for (const FsckFinding& finding : report.findings) {
    findings.push_back(Value::Object{
        {"code", finding.code}, {"subject", finding.subject}, {"message", finding.message}});
  }
  return Value::Object{{"ok", report.findings.empty()},
                       {"operations", report.operations},
                       {"objects", report.objects},
                       {"findings", std::move(findings)}};
}

Value EncodeStore(const StoreReport& report) {
  return Value::Object{{"objects", report.objects},
                       {"stored_bytes", report.stored_bytes},
                       {"content_bytes", report.content_bytes},
                       {"removed_objects", report.removed_objects},
                       {"removed_bytes", report.removed_bytes}};
}

Result<std::vector<Edit>> DecodeEdits(const Value& value) {
  const Status malformed(ErrorCode::kInvalidArgument,
                         "edits are a JSON list of objects with \"op\" and \"locator\"; see "
                         "`staged help edit`");
  if (!value.is_array()) return malformed;
  if (value.as_array().empty()) {
    return Status(ErrorCode::kInvalidArgument, "the list of edits is empty; give at least one");
  }
  std::vector<Edit> edits;
  for (const Value& item : value.as_array()) {
    const Value* op = item.Find("op");
    if (op == nullptr || !op->is_string()) return malformed;
    const Value* locator = item.Find("locator");
    if (locator != nullptr && !locator->is_string()) return malformed;
    Edit edit;
    edit.op = op->as_string();
    if (locator != nullptr) edit.locator = locator->as_string();
    edit.arguments = Value::Object{};
    for (const Value::Member& member : item.as_object()) {
      if (member.first == "op" || member.first == "locator") continue;
      if (member.first == "expect") {
        edit.expect = member.second;
      } else {
        edit.arguments.Set(member.first, member.second);
      }
    }
    edits.push_back(std::move(edit));
  }
  return edits;
}

}  // namespace staged
