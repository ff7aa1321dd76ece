#include "tests/conformance/journal_conformance.h"

#include <gmock/gmock.h>

#include <atomic>
#include <set>
#include <thread>

namespace staged {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

using Durability = JournalTransaction::Durability;
constexpr int kWaitMs = 10'000;

template <typename T>
T Expect(Result<T> result) {
  EXPECT_TRUE(result.ok()) << result.status().message();
  return result.ok() ? std::move(result).value() : T();
}

void ExpectOk(const Status& status) { EXPECT_TRUE(status.ok()) << status.message(); }

std::unique_ptr<JournalTransaction> Begin(Journal& journal) {
  return Expect(journal.BeginWrite(kWaitMs));
}

Operation AppendCommitted(Journal& journal, Operation operation) {
  auto transaction = Begin(journal);
  ExpectOk(transaction->Append(operation));
  ExpectOk(transaction->Commit(Durability::kDurable));
  return operation;
}

std::vector<int64_t> Sequences(JournalReader& reader, const OperationFilter& filter) {
  std::vector<int64_t> sequences;
  ExpectOk(reader.Scan(filter, [&](const Operation& operation) {
    sequences.push_back(operation.sequence);
    return true;
  }));
  return sequences;
}

std::vector<std::string> Describe(const std::vector<AcceptedEntry>& tree) {
  std::vector<std::string> lines;
  for (const AcceptedEntry& item : tree) {
    lines.push_back(item.path + " " + item.entry.hash.ToHex().substr(0, 8) + " " +
                    std::to_string(item.sequence));
  }
  return lines;
}

std::string Line(const std::string& path, const std::string& content, int64_t sequence) {
  return path + " " + ContentHash::Of(content).ToHex().substr(0, 8) + " " +
         std::to_string(sequence);
}

}  // namespace

Entry SampleEntry(const std::string& content) {
  return {EntryKind::kFile, ContentHash::Of(content)};
}

Operation SampleOperation(int number) {
  const std::string text = std::to_string(number);
  Operation operation;
  operation.time_ns = 1'700'000'000'000'000'000 + number;
  operation.actor = {"actor" + std::to_string(number % 3), ActorKind::kHuman};
  operation.branch = "branch" + std::to_string(number % 2);
  operation.turn = "turn" + std::to_string(number % 5);
  operation.lease_epoch = number;
  operation.type = number % 2 == 0 ? OperationType::kEdit : OperationType::kCreate;
  operation.changes = {{"folder/file" + text, std::nullopt, SampleEntry(text)},
                       {"shared", SampleEntry("old" + text),
                        Entry{EntryKind::kExecutable, ContentHash::Of("new" + text)}}};
  operation.consumes = {number, -1};
  operation.revives = {int64_t{1} << 60};
  operation.payload.Set("message", "text " + text);
  operation.payload.Set("numbers", Value::Array{1, -2.5, true, nullptr, std::string("\0x", 2)});
  operation.request_id = "request" + text;
  return operation;
}

void JournalConformanceTest::SetUp() {
  fixture_ = GetParam().make();
  ASSERT_NE(fixture_, nullptr);
  auto opened = fixture_->Open();
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  journal_ = *std::move(opened);
}

TEST_P(JournalConformanceTest, IsEmptyAtFirst) {
  auto reader = Expect(journal_->BeginRead());
  EXPECT_EQ(Expect(reader->Head()).sequence, 0);
  EXPECT_TRUE(Expect(reader->Head()).chain.is_zero());
  EXPECT_EQ(reader->Read(1).status().code(), ErrorCode::kNotFound);
  EXPECT_THAT(Sequences(*reader, {}), IsEmpty());
  EXPECT_THAT(Expect(reader->AcceptedTree()), IsEmpty());
  EXPECT_THAT(Expect(reader->AcceptedTreeAt(5)), IsEmpty());
  EXPECT_THAT(Expect(reader->LiveOperations("b")), IsEmpty());
  EXPECT_THAT(Expect(reader->LivePaths()), IsEmpty());
  EXPECT_THAT(Expect(reader->Publications()), IsEmpty());
  EXPECT_THAT(Expect(reader->Branches()), IsEmpty());
  EXPECT_EQ(Expect(reader->Accepted("p")), std::nullopt);
  EXPECT_EQ(Expect(reader->RequestAnswer("r")), std::nullopt);
  EXPECT_EQ(Expect(reader->Setting("s")), std::nullopt);
  EXPECT_FALSE(Expect(reader->IsLive(1)));
  ExpectOk(journal_->Verify(nullptr));
}

