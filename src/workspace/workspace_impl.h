#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "derived/edited_content.h"
#include "derived/parse_pool.h"
#include "derived/search_index.h"
#include "derived/view_cache.h"
#include "staged/workspace.h"
#include "workspace/folder_changes.h"
#include "workspace/hydrated_folder.h"
#include "workspace/live_state.h"
#include "workspace/publication.h"
#include "workspace/write_session.h"

namespace staged {

// kPathEscape where `root` (by its text) is a .staged folder or below one: a workspace in there
// would be another's own data.
[[nodiscard]] Status CheckPlaceForWorkspace(const std::string& root);

// The parts of an open workspace, shared by the files that implement Workspace: opening.cc,
// reading.cc, searching.cc, staging.cc, review.cc, submit.cc, publishing.cc, rebase.cc, undo.cc,
// hydrate.cc, upkeep.cc, archive.cc.
class WorkspaceImpl final : public Workspace, public SessionHost {
 public:
  WorkspaceImpl(Env& env, const FormatRegistry& formats, std::string root, OpenOptions options);
  ~WorkspaceImpl() override;

  // opening.cc
  [[nodiscard]] Status OpenParts(bool create);
  [[nodiscard]] Status TakeInFirstVersion(const InitOptions& init,
                                          std::vector<SkippedPath>* skipped);
  // Writes the format file, the last step of making a workspace: without it there is none.
  [[nodiscard]] Status MarkReady();
  // Ends or takes back publications of dead processes, clears what they left, takes in late
  // changes.
  [[nodiscard]] Status Recover();

  Result<StatusReport> GetStatus(const CallContext& context) override;
  Result<Content> Read(const CallContext& context, const std::string& path,
                       const BaseHash& at) override;
  Result<ViewAnswer> GetView(const CallContext& context, const std::string& path,
                             const BaseHash& at, WaitForViews wait) override;
  Result<std::vector<std::pair<std::string, Diff>>> GetDiff(
      const CallContext& context, const std::vector<std::string>& paths) override;
  Result<std::vector<PathConflict>> GetConflicts(const CallContext& context) override;
  Result<Diff> DiffContents(const std::string& path, const BaseHash& from,
                            const BaseHash& to) override;
  Result<SearchAnswer> Search(const CallContext& context, const SearchRequest& request) override;
  Status ForEachOperation(const OperationFilter& filter,
                          const std::function<bool(const Operation&)>& visit) override;
  Result<std::vector<std::pair<std::string, Entry>>> List(const CallContext& context) override;

  Result<StagedChange> Write(const CallContext& context, const std::string& path,
                             const BaseHash& base, std::string_view bytes) override;
  Result<StagedChange> ApplyEdits(const CallContext& context, const std::string& path,
                                  const BaseHash& base, const std::vector<Edit>& edits) override;
  Result<StagedChange> Remove(const CallContext& context, const std::string& path,
                              const BaseHash& base) override;
  Result<StagedChange> Move(const CallContext& context, const std::string& from,
                            const std::string& to, const BaseHash& base) override;
  Result<StagedChange> ChangeMode(const CallContext& context, const std::string& path,
                                  const BaseHash& base, bool executable) override;
  Result<std::vector<std::string>> AdoptLiveChanges(const CallContext& context) override;

  Result<ReviewAnswer> Review(const CallContext& context,
                              const std::vector<std::string>& paths) override;
  Status Approve(const CallContext& context, const std::string& receipt) override;
  Status Reject(const CallContext& context, const std::string& receipt,
                const std::string& why) override;
  Result<SubmitAnswer> Submit(const CallContext& context, const std::vector<std::string>& paths,
                              const SubmitOptions& options) override;

  Result<RebaseAnswer> Rebase(const CallContext& context,
                              const std::vector<std::string>& paths) override;
  Result<StagedChange> Resolve(const CallContext& context, const std::string& path, Take take,
                               std::string_view bytes) override;
  Result<std::vector<std::string>> Discard(const CallContext& context,
                                           const std::vector<std::string>& paths) override;
  Result<UndoAnswer> Undo(const CallContext& context, int64_t operation,
                          bool with_dependents) override;
  Result<UndoAnswer> Rollback(const CallContext& context, const std::string& turn) override;
  Result<RebaseAnswer> Revert(const CallContext& context,
                              const std::vector<int64_t>& operations) override;

