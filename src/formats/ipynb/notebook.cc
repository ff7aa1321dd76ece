#include "formats/ipynb/notebook.h"

#include <algorithm>
#include <unordered_map>

#include "base/utf8.h"

namespace staged {
namespace {

constexpr size_t kCellIdBytesMax = 64;  // nbformat 4.5

bool IsCellId(std::string_view id) {
  const auto is_allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
  };
  return !id.empty() && id.size() <= kCellIdBytesMax &&
         std::all_of(id.begin(), id.end(), is_allowed);
}

std::string DecodeKey(std::string_view text, const JsonNode& node) {
  const std::string_view token = text.substr(node.key_begin, node.key_end - node.key_begin);
  const bool is_plain = token.size() >= 2 && token.find('\\') == std::string_view::npos;
  if (is_plain && IsValidUtf8(token)) return std::string(token.substr(1, token.size() - 2));
  return DecodeJsonString(token);
}

std::optional<int64_t> ReadInteger(std::string_view text, const JsonTree& tree,
                                   const NotebookField* field) {
  if (field == nullptr) return std::nullopt;
  const Value value = JsonToValue(text, tree, field->node);
  return value.is_integer() ? std::optional(value.as_integer()) : std::nullopt;
}

class Reader {
 public:
  Reader(std::string_view text, const JsonTree& tree) : text_(text), tree_(tree) {}

  Notebook Read() {
    if (tree_.nodes.empty() || tree_.nodes[0].type != JsonType::kObject) {
      Report("error", "not_a_notebook", "", "a notebook is a JSON object; this is none");
      return std::move(notebook_);
    }
    notebook_.fields = ReadFields(text_, tree_, 0);
    ReportRepeated(notebook_.fields, "");
    notebook_.major =
        ReadInteger(text_, tree_, FindField(notebook_.fields, "nbformat")).value_or(0);
    notebook_.minor =
        ReadInteger(text_, tree_, FindField(notebook_.fields, "nbformat_minor")).value_or(0);
    if (notebook_.major != 3 && notebook_.major != 4) {
      Report("warning", "unknown_version", "field:nbformat",
             "the notebook is neither of nbformat 3 nor 4; it is read like nbformat 4");
    }
    FindArrays();
    for (const uint32_t array : notebook_.cell_arrays) ReadCells(array);
    NameCells();
    return std::move(notebook_);
  }

 private:
  void Report(std::string severity, std::string code, std::string locator, std::string message) {
    notebook_.diagnostics.push_back(
        {std::move(severity), std::move(code), std::move(locator), std::move(message)});
  }

  void ReportRepeated(const std::vector<NotebookField>& fields, const std::string& locator) {
    for (const NotebookField& field : fields) {
      if (!field.is_repeated) continue;
      Report("warning", "duplicate_key", locator,
             "the key \"" + field.name + "\" occurs more than once; the last one counts");
    }
  }

  void AddArray(const NotebookField* field) {
    if (field == nullptr) return;
    if (tree_.nodes[field->node].type == JsonType::kArray) {
      notebook_.cell_arrays.push_back(field->node);
    } else {
      Report("error", "invalid_cells", "", "the cells are no list; they are not read");
    }
  }

  void FindArrays() {
    AddArray(FindField(notebook_.fields, "cells"));
    const NotebookField* sheets = FindField(notebook_.fields, "worksheets");
    if (sheets != nullptr && tree_.nodes[sheets->node].type == JsonType::kArray) {
      const JsonNode& array = tree_.nodes[sheets->node];
      for (uint32_t sheet = sheets->node + 1; sheet < array.subtree_end;
           sheet = tree_.nodes[sheet].subtree_end) {
        if (tree_.nodes[sheet].type != JsonType::kObject) continue;
        const std::vector<NotebookField> fields = ReadFields(text_, tree_, sheet);
        AddArray(FindField(fields, "cells"));
      }
    }
    if (notebook_.cell_arrays.empty()) {
      Report("warning", "no_cells", "", "the notebook has no list of cells");
    }
  }

  void ReadCells(uint32_t array) {
    for (uint32_t node = array + 1; node < tree_.nodes[array].subtree_end;
         node = tree_.nodes[node].subtree_end) {
      NotebookCell cell;
      cell.node = node;
      if (tree_.nodes[node].type == JsonType::kObject) {
        cell.fields = ReadFields(text_, tree_, node);
        const NotebookField* id = cell.Find("id");
        if (id != nullptr && tree_.nodes[id->node].type == JsonType::kString) {
          cell.id = ReadScalar(text_, tree_.nodes[id->node]);
        }
      }
      notebook_.cells.push_back(std::move(cell));
    }
  }