TEST_P(JournalConformanceTest, AppendsNumberAndChain) {
  std::vector<Operation> written;
  for (int i = 1; i <= 5; ++i) written.push_back(AppendCommitted(*journal_, SampleOperation(i)));
  auto reader = Expect(journal_->BeginRead());
  std::set<ContentHash> chains;
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(written[i].sequence, i + 1);
    EXPECT_FALSE(written[i].chain.is_zero());
    chains.insert(written[i].chain);
    EXPECT_EQ(Expect(reader->Read(i + 1)), written[i]);
  }
  EXPECT_EQ(chains.size(), 5u);
  EXPECT_EQ(Expect(reader->Head()).sequence, 5);
  EXPECT_EQ(Expect(reader->Head()).chain, written[4].chain);
  ExpectOk(journal_->Verify(nullptr));
}

TEST_P(JournalConformanceTest, ChainDependsOnlyOnTheHistory) {
  auto other_fixture = GetParam().make();
  auto other = Expect(other_fixture->Open());
  for (int i = 1; i <= 3; ++i) {
    EXPECT_EQ(AppendCommitted(*journal_, SampleOperation(i)).chain,
              AppendCommitted(*other, SampleOperation(i)).chain);
  }
  Operation changed = SampleOperation(4);
  changed.payload.Set("message", "another");
  EXPECT_NE(AppendCommitted(*journal_, SampleOperation(4)).chain,
            AppendCommitted(*other, changed).chain);
  EXPECT_NE(AppendCommitted(*journal_, SampleOperation(5)).chain,
            AppendCommitted(*other, SampleOperation(5)).chain);
}

TEST_P(JournalConformanceTest, SeveralAppendsInOneTransaction) {
  auto transaction = Begin(*journal_);
  Operation first = SampleOperation(1);
  Operation second = SampleOperation(2);
  ExpectOk(transaction->Append(first));
  EXPECT_EQ(Expect(transaction->Head()).sequence, 1);
  ExpectOk(transaction->Append(second));
  EXPECT_EQ(second.sequence, 2);
  EXPECT_EQ(Expect(transaction->Read(2)), second);
  ExpectOk(transaction->Commit(Durability::kRelaxed));
  EXPECT_FALSE(transaction->Append(first).ok()) << "after the commit";
  transaction.reset();
  EXPECT_EQ(Expect(Expect(journal_->BeginRead())->Head()).sequence, 2);
  ExpectOk(journal_->Verify(nullptr));
}

TEST_P(JournalConformanceTest, DestroyedTransactionLeavesNothing) {
  const Operation kept = AppendCommitted(*journal_, SampleOperation(1));
  {
    auto transaction = Begin(*journal_);
    Operation operation = SampleOperation(2);
    ExpectOk(transaction->Append(operation));
    ExpectOk(transaction->SetAccepted("p", SampleEntry("x"), operation.sequence));
    ExpectOk(transaction->SetLive(operation.sequence, true));
    ExpectOk(transaction->PutReceipt({.id = "r", .branch = "b", .path = "p"}));
    ExpectOk(transaction->PutPublication({operation.sequence, "o", "p", {}, {}}));
    ExpectOk(transaction->PutBranch({.name = "b"}));
    ExpectOk(transaction->PutRequestAnswer("q", "a"));
    ExpectOk(transaction->PutSetting("s", "v"));
  }
  auto reader = Expect(journal_->BeginRead());
  EXPECT_EQ(Expect(reader->Head()).chain, kept.chain);
  EXPECT_EQ(reader->Read(2).status().code(), ErrorCode::kNotFound);
  EXPECT_EQ(Expect(reader->Accepted("p")), std::nullopt);
  EXPECT_FALSE(Expect(reader->IsLive(2)));
  EXPECT_THAT(Expect(reader->LivePaths()), IsEmpty());
  EXPECT_FALSE(Expect(reader->Receipt("r")).has_value());
  EXPECT_THAT(Expect(reader->Publications()), IsEmpty());
  EXPECT_THAT(Expect(reader->Branches()), IsEmpty());
  EXPECT_EQ(Expect(reader->RequestAnswer("q")), std::nullopt);
  EXPECT_EQ(Expect(reader->Setting("s")), std::nullopt);
  EXPECT_FALSE(Expect(reader->WasAt("shared", ContentHash::Of("new2"))));
  EXPECT_EQ(AppendCommitted(*journal_, SampleOperation(3)).sequence, 2);
}

