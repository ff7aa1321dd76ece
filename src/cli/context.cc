#include "cli/context.h"

#include <pwd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/escape_controls.h"
#include "env/path.h"
#include "wire/encode.h"
#include "wire/json_text.h"

namespace staged::cli {
namespace {

constexpr uint64_t kInputBytesMax = uint64_t{4} << 30;

std::string UserName() {
  if (const char* user = std::getenv("USER"); user != nullptr && *user != 0) return user;
  const passwd* entry = getpwuid(geteuid());
  return entry != nullptr ? entry->pw_name : "user";
}

std::string WorkingDirectory() {
  char* path = getcwd(nullptr, 0);
  std::string result = path != nullptr ? path : ".";
  std::free(path);
  return result;
}

// A failure below an opened folder names only the last part of the path.
Status WithPath(const std::string& path, const Status& status) {
  return {status.code(), "'" + path + "': " + status.message(), status.details()};
}

Result<std::string> ReadStandardInput() {
  std::string bytes;
  std::vector<char> buffer(size_t{1} << 16);
  for (;;) {
    const size_t size_bytes = std::fread(buffer.data(), 1, buffer.size(), stdin);
    bytes.append(buffer.data(), size_bytes);
    if (size_bytes < buffer.size()) break;
  }
  if (std::ferror(stdin) == 0) return bytes;
  if (errno == EBADF) {
    return Status(ErrorCode::kInvalidArgument,
                  "standard input is closed; pipe the content into the command, or name a file");
  }
  return Status(ErrorCode::kIoError, std::string("cannot read standard input (") +
                                         std::strerror(errno) +
                                         "); pipe the content into the command, or name a file");
}

}  // namespace

int ExitCodeOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kOk:
      return 0;
    case ErrorCode::kConflict:
      return 1;
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kPathEscape:
      return 2;
    case ErrorCode::kStaleBase:
    case ErrorCode::kNotReviewed:
    case ErrorCode::kReviewVoid:
    case ErrorCode::kNoMatch:
    case ErrorCode::kAmbiguous:
    case ErrorCode::kBusy:
    case ErrorCode::kFenced:
    case ErrorCode::kPermissionDenied:
      return 3;
    case ErrorCode::kNotFound:
      return 4;
    case ErrorCode::kParseFailed:
    case ErrorCode::kUnsupportedEdit:
    case ErrorCode::kLimitExceeded:
      return 5;
    case ErrorCode::kIoError:
      return 6;
    case ErrorCode::kDataLoss:
      return 7;
  }
  return 6;
}

std::string ShortHash(const BaseHash& hash) {
  return hash ? hash->ToHex().substr(0, kShortHashDigits) : std::string("none");
}

Context::Context(CommandLine line, Env& env, const Parsers& parsers,
                 const std::vector<CommandSpec>& commands)
    : line_(std::move(line)), env_(env), parsers_(parsers), commands_(commands) {}

Context::~Context() = default;

std::string Context::AbsolutePath(const std::string& path) const {
  std::string whole = path.starts_with('/') ? path : WorkingDirectory() + "/" + path;
  // "." and ".." by text: what is named need not exist yet.
  std::vector<std::string> names;
  for (size_t begin = 0; begin <= whole.size();) {
    const size_t slash = std::min(whole.find('/', begin), whole.size());
    const std::string name = whole.substr(begin, slash - begin);
    if (name == "..") {
      if (!names.empty()) names.pop_back();
    } else if (!name.empty() && name != ".") {
      names.push_back(name);
    }
    begin = slash + 1;
  }
  std::string result;
  for (const std::string& name : names) result += "/" + name;
  return result.empty() ? "/" : result;
}

Result<std::string> Context::FindRoot() {
  if (line_.Has("--root")) return AbsolutePath(line_.Get("--root"));
  std::string folder = AbsolutePath(".");
  for (;;) {
    const auto directory = env_.OpenDirectory(folder);
    if (directory.ok() && (*directory)->Stat(".staged").ok()) return folder;
    const size_t slash = folder.rfind('/');
    if (folder == "/" || slash == std::string::npos) break;
    folder = slash == 0 ? "/" : folder.substr(0, slash);
  }
  return Status(ErrorCode::kNotFound,
                "there is no workspace here; make one with `staged init` or name one with --root");
}

