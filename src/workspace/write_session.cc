#include "workspace/write_session.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "base/binary.h"
#include "workspace/layout.h"
#include "workspace/paths.h"
#include "workspace/projection.h"

namespace staged {
namespace {

std::string JoinSequences(const std::vector<int64_t>& sequences) {
  std::string joined;
  for (const int64_t sequence : sequences) {
    joined += (joined.empty() ? "" : ",") + std::to_string(sequence);
  }
  return joined;
}

std::vector<int64_t> SplitSequences(const std::string& text) {
  std::vector<int64_t> sequences;
  for (size_t begin = 0; begin < text.size();) {
    const size_t comma = std::min(text.find(',', begin), text.size());
    int64_t sequence = 0;
    std::from_chars(text.data() + begin, text.data() + comma, sequence);
    sequences.push_back(sequence);
    begin = comma + 1;
  }
  return sequences;
}

// The answer that is kept for a request id: the operations, then what was asked for, then, encoded,
// what else was answered, if anything.
constexpr char kDigestSeparator = ' ';

}  // namespace

RequestDigest& RequestDigest::Add(std::string_view argument) {
  BinaryWriter writer;
  writer.PutString(argument);
  arguments_ += writer.bytes();
  return *this;
}

RequestDigest& RequestDigest::Add(const BaseHash& hash) {
  return Add(hash ? hash->ToString() : std::string("none"));
}

RequestDigest& RequestDigest::Add(const std::vector<std::string>& arguments) {
  Add(std::to_string(arguments.size()));
  for (const std::string& argument : arguments) Add(argument);
  return *this;
}

std::string HeadNote(const JournalHead& head) {
  constexpr size_t kCheckDigits = 16;
  const std::string text = std::to_string(head.sequence) + " " + head.chain.ToHex();
  return text + " " + ContentHash::Of(text).ToHex().substr(0, kCheckDigits) + "\n";
}

std::optional<JournalHead> ReadHeadNote(Directory& metadata) {
  constexpr uint64_t kNoteBytesMax = 4096;
  const Result<std::string> note = metadata.ReadFile(layout::kHeadFile, kNoteBytesMax);
  if (!note.ok() || note->find(' ') == std::string::npos) return std::nullopt;
  JournalHead head;
  const size_t space = note->find(' ');
  std::from_chars(note->data(), note->data() + space, head.sequence);
  constexpr size_t kHexDigits = 2 * ContentHash::kSizeBytes;
  const auto chain = ContentHash::ParseHex(std::string_view(*note).substr(space + 1, kHexDigits));
  if (!chain.ok()) return std::nullopt;
  head.chain = *chain;
  if (HeadNote(head) != *note) return std::nullopt;
  return head;
}

void NoteHead(SessionHost& host, const JournalHead& head) {
  const std::string line = HeadNote(head);
  auto file = host.metadata().OpenWrite(layout::kHeadFile);
  if (!file.ok()) file = host.metadata().Create(layout::kHeadFile, 0600);
  if (!file.ok()) return;
  // A torn or missing note proves nothing and is not an error: the journal is the truth.
  (void)(*file)->WriteAt(0, line).ok();
}

Status EnsureStored(ObjectStore& store, const ContentHash& hash, std::string_view bytes,
                    const PutOptions& options) {
  STAGED_ASSIGN_OR_RETURN(const bool there, store.Has(hash));
  return there ? OkStatus() : store.Put(bytes, options).status();
}

Result<std::unique_ptr<WriteSession>> WriteSession::Begin(SessionHost& host,
                                                          const CallContext& context,
                                                          const std::vector<std::string>& touched,
                                                          const RequestDigest& request) {
  STAGED_RETURN_IF_ERROR(CheckBranchName(context.branch));
  std::unique_ptr<WriteSession> session(new WriteSession(host, context));
  // Best effort: what cannot be ended now does not keep others from staging.
  (void)host.EndDeadPublications().ok();
  STAGED_ASSIGN_OR_RETURN(LiveState live,
                          ObserveLive(host.journal(), host.root_directory(), host.memory()));
  STAGED_ASSIGN_OR_RETURN(const JournalHead seen, live.reader->Head());
  live.reader.reset();
  // Bytes are made durable before the transaction, which keeps other writers waiting.
  for (const auto& [path, entry] : live.overlay) {
    if (!entry) continue;
    const Result<std::string> bytes = ReadEntry(host.root_directory(), path);
    if (bytes.ok()) STAGED_RETURN_IF_ERROR(host.store().Put(*bytes, {}).status());
  }
  session->skipped_ = live.skipped;
  session->ignore_rules_ = std::move(live.rules);
  STAGED_ASSIGN_OR_RETURN(session->transaction_,
                          host.journal().BeginWrite(host.options().writer_wait_ms));
  STAGED_RETURN_IF_ERROR(session->CheckHeadNote());
  STAGED_RETURN_IF_ERROR(session->FindRepeated(request));
  // A repeated request changes nothing, so that it is answered whoever holds the branch now.
  const bool repeated = session->is_repeated_;
  if (!repeated) STAGED_RETURN_IF_ERROR(session->CheckLease());
  // The accepted tree moves with an operation only.
  STAGED_ASSIGN_OR_RETURN(const JournalHead head, session->transaction_->Head());
  if (head.sequence == seen.sequence) {
    session->reduction_.accepted = std::move(live.accepted);
    session->knows_accepted_ = true;
  }
  if (!repeated) STAGED_RETURN_IF_ERROR(session->Adopt(live, touched));
  STAGED_RETURN_IF_ERROR(session->Renew());
  if (!repeated) STAGED_RETURN_IF_ERROR(session->ConsumeConverged());
  return session;
}

Status WriteSession::FindRepeated(const RequestDigest& request) {
  if (context_.request_id.empty()) return OkStatus();
  // The turn is no part of it: a caller that names none gets a new one each time.
  RequestDigest asked;
  asked.Add(context_.branch).Add(context_.actor.name).Add(request.arguments());
  request_ = ContentHash::Of(asked.arguments()).ToHex();
  STAGED_ASSIGN_OR_RETURN(const auto answer, transaction_->RequestAnswer(context_.request_id));
  if (!answer) return OkStatus();
  const size_t space = std::min(answer->find(kDigestSeparator), answer->size());
  const std::string rest = space < answer->size() ? answer->substr(space + 1) : "";
  if (!rest.empty() && rest.substr(0, request_.size()) != request_) {
    return {ErrorCode::kInvalidArgument,
            "request id '" + context_.request_id +
                "' was used for another request; give each request an id of its own",
            Value::Object{{"request_id", context_.request_id}}};
  }
  if (rest.size() > request_.size() + 1) {
    BinaryReader reader(std::string_view(rest).substr(request_.size() + 1));
    kept_answer_ = reader.GetValue();
    STAGED_RETURN_IF_ERROR(reader.Finish("the answer of a request"));
  }
  is_repeated_ = true;
  repeated_ = SplitSequences(answer->substr(0, space));
  return OkStatus();
}

Status WriteSession::CheckHeadNote() {
  const std::optional<JournalHead> noted = ReadHeadNote(host_.metadata());
  if (!noted) return OkStatus();
  STAGED_ASSIGN_OR_RETURN(const JournalHead head, transaction_->Head());
  ContentHash chain = head.chain;
  if (noted->sequence < head.sequence) {
    STAGED_ASSIGN_OR_RETURN(const Operation operation, transaction_->Read(noted->sequence));
    chain = operation.chain;
  }
  if (noted->sequence <= head.sequence && chain == noted->chain) return OkStatus();
  return {
      ErrorCode::kDataLoss,
      "the journal lost operations that were acknowledged (it had operation " +
          std::to_string(noted->sequence) +
          "); restore .staged from a copy or an export, or delete .staged/head to go on without"};
}

Status WriteSession::CheckLease() {
  STAGED_ASSIGN_OR_RETURN(const auto branch, transaction_->Branch(context_.branch));
  if (!branch || branch->lease_epoch == 0) {
    if (context_.lease_epoch == 0) return OkStatus();
  } else {
    if (context_.lease_epoch == branch->lease_epoch && !branch->lease_holder.empty()) {
      return OkStatus();
    }
    const bool held =
        !branch->lease_holder.empty() && branch->lease_expires_ns > host_.env().NowNs();
    if (context_.lease_epoch == 0 && !held) return OkStatus();
  }
  const std::string why = branch && !branch->lease_holder.empty()
                              ? "is leased by another session ('" + branch->lease_holder + "')"
                              : "is leased by nobody now: the lease was released";
  return {ErrorCode::kFenced, "branch '" + context_.branch + "' " + why +
                                  "; acquire the lease again and read the branch before writing"};
}

Status WriteSession::Adopt(const LiveState& live, const std::vector<std::string>& touched) {
  std::set<std::string> paths(touched.begin(), touched.end());
  for (const auto& [path, entry] : live.overlay) paths.insert(path);
  if (paths.empty()) return OkStatus();
  STAGED_ASSIGN_OR_RETURN(const Publications publications, ReadPublications(*transaction_));
  Operation operation;
  operation.type = OperationType::kAdopt;
  for (const std::string& path : paths) {
    STAGED_ASSIGN_OR_RETURN(const auto accepted_row, transaction_->Accepted(path));
    const OptionalEntry accepted =
        accepted_row ? OptionalEntry(accepted_row->entry) : OptionalEntry();
    const auto publication = publications.find(path);
    const PublicationRow* row = publication == publications.end() ? nullptr : &publication->second;
    // A directory stands for its files, which the scan knows; there is no file of its name.
    const Result<FileStatus> status = host_.root_directory().Stat(path);
    const bool is_directory = status.ok() && status->kind == FileKind::kDirectory;
    const Result<OptionalEntry> scanned = is_directory ? Result<OptionalEntry>(OptionalEntry())
                                                       : ScanPath(host_.root_directory(), path,
                                                                  {.tracked = nullptr,
                                                                   .memory = host_.memory(),
                                                                   .ignore_rules = false,
                                                                   .content_sink = {},
                                                                   .progress = {}});
    if (!scanned.ok()) {
      // Unreadable now: nothing of it can be taken in, and nothing may be put in its place.
      const bool is_unknown = scanned.status().code() == ErrorCode::kIoError;
      if (live.overlay.contains(path) && !is_unknown) continue;
      return scanned.status();
    }
    OptionalEntry on_disk = *scanned;
    if (!IsPersonsChange(on_disk, accepted, row)) continue;
    // A new name counts only if the scan lets it in: ignored files stay out (rule 17).
    if (!accepted && !live.overlay.contains(path)) continue;
    if (on_disk) {
      STAGED_ASSIGN_OR_RETURN(const std::string bytes, ReadEntry(host_.root_directory(), path));
      if (on_disk->kind == EntryKind::kSymlink && !SymlinkStaysInside(path, bytes)) continue;
      on_disk->hash = ContentHash::Of(bytes);
      STAGED_RETURN_IF_ERROR(Require(on_disk->hash, bytes, {}));
      if (on_disk == accepted) continue;
    }
    operation.changes.push_back({path, accepted, on_disk});
    adopted_.push_back(path);
  }
  if (operation.changes.empty()) return OkStatus();
  CallContext person;
  person.actor = host_.options().person;
  person.branch = kDiskBranch;
  person.branch_kind = BranchKind::kHuman;
  std::swap(person, context_);
  const Result<Operation> appended = Append(std::move(operation));
  std::swap(person, context_);
  turn_.clear();
  appended_.clear();
  return appended.status();
}

Status WriteSession::ConsumeConverged() {
  if (reduction_.converged_operations.empty()) return OkStatus();
  Operation operation;
  operation.type = OperationType::kDiscard;
  operation.consumes = reduction_.converged_operations;
  operation.payload.Set("reason", "already accepted");
  STAGED_RETURN_IF_ERROR(Append(std::move(operation)).status());
  appended_.clear();
  return Renew();
}

Status WriteSession::Renew() {
  STAGED_ASSIGN_OR_RETURN(live_, transaction_->LiveOperations(context_.branch));
  Tree accepted = std::move(reduction_.accepted);
  if (knows_accepted_) {
    for (const PathChange& change : accepted_changes_) {
      SetEntry(accepted, change.path, change.result);
    }
  } else {
    STAGED_ASSIGN_OR_RETURN(accepted, ReadAcceptedTree(*transaction_));
    knows_accepted_ = true;
  }
  accepted_changes_.clear();
  reduction_ = Reduce(std::move(accepted), {}, live_);
  return OkStatus();
}

namespace {

Status VoidReceiptsOn(JournalReader& reader, Operation& operation, const std::string& branch,
                      const std::set<std::string>& paths) {
  STAGED_ASSIGN_OR_RETURN(const std::vector<ReceiptRow> receipts, reader.Receipts(branch));
  for (const ReceiptRow& receipt : receipts) {
    const bool open =
        receipt.state == ReceiptState::kMinted || receipt.state == ReceiptState::kPending;
    if (!open || !paths.contains(receipt.path)) continue;
    // A submit consumes the receipts that it names; these keep that state.
    bool named = false;
    if (const Value* states = operation.payload.Find(kPayloadReceiptStates)) {
      for (const Value& state : states->as_array()) {
        named = named || state.as_array()[0].as_string() == receipt.id;
      }
    }
    if (!named) AddReceiptState(operation, receipt.id, ReceiptState::kVoid);
  }
  return OkStatus();
}

}  // namespace

Status VoidReceipts(JournalReader& reader, Operation& operation) {
  std::set<std::string> paths;
  for (const PathChange& change : operation.changes) paths.insert(change.path);
  for (const auto* sequences : {&operation.consumes, &operation.revives}) {
    for (const int64_t sequence : *sequences) {
      STAGED_ASSIGN_OR_RETURN(const Operation other, reader.Read(sequence));
      for (const PathChange& change : other.changes) paths.insert(change.path);
    }
  }
  if (paths.empty()) return OkStatus();
  const bool accepted_moves = operation.type == OperationType::kAdopt ||
                              operation.type == OperationType::kSubmit ||
                              operation.type == OperationType::kWithdraw;
  // A later review of a path replaces an earlier one like any other operation does.
  if (!accepted_moves) return VoidReceiptsOn(reader, operation, operation.branch, paths);
  std::set<std::string> branches = {operation.branch};
  STAGED_ASSIGN_OR_RETURN(const auto live_paths, reader.LivePaths());
  for (const auto& [branch, path] : live_paths) {
    if (paths.contains(path)) branches.insert(branch);
  }
  for (const std::string& branch : branches) {
    STAGED_RETURN_IF_ERROR(VoidReceiptsOn(reader, operation, branch, paths));
  }
  return OkStatus();
}

Result<Operation> WriteSession::Append(Operation operation) {
  STAGED_ASSIGN_OR_RETURN(last_, transaction_->Head());
  const int64_t sequence = last_.sequence + 1;
  if (turn_.empty()) {
    turn_ = context_.turn.empty() ? "t" + std::to_string(sequence) : context_.turn;
  }
  operation.actor = context_.actor;
  operation.branch = context_.branch;
  operation.turn = turn_;
  operation.time_ns = host_.env().NowNs();
  operation.lease_epoch = context_.lease_epoch;
  operation.request_id = context_.request_id;
  STAGED_RETURN_IF_ERROR(VoidReceipts(*transaction_, operation));
  STAGED_ASSIGN_OR_RETURN(const auto branch, transaction_->Branch(context_.branch));
  if (!branch) {
    BranchRow row;
    row.name = context_.branch;
    row.kind = context_.branch_kind;
    row.created_sequence = sequence;
    STAGED_RETURN_IF_ERROR(transaction_->PutBranch(row));
  }
  STAGED_RETURN_IF_ERROR(AppendAndProject(*transaction_, operation));
  if (operation.type == OperationType::kAdopt || operation.type == OperationType::kSubmit) {
    accepted_changes_.insert(accepted_changes_.end(), operation.changes.begin(),
                             operation.changes.end());
  }
  appended_.push_back(operation.sequence);
  changes_.insert(changes_.end(), operation.changes.begin(), operation.changes.end());
  last_ = {operation.sequence, operation.chain};
  return operation;
}

Status WriteSession::Require(const ContentHash& hash, std::string_view bytes,
                             const PutOptions& options) {
  return EnsureStored(host_.store(), hash, bytes, options);
}

Status WriteSession::CommitAnswer() {
  return appended_.empty() && context_.request_id.empty() ? OkStatus() : Commit();
}

Status WriteSession::Commit() {
  if (!context_.request_id.empty()) {
    std::string answer = JoinSequences(appended_) + kDigestSeparator + request_;
    if (!kept_answer_.is_null()) {
      BinaryWriter writer;
      writer.PutValue(kept_answer_);
      answer += kDigestSeparator + writer.bytes();
    }
    STAGED_RETURN_IF_ERROR(transaction_->PutRequestAnswer(context_.request_id, answer));
  }
  const int64_t ended = host_.LastEnded();
  STAGED_RETURN_IF_ERROR(transaction_->Commit(JournalTransaction::Durability::kDurable));
  transaction_.reset();
  host_.ClearEnded(ended);
  if (last_.sequence != 0) NoteHead(host_, last_);
  host_.Committed(changes_);
  return OkStatus();
}

}  // namespace staged