TEST_P(JournalConformanceTest, RefusedAppendLeavesTheTransactionUsable) {
  auto transaction = Begin(*journal_);
  Operation deep = SampleOperation(1);
  for (int i = 0; i < 1000; ++i) deep.payload = Value::Array{deep.payload};
  EXPECT_EQ(transaction->Append(deep).code(), ErrorCode::kLimitExceeded);
  EXPECT_EQ(transaction->SetLive(77, true).code(), ErrorCode::kNotFound);
  Operation operation = SampleOperation(1);
  ExpectOk(transaction->Append(operation));
  EXPECT_EQ(operation.sequence, 1);
  ExpectOk(transaction->Commit(Durability::kDurable));
}

TEST_P(JournalConformanceTest, SnapshotDoesNotMove) {
  AppendCommitted(*journal_, SampleOperation(1));
  auto before = Expect(journal_->BeginRead());
  auto second = Expect(fixture_->Open());
  {
    auto transaction = Begin(*second);
    Operation operation = SampleOperation(2);
    ExpectOk(transaction->Append(operation));
    ExpectOk(transaction->SetAccepted("p", SampleEntry("x"), 2));
    auto during = Expect(journal_->BeginRead());
    ExpectOk(transaction->Commit(Durability::kDurable));
    EXPECT_EQ(Expect(during->Head()).sequence, 1);
    EXPECT_EQ(Expect(during->Accepted("p")), std::nullopt);
  }
  EXPECT_EQ(Expect(before->Head()).sequence, 1);
  EXPECT_EQ(before->Read(2).status().code(), ErrorCode::kNotFound);
  EXPECT_THAT(Sequences(*before, {}), ElementsAre(1));
  EXPECT_THAT(Expect(before->AcceptedTree()), IsEmpty());
  auto after = Expect(journal_->BeginRead());
  EXPECT_EQ(Expect(after->Head()).sequence, 2);
  EXPECT_EQ(Expect(after->AcceptedTree()).size(), 1u);
}

TEST_P(JournalConformanceTest, FiltersOfScan) {
  for (int i = 1; i <= 30; ++i) AppendCommitted(*journal_, SampleOperation(i));
  auto reader = Expect(journal_->BeginRead());
  // The oracle: every operation, filtered here.
  std::vector<Operation> all;
  ExpectOk(reader->Scan({}, [&](const Operation& operation) {
    all.push_back(operation);
    return true;
  }));
  ASSERT_EQ(all.size(), 30u);
  for (int mask = 0; mask < 128; ++mask) {
    OperationFilter filter;
    if (mask & 1) filter.after_sequence = 4;
    if (mask & 2) filter.up_to_sequence = 22;
    if (mask & 4) filter.branch = "branch1";
    if (mask & 8) filter.actor = "actor2";
    if (mask & 16) filter.turn = "turn3";
    if (mask & 32) filter.types = {OperationType::kCreate, OperationType::kForget};
    if (mask & 64) filter.path = "shared";
    std::vector<int64_t> expected;
    for (const Operation& operation : all) {
      if (operation.sequence > filter.after_sequence &&
          operation.sequence <= filter.up_to_sequence &&
          (!filter.branch || operation.branch == *filter.branch) &&
          (!filter.actor || operation.actor.name == *filter.actor) &&
          (!filter.turn || operation.turn == *filter.turn) &&
          (filter.types.empty() || operation.type == OperationType::kCreate)) {
        expected.push_back(operation.sequence);
      }
    }
    EXPECT_EQ(Sequences(*reader, filter), expected) << mask;
    filter.limit = 2;
    filter.newest_first = true;
    std::vector<int64_t> newest(expected.rbegin(), expected.rend());
    newest.resize(std::min<size_t>(newest.size(), 2));
    EXPECT_EQ(Sequences(*reader, filter), newest) << mask;
  }
  EXPECT_THAT(Sequences(*reader, {.path = "folder/file7"}), ElementsAre(7));
  EXPECT_THAT(Sequences(*reader, {.path = "folder"}), IsEmpty());
  EXPECT_THAT(Sequences(*reader, {.limit = 0}), IsEmpty());
}