  Result<CheckoutAnswer> Checkout(const CallContext& context,
                                  const std::string& directory) override;
  Result<SyncAnswer> Sync(const CallContext& context, const std::string& directory) override;

  Result<Lease> AcquireLease(const CallContext& context, const std::string& holder,
                             int64_t duration_ns) override;
  Status ReleaseLease(const CallContext& context, const Lease& lease) override;

  Status Index(const CallContext& context, const ProgressCallback& progress) override;
  Result<std::string> GetPolicy() override;
  Status SetPolicy(const CallContext& context, std::string_view text) override;
  Result<std::vector<SettingRow>> GetSettings() override;
  Status SetSetting(const CallContext& context, const std::string& name,
                    const std::optional<std::string>& value) override;
  Result<FsckReport> Fsck(const ProgressCallback& progress) override;
  Result<StoreReport> CollectGarbage(const ProgressCallback& progress) override;
  Result<UsageReport> Usage() override;
  Status Forget(const CallContext& context, const ContentHash& hash) override;
  Status Export(const std::string& file, const ProgressCallback& progress) override;

  [[nodiscard]] const std::string& root() const override { return root_; }

  // SessionHost
  Env& env() override { return env_; }
  Journal& journal() override { return *journal_; }
  ObjectStore& store() override { return *store_; }
  Directory& root_directory() override { return *root_directory_; }
  Directory& metadata() override { return *metadata_; }
  HashMemory* memory() override { return memory_.get(); }
  const OpenOptions& options() override { return options_; }
  void Committed(const std::vector<PathChange>& changes) override;
  Status EndDeadPublications() override;
  int64_t LastEnded() override;
  void ClearEnded(int64_t last) override;

 private:
  // One branch as a reader sees it now: the live folder, and what the branch stages on top.
  struct BranchState {
    LiveState live;
    std::vector<Operation> operations;
    Reduction reduction;
  };
  Result<BranchState> ReadBranch(const std::string& branch);

  // A person may save a file between the look at the disk and the read of its bytes. Such a call is
  // made again on the newer state; its error after so many attempts is what the caller gets.
  template <typename Call>
  static auto OnSteadyDisk(const Call& call) -> decltype(call()) {
    constexpr int kAttempts = 8;
    auto result = call();
    for (int attempt = 1; attempt < kAttempts && HasRaced(result); ++attempt) result = call();
    return result;
  }
  template <typename T>
  static bool HasRaced(const Result<T>& result) {
    return !result.ok() && HasRaced(result.status());
  }
  static bool HasRaced(const Status& status) {
    return !status.ok() && !status.details().FindString(kRacedDetail).empty();
  }
  static constexpr char kRacedDetail[] = "saved_meanwhile";

  // reading.cc
  Result<Content> ReadOnce(const CallContext& context, const std::string& path, const BaseHash& at);
  Result<ViewAnswer> GetViewOnce(const CallContext& context, const std::string& path,
                                 const BaseHash& at, WaitForViews wait);
  Result<std::vector<std::pair<std::string, Diff>>> GetDiffOnce(
      const CallContext& context, const std::vector<std::string>& paths);
  // Path, entry and conflict of what is read at the branch's working state, or at a content that
  // was there once; without the bytes, which ReadLocated reads.
  Result<Content> Locate(const BranchState& state, const std::string& branch,
                         const std::string& path, const BaseHash& at);
  Result<std::string> ReadLocated(const BranchState& state, const Content& content);
  // The bytes of a content of that path: from the store, or from disk while only there.
  Result<std::string> ReadContent(const std::string& path, const ContentHash& hash);
  // What the last edit made, so that the next one need not read it; nullptr for all else.
  std::shared_ptr<const std::string> FindEdited(const ContentHash& hash);
  // kOk when some operation, or the disk now, had this content at that path (rule 18).
  Status CheckWasAt(JournalReader& reader, const std::string& path, const ContentHash& hash);
  Result<std::shared_ptr<const View>> ViewOf(const std::string& path, const ContentHash& hash);
  // The difference between two entries of a path; covers kind and content (moves: of two paths).
  Result<Diff> DiffEntries(const std::string& from_path, const OptionalEntry& from,
                           const std::string& to_path, const OptionalEntry& to);
  Result<Diff> DiffStaged(const Reduction& reduction, const StagedPath& staged);
  // The staged paths that a list of paths means; an empty list is all. kNotFound for a path that
  // is neither staged nor there.
  Result<std::vector<std::string>> SelectStaged(const Reduction& reduction,
                                                const std::vector<std::string>& paths);
  // The kStaleBase answer with what changed between the two contents.
  Status StaleBase(const std::string& path, const BaseHash& expected, const OptionalEntry& actual,
                   const BaseHash& offered);
  // kOk when `base` is what the branch's working state has at the path.
  Status CheckBase(const Reduction& reduction, const std::string& path, const BaseHash& base,
                   const BaseHash& offered);
  PathConflict DescribeConflict(const StagedPath& staged);
  Status ConflictError(const StagedPath& staged);

