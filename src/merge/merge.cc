#include "staged/merge.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "diff/forest.h"
#include "merge/line_merge.h"
#include "merge/replay_plan.h"

namespace staged {
namespace {

struct Contents {
  std::string_view base, left, right;
};

struct Views {
  View base, left, right;
};

MergeConflict WholeFileConflict(const Views& views) {
  MergeConflict conflict;
  conflict.kind = "whole_file";
  conflict.locator = "file";
  conflict.base = views.base.hash.ToString();
  conflict.left = views.left.hash.ToString();
  conflict.right = views.right.hash.ToString();
  return conflict;
}

std::string_view SideOf(const Contents& contents, OnConflict on_conflict) {
  switch (on_conflict) {
    case OnConflict::kLeft:
      return contents.left;
    case OnConflict::kRight:
      return contents.right;
    case OnConflict::kBase:
      return contents.base;
    case OnConflict::kReport:
    case OnConflict::kMarkers:
      break;
  }
  return {};
}

// Diagnostics of a code, to see whether a merge brought new ones.
std::map<std::string, size_t> CountProblems(const View& view) {
  std::map<std::string, size_t> counts;
  for (const Diagnostic& diagnostic : view.diagnostics) {
    if (diagnostic.severity != "note") ++counts[diagnostic.code];
  }
  return counts;
}

// A problem that neither side had was made by the merge: duplicate keys, broken syntax.
std::optional<std::string> NewProblem(const View& merged, const Views& views) {
  if (merged.format != views.left.format || merged.fallback != views.left.fallback) {
    return "format";
  }
  const auto left = CountProblems(views.left), right = CountProblems(views.right);
  const auto count = [](const std::map<std::string, size_t>& counts, const std::string& code) {
    const auto found = counts.find(code);
    return found == counts.end() ? size_t{0} : found->second;
  };
  for (const auto& [code, number] : CountProblems(merged)) {
    if (number > std::max(count(left, code), count(right, code)) &&
        number > count(left, code) + count(right, code)) {
      return code;
    }
  }
  return std::nullopt;
}

class Merger {
 public:
  Merger(const FormatRegistry& registry, std::string_view path, const Contents& contents,
         const MergeOptions& options)
      : registry_(registry), path_(path), contents_(contents), options_(options) {}

  Result<MergeResult> Run() {
    STAGED_ASSIGN_OR_RETURN(views_.base, Parse(contents_.base));
    STAGED_ASSIGN_OR_RETURN(views_.left, Parse(contents_.left));
    STAGED_ASSIGN_OR_RETURN(views_.right, Parse(contents_.right));
    format_ = registry_.Find(views_.left.format);
    if (views_.left.format != views_.right.format || format_ == nullptr) return WholeFile({});
    const bool one_format = views_.base.format == views_.left.format;
    std::optional<LineMergeResult> lines;
    if (MergesByLines()) {
      STAGED_ASSIGN_OR_RETURN(lines, TryLines());
      if (lines && lines->clean) return Clean("lines", std::move(lines->bytes), {});
    }
    std::vector<MergeConflict> conflicts;
    if (one_format && CanReplay()) {
      STAGED_ASSIGN_OR_RETURN(std::optional<MergeResult> records, TryRecords(conflicts));
      // Markers are only possible in lines.
      if (records && (records->clean || options_.on_conflict != OnConflict::kMarkers)) {
        return *std::move(records);
      }
    }
    if (lines && !lines->conflicts.empty() && lines->conflicts[0].kind != "whole_file") {
      MergeResult result;
      result.method = "lines";
      result.bytes = std::move(lines->bytes);
      result.conflicts = std::move(lines->conflicts);
      return result;
    }
    return WholeFile(std::move(conflicts));
  }

 private:
  Result<View> Parse(std::string_view bytes) const {
    return ParseView(registry_, bytes, path_, options_.limits);
  }

  static MergeResult Clean(std::string method, std::string bytes,
                           std::vector<std::string> rewritten_members) {
    MergeResult result;
    result.clean = true;
    result.method = std::move(method);
    result.bytes = std::move(bytes);
    result.rewritten_members = std::move(rewritten_members);
    return result;
  }

  // NUL bytes are no text, or an encoding of two-byte units that lines of bytes would tear apart.
  bool MergesByLines() const {
    return format_->descriptor().profile.line_based_merge &&
           contents_.base.find('\0') == std::string_view::npos &&
           contents_.left.find('\0') == std::string_view::npos &&
           contents_.right.find('\0') == std::string_view::npos;
  }

  Result<std::optional<LineMergeResult>> TryLines() const {
    Result<LineMergeResult> merged =
        MergeLines(contents_.base, contents_.left, contents_.right, options_);
    if (!merged.ok()) {
      if (merged.status().code() == ErrorCode::kLimitExceeded) {
        return std::optional<LineMergeResult>();
      }
      return std::move(merged).status();
    }
    if (merged->clean) {
      STAGED_ASSIGN_OR_RETURN(const View view, Parse(merged->bytes));
      if (NewProblem(view, views_)) return std::optional<LineMergeResult>();
    }
    return std::optional<LineMergeResult>(*std::move(merged));
  }

  bool CanReplay() const {
    const Profile& profile = format_->descriptor().profile;
    return std::any_of(profile.kinds.begin(), profile.kinds.end(), [](const KindRule& rule) {
      return !rule.merge_set_op.empty() || !rule.merge_insert_op.empty() ||
             !rule.merge_delete_op.empty();
    });
  }