TEST_P(JournalConformanceTest, ScanStopsAndNests) {
  Operation twice = SampleOperation(1);
  twice.changes.push_back({"shared", SampleEntry("a"), SampleEntry("b")});
  AppendCommitted(*journal_, twice);
  for (int i = 2; i <= 6; ++i) AppendCommitted(*journal_, SampleOperation(i));
  auto reader = Expect(journal_->BeginRead());
  int visits = 0;
  ExpectOk(reader->Scan({}, [&](const Operation& operation) {
    // The same query inside, and other calls.
    EXPECT_EQ(Sequences(*reader, {}).size(), 6u);
    EXPECT_EQ(Expect(reader->Read(operation.sequence)), operation);
    return ++visits < 3;
  }));
  EXPECT_EQ(visits, 3);
  EXPECT_THAT(Sequences(*reader, {.path = "shared"}), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST_P(JournalConformanceTest, EmptyTurnIsAFilterToo) {
  Operation without = SampleOperation(1);
  without.turn.clear();
  AppendCommitted(*journal_, without);
  AppendCommitted(*journal_, SampleOperation(2));
  EXPECT_THAT(Sequences(*Expect(journal_->BeginRead()), {.turn = ""}), ElementsAre(1));
}

TEST_P(JournalConformanceTest, AcceptedTreeNowAndThen) {
  const std::string odd("b\xc3\xa4\0z", 5);
  for (int i = 1; i <= 4; ++i) {
    auto transaction = Begin(*journal_);
    Operation operation = SampleOperation(i);
    ExpectOk(transaction->Append(operation));
    if (i == 1) {
      ExpectOk(transaction->SetAccepted("b", SampleEntry("b1"), i));
      ExpectOk(transaction->SetAccepted("a/x", SampleEntry("a1"), i));
      ExpectOk(transaction->SetAccepted(odd, SampleEntry("o1"), i));
    }
    if (i == 2) ExpectOk(transaction->SetAccepted("b", std::nullopt, i));
    if (i == 3) {
      ExpectOk(
          transaction->SetAccepted("a/x", Entry{EntryKind::kSymlink, ContentHash::Of("a3")}, i));
    }
    if (i == 4) {
      ExpectOk(transaction->SetAccepted("b", SampleEntry("wrong"), i));
      ExpectOk(transaction->SetAccepted("b", SampleEntry("b4"), i));  // the last one counts
      EXPECT_EQ(Describe(Expect(transaction->AcceptedTree())).size(), 3u);
    }
    ExpectOk(transaction->Commit(Durability::kDurable));
  }
  auto reader = Expect(journal_->BeginRead());
  const std::string a1 = Line("a/x", "a1", 1), a3 = Line("a/x", "a3", 3), o = Line(odd, "o1", 1);
  EXPECT_THAT(Describe(Expect(reader->AcceptedTreeAt(0))), IsEmpty());
  EXPECT_THAT(Describe(Expect(reader->AcceptedTreeAt(1))), ElementsAre(a1, Line("b", "b1", 1), o));
  EXPECT_THAT(Describe(Expect(reader->AcceptedTreeAt(2))), ElementsAre(a1, o));
  EXPECT_THAT(Describe(Expect(reader->AcceptedTreeAt(3))), ElementsAre(a3, o));
  EXPECT_THAT(Describe(Expect(reader->AcceptedTreeAt(4))), ElementsAre(a3, Line("b", "b4", 4), o));
  EXPECT_EQ(Describe(Expect(reader->AcceptedTree())), Describe(Expect(reader->AcceptedTreeAt(9))));
  const auto entry = Expect(reader->Accepted("a/x"));
  ASSERT_TRUE(entry.has_value());
  EXPECT_EQ(entry->entry, (Entry{EntryKind::kSymlink, ContentHash::Of("a3")}));
  EXPECT_EQ(entry->sequence, 3);
  EXPECT_EQ(entry->path, "a/x");
}

TEST_P(JournalConformanceTest, LiveSet) {
  {
    auto transaction = Begin(*journal_);
    for (int i = 1; i <= 6; ++i) {
      Operation operation = SampleOperation(i);
      ExpectOk(transaction->Append(operation));
      ExpectOk(transaction->SetLive(i, true));
      ExpectOk(transaction->SetLive(i, true));  // again: no change
    }
    ExpectOk(transaction->Commit(Durability::kDurable));
  }
  {
    auto transaction = Begin(*journal_);
    for (const int64_t sequence : {2, 4, 5, 2}) ExpectOk(transaction->SetLive(sequence, false));
    ExpectOk(transaction->SetLive(4, true));  // revived
    ExpectOk(transaction->Commit(Durability::kDurable));
  }
  auto reader = Expect(journal_->BeginRead());
  const auto live = [&](const std::string& branch) {
    std::vector<int64_t> sequences;
    for (const Operation& operation : Expect(reader->LiveOperations(branch))) {
      EXPECT_EQ(operation, Expect(reader->Read(operation.sequence)));
      sequences.push_back(operation.sequence);
    }
    return sequences;
  };
  EXPECT_THAT(live("branch0"), ElementsAre(4, 6));
  EXPECT_THAT(live("branch1"), ElementsAre(1, 3));
  EXPECT_THAT(live("branch"), IsEmpty());
  EXPECT_TRUE(Expect(reader->IsLive(4)));
  EXPECT_FALSE(Expect(reader->IsLive(5)));
  EXPECT_THAT(Expect(reader->LivePaths()),
              ElementsAre(Pair("branch0", "folder/file4"), Pair("branch0", "folder/file6"),
                          Pair("branch0", "shared"), Pair("branch1", "folder/file1"),
                          Pair("branch1", "folder/file3"), Pair("branch1", "shared")));
}

TEST_P(JournalConformanceTest, ReceiptsByState) {
  ReceiptRow row{.id = "r1", .branch = "b", .path = "p"};
  row.base = SampleEntry("base");
  row.staged = Entry{EntryKind::kExecutable, ContentHash::Of("staged")};
  row.review_sequence = 7;
  row.staged_sequence = 6;
  row.evidence.Set("diff", ContentHash::Of("diff").ToString());
  const auto states = {ReceiptState::kMinted, ReceiptState::kPending, ReceiptState::kRejected,
                       ReceiptState::kVoid, ReceiptState::kConsumed};
  for (const ReceiptState state : states) {
    auto transaction = Begin(*journal_);
    row.state = state;
    ExpectOk(transaction->PutReceipt(row));
    ReceiptRow other = row;
    other.id = "r0";
    other.branch = "other";
    ExpectOk(transaction->PutReceipt(other));
    ExpectOk(transaction->Commit(Durability::kDurable));
    auto reader = Expect(journal_->BeginRead());
    const auto read = Expect(reader->Receipt("r1"));
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(read->state, state);
    EXPECT_EQ(read->branch, "b");
    EXPECT_EQ(read->path, "p");
    EXPECT_EQ(read->base, row.base);
    EXPECT_EQ(read->staged, row.staged);
    EXPECT_EQ(read->review_sequence, 7);
    EXPECT_EQ(read->staged_sequence, 6);
    EXPECT_EQ(read->evidence, row.evidence);
    const bool open = state <= ReceiptState::kRejected;
    EXPECT_EQ(Expect(reader->Receipts("b")).size(), open ? 1u : 0u);
  }
  EXPECT_FALSE(Expect(Expect(journal_->BeginRead())->Receipt("none")).has_value());
}

TEST_P(JournalConformanceTest, Publications) {
  auto transaction = Begin(*journal_);
  ExpectOk(transaction->PutPublication({2, "owner", "b", SampleEntry("1"), std::nullopt}));
  ExpectOk(transaction->PutPublication({2, "owner", "a", std::nullopt, SampleEntry("2")}));
  ExpectOk(transaction->PutPublication({1, "dead", "z", SampleEntry("3"), SampleEntry("4")}));
  ExpectOk(transaction->Commit(Durability::kDurable));
  auto rows = Expect(Expect(journal_->BeginRead())->Publications());
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].path, "z");
  EXPECT_EQ(rows[0].owner, "dead");
  EXPECT_EQ(rows[1].path, "a");
  EXPECT_EQ(rows[1].base, std::nullopt);
  EXPECT_EQ(rows[1].result, OptionalEntry(SampleEntry("2")));
  EXPECT_EQ(rows[2].sequence, 2);
  transaction.reset();
  transaction = Begin(*journal_);
  ExpectOk(transaction->RemovePublication(2, "a"));
  ExpectOk(transaction->RemovePublication(1, "a"));  // there is none
  ExpectOk(transaction->Commit(Durability::kRelaxed));
  rows = Expect(Expect(journal_->BeginRead())->Publications());
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].path, "b");
}

