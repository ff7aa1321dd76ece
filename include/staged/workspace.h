#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "staged/diff.h"
#include "staged/ext/env.h"
#include "staged/ext/format.h"
#include "staged/ext/journal.h"
#include "staged/ext/object_store.h"
#include "staged/merge.h"
#include "staged/operation.h"
#include "staged/record.h"
#include "staged/view.h"

namespace staged {

// The base that a write names: a hash it saw, or nullopt for "the path is free".
using BaseHash = std::optional<ContentHash>;

// Who calls, where, and as part of what. An actor on a local command line is an honest label, not a
// proof.
struct CallContext {
  Actor actor{"agent", ActorKind::kAgent};
  std::string branch = "main";
  BranchKind branch_kind = BranchKind::kChat;  // used when this call creates the branch
  std::string turn;                            // empty: the call is its own turn
  // A repeated request gets its first answer again; one that differs from what the id was first
  // used for is kInvalidArgument.
  std::string request_id;
  int64_t lease_epoch = 0;  // 0: without a lease
};

enum class Freshness : uint8_t { kCurrent = 1, kStale = 2 };
enum class WaitForViews : uint8_t { kWait = 1, kTakeWhatIsThere = 2 };

// ---- answers ------------------------------------------------------------------------------------

struct StagedChange {
  std::string path;
  std::string moved_to;  // of a move only
  BaseHash base;
  BaseHash hash;  // nullopt: deleted
  int64_t operation = 0;
  std::string turn;
  std::vector<int64_t> superseded;     // a chain in conflict that this write replaced
  std::vector<DerivedEffect> derived;  // of a structured edit
  std::optional<Diff> diff;            // of a structured edit
};

struct FileRow {
  std::string path;
  EntryKind kind = EntryKind::kFile;
  std::string state;  // "initial", "edited", "reviewed", "conflict"
  BaseHash accepted, working, disk, staged;
  BaseHash view;  // the content whose parsed view is at hand, nullopt: none
  Freshness freshness = Freshness::kCurrent;
  std::vector<std::string> also_on;  // other branches that stage this path
};

struct SkippedPath {
  std::string path;
  std::string reason;
};

struct StatusReport {
  std::string branch;
  std::vector<FileRow> files;  // every file, sorted by path
  std::vector<SkippedPath> skipped;
};

struct Content {
  std::string path;
  Entry entry;
  std::string bytes;
  bool conflict = false;
};

struct ViewAnswer {
  std::string path;
  std::shared_ptr<const View> view;
  Freshness freshness = Freshness::kCurrent;
  ContentHash current;    // the content asked for; view->hash unless stale
  bool conflict = false;  // the path is in conflict on this branch: every view says so
};

struct ReviewedPath {
  ReceiptRow receipt;
  std::string moved_with;  // the other half of a move
  Diff diff;
};

struct PathConflict {
  std::string path;
  BaseHash base, left, right;          // chain's base, this branch's result, accepted now
  std::vector<MergeConflict> details;  // where a merge was tried
};

struct ReviewAnswer {
  std::vector<ReviewedPath> reviewed;
  int64_t operation = 0;  // 0: there was nothing to review
};

struct SubmitAnswer {
  struct Row {
    std::string path;
    BaseHash base, hash;
  };
  std::vector<Row> submitted;
  int64_t operation = 0;
};

struct RebaseAnswer {
  std::vector<StagedChange> rebased;
  std::vector<PathConflict> conflicts;
};

struct SyncAnswer {
  std::vector<StagedChange> operations;
  std::vector<SkippedPath> skipped;
  std::vector<PathConflict> conflicts;
};

struct CheckoutAnswer {
  size_t files = 0;
  std::vector<PathConflict> conflicts;  // paths that were written as accepted
};

struct UndoAnswer {
  std::vector<int64_t> undone;
  int64_t operation = 0;
  std::vector<SubmitAnswer::Row> paths;  // before and after in the working state
};

struct SearchMatch {
  std::string path;
  ContentHash hash;
  std::string locator;
  std::string text;
  double score = 0;
  Freshness freshness = Freshness::kCurrent;
  ContentHash working;
  bool conflict = false;  // the path is in conflict on this branch; never with `at_operation`
};

struct SearchRequest {
  std::string query;
  enum class Mode : uint8_t { kWords = 1, kRegex = 2, kName = 3 } mode = Mode::kWords;
  std::string path_glob;
  std::string kind;
  size_t limit = 20;
  int64_t at_operation = 0;  // 0: the branch's working state now
  WaitForViews wait = WaitForViews::kWait;
};

struct SearchAnswer {
  std::vector<SearchMatch> hits;
  bool more = false;
  std::vector<std::string> unsearched;  // paths without a view
  std::vector<std::string> notes;       // what was repaired on the way, a line each
};

// One setting of the workspace (docs/cli.md).
struct SettingRow {
  std::string name;
  std::string value;          // in force: the one that was set, or the default
  std::string default_value;  // "": none
  bool is_set = false;
};

struct FsckFinding {
  std::string code;     // "object_damaged", "chain_broken", "accepted_differs", ...
  std::string subject;  // hash, path or operation
  std::string message;
};

struct FsckReport {
  int64_t operations = 0;
  uint64_t objects = 0;
  std::vector<FsckFinding> findings;  // empty: everything proved
};

struct UsageReport {
  uint64_t journal_bytes = 0, derived_bytes = 0;
  StoreReport store;
};

struct Lease {
  std::string branch;
  int64_t epoch = 0;
  int64_t expires_ns = 0;
};

struct SubmitOptions {
  std::string message;
  bool ignore_office_locks = false;
};

enum class Take : uint8_t { kLeft = 1, kRight = 2, kBase = 3, kBytes = 4 };

using ProgressCallback = std::function<void(uint64_t done, uint64_t total)>;

struct InitOptions {
  Actor actor{"person", ActorKind::kHuman};
  ProgressCallback progress;
};

struct OpenOptions {
  Limits limits;
  Actor person{"person", ActorKind::kHuman};  // to whom changes on disk are put down
  int writer_wait_ms = 30'000;
  // Threads that parse and index in the background what this workspace object writes. 0: whoever
  // reads next does it.
  int background_parsers = 0;
  // Opens (or makes) another journal than the SQLite one in .staged: another database, or one over
  // a simulated disk. Null: the SQLite one.
  std::function<Result<std::unique_ptr<Journal>>(bool create)> open_journal;
  // False: views are parsed anew each time, there is no search, and nothing reaches the system's
  // files but through the Env.
  bool keep_derived = true;
};

// The workspace: the one class that keeps the contract (docs/contract.md; rule numbers refer to
// it). Thread-safe. Any number of processes may have one workspace open. Paths are relative to the
// root; an empty list of paths means every staged path of the branch. Errors are the contract's
// codes.
class Workspace {
 public:
  // Makes .staged in `root` and takes its files in as version one. Errors: kConflict (is one
  // already), kInvalidArgument (file system unsafe for it).
  [[nodiscard]] static Result<std::unique_ptr<Workspace>> Init(
      Env& env, const FormatRegistry& formats, const std::string& root, const InitOptions& init,
      const OpenOptions& open, std::vector<SkippedPath>* skipped);
  // Opens, ending or taking back what a dead process left (rule 14). Errors: kNotFound, kDataLoss,
  // kInvalidArgument (a newer version). `env` and `formats` must outlive the workspace.
  [[nodiscard]] static Result<std::unique_ptr<Workspace>> Open(Env& env,
                                                               const FormatRegistry& formats,
                                                               const std::string& root,
                                                               const OpenOptions& options);
  virtual ~Workspace() = default;

