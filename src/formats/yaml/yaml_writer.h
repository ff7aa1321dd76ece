#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "format/data_tree.h"

namespace staged {

// Where a value is written: its indentation decides whether it may take several lines.
struct YamlPlace {
  bool in_flow = false;  // inside brackets: all on one line
  std::string indent;    // of the line that the value belongs to
  std::string unit;      // one step of indentation
  std::string newline;
};

// A scalar as it is written in `style` ("plain", "single", "double", "literal", "folded"), or in
// another one where that cannot hold it.
[[nodiscard]] std::string WriteYamlScalar(const Value& value, std::string_view style,
                                          const YamlPlace& place);
[[nodiscard]] std::string WriteYamlKey(const std::string& key, std::string_view style);
// On one line.
[[nodiscard]] std::string WriteYamlFlow(const DataValue& value);
// What stands behind "key:", with the space or newline before it.
[[nodiscard]] std::string WriteYamlMember(const DataValue& value, const YamlPlace& place);
// What stands behind "-".
[[nodiscard]] std::string WriteYamlItem(const DataValue& value, const YamlPlace& place);

}  // namespace staged
