#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "format/data_tree.h"
#include "format/text_editor.h"
#include "formats/yaml/yaml_writer.h"

namespace staged {

// Plans edits of YAML by pointer and splices them in the file's own style. All locators address the
// file as it was. The result is read again: where it is not exactly what was asked for (a comment
// in the way, an exotic way of writing), the edits are refused.
class YamlEditor {
 public:
  YamlEditor(std::string_view bytes, const Limits& limits);
  YamlEditor(const YamlEditor&) = delete;
  YamlEditor& operator=(const YamlEditor&) = delete;

  // set, append, insert_before, insert_after, delete, rename by pointer; lines and replace_text as
  // in every text format. Errors: those of Format::Apply.
  [[nodiscard]] Status Plan(const Edit& edit);
  [[nodiscard]] Result<std::string> Finish();

 private:
  [[nodiscard]] Status PlanSet(const Edit& edit);
  [[nodiscard]] Status SetNode(uint32_t node, const DataValue& value);
  [[nodiscard]] Status SetBlock(uint32_t node, const std::string& flow);
  [[nodiscard]] Status PlanAppend(const Edit& edit);
  [[nodiscard]] Status PlanInsert(const Edit& edit);
  [[nodiscard]] Status PlanDelete(const Edit& edit);
  [[nodiscard]] Status PlanRename(const Edit& edit);
  [[nodiscard]] Status AddChild(uint32_t container, const std::optional<std::string>& key,
                                const DataValue& value);
  [[nodiscard]] Status AddToFlow(uint32_t container, const std::string& child);
  [[nodiscard]] Status FinishDeletions(uint32_t container, const std::set<uint32_t>& deleted);
  [[nodiscard]] Status DeleteFromBlock(uint32_t container, uint32_t child);
  [[nodiscard]] Result<DataValue> Argument(const Edit& edit) const;

  [[nodiscard]] bool IsFlow(uint32_t node) const { return tree_.nodes[node].style == "flow"; }
  [[nodiscard]] bool IsInFlow(uint32_t node) const;
  [[nodiscard]] uint64_t BehindProperties(uint64_t begin, uint64_t end) const;
  [[nodiscard]] uint64_t BehindColon(uint32_t node) const;
  // Where a child of a block begins: its key, or its dash.
  [[nodiscard]] std::optional<uint64_t> BeginOf(uint32_t child) const;
  [[nodiscard]] uint64_t LineBegin(uint64_t offset) const;
  [[nodiscard]] uint64_t LineEnd(uint64_t offset) const;  // before its newline
  [[nodiscard]] std::string IndentAt(uint64_t offset) const;
  [[nodiscard]] bool BeginsLine(uint64_t offset) const;
  [[nodiscard]] bool HasComment(ByteSpan span) const;
  [[nodiscard]] YamlPlace PlaceAt(uint64_t offset, bool in_flow) const;
  [[nodiscard]] std::string DetectUnit() const;

  Limits limits_;
  TextEditor editor_;
  std::string_view text_;
  DataTree tree_;
  DataLedger ledger_;
  std::string newline_;
  std::string unit_;
  std::map<uint32_t, std::set<uint32_t>> deleted_;  // children by container
  bool has_pointer_edits_ = false;
  bool has_line_edits_ = false;
};

}  // namespace staged
