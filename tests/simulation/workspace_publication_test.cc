#include "store/local_object_store.h"
#include "tests/simulation/workspace_recovery.h"
#include "workspace/layout.h"
#include "workspace/projection.h"
#include "workspace/publication.h"

// Named cases of publications that meet each other, errors and openings.
namespace staged {
namespace {

using WorkspacePublicationTest = WorkspaceRecoveryTest;

// Rule 8: what is committed and not yet on disk is nobody's base: a submit on top waits, and is
// told so. Before any of its files is on disk, the first publication here meets an I/O error and is
// about to take its commit back.
TEST_F(WorkspacePublicationTest, SubmitOnTopOfAPendingOne) {
  int pending = 0;
  for (uint64_t call = 1;; ++call) {
    SCOPED_TRACE("error in call " + std::to_string(call));
    const auto machine = machine_.Clone();
    const auto locks = MakeEnvVfsLocks();
    const auto other = machine->NewExternalProcess();  // meets no errors
    WorkspaceSite second(*other, locks);
    WorkspaceSite site(*machine, locks);
    ASSERT_TRUE(site.Init().ok());
    ASSERT_TRUE(second.Open().ok());
    Stage(site, {"notes.txt"});
    const std::string before = *machine->ExternalRead(Absolute("notes.txt"));
    bool is_pending = false;
    site.before_write = [&] {
      const auto rows = *(*second.journal().BeginRead())->Publications();
      if (rows.empty() || *machine->ExternalRead(Absolute("notes.txt")) != before) return;
      is_pending = true;
      const CallContext context = AgentContext("second");
      ASSERT_TRUE(second->Write(context, "notes.txt", rows[0].result->hash, "on top\n").ok());
      ASSERT_TRUE(second->Review(context, {}).ok());
      const auto submitted = second->Submit(context, {}, {});
      ASSERT_EQ(submitted.status().code(), ErrorCode::kBusy) << submitted.status().message();
      ASSERT_NE(submitted.status().message().find("is being published"), std::string::npos);
    };
    const uint64_t failing_call = machine->call_count() + call;
    machine->PlanFault(failing_call, Fault::kIoError);
    const bool is_submitted = site->Submit(AgentContext(), {}, {}).ok();
    const bool was_last = machine->call_count() < failing_call;
    machine->ClearFaults();
    site.before_write = nullptr;
    if (is_pending) {
      ++pending;
      EXPECT_FALSE(is_submitted);
    }
    site.Close();
    second.Close();
    WorkspaceSite afterwards(*machine);
    ASSERT_NO_FATAL_FAILURE(ExpectSound(afterwards, {}));
    if (was_last) break;
  }
  EXPECT_GT(pending, 0);
}

// Rule 4: where the rows of an acknowledged submit come back with a power loss, an I/O error while
// they are ended is an error of that opening, and takes nothing back.
TEST_F(WorkspacePublicationTest, ErrorsWhileRowsThatCameBackAreEnded) {
  {
    WorkspaceSite site(machine_);
    ASSERT_TRUE(site.Init().ok());
    Stage(site, {"notes.txt", "new/deep/file.txt"});
  }
  int failed = 0;
  for (uint64_t seed = 0; seed < 6; ++seed) {
    const auto lost = machine_.Clone();
    Promise promise;
    {
      WorkspaceSite site(*lost);
      ASSERT_TRUE(site.Open().ok());
      ASSERT_TRUE(site->Submit(AgentContext(), {}, {}).ok());
      promise.head = *ReadHead(site.journal());
      lost->Crash();
    }
    lost->Reboot(seed);
    for (uint64_t call = 1;; ++call) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", error in call " + std::to_string(call));
      const auto machine = lost->Clone();
      const uint64_t failing_call = machine->call_count() + call;
      machine->PlanFault(failing_call, Fault::kIoError);
      {
        WorkspaceSite site(*machine);
        if (!site.Open().ok()) ++failed;
      }
      const bool was_last = machine->call_count() < failing_call;
      machine->ClearFaults();
      WorkspaceSite site(*machine);
      ASSERT_TRUE(site.Open().ok());
      ASSERT_TRUE(site->AdoptLiveChanges(AgentContext()).ok());
      ASSERT_EQ(FindBrokenRule(site, promise), "");
      ASSERT_EQ(*machine->ExternalRead(Absolute("notes.txt")), "by an agent: notes.txt\n");
      if (was_last) break;
    }
  }
  EXPECT_GT(failed, 20);
}

