#include "env/own_program.h"

#include <sys/auxv.h>
#include <unistd.h>

namespace staged {

std::string OwnProgram() {
  constexpr char kRunning[] = "/proc/self/exe";
  if (::access(kRunning, X_OK) == 0) return kRunning;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): how the system passes it
  const auto* const name = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
  return name == nullptr ? "" : name;
}

}  // namespace staged
