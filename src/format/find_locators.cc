#include "format/find_locators.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "codec/text_encoding.h"
#include "record/line_index.h"

namespace staged {
namespace {

// Lines from 1, both included.
struct Lines {
  size_t first = 0;
  size_t last = 0;
};

std::optional<Lines> ReadLines(std::string_view locator) {
  constexpr std::string_view kPrefix = "line:";
  if (!locator.starts_with(kPrefix)) return std::nullopt;
  locator.remove_prefix(kPrefix.size());
  const char* const end = locator.data() + locator.size();
  Lines lines;
  auto read = std::from_chars(locator.data(), end, lines.first);
  if (read.ec != std::errc() || lines.first == 0) return std::nullopt;
  lines.last = lines.first;
  if (read.ptr != end && *read.ptr == '-') read = std::from_chars(read.ptr + 1, end, lines.last);
  if (read.ec != std::errc() || read.ptr != end || lines.last < lines.first) return std::nullopt;
  return lines;
}

struct Candidate {
  std::string locator;
  ByteSpan span;
};

// Those that overlap `wanted`, without the ones that merely go around others of them.
std::set<std::string> FindSpans(const View& view, const ByteSpan& wanted) {
  std::vector<Candidate> overlapping;
  const auto collect = [&](const Record& record) {
    if (record.span && record.span->begin < wanted.end &&
        std::max(record.span->end, record.span->begin + 1) > wanted.begin) {
      overlapping.push_back({record.locator, *record.span});
    }
    return true;
  };
  // Spans of a part with a name count from that part's begin, not the file's.
  for (const auto& segment : view.segments) {
    if (segment->part().empty()) segment->ForEach(collect);
  }
  std::set<std::string> found;
  for (const Candidate& candidate : overlapping) {
    const ByteSpan& span = candidate.span;
    const bool goes_through = span.begin < wanted.begin && span.end > wanted.end;
    const bool holds_another =
        goes_through &&
        std::any_of(overlapping.begin(), overlapping.end(), [&](const Candidate& other) {
          return other.span != span && other.span.begin >= span.begin && other.span.end <= span.end;
        });
    if (!holds_another) found.insert(candidate.locator);
  }
  return found;
}

// Without offsets (UTF-16), lines are found where records are lines.
std::set<std::string> FindLineRecords(const View& view, const Lines& lines) {
  std::set<std::string> found;
  view.ForEach([&](const Record& record) {
    const std::optional<Lines> own = ReadLines(record.locator);
    if (own && own->first <= lines.last && own->last >= lines.first) found.insert(record.locator);
    return true;
  });
  return found;
}

std::set<std::string> FindLines(const View& view, const Lines& lines, std::string_view bytes) {
  const DecodedText decoded(bytes);
  if (!decoded.keeps_offsets()) return FindLineRecords(view, lines);
  const LineIndex index(decoded.text());
  if (lines.first > index.count()) return {};
  const uint64_t offset = decoded.mark_size_bytes();
  const uint64_t begin = index.Span(lines.first - 1).begin;
  const uint64_t end = index.Span(std::min(lines.last, index.count()) - 1).end;
  return FindSpans(view, {begin + offset, end + offset});
}

// What is not in a view that a limit cut may well be in the file.
Status NotFound(const View& view, const Status& status) {
  for (const Diagnostic& one : view.diagnostics) {
    if (one.severity != "error" || one.code != ErrorCodeName(ErrorCode::kLimitExceeded)) continue;
    return {ErrorCode::kLimitExceeded, "the view does not have all of the file: " + one.message};
  }
  return status;
}

}  // namespace

Result<std::set<std::string>> FindLocators(const View& view, const std::string& locator,
                                           const std::function<Result<std::string>()>& bytes) {
  const Result<Record> exact = view.Find(locator);
  if (exact.ok()) return std::set<std::string>{exact->locator};
  const std::optional<Lines> lines = ReadLines(locator);
  if (!lines) return NotFound(view, exact.status());
  STAGED_ASSIGN_OR_RETURN(const std::string content, bytes());
  std::set<std::string> found = FindLines(view, *lines, content);
  if (found.empty()) return NotFound(view, exact.status());
  return found;
}

}  // namespace staged