  // How much a side changed that no edit can express: better the target than the source.
  static size_t Noise(const Diff& diff) {
    return 1000 * diff.summary.opaque + diff.summary.serialization;
  }

  // Nothing when neither direction works; `conflicts` then tells what stood in the way.
  Result<std::optional<MergeResult>> TryRecords(std::vector<MergeConflict>& conflicts) {
    const Profile& profile = format_->descriptor().profile;
    const Diff left = ComputeDiff(views_.base, views_.left, profile);
    const Diff right = ComputeDiff(views_.base, views_.right, profile);
    bool onto_left = Noise(right) <= Noise(left);
    const bool fixed =
        options_.on_conflict == OnConflict::kLeft || options_.on_conflict == OnConflict::kRight;
    for (int attempt = 0; attempt < 2; ++attempt, onto_left = !onto_left) {
      const Diff& target = onto_left ? left : right;
      const Diff& source = onto_left ? right : left;
      const View& target_view = onto_left ? views_.left : views_.right;
      ReplayPlan plan = PlanReplay(target, source, target_view, KindRules(profile));
      if (!onto_left) {
        for (MergeConflict& conflict : plan.conflicts) std::swap(conflict.left, conflict.right);
      }
      if (attempt == 0) conflicts = plan.conflicts;
      if (!plan.inexpressible.empty()) continue;
      if (!plan.conflicts.empty() && options_.on_conflict == OnConflict::kReport) {
        MergeResult result;
        result.method = "records";
        result.conflicts = std::move(plan.conflicts);
        return std::optional<MergeResult>(std::move(result));
      }
      if (!plan.conflicts.empty() && fixed &&
          onto_left != (options_.on_conflict == OnConflict::kLeft)) {
        continue;
      }
      STAGED_ASSIGN_OR_RETURN(std::optional<MergeResult> result,
                              Replay(std::move(plan), target_view, onto_left));
      if (result) return result;
    }
    return std::optional<MergeResult>();
  }

  Result<std::optional<MergeResult>> Replay(ReplayPlan plan, const View& target_view,
                                            bool onto_left) const {
    const std::string_view target = onto_left ? contents_.left : contents_.right;
    EditOutcome outcome;
    outcome.bytes = target;
    for (const std::vector<Edit>& edits : plan.rounds) {
      if (!ApplyRound(edits, outcome)) return std::optional<MergeResult>();
    }
    Result<View> merged = Parse(outcome.bytes);
    if (!merged.ok() || NewProblem(*merged, views_) ||
        !ReplayIsAccountedFor(plan, target_view, *merged, format_->descriptor().profile,
                              !outcome.derived.empty())) {
      return std::optional<MergeResult>();
    }
    // Conflicting records of base take their place only behind the check.
    const bool to_base = !plan.conflicts.empty() && options_.on_conflict == OnConflict::kBase;
    if (to_base && (plan.base_edits.size() != plan.conflicts.size() ||
                    !ApplyRound(plan.base_edits, outcome))) {
      return std::optional<MergeResult>();
    }
    MergeResult result =
        Clean("records", std::move(outcome.bytes), std::move(outcome.rewritten_members));
    result.clean = plan.conflicts.empty();
    result.conflicts = std::move(plan.conflicts);
    return std::optional<MergeResult>(std::move(result));
  }

  // Onto outcome's bytes; false when the format refuses.
  bool ApplyRound(const std::vector<Edit>& edits, EditOutcome& outcome) const {
    if (edits.empty()) return true;
    Result<EditOutcome> next = format_->Apply(outcome.bytes, edits, options_.limits);
    if (!next.ok()) return false;
    outcome.bytes = std::move(next->bytes);
    const auto append = [](auto& to, auto& from) {
      to.insert(to.end(), std::make_move_iterator(from.begin()),
                std::make_move_iterator(from.end()));
    };
    append(outcome.rewritten_members, next->rewritten_members);
    append(outcome.derived, next->derived);
    return true;
  }

  Result<MergeResult> WholeFile(std::vector<MergeConflict> conflicts) const {
    if (options_.on_conflict == OnConflict::kMarkers) {
      return Status(ErrorCode::kUnsupportedEdit,
                    "conflict markers need text that merges by lines; choose left, right or base "
                    "on a conflict");
    }
    MergeResult result;
    result.method = "whole_file";
    result.bytes = SideOf(contents_, options_.on_conflict);
    result.conflicts = std::move(conflicts);
    result.conflicts.insert(result.conflicts.begin(), WholeFileConflict(views_));
    return result;
  }

  const FormatRegistry& registry_;
  std::string_view path_;
  Contents contents_;
  const MergeOptions& options_;
  const Format* format_ = nullptr;
  Views views_;
};

}  // namespace

Result<MergeResult> Merge(const FormatRegistry& registry, std::string_view path,
                          std::string_view base, std::string_view left, std::string_view right,
                          const MergeOptions& options) {
  for (std::string_view side : {base, left, right}) {
    if (side.size() > options.limits.input_bytes_max) {
      return Status(ErrorCode::kLimitExceeded, "'" + std::string(path) + "' has " +
                                                   std::to_string(side.size()) +
                                                   " bytes, more than the limit of " +
                                                   std::to_string(options.limits.input_bytes_max) +
                                                   "; raise the limit to merge it");
    }
  }
  MergeResult result;
  result.clean = true;
  if (left == right) {
    result.method = "identical";
    result.bytes = left;
    return result;
  }
  if (base == left || base == right) {
    result.method = "one_side";
    result.bytes = base == left ? right : left;
    return result;
  }
  return Merger(registry, path, {base, left, right}, options).Run();
}

}  // namespace staged
