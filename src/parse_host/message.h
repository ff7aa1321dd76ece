#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "staged/ext/format.h"

// The heads and bodies of frames (channel.h). What a worker sends is as untrusted as the file that
// it read: decoding is bounded and never crashes. Errors of all Decode functions: kDataLoss.
namespace staged {

struct ParseRequest {
  std::string format;
  Limits limits;
};
[[nodiscard]] std::string EncodeParseRequest(const ParseRequest& request);
[[nodiscard]] Result<ParseRequest> DecodeParseRequest(std::string_view head);

struct ApplyRequest {
  std::string format;
  Limits limits;
  std::vector<Edit> edits;
};
[[nodiscard]] std::string EncodeApplyRequest(const ApplyRequest& request);
[[nodiscard]] Result<ApplyRequest> DecodeApplyRequest(std::string_view head);

struct ReuseRequest {
  std::string part;
  ContentHash digest;
};
[[nodiscard]] std::string EncodeReuseRequest(const ReuseRequest& request);
[[nodiscard]] Result<ReuseRequest> DecodeReuseRequest(std::string_view head);

// Segments that the host had given (in the order given) travel as their number only.
using GivenSegments = std::vector<std::shared_ptr<const Segment>>;
[[nodiscard]] std::string EncodeParsedHead(const ParsedContent& parsed);
[[nodiscard]] std::string EncodeSegments(const ParsedContent& parsed, const GivenSegments& given);
[[nodiscard]] Result<ParsedContent> DecodeParsed(std::string_view head, std::string_view body,
                                                 const GivenSegments& given);

[[nodiscard]] std::string EncodeOutcomeHead(const EditOutcome& outcome);
[[nodiscard]] Result<EditOutcome> DecodeOutcome(std::string_view head, std::string bytes);

// The status that was sent, or kDataLoss.
[[nodiscard]] std::string EncodeFailure(const Status& status);
[[nodiscard]] Status DecodeFailure(std::string_view head);

}  // namespace staged
