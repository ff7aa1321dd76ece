#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codec/text_elements.h"
#include "staged/ext/format.h"

// Edits of text that office formats share: find and replace in paragraphs, guarded by `expect`.
namespace staged {

// The argument `name` without carriage returns: line ends are "\n" inside a document. Errors:
// kInvalidArgument when absent or no string.
[[nodiscard]] Result<std::string> DocumentTextArgument(const Edit& edit, std::string_view name);

// "p[1]:4-10" as "p[1]" and the span of bytes of its text; no span when the locator has none.
[[nodiscard]] std::pair<std::string, std::optional<ByteSpan>> SplitTextSpan(
    const std::string& locator);

// Checks `edit.expect` against the texts, a line each. Errors: kNoMatch.
[[nodiscard]] Status CheckExpectedParagraphs(const Edit& edit,
                                             const std::vector<TextElementEditor*>& paragraphs);

// "find" and "replace"; "all" or "occurrence" (from 1) choose among several matches. Errors:
// kNoMatch, kAmbiguous, kInvalidArgument, those of TextElementEditor::Replace.
[[nodiscard]] Status ReplaceTextInParagraphs(const Edit& edit,
                                             const std::vector<TextElementEditor*>& paragraphs);

// Gives a paragraph a new text and changes only what differs.
[[nodiscard]] Status SetParagraphText(TextElementEditor& paragraph, const std::string& text);

// "replace", "text" or "value" in the place of the span; "find" may name what is there.
[[nodiscard]] Status ReplaceSpanOfParagraph(const Edit& edit, TextElementEditor& paragraph,
                                            const ByteSpan& span);

// How a container of paragraphs gets the lines of a new text: the first `kept_front` and the last
// `kept_back` paragraphs stay, those between take lines one by one, then lines or paragraphs are
// left over.
struct ParagraphPlan {
  size_t kept_front = 0;
  size_t kept_back = 0;
};
[[nodiscard]] ParagraphPlan PlanLines(const std::vector<std::string>& before,
                                      const std::vector<std::string>& lines);
[[nodiscard]] std::vector<std::string> SplitLines(std::string_view text);

}  // namespace staged