// Rule 14: a publisher that commits, publishes and dies while an opening clears what others left:
// its files, which tell what it published, stay for whoever ends its publication.
TEST_F(WorkspacePublicationTest, PublisherDiesBetweenTwoStepsOfAnOpening) {
  const auto locks = MakeEnvVfsLocks();
  const auto other = machine_.NewProcess();
  WorkspaceSite site(machine_, locks);
  ASSERT_TRUE(site.Init().ok());
  const std::string before = *machine_.ExternalRead(Absolute("notes.txt"));
  const std::string submitted = "submitted\n";
  const auto root = *machine_.OpenDirectory(kSimulatedRoot);
  const auto metadata = *root->OpenDirectory(layout::kFolder);
  const auto temporary = *metadata->OpenDirectory(layout::kTemporary);
  const auto store = *OpenObjectStore(machine_, *metadata->OpenDirectory(layout::kObjects));
  ASSERT_TRUE(store->Put(submitted, {}).ok());
  const std::vector<PathChange> changes = {{"notes.txt",
                                            Entry{EntryKind::kFile, ContentHash::Of(before)},
                                            Entry{EntryKind::kFile, ContentHash::Of(submitted)}}};
  FolderMemory folders;
  SparePublications spares(*temporary);
  auto publisher =
      std::make_unique<Publisher>(machine_, *root, *temporary, *store, folders, spares);
  ASSERT_TRUE(publisher->Begin().ok());
  ASSERT_TRUE(publisher->Prepare(changes).ok());
  // Its turn comes when the opening has taken over what lies before it.
  constexpr char kLeftover[] = "publish-0000000000000000-0.new";
  constexpr char kLeftoverLock[] = "publish-0000000000000000.lock";
  ASSERT_TRUE(temporary->Create(kLeftover, 0600).ok());
  WorkspaceSite opener(*other, locks);
  opener.before_read = [&] {
    if (publisher == nullptr || !temporary->Stat(kLeftoverLock).ok()) return;
    const auto transaction = *site.journal().BeginWrite(0);
    Operation submit;
    submit.type = OperationType::kSubmit;
    submit.actor = AgentContext().actor;
    submit.branch = AgentContext().branch;
    submit.turn = "turn";
    submit.time_ns = machine_.NowNs();
    submit.changes = changes;
    submit.payload.Set(kPayloadPublisher, publisher->owner());
    ASSERT_TRUE(AppendAndProject(*transaction, submit).ok());
    ASSERT_TRUE(transaction
                    ->PutPublication({submit.sequence, publisher->owner(), changes[0].path,
                                      changes[0].base, changes[0].result})
                    .ok());
    ASSERT_TRUE(transaction->Commit(JournalTransaction::Durability::kDurable).ok());
    ASSERT_TRUE(*publisher->Publish(0, changes[0]));
    ASSERT_TRUE(publisher->SyncTouched().ok());
    publisher.reset();
    MakeSaves(machine_, {{"notes.txt", before}});
  };
  ASSERT_TRUE(opener.Open().ok());
  ASSERT_EQ(publisher, nullptr);
  opener.before_read = nullptr;
  opener.Close();
  site.Close();
  ASSERT_NO_FATAL_FAILURE(ExpectSound(opener, {{"notes.txt", before}}));
  EXPECT_EQ(*machine_.ExternalRead(Absolute("notes.txt")), before);
}

// Rules 4 and 13: a process is killed after its submit was acknowledged, another clears what it
// left, and the power goes: rows do not come back without the files that explain them.
TEST_F(WorkspacePublicationTest, LeftoversAreClearedForGood) {
  {
    WorkspaceSite site(machine_);
    ASSERT_TRUE(site.Init().ok());
    Stage(site, {"notes.txt"});
  }
  const std::string old_notes = *machine_.ExternalRead(Absolute("notes.txt"));
  for (uint64_t seed = 0; seed < 24; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto machine = machine_.Clone();
    const auto locks = MakeEnvVfsLocks();
    const auto other = machine->NewProcess();
    {
      WorkspaceSite survivor(*other, locks);
      WorkspaceSite site(*machine, locks);
      ASSERT_TRUE(site.Open().ok());
      ASSERT_TRUE(site->Submit(AgentContext(), {}, {}).ok());
      machine->Kill();
      site.Close();
      ASSERT_TRUE(survivor.Open().ok());
      machine->Crash();
    }
    machine->Reboot(seed);
    MakeSaves(*machine, {{"notes.txt", old_notes}});
    WorkspaceSite site(*machine);
    ASSERT_NO_FATAL_FAILURE(ExpectSound(site, {{"notes.txt", old_notes}}));
    ASSERT_EQ(*machine->ExternalRead(Absolute("notes.txt")), old_notes);
  }
}

