#pragma once

namespace staged {

// Where the caller closed standard input, output or error: takes its number with something that
// cannot be used, so that no file opened later gets the number and with it what is meant for the
// stream. Call it first in main. Using such a stream fails as that of a closed one (EBADF).
void HoldClosedStandardStreams();

}  // namespace staged
