#include "parse_host/libreoffice.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>
#include <vector>

#include "parse_host/channel.h"

namespace staged {
namespace {

constexpr uint64_t kVersionBytesMax = 1 << 16;
constexpr uint32_t kFolderMode = 0700;
constexpr uint32_t kFileMode = 0600;
constexpr size_t kNameBytes = 8;
constexpr int64_t kNsPerMs = 1'000'000;

constexpr const char* kProgramFolders[] = {
    "/usr/lib/libreoffice/program", "/usr/lib64/libreoffice/program", "/opt/libreoffice/program",
    "/usr/local/lib/libreoffice/program"};

// What stands behind "name=" on a line of its own.
std::string SettingOf(std::string_view text, std::string_view name) {
  size_t at = 0;
  while (at < text.size()) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    if (line.starts_with(name) && line.substr(name.size()).starts_with('=')) {
      return std::string(line.substr(name.size() + 1));
    }
    at = end + 1;
  }
  return "";
}

std::string Hex(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    text += kDigits[static_cast<uint8_t>(byte) >> 4];
    text += kDigits[static_cast<uint8_t>(byte) & 15];
  }
  return text;
}

// A folder with all that comes to lie in it, gone when this is.
class WorkingFolder {
 public:
  static Result<std::unique_ptr<WorkingFolder>> Make(Env& env, const std::string& parent) {
    STAGED_ASSIGN_OR_RETURN(std::unique_ptr<Directory> directory, env.OpenDirectory(parent));
    std::string name = "staged-convert-" + Hex(env.RandomBytes(kNameBytes));
    STAGED_RETURN_IF_ERROR(directory->MakeDirectory(name, kFolderMode));
    return std::unique_ptr<WorkingFolder>(new WorkingFolder(std::move(directory), std::move(name)));
  }
  ~WorkingFolder() { Remove(name_); }
  WorkingFolder(const WorkingFolder&) = delete;
  WorkingFolder& operator=(const WorkingFolder&) = delete;

  [[nodiscard]] std::string path() const { return parent_->path() + "/" + name_; }
  [[nodiscard]] Status Write(const std::string& file, std::string_view bytes) {
    STAGED_ASSIGN_OR_RETURN(const std::unique_ptr<File> created,
                            parent_->Create(name_ + "/" + file, kFileMode));
    return created->WriteAt(0, bytes);
  }
  [[nodiscard]] Result<std::string> Read(const std::string& file, uint64_t size_bytes_max) {
    return parent_->ReadFile(name_ + "/" + file, size_bytes_max);
  }

 private:
  WorkingFolder(std::unique_ptr<Directory> parent, std::string name)
      : parent_(std::move(parent)), name_(std::move(name)) {}

  void Remove(const std::string& path) {
    if (parent_->RemoveFile(path).ok()) return;
    const auto items = parent_->List(path);
    if (items.ok()) {
      for (const DirectoryItem& item : *items) Remove(path + "/" + item.name);
    }
    (void)parent_->RemoveDirectory(path).ok();
  }

  const std::unique_ptr<Directory> parent_;
  const std::string name_;
};

// The exit code, or minus the signal that ended it.
Result<int> RunProgram(const std::vector<std::string>& command,
                       const std::vector<std::string>& environment, int64_t ns_max) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  const auto pointers = [](const std::vector<std::string>& words) {
    std::vector<char*> taken;
    for (const std::string& word : words) taken.push_back(const_cast<char*>(word.c_str()));
    taken.push_back(nullptr);
    return taken;
  };
  pid_t process_id = -1;
  const int error = ::posix_spawn(&process_id, command.front().c_str(), &actions, &attributes,
                                  pointers(command).data(), pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    return Status(ErrorCode::kIoError,
                  "cannot start LibreOffice (error " + std::to_string(error) + ")");
  }
  const auto descriptor = static_cast<int>(::syscall(SYS_pidfd_open, process_id, 0));
  const int64_t deadline_ns = MonotonicNs() + ns_max;
  bool is_late = false;
  for (pollfd ended{descriptor, POLLIN, 0}; descriptor >= 0;) {
    const int64_t left_ns = deadline_ns - MonotonicNs();
    is_late = left_ns <= 0;
    if (is_late || ::poll(&ended, 1, static_cast<int>(left_ns / kNsPerMs) + 1) > 0) break;
  }
  if (descriptor >= 0) ::close(descriptor);
  // It starts others, which are of its group.
  if (is_late) ::kill(-process_id, SIGKILL);
  int status = 0;
  while (::waitpid(process_id, &status, 0) < 0 && errno == EINTR) {
  }
  ::kill(-process_id, SIGKILL);
  if (is_late) {
    return Status(ErrorCode::kLimitExceeded,
                  "LibreOffice took longer to read the file than it may");
  }
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