  // -- reading ------------------------------------------------------------------------------------
  virtual Result<StatusReport> GetStatus(const CallContext& context) = 0;
  // At the branch's working state, or a content that was at this path once (rule 18).
  virtual Result<Content> Read(const CallContext& context, const std::string& path,
                               const BaseHash& at) = 0;
  virtual Result<ViewAnswer> GetView(const CallContext& context, const std::string& path,
                                     const BaseHash& at, WaitForViews wait) = 0;
  // Δt of the paths; of a path in conflict, what is kept aside against what that was based on.
  // Writes nothing.
  virtual Result<std::vector<std::pair<std::string, Diff>>> GetDiff(
      const CallContext& context, const std::vector<std::string>& paths) = 0;
  // The paths of the branch that are in conflict, sorted.
  virtual Result<std::vector<PathConflict>> GetConflicts(const CallContext& context) = 0;
  // The difference of two contents of known paths; nullopt: absent.
  virtual Result<Diff> DiffContents(const std::string& path, const BaseHash& from,
                                    const BaseHash& to) = 0;
  virtual Result<SearchAnswer> Search(const CallContext& context, const SearchRequest& request) = 0;
  virtual Status ForEachOperation(const OperationFilter& filter,
                                  const std::function<bool(const Operation&)>& visit) = 0;
  // Every (path, entry) of the branch's working state.
  virtual Result<std::vector<std::pair<std::string, Entry>>> List(const CallContext& context) = 0;

