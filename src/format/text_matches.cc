#include "format/text_matches.h"

#include <algorithm>
#include <string>

#include "format/text_editor.h"

namespace staged {
namespace {

std::string Quoted(std::string_view text) {
  std::string line = WithNewlines(text.substr(0, 40), Newline::kLineFeed);
  std::replace(line.begin(), line.end(), '\n', ' ');
  return "'" + line + (text.size() > 40 ? "...'" : "'");
}

std::vector<ByteSpan> Occurrences(std::string_view text, std::string_view find) {
  std::vector<ByteSpan> found;
  for (size_t at = text.find(find); at != std::string_view::npos;
       at = text.find(find, at + find.size())) {
    found.push_back({at, at + find.size()});
  }
  return found;
}

}  // namespace

Result<std::vector<ByteSpan>> TextMatches(const Edit& edit, std::string_view text,
                                          Newline newline) {
  STAGED_ASSIGN_OR_RETURN(std::string find, TextArgument(edit, "find"));
  if (find.empty()) return Status(ErrorCode::kInvalidArgument, "\"find\" must not be empty");
  std::vector<ByteSpan> found = Occurrences(text, find);
  if (found.empty()) {
    find = WithNewlines(find, newline);
    found = Occurrences(text, find);
  }
  if (found.empty()) {
    return Status(ErrorCode::kNoMatch, "the text " + Quoted(find) + " does not occur in " +
                                           (edit.locator.empty() ? "the file" : edit.locator) +
                                           "; read it again and copy the text exactly");
  }
  const Value* all = edit.arguments.Find("all");
  const Value* occurrence = edit.arguments.Find("occurrence");
  if (occurrence != nullptr) {
    const int64_t wanted = occurrence->is_integer() ? occurrence->as_integer() : 0;
    if (wanted < 1 || static_cast<uint64_t>(wanted) > found.size()) {
      return Status(ErrorCode::kNoMatch, "\"occurrence\" must be from 1 to " +
                                             std::to_string(found.size()) + " for " + Quoted(find));
    }
    found = {ByteSpan(found[static_cast<size_t>(wanted) - 1])};
  } else if (found.size() > 1 && !(all != nullptr && *all == Value(true))) {
    Value details;
    details.Set("matches", found.size());
    return Status(ErrorCode::kAmbiguous,
                  "the text " + Quoted(find) + " occurs " + std::to_string(found.size()) +
                      " times; give more of it, \"occurrence\": n, or \"all\": true",
                  std::move(details));
  }
  return found;
}

}  // namespace staged
