#include "parse_host/worker_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string>

namespace staged {
namespace {

// A worker that just crashed is a moment from being reapable; one that hangs is killed.
constexpr int kDyingMs = 100;

Status Failed(const std::string& what, int error) {
  return {ErrorCode::kIoError, "cannot start a parser process: " + what + " failed (error " +
                                   std::to_string(error) +
                                   "); parse in-process instead "
                                   "(for `staged`: STAGED_PARSERS=in-process)"};
}

}  // namespace

Result<std::unique_ptr<WorkerProcess>> WorkerProcess::Start(
    const std::vector<std::string>& command) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return Failed("socketpair", errno);
  }
  Channel channel(ChannelEnd::kHost, ends[0]);
  const Channel theirs(ChannelEnd::kWorker, ends[1]);  // closed here when the child has its copy

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  // Signals that this process blocks or ignores are the child's own again, and a terminal's
  // interrupt is no business of it.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);

  std::vector<char*> arguments;
  for (const std::string& argument : command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  char* const no_environment[] = {nullptr};
  pid_t process_id = -1;
  const int error = ::posix_spawn(&process_id, command.front().c_str(), &actions, &attributes,
                                  arguments.data(), no_environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return Failed("posix_spawn", error);
  return std::unique_ptr<WorkerProcess>(new WorkerProcess(process_id, std::move(channel)));
}

WorkerProcess::~WorkerProcess() { (void)Reap(); }

std::string WorkerProcess::Reap() {
  if (process_id_ < 0) return "ended before";
  int status = 0;
  pid_t reaped = 0;
  for (int waited_ms = 0; waited_ms < kDyingMs; ++waited_ms) {
    reaped = ::waitpid(process_id_, &status, WNOHANG);
    if (reaped != 0) break;
    // Idle workers end by the kill below at once: only one that hung up on us is waited for.
    pollfd hung_up{channel_.descriptor(), POLLIN, 0};
    if (::poll(&hung_up, 1, 0) == 0) break;
    (void)::poll(nullptr, 0, 1);
  }
  if (reaped == 0) {
    ::kill(process_id_, SIGKILL);
    while (::waitpid(process_id_, &status, 0) < 0 && errno == EINTR) {
    }
  }
  process_id_ = -1;
  if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
  return "exit code " + std::to_string(WEXITSTATUS(status));
}

}  // namespace staged
