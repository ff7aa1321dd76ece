#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace staged {

// Cuts bytes where their content says so (gear hash with normalised cuts, after FastCDC: Xia et
// al., USENIX ATC 2016), so that an insertion moves only the cuts next to it. Calls for pieces
// between kChunkMinBytes and kChunkMaxBytes; the last may be shorter. Deterministic. Returns the
// sizes; they sum to bytes.size(). Empty for no bytes.
[[nodiscard]] std::vector<uint32_t> CutIntoChunks(std::string_view bytes);

}  // namespace staged
