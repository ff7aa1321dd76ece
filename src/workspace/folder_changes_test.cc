#include "workspace/folder_changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace staged {
namespace {

using ::testing::ElementsAre;

Entry FileOf(const std::string& content, EntryKind kind = EntryKind::kFile) {
  return {kind, ContentHash::Of(content)};
}

std::vector<std::string> Describe(const Tree& before, const ScannedTree& now) {
  std::vector<std::string> lines;
  for (const Operation& operation :
       FolderOperations(CompareFolder(before, now), before, now.entries)) {
    std::string line(OperationTypeName(operation.type));
    for (const PathChange& change : operation.changes) line += " " + change.path;
    lines.push_back(line);
  }
  return lines;
}

TEST(FolderChanges, EachPathHasItsOperationAndDeletionsComeFirst) {
  const Tree before = {
      {"a", FileOf("1")}, {"b", FileOf("2")}, {"c", FileOf("3")}, {"d", FileOf("4")}};
  const ScannedTree now{{{"b", FileOf("2", EntryKind::kExecutable)},
                         {"c", FileOf("new")},
                         {"d", FileOf("4")},
                         {"e", FileOf("5")}},
                        {},
                        {}};
  EXPECT_THAT(Describe(before, now), ElementsAre("delete a", "mode b", "replace c", "create e"));
}

TEST(FolderChanges, AMoveIsOneOnlyWhereItIsUnique) {
  const Tree before = {{"a", FileOf("1")}, {"b", FileOf("2")}, {"c", FileOf("2")}};
  const ScannedTree now{{{"x", FileOf("1")}, {"y", FileOf("2")}}, {}, {}};
  EXPECT_THAT(Describe(before, now), ElementsAre("delete b", "delete c", "move a x", "create y"));
}

TEST(FolderChanges, WhatWasSkippedHasNotGone) {
  const Tree before = {{"in/a", FileOf("1")}, {"inside", FileOf("2")}};
  const ScannedTree now{{}, {{"in", "not readable"}}, {}};
  EXPECT_THAT(Describe(before, now), ElementsAre("delete inside"));
}

}  // namespace
}  // namespace staged
