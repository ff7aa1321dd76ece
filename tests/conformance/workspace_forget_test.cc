// What `forget` takes away beside the store's bytes, and what keeps it from that (rule 15).

#include <fcntl.h>
#include <unistd.h>

#include "tests/conformance/workspace_fixture.h"

namespace staged::testing {
namespace {

namespace fs = std::filesystem;

class Forget : public WorkspaceFixture {
 protected:
  // The files of .staged/tmp that hold just these bytes.
  [[nodiscard]] std::vector<std::string> TemporaryFilesWith(std::string_view bytes) const {
    std::vector<std::string> names;
    for (const auto& file : fs::directory_iterator(Absolute(".staged/tmp"))) {
      const std::string name = file.path().filename();
      if (OnDisk(".staged/tmp/" + name) == bytes) names.push_back(name);
    }
    return names;
  }
  // Another process submits other bytes for a.txt, and lives on.
  void ReplaceBy(Workspace& other, std::string_view bytes) {
    STAGED_ASSERT_OK(other.Write(other_, "a.txt", HashOfText("secret\n"), bytes));
    STAGED_ASSERT_OK(other.Review(other_, {}));
    STAGED_ASSERT_OK(other.Submit(other_, {}, {}));
  }
};

// A process keeps what it displaced until the end of its publication is durable.
TEST_F(Forget, TakesWhatALivingPublisherDisplaced) {
  Save("a.txt", "secret\n");
  Init();
  const auto other = OpenAnother();
  ReplaceBy(*other, "public\n");
  ASSERT_EQ(TemporaryFilesWith("secret\n").size(), 1u);
  STAGED_ASSERT_OK(workspace().Forget(agent_, HashOfText("secret\n")));
  EXPECT_TRUE(TemporaryFilesWith("secret\n").empty());
  STAGED_ASSERT_OK(other->Write(other_, "a.txt", HashOfText("public\n"), "next\n"));
  STAGED_ASSERT_OK(other->Review(other_, {}));
  STAGED_ASSERT_OK(other->Submit(other_, {}, {}));
  EXPECT_EQ(OnDisk("a.txt"), "next\n");
  ExpectSound();
}

// Rule 13: what a program may still write into is not taken away from it.
TEST_F(Forget, WaitsForWhoMayStillWriteIntoWhatWasReplaced) {
  Save("a.txt", "secret\n");
  Init();
  const int file = open(Absolute("a.txt").c_str(), O_WRONLY | O_CLOEXEC);
  ASSERT_GE(file, 0);
  ReplaceBy(*OpenAnother(), "public\n");
  const Status refused = workspace().Forget(agent_, HashOfText("secret\n"));
  STAGED_EXPECT_CODE(ErrorCode::kBusy, refused);
  EXPECT_NE(refused.message().find("forget again"), std::string::npos) << refused.message();
  EXPECT_EQ(TemporaryFilesWith("secret\n").size(), 1u);
  close(file);
  STAGED_ASSERT_OK(workspace().Forget(agent_, HashOfText("secret\n")));
  EXPECT_TRUE(TemporaryFilesWith("secret\n").empty());
  ExpectSound();
}

// The journal, which keeps what it has, says which edits were made and not what texts they had.
TEST_F(Forget, TheJournalHasNoTextOfEdits) {
  Save("a.json", "{\"name\": \"public\"}\n");
  Init();
  const Edit edit{"set", "/name", "public", Value::Object{{"value", "secret"}}};
  const auto edited =
      workspace().ApplyEdits(agent_, "a.json", HashOfText("{\"name\": \"public\"}\n"), {edit});
  STAGED_ASSERT_OK(edited);
  const Operation operation = ReadOperation(edited->operation);
  const Value* edits = operation.payload.Find("edits");
  ASSERT_NE(edits, nullptr);
  ASSERT_EQ(edits->as_array().size(), 1u);
  const Value& evidence = edits->as_array()[0];
  EXPECT_EQ(evidence.FindString("op"), "set");
  EXPECT_EQ(evidence.FindString("locator"), "/name");
  EXPECT_EQ(evidence.FindString("digest").size(), 64u);
  EXPECT_EQ(evidence.as_object().size(), 3u);
}

// What was set aside because it could not be opened may be a good database of old views.
TEST_F(Forget, TakesDerivedDataThatWasSetAside) {
  Init();
  Create("a.txt", "secret\n");
  STAGED_ASSERT_OK(workspace().Discard(agent_, {}));
  Save(".staged/derived.broken/derived.db", "secret");
  Save(".staged/derived.broken-2/below/derived.db", "secret");
  STAGED_ASSERT_OK(workspace().Forget(agent_, HashOfText("secret\n")));
  EXPECT_FALSE(fs::exists(Absolute(".staged/derived.broken")));
  EXPECT_FALSE(fs::exists(Absolute(".staged/derived.broken-2")));
}

}  // namespace
}  // namespace staged::testing
