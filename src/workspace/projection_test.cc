#include "workspace/projection.h"

#include <gtest/gtest.h>

namespace staged {
namespace {

const Entry kA{EntryKind::kFile, ContentHash::Of("a")};
const Entry kB{EntryKind::kExecutable, ContentHash::Of("b")};

Operation Of(int64_t sequence, OperationType type, std::vector<PathChange> changes) {
  Operation operation;
  operation.sequence = sequence;
  operation.type = type;
  operation.changes = std::move(changes);
  return operation;
}

TEST(Projection, OnlySubmitAdoptAndWithdrawMoveWhatIsAccepted) {
  for (uint8_t number = 1; number <= 17; ++number) {
    const auto type = static_cast<OperationType>(number);
    MemoryProjection projection;
    projection.accepted["path"] = kA;
    ASSERT_TRUE(Project(Of(5, type, {{"path", kA, kB}}), projection).ok());
    const bool moves = type == OperationType::kSubmit || type == OperationType::kAdopt ||
                       type == OperationType::kWithdraw;
    EXPECT_EQ(projection.accepted.at("path"), moves ? kB : kA) << OperationTypeName(type);
    EXPECT_EQ(projection.live.contains(5), IsContentOperation(type)) << OperationTypeName(type);
  }
}

TEST(Projection, WhatChangesNothingIsNeverLive) {
  MemoryProjection projection;
  Operation rebase = Of(3, OperationType::kRebase, {});
  projection.live = {1, 2};
  rebase.consumes = {1};
  ASSERT_TRUE(Project(rebase, projection).ok());
  EXPECT_EQ(projection.live, (std::set<int64_t>{2}));
}

TEST(Projection, ReceiptsGoThroughThePayloadAndBack) {
  ReceiptRow receipt;
  receipt.id = "r-1";
  receipt.branch = "main";
  receipt.path = "path";
  receipt.state = ReceiptState::kPending;
  receipt.base = kA;
  receipt.staged_sequence = 4;
  receipt.evidence = Value::Object{{"reviewer", "ada"}};
  const auto again = ReceiptFromValue(ReceiptToValue(receipt));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->base, OptionalEntry(kA));
  EXPECT_EQ(again->staged, OptionalEntry());
  EXPECT_EQ(again->state, ReceiptState::kPending);
  EXPECT_EQ(again->evidence, receipt.evidence);

  MemoryProjection projection;
  Operation review = Of(5, OperationType::kReview, {});
  review.payload.Set(kPayloadReceipts, Value::Array{ReceiptToValue(receipt)});
  ASSERT_TRUE(Project(review, projection).ok());
  EXPECT_EQ(projection.receipts.at("r-1").review_sequence, 5);
  Operation approve = Of(6, OperationType::kApprove, {});
  AddReceiptState(approve, "r-1", ReceiptState::kMinted);
  ASSERT_TRUE(Project(approve, projection).ok());
  EXPECT_EQ(projection.receipts.at("r-1").state, ReceiptState::kMinted);
}

TEST(Projection, DamagedPayloadsAreReported) {
  MemoryProjection projection;
  Operation operation = Of(5, OperationType::kReview, {});
  operation.payload.Set(kPayloadReceipts, "no list");
  EXPECT_EQ(Project(operation, projection).code(), ErrorCode::kDataLoss);
  Operation states = Of(6, OperationType::kApprove, {});
  states.payload.Set(kPayloadReceiptStates, Value::Array{1, 2});
  EXPECT_EQ(Project(states, projection).code(), ErrorCode::kDataLoss);
  Operation texts = Of(7, OperationType::kApprove, {});
  texts.payload.Set(kPayloadReceiptStates, Value::Array{Value::Array{1, "minted"}});
  EXPECT_EQ(Project(texts, projection).code(), ErrorCode::kDataLoss);
}

}  // namespace
}  // namespace staged
