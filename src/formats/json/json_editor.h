#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codec/json.h"
#include "codec/json_splicer.h"
#include "format/text_editor.h"
#include "formats/json/json_records.h"

namespace staged {

// Plans edits of JSON by pointer and splices them in the file's own style. All pointers address the
// file as it was.
class JsonEditor {
 public:
  JsonEditor(std::string_view bytes, JsonSyntax syntax, const Limits& limits);

  // set, append, insert_before, insert_after, delete, rename by pointer; lines and replace_text as
  // in every text format. Errors: those of Format::Apply.
  [[nodiscard]] Status Plan(const Edit& edit);
  // The new bytes, parsed again.
  [[nodiscard]] Result<std::string> Finish();

 private:
  struct Target {
    uint32_t parent = 0;           // the container
    std::optional<uint32_t> node;  // absent: `token` can be added to the parent
    std::string token;             // unescaped last token
  };

  [[nodiscard]] Result<Target> Resolve(std::string_view pointer) const;
  [[nodiscard]] Result<uint32_t> ResolveNode(std::string_view pointer) const;
  [[nodiscard]] Result<std::optional<uint32_t>> Child(uint32_t container, std::string_view token,
                                                      std::string_view pointer) const;
  [[nodiscard]] Status CheckExpected(const Edit& edit, uint32_t node) const;

  [[nodiscard]] Status PlanSet(const Edit& edit);
  [[nodiscard]] Status PlanAppend(const Edit& edit);
  [[nodiscard]] Status PlanInsert(const Edit& edit);
  [[nodiscard]] Status PlanDelete(const Edit& edit);
  [[nodiscard]] Status PlanRename(const Edit& edit);
  [[nodiscard]] Status AddChild(uint32_t container, const std::optional<std::string>& key,
                                const Edit& edit);
  [[nodiscard]] Result<std::string> Render(const Edit& edit, bool on_lines,
                                           const std::string& indent) const;

  Limits limits_;
  JsonSyntax syntax_;
  TextEditor editor_;
  std::string_view text_;
  JsonTree tree_;
  KeyOrdinals repeated_;
  JsonSplicer splicer_;
  bool has_pointer_edits_ = false;
};

}  // namespace staged