// Rules 4 and 13: the end of an acknowledged submit is not durable at once. Where its rows come
// back with a power loss, what people did since is theirs: nothing is taken back, nothing is
// published again over it.
TEST_F(WorkspacePublicationTest, PersonActsOnAnAcknowledgedSubmitWhoseRowsComeBack) {
  {
    WorkspaceSite site(machine_);
    ASSERT_TRUE(site.Init().ok());
    Stage(site, {"notes.txt", "new/deep/file.txt"});
    const auto table = site->Read(AgentContext(), "table.csv", {});
    ASSERT_TRUE(table.ok());
    ASSERT_TRUE(site->Remove(AgentContext(), "table.csv", table->entry.hash).ok());
    ASSERT_TRUE(site->Review(AgentContext(), {}).ok());
  }
  const std::string old_notes = *machine_.ExternalRead(Absolute("notes.txt"));
  const std::string old_table = *machine_.ExternalRead(Absolute("table.csv"));
  const std::vector<PersonsSave> actions = {
      {"notes.txt", "edited\n"},           {"notes.txt", old_notes},
      {"notes.txt", std::nullopt},         {"new/deep/file.txt", "edited\n"},
      {"new/deep/file.txt", std::nullopt}, {"table.csv", old_table},
      {"table.csv", "another\n"}};
  int came_back = 0;
  for (uint64_t round = 0; round < 20 * actions.size(); ++round) {
    const PersonsSave& action = actions[round % actions.size()];
    SCOPED_TRACE("round " + std::to_string(round) + ", " + action.path + ": " +
                 action.bytes.value_or("removed"));
    const auto machine = machine_.Clone();
    Promise promise{{}, {action}};
    {
      WorkspaceSite site(*machine);
      ASSERT_TRUE(site.Open().ok());
      ASSERT_TRUE(site->Submit(AgentContext(), {}, {}).ok());
      promise.head = *ReadHead(site.journal());
      machine->Crash();
    }
    machine->Reboot(round);
    MakeSaves(*machine, {action});
    const Tree before = *ListLiveFolder(*machine);
    {
      const auto copy = machine->Clone();
      WorkspaceSite site(*copy);
      const auto journal = site.Options().open_journal(false);
      ASSERT_TRUE(journal.ok());
      if (!(*(*journal)->BeginRead())->Publications()->empty()) ++came_back;
    }
    WorkspaceSite site(*machine);
    ASSERT_TRUE(site.Open().ok());
    ASSERT_TRUE(site->AdoptLiveChanges(AgentContext()).ok());
    EXPECT_EQ(FindBrokenRule(site, promise), "");
    EXPECT_TRUE(*ListLiveFolder(*machine) == before);
    OperationFilter withdrawals;
    withdrawals.types = {OperationType::kWithdraw};
    ASSERT_TRUE(site->ForEachOperation(withdrawals,
                                       [](const Operation& operation) {
                                         ADD_FAILURE()
                                             << "operation " << operation.sequence << " withdraws";
                                         return true;
                                       })
                    .ok());
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GT(came_back, 10);
}

// A submit that the live folder does not take (a read-only folder, say) says which path it was.
TEST_F(WorkspacePublicationTest, AFailedPublicationNamesThePath) {
  {
    WorkspaceSite site(machine_);
    ASSERT_TRUE(site.Init().ok());
    ASSERT_NO_FATAL_FAILURE(Stage(site, {"notes.txt"}));
  }
  int withdrawn = 0;
  for (uint64_t call = 1;; ++call) {
    SCOPED_TRACE("I/O error in call " + std::to_string(call));
    const auto machine = machine_.Clone();
    WorkspaceSite site(*machine);
    ASSERT_TRUE(site.Open().ok());
    const uint64_t first = machine->call_count();
    machine->PlanFault(first + call, Fault::kIoError);
    const Status submitted = site->Submit(AgentContext(), {}, {}).status();
    if (machine->call_count() < first + call) break;
    OperationFilter filter;
    filter.types = {OperationType::kWithdraw};
    bool is_withdrawn = false;
    const auto reader = site.journal().BeginRead();
    ASSERT_TRUE(reader.ok());
    ASSERT_TRUE((*reader)
                    ->Scan(filter,
                           [&](const Operation&) {
                             is_withdrawn = true;
                             return false;
                           })
                    .ok());
    if (!is_withdrawn) continue;
    ++withdrawn;
    EXPECT_NE(submitted.message().find("'notes.txt' could not be published"), std::string::npos)
        << submitted.message();
    EXPECT_NE(submitted.message().find("nothing was submitted"), std::string::npos)
        << submitted.message();
    // What was reviewed is as it was, and so is its receipt.
    machine->ClearFaults();
    const Status again = site->Submit(AgentContext(), {}, {}).status();
    EXPECT_TRUE(again.ok()) << again.message();
    EXPECT_EQ(*machine->ExternalRead(Absolute("notes.txt")), "by an agent: notes.txt\n");
  }
  EXPECT_GT(withdrawn, 0);
}

// Rules 4 and 14: a process's later submits use the lock and the mark of the one before again; the
// mark vouches for no file before all are prepared.
TEST_F(WorkspacePublicationTest, LaterSubmitOfAProcessDiesInEveryCall) {
  const auto submit_first = [](WorkspaceSite& site) {
    ASSERT_TRUE(site.Open().ok());
    Stage(site, {"first.txt"});
    ASSERT_TRUE(site->Submit(AgentContext(), {}, {}).ok());
    Stage(site, {"notes.txt", "second.txt"});
    // So that what is lost is lost of the second submit.
    const auto temporary = site.env().OpenDirectory(Absolute(".staged/tmp"));
    ASSERT_TRUE((*temporary)->SyncDirectory("").ok());
  };
  {
    WorkspaceSite site(machine_);
    ASSERT_TRUE(site.Init().ok());
  }
  for (uint64_t call = 1;; ++call) {
    const auto machine = machine_.Clone();
    {
      WorkspaceSite site(*machine);
      ASSERT_NO_FATAL_FAILURE(submit_first(site));
      machine->PlanFault(machine->call_count() + call, Fault::kCrash);
      (void)site->Submit(AgentContext(), {}, {}).ok();
    }
    if (machine->is_alive()) break;
    for (uint64_t seed = 0; seed < 6; ++seed) {
      SCOPED_TRACE("call " + std::to_string(call) + ", seed " + std::to_string(seed));
      const auto after = machine->Clone();
      after->Reboot(6 * call + seed);
      WorkspaceSite site(*after);
      ASSERT_NO_FATAL_FAILURE(ExpectSound(site, {}));
      // Both or none, and nobody is said to have removed one.
      const bool is_new = *after->ExternalRead(Absolute("notes.txt")) == "by an agent: notes.txt\n";
      EXPECT_EQ(after->ExternalRead(Absolute("second.txt")).ok(), is_new);
      EXPECT_TRUE(after->ExternalRead(Absolute("first.txt")).ok());
    }
  }
}

// Rule 4: whoever opens the journal after a writer was killed may see a commit that was never
// synced. A call that then has nothing to do says so on its account: from then on it stays.
TEST_F(WorkspacePublicationTest, NothingLeftToDoAfterAKilledCommit) {
  {
    WorkspaceSite site(machine_);
    ASSERT_TRUE(site.Init().ok());
    ASSERT_NO_FATAL_FAILURE(Stage(site, {"notes.txt"}));
  }
  int seen = 0;
  for (uint64_t call = 1;; ++call) {
    SCOPED_TRACE("killed in call " + std::to_string(call));
    const auto machine = machine_.Clone();
    {
      WorkspaceSite site(*machine);
      ASSERT_TRUE(site.Open().ok());
      machine->PlanFault(machine->call_count() + call, Fault::kKill);
      (void)site->Discard(AgentContext(), {}).ok();
    }
    if (machine->is_alive()) break;
    machine->Restart();
    Promise promise;
    {
      WorkspaceSite site(*machine);
      ASSERT_TRUE(site.Open().ok());
      promise.head = *ReadHead(site.journal());
      const auto again = site->Discard(AgentContext(), {});
      ASSERT_TRUE(again.ok()) << again.status().message();
      const JournalHead head = *ReadHead(site.journal());
      if (head.sequence == promise.head.sequence) ++seen;
      promise.head = head;
    }
    for (uint64_t seed = 0; seed < 6; ++seed) {
      const auto after = machine->Clone();
      after->Reboot(6 * call + seed);
      WorkspaceSite site(*after);
      ASSERT_TRUE(site.Open().ok());
      ASSERT_EQ(FindBrokenRule(site, promise), "");
    }
  }
  EXPECT_GT(seen, 0);
}

}  // namespace
}  // namespace staged
