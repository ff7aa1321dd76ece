#include "base/binary.h"

#include <gtest/gtest.h>

#include <limits>

namespace staged {
namespace {

TEST(Binary, RoundTripsEveryKindOfValue) {
  const Value value = Value::Object{
      {"null", nullptr},
      {"flags", Value::Array{true, false}},
      {"numbers", Value::Array{0, -1, std::numeric_limits<int64_t>::min(),
                               std::numeric_limits<int64_t>::max(), 0.1}},
      {"text", std::string("a\0b", 3)},
  };
  BinaryWriter writer;
  writer.PutValue(value);
  BinaryReader reader(writer.bytes());
  EXPECT_EQ(reader.GetValue(), value);
  EXPECT_TRUE(reader.Finish("value").ok());
}

TEST(Binary, EveryTruncationFails) {
  BinaryWriter writer;
  writer.PutValue(Value::Array{1, "two", 3.0});
  for (size_t size = 0; size < writer.bytes().size(); ++size) {
    BinaryReader reader(std::string_view(writer.bytes()).substr(0, size));
    (void)reader.GetValue();
    EXPECT_EQ(reader.Finish("value").code(), ErrorCode::kDataLoss) << size;
  }
}

TEST(Binary, RefusesASecondEncodingOfANumber) {
  BinaryReader reader(std::string_view("\x80\x00", 2));
  (void)reader.GetUnsigned();
  EXPECT_FALSE(reader.ok());
}

TEST(Binary, ADamagedCountAsksForNoMemory) {
  BinaryWriter writer;
  writer.PutByte(6);  // an array
  writer.PutUnsigned(uint64_t{1} << 60);
  BinaryReader reader(writer.bytes());
  (void)reader.GetValue();
  EXPECT_FALSE(reader.ok());
}

}  // namespace
}  // namespace staged