  // staging.cc
  Result<StagedChange> ApplyEditsOnce(const CallContext& context, const std::string& path,
                                      const BaseHash& base, const std::vector<Edit>& edits);
  struct WritePlan {
    OperationType type = OperationType::kReplace;
    std::string path;
    BaseHash base;
    std::string_view bytes;
    PutOptions put;
    std::vector<Edit> edits;
    std::vector<DerivedEffect> derived;
    RequestDigest request;
    bool request_names_result = false;  // its hash is to be added, once the store has computed it
  };
  Result<StagedChange> StageBytes(const CallContext& context, const WritePlan& plan);
  Result<Operation> SupersedeConflict(WriteSession& session, Operation operation);
  // Refuses new paths that never enter the journal (rule 17) or lie in another workspace (rule 18).
  Status CheckVersioned(WriteSession& session, const std::string& path);
  Status CheckNewPath(const Reduction& reduction, const std::string& path);
  // Refuses a path below what the live folder shows as a link, a file or a nested workspace.
  Status CheckParentsOnDisk(const Reduction& reduction, const std::string& path);
  static Status CheckTwin(const Tree& tree, const std::string& path);
  // `without`: the branch with `from` already gone.
  Status CheckMove(WriteSession& session, const Reduction& without, const std::string& from,
                   const Entry& entry, const std::string& to);
  Result<StagedChange> MoveDirectory(WriteSession& session, const std::string& from,
                                     const std::string& to, const BaseHash& base);
  Result<StagedChange> AppendDirectory(WriteSession& session, const std::string& path,
                                       const std::string& to, std::vector<Operation> operations);
  Result<StagedChange> AppendStaged(WriteSession& session, Operation operation);
  static StagedChange AnswerOf(const Operation& operation);
  Result<std::optional<StagedChange>> RepeatedChange(WriteSession& session);
  Result<std::vector<std::string>> ExpandDirectory(const Reduction& reduction,
                                                   const std::string& path);

  // review.cc
  Result<ReviewAnswer> ReviewOnce(const CallContext& context,
                                  const std::vector<std::string>& paths);
  using PreparedDiffs = std::map<std::string, std::pair<PathChange, Diff>>;
  Result<PreparedDiffs> PrepareReview(const std::string& branch,
                                      const std::vector<std::string>& paths);
  Result<ReviewAnswer> RepeatedReview(const Operation& operation);
  // Who wrote what the branch stages at the path, and at what it is tied to: also the authors of
  // what a merge took up.
  Result<std::set<std::string>> AuthorsOf(JournalReader& reader, const ReceiptRow& receipt);
  Status DecideReceipt(const CallContext& context, const std::string& receipt, ReceiptState state,
                       const std::string& why);
  // submit.cc
  struct SubmitPlan {
    std::vector<PathChange> changes;
    std::vector<std::string> receipts;
    std::vector<int64_t> consumes;
  };
  Result<SubmitPlan> PlanSubmit(JournalReader& reader, const Reduction& reduction,
                                const std::vector<Operation>& operations, const std::string& branch,
                                const std::vector<std::string>& paths);
  // A first plan that knows nothing of what people changed on disk.
  Result<SubmitPlan> PlanFromJournal(const std::string& branch,
                                     const std::vector<std::string>& paths);
  // The commit point (rule 8): the submit, its receipts consumed, and a publication row a path.
  Result<Operation> CommitSubmit(WriteSession& session, const SubmitPlan& plan,
                                 const std::string& publisher, const SubmitOptions& options);
  Result<std::string> FindReceipt(JournalReader& reader, const std::vector<ReceiptRow>& receipts,
                                  const std::string& branch, const StagedPath& staged,
                                  const PathPolicy& policy);
  // kConflict where something that is not versioned has the name of a file to be made.
  Status CheckDisk(const std::vector<PathChange>& changes);
  // kParseFailed when the policy wants more of the staged bytes than they are.
  Status CheckParsed(const std::string& path, const Entry& staged, const PathPolicy& policy);
  Status CheckOfficeLocks(const std::vector<PathChange>& changes);
  // What became of the submit that a repeated request asked for.
  Result<SubmitAnswer> RepeatedSubmit(WriteSession& session);

