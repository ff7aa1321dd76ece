#pragma once

#include <string>

namespace staged {

// A path that starts the running program again: the very one, also when its file was replaced
// meanwhile, where the system can tell; else the name that it was started by.
[[nodiscard]] std::string OwnProgram();

}  // namespace staged