Result<Workspace*> Context::OpenWorkspace(OpenOptions options) {
  if (workspace_) return workspace_.get();
  STAGED_ASSIGN_OR_RETURN(const std::string root, FindRoot());
  options.person = {UserName(), ActorKind::kHuman};
  STAGED_ASSIGN_OR_RETURN(workspace_, Workspace::Open(env_, *parsers_.formats, root, options));
  STAGED_ASSIGN_OR_RETURN(settings_, workspace_->GetSettings());
  return workspace_.get();
}

std::string Context::Setting(const std::string& name) const {
  for (const SettingRow& row : settings_) {
    if (row.name == name) return row.value;
  }
  return "";
}

Result<size_t> Context::DiffBudget() const {
  const std::string usual = Setting("diff.budget");
  STAGED_ASSIGN_OR_RETURN(
      const int64_t bytes,
      ParseNumber("--budget", line_.Get("--budget", usual.empty() ? "0" : usual), 0));
  return static_cast<size_t>(bytes);
}

Status Context::CheckCall() const {
  if (!line_.Has("--actor")) return OkStatus();
  const std::string given = line_.Get("--actor");
  const size_t colon = given.find(':');
  const std::string kind = colon == std::string::npos ? "human" : given.substr(0, colon);
  const std::string name = colon == std::string::npos ? given : given.substr(colon + 1);
  const bool blank = name.find_first_not_of(" \t") == std::string::npos;
  if ((kind != "human" && kind != "agent") || blank || name.front() == ' ' || name.back() == ' ') {
    return {ErrorCode::kInvalidArgument,
            "--actor takes NAME, human:NAME or agent:NAME, without blanks around it"};
  }
  return OkStatus();
}

Actor Context::MakeActor() const {
  const std::string given = line_.Get("--actor", UserName());
  const size_t colon = given.find(':');
  if (colon == std::string::npos) return {given, ActorKind::kHuman};
  const bool agent = given.substr(0, colon) == "agent";
  return {given.substr(colon + 1), agent ? ActorKind::kAgent : ActorKind::kHuman};
}

CallContext Context::MakeCall() const {
  CallContext call;
  call.actor = MakeActor();
  const std::string usual = Setting("branch.default");
  call.branch = line_.Get("--branch", usual.empty() ? "chat-" + UserName() : usual);
  call.branch_kind = call.branch == "disk" ? BranchKind::kHuman : BranchKind::kChat;
  call.turn = line_.Get("--turn");
  call.request_id = line_.Get("--request-id");
  return call;
}

Result<Context::PathAt> Context::SplitPathAt(const std::string& text) {
  const size_t at = text.rfind("@sha256:");
  if (at == std::string::npos) return PathAt{text, {}};
  STAGED_ASSIGN_OR_RETURN(const ContentHash hash, ContentHash::Parse(text.substr(at + 1)));
  return PathAt{text.substr(0, at), hash};
}

Result<BaseHash> Context::ParseBase() const {
  if (!line_.Has("--base")) {
    return Status(ErrorCode::kInvalidArgument,
                  "--base is missing: give the hash that `staged status --json` shows as working, "
                  "or none for a new file");
  }
  const std::string base = line_.Get("--base");
  if (base == "none") return BaseHash();
  STAGED_ASSIGN_OR_RETURN(const ContentHash hash, ContentHash::Parse(base));
  return BaseHash(hash);
}

