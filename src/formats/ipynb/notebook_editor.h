#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codec/json_splicer.h"
#include "format/text_editor.h"
#include "formats/ipynb/notebook.h"

namespace staged {

// Plans edits of a notebook by cell and splices them in the file's own style. All locators address
// the file as it was.
class NotebookEditor {
 public:
  NotebookEditor(std::string_view bytes, const Limits& limits);
  NotebookEditor(const NotebookEditor&) = delete;
  NotebookEditor& operator=(const NotebookEditor&) = delete;

  // Of cells: set, replace_text, insert_before, insert_after, delete, move, clear_outputs,
  // set_metadata; of lines of their sources: replace, insert_before, insert_after, delete,
  // replace_text; of outputs and attachments: delete; of metadata: set, delete; of the file:
  // append, clear_outputs, set_metadata, and edits of its own lines. Errors: those of
  // Format::Apply.
  [[nodiscard]] Status Plan(const Edit& edit);
  // The new bytes, parsed again.
  [[nodiscard]] Result<std::string> Finish();

 private:
  // A cell in its new place: one that was there (by its index), or a new one.
  struct Item {
    std::optional<size_t> cell;
    std::string json;
    std::string source;
  };
  struct Neighbours {
    std::vector<Item> before, after;
  };
  struct SourceEdit {
    explicit SourceEdit(std::string text) : old_text(std::move(text)), editor(old_text) {}
    std::string old_text;
    TextEditor editor;
  };
  using Splice = std::pair<ByteSpan, std::string>;

  [[nodiscard]] Status PlanCell(const Edit& edit, size_t cell);
  [[nodiscard]] Status PlanBelowCell(const Edit& edit, size_t cell, std::string_view rest);
  [[nodiscard]] Status PlanSource(const Edit& edit, size_t cell);
  [[nodiscard]] Status PlanInsert(const Edit& edit, size_t cell);
  [[nodiscard]] Status PlanMove(const Edit& edit, size_t cell);
  [[nodiscard]] Status PlanAppend(const Edit& edit);
  [[nodiscard]] Status PlanDeleteBelow(const Edit& edit, size_t cell, std::string_view field,
                                       std::string_view name);
  // `owner` is the node of the cell or of the notebook; `path` a JSON Pointer below its metadata.
  [[nodiscard]] Status PlanMetadata(const Edit& edit, uint32_t owner,
                                    const std::vector<NotebookField>& fields,
                                    std::string_view path);
  [[nodiscard]] Status ClearOutputs(const NotebookCell& cell);

  [[nodiscard]] Result<size_t> FindCell(std::string_view locator) const;
  [[nodiscard]] Result<SourceEdit*> SourceOf(size_t cell);
  [[nodiscard]] uint32_t ArrayOf(size_t cell) const;
  [[nodiscard]] Result<Item> NewCell(const Edit& edit, uint32_t array);
  [[nodiscard]] Result<Value> NewCellValue(const Edit& edit, const std::string& source);
  [[nodiscard]] bool WritesStrings(const std::string& type) const;
  [[nodiscard]] Result<std::string> NewCellId(const Edit& edit, const std::string& type,
                                              const std::string& source);
  [[nodiscard]] Result<std::string> Argument(const Edit& edit, uint32_t container) const;
  [[nodiscard]] std::string RenderSource(uint32_t node, const std::string& text) const;
  [[nodiscard]] std::string RenderLines(uint32_t array, const std::string& text) const;
  [[nodiscard]] Status FinishSources();
  [[nodiscard]] Status FinishArray(uint32_t array, const std::vector<Item>& items);
  [[nodiscard]] std::vector<Item> ItemsOf(uint32_t array) const;
  void AddSplice(ByteSpan span, std::string text);
  [[nodiscard]] std::vector<Splice> TakeSplices(size_t cell);
  [[nodiscard]] Result<std::string> CellBytes(size_t cell);
  [[nodiscard]] Status CheckResult(const std::string& bytes) const;

  Limits limits_;
  TextEditor editor_;
  std::string_view text_;
  JsonTree tree_;
  Notebook notebook_;
  JsonSplicer splicer_;
  std::multimap<uint64_t, Splice> splices_;  // by where they begin
  std::map<size_t, std::unique_ptr<SourceEdit>> sources_;
  std::map<size_t, std::string> new_sources_;
  std::map<size_t, Neighbours> neighbours_;
  std::vector<Item> appended_;  // to the last array
  std::set<size_t> gone_;       // deleted, or moved away
  std::set<size_t> moved_;
  std::set<uint32_t> changed_arrays_;
  std::set<std::string> new_ids_;
  std::set<std::pair<uint32_t, std::string>> new_members_;
  bool has_cell_edits_ = false;
  bool has_line_edits_ = false;
};

}  // namespace staged