  // -- staging ------------------------------------------------------------------------------------
  virtual Result<StagedChange> Write(const CallContext& context, const std::string& path,
                                     const BaseHash& base, std::string_view bytes) = 0;
  virtual Result<StagedChange> ApplyEdits(const CallContext& context, const std::string& path,
                                          const BaseHash& base, const std::vector<Edit>& edits) = 0;
  virtual Result<StagedChange> Remove(const CallContext& context, const std::string& path,
                                      const BaseHash& base) = 0;
  virtual Result<StagedChange> Move(const CallContext& context, const std::string& from,
                                    const std::string& to, const BaseHash& base) = 0;
  virtual Result<StagedChange> ChangeMode(const CallContext& context, const std::string& path,
                                          const BaseHash& base, bool executable) = 0;
  // Takes what people changed in the live folder in (rule 13). Gives the paths.
  virtual Result<std::vector<std::string>> AdoptLiveChanges(const CallContext& context) = 0;

  // -- review and submit --------------------------------------------------------------------------
  virtual Result<ReviewAnswer> Review(const CallContext& context,
                                      const std::vector<std::string>& paths) = 0;
  virtual Status Approve(const CallContext& context, const std::string& receipt) = 0;
  virtual Status Reject(const CallContext& context, const std::string& receipt,
                        const std::string& why) = 0;
  virtual Result<SubmitAnswer> Submit(const CallContext& context,
                                      const std::vector<std::string>& paths,
                                      const SubmitOptions& options) = 0;

  // -- conflicts and ways back --------------------------------------------------------------------
  virtual Result<RebaseAnswer> Rebase(const CallContext& context,
                                      const std::vector<std::string>& paths) = 0;
  virtual Result<StagedChange> Resolve(const CallContext& context, const std::string& path,
                                       Take take, std::string_view bytes) = 0;
  virtual Result<std::vector<std::string>> Discard(const CallContext& context,
                                                   const std::vector<std::string>& paths) = 0;
  // `operation` 0: the branch's last live one.
  virtual Result<UndoAnswer> Undo(const CallContext& context, int64_t operation,
                                  bool with_dependents) = 0;
  virtual Result<UndoAnswer> Rollback(const CallContext& context, const std::string& turn) = 0;
  // Stages the inverse of what was submitted, merged where the file moved on.
  virtual Result<RebaseAnswer> Revert(const CallContext& context,
                                      const std::vector<int64_t>& operations) = 0;

  // -- hydrate and sync ---------------------------------------------------------------------------
  virtual Result<CheckoutAnswer> Checkout(const CallContext& context,
                                          const std::string& directory) = 0;
  virtual Result<SyncAnswer> Sync(const CallContext& context, const std::string& directory) = 0;

  // -- sessions -----------------------------------------------------------------------------------
  // Takes the branch for `holder`: earlier epochs are fenced off. kBusy while another's lasts.
  virtual Result<Lease> AcquireLease(const CallContext& context, const std::string& holder,
                                     int64_t duration_ns) = 0;
  virtual Status ReleaseLease(const CallContext& context, const Lease& lease) = 0;

  // -- upkeep -------------------------------------------------------------------------------------
  virtual Status Index(const CallContext& context, const ProgressCallback& progress) = 0;
  virtual Result<std::string> GetPolicy() = 0;
  virtual Status SetPolicy(const CallContext& context, std::string_view text) = 0;
  // Every setting, sorted by name; the policy's text is one of them.
  virtual Result<std::vector<SettingRow>> GetSettings() = 0;
  // nullopt: back to the default. Errors: kNotFound (no such setting), kInvalidArgument (no value
  // for it), kPermissionDenied (only a person changes settings).
  virtual Status SetSetting(const CallContext& context, const std::string& name,
                            const std::optional<std::string>& value) = 0;
  virtual Result<FsckReport> Fsck(const ProgressCallback& progress) = 0;
  virtual Result<StoreReport> CollectGarbage(const ProgressCallback& progress) = 0;
  virtual Result<UsageReport> Usage() = 0;
  virtual Status Forget(const CallContext& context, const ContentHash& hash) = 0;
  // One file with journal and objects, at an absolute path that must be free. It appears whole or
  // not at all. Errors: kConflict (taken), kDataLoss naming the object that is missing.
  virtual Status Export(const std::string& file, const ProgressCallback& progress) = 0;

  [[nodiscard]] virtual const std::string& root() const = 0;
};

// Makes a workspace in `root` (an empty or new directory) from an exported file: same operations,
// same hashes, accepted files published. Errors: kConflict, kDataLoss. An import that dies leaves
// no workspace that opens. `options`: only the journal's.
[[nodiscard]] Status ImportWorkspace(Env& env, const std::string& file, const std::string& root,
                                     const ProgressCallback& progress,
                                     const OpenOptions& options = {});

}  // namespace staged