Result<std::string> Context::ReadInput(const std::string& file) {
  if (file.empty() || file == "-") return ReadStandardInput();
  // A symlink on the command line is the user's own choice: followed as often as the system does.
  constexpr int kLinksMax = 40;
  std::string path = AbsolutePath(file);
  for (int links = 0; links <= kLinksMax; ++links) {
    const auto [folder, name] = SplitFileName(path);
    const auto directory = env_.OpenDirectory(folder);
    const auto status = directory.ok() ? (*directory)->Stat(name) : directory.status();
    if (!directory.ok() || (!status.ok() && status.status().code() == ErrorCode::kNotFound)) {
      return Status(ErrorCode::kNotFound, "there is no file '" + file + "'; check its path");
    }
    if (!status.ok()) return WithPath(file, status.status());
    if (status->kind == FileKind::kSymlink) {
      STAGED_ASSIGN_OR_RETURN(const std::string target, (*directory)->ReadLink(name));
      path = AbsolutePath(target.starts_with('/') ? target : folder + "/" + target);
      continue;
    }
    if (status->kind != FileKind::kFile) {
      return Status(ErrorCode::kInvalidArgument,
                    "'" + file + "' is a " +
                        (status->kind == FileKind::kDirectory ? "directory" : "device or socket") +
                        "; name a regular file, or - for standard input");
    }
    Result<std::string> bytes = (*directory)->ReadFile(name, kInputBytesMax);
    if (!bytes.ok()) return WithPath(file, bytes.status());
    return bytes;
  }
  return Status(ErrorCode::kInvalidArgument,
                "'" + file +
                    "' is a symlink that leads through more "
                    "than 40 others or to itself; name the file itself");
}

Status Context::WriteOutput(const std::string& file, std::string_view bytes) {
  const auto [folder, name] = SplitFileName(AbsolutePath(file));
  const auto directory = env_.OpenDirectory(folder);
  if (!directory.ok()) return WithPath(file, directory.status());
  const std::string temporary = "." + name + ".staged-" + std::to_string(env_.ProcessId());
  const auto output = (*directory)->Create(temporary, 0644);
  if (!output.ok()) return WithPath(file, output.status());
  Status written = (*output)->WriteAt(0, bytes);
  if (written.ok()) written = (*output)->Sync();
  if (written.ok()) written = (*directory)->Rename(temporary, **directory, name);
  if (written.ok()) return written;
  (void)(*directory)->RemoveFile(temporary).ok();
  return WithPath(file, written);
}

void Context::Print(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void Context::PrintLine(std::string_view text) { Print(EscapeControls(text) + "\n"); }

void Context::PrintNote(std::string_view text) {
  if (json()) return;
  const std::string line = "staged: note: " + EscapeControls(text) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void Context::PrintJson(const Value& value) { Print(ToJson(value) + "\n"); }

int Context::Fail(const Status& status) {
  if (json()) {
    PrintJson(EncodeError(status));
  } else {
    const std::string line = "staged: " + std::string(ErrorCodeName(status.code())) + ": " +
                             EscapeControls(status.message()) + "\n";
    std::fwrite(line.data(), 1, line.size(), stderr);
    const std::string changes(status.details().FindString("changes"));
    std::fwrite(changes.data(), 1, changes.size(), stderr);
  }
  return ExitCodeOf(status.code());
}

ProgressCallback Context::MakeProgress(const std::string& what) {
  if (isatty(STDERR_FILENO) == 0) return {};
  constexpr int64_t kQuietNs = 1'000'000'000;
  constexpr int64_t kStepNs = 100'000'000;
  const int64_t started = env_.MonotonicNs();
  auto last = std::make_shared<int64_t>(0);
  return [this, what, started, last](uint64_t done, uint64_t total) {
    const int64_t now = env_.MonotonicNs();
    if (now - started < kQuietNs || now - *last < kStepNs) return;
    *last = now;
    constexpr int kWidth = 30;
    const int filled = total == 0 ? 0 : static_cast<int>(done * kWidth / total);
    std::fprintf(stderr, "\r%s [%s%s] %llu%s%s ", what.c_str(),
                 std::string(static_cast<size_t>(filled), '#').c_str(),
                 std::string(static_cast<size_t>(kWidth - filled), ' ').c_str(),
                 static_cast<unsigned long long>(done), total == 0 ? "" : "/",
                 total == 0 ? "" : std::to_string(total).c_str());
    if (done == total) std::fprintf(stderr, "\n");
  };
}

}  // namespace staged::cli