  // publishing.cc
  std::unique_ptr<Publisher> NewPublisher();
  Result<bool> PublishAll(Publisher& publisher, const std::vector<PathChange>& changes,
                          std::vector<std::string>* met);
  Status RemoveRows(int64_t sequence, const std::vector<PathChange>& changes,
                    JournalTransaction::Durability durability);
  void FinishPublication(std::unique_ptr<Publisher> publisher, int64_t sequence,
                         const std::vector<PathChange>& changes);
  // Where other submits publish these paths: ends the session and waits for them, as long as for
  // the journal's writer, then says true. Those whose publishers died are ended. kBusy when that
  // does not suffice.
  Result<bool> AwaitPublications(std::unique_ptr<WriteSession>& session,
                                 const std::vector<PathChange>& changes);
  Status PublishOrWithdraw(std::unique_ptr<Publisher> publisher, int64_t sequence,
                           const std::vector<PathChange>& changes);
  Status Withdraw(Publisher& publisher, int64_t sequence, const std::vector<PathChange>& changes);
  // REQUIRES: the publisher's lock was taken over.
  Status EndDeadPublication(Publisher& publisher, int64_t sequence);
  // Removes what publishers left that died before their submit, or after its publication.
  Status ClearLeftovers();
  Status TakeInLateChanges();
  // Makes it sure that ended publications stay ended, and removes their publishers' files.
  void SyncAndClearEnded();

