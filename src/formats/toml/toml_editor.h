#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "format/data_editor.h"

namespace staged {

// The edits of DataEditor in TOML's syntax.
class TomlEditor final : public DataEditor {
 public:
  TomlEditor(std::string_view bytes, const Limits& limits);

 private:
  [[nodiscard]] Result<DataType> RawType(const std::string& raw) const override;
  [[nodiscard]] Status SetNode(const Edit& edit, uint32_t node, const DataValue& value) override;
  [[nodiscard]] Status AddChild(const Edit& edit, uint32_t container,
                                const std::optional<std::string>& key,
                                const DataValue& value) override;
  [[nodiscard]] Status InsertItem(const Edit& edit, uint32_t next, const DataValue& value) override;
  [[nodiscard]] Status RenameKey(uint32_t node, const std::string& key) override;
  [[nodiscard]] Status DeleteChildren(uint32_t container,
                                      const std::set<uint32_t>& deleted) override;
  [[nodiscard]] bool KeepsTheRest(const DataTree&) const override { return true; }

  [[nodiscard]] Status AddMember(const Edit& edit, uint32_t table, const std::string& key,
                                 const DataValue& value);
  [[nodiscard]] Status AddItem(const Edit& edit, uint32_t array, const DataValue& value);
  [[nodiscard]] Status AddInline(uint32_t container, const std::string& child);
  [[nodiscard]] Status DeleteLines(uint32_t node);
  [[nodiscard]] Result<std::string> Write(const Edit& edit, const DataValue& value,
                                          std::string_view style) const;
  // A [[table]] with the members of `value`.
  [[nodiscard]] Result<std::string> WriteElement(const Edit& edit, uint32_t neighbour,
                                                 const DataValue& value) const;
  [[nodiscard]] std::string LineIndent(uint64_t offset) const;
  [[nodiscard]] bool BeginsLine(uint64_t offset) const;
};

}  // namespace staged
