#include "staged/ext/apply_edits.h"

#include <string>

namespace staged {
namespace {

// One kind of text may become another (a script that loses its first line); nothing else may.
bool MayBecome(const Format& before, const Format& after) {
  return before.descriptor().name == after.descriptor().name ||
         (before.descriptor().profile.line_based_merge &&
          after.descriptor().profile.line_based_merge);
}

}  // namespace

Result<EditOutcome> ApplyEdits(const FormatRegistry& registry, std::string_view bytes,
                               std::string_view path, const std::vector<Edit>& edits,
                               const Limits& limits) {
  const Format& format = registry.Detect(bytes, path);
  STAGED_ASSIGN_OR_RETURN(EditOutcome outcome, format.Apply(bytes, edits, limits));
  const Format& after = registry.Detect(outcome.bytes, path);
  if (MayBecome(format, after)) return outcome;
  return Status(ErrorCode::kUnsupportedEdit,
                "the edited file would no longer be read as '" + format.descriptor().name +
                    "' but as '" + after.descriptor().name +
                    "'; leave NUL and other control characters out, or write native bytes");
}

}  // namespace staged