  // rebase.cc
  struct MergePlan {
    std::string path;
    OptionalEntry base, left, right;
    std::vector<int64_t> consumes;
  };
  struct EntryMerge {
    OptionalEntry merged;
    std::string method;  // of a merge of contents, or ""
    std::optional<PathConflict> conflict;
  };
  // Merges and stores; stages nothing.
  Result<EntryMerge> MergeEntries(WriteSession& session, const MergePlan& plan);
  Result<std::optional<PathConflict>> MergeAndStage(WriteSession& session, const MergePlan& plan,
                                                    OperationType type,
                                                    std::vector<StagedChange>* staged);
  Result<std::optional<PathConflict>> RebaseMoved(WriteSession& session, const StagedPath& from,
                                                  const StagedPath& to,
                                                  std::vector<StagedChange>* staged);
  Result<std::optional<PathConflict>> RebasePath(WriteSession& session, const StagedPath& staged,
                                                 std::vector<StagedChange>* rebased);
  // Where submits moved what was accepted at `path` when `since` was staged; "" if nowhere.
  Result<std::string> FollowAcceptedMove(WriteSession& session, const std::string& path,
                                         int64_t since);
  Result<RebaseAnswer> RepeatedRebase(WriteSession& session);
  // Conflicts as they are kept for a request that comes again, and again from there. Details that
  // are texts of contents are not kept but made again, which gives the same ones.
  static Value KeepConflicts(const std::vector<PathConflict>& conflicts);
  std::vector<PathConflict> KeptConflicts(const Value& kept);
  std::vector<MergeConflict> MergeAgain(const PathConflict& conflict);
  Status CheckSubmitted(WriteSession& session, const Operation& operation);
  // undo.cc
  Result<UndoAnswer> UndoOperations(
      const CallContext& context,
      const std::function<Result<std::vector<int64_t>>(WriteSession& session)>& choose,
      bool with_dependents, const RequestDigest& request);
  // The operation that takes all of `undone` back.
  Result<Operation> PlanUndo(WriteSession& session, std::vector<Operation> undone);
  // kNotFound when a content that the operation leaves was forgotten.
  Status CheckRemembered(const Operation& operation);
  static Result<Tree> WorkingAfter(WriteSession& session, const Operation& undo);
  static UndoAnswer RepeatedUndo(const Operation& operation);
  // hydrate.cc
  // The branch once what people saved was taken in: each content of it is in the store, so that
  // operations may name it as their base later.
  Result<Reduction> ReadStored(const CallContext& context);
  // Makes the directory of a checkout empty again that died in there. kConflict where anything is
  // in it that no such checkout wrote: then nothing is removed.
  Status ClearUnfinished(const std::string& directory, Directory& target);
  // Removes the locks of checkouts that died.
  Status ClearCheckoutLocks();
  Status PutManifest(const std::string& directory, std::string_view manifest);
  Result<CheckoutAnswer> Hydrate(const CallContext& context, const std::string& directory,
                                 HydratedFolder& hydrated);
  // Takes new names that this workspace must not have out of the changes and of what was scanned:
  // they stay in the folder, and the answer lists them.
  void RefuseNewNames(WriteSession& session, FolderChanges& changes, Tree& scanned,
                      SyncAnswer& answer);
  // What a sync answers beside its operations, for a request that comes again.
  static Value KeepSync(const SyncAnswer& answer);
  Result<SyncAnswer> RepeatedSync(WriteSession& session);
  void AddConflicts(const Reduction& reduction, SyncAnswer& answer);
  // searching.cc
  Result<SearchAnswer> SearchOnce(const CallContext& context, const SearchRequest& request);
  Result<Tree> TreeAt(JournalReader& reader, const std::string& branch, int64_t operation);
  Status IndexFiles(const std::vector<std::string>& paths, const Tree& tree,
                    const ProgressCallback& progress);
  // archive.cc
  Status WriteArchive(File& file, const ProgressCallback& progress);
  // upkeep.cc
  // What was forgotten and not written again since.
  Result<std::set<ContentHash>> ForgottenHashes(JournalReader& reader);
  // Of these, the ones whose bytes nobody stages: an undo may have brought one back.
  Result<std::set<ContentHash>> ErasableHashes(JournalReader& reader);
  Status PutTombstone(const CallContext& context, const ContentHash& hash);
  // What removes contents for good does so one process at a time. Waits as long as writers wait for
  // the journal, then kBusy.
  Result<std::unique_ptr<FileLock>> LockRemovals();
  // Removes the bytes of a forgotten content, unless it is in use again, and all that was derived
  // from it, so that no file has anything of it any more.
  Status EraseForgotten(const ContentHash& hash);
  Status EraseBytes(const ContentHash& hash);
  // Removes what publications displaced. kBusy while one is under way, or while a program may write
  // to what it displaced.
  Status EraseDisplaced(JournalReader& reader, const ContentHash& hash);
  // `noted`: the head as it was noted before the reader's snapshot.
  Status CompareProjections(JournalReader& reader, const JournalHead& noted, FsckReport& report,
                            std::set<ContentHash>& named);

  Env& env_;
  const FormatRegistry& formats_;
  std::string root_;
  OpenOptions options_;
  std::unique_ptr<Directory> root_directory_;
  std::unique_ptr<Directory> metadata_;
  std::unique_ptr<Directory> temporary_;
  std::unique_ptr<FileLock> making_lock_;  // held while the workspace is made, by one process only
  std::unique_ptr<Journal> journal_;
  std::unique_ptr<ObjectStore> store_;
  std::unique_ptr<HashMemory> memory_;
  std::unique_ptr<DerivedDatabase> derived_;
  std::unique_ptr<ViewCache> views_;
  std::unique_ptr<SearchIndex> index_;
  FolderMemory folders_;
  std::unique_ptr<SparePublications> spares_;
  struct EndedPublication {
    int64_t number = 0;
    std::unique_ptr<Publisher> publisher;
    std::vector<PathChange> changes;
  };
  std::mutex ended_mutex_;               // guards the next two
  std::vector<EndedPublication> ended_;  // whose rows are gone, but perhaps not for good
  int64_t ended_count_ = 0;
  std::unique_ptr<EditedContent> edited_;
  std::unique_ptr<ParsePool> pool_;  // null: views are made by whoever needs them next
};

}  // namespace staged
