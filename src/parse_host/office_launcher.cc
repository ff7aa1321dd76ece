#include <fcntl.h>
#include <linux/landlock.h>
#include <seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "parse_host/libreoffice.h"

namespace staged {
namespace {

void LowerLimit(__rlimit_resource_t which, rlim_t most) {
  rlimit limit{};
  if (::getrlimit(which, &limit) != 0) return;
  limit.rlim_max = std::min(limit.rlim_max, most);
  limit.rlim_cur = limit.rlim_max;
  (void)::setrlimit(which, &limit);
}

bool ForbidNetwork() {
  void* const filter = seccomp_init(SCMP_ACT_ALLOW);
  if (filter == nullptr) return false;
  int error = 0;
  for (const int family : {AF_INET, AF_INET6, AF_PACKET}) {
    error |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(EACCES), SCMP_SYS(socket), 1,
                              SCMP_A0(SCMP_CMP_EQ, static_cast<scmp_datum_t>(family)));
  }
  error |= seccomp_load(filter);
  seccomp_release(filter);
  return error == 0;
}

void AllowBelow(int rules, const char* path, uint64_t access) {
  landlock_path_beneath_attr rule{};
  rule.allowed_access = access;
  rule.parent_fd = ::open(path, O_PATH | O_CLOEXEC);
  if (rule.parent_fd < 0) return;
  (void)::syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  ::close(rule.parent_fd);
}

// Only some kernels can; elsewhere the permissions of the user hold alone.
void ForbidWritingOutside(const char* folder) {
  constexpr uint64_t kFileAccess = LANDLOCK_ACCESS_FS_WRITE_FILE;
  constexpr uint64_t kAccess = kFileAccess | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                               LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                               LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                               LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                               LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;
  landlock_ruleset_attr attributes{};
  attributes.handled_access_fs = kAccess;
  const auto rules =
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, sizeof(attributes), 0));
  if (rules < 0) return;
  AllowBelow(rules, folder, kAccess);
  AllowBelow(rules, "/dev/null", kFileAccess);
  // Where it makes the socket that its instances find each other by.
  AllowBelow(rules, "/tmp", LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_REMOVE_FILE);
  (void)::syscall(SYS_landlock_restrict_self, rules, 0);
  ::close(rules);
}

}  // namespace

int RunOfficeLauncher(const char* folder, char* const* command) {
  constexpr rlim_t kMemoryBytesMax = rlim_t{8} << 30;
  constexpr rlim_t kFileBytesMax = rlim_t{2} << 30;
  constexpr rlim_t kProcessorSecondsMax = 300;
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return kOfficeNotConfined;
  ForbidWritingOutside(folder);
  if (!ForbidNetwork()) return kOfficeNotConfined;
  LowerLimit(RLIMIT_FSIZE, kFileBytesMax);
  LowerLimit(RLIMIT_CPU, kProcessorSecondsMax);
  LowerLimit(RLIMIT_CORE, 0);
  LowerLimit(RLIMIT_AS, kMemoryBytesMax);  // last: what comes before it may need some
  ::execv(command[0], command);
  return kOfficeNotStarted;
}

}  // namespace staged