TEST_P(JournalConformanceTest, OnePublicationRowForEachPathOfASubmit) {
  auto transaction = Begin(*journal_);
  ExpectOk(transaction->PutPublication({2, "first", "a", SampleEntry("1"), SampleEntry("2")}));
  ExpectOk(transaction->PutPublication({2, "first", "b", SampleEntry("1"), SampleEntry("2")}));
  ExpectOk(transaction->PutPublication({2, "second", "a", std::nullopt, SampleEntry("3")}));
  auto rows = Expect(transaction->Publications());
  ASSERT_EQ(rows.size(), 2u);
  ExpectOk(transaction->Commit(Durability::kDurable));
  transaction.reset();
  // In another transaction, too; another submit's row of the path is a row of its own.
  transaction = Begin(*journal_);
  ExpectOk(transaction->PutPublication({2, "third", "b", SampleEntry("4"), std::nullopt}));
  ExpectOk(transaction->PutPublication({3, "other", "b", SampleEntry("5"), std::nullopt}));
  ExpectOk(transaction->Commit(Durability::kDurable));
  rows = Expect(Expect(journal_->BeginRead())->Publications());
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].path, "a");
  EXPECT_EQ(rows[0].owner, "second");
  EXPECT_EQ(rows[0].base, std::nullopt);
  EXPECT_EQ(rows[0].result, OptionalEntry(SampleEntry("3")));
  EXPECT_EQ(rows[1].path, "b");
  EXPECT_EQ(rows[1].owner, "third");
  EXPECT_EQ(rows[1].base, OptionalEntry(SampleEntry("4")));
  EXPECT_EQ(rows[1].result, std::nullopt);
  EXPECT_EQ(rows[2].sequence, 3);
  EXPECT_EQ(rows[2].owner, "other");
}

