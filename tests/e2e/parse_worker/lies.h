#pragma once

#include <string>

namespace staged {

// What a worker that its file has taken over might send on the socket `descriptor`, by name: takes
// one request and answers
// - "shares_nothing": a shared body without having been given memory for one,
// - "shares_less": a shared body that is larger than the memory it wrote,
// - "keeps_writing": a shared body in memory that it can still change.
// Then waits until the host hangs up. Returns the process's exit code.
[[nodiscard]] int TellLie(const std::string& name, int descriptor);

}  // namespace staged
