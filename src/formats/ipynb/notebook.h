#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codec/json.h"
#include "staged/view.h"

namespace staged {

// A member of an object by its decoded key. Nodes are those of the tree.
struct NotebookField {
  std::string name;
  uint32_t node = 0;
  bool is_repeated =
      false;  // the key occurs several times; this is the last one, as readers take it
};

// The members of an object, each key once, in order of their first occurrence.
[[nodiscard]] std::vector<NotebookField> ReadFields(std::string_view text, const JsonTree& tree,
                                                    uint32_t object);
[[nodiscard]] const NotebookField* FindField(const std::vector<NotebookField>& fields,
                                             std::string_view name);

struct NotebookCell {
  uint32_t node = 0;
  std::string id;       // as written, or ""
  std::string locator;  // "cell:<id>", or "cell:#3" by place where the id cannot tell it
  bool has_own_id = false;
  std::vector<NotebookField> fields;

  [[nodiscard]] const NotebookField* Find(std::string_view name) const {
    return FindField(fields, name);
  }
  // nbformat 4 calls it source, nbformat 3 input in a code cell. nullptr when absent.
  [[nodiscard]] const NotebookField* Source() const;
};

// Where the cells, the metadata and the version of a notebook stand: nbformat 4 (cells of the
// notebook) and 3 (cells of worksheets). Borrows text and tree.
struct Notebook {
  std::vector<NotebookField> fields;  // of the root
  std::vector<uint32_t> cell_arrays;
  std::vector<NotebookCell> cells;  // of all arrays, in order
  int64_t major = 0;                // 0 where the notebook does not say
  int64_t minor = 0;
  std::vector<Diagnostic> diagnostics;

  [[nodiscard]] bool HasCellIds() const { return major > 4 || (major == 4 && minor >= 5); }
  [[nodiscard]] bool JoinsLines() const { return major > 0 && major < 4; }
  [[nodiscard]] const NotebookCell* Find(std::string_view locator) const;
};

[[nodiscard]] Notebook ReadNotebook(std::string_view text, const JsonTree& tree);

// A text that nbformat lets be written as a string or as a list of strings.
struct NotebookText {
  std::string text;
  bool is_list = false;
  bool is_joined = false;  // a list of lines without their newlines
  bool is_valid = true;    // false: neither of both, or a list of something else
};
// With `joins_lines` (before nbformat 4) a list whose first line has no newline lists lines without
// them. Elsewhere lists are pieces.
[[nodiscard]] NotebookText ReadNotebookText(std::string_view text, const JsonTree& tree,
                                            uint32_t node, bool joins_lines);

[[nodiscard]] inline std::string_view NodeSource(std::string_view text, const JsonNode& node) {
  return text.substr(node.begin, node.end - node.begin);
}
// A string's content; anything else as it is written.
[[nodiscard]] std::string ReadScalar(std::string_view text, const JsonNode& node);

}  // namespace staged
