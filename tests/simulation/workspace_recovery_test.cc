#include "tests/simulation/workspace_recovery.h"

#include "journal/sqlite_journal.h"
#include "staged/ext/format.h"

// Named cases of recovery: each was, or would be, a bug.
namespace staged {
namespace {

// Rule 14: an init that dies leaves nothing that opens by half, and the next one works.
TEST_F(WorkspaceRecoveryTest, InitDiesInEveryCall) {
  uint64_t calls = 0;
  {
    const auto counting = machine_.Clone();
    WorkspaceSite site(*counting);
    ASSERT_TRUE(site.Init().ok());
    calls = counting->call_count() - machine_.call_count();
  }
  for (const Fault fault : {Fault::kCrash, Fault::kIoError, Fault::kNoSpace}) {
    for (uint64_t call = 1; call <= calls; ++call) {
      SCOPED_TRACE("fault " + std::to_string(static_cast<int>(fault)) + " in call " +
                   std::to_string(call) + " of " + std::to_string(calls));
      const auto machine = machine_.Clone();
      machine->PlanFault(machine->call_count() + call, fault);
      Status made;
      {
        WorkspaceSite site(*machine);
        made = site.Init();
      }
      machine->ClearFaults();
      if (fault == Fault::kCrash) machine->Reboot(call);
      WorkspaceSite site(*machine);
      const Status opened = site.Open();
      if (made.ok()) {
        ASSERT_TRUE(opened.ok()) << opened.message();
      }
      if (!opened.ok()) {
        const Status again = site.Init();
        ASSERT_TRUE(again.ok()) << again.message();
      }
      ASSERT_EQ(FindBrokenRule(site, {}), "");
      ASSERT_EQ(FindWhyNothingWorks(site), "");
    }
  }
}

// Rule 13: a program that had the file open when it was replaced writes into it later.
TEST_F(WorkspaceRecoveryTest, LateWriterIntoADisplacedFile) {
  WorkspaceSite site(machine_);
  ASSERT_TRUE(site.Init().ok());
  Stage(site, {"notes.txt", "plan.md"});
  const auto person = machine_.NewExternalProcess();
  const auto root = *person->OpenDirectory(kSimulatedRoot);
  auto file = *root->OpenWrite("notes.txt");
  ASSERT_TRUE(site->Submit(AgentContext(), {}, {}).ok());
  ASSERT_TRUE(file->Truncate(0).ok());
  ASSERT_TRUE(file->WriteAt(0, "written late\n").ok());
  ASSERT_TRUE(file->Sync().ok());
  file.reset();
  ExpectSound(site, {{"notes.txt", "written late\n"}});
  const auto disk = site->GetStatus(AgentContext("disk"));
  ASSERT_TRUE(disk.ok());
  bool in_conflict = false;
  for (const FileRow& row : disk->files) {
    in_conflict = in_conflict || (row.path == "notes.txt" && row.state == "conflict");
  }
  EXPECT_TRUE(in_conflict);
}

// Rules 4 and 13: what a call stores before its transaction is in nobody's journal yet, and another
// process's collection takes it; the call stores it again before the journal names it.
TEST_F(WorkspaceRecoveryTest, CollectionsBetweenStoringAndAppending) {
  const auto locks = MakeEnvVfsLocks();
  const auto other = machine_.NewProcess();
  WorkspaceSite keeper(*other, locks);
  WorkspaceSite site(machine_, locks);
  ASSERT_TRUE(site.Init().ok());
  ASSERT_TRUE(keeper.Open().ok());
  int collections = 0;
  site.before_write = [&] {
    ASSERT_TRUE(keeper->CollectGarbage({}).ok());
    ++collections;
  };
  const auto expect_whole = [&](const std::string& what) {
    const auto report = keeper->Fsck({});
    ASSERT_TRUE(report.ok());
    ASSERT_TRUE(report->findings.empty()) << what << ": " << report->findings[0].code;
  };
  Stage(site, {"notes.txt", "plan.md"});
  expect_whole("written");
  const auto person = machine_.NewExternalProcess();
  const auto root = *person->OpenDirectory(kSimulatedRoot);
  auto file = *root->OpenWrite("notes.txt");
  ASSERT_TRUE(site->Submit(AgentContext(), {}, {}).ok());
  ASSERT_TRUE(file->Truncate(0).ok());
  ASSERT_TRUE(file->WriteAt(0, "written late\n").ok());
  file.reset();
  ASSERT_TRUE(site->AdoptLiveChanges(AgentContext()).ok());
  expect_whole("written late");
  EXPECT_TRUE(site->Read(AgentContext(), "notes.txt", ContentHash::Of("written late\n")).ok());
  ASSERT_TRUE(
      machine_.ExternalWrite(Absolute("table.csv"), "by a person\n", Durability::kDurable).ok());
  ASSERT_TRUE(site->AdoptLiveChanges(AgentContext()).ok());
  expect_whole("adopted");
  const auto plan = site->Read(AgentContext(), "plan.md", {});
  ASSERT_TRUE(plan.ok());
  ASSERT_TRUE(site->Write(AgentContext(), "plan.md", plan->entry.hash, "# Ours\n").ok());
  ASSERT_TRUE(machine_.ExternalWrite(Absolute("plan.md"), "# Theirs\n", Durability::kDurable).ok());
  ASSERT_TRUE(site->Resolve(AgentContext(), "plan.md", Take::kBytes, "# Both\n").ok());
  expect_whole("resolved");
  ASSERT_TRUE(site->Checkout(AgentContext(), "/simulated/checkout").ok());
  ASSERT_TRUE(
      machine_.ExternalWrite("/simulated/checkout/made.txt", "made\n", Durability::kDurable).ok());
  ASSERT_TRUE(site->Sync(AgentContext(), "/simulated/checkout").ok());
  expect_whole("synced");
  EXPECT_GT(collections, 8);
}

// Rule 4: a person's edit of what was just submitted, before the next opening after a power loss,
// is an edit of it, and does not take the acknowledged submit back.
TEST_F(WorkspaceRecoveryTest, EditOfWhatWasSubmittedIsNoConflict) {
  for (uint64_t seed = 0; seed < 24; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto machine = machine_.Clone();
    {
      WorkspaceSite site(*machine);
      ASSERT_TRUE(site.Init().ok());
      Stage(site, {"notes.txt", "plan.md"});
      ASSERT_TRUE(site->Submit(AgentContext(), {}, {}).ok());
      machine->Crash();
    }
    machine->Reboot(seed);
    ASSERT_TRUE(
        machine->ExternalWrite(Absolute("notes.txt"), "edited\n", Durability::kDurable).ok());
    WorkspaceSite site(*machine);
    ExpectSound(site, {{"notes.txt", "edited\n"}});
    EXPECT_EQ(*machine->ExternalRead(Absolute("plan.md")), "by an agent: plan.md\n");
  }
}

// Rules 4 and 14: a publication that somebody else ended is as durable as any: a power loss right
// after takes none of its files, and none of the folders that the dead publisher made.
TEST_F(WorkspaceRecoveryTest, EndedByASurvivorThenPowerLoss) {
  {
    WorkspaceSite site(machine_);
    ASSERT_TRUE(site.Init().ok());
    Stage(site, {"notes.txt", "new/deep/one.txt", "new/deep/two.txt"});
  }
  for (uint64_t call = 1;; ++call) {
    SCOPED_TRACE("killed in call " + std::to_string(call));
    const auto machine = machine_.Clone();
    const auto locks = MakeEnvVfsLocks();
    const auto other = machine->NewProcess();
    Promise promise;
    {
      WorkspaceSite survivor(*other, locks);
      ASSERT_TRUE(survivor.Open().ok());
      {
        WorkspaceSite site(*machine, locks);
        ASSERT_TRUE(site.Open().ok());
        machine->PlanFault(machine->call_count() + call, Fault::kKill);
        (void)site->Submit(AgentContext(), {}, {}).ok();
      }
      if (machine->is_alive()) break;
      ASSERT_TRUE(survivor->Write(AgentContext("other"), "o.txt", {}, "other\n").ok());
      promise.head = *ReadHead(survivor.journal());
      machine->Crash();
    }
    machine->Reboot(call);
    WorkspaceSite site(*machine);
    ASSERT_TRUE(site.Open().ok());
    ASSERT_TRUE(site->AdoptLiveChanges(AgentContext()).ok());
    ASSERT_EQ(FindBrokenRule(site, promise), "");
  }
}

// Rule 14: where only the mode changes, base and result differ in nothing else: no half-made file
// may look like the one that was displaced.
TEST_F(WorkspaceRecoveryTest, SubmitOfAModeDiesInEveryCall) {
  {
    WorkspaceSite site(machine_);
    ASSERT_TRUE(site.Init().ok());
    const auto script = site->Read(AgentContext(), "run.sh", {});
    ASSERT_TRUE(script.ok());
    ASSERT_TRUE(site->ChangeMode(AgentContext(), "run.sh", script->entry.hash, true).ok());
    ASSERT_TRUE(site->Review(AgentContext(), {}).ok());
  }
  for (const Fault fault : {Fault::kCrash, Fault::kKill}) {
    for (uint64_t call = 1;; ++call) {
      SCOPED_TRACE("fault " + std::to_string(static_cast<int>(fault)) + " in call " +
                   std::to_string(call));
      const auto machine = machine_.Clone();
      {
        WorkspaceSite site(*machine);
        ASSERT_TRUE(site.Open().ok());
        machine->PlanFault(machine->call_count() + call, fault);
        (void)site->Submit(AgentContext(), {}, {}).ok();
      }
      if (machine->is_alive()) break;
      if (fault == Fault::kCrash) {
        machine->Reboot(call);
      } else {
        machine->Restart();
      }
      WorkspaceSite site(*machine);
      ASSERT_NO_FATAL_FAILURE(ExpectSound(site, {}));
    }
  }
}

// Rule 4: a submit that succeeds although a call of it failed is as durable as any other.
TEST_F(WorkspaceRecoveryTest, SubmitIntoNewFoldersIsDurableWhateverFailed) {
  {
    WorkspaceSite site(machine_);
    ASSERT_TRUE(site.Init().ok());
    ASSERT_NO_FATAL_FAILURE(Stage(site, {"new/deep/file.txt"}));
  }
  for (const Fault fault : {Fault::kIoError, Fault::kInterrupted, Fault::kNoSpace}) {
    for (uint64_t call = 1;; ++call) {
      SCOPED_TRACE("fault " + std::to_string(static_cast<int>(fault)) + " in call " +
                   std::to_string(call));
      const auto machine = machine_.Clone();
      WorkspaceSite site(*machine);
      ASSERT_TRUE(site.Open().ok());
      const uint64_t first = machine->call_count();
      machine->PlanFault(first + call, fault);
      const bool submitted = site->Submit(AgentContext(), {}, {}).ok();
      if (machine->call_count() < first + call) break;
      if (!submitted) continue;
      for (uint64_t seed = 0; seed < 8; ++seed) {
        const auto after = machine->Clone();
        after->Crash();
        after->Reboot(6 * call + seed);
        EXPECT_TRUE(after->ExternalRead(Absolute("new/deep/file.txt")).ok()) << "seed " << seed;
      }
    }
  }
}

// Rule 13: a save in any instant of a submit that removes the file stays where it was made.
TEST_F(WorkspaceRecoveryTest, SaveOfAFileThatIsRemovedMeanwhile) {
  {
    WorkspaceSite site(machine_);
    ASSERT_TRUE(site.Init().ok());
    const auto table = site->Read(AgentContext(), "table.csv", {});
    ASSERT_TRUE(table.ok());
    ASSERT_TRUE(site->Remove(AgentContext(), "table.csv", table->entry.hash).ok());
    ASSERT_TRUE(site->Review(AgentContext(), {}).ok());
  }
  for (uint64_t call = 1;; ++call) {
    SCOPED_TRACE("save before call " + std::to_string(call));
    const auto machine = machine_.Clone();
    WorkspaceSite site(*machine);
    ASSERT_TRUE(site.Open().ok());
    const auto is_done = std::make_shared<bool>(false);
    machine->PlanExternalSave(machine->call_count() + call, {Absolute("table.csv"), "saved\n", true,
                                                             Durability::kDurable, is_done});
    (void)site->Submit(AgentContext(), {}, {}).ok();
    if (!*is_done) break;
    const auto saved = machine->ExternalRead(Absolute("table.csv"));
    ASSERT_TRUE(saved.ok());
    ASSERT_EQ(*saved, "saved\n");
    ASSERT_NO_FATAL_FAILURE(ExpectSound(site, {{"table.csv", "saved\n"}}));
  }
}

// Rule 4: a content that is written again, or brought back, between its tombstone and the removal
// of its bytes stays.
TEST_F(WorkspaceRecoveryTest, WritesBetweenATombstoneAndTheBytesRemoval) {
  const std::string secret = "a secret\n";
  const auto locks = MakeEnvVfsLocks();
  const auto other = machine_.NewProcess();
  WorkspaceSite writer(*other, locks);
  WorkspaceSite site(machine_, locks);
  ASSERT_TRUE(site.Init().ok());
  ASSERT_TRUE(writer.Open().ok());
  const auto write_again = [&] {
    return writer->Write(AgentContext("writer"), "again.txt", {}, secret).status();
  };
  int64_t undone = 0;
  const auto bring_back = [&] {
    return writer->Undo(AgentContext("writer"), undone, false).status();
  };
  for (const std::function<Status()>& use :
       {std::function<Status()>(write_again), std::function<Status()>(bring_back)}) {
    ASSERT_TRUE(writer->Write(AgentContext("writer"), "first.txt", {}, secret).ok());
    const auto undo = writer->Undo(AgentContext("writer"), 0, false);
    ASSERT_TRUE(undo.ok()) << undo.status().message();
    undone = undo->operation;
    int transactions = 0;
    bool is_acknowledged = false;
    site.before_write = [&] {
      if (++transactions != 2) return;  // the first one appends the tombstone
      const Status used = use();
      ASSERT_TRUE(used.ok()) << used.message();
      is_acknowledged = true;
    };
    const Status forgotten = site->Forget(AgentContext(), ContentHash::Of(secret));
    site.before_write = nullptr;
    ASSERT_TRUE(forgotten.ok()) << forgotten.message();
    EXPECT_TRUE(is_acknowledged);
    ASSERT_TRUE(site->CollectGarbage({}).ok());
    const char* const path =
        writer->Read(AgentContext("writer"), "again.txt", {}).ok() ? "again.txt" : "first.txt";
    const auto content = writer->Read(AgentContext("writer"), path, {});
    ASSERT_TRUE(content.ok()) << content.status().message();
    EXPECT_EQ(content->bytes, secret);
    ASSERT_TRUE(writer->Discard(AgentContext("writer"), {}).ok());
  }
}

// Writers that go on while a workspace is checked are no damage.
TEST_F(WorkspaceRecoveryTest, WritesDuringACheck) {
  const auto locks = MakeEnvVfsLocks();
  const auto other = machine_.NewProcess();
  WorkspaceSite writer(*other, locks);
  WorkspaceSite site(machine_, locks);
  ASSERT_TRUE(site.Init().ok());
  ASSERT_TRUE(writer.Open().ok());
  int writes = 0;
  site.after_read = [&] {
    const std::string path = "during/" + std::to_string(++writes) + ".txt";
    ASSERT_TRUE(writer->Write(AgentContext("writer"), path, {}, path).ok());
  };
  const auto report = site->Fsck({});
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_GT(writes, 0);
  EXPECT_TRUE(report->findings.empty())
      << report->findings[0].code << ": " << report->findings[0].message;
}

// Rule 14: whoever opens while a submit is between its files and its commit, or its commit and its
// end, leaves the living publisher's files alone.
TEST_F(WorkspaceRecoveryTest, OpeningsDuringASubmit) {
  const auto locks = MakeEnvVfsLocks();
  const auto other = machine_.NewProcess();
  WorkspaceSite opener(*other, locks);
  WorkspaceSite site(machine_, locks);
  ASSERT_TRUE(site.Init().ok());
  Stage(site, {"notes.txt", "new/file.txt"});
  int openings = 0;
  site.before_write = [&] {
    ASSERT_TRUE(opener.Open().ok());
    ++openings;
  };
  const auto submitted = site->Submit(AgentContext(), {}, {});
  ASSERT_TRUE(submitted.ok()) << submitted.status().message();
  EXPECT_GT(openings, 1);
  EXPECT_EQ(*machine_.ExternalRead(Absolute("new/file.txt")), "by an agent: new/file.txt\n");
}

// Rules 5 and 8: a repeated request is told what became of a submit that was taken back.
TEST_F(WorkspaceRecoveryTest, RepeatedRequestOfAWithdrawnSubmit) {
  {
    WorkspaceSite site(machine_);
    ASSERT_TRUE(site.Init().ok());
    Stage(site, {"notes.txt", "plan.md"});
  }
  int withdrawn = 0;
  const CallContext request = AgentContext("main", "submit once");
  for (uint64_t call = 1;; ++call) {
    SCOPED_TRACE("save before call " + std::to_string(call));
    const auto machine = machine_.Clone();
    WorkspaceSite site(*machine);
    ASSERT_TRUE(site.Open().ok());
    const auto is_done = std::make_shared<bool>(false);
    machine->PlanExternalSave(
        machine->call_count() + call,
        {Absolute("plan.md"), "saved\n", call % 2 == 0, Durability::kDurable, is_done});
    const auto submitted = site->Submit(request, {}, {});
    if (!*is_done) break;
    bool is_withdrawn = false;
    OperationFilter withdrawals;
    withdrawals.types = {OperationType::kWithdraw};
    ASSERT_TRUE(site->ForEachOperation(withdrawals,
                                       [&](const Operation&) {
                                         is_withdrawn = true;
                                         return false;
                                       })
                    .ok());
    const auto again = site->Submit(request, {}, {});
    EXPECT_EQ(submitted.ok(), again.ok());
    if (submitted.ok()) {
      EXPECT_EQ(again->operation, submitted->operation);
    }
    if (!is_withdrawn) continue;
    ++withdrawn;
    EXPECT_EQ(submitted.status().code(), ErrorCode::kConflict);
    EXPECT_EQ(again.status().code(), ErrorCode::kConflict);
    EXPECT_NE(again.status().message().find("taken back"), std::string::npos);
  }
  EXPECT_GT(withdrawn, 3);
}

// Any later operation on a path voids its receipts, a withdrawal also those of other branches.
TEST_F(WorkspaceRecoveryTest, AWithdrawalVoidsReceiptsOfOtherBranches) {
  const auto locks = MakeEnvVfsLocks();
  const auto second = machine_.NewProcess();
  WorkspaceSite other(*second, locks);
  WorkspaceSite site(machine_, locks);
  ASSERT_TRUE(site.Init().ok());
  ASSERT_TRUE(other.Open().ok());
  Stage(site, {"plan.md"});
  const CallContext theirs = AgentContext("theirs");
  int transactions = 0;
  std::string receipt;
  site.before_write = [&] {
    // The first commits the submit; before the next, it is in the accepted tree and reviewed upon.
    if (++transactions != 2) return;
    const auto accepted = other->Read(theirs, "plan.md", {});
    ASSERT_TRUE(accepted.ok()) << accepted.status().message();
    const auto written =
        other->Write(theirs, "plan.md", accepted->entry.hash, "on what is taken back\n");
    ASSERT_TRUE(written.ok()) << written.status().message();
    const auto reviewed = other->Review(theirs, {});
    ASSERT_TRUE(reviewed.ok()) << reviewed.status().message();
    receipt = reviewed->reviewed.at(0).receipt.id;
  };
  // A submit that cannot reach the disk is withdrawn.
  machine_.PlanSyncFailure(3);
  const auto submitted = site->Submit(AgentContext(), {}, {});
  machine_.ClearFaults();
  site.before_write = nullptr;
  ASSERT_FALSE(submitted.ok());
  OperationFilter withdrawals;
  withdrawals.types = {OperationType::kWithdraw};
  int withdrawn = 0;
  ASSERT_TRUE(site->ForEachOperation(withdrawals,
                                     [&](const Operation&) {
                                       ++withdrawn;
                                       return true;
                                     })
                  .ok());
  ASSERT_EQ(withdrawn, 1) << submitted.status().message();
  ASSERT_NE(receipt, "");
  const auto reader = site.journal().BeginRead();
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ((*(*reader)->Receipt(receipt))->state, ReceiptState::kVoid);
}

// Rule 14: a process that goes on while another was killed in the middle of its publication ends
// it with its next write, without being opened again.
TEST_F(WorkspaceRecoveryTest, SurvivorEndsAPublication) {
  const auto locks = MakeEnvVfsLocks();
  {
    WorkspaceSite site(machine_, locks);
    ASSERT_TRUE(site.Init().ok());
    Stage(site, {"notes.txt", "plan.md", "new/file.txt"});
  }
  int ended = 0;
  for (uint64_t call = 1;; ++call) {
    SCOPED_TRACE("killed in call " + std::to_string(call));
    const auto machine = machine_.Clone();
    const auto own_locks = MakeEnvVfsLocks();
    const auto other = machine->NewProcess();
    WorkspaceSite survivor(*other, own_locks);
    ASSERT_TRUE(survivor.Open().ok());
    Status submitted;
    {
      WorkspaceSite site(*machine, own_locks);
      ASSERT_TRUE(site.Open().ok());
      machine->PlanFault(machine->call_count() + call, Fault::kKill);
      submitted = site->Submit(AgentContext(), {}, {}).ok() ? OkStatus()
                                                            : Status(ErrorCode::kIoError, "killed");
    }
    if (machine->is_alive()) break;
    const auto pending = *(*survivor.journal().BeginRead())->Publications();
    ASSERT_TRUE(survivor->AdoptLiveChanges(AgentContext("second")).ok());
    ASSERT_TRUE((*(*survivor.journal().BeginRead())->Publications()).empty());
    if (!pending.empty()) {
      ++ended;
      EXPECT_EQ(*machine->ExternalRead(Absolute("plan.md")), "by an agent: plan.md\n");
    }
  }
  EXPECT_GT(ended, 5);
}

// Rules 8 and 13: half of the paths are published when the power goes, and before the next opening
// a person changes one: nothing was submitted, and no byte of the person is lost.
TEST_F(WorkspaceRecoveryTest, PersonChangesAHalfPublishedSubmit) {
  {
    WorkspaceSite site(machine_);
    ASSERT_TRUE(site.Init().ok());
    Stage(site, {"notes.txt", "plan.md", "table.csv", "new/file.txt"});
  }
  const std::string before = *machine_.ExternalRead(Absolute("notes.txt"));
  int withdrawn = 0;
  for (uint64_t call = 1;; ++call) {
    SCOPED_TRACE("power loss in call " + std::to_string(call));
    const auto machine = machine_.Clone();
    {
      WorkspaceSite site(*machine);
      ASSERT_TRUE(site.Open().ok());
      machine->PlanFault(machine->call_count() + call, Fault::kCrash);
      if (site->Submit(AgentContext(), {}, {}).ok()) break;
    }
    ASSERT_FALSE(machine->is_alive());
    machine->Reboot(call);
    ASSERT_TRUE(
        machine->ExternalWrite(Absolute("plan.md"), "by a person\n", Durability::kDurable).ok());
    WorkspaceSite site(*machine);
    ASSERT_NO_FATAL_FAILURE(ExpectSound(site, {{"plan.md", "by a person\n"}}));
    EXPECT_EQ(*machine->ExternalRead(Absolute("plan.md")), "by a person\n");
    if (*machine->ExternalRead(Absolute("notes.txt")) == before) ++withdrawn;
  }
  EXPECT_GT(withdrawn, 0);
}

// Rule 8: the disk is full in the middle of a publication; the same process ends it when there is
// room again.
TEST_F(WorkspaceRecoveryTest, DiskFullWhilePublishing) {
  WorkspaceSite site(machine_);
  ASSERT_TRUE(site.Init().ok());
  for (uint64_t call = 1; call < 300; call += 3) {
    const std::string round = "round " + std::to_string(call) + "\n";
    const auto notes = site->Read(AgentContext(), "notes.txt", {});
    ASSERT_TRUE(notes.ok());
    ASSERT_TRUE(site->Write(AgentContext(), "notes.txt", notes->entry.hash, round).ok());
    const std::string fresh = "folder" + std::to_string(call) + "/new.txt";
    ASSERT_TRUE(site->Write(AgentContext(), fresh, {}, round).ok());
    ASSERT_TRUE(site->Review(AgentContext(), {}).ok());
    const uint64_t full_call = machine_.call_count() + call;
    machine_.PlanFault(full_call, Fault::kNoSpace);
    if (!site->Submit(AgentContext(), {}, {}).ok()) {
      const auto again = site->Submit(AgentContext(), {}, {});
      ASSERT_TRUE(again.ok()) << again.status().message();
    }
    EXPECT_EQ(*machine_.ExternalRead(Absolute("notes.txt")), round);
    EXPECT_EQ(*machine_.ExternalRead(Absolute(fresh)), round);
  }
  machine_.ClearFaults();
  ExpectSound(site, {});
}

// An import that dies leaves nothing that opens by half; one that is acknowledged survives.
TEST_F(WorkspaceRecoveryTest, ImportDiesInEveryCall) {
  {
    WorkspaceSite site(machine_);
    ASSERT_TRUE(site.Init().ok());
    Stage(site, {"notes.txt", "new/deep/file.txt"});
    ASSERT_TRUE(site->Submit(AgentContext(), {}, {}).ok());
    ASSERT_TRUE(site->Export("/simulated/exported", {}).ok());
  }
  SimulatedEnv empty(SimulatedEnvOptions{.seed = 8});
  ASSERT_TRUE(empty.MakeDirectories("/simulated").ok());
  ASSERT_TRUE(empty
                  .ExternalWrite("/simulated/exported",
                                 *machine_.ExternalRead("/simulated/exported"),
                                 Durability::kDurable)
                  .ok());
  int acknowledged = 0;
  int in_the_way = 0;
  for (uint64_t call = 1;; ++call) {
    SCOPED_TRACE("power loss in call " + std::to_string(call));
    const auto machine = empty.Clone();
    machine->PlanFault(machine->call_count() + call, Fault::kCrash);
    const auto import_again = [&machine] {
      WorkspaceSite site(*machine);
      return ImportWorkspace(*machine, "/simulated/exported", kSimulatedRoot, {},
                             site.Options(std::string(kSimulatedRoot) + "/.staged-import"));
    };
    const Status imported = import_again();
    const bool is_done = machine->is_alive();
    machine->Crash();
    machine->Reboot(call);
    WorkspaceSite site(*machine);
    const Status opened = site.Open();
    if (imported.ok()) {
      ASSERT_TRUE(opened.ok()) << opened.message();
      ++acknowledged;
    }
    if (!opened.ok()) {
      ASSERT_NE(opened.code(), ErrorCode::kDataLoss) << opened.message();
      const Status again = import_again();
      // Only while the finished files are moved to their places does something stay in the way.
      if (!again.ok()) {
        ASSERT_EQ(again.code(), ErrorCode::kConflict) << again.message();
        ++in_the_way;
      }
    } else {
      ASSERT_TRUE(site->AdoptLiveChanges(AgentContext()).ok());
      ASSERT_EQ(FindBrokenRule(site, {}), "");
    }
    if (is_done) break;
  }
  EXPECT_GT(acknowledged, 0);
  EXPECT_LT(in_the_way, 12);
}

}  // namespace
}  // namespace staged
