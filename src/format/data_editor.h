#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "format/data_tree.h"
#include "format/text_editor.h"

namespace staged {

// Plans edits of nested values by pointer (YAML, TOML): set, append, insert_before, insert_after,
// delete, rename; lines and replace_text as in every text format. This class finds what an edit
// names, checks what it expects and keeps the ledger; the syntax is the subclass's, which splices.
// All locators address the file as it was. The result is read again: where it is not exactly what
// was asked for, the edits are refused. (Beside edits of lines it need only be whole.)
class DataEditor {
 public:
  DataEditor(const DataEditor&) = delete;
  DataEditor& operator=(const DataEditor&) = delete;
  virtual ~DataEditor() = default;

  // Errors: those of Format::Apply.
  [[nodiscard]] Status Plan(const Edit& edit);
  [[nodiscard]] Result<std::string> Finish();

 protected:
  using Parse = DataTree (*)(std::string_view text, const Limits& limits);
  // How people who write the syntax call it and its containers; with what may be in the way of
  // edits.
  struct Words {
    std::string syntax;  // "YAML"
    std::string array;   // "list"
    std::string object;  // "table"
    std::string obstacles;
  };

  DataEditor(std::string_view bytes, const Limits& limits, Parse parse, Words words);

  // The type that a raw scalar has in this syntax. Errors: kInvalidArgument.
  [[nodiscard]] virtual Result<DataType> RawType(const std::string& raw) const = 0;
  // A node gets a new value; the ledger knows nothing of it yet.
  [[nodiscard]] virtual Status SetNode(const Edit& edit, uint32_t node, const DataValue& value) = 0;
  // A new member (with a key) or last item (without) of a container; enters it in the ledger.
  [[nodiscard]] virtual Status AddChild(const Edit& edit, uint32_t container,
                                        const std::optional<std::string>& key,
                                        const DataValue& value) = 0;
  // A new item of an array before `next`, which has a later sibling's or its own place there.
  [[nodiscard]] virtual Status InsertItem(const Edit& edit, uint32_t next,
                                          const DataValue& value) = 0;
  [[nodiscard]] virtual Status RenameKey(uint32_t node, const std::string& key) = 0;
  // Takes children out of a container, by splices or in deleted_lines_; enters it in the ledger.
  [[nodiscard]] virtual Status DeleteChildren(uint32_t container,
                                              const std::set<uint32_t>& deleted) = 0;
  // What the new file must keep beyond what the ledger says.
  [[nodiscard]] virtual bool KeepsTheRest(const DataTree& after) const = 0;

  // kUnsupportedEdit that points to the edits of lines.
  [[nodiscard]] static Status Refused(std::string_view what);
  // Takes children out of a sequence with separators between them, and one separator each.
  [[nodiscard]] Status DeleteFromSequence(const std::vector<uint32_t>& children,
                                          const std::set<uint32_t>& deleted);
  // Where the last byte of a node and of all below it ends.
  [[nodiscard]] uint64_t EndOf(uint32_t node) const;
  [[nodiscard]] uint64_t LineBegin(uint64_t offset) const;
  [[nodiscard]] uint64_t LineEnd(uint64_t offset) const;  // before its newline

  Limits limits_;
  TextEditor editor_;
  std::string_view text_;
  DataTree tree_;
  DataLedger ledger_;
  std::string newline_;                             // the file's own
  std::map<uint32_t, std::set<uint32_t>> deleted_;  // children by container
  std::set<size_t> deleted_lines_;                  // of them, each to be taken out once

 private:
  [[nodiscard]] Status PlanSet(const Edit& edit);
  [[nodiscard]] Status PlanAppend(const Edit& edit);
  [[nodiscard]] Status PlanInsert(const Edit& edit);
  [[nodiscard]] Status PlanDelete(const Edit& edit);
  [[nodiscard]] Status PlanRename(const Edit& edit);
  [[nodiscard]] Result<DataValue> Argument(const Edit& edit) const;

  Parse parse_;
  Words words_;
  bool has_pointer_edits_ = false;
  bool has_line_edits_ = false;
};

}  // namespace staged
