#pragma once

#include <string_view>

#include "format/data_tree.h"
#include "staged/limits.h"

namespace staged {

// YAML 1.1 and 1.2 documents as trees with byte offsets. Aliases are nodes of their own that
// nothing is put in the place of, so that a small file stays a small tree. What cannot be read is
// an issue; what came before it is kept.
[[nodiscard]] DataTree ParseYaml(std::string_view text, const Limits& limits);

// What a plain scalar is by the core schema (YAML 1.2, 10.3.2).
[[nodiscard]] DataType PlainYamlType(std::string_view text);
// Whether a text can stand without quotes and is then read as that text, by YAML 1.1 too.
[[nodiscard]] bool IsPlainYamlString(std::string_view text, bool in_flow);

}  // namespace staged
