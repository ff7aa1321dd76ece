#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "format/data_tree.h"
#include "format/text_editor.h"

namespace staged {

// Plans edits of TOML by pointer and splices them. All locators address the file as it was. The
// result is read again: where it is not exactly what was asked for, the edits are refused.
class TomlEditor {
 public:
  TomlEditor(std::string_view bytes, const Limits& limits);
  TomlEditor(const TomlEditor&) = delete;
  TomlEditor& operator=(const TomlEditor&) = delete;

  // set, append, insert_before, insert_after, delete, rename by pointer; lines and replace_text as
  // in every text format. Errors: those of Format::Apply.
  [[nodiscard]] Status Plan(const Edit& edit);
  [[nodiscard]] Result<std::string> Finish();

 private:
  [[nodiscard]] Status PlanSet(const Edit& edit);
  [[nodiscard]] Status SetNode(const Edit& edit, uint32_t node, const DataValue& value);
  [[nodiscard]] Status PlanInsert(const Edit& edit);
  [[nodiscard]] Status PlanDelete(const Edit& edit);
  [[nodiscard]] Status PlanRename(const Edit& edit);
  [[nodiscard]] Status AddMember(const Edit& edit, uint32_t table, const std::string& key,
                                 const DataValue& value);
  [[nodiscard]] Status AddItem(const Edit& edit, uint32_t array, const DataValue& value);
  [[nodiscard]] Status AddInline(uint32_t container, const std::string& child);
  [[nodiscard]] Status FinishDeletions(uint32_t container, const std::set<uint32_t>& deleted);
  [[nodiscard]] Status DeleteLines(uint32_t node);
  [[nodiscard]] Result<DataValue> Argument(const Edit& edit) const;
  [[nodiscard]] Result<std::string> Write(const Edit& edit, const DataValue& value,
                                          std::string_view style) const;
  // A [[table]] with the members of `value`.
  [[nodiscard]] Result<std::string> WriteElement(const Edit& edit, uint32_t neighbour,
                                                 const DataValue& value) const;
  [[nodiscard]] uint64_t EndOf(uint32_t node) const;  // with all that is below it
  [[nodiscard]] uint64_t LineEnd(uint64_t offset) const;
  [[nodiscard]] std::string LineIndent(uint64_t offset) const;
  [[nodiscard]] bool BeginsLine(uint64_t offset) const;

  Limits limits_;
  TextEditor editor_;
  std::string_view text_;
  DataTree tree_;
  DataLedger ledger_;
  std::string newline_;
  std::map<uint32_t, std::set<uint32_t>> deleted_;  // children by container
  std::set<size_t> deleted_lines_;
  bool has_pointer_edits_ = false;
  bool has_line_edits_ = false;
};

}  // namespace staged
