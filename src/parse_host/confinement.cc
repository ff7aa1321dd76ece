#include "parse_host/confinement.h"

#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <memory>
#include <string>

namespace staged {
namespace {

// What the C++ runtime and the channel use between the bytes and the answer.
constexpr int kAllowedCalls[] = {
    SCMP_SYS(read),
    SCMP_SYS(write),
    SCMP_SYS(recvfrom),
    SCMP_SYS(recvmsg),
    SCMP_SYS(sendto),
    SCMP_SYS(poll),
    SCMP_SYS(ppoll),
    SCMP_SYS(close),
    SCMP_SYS(brk),
    SCMP_SYS(munmap),
    SCMP_SYS(mremap),
    SCMP_SYS(madvise),
    SCMP_SYS(futex),
    SCMP_SYS(clock_gettime),
    SCMP_SYS(exit),
    SCMP_SYS(exit_group),
    SCMP_SYS(rt_sigreturn),
    SCMP_SYS(rt_sigaction),
    SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(getrandom),
    SCMP_SYS(sched_yield),
    SCMP_SYS(gettid),
    SCMP_SYS(getpid),
    SCMP_SYS(restart_syscall),
    // Of threads that begin.
    SCMP_SYS(set_robust_list),
    SCMP_SYS(rseq),
    SCMP_SYS(sched_getaffinity),
};

// What distinguishes a thread of this process from another process.
constexpr scmp_datum_t kThreadFlags = CLONE_VM | CLONE_SIGHAND | CLONE_THREAD;

Status Failed(const std::string& what) {
  return {ErrorCode::kIoError,
          "cannot confine the parser: " + what + " failed (error " + std::to_string(errno) +
              "); parse in-process instead (for `staged`: STAGED_PARSERS=in-process)"};
}

// At most that much, and no more than this process was allowed.
Status LowerLimit(int resource, uint64_t most) {
  rlimit limit{};
  const auto which = static_cast<__rlimit_resource_t>(resource);
  if (::getrlimit(which, &limit) != 0) return Failed("getrlimit");
  limit.rlim_max = std::min<rlim_t>(limit.rlim_max, most);
  limit.rlim_cur = limit.rlim_max;
  if (::setrlimit(which, &limit) != 0) return Failed("setrlimit");
  return OkStatus();
}

struct FilterReleaser {
  void operator()(void* filter) const { seccomp_release(filter); }
};

Status FilterCalls() {
  const std::unique_ptr<void, FilterReleaser> filter(seccomp_init(SCMP_ACT_KILL_PROCESS));
  if (filter == nullptr) return Failed("seccomp_init");
  int error = 0;
  for (const int call : kAllowedCalls) {
    error |= seccomp_rule_add(filter.get(), SCMP_ACT_ALLOW, call, 0);
  }
  // Memory, but none that can be executed.
  for (const int call : {SCMP_SYS(mmap), SCMP_SYS(mprotect)}) {
    error |= seccomp_rule_add(filter.get(), SCMP_ACT_ALLOW, call, 1,
                              SCMP_A2(SCMP_CMP_MASKED_EQ, 4 /* PROT_EXEC */, 0));
  }
  // Threads, but no processes. What clone3 is asked cannot be seen by a filter: the C library falls
  // back to clone where there is no clone3.
  error |= seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
  error |= seccomp_rule_add(filter.get(), SCMP_ACT_ALLOW, SCMP_SYS(clone), 1,
                            SCMP_A0(SCMP_CMP_MASKED_EQ, kThreadFlags, kThreadFlags));
  // abort() tells its own process only.
  error |= seccomp_rule_add(filter.get(), SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1,
                            SCMP_A0(SCMP_CMP_EQ, static_cast<scmp_datum_t>(::getpid())));
  // Asked by stdio and by the time zone's reader; the answer does not matter.
  for (const int call : {SCMP_SYS(newfstatat), SCMP_SYS(fstat), SCMP_SYS(openat)}) {
    error |= seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(EACCES), call, 0);
  }
  if (error != 0 || seccomp_load(filter.get()) != 0) return Failed("seccomp");
  return OkStatus();
}

}  // namespace

Status ConfineThisProcess(int kept, uint64_t memory_bytes_max) {
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return Failed("prctl");
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return Failed("prctl");
  if (::prctl(PR_SET_DUMPABLE, 0) != 0) return Failed("prctl");
  const auto kept_descriptor = static_cast<unsigned>(kept);
  if (kept > 0 && ::syscall(SYS_close_range, 0U, kept_descriptor - 1, 0U) != 0) {
    return Failed("close_range");
  }
  if (::syscall(SYS_close_range, kept_descriptor + 1, ~0U, 0U) != 0) return Failed("close_range");
  STAGED_RETURN_IF_ERROR(LowerLimit(RLIMIT_CORE, 0));
  // Of the one file that it can write, the memory for its answer.
  STAGED_RETURN_IF_ERROR(
      LowerLimit(RLIMIT_FSIZE, memory_bytes_max == 0 ? RLIM_INFINITY : memory_bytes_max));
  if (memory_bytes_max != 0) STAGED_RETURN_IF_ERROR(LowerLimit(RLIMIT_AS, memory_bytes_max));
  return FilterCalls();
}

}  // namespace staged
