#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "format/data_editor.h"
#include "formats/yaml/yaml_writer.h"

namespace staged {

// The edits of DataEditor in YAML's syntax, in the file's own style.
class YamlEditor final : public DataEditor {
 public:
  YamlEditor(std::string_view bytes, const Limits& limits);

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
  [[nodiscard]] bool KeepsTheRest(const DataTree& after) const override;

  [[nodiscard]] Status SetNode(uint32_t node, const DataValue& value);
  [[nodiscard]] Status SetBlock(uint32_t node, const std::string& flow);
  [[nodiscard]] Status AddToFlow(uint32_t container, const std::string& child);
  [[nodiscard]] Status DeleteFromBlock(uint32_t container, uint32_t child);

  [[nodiscard]] bool IsFlow(uint32_t node) const { return tree_.nodes[node].style == "flow"; }
  [[nodiscard]] bool IsInFlow(uint32_t node) const;
  [[nodiscard]] uint64_t BehindProperties(uint64_t begin, uint64_t end) const;
  [[nodiscard]] uint64_t BehindColon(uint32_t node) const;
  // Where a child of a block begins: its key, or its dash.
  [[nodiscard]] std::optional<uint64_t> BeginOf(uint32_t child) const;
  [[nodiscard]] std::string IndentAt(uint64_t offset) const;
  [[nodiscard]] bool BeginsLine(uint64_t offset) const;
  [[nodiscard]] bool HasComment(ByteSpan span) const;
  [[nodiscard]] YamlPlace PlaceAt(uint64_t offset, bool in_flow) const;
  [[nodiscard]] std::string DetectUnit() const;

  std::string unit_;  // one level of indentation
};

}  // namespace staged
