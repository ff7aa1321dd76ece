#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "codec/json.h"
#include "record/line_index.h"

namespace staged {

// Changes of a JSON text in its own style: what is put in is indented and separated as its
// neighbours are, what is taken out takes its comma along. Borrows everything that it is given.
class JsonSplicer {
 public:
  struct Layout {
    bool on_lines = false;  // children stand on lines of their own
    std::string indent;     // of the children
  };
  // A replacement of bytes of the text.
  using Sink = std::function<Status(ByteSpan, std::string)>;

  // REQUIRES: `tree` and `lines` are of `text`.
  JsonSplicer(std::string_view text, const JsonTree& tree, const LineIndex& lines,
              JsonSyntax syntax);

  [[nodiscard]] const JsonStyle& style() const { return style_; }
  [[nodiscard]] std::vector<uint32_t> Children(uint32_t container) const;
  [[nodiscard]] uint64_t BeginOf(uint32_t node) const;  // with its key
  [[nodiscard]] std::string LineIndent(uint64_t offset) const;
  [[nodiscard]] Layout LayoutOf(uint32_t container) const;
  // What stands between two children of a container.
  [[nodiscard]] std::string Separator(const Layout& layout) const;
  // Writes `value`, its children on lines indented further than `indent` if `on_lines`. Errors:
  // kInvalidArgument.
  [[nodiscard]] Result<std::string> Render(const Value& value, bool on_lines,
                                           const std::string& indent) const;
  // Writes what takes the place of a node's value. Errors: kInvalidArgument.
  [[nodiscard]] Result<std::string> RenderInPlace(const Value& value, uint32_t node) const;
  [[nodiscard]] bool IsWrittenOnLines(uint32_t node) const;

  void Delete(uint32_t node);
  // Adds a child behind the last one: a value's text, with a key in an object.
  void Append(uint32_t container, const std::optional<std::string>& key, const std::string& value);
  // Gives what was deleted and appended to `replace`. Errors: those of `replace`.
  [[nodiscard]] Status Finish(const Sink& replace) const;

 private:
  struct ContainerChange {
    std::set<uint32_t> deleted;         // children
    std::vector<std::string> appended;  // rendered members or items
  };

  void DetectStyle();
  void DetectIndent(uint32_t container);
  void DetectSeparators(uint32_t node, bool& has_key_separator, bool& has_item_separator);
  [[nodiscard]] bool BeginsLine(uint64_t offset) const;
  [[nodiscard]] Status FinishContainer(uint32_t container, const ContainerChange& change,
                                       const Sink& replace) const;

  std::string_view text_;
  const JsonTree& tree_;
  const LineIndex& lines_;
  JsonSyntax syntax_;
  JsonStyle style_;
  std::map<uint32_t, ContainerChange> changes_;
};

}  // namespace staged
