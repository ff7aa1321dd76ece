#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "staged/workspace.h"
#include "workspace/live_scan.h"
#include "workspace/live_state.h"
#include "workspace/policy.h"
#include "workspace/reducer.h"

namespace staged {

// What a request asks for, so that a request id that comes again can be told from one that is used
// for something else: a digest over the command and its arguments, in order.
class RequestDigest {
 public:
  RequestDigest() = default;  // of a call that takes no request id
  explicit RequestDigest(std::string_view command) { Add(command); }
  RequestDigest& Add(std::string_view argument);
  RequestDigest& Add(const BaseHash& hash);
  RequestDigest& Add(const std::vector<std::string>& arguments);
  [[nodiscard]] const std::string& arguments() const { return arguments_; }

 private:
  std::string arguments_;  // each with its length before it
};

// What a writing call needs of an open workspace.
class SessionHost {
 public:
  virtual ~SessionHost() = default;
  virtual Env& env() = 0;
  virtual Journal& journal() = 0;
  virtual ObjectStore& store() = 0;
  virtual Directory& root_directory() = 0;
  virtual Directory& metadata() = 0;
  virtual HashMemory* memory() = 0;
  virtual const OpenOptions& options() = 0;
  // Ends or takes back publications whose process died or failed (rule 14).
  virtual Status EndDeadPublications() = 0;
  // The last publication that ended here; what it left may be cleared when a durable commit that
  // began later has come through.
  virtual int64_t LastEnded() = 0;
  virtual void ClearEnded(int64_t last) = 0;
  // Told after a commit what the operations changed.
  virtual void Committed(const std::vector<PathChange>& changes) = 0;
};

// One writing call: the journal's write transaction, with what people changed on disk taken in
// first (rule 13), and the branch as it then stands. Nothing is kept unless Commit is reached.
class WriteSession {
 public:
  // `touched`: paths that the call is about; they are hashed again under the transaction, so that
  // no save between the scan and the commit is overlooked. `request`: what the call asks for.
  // Errors: kBusy, kFenced, kIoError; kInvalidArgument when the request id was used for another
  // request.
  [[nodiscard]] static Result<std::unique_ptr<WriteSession>> Begin(
      SessionHost& host, const CallContext& context, const std::vector<std::string>& touched,
      const RequestDigest& request = {});

  // Whether a request of this id was answered before, and which operations it appended then.
  [[nodiscard]] bool is_repeated() const { return is_repeated_; }
  [[nodiscard]] const std::vector<int64_t>& repeated() const { return repeated_; }
  // What the first answer had that its operations do not say: null where they say all. No text of
  // contents may be in it, since it outlives them.
  [[nodiscard]] const Value& kept_answer() const { return kept_answer_; }
  void KeepAnswer(Value answer) { kept_answer_ = std::move(answer); }
  [[nodiscard]] JournalTransaction& transaction() { return *transaction_; }
  [[nodiscard]] ObjectStore& store() { return host_.store(); }
  [[nodiscard]] const Reduction& reduction() const { return reduction_; }
  // The branch's live operations, in order.
  [[nodiscard]] const std::vector<Operation>& live() const { return live_; }
  [[nodiscard]] const std::vector<std::string>& adopted() const { return adopted_; }
  [[nodiscard]] const std::vector<SkippedPath>& skipped() const { return skipped_; }
  [[nodiscard]] const CallContext& context() const { return context_; }
  // The ignore rules that lie in the live folder.
  [[nodiscard]] const IgnoreRules& ignore_rules() const { return ignore_rules_; }

  // Fills in who, where, when and the turn, voids the receipts that the operation makes worthless,
  // appends and projects. The reduction is not renewed: see Renew.
  [[nodiscard]] Result<Operation> Append(Operation operation);
  // Reads the branch again after Append.
  [[nodiscard]] Status Renew();
  // EnsureStored under this transaction.
  [[nodiscard]] Status Require(const ContentHash& hash, std::string_view bytes,
                               const PutOptions& options);
  // Durable on return; nothing is acknowledged before.
  [[nodiscard]] Status Commit();
  // For a call that may have nothing to do: commits what was appended, and the answer where the
  // request may come again; otherwise nothing.
  [[nodiscard]] Status CommitAnswer();

 private:
  WriteSession(SessionHost& host, const CallContext& context) : host_(host), context_(context) {}
  Status Adopt(const LiveState& live, const std::vector<std::string>& touched);
  // kDataLoss when the journal is behind the head that was noted: acknowledged operations are lost,
  // and writing on would hide that.
  Status CheckHeadNote();
  Status CheckLease();
  Status FindRepeated(const RequestDigest& request);
  Status ConsumeConverged();

  SessionHost& host_;
  CallContext context_;
  std::unique_ptr<JournalTransaction> transaction_;
  Reduction reduction_;
  std::vector<Operation> live_;
  bool is_repeated_ = false;
  std::vector<int64_t> repeated_;
  Value kept_answer_;
  std::string request_;  // the digest, in hex
  std::vector<int64_t> appended_;
  std::vector<PathChange> changes_;
  std::vector<std::string> adopted_;
  std::vector<SkippedPath> skipped_;
  IgnoreRules ignore_rules_;
  std::string turn_;
  JournalHead last_;
  // Whether the reduction's accepted tree is the journal's, but for what this session changed
  // since: that comes in with the next Renew.
  bool knows_accepted_ = false;
  std::vector<PathChange> accepted_changes_;
};

// Notes in the operation, before it is appended, which open receipts it makes void: those of its
// branch on its paths; where it moves the accepted tree, those of every branch that stages them.
[[nodiscard]] Status VoidReceipts(JournalReader& reader, Operation& operation);

// Makes sure that a content is in the store, or stores it again. What was stored before a write
// transaction began is in nobody's journal, so that a collection may have removed it meanwhile:
// whoever appends an operation that names it calls this first. REQUIRES: a write transaction.
[[nodiscard]] Status EnsureStored(ObjectStore& store, const ContentHash& hash,
                                  std::string_view bytes, const PutOptions& options);

// The name of the human branch that stands for the live folder.
inline constexpr char kDiskBranch[] = "disk";

// The note's text: sequence, chain, and a check of both, since a note may be torn.
[[nodiscard]] std::string HeadNote(const JournalHead& head);

// The head as it was last noted; nullopt where there is no note or a torn one.
[[nodiscard]] std::optional<JournalHead> ReadHeadNote(Directory& metadata);

// Writes the journal's head beside the database, for fsck to compare. Best effort.
void NoteHead(SessionHost& host, const JournalHead& head);

}  // namespace staged
