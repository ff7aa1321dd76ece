#include "format/paragraph_edits.h"

#include <algorithm>
#include <charconv>

#include "format/text_editor.h"

namespace staged {
namespace {

struct TextMatch {
  TextElementEditor* paragraph;
  size_t begin;
};

constexpr size_t kShownBytesMax = 200;  // of a text inside an error's details

Status NotFound(const Edit& edit, const std::vector<TextElementEditor*>& paragraphs) {
  Value details;
  if (paragraphs.size() == 1) {
    details.Set("actual", std::string_view(paragraphs[0]->text()).substr(0, kShownBytesMax));
  }
  return Status(ErrorCode::kNoMatch,
                "the text to find is not in '" +
                    (edit.locator.empty() ? "the file" : edit.locator) +
                    "'; read it again and copy the text exactly",
                std::move(details));
}

Result<std::vector<TextMatch>> ChooseMatches(const Edit& edit, std::vector<TextMatch> matches) {
  const Value* all = edit.arguments.Find("all");
  if (all != nullptr && *all == Value(true)) return matches;
  const Value* occurrence = edit.arguments.Find("occurrence");
  if (occurrence != nullptr) {
    const int64_t which = occurrence->is_integer() ? occurrence->as_integer() : 0;
    if (which < 1 || static_cast<size_t>(which) > matches.size()) {
      return Status(ErrorCode::kNoMatch, "\"occurrence\" must be from 1 to " +
                                             std::to_string(matches.size()) + " in '" +
                                             edit.locator + "'");
    }
    return std::vector<TextMatch>{matches[static_cast<size_t>(which) - 1]};
  }
  if (matches.size() == 1) return matches;
  Value details;
  details.Set("occurrences", matches.size());
  return Status(ErrorCode::kAmbiguous,
                "the text stands " + std::to_string(matches.size()) + " times in '" + edit.locator +
                    "'; add \"occurrence\": n or \"all\": true, or find more of it",
                std::move(details));
}

}  // namespace

Result<std::string> DocumentTextArgument(const Edit& edit, std::string_view name) {
  STAGED_ASSIGN_OR_RETURN(std::string text, TextArgument(edit, name));
  std::erase(text, '\r');
  return text;
}

std::pair<std::string, std::optional<ByteSpan>> SplitTextSpan(const std::string& locator) {
  const size_t colon = locator.rfind(':');
  const size_t dash = locator.find('-', colon == std::string::npos ? 0 : colon);
  if (colon == std::string::npos || dash == std::string::npos) return {locator, std::nullopt};
  ByteSpan span;
  const char* const begin = locator.data() + colon + 1;
  const char* const middle = locator.data() + dash;
  const char* const end = locator.data() + locator.size();
  const auto first = std::from_chars(begin, middle, span.begin);
  const auto second = std::from_chars(middle + 1, end, span.end);
  if (first.ec != std::errc() || first.ptr != middle || second.ec != std::errc() ||
      second.ptr != end) {
    return {locator, std::nullopt};
  }
  return {locator.substr(0, colon), span};
}

Status CheckExpectedParagraphs(const Edit& edit,
                               const std::vector<TextElementEditor*>& paragraphs) {
  if (!edit.expect) return OkStatus();
  std::string actual;
  for (const TextElementEditor* paragraph : paragraphs) {
    if (paragraph != paragraphs.front()) actual += '\n';
    actual += paragraph->text();
  }
  return CheckExpectedText(edit, actual);
}

Status ReplaceTextInParagraphs(const Edit& edit,
                               const std::vector<TextElementEditor*>& paragraphs) {
  STAGED_ASSIGN_OR_RETURN(const std::string find, DocumentTextArgument(edit, "find"));
  STAGED_ASSIGN_OR_RETURN(const std::string replace, DocumentTextArgument(edit, "replace"));
  if (find.empty()) {
    return Status(ErrorCode::kInvalidArgument, "the argument \"find\" must not be empty");
  }
  std::vector<TextMatch> matches;
  for (TextElementEditor* paragraph : paragraphs) {
    const std::string& text = paragraph->text();
    for (size_t at = text.find(find); at != std::string::npos;
         at = text.find(find, at + find.size())) {
      matches.push_back({paragraph, at});
    }
  }
  if (matches.empty()) return NotFound(edit, paragraphs);
  STAGED_ASSIGN_OR_RETURN(const std::vector<TextMatch> chosen,
                          ChooseMatches(edit, std::move(matches)));
  for (size_t i = 0; i < chosen.size();) {
    TextElementEditor* const paragraph = chosen[i].paragraph;
    std::vector<TextReplacement> replacements;
    for (; i < chosen.size() && chosen[i].paragraph == paragraph; ++i) {
      replacements.push_back({chosen[i].begin, chosen[i].begin + find.size(), replace});
    }
    STAGED_RETURN_IF_ERROR(paragraph->Replace(replacements));
  }
  return OkStatus();
}

Status SetParagraphText(TextElementEditor& paragraph, const std::string& text) {
  const TextReplacement difference = TextDifference(paragraph.text(), text);
  if (difference.begin == difference.end && difference.text.empty()) return OkStatus();
  return paragraph.Replace({difference});
}

Status ReplaceSpanOfParagraph(const Edit& edit, TextElementEditor& paragraph,
                              const ByteSpan& span) {
  const std::string& text = paragraph.text();
  if (span.begin > span.end || span.end > text.size()) {
    return Status(ErrorCode::kNoMatch, "'" + edit.locator + "' lies outside of the text of " +
                                           std::to_string(text.size()) + " bytes; read it again");
  }
  const std::string actual = text.substr(span.begin, span.end - span.begin);
  STAGED_RETURN_IF_ERROR(CheckExpectedText(edit, actual));
  const Value* find = edit.arguments.Find("find");
  if (find != nullptr && *find != Value(actual)) {
    return Status(ErrorCode::kNoMatch,
                  "the span '" + edit.locator + "' does not hold the text to find; read it again");
  }
  std::string replacement;
  for (const std::string_view name : {"replace", "text", "value"}) {
    if (edit.arguments.Find(name) == nullptr && name != "value") continue;
    if (edit.op == "delete") break;
    STAGED_ASSIGN_OR_RETURN(replacement, DocumentTextArgument(edit, name));
    break;
  }
  return paragraph.Replace({{span.begin, span.end, replacement}});
}

ParagraphPlan PlanLines(const std::vector<std::string>& before,
                        const std::vector<std::string>& lines) {
  ParagraphPlan plan;
  const size_t shorter = std::min(before.size(), lines.size());
  while (plan.kept_front < shorter && before[plan.kept_front] == lines[plan.kept_front]) {
    ++plan.kept_front;
  }
  while (plan.kept_back < shorter - plan.kept_front &&
         before[before.size() - 1 - plan.kept_back] == lines[lines.size() - 1 - plan.kept_back]) {
    ++plan.kept_back;
  }
  return plan;
}

std::vector<std::string> SplitLines(std::string_view text) {
  std::vector<std::string> lines;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    lines.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

}  // namespace staged
