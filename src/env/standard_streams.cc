#include "env/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <initializer_list>

namespace staged {

void HoldClosedStandardStreams() {
  // In this order the lowest free number is always the one that is missing.
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(number, F_GETFD) != -1) continue;
    // Open the wrong way round: reading and writing fail instead of doing nothing.
    const int flags = number == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (open("/dev/null", flags) == -1) return;
  }
}

}  // namespace staged