class LibreOffice final : public OfficeConverter {
 public:
  LibreOffice(Env& env, LibreOfficeOptions options, std::string program, std::string version)
      : env_(env),
        options_(std::move(options)),
        program_(std::move(program)),
        version_(std::move(version)) {}

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] const std::string& version() const override { return version_; }

  [[nodiscard]] Result<std::string> Convert(std::string_view bytes, std::string_view from,
                                            std::string_view to,
                                            const Limits& limits) const override {
    STAGED_ASSIGN_OR_RETURN(const std::unique_ptr<WorkingFolder> folder,
                            WorkingFolder::Make(env_, options_.temporary_folder));
    const std::string input = "file." + std::string(from);
    const std::string output = "out/file." + std::string(to);
    STAGED_RETURN_IF_ERROR(folder->Write(input, bytes));
    const std::string path = folder->path();
    const std::vector<std::string> command = {options_.launcher,
                                              options_.launcher_argument,
                                              path,
                                              program_,
                                              "--headless",
                                              "--norestore",
                                              "--nologo",
                                              "--nolockcheck",
                                              "-env:UserInstallation=file://" + path + "/profile",
                                              "--convert-to",
                                              std::string(to),
                                              "--outdir",
                                              path + "/out",
                                              path + "/" + input};
    STAGED_ASSIGN_OR_RETURN(const int code,
                            RunProgram(command,
                                       {"HOME=" + path, "TMPDIR=" + path, "PATH=/usr/bin:/bin",
                                        "LC_ALL=C.UTF-8", "TZ=UTC", "SOURCE_DATE_EPOCH=0"},
                                       options_.conversion_ns_max));
    if (code == kOfficeNotConfined || code == kOfficeNotStarted) {
      return Status(ErrorCode::kIoError, "LibreOffice cannot be started without network here");
    }
    Result<std::string> converted = folder->Read(output, limits.input_bytes_max);
    if (converted.ok()) return converted;
    return Status(ErrorCode::kParseFailed,
                  "LibreOffice cannot read the file (it ended with " + std::to_string(code) +
                      "); open it with the program that made it, or save it in a current format");
  }

 private:
  Env& env_;
  const LibreOfficeOptions options_;
  const std::string program_;
  const std::string version_;
  const std::string name_ = "libreoffice";
};

}  // namespace

std::shared_ptr<const OfficeConverter> FindLibreOffice(Env& env, LibreOfficeOptions options) {
  for (const char* folder : kProgramFolders) {
    const Result<std::unique_ptr<Directory>> directory = env.OpenDirectory(folder);
    if (!directory.ok()) continue;
    const Result<std::string> text = (*directory)->ReadFile("versionrc", kVersionBytesMax);
    if (!text.ok() || !(*directory)->Stat("soffice").ok()) continue;
    std::string version = SettingOf(*text, "UpdateID");
    version = version.substr(0, version.find("_en")) + "-" + SettingOf(*text, "buildid");
    return std::make_shared<const LibreOffice>(
        env, std::move(options), std::string(folder) + "/soffice", std::move(version));
  }
  return nullptr;
}

}  // namespace staged