TEST_P(JournalConformanceTest, RuledOutCommitsLeaveTheTransactionAsItWas) {
  auto transaction = Begin(*journal_);
  ExpectOk(transaction->PutSetting("kept", "before"));
  ExpectOk(transaction->RuleOutFailedCommits());
  EXPECT_EQ(Expect(transaction->Setting("kept")), "before");
  transaction.reset();  // without a commit: nothing happened
  EXPECT_EQ(Expect(Expect(journal_->BeginRead())->Setting("kept")), std::nullopt);
  transaction = Begin(*journal_);
  ExpectOk(transaction->RuleOutFailedCommits());
  ExpectOk(transaction->RuleOutFailedCommits());
  ExpectOk(transaction->PutSetting("kept", "after"));
  ExpectOk(transaction->Commit(Durability::kDurable));
  EXPECT_EQ(Expect(Expect(journal_->BeginRead())->Setting("kept")), "after");
  ExpectOk(journal_->Verify({}));
}

TEST_P(JournalConformanceTest, BranchesAndLeases) {
  BranchRow row{"b", BranchKind::kEvaluation, 3, 41, "holder", 1'700'000'000'000'000'000};
  auto transaction = Begin(*journal_);
  ExpectOk(transaction->PutBranch(row));
  ExpectOk(transaction->PutBranch({"a", BranchKind::kHuman, 1, 0, "", 0}));
  ExpectOk(transaction->Commit(Durability::kDurable));
  transaction.reset();
  // Another session fences the holder off: what it sees inside its transaction is what counts.
  auto second = Expect(fixture_->Open());
  transaction = Begin(*second);
  const auto seen = Expect(transaction->Branch("b"));
  ASSERT_TRUE(seen.has_value());
  EXPECT_EQ(seen->lease_epoch, 41);
  row.lease_epoch = seen->lease_epoch + 1;
  row.lease_holder = "thief";
  ExpectOk(transaction->PutBranch(row));
  ExpectOk(transaction->Commit(Durability::kDurable));
  transaction.reset();
  transaction = Begin(*journal_);
  const auto now = Expect(transaction->Branch("b"));
  ASSERT_TRUE(now.has_value());
  EXPECT_EQ(now->kind, BranchKind::kEvaluation);
  EXPECT_EQ(now->created_sequence, 3);
  EXPECT_EQ(now->lease_epoch, 42);
  EXPECT_EQ(now->lease_holder, "thief");
  EXPECT_EQ(now->lease_expires_ns, 1'700'000'000'000'000'000);
  const auto rows = Expect(transaction->Branches());
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].name, "a");
  EXPECT_FALSE(Expect(transaction->Branch("c")).has_value());
}

