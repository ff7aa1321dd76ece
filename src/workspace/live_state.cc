#include "workspace/live_state.h"

#include <algorithm>
#include <thread>

namespace staged {
namespace {

constexpr int kAttempts = 8;
// Below this many files, starting a thread costs more than it brings.
constexpr size_t kListAheadFilesMin = 2'000;
// More do not help a warm cache, which is one lock after another in the kernel.
constexpr unsigned kListThreadsMax = 4;

int ThreadsFor(const Tree& tracked) {
  if (tracked.size() < kListAheadFilesMin) return 1;
  return static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, kListThreadsMax));
}

const PublicationRow* FindPublication(const Publications& publications, const std::string& path) {
  const auto found = publications.find(path);
  return found == publications.end() ? nullptr : &found->second;
}

// Every path whose entry differs between the two trees, with its entry in `disk`.
TreeChanges CompareTrees(const Tree& accepted, const Tree& disk) {
  TreeChanges changes;
  auto left = accepted.begin();
  auto right = disk.begin();
  while (left != accepted.end() || right != disk.end()) {
    if (right == disk.end() || (left != accepted.end() && left->first < right->first)) {
      changes.emplace_hint(changes.end(), left->first, OptionalEntry());
      ++left;
    } else if (left == accepted.end() || right->first < left->first) {
      changes.emplace_hint(changes.end(), right->first, right->second);
      ++right;
    } else {
      if (left->second != right->second) {
        changes.emplace_hint(changes.end(), right->first, right->second);
      }
      ++left;
      ++right;
    }
  }
  return changes;
}

}  // namespace

Result<Publications> ReadPublications(JournalReader& reader) {
  STAGED_ASSIGN_OR_RETURN(const std::vector<PublicationRow> rows, reader.Publications());
  Publications publications;
  for (const PublicationRow& row : rows) publications[row.path] = row;
  return publications;
}

const PublicationRow* FindPublicationOf(const Publications& publications,
                                        const std::vector<PathChange>& changes) {
  for (const auto& [path, row] : publications) {
    for (const PathChange& change : changes) {
      if (path == change.path || path.starts_with(change.path + "/") ||
          change.path.starts_with(path + "/")) {
        return &row;
      }
    }
  }
  return nullptr;
}

Result<Tree> ReadAcceptedTree(JournalReader& reader) {
  STAGED_ASSIGN_OR_RETURN(std::vector<AcceptedEntry> entries, reader.AcceptedTree());
  Tree tree;
  for (AcceptedEntry& entry : entries) {
    tree.emplace_hint(tree.end(), std::move(entry.path), entry.entry);
  }
  return tree;
}

bool IsPersonsChange(const OptionalEntry& on_disk, const OptionalEntry& accepted,
                     const PublicationRow* publication) {
  if (on_disk == accepted) return false;
  return publication == nullptr || (on_disk != publication->base && on_disk != publication->result);
}

Result<LiveState> ObserveLive(Journal& journal, Directory& root, HashMemory* memory) {
  STAGED_ASSIGN_OR_RETURN(auto reader, journal.BeginRead());
  for (int attempt = 0;; ++attempt) {
    LiveState live;
    STAGED_ASSIGN_OR_RETURN(live.accepted, ReadAcceptedTree(*reader));
    STAGED_ASSIGN_OR_RETURN(const Publications publications, ReadPublications(*reader));
    STAGED_ASSIGN_OR_RETURN(const JournalHead before, reader->Head());
    STAGED_ASSIGN_OR_RETURN(ScannedTree scanned,
                            ScanTree(root, {.tracked = &live.accepted,
                                            .memory = memory,
                                            .ignore_rules = true,
                                            .threads = ThreadsFor(live.accepted),
                                            .content_sink = {},
                                            .progress = {}}));
    live.disk = std::move(scanned.entries);
    live.rules = std::move(scanned.rules);
    for (SkippedFile& skipped : scanned.skipped) {
      live.skipped.push_back({std::move(skipped.path), std::move(skipped.reason)});
    }
    for (auto& [path, entry] : CompareTrees(live.accepted, live.disk)) {
      if (IsPersonsChange(entry, FindEntry(live.accepted, path),
                          FindPublication(publications, path))) {
        live.overlay.emplace(path, entry);
      }
    }
    // A skipped path that is accepted (unreadable now, say) is not a deletion.
    for (const SkippedPath& skipped : live.skipped) {
      live.overlay.erase(skipped.path);
      const auto below = live.overlay.lower_bound(skipped.path + "/");
      auto end = below;
      while (end != live.overlay.end() && end->first.starts_with(skipped.path + "/")) ++end;
      live.overlay.erase(below, end);
    }
    if (live.overlay.empty()) {
      live.reader = std::move(reader);
      return live;
    }
    // The differences stand if nothing was committed and no publication ended while we looked.
    STAGED_ASSIGN_OR_RETURN(auto later, journal.BeginRead());
    STAGED_ASSIGN_OR_RETURN(const JournalHead after, later->Head());
    STAGED_ASSIGN_OR_RETURN(const Publications publications_after, ReadPublications(*later));
    const bool same_publications = std::equal(
        publications.begin(), publications.end(), publications_after.begin(),
        publications_after.end(), [](const auto& left, const auto& right) {
          return left.first == right.first && left.second.sequence == right.second.sequence;
        });
    if (after.sequence == before.sequence && same_publications) {
      live.reader = std::move(later);
      return live;
    }
    if (attempt + 1 == kAttempts) {
      // Busy writers: keep only differences that cannot be theirs.
      STAGED_ASSIGN_OR_RETURN(const Tree accepted_after, ReadAcceptedTree(*later));
      std::erase_if(live.overlay, [&](const auto& change) {
        const auto& [path, entry] = change;
        return FindEntry(live.accepted, path) != FindEntry(accepted_after, path) ||
               publications.contains(path) || publications_after.contains(path);
      });
      live.accepted = accepted_after;
      live.reader = std::move(later);
      return live;
    }
    reader = std::move(later);
  }
}

}  // namespace staged