  // A place is written with a sign that no cell id may have, so that the two never meet.
  void NameCells() {
    std::unordered_map<std::string_view, size_t> uses;
    for (const NotebookCell& cell : notebook_.cells) ++uses[cell.id];
    for (size_t i = 0; i < notebook_.cells.size(); ++i) {
      NotebookCell& cell = notebook_.cells[i];
      cell.has_own_id = IsCellId(cell.id) && uses[cell.id] == 1;
      cell.locator = cell.has_own_id ? "cell:" + cell.id : "cell:#" + std::to_string(i + 1);
      ReportRepeated(cell.fields, cell.locator);
      if (tree_.nodes[cell.node].type != JsonType::kObject) {
        Report("error", "invalid_cell", cell.locator, "a cell is a JSON object; this is none");
      } else if (!cell.id.empty() && !cell.has_own_id) {
        const bool is_duplicate = uses[cell.id] > 1;
        Report("warning", is_duplicate ? "duplicate_cell_id" : "invalid_cell_id", cell.locator,
               "the cell's id \"" + cell.id + "\" " +
                   (is_duplicate ? "occurs more than once" : "is none of nbformat's") +
                   "; the cell is addressed by its place");
      } else if (cell.id.empty() && notebook_.HasCellIds()) {
        Report("warning", "missing_cell_id", cell.locator,
               "the cell has no id; it is addressed by its place");
      }
    }
    for (NotebookCell& cell : notebook_.cells) CheckSource(cell);
  }

  void CheckSource(const NotebookCell& cell) {
    const NotebookField* source = cell.Source();
    if (source == nullptr) return;
    const JsonNode& at = tree_.nodes[source->node];
    bool is_valid = at.type == JsonType::kString || at.type == JsonType::kArray;
    for (uint32_t item = source->node + 1; item < at.subtree_end;
         item = tree_.nodes[item].subtree_end) {
      is_valid = is_valid && tree_.nodes[item].type == JsonType::kString;
    }
    if (is_valid) return;
    Report("warning", "invalid_source", cell.locator,
           "the cell's source is neither a string nor a list of strings");
  }

  std::string_view text_;
  const JsonTree& tree_;
  Notebook notebook_;
};

}  // namespace

std::vector<NotebookField> ReadFields(std::string_view text, const JsonTree& tree,
                                      uint32_t object) {
  std::vector<NotebookField> fields;
  fields.reserve(tree.nodes[object].child_count);
  constexpr size_t kLinearMax = 16;
  std::unordered_map<std::string, size_t> places;
  for (uint32_t child = object + 1; child < tree.nodes[object].subtree_end;
       child = tree.nodes[child].subtree_end) {
    std::string name = DecodeKey(text, tree.nodes[child]);
    NotebookField* known = nullptr;
    if (fields.size() <= kLinearMax) {
      const auto same = [&](const NotebookField& field) { return field.name == name; };
      const auto found = std::find_if(fields.begin(), fields.end(), same);
      if (found != fields.end()) known = &*found;
    } else {
      for (size_t i = places.size(); i < fields.size(); ++i) places.emplace(fields[i].name, i);
      const auto found = places.find(name);
      if (found != places.end()) known = &fields[found->second];
    }
    if (known != nullptr) {
      known->node = child;
      known->is_repeated = true;
    } else {
      fields.push_back({std::move(name), child, false});
    }
  }
  return fields;
}

const NotebookField* FindField(const std::vector<NotebookField>& fields, std::string_view name) {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const NotebookField& field) { return field.name == name; });
  return found == fields.end() ? nullptr : &*found;
}

const NotebookField* NotebookCell::Source() const {
  const NotebookField* source = Find("source");
  return source != nullptr ? source : Find("input");
}

const NotebookCell* Notebook::Find(std::string_view locator) const {
  const auto found = std::find_if(cells.begin(), cells.end(), [&](const NotebookCell& cell) {
    return cell.locator == locator;
  });
  return found == cells.end() ? nullptr : &*found;
}

Notebook ReadNotebook(std::string_view text, const JsonTree& tree) {
  return Reader(text, tree).Read();
}

std::string ReadScalar(std::string_view text, const JsonNode& node) {
  const std::string_view token = NodeSource(text, node);
  return node.type == JsonType::kString ? DecodeJsonString(token) : ReplaceInvalidUtf8(token);
}

NotebookText ReadNotebookText(std::string_view text, const JsonTree& tree, uint32_t node,
                              bool joins_lines) {
  NotebookText read;
  const JsonNode& at = tree.nodes[node];
  if (at.type == JsonType::kString) {
    read.text = ReadScalar(text, at);
    return read;
  }
  read.is_list = at.type == JsonType::kArray;
  read.is_valid = read.is_list;
  if (!read.is_list) return read;
  read.text.reserve(at.end - at.begin);
  for (uint32_t item = node + 1; item < at.subtree_end; item = tree.nodes[item].subtree_end) {
    if (tree.nodes[item].type != JsonType::kString) {
      read.is_valid = false;
      continue;
    }
    if (read.is_joined) read.text += '\n';
    DecodeJsonStringTo(NodeSource(text, tree.nodes[item]), read.text);
    if (item == node + 1) read.is_joined = joins_lines && !read.text.ends_with('\n');
  }
  read.is_joined = read.is_joined && at.child_count > 1;
  return read;
}

}  // namespace staged
