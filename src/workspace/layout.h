#pragma once

// The names inside a workspace's .staged folder (docs/storage-format.md).
namespace staged::layout {

inline constexpr char kFolder[] = ".staged";
inline constexpr char kFormatFile[] = "format";  // text: name and version
inline constexpr char kFormatText[] = "staged-workspace 1\n";
inline constexpr char kJournalFile[] = "journal.db";
inline constexpr char kHeadFile[] = "head";  // chain head beside the database, for fsck
inline constexpr char kObjects[] = "objects";
inline constexpr char kDerived[] = "derived";
inline constexpr char kTemporary[] = "tmp";
inline constexpr char kLockFile[] = "lock";
inline constexpr char kRemovalLock[] = "removal.lock";  // held by gc and forget, one at a time
inline constexpr char kPolicyFile[] = "policy.toml";

}  // namespace staged::layout
