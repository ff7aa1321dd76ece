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
  std::vector<std::string> unsearched;  // paths without a view, or with one that lacks content
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
// it). Thread-safe. Any number of processes may have one workspace open.
//
// Paths are relative to the root; directories outside of it and files of an export are absolute. In
// a list of staged paths a directory stands for those below it, and an empty list for all that the
// branch stages.
//
// Errors that every call may give: kInvalidArgument (no UTF-8, a name that no branch can have),
// kPathEscape (rule 18), kIoError, kDataLoss. Every call that writes may also give kBusy (another
// writer holds the journal for longer than OpenOptions::writer_wait_ms), kFenced (the branch is
// leased to another, rule 16) and kInvalidArgument (the request id is of another request). After an
// error nothing is staged. What is listed at a call comes on top; the contract has the order.
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
  // The review diff of the paths; of a path in conflict, what is kept aside against what that was
  // based on. Writes nothing.
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
  // Stages bytes as the whole content of a file, which is made if `base` is nullopt. To a symlink
  // they are its new target. Errors: kStaleBase (with "expected" and "actual"), kConflict (the name
  // of a directory, or one that differs from another only in case).
  virtual Result<StagedChange> Write(const CallContext& context, const std::string& path,
                                     const BaseHash& base, std::string_view bytes) = 0;
  // Stages what the file's format makes of the edits: all of them, or none. Errors: kNotFound,
  // kStaleBase, kNoMatch and kAmbiguous (of a locator), kUnsupportedEdit, kParseFailed,
  // kLimitExceeded.
  virtual Result<StagedChange> ApplyEdits(const CallContext& context, const std::string& path,
                                          const BaseHash& base, const std::vector<Edit>& edits) = 0;
  // Stages the deletion of a file; of a directory, of all its files as they are now, an operation
  // each, in one turn: the answer is the last one's, with the directory as path. A file needs its
  // base, a directory has none: kInvalidArgument otherwise. Errors: kNotFound, kStaleBase.
  virtual Result<StagedChange> Remove(const CallContext& context, const std::string& path,
                                      const BaseHash& base) = 0;
  // Stages a move, with base and directories as in Remove. Errors: kNotFound, kConflict (`to` is
  // taken), kStaleBase, kInvalidArgument (a directory into itself), kPathEscape (a symlink that
  // would lead out from there).
  virtual Result<StagedChange> Move(const CallContext& context, const std::string& from,
                                    const std::string& to, const BaseHash& base) = 0;
  // Stages the executable bit of a file. Errors: kNotFound (no file: a directory, too), kStaleBase,
  // kInvalidArgument (a symlink has no mode).
  virtual Result<StagedChange> ChangeMode(const CallContext& context, const std::string& path,
                                          const BaseHash& base, bool executable) = 0;
  // Takes what people changed in the live folder in (rule 13). Gives the paths.
  virtual Result<std::vector<std::string>> AdoptLiveChanges(const CallContext& context) = 0;

  // -- review and submit --------------------------------------------------------------------------
  // Shows what is staged and mints a receipt for each path, pending where the policy wants a
  // person's approval; both halves of a move come together. Errors: kNotFound (a path that is
  // neither staged nor in the workspace), kConflict (rebase or resolve it first).
  virtual Result<ReviewAnswer> Review(const CallContext& context,
                                      const std::vector<std::string>& paths) = 0;
  // A person who wrote none of what is staged there makes a pending receipt count (rule 6). Errors:
  // kNotFound, kReviewVoid (the path has changed since), kPermissionDenied, kInvalidArgument (it is
  // decided already).
  virtual Status Approve(const CallContext& context, const std::string& receipt) = 0;
  // As Approve, but the receipt never counts: the path must change and be reviewed again. Also
  // takes an approval back.
  virtual Status Reject(const CallContext& context, const std::string& receipt,
                        const std::string& why) = 0;
  // Makes what was reviewed the accepted content and publishes it to the live folder: all paths, or
  // none (rule 8). Nothing staged is an empty answer. Errors: kNotFound, kConflict (accepted or
  // live content moved), kReviewVoid, kNotReviewed, kParseFailed (the policy wants it to parse),
  // kBusy (a file is open in an office program, or the branch keeps changing).
  virtual Result<SubmitAnswer> Submit(const CallContext& context,
                                      const std::vector<std::string>& paths,
                                      const SubmitOptions& options) = 0;

  // -- conflicts and ways back --------------------------------------------------------------------
  // Merges each path in conflict with what was accepted meanwhile. What merges is staged and needs
  // a review of its own; what does not is in the answer and stays as it was. Errors: kNotFound.
  virtual Result<RebaseAnswer> Rebase(const CallContext& context,
                                      const std::vector<std::string>& paths) = 0;
  // Decides a conflict: this branch's result, what is accepted, the base, or `bytes`, which are
  // only read for kBytes. The other half of a move follows. Errors: kNotFound, kInvalidArgument
  // (not in conflict).
  virtual Result<StagedChange> Resolve(const CallContext& context, const std::string& path,
                                       Take take, std::string_view bytes) = 0;
  // Drops what is staged, with what cannot stand without it (the other half of a move). Gives the
  // paths. Errors: kNotFound.
  virtual Result<std::vector<std::string>> Discard(const CallContext& context,
                                                   const std::vector<std::string>& paths) = 0;
  // Takes a staged operation of this branch back (0: the last live one), or an undo, which redoes;
  // what one command staged goes together. Errors: kNotFound, kInvalidArgument (it is not staged
  // any more), kConflict (later ones stand on it; they are in the details, and `with_dependents`
  // takes them along).
  virtual Result<UndoAnswer> Undo(const CallContext& context, int64_t operation,
                                  bool with_dependents) = 0;
  // The same for all that a turn has staged on this branch. Errors: kNotFound, kConflict.
  virtual Result<UndoAnswer> Rollback(const CallContext& context, const std::string& turn) = 0;
  // Stages the inverse of what was submitted, merged where the file moved on.
  virtual Result<RebaseAnswer> Revert(const CallContext& context,
                                      const std::vector<int64_t>& operations) = 0;

  // -- hydrate and sync ---------------------------------------------------------------------------
  // Writes the working state into a directory: an absolute path, empty or not there yet, outside of
  // the workspace. What fails takes away what it made; what a checkout that died wrote there makes
  // room for the next. Errors: kInvalidArgument (inside of the workspace or around it), kConflict
  // (not empty), kBusy (another checkout writes there).
  virtual Result<CheckoutAnswer> Checkout(const CallContext& context,
                                          const std::string& directory) = 0;
  // Stages what changed in a directory since Checkout() or the last Sync(), as one turn on the
  // branch that was checked out. A path that the branch changed meanwhile is staged as a conflict.
  // Errors: kNotFound (not there, or nothing was checked out there), kBusy (it changes while it is
  // read).
  virtual Result<SyncAnswer> Sync(const CallContext& context, const std::string& directory) = 0;

  // -- sessions -----------------------------------------------------------------------------------
  // Takes the branch for `holder`: earlier epochs are fenced off. kBusy while another's lasts.
  virtual Result<Lease> AcquireLease(const CallContext& context, const std::string& holder,
                                     int64_t duration_ns) = 0;
  // Lets others take the branch at once. Errors: kFenced (somebody has taken it already).
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
  // Proves the journal's chain, the accepted tree and every object. What is damaged is a finding
  // and no error; nothing is changed.
  virtual Result<FsckReport> Fsck(const ProgressCallback& progress) = 0;
  // Removes contents that no operation names and repacks the rest; writers wait meanwhile, readers
  // do not.
  virtual Result<StoreReport> CollectGarbage(const ProgressCallback& progress) = 0;
  // What the workspace's own data weighs, in bytes.
  virtual Result<UsageReport> Usage() = 0;
  // Removes one content's bytes for good and leaves a tombstone (rule 15). Errors: kNotFound,
  // kConflict (accepted, or staged on any branch).
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
