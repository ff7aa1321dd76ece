// Search over the records of exactly one state (rule 3), now or at an operation of the journal.

#include <algorithm>
#include <thread>

#include "derived/parse_pool.h"
#include "workspace/projection.h"
#include "workspace/workspace_impl.h"

namespace staged {
namespace {

constexpr int kPoolWaitMs = 60'000;

SearchMode ModeOf(SearchRequest::Mode mode) {
  switch (mode) {
    case SearchRequest::Mode::kWords:
      return SearchMode::kWords;
    case SearchRequest::Mode::kRegex:
      return SearchMode::kRegex;
    case SearchRequest::Mode::kName:
      return SearchMode::kName;
  }
  return SearchMode::kWords;
}

std::vector<StateFile> StateFiles(const Tree& tree) {
  std::vector<StateFile> files;
  files.reserve(tree.size());
  for (const auto& [path, entry] : tree) files.push_back({path, entry.hash});
  return files;
}

}  // namespace

Result<Tree> WorkspaceImpl::TreeAt(JournalReader& reader, const std::string& branch,
                                   int64_t operation) {
  STAGED_ASSIGN_OR_RETURN(const JournalHead head, reader.Head());
  if (operation < 1 || operation > head.sequence) {
    return Status(ErrorCode::kNotFound, "there is no operation " + std::to_string(operation) +
                                            "; `staged log` lists 1 "
                                            "to " +
                                            std::to_string(head.sequence));
  }
  STAGED_ASSIGN_OR_RETURN(const auto accepted, reader.AcceptedTreeAt(operation));
  Tree tree;
  for (const AcceptedEntry& entry : accepted)
    tree.emplace_hint(tree.end(), entry.path, entry.entry);
  OperationFilter filter;
  filter.branch = branch;
  filter.up_to_sequence = operation;
  std::vector<Operation> history;
  STAGED_RETURN_IF_ERROR(reader.Scan(filter, [&](const Operation& one) {
    history.push_back(one);
    return true;
  }));
  return Reduce(std::move(tree), {}, LiveAfter(history)).working;
}

Result<SearchAnswer> WorkspaceImpl::Search(const CallContext& context,
                                           const SearchRequest& request) {
  Result<SearchAnswer> answer = OnSteadyDisk([&] { return SearchOnce(context, request); });
  if (answer.ok()) answer->notes = derived_->TakeNotes();
  return answer;
}

Result<SearchAnswer> WorkspaceImpl::SearchOnce(const CallContext& context,
                                               const SearchRequest& request) {
  Tree tree;
  std::set<std::string> conflicts;
  if (request.at_operation != 0) {
    STAGED_ASSIGN_OR_RETURN(const auto reader, journal_->BeginRead());
    STAGED_ASSIGN_OR_RETURN(tree, TreeAt(*reader, context.branch, request.at_operation));
  } else {
    STAGED_ASSIGN_OR_RETURN(BranchState state, ReadBranch(context.branch));
    tree = std::move(state.reduction.working);
    for (const auto& [path, staged] : state.reduction.staged) {
      if (staged.conflict) conflicts.insert(path);
    }
  }
  std::vector<StateFile> files = StateFiles(tree);
  STAGED_ASSIGN_OR_RETURN(auto scope, index_->Resolve(files));
  if (request.wait == WaitForViews::kWait && !scope->missing.empty() &&
      request.mode != SearchRequest::Mode::kName) {
    STAGED_RETURN_IF_ERROR(IndexFiles(scope->missing, tree, {}));
    STAGED_ASSIGN_OR_RETURN(scope, index_->Resolve(std::move(files)));
  }
  SearchQuery query;
  query.text = request.query;
  query.mode = ModeOf(request.mode);
  query.path_glob = request.path_glob;
  if (!request.kind.empty()) query.kinds = {request.kind};
  query.limit = request.limit;
  STAGED_ASSIGN_OR_RETURN(SearchResult found, index_->Search(query, *scope));
  SearchAnswer answer;
  answer.more = found.more;
  std::merge(found.missing.begin(), found.missing.end(), found.cut.begin(), found.cut.end(),
             std::back_inserter(answer.unsearched));
  for (SearchHit& hit : found.hits) {
    SearchMatch match;
    match.working = FindEntry(tree, hit.path)->hash;
    match.path = std::move(hit.path);
    match.conflict = conflicts.contains(match.path);
    match.hash = hit.hash;
    match.locator = std::move(hit.locator);
    match.text = std::move(hit.text);
    match.score = hit.score;
    answer.hits.push_back(std::move(match));
  }
  return answer;
}

Status WorkspaceImpl::IndexFiles(const std::vector<std::string>& paths, const Tree& tree,
                                 const ProgressCallback& progress) {
  std::vector<ViewKey> keys;
  std::vector<std::string> named;  // beside `keys`
  {
    ParsePoolOptions options;
    // A parser may be another process, which its thread waits for.
    options.parser_threads = std::max(2u, std::thread::hardware_concurrency());
    if (progress) {
      options.on_progress = [&](const ParseProgress& made) { progress(made.done, paths.size()); };
    }
    ParsePool pool(*views_, *index_, std::move(options));
    for (const std::string& path : paths) {
      const OptionalEntry entry = FindEntry(tree, path);
      if (!entry) continue;
      keys.push_back({entry->hash, ExtensionOf(path)});
      named.push_back(path);
      pool.Add(entry->hash, path,
               [this, path, hash = entry->hash] { return ReadContent(path, hash); });
    }
    while (!pool.WaitAll(kPoolWaitMs)) {
    }
    if (pool.progress().failed == 0) return OkStatus();
  }
  // What failed is tried once more alone: it succeeds, or its error is the answer, but for a file
  // that is too large, which is left without a view.
  const std::vector<bool> have = index_->HasIndexed(keys);
  for (size_t i = 0; i < keys.size(); ++i) {
    if (have[i]) continue;
    const auto view = ViewOf(named[i], keys[i].hash);
    if (!view.ok() && view.status().code() == ErrorCode::kLimitExceeded) continue;
    if (!view.ok()) return view.status();
    STAGED_RETURN_IF_ERROR(index_->Index(keys[i], *view, LockWait::kWait));
  }
  return OkStatus();
}

Status WorkspaceImpl::Index(const CallContext& context, const ProgressCallback& progress) {
  return OnSteadyDisk([&]() -> Status {
    STAGED_ASSIGN_OR_RETURN(const BranchState state, ReadBranch(context.branch));
    STAGED_ASSIGN_OR_RETURN(const auto scope, index_->Resolve(StateFiles(state.reduction.working)));
    STAGED_RETURN_IF_ERROR(IndexFiles(scope->missing, state.reduction.working, progress));
    if (!derived_->is_in_memory()) return OkStatus();
    return {ErrorCode::kPermissionDenied,
            "'" + metadata_->path() +
                "' cannot be written, so that no index is kept; search works without it"};
  });
}

}  // namespace staged
