#include "tests/conformance/workspace_fixture.h"

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace staged::testing {

WorkspaceFixture::WorkspaceFixture() {
  std::string pattern = std::filesystem::temp_directory_path() / "staged-rules-XXXXXX";
  temporary_ = mkdtemp(pattern.data());
  root_ = temporary_ + "/root";
  std::filesystem::create_directory(root_);
  other_.actor.name = "other-agent";
  other_.branch = "other";
  person_.actor = {"ada", ActorKind::kHuman};
}

WorkspaceFixture::~WorkspaceFixture() {
  workspace_.reset();
  std::error_code ignored;
  std::filesystem::remove_all(temporary_, ignored);
}

void WorkspaceFixture::StartAfresh() {
  workspace_.reset();
  std::filesystem::remove_all(root_);
  std::filesystem::create_directory(root_);
}

void WorkspaceFixture::Init() {
  auto made = Workspace::Init(*env_, formats_, root_, {}, {}, nullptr);
  ASSERT_TRUE(made.ok()) << made.status().message();
  workspace_ = *std::move(made);
}

void WorkspaceFixture::Open() {
  workspace_.reset();
  workspace_ = OpenAnother();
}

std::unique_ptr<Workspace> WorkspaceFixture::OpenAnother() {
  auto opened = Workspace::Open(*env_, formats_, root_, {});
  EXPECT_TRUE(opened.ok()) << MessageOf(opened);
  return opened.ok() ? *std::move(opened) : nullptr;
}

void WorkspaceFixture::Save(const std::string& path, std::string_view bytes) const {
  const std::filesystem::path file = Absolute(path);
  std::filesystem::create_directories(file.parent_path());
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  ASSERT_TRUE(stream.good()) << file;
}

void WorkspaceFixture::Delete(const std::string& path) const {
  ASSERT_TRUE(std::filesystem::remove(Absolute(path)));
}

std::optional<std::string> WorkspaceFixture::OnDisk(const std::string& path) const {
  std::ifstream stream(Absolute(path), std::ios::binary);
  if (!stream) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

int64_t WorkspaceFixture::Write(const std::string& path, const BaseHash& base,
                                std::string_view bytes) {
  const auto change = workspace().Write(agent_, path, base, bytes);
  EXPECT_TRUE(change.ok()) << MessageOf(change);
  return change.ok() ? change->operation : 0;
}

int64_t WorkspaceFixture::Replace(const std::string& path, std::string_view before,
                                  std::string_view bytes) {
  return Write(path, HashOfText(before), bytes);
}

int64_t WorkspaceFixture::Create(const std::string& path, std::string_view bytes) {
  return Write(path, std::nullopt, bytes);
}

void WorkspaceFixture::ReviewAll() {
  const auto reviewed = workspace().Review(agent_, {});
  ASSERT_TRUE(reviewed.ok()) << MessageOf(reviewed);
}

void WorkspaceFixture::SubmitAll() {
  ReviewAll();
  const auto submitted = workspace().Submit(agent_, {}, {});
  ASSERT_TRUE(submitted.ok()) << MessageOf(submitted);
}

void WorkspaceFixture::SubmitElsewhere(const std::string& path, const BaseHash& base,
                                       std::string_view bytes) {
  CallContext context = other_;
  context.branch = "elsewhere";
  STAGED_ASSERT_OK(workspace().Write(context, path, base, bytes));
  STAGED_ASSERT_OK(workspace().Review(context, {}));
  STAGED_ASSERT_OK(workspace().Submit(context, {}, {}));
}

void WorkspaceFixture::SetPolicy(const std::string& text) {
  STAGED_ASSERT_OK(workspace().SetPolicy(person_, text));
}

std::optional<FileRow> WorkspaceFixture::Row(const CallContext& context, const std::string& path) {
  const auto status = workspace().GetStatus(context);
  EXPECT_TRUE(status.ok()) << MessageOf(status);
  if (!status.ok()) return std::nullopt;
  for (const FileRow& row : status->files) {
    if (row.path == path) return row;
  }
  return std::nullopt;
}

std::string WorkspaceFixture::State(const std::string& path) {
  const std::optional<FileRow> row = Row(agent_, path);
  return row ? row->state : "no row";
}

std::optional<std::string> WorkspaceFixture::Working(const std::string& path) {
  const auto content = workspace().Read(agent_, path, std::nullopt);
  return content.ok() ? std::optional<std::string>(content->bytes) : std::nullopt;
}

std::vector<Operation> WorkspaceFixture::History(const OperationFilter& filter) {
  std::vector<Operation> operations;
  EXPECT_TRUE(workspace()
                  .ForEachOperation(filter,
                                    [&](const Operation& operation) {
                                      operations.push_back(operation);
                                      return true;
                                    })
                  .ok());
  return operations;
}

Operation WorkspaceFixture::ReadOperation(int64_t sequence) {
  OperationFilter filter;
  filter.after_sequence = sequence - 1;
  filter.up_to_sequence = sequence;
  const std::vector<Operation> operations = History(filter);
  EXPECT_EQ(operations.size(), 1u);
  return operations.empty() ? Operation() : operations.front();
}

void WorkspaceFixture::ExpectSound() {
  const auto report = workspace().Fsck({});
  ASSERT_TRUE(report.ok()) << MessageOf(report);
  for (const FsckFinding& finding : report->findings) {
    ADD_FAILURE() << finding.code << " " << finding.subject << ": " << finding.message;
  }
}

}  // namespace staged::testing
