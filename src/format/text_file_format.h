#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codec/text_encoding.h"
#include "format/text_editor.h"
#include "format/text_records.h"
#include "staged/ext/format.h"

// What the class of a format whose files are text, read as one segment, does like every other.
namespace staged {

// The score of bytes that only their name tells: 70 for text with one of the format's extensions.
[[nodiscard]] int NamedTextScore(const FormatDescriptor& descriptor, std::string_view bytes,
                                 std::string_view extension);

// The whole file as the one part of a view, which `kinds` of records cover; with what is wrong with
// its encoding.
[[nodiscard]] ParsedContent WholeFileContent(std::string_view bytes, const DecodedText& decoded,
                                             std::shared_ptr<const Segment> segment,
                                             std::vector<std::string> kinds);

// Plans every edit with `editor` and gives its bytes. Errors: those of Format::Apply, with the
// ordinal of the edit.
template <typename Editor>
[[nodiscard]] Result<EditOutcome> PlanAndFinish(Editor& editor, const std::vector<Edit>& edits) {
  for (size_t i = 0; i < edits.size(); ++i) {
    STAGED_RETURN_IF_ERROR(InEdit(editor.Plan(edits[i]), i, edits.size()));
  }
  EditOutcome outcome;
  STAGED_ASSIGN_OR_RETURN(outcome.bytes, editor.Finish());
  return outcome;
}

}  // namespace staged
