#pragma once

#include <cstdint>
#include <string_view>

namespace staged::xlsb {

struct Function {
  uint16_t number = 0;
  int8_t arguments = 0;  // -1: as many as the formula says
  std::string_view name;
};

// The function of that number ([MS-XLSB] 2.5.97.10), or nullptr.
[[nodiscard]] const Function* FindFunction(uint16_t number);

}  // namespace staged::xlsb
