#include <string>
#include <string_view>

#include "base/binary.h"
#include "fuzz/format_fuzzing.h"
#include "parse_host/message.h"

// What goes between a parse worker and its host, of any bytes: an error, or a message that is the
// same after another round. The first byte says which message.
namespace staged {
namespace {

template <typename Message>
void RoundTrip(const Result<Message>& message, std::string (*encode)(const Message&),
               Result<Message> (*decode)(std::string_view)) {
  if (!message.ok()) return;
  const std::string encoded = encode(*message);
  const Result<Message> again = decode(encoded);
  fuzzing::Require(again.ok() && encode(*again) == encoded);
}

// A string that is the head, then the segments.
void RoundTripParsed(std::string_view bytes) {
  BinaryReader reader(bytes);
  const std::string_view head = reader.GetString();
  const Result<ParsedContent> parsed = DecodeParsed(head, bytes.substr(reader.position()), {});
  if (!parsed.ok()) return;
  const GivenSegments given = {parsed->segments.begin(), parsed->segments.end()};
  for (const GivenSegments& known : {GivenSegments(), given}) {
    const auto again =
        DecodeParsed(EncodeParsedHead(*parsed), EncodeSegments(*parsed, known), known);
    fuzzing::Require(again.ok() && again->parts == parsed->parts &&
                     again->diagnostics == parsed->diagnostics &&
                     again->segments.size() == parsed->segments.size());
  }
}

void RoundTripOutcome(std::string_view bytes) {
  const Result<EditOutcome> outcome = DecodeOutcome(bytes, "content");
  if (!outcome.ok()) return;
  const std::string encoded = EncodeOutcomeHead(*outcome);
  const Result<EditOutcome> again = DecodeOutcome(encoded, outcome->bytes);
  fuzzing::Require(again.ok() && EncodeOutcomeHead(*again) == encoded);
}

void RoundTripAny(uint8_t which, std::string_view bytes) {
  switch (which % 6) {
    case 0:
      return RoundTrip(DecodeParseRequest(bytes), EncodeParseRequest, DecodeParseRequest);
    case 1:
      return RoundTrip(DecodeApplyRequest(bytes), EncodeApplyRequest, DecodeApplyRequest);
    case 2:
      return RoundTrip(DecodeReuseRequest(bytes), EncodeReuseRequest, DecodeReuseRequest);
    case 3:
      return RoundTripParsed(bytes);
    case 4:
      return RoundTripOutcome(bytes);
    default: {
      const std::string failure = EncodeFailure(DecodeFailure(bytes));
      fuzzing::Require(EncodeFailure(DecodeFailure(failure)) == failure);
    }
  }
}

}  // namespace
}  // namespace staged

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (size > 0) staged::RoundTripAny(data[0], bytes.substr(1));
  return 0;
}
