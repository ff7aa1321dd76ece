// How a workspace is read: one snapshot of the journal, one look at the disk, no writes.

#include <algorithm>
#include <future>

#include "base/utf8.h"
#include "workspace/paths.h"
#include "workspace/projection.h"
#include "workspace/state_table.h"
#include "workspace/workspace_impl.h"

namespace staged {
namespace {

// How much of a difference a stale_base answer carries.
constexpr size_t kStaleDiffBytesMax = 2'000;
// Below this many files, starting a thread costs more than it brings.
constexpr size_t kAskBesideMin = 2'000;

Value HashValue(const BaseHash& hash) { return hash ? Value(hash->ToString()) : Value(); }

// Looks up paths that come in ascending order.
class TreeWalk {
 public:
  explicit TreeWalk(const Tree& tree) : next_(tree.begin()), end_(tree.end()) {}
  OptionalEntry Find(const std::string& path) {
    while (next_ != end_ && next_->first < path) ++next_;
    return next_ != end_ && next_->first == path ? OptionalEntry(next_->second) : OptionalEntry();
  }

 private:
  Tree::const_iterator next_;
  const Tree::const_iterator end_;
};

FileState StateOf(const StagedPath& staged, const std::vector<ReceiptRow>& receipts) {
  if (staged.conflict) return FileState::kConflict;
  if (!staged.changes_anything()) return FileState::kInitial;
  for (const ReceiptRow& receipt : receipts) {
    if (receipt.state == ReceiptState::kMinted && receipt.path == staged.path &&
        receipt.base == staged.accepted && receipt.staged == staged.staged &&
        receipt.staged_sequence == staged.operations.back()) {
      return FileState::kReviewed;
    }
  }
  return FileState::kEdited;
}

Diff EntryOnlyDiff(const OptionalEntry& from, const OptionalEntry& to) {
  Diff diff;
  if (from) diff.from = from->hash;
  if (to) diff.to = to->hash;
  diff.identical = from && to && from->hash == to->hash;
  return diff;
}

// What content alone does not show: another kind, another path.
void AddEntryChange(Diff& diff, const std::string& facet, std::string before, std::string after) {
  Change change;
  change.id = "e" + std::to_string(diff.changes.size() + 1);
  change.op = facet == "path" ? ChangeOp::kMove : ChangeOp::kModify;
  change.kind = "entry";
  change.facets = {facet};
  change.change_class = ChangeClass::kStructure;
  change.before.emplace();
  change.before->kind = "entry";
  change.before->text = std::move(before);
  change.after.emplace();
  change.after->kind = "entry";
  change.after->text = std::move(after);
  if (change.op == ChangeOp::kMove) {
    ++diff.summary.moves;
  } else {
    ++diff.summary.modifications;
  }
  diff.changes.push_back(std::move(change));
  diff.identical = false;
}

}  // namespace

Result<WorkspaceImpl::BranchState> WorkspaceImpl::ReadBranch(const std::string& branch) {
  STAGED_RETURN_IF_ERROR(CheckBranchName(branch));
  BranchState state;
  STAGED_ASSIGN_OR_RETURN(state.live, ObserveLive(*journal_, *root_directory_, memory_.get()));
  STAGED_ASSIGN_OR_RETURN(state.operations, state.live.reader->LiveOperations(branch));
  state.reduction = Reduce(std::move(state.live.accepted), state.live.overlay, state.operations);
  return state;
}

Result<StatusReport> WorkspaceImpl::GetStatus(const CallContext& context) {
  STAGED_ASSIGN_OR_RETURN(BranchState state, ReadBranch(context.branch));
  STAGED_ASSIGN_OR_RETURN(const auto receipts, state.live.reader->Receipts(context.branch));
  STAGED_ASSIGN_OR_RETURN(const auto live_paths, state.live.reader->LivePaths());
  std::map<std::string, std::vector<std::string>> others;
  for (const auto& [branch, path] : live_paths) {
    if (branch != context.branch) others[path].push_back(branch);
  }
  StatusReport report;
  report.branch = context.branch;
  report.skipped = state.live.skipped;

  std::vector<ViewKey> keys;
  keys.reserve(state.reduction.working.size());
  for (const auto& [path, entry] : state.reduction.working) {
    keys.push_back({entry.hash, ExtensionOf(path)});
  }
  // Which views there are is a question to a database, asked while the rows are made.
  std::future<std::vector<bool>> has_view =
      std::async(keys.size() < kAskBesideMin ? std::launch::deferred
                                             : std::launch::async | std::launch::deferred,
                 [&] { return views_->HasCurrentViews(keys); });
  // Rows are made in order of their paths, beside which both trees are walked.
  TreeWalk accepted_walk(state.reduction.accepted);
  TreeWalk disk_walk(state.live.disk);
  report.files.reserve(state.reduction.working.size());
  const auto add = [&](const std::string& path, const OptionalEntry& working) {
    FileRow row;
    row.path = path;
    const OptionalEntry accepted = accepted_walk.Find(path);
    const StagedPath* staged = state.reduction.Find(path);
    row.kind = working ? working->kind : accepted ? accepted->kind : EntryKind::kFile;
    row.state = FileStateName(staged ? StateOf(*staged, receipts) : FileState::kInitial);
    row.accepted = HashOf(accepted);
    row.working = HashOf(working);
    row.disk = HashOf(disk_walk.Find(path));
    if (staged) row.staged = HashOf(staged->staged);
    if (const auto other = others.find(path); other != others.end()) row.also_on = other->second;
    report.files.push_back(std::move(row));
  };
  std::set<std::string> absent;
  for (const auto& [path, staged] : state.reduction.staged) {
    const bool known = staged.accepted || staged.staged;
    if (known && !state.reduction.working.contains(path)) absent.insert(path);
  }
  auto next_absent = absent.begin();
  for (const auto& [path, entry] : state.reduction.working) {
    for (; next_absent != absent.end() && *next_absent < path; ++next_absent) {
      add(*next_absent, {});
    }
    add(path, entry);
  }
  for (; next_absent != absent.end(); ++next_absent) add(*next_absent, {});

  const std::vector<bool> have = has_view.get();
  auto next_have = have.begin();
  for (FileRow& row : report.files) {
    if (!row.working) continue;
    if (*next_have++) {
      row.view = row.working;
    } else {
      row.freshness = Freshness::kStale;
    }
  }
  return report;
}

Result<std::vector<std::pair<std::string, Entry>>> WorkspaceImpl::List(const CallContext& context) {
  STAGED_ASSIGN_OR_RETURN(BranchState state, ReadBranch(context.branch));
  return std::vector<std::pair<std::string, Entry>>(state.reduction.working.begin(),
                                                    state.reduction.working.end());
}

Result<std::vector<PathConflict>> WorkspaceImpl::GetConflicts(const CallContext& context) {
  STAGED_ASSIGN_OR_RETURN(const BranchState state, ReadBranch(context.branch));
  std::vector<PathConflict> conflicts;
  for (const auto& [path, staged] : state.reduction.staged) {
    if (staged.conflict) conflicts.push_back(DescribeConflict(staged));
  }
  return conflicts;
}

Result<std::string> WorkspaceImpl::ReadContent(const std::string& path, const ContentHash& hash) {
  Result<std::string> stored = store_->Get(hash);
  if (stored.ok() || stored.status().code() != ErrorCode::kNotFound) return stored;
  // A person's save that no writing command has taken in yet lies on disk only.
  Result<std::string> bytes = ReadEntry(*root_directory_, path);
  if (bytes.ok() && ContentHash::Of(*bytes) == hash) return bytes;
  if (!bytes.ok() && bytes.status().code() != ErrorCode::kNotFound) return bytes;
  // Or a writing command has taken it in since.
  stored = store_->Get(hash);
  if (stored.ok() || stored.status().code() != ErrorCode::kNotFound) return stored;
  return Status(ErrorCode::kNotFound,
                hash.ToString() + " is not at '" + path + "' any more; run `staged status`",
                Value::Object{{kRacedDetail, path}});
}

Status WorkspaceImpl::CheckWasAt(JournalReader& reader, const std::string& path,
                                 const ContentHash& hash) {
  STAGED_ASSIGN_OR_RETURN(const bool was_here, reader.WasAt(path, hash));
  if (was_here) return OkStatus();
  // A person's save that no writing command has taken in yet was there too.
  const auto on_disk = ScanPath(*root_directory_, path, {});
  if (on_disk.ok() && HashOf(*on_disk) == hash) return OkStatus();
  return {ErrorCode::kNotFound,
          hash.ToString() + " was never at '" + path + "'; `staged log --path` lists what was"};
}

Result<Content> WorkspaceImpl::Read(const CallContext& context, const std::string& path,
                                    const BaseHash& at) {
  return OnSteadyDisk([&] { return ReadOnce(context, path, at); });
}

Result<Content> WorkspaceImpl::ReadOnce(const CallContext& context, const std::string& path,
                                        const BaseHash& at) {
  STAGED_ASSIGN_OR_RETURN(const BranchState state, ReadBranch(context.branch));
  STAGED_ASSIGN_OR_RETURN(Content content, Locate(state, context.branch, path, at));
  STAGED_ASSIGN_OR_RETURN(content.bytes, ReadLocated(state, content));
  return content;
}

Result<Content> WorkspaceImpl::Locate(const BranchState& state, const std::string& branch,
                                      const std::string& path, const BaseHash& at) {
  STAGED_ASSIGN_OR_RETURN(const std::string normal, NormalizePath(path));
  Content content;
  content.path = normal;
  const OptionalEntry working = FindEntry(state.reduction.working, normal);
  const StagedPath* staged = state.reduction.Find(normal);
  content.conflict = staged != nullptr && staged->conflict;
  if (!at || (working && working->hash == *at)) {
    if (!working) {
      return Status(ErrorCode::kNotFound, "'" + normal +
                                              "' is not in the working state of branch '" + branch +
                                              "'; `staged ls` lists what is");
    }
    content.entry = *working;
  } else {
    content.entry.hash = *at;
    STAGED_RETURN_IF_ERROR(CheckWasAt(*state.live.reader, normal, *at));
  }
  return content;
}

Result<std::string> WorkspaceImpl::ReadLocated(const BranchState& state, const Content& content) {
  Result<std::string> bytes = ReadContent(content.path, content.entry.hash);
  if (!bytes.ok() && bytes.status().code() == ErrorCode::kNotFound) {
    STAGED_ASSIGN_OR_RETURN(const auto forgotten, ForgottenHashes(*state.live.reader));
    if (forgotten.contains(content.entry.hash)) {
      return Status(ErrorCode::kNotFound,
                    content.entry.hash.ToString() + " was forgotten for good");
    }
    // A save that raced with this read is simply newer; anything else is missing.
    STAGED_ASSIGN_OR_RETURN(const bool acknowledged,
                            state.live.reader->WasAt(content.path, content.entry.hash));
    if (acknowledged) {
      return Status(ErrorCode::kDataLoss, content.entry.hash.ToString() +
                                              " is missing from the store; run `staged fsck`");
    }
  }
  return bytes;
}

Result<std::shared_ptr<const View>> WorkspaceImpl::ViewOf(const std::string& path,
                                                          const ContentHash& hash) {
  return views_->Get(hash, path, [&] { return ReadContent(path, hash); });
}

Result<ViewAnswer> WorkspaceImpl::GetView(const CallContext& context, const std::string& path,
                                          const BaseHash& at, WaitForViews wait) {
  return OnSteadyDisk([&] { return GetViewOnce(context, path, at, wait); });
}

Result<ViewAnswer> WorkspaceImpl::GetViewOnce(const CallContext& context, const std::string& path,
                                              const BaseHash& at, WaitForViews wait) {
  if (wait == WaitForViews::kWait || at) {
    STAGED_ASSIGN_OR_RETURN(const BranchState state, ReadBranch(context.branch));
    STAGED_ASSIGN_OR_RETURN(const Content content, Locate(state, context.branch, path, at));
    ViewAnswer answer;
    answer.path = content.path;
    answer.current = content.entry.hash;
    answer.conflict = content.conflict;
    // A view at hand is enough while its content is there: it may have been forgotten elsewhere.
    STAGED_ASSIGN_OR_RETURN(const bool stored, store_->Has(content.entry.hash));
    if (stored) answer.view = views_->Find(content.entry.hash, content.path);
    if (answer.view) return answer;
    STAGED_ASSIGN_OR_RETURN(const std::string bytes, ReadLocated(state, content));
    STAGED_ASSIGN_OR_RETURN(answer.view,
                            views_->Get(content.entry.hash, content.path,
                                        [&]() -> Result<std::string> { return bytes; }));
    return answer;
  }
  STAGED_ASSIGN_OR_RETURN(const std::string normal, NormalizePath(path));
  STAGED_ASSIGN_OR_RETURN(BranchState state, ReadBranch(context.branch));
  const OptionalEntry working = FindEntry(state.reduction.working, normal);
  if (!working) {
    return Status(ErrorCode::kNotFound, "'" + normal + "' is not in the working state of branch '" +
                                            context.branch + "'; `staged ls` lists what is");
  }
  ViewAnswer answer;
  answer.path = normal;
  answer.current = working->hash;
  answer.view = views_->Find(working->hash, normal);
  const StagedPath* staged = state.reduction.Find(normal);
  answer.conflict = staged != nullptr && staged->conflict;
  if (answer.view) return answer;
  // The newest content of this path that has a view, labelled stale.
  answer.freshness = Freshness::kStale;
  OperationFilter filter;
  filter.path = normal;
  filter.newest_first = true;
  STAGED_RETURN_IF_ERROR(state.live.reader->Scan(filter, [&](const Operation& operation) {
    for (const PathChange& change : operation.changes) {
      if (change.path != normal) continue;
      for (const OptionalEntry* entry : {&change.result, &change.base}) {
        if (!answer.view && *entry) answer.view = views_->Find((*entry)->hash, normal);
      }
    }
    return answer.view == nullptr;
  }));
  if (answer.view) return answer;
  return Status(ErrorCode::kBusy, "'" + normal +
                                      "' has no parsed view yet; read again without "
                                      "--no-wait, or run `staged index`");
}

Result<Diff> WorkspaceImpl::DiffEntries(const std::string& from_path, const OptionalEntry& from,
                                        const std::string& to_path, const OptionalEntry& to) {
  std::shared_ptr<const View> from_view;
  std::shared_ptr<const View> to_view;
  if (from) {
    STAGED_ASSIGN_OR_RETURN(from_view, ViewOf(from_path, from->hash));
  }
  if (to) {
    STAGED_ASSIGN_OR_RETURN(to_view, ViewOf(to_path, to->hash));
  }
  Diff diff = EntryOnlyDiff(from, to);
  if (from_view && to_view) {
    if (from->hash != to->hash) {
      const Format* format = formats_.Find(to_view->format);
      static const Profile kNoProfile;
      diff = ComputeDiff(*from_view, *to_view,
                         format != nullptr ? format->descriptor().profile : kNoProfile);
    } else {
      diff.format = to_view->format;
      diff.parser = to_view->parser;
    }
    if (from->kind != to->kind) {
      AddEntryChange(diff, "mode", std::string(EntryKindName(from->kind)),
                     std::string(EntryKindName(to->kind)));
    }
    if (from_path != to_path) AddEntryChange(diff, "path", from_path, to_path);
  } else if (from_view || to_view) {
    diff = ComputeWholeFileDiff(from_view.get(), to_view.get());
  }
  return diff;
}

Result<Diff> WorkspaceImpl::DiffStaged(const Reduction& reduction, const StagedPath& staged) {
  // The half of a move that goes away shows where to; the half that appears shows what changed.
  if (!staged.moved_to.empty() && !staged.staged) {
    Diff diff = EntryOnlyDiff(staged.accepted, {});
    AddEntryChange(diff, "path", staged.path, staged.moved_to);
    return diff;
  }
  const StagedPath* source =
      staged.moved_from.empty() ? nullptr : reduction.Find(staged.moved_from);
  if (source != nullptr && source->accepted && !staged.accepted && staged.staged) {
    STAGED_ASSIGN_OR_RETURN(
        Diff diff, DiffEntries(source->path, source->accepted, staged.path, staged.staged));
    return diff;
  }
  // What is accepted now is not what a chain in conflict changed.
  const OptionalEntry& from = staged.conflict ? staged.base : staged.accepted;
  return DiffEntries(staged.path, from, staged.path, staged.staged);
}

Result<std::vector<std::string>> WorkspaceImpl::SelectStaged(
    const Reduction& reduction, const std::vector<std::string>& paths) {
  std::set<std::string> selected;
  if (paths.empty()) {
    for (const auto& [path, staged] : reduction.staged) selected.insert(path);
    return std::vector<std::string>(selected.begin(), selected.end());
  }
  for (const std::string& path : paths) {
    STAGED_ASSIGN_OR_RETURN(const std::string normal, NormalizePath(path));
    if (reduction.Find(normal) != nullptr) {
      selected.insert(normal);
      continue;
    }
    bool known = reduction.working.contains(normal);
    const std::string below = normal + "/";
    for (auto next = reduction.staged.lower_bound(below);
         next != reduction.staged.end() && next->first.starts_with(below); ++next) {
      selected.insert(next->first);
      known = true;
    }
    const auto inside = reduction.working.lower_bound(below);
    known = known || (inside != reduction.working.end() && inside->first.starts_with(below));
    if (!known) {
      return Status(ErrorCode::kNotFound,
                    "'" + normal +
                        "' is neither staged nor in the workspace; `staged status` "
                        "lists the paths");
    }
  }
  return std::vector<std::string>(selected.begin(), selected.end());
}

Result<std::vector<std::pair<std::string, Diff>>> WorkspaceImpl::GetDiff(
    const CallContext& context, const std::vector<std::string>& paths) {
  return OnSteadyDisk([&] { return GetDiffOnce(context, paths); });
}

Result<std::vector<std::pair<std::string, Diff>>> WorkspaceImpl::GetDiffOnce(
    const CallContext& context, const std::vector<std::string>& paths) {
  STAGED_ASSIGN_OR_RETURN(BranchState state, ReadBranch(context.branch));
  STAGED_ASSIGN_OR_RETURN(const auto selected, SelectStaged(state.reduction, paths));
  std::vector<std::pair<std::string, Diff>> diffs;
  for (const std::string& path : selected) {
    const StagedPath* staged = state.reduction.Find(path);
    if (!staged->changes_anything() && !staged->conflict) continue;
    STAGED_ASSIGN_OR_RETURN(Diff diff, DiffStaged(state.reduction, *staged));
    diffs.emplace_back(path, std::move(diff));
  }
  return diffs;
}

Result<Diff> WorkspaceImpl::DiffContents(const std::string& path, const BaseHash& from,
                                         const BaseHash& to) {
  STAGED_ASSIGN_OR_RETURN(const std::string normal, NormalizePath(path));
  const auto entry = [](const BaseHash& hash) {
    return hash ? OptionalEntry(Entry{EntryKind::kFile, *hash}) : OptionalEntry();
  };
  STAGED_ASSIGN_OR_RETURN(const auto reader, journal_->BeginRead());
  for (const BaseHash* hash : {&from, &to}) {
    if (*hash) STAGED_RETURN_IF_ERROR(CheckWasAt(*reader, normal, **hash));
  }
  return DiffEntries(normal, entry(from), normal, entry(to));
}

Status WorkspaceImpl::StaleBase(const std::string& path, const BaseHash& expected,
                                const OptionalEntry& actual, const BaseHash& offered) {
  Value details = Value::Object{{"path", path},
                                {"expected", HashValue(expected)},
                                {"actual", HashValue(HashOf(actual))},
                                {"same_bytes", actual && offered == actual->hash}};
  // What happened between, so that the caller repairs in one step. Only contents of this path are
  // shown: a hash alone opens nothing.
  if (expected && actual) {
    const Result<Diff> diff = DiffContents(path, expected, HashOf(actual));
    if (diff.ok()) details.Set("changes", RenderDiffText(*diff, path, kStaleDiffBytesMax));
  }
  const std::string now =
      actual ? "is now " + actual->hash.ToString() : std::string("does not exist there");
  return {ErrorCode::kStaleBase,
          "'" + path + "' " + now +
              ", not the base that was given; read it again and base the "
              "change on that",
          std::move(details)};
}

PathConflict WorkspaceImpl::DescribeConflict(const StagedPath& staged) {
  return {staged.path, HashOf(staged.base), HashOf(staged.staged), HashOf(staged.working), {}};
}

Status WorkspaceImpl::ConflictError(const StagedPath& staged) {
  return {ErrorCode::kConflict,
          "'" + staged.path + "' changed under what is staged; run `staged rebase " + staged.path +
              "`, or `staged resolve`, or discard it",
          Value::Object{{"path", staged.path},
                        {"base", HashValue(HashOf(staged.base))},
                        {"left", HashValue(HashOf(staged.staged))},
                        {"right", HashValue(HashOf(staged.working))}}};
}

Status WorkspaceImpl::CheckBase(const Reduction& reduction, const std::string& path,
                                const BaseHash& base, const BaseHash& offered) {
  const OptionalEntry working = FindEntry(reduction.working, path);
  if (HashOf(working) == base) return OkStatus();
  const StagedPath* staged = reduction.Find(path);
  if (staged != nullptr && staged->conflict) return ConflictError(*staged);
  return StaleBase(path, base, working, offered);
}

Status WorkspaceImpl::ForEachOperation(const OperationFilter& filter,
                                       const std::function<bool(const Operation&)>& visit) {
  STAGED_ASSIGN_OR_RETURN(const auto reader, journal_->BeginRead());
  return reader->Scan(filter, visit);
}

}  // namespace staged
