#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "format/data_tree.h"

namespace staged {

// A string token read at `position`, which moves behind it.
struct TomlString {
  std::string text;
  std::string_view style;  // "basic", ...
  std::string error;       // not empty: what is wrong with it
};
[[nodiscard]] TomlString ReadTomlString(std::string_view text, size_t& position);

[[nodiscard]] std::string WriteTomlString(std::string_view text, std::string_view style,
                                          std::string_view newline);
[[nodiscard]] std::string WriteTomlKey(std::string_view key);
// On one line. Nothing where TOML cannot hold the value: it has no null.
[[nodiscard]] std::optional<std::string> WriteTomlValue(const Value& value);

}  // namespace staged
