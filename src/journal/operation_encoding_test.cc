#include "journal/operation_encoding.h"

#include <gtest/gtest.h>

#include <random>

#include "base/test_seed.h"

namespace staged {
namespace {

Value RandomValue(std::mt19937_64& random, int depth) {
  switch (random() % (depth > 0 ? 7 : 5)) {
    case 0:
      return nullptr;
    case 1:
      return random() % 2 == 0;
    case 2:
      return static_cast<int64_t>(random() >> (random() % 64));
    case 3:
      return static_cast<double>(random()) / 7;
    case 4:
      return std::string(random() % 9, static_cast<char>(random()));
    case 5: {
      Value::Array items;
      for (uint64_t i = random() % 4; i > 0; --i) items.push_back(RandomValue(random, depth - 1));
      return items;
    }
    default: {
      Value object{Value::Object{}};
      for (uint64_t i = random() % 4; i > 0; --i) {
        object.Set(std::to_string(random() % 100), RandomValue(random, depth - 1));
      }
      return object;
    }
  }
}

OptionalEntry RandomEntry(std::mt19937_64& random) {
  const uint64_t kind = random() % 4;
  if (kind == 0) return std::nullopt;
  return Entry{static_cast<EntryKind>(kind), ContentHash::Of(std::to_string(random()))};
}

Operation RandomOperation(std::mt19937_64& random) {
  const auto text = [&] { return std::string(random() % 12, static_cast<char>(random())); };
  const auto number = [&] { return static_cast<int64_t>(random() << (random() % 64)); };
  Operation operation;
  operation.sequence = number();
  operation.time_ns = number();
  operation.actor = {text(), static_cast<ActorKind>(1 + random() % 3)};
  operation.branch = text();
  operation.turn = text();
  operation.lease_epoch = number();
  operation.type = static_cast<OperationType>(1 + random() % 17);
  for (uint64_t i = random() % 5; i > 0; --i) {
    operation.changes.push_back({text(), RandomEntry(random), RandomEntry(random)});
  }
  for (uint64_t i = random() % 3; i > 0; --i) operation.consumes.push_back(number());
  for (uint64_t i = random() % 3; i > 0; --i) operation.revives.push_back(number());
  operation.payload = RandomValue(random, 4);
  operation.request_id = text();
  return operation;
}

TEST(OperationEncodingTest, RoundTripsAndIsCanonical) {
  const uint64_t seed = SeedForTest();
  SCOPED_TRACE("STAGED_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int i = 0; i < 2000; ++i) {
    const Operation operation = RandomOperation(random);
    const std::string encoding = *EncodeOperation(operation);
    const auto decoded = DecodeOperation(encoding);
    ASSERT_TRUE(decoded.ok()) << decoded.status().message();
    ASSERT_EQ(*decoded, operation);
    // Damage: an error, or bytes that are some operation's only encoding.
    std::string damaged = encoding;
    damaged[random() % damaged.size()] ^= static_cast<char>(1 << (random() % 8));
    const auto other = DecodeOperation(damaged);
    if (other.ok()) {
      ASSERT_EQ(*EncodeOperation(*other), damaged);
    }
    ASSERT_FALSE(DecodeOperation(encoding.substr(0, random() % encoding.size())).ok());
    ASSERT_FALSE(DecodeOperation(encoding + "x").ok());
  }
}

// The bytes of version 1, written out: they may never change, since chains cover them.
TEST(OperationEncodingTest, BytesOfVersionOne) {
  Operation operation;
  operation.sequence = 3;
  operation.time_ns = -1;
  operation.actor = {"me", ActorKind::kHuman};
  operation.branch = "b";
  operation.type = OperationType::kSubmit;
  operation.changes = {{"p", std::nullopt, Entry{EntryKind::kSymlink, ContentHash()}}};
  operation.consumes = {2};
  operation.payload = true;
  operation.request_id = "r";
  const std::string expected = std::string(
                                   "\x01\x06\x01\x02me\x02\x01"
                                   "b\x00\x00\x0a\x01",
                                   13) +
                               std::string("\x01p\x00\x03", 4) + std::string(32, '\0') +
                               std::string("\x01\x04\x00\x02\x01r", 6);
  EXPECT_EQ(*EncodeOperation(operation), expected);
  EXPECT_EQ(NextChain(ContentHash(), expected), ContentHash::Of(std::string(32, '\0') + expected));
}

TEST(OperationEncodingTest, RefusesNewerVersionsAndDeepPayloads) {
  Operation operation;
  std::string encoding = *EncodeOperation(operation);
  encoding[0] = 2;
  EXPECT_EQ(DecodeOperation(encoding).status().code(), ErrorCode::kUnsupportedEdit);
  encoding[0] = 0;
  EXPECT_EQ(DecodeOperation(encoding).status().code(), ErrorCode::kDataLoss);
  EXPECT_EQ(DecodeOperation("").status().code(), ErrorCode::kDataLoss);
  for (int i = 0; i < kPayloadDepthMax; ++i) operation.payload = Value::Array{operation.payload};
  EXPECT_EQ(*DecodeOperation(*EncodeOperation(operation)), operation);
  operation.payload = Value::Array{operation.payload};
  EXPECT_EQ(EncodeOperation(operation).status().code(), ErrorCode::kLimitExceeded);
}

}  // namespace
}  // namespace staged
