#include "parse_host/message.h"

#include <algorithm>

#include "base/binary.h"
#include "record/record_codec.h"
#include "record/segments.h"

namespace staged {
namespace {

void PutStrings(BinaryWriter& writer, const std::vector<std::string>& strings) {
  writer.PutUnsigned(strings.size());
  for (const std::string& text : strings) writer.PutString(text);
}

std::vector<std::string> GetStrings(BinaryReader& reader) {
  std::vector<std::string> strings(reader.GetCount(1));
  for (std::string& text : strings) text = reader.GetString();
  return strings;
}

}  // namespace

std::string EncodeParseRequest(const ParseRequest& request) {
  BinaryWriter writer;
  writer.PutString(request.format);
  PutLimits(writer, request.limits);
  return writer.Take();
}

Result<ParseRequest> DecodeParseRequest(std::string_view head) {
  BinaryReader reader(head);
  ParseRequest request;
  request.format = reader.GetString();
  request.limits = GetLimits(reader);
  STAGED_RETURN_IF_ERROR(reader.Finish("a request to parse"));
  return request;
}

std::string EncodeApplyRequest(const ApplyRequest& request) {
  BinaryWriter writer;
  writer.PutString(request.format);
  PutLimits(writer, request.limits);
  writer.PutUnsigned(request.edits.size());
  for (const Edit& edit : request.edits) {
    writer.PutString(edit.op);
    writer.PutString(edit.locator);
    writer.PutBool(edit.expect.has_value());
    if (edit.expect) writer.PutValue(*edit.expect);
    writer.PutValue(edit.arguments);
  }
  return writer.Take();
}

Result<ApplyRequest> DecodeApplyRequest(std::string_view head) {
  BinaryReader reader(head);
  ApplyRequest request;
  request.format = reader.GetString();
  request.limits = GetLimits(reader);
  request.edits.resize(reader.GetCount(4));
  for (Edit& edit : request.edits) {
    edit.op = reader.GetString();
    edit.locator = reader.GetString();
    if (reader.GetBool()) edit.expect = reader.GetValue();
    edit.arguments = reader.GetValue();
  }
  STAGED_RETURN_IF_ERROR(reader.Finish("a request to edit"));
  return request;
}

std::string EncodeReuseRequest(const ReuseRequest& request) {
  BinaryWriter writer;
  writer.PutString(request.part);
  writer.PutHash(request.digest);
  return writer.Take();
}

Result<ReuseRequest> DecodeReuseRequest(std::string_view head) {
  BinaryReader reader(head);
  ReuseRequest request;
  request.part = reader.GetString();
  request.digest = reader.GetHash();
  STAGED_RETURN_IF_ERROR(reader.Finish("a request for a segment"));
  return request;
}

std::string EncodeParsedHead(const ParsedContent& parsed) {
  BinaryWriter writer;
  writer.PutString(parsed.fallback);
  writer.PutUnsigned(parsed.parts.size());
  for (const Part& part : parsed.parts) {
    writer.PutString(part.name);
    writer.PutHash(part.digest);
    writer.PutUnsigned(part.size_bytes);
    PutStrings(writer, part.kinds);
  }
  writer.PutUnsigned(parsed.diagnostics.size());
  for (const Diagnostic& diagnostic : parsed.diagnostics) {
    writer.PutString(diagnostic.severity);
    writer.PutString(diagnostic.code);
    writer.PutString(diagnostic.locator);
    writer.PutString(diagnostic.message);
  }
  return writer.Take();
}

// 0 and the bytes of a new segment, or the number of a given one, counted from 1.
std::string EncodeSegments(const ParsedContent& parsed, const GivenSegments& given) {
  BinaryWriter writer;
  writer.PutUnsigned(parsed.segments.size());
  for (const auto& segment : parsed.segments) {
    const auto found = std::find(given.begin(), given.end(), segment);
    if (found != given.end()) {
      writer.PutUnsigned(static_cast<uint64_t>(found - given.begin()) + 1);
      continue;
    }
    writer.PutUnsigned(0);
    writer.PutString(segment->Encode());
  }
  return writer.Take();
}

Result<ParsedContent> DecodeParsed(std::string_view head, std::string_view body,
                                   const GivenSegments& given) {
  BinaryReader reader(head);
  ParsedContent parsed;
  parsed.fallback = reader.GetString();
  parsed.parts.resize(reader.GetCount(1));
  for (Part& part : parsed.parts) {
    part.name = reader.GetString();
    part.digest = reader.GetHash();
    part.size_bytes = reader.GetUnsigned();
    part.kinds = GetStrings(reader);
  }
  parsed.diagnostics.resize(reader.GetCount(4));
  for (Diagnostic& diagnostic : parsed.diagnostics) {
    diagnostic.severity = reader.GetString();
    diagnostic.code = reader.GetString();
    diagnostic.locator = reader.GetString();
    diagnostic.message = reader.GetString();
  }
  STAGED_RETURN_IF_ERROR(reader.Finish("a parser's answer"));

  BinaryReader segments(body);
  for (uint64_t left = segments.GetCount(1); left > 0 && segments.ok(); --left) {
    const uint64_t number = segments.GetUnsigned();
    if (number > given.size()) {
      return Status(ErrorCode::kDataLoss,
                    "a parser's answer names a segment that it was not given");
    }
    if (number > 0) {
      parsed.segments.push_back(given[number - 1]);
      continue;
    }
    STAGED_ASSIGN_OR_RETURN(parsed.segments.emplace_back(), DecodeSegment(segments.GetString()));
  }
  STAGED_RETURN_IF_ERROR(segments.Finish("a parser's segments"));
  return parsed;
}

std::string EncodeOutcomeHead(const EditOutcome& outcome) {
  BinaryWriter writer;
  PutStrings(writer, outcome.rewritten_members);
  writer.PutUnsigned(outcome.derived.size());
  for (const DerivedEffect& effect : outcome.derived) {
    writer.PutString(effect.locator);
    writer.PutString(effect.description);
  }
  return writer.Take();
}

Result<EditOutcome> DecodeOutcome(std::string_view head, std::string bytes) {
  BinaryReader reader(head);
  EditOutcome outcome;
  outcome.rewritten_members = GetStrings(reader);
  outcome.derived.resize(reader.GetCount(2));
  for (DerivedEffect& effect : outcome.derived) {
    effect.locator = reader.GetString();
    effect.description = reader.GetString();
  }
  STAGED_RETURN_IF_ERROR(reader.Finish("an editor's answer"));
  outcome.bytes = std::move(bytes);
  return outcome;
}

std::string EncodeFailure(const Status& status) {
  BinaryWriter writer;
  writer.PutByte(static_cast<uint8_t>(status.code()));
  writer.PutString(status.message());
  writer.PutValue(status.details());
  return writer.Take();
}

Status DecodeFailure(std::string_view head) {
  BinaryReader reader(head);
  const uint8_t code = reader.GetByte();
  std::string message(reader.GetString());
  Value details = reader.GetValue();
  STAGED_RETURN_IF_ERROR(reader.Finish("a parser's error"));
  if (code == 0 || code > static_cast<uint8_t>(ErrorCode::kDataLoss)) {
    return {ErrorCode::kDataLoss, "a parser's error has the unknown code " + std::to_string(code)};
  }
  return {static_cast<ErrorCode>(code), std::move(message), std::move(details)};
}

}  // namespace staged