TEST_P(JournalConformanceTest, AnswersAndSettings) {
  const std::string binary("{\"a\":1}\0\xff", 9);
  auto transaction = Begin(*journal_);
  ExpectOk(transaction->PutRequestAnswer("q", binary));
  ExpectOk(transaction->PutRequestAnswer("empty", ""));
  ExpectOk(transaction->PutSetting("s", "1"));
  ExpectOk(transaction->PutSetting("s", binary));
  EXPECT_EQ(Expect(transaction->Setting("s")), binary);
  ExpectOk(transaction->Commit(Durability::kDurable));
  auto reader = Expect(journal_->BeginRead());
  EXPECT_EQ(Expect(reader->RequestAnswer("q")), binary);
  EXPECT_EQ(Expect(reader->RequestAnswer("empty")), "");
  EXPECT_EQ(Expect(reader->RequestAnswer("s")), std::nullopt);
  EXPECT_EQ(Expect(reader->Setting("s")), binary);
}

TEST_P(JournalConformanceTest, WasAtIsBoundToThePath) {
  AppendCommitted(*journal_, SampleOperation(1));
  auto reader = Expect(journal_->BeginRead());
  EXPECT_TRUE(Expect(reader->WasAt("shared", ContentHash::Of("old1"))));
  EXPECT_TRUE(Expect(reader->WasAt("shared", ContentHash::Of("new1"))));
  EXPECT_TRUE(Expect(reader->WasAt("folder/file1", ContentHash::Of("1"))));
  EXPECT_FALSE(Expect(reader->WasAt("shared", ContentHash::Of("1"))));
  EXPECT_FALSE(Expect(reader->WasAt("folder/file1", ContentHash::Of("new1"))));
  EXPECT_FALSE(Expect(reader->WasAt("nowhere", ContentHash::Of("1"))));
}

TEST_P(JournalConformanceTest, EveryHashIsVisited) {
  auto transaction = Begin(*journal_);
  Operation operation = SampleOperation(1);
  operation.payload.Set("inside", Value::Array{ContentHash::Of("payload").ToString()});
  ExpectOk(transaction->Append(operation));
  ExpectOk(transaction->SetAccepted("p", SampleEntry("first"), 1));
  ExpectOk(transaction->SetAccepted("p", SampleEntry("second"), 2));
  ReceiptRow receipt{.id = "r", .branch = "b", .path = "p", .state = ReceiptState::kConsumed};
  receipt.base = SampleEntry("receipt base");
  receipt.staged = SampleEntry("receipt staged");
  receipt.evidence.Set("diff", ContentHash::Of("evidence").ToString());
  ExpectOk(transaction->PutReceipt(receipt));
  ExpectOk(transaction->PutPublication({1, "o", "p", SampleEntry("pb"), SampleEntry("pr")}));
  ExpectOk(transaction->PutSetting("policy", ContentHash::Of("setting").ToString()));
  ExpectOk(transaction->Commit(Durability::kDurable));
  std::set<ContentHash> visited;
  ExpectOk(Expect(journal_->BeginRead())->ForEachHash([&](const ContentHash& hash) {
    EXPECT_TRUE(visited.insert(hash).second) << "twice";
  }));
  std::set<ContentHash> expected;
  for (const char* content : {"1", "old1", "new1", "payload", "first", "second", "receipt base",
                              "receipt staged", "evidence", "pb", "pr", "setting"}) {
    expected.insert(ContentHash::Of(content));
  }
  EXPECT_EQ(visited, expected);
}

