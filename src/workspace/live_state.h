#pragma once

#include <memory>
#include <string>
#include <vector>

#include "staged/ext/journal.h"
#include "staged/workspace.h"
#include "workspace/live_scan.h"
#include "workspace/reducer.h"

namespace staged {

// A path whose publication is committed but perhaps not finished.
using Publications = std::map<std::string, PublicationRow>;

[[nodiscard]] Result<Publications> ReadPublications(JournalReader& reader);
// A publication of one of the paths, or of a path above or below one: until it ends, the live
// folder is not what the accepted tree says. Null where there is none.
[[nodiscard]] const PublicationRow* FindPublicationOf(const Publications& publications,
                                                      const std::vector<PathChange>& changes);
[[nodiscard]] Result<Tree> ReadAcceptedTree(JournalReader& reader);

// Whether what lies on disk at this path is a person's change: it is neither what is accepted nor,
// while a publication of the path is under way, one of its two sides (rule 14).
[[nodiscard]] bool IsPersonsChange(const OptionalEntry& on_disk, const OptionalEntry& accepted,
                                   const PublicationRow* publication);

// The live folder compared with one snapshot of the journal.
struct LiveState {
  std::unique_ptr<JournalReader> reader;  // the snapshot that `overlay` belongs to
  Tree accepted;                          // as the journal has it, without the overlay
  Tree disk;
  TreeChanges overlay;  // persons' changes on disk, not yet taken in
  std::vector<SkippedPath> skipped;
  IgnoreRules rules;
};

// Scans the folder and compares. A publication that commits or ends meanwhile makes it look again,
// so that a half-published file is never taken for a person's change.
[[nodiscard]] Result<LiveState> ObserveLive(Journal& journal, Directory& root, HashMemory* memory);

}  // namespace staged
