#pragma once

#include <string_view>
#include <vector>

#include "codec/text_encoding.h"
#include "record/line_index.h"
#include "staged/ext/format.h"

namespace staged {

// The record "file" that every text format begins with: encoding, byte order mark, newline style,
// final newline. With the lines' records it gives the bytes.
[[nodiscard]] Record TextFileRecord(const DecodedText& decoded, const LineIndex& lines);
// Its rule for a profile.
[[nodiscard]] KindRule TextFileKindRule();

// One segment of the "file" record and a record a line.
[[nodiscard]] std::shared_ptr<const Segment> NewLineSegment(const DecodedText& decoded,
                                                            const ContentHash& digest);

// What is wrong with the encoding: malformed UTF-8 by byte offset, UTF-16 damage.
[[nodiscard]] std::vector<Diagnostic> EncodingDiagnostics(const DecodedText& decoded);

// The size that text formats take at most. Errors: kLimitExceeded.
[[nodiscard]] Status CheckTextSize(std::string_view bytes, const Limits& limits);

}  // namespace staged