TEST_P(JournalConformanceTest, SecondWriterWaitsThenIsBusy) {
  auto second = Expect(fixture_->Open());
  auto transaction = Begin(*journal_);
  EXPECT_EQ(journal_->BeginWrite(0).status().code(), ErrorCode::kBusy);
  EXPECT_EQ(second->BeginWrite(0).status().code(), ErrorCode::kBusy);
  EXPECT_EQ(journal_->BeginWrite(30).status().code(), ErrorCode::kBusy);
  EXPECT_EQ(second->BeginWrite(30).status().code(), ErrorCode::kBusy);
  EXPECT_TRUE(second->BeginRead().ok());
  transaction.reset();
  EXPECT_TRUE(second->BeginWrite(0).ok());
  EXPECT_TRUE(journal_->BeginWrite(0).ok());
}

TEST_P(JournalConformanceTest, WritersAreSerialised) {
  constexpr int kThreads = 4, kRounds = 12;
  auto second = Expect(fixture_->Open());
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      Journal& journal = thread % 2 == 0 ? *journal_ : *second;
      for (int round = 0; round < kRounds; ++round) {
        auto transaction = Begin(journal);
        ASSERT_NE(transaction, nullptr);
        // Lost updates would show in the counter.
        const std::string counter = Expect(transaction->Setting("counter")).value_or("0");
        Operation operation = SampleOperation(thread * 100 + round);
        ExpectOk(transaction->Append(operation));
        ExpectOk(transaction->PutSetting("counter", std::to_string(std::stoi(counter) + 1)));
        ExpectOk(transaction->Commit(round % 2 == 0 ? Durability::kDurable : Durability::kRelaxed));
      }
    });
  }
  std::atomic<bool> done = false;
  std::thread watcher([&] {
    while (!done) {
      auto reader = Expect(journal_->BeginRead());
      const std::string counter = Expect(reader->Setting("counter")).value_or("0");
      EXPECT_EQ(Expect(reader->Head()).sequence, std::stoi(counter));
      std::this_thread::yield();
    }
  });
  for (std::thread& thread : threads) thread.join();
  done = true;
  watcher.join();
  auto reader = Expect(second->BeginRead());
  EXPECT_EQ(Expect(reader->Setting("counter")), std::to_string(kThreads * kRounds));
  EXPECT_EQ(Expect(reader->Head()).sequence, kThreads * kRounds);
  ExpectOk(second->Verify(nullptr));
}

TEST_P(JournalConformanceTest, ReopenedItIsTheSame) {
  const Operation written = AppendCommitted(*journal_, SampleOperation(1));
  journal_ = nullptr;
  journal_ = Expect(fixture_->Open());
  EXPECT_EQ(Expect(Expect(journal_->BeginRead())->Read(1)), written);
  EXPECT_EQ(AppendCommitted(*journal_, SampleOperation(2)).sequence, 2);
  ExpectOk(journal_->Verify(nullptr));
}

TEST_P(JournalConformanceTest, LargeFirstOperation) {
  constexpr int kFiles = 10'000;
  Operation operation = SampleOperation(1);
  operation.type = OperationType::kAdopt;
  operation.changes.clear();
  for (int i = 0; i < kFiles; ++i) {
    std::string number = std::to_string(100'000 + i);
    operation.changes.push_back({"folder/of/files/" + number, {}, SampleEntry(number)});
  }
  auto transaction = Begin(*journal_);
  ExpectOk(transaction->Append(operation));
  for (const PathChange& change : operation.changes) {
    ExpectOk(transaction->SetAccepted(change.path, change.result, operation.sequence));
  }
  ExpectOk(transaction->Commit(Durability::kDurable));
  auto reader = Expect(journal_->BeginRead());
  EXPECT_EQ(Expect(reader->Read(1)), operation);
  const auto tree = Expect(reader->AcceptedTree());
  ASSERT_EQ(tree.size(), static_cast<size_t>(kFiles));
  EXPECT_EQ(tree[77].path, operation.changes[77].path);
  EXPECT_EQ(OptionalEntry(tree[77].entry), operation.changes[77].result);
  EXPECT_EQ(Expect(reader->AcceptedTreeAt(1)).size(), static_cast<size_t>(kFiles));
}

TEST_P(JournalConformanceTest, VerifyReportsProgress) {
  for (int i = 1; i <= 3; ++i) AppendCommitted(*journal_, SampleOperation(i));
  std::vector<std::pair<int64_t, int64_t>> calls;
  ExpectOk(journal_->Verify([&](int64_t done, int64_t total) { calls.emplace_back(done, total); }));
  ASSERT_FALSE(calls.empty());
  EXPECT_THAT(calls.back(), Pair(3, 3));
}

}  // namespace staged
