#include "codec/json_splicer.h"

#include <algorithm>

#include "base/utf8.h"

namespace staged {
namespace {

bool IsBlank(std::string_view text) {
  return text.find_first_not_of(" \t") == std::string_view::npos;
}

}  // namespace

JsonSplicer::JsonSplicer(std::string_view text, const JsonTree& tree, const LineIndex& lines,
                         JsonSyntax syntax)
    : text_(text), tree_(tree), lines_(lines), syntax_(syntax) {
  DetectStyle();
}

std::vector<uint32_t> JsonSplicer::Children(uint32_t container) const {
  std::vector<uint32_t> children;
  children.reserve(tree_.nodes[container].child_count);
  for (uint32_t child = container + 1; child < tree_.nodes[container].subtree_end;
       child = tree_.nodes[child].subtree_end) {
    children.push_back(child);
  }
  return children;
}

uint64_t JsonSplicer::BeginOf(uint32_t node) const {
  const JsonNode& at = tree_.nodes[node];
  return at.has_key() ? at.key_begin : at.begin;
}

bool JsonSplicer::BeginsLine(uint64_t offset) const {
  const uint64_t line = lines_.Span(lines_.LineOf(offset)).begin;
  return line > 0 && IsBlank(text_.substr(line, offset - line));
}

std::string JsonSplicer::LineIndent(uint64_t offset) const {
  const uint64_t line = lines_.Span(lines_.LineOf(offset)).begin;
  const size_t end = std::min(text_.find_first_not_of(" \t", line), text_.size());
  return std::string(text_.substr(line, end - line));
}

void JsonSplicer::DetectIndent(uint32_t container) {
  const uint64_t first = BeginOf(container + 1);
  if (!BeginsLine(first)) return;
  const std::string outer = LineIndent(tree_.nodes[container].begin);
  const std::string inner = LineIndent(first);
  if (inner.size() > outer.size() && inner.starts_with(outer)) {
    style_.indent_unit = inner.substr(outer.size());
  }
}

void JsonSplicer::DetectSeparators(uint32_t node, bool& has_key_separator,
                                   bool& has_item_separator) {
  const JsonNode& at = tree_.nodes[node];
  if (!has_key_separator && at.has_key()) {
    const std::string_view between = text_.substr(at.key_end, at.begin - at.key_end);
    has_key_separator = true;
    if (between.find_first_not_of(" \t:") == std::string_view::npos) style_.key_separator = between;
  }
  const bool is_line = syntax_ == JsonSyntax::kLines && node == 0;
  if (has_item_separator || at.child_count < 2 || is_line) return;
  const uint32_t second = tree_.nodes[node + 1].subtree_end;
  const uint64_t end = tree_.nodes[node + 1].end;
  const std::string_view between = text_.substr(end, BeginOf(second) - end);
  has_item_separator = between.find_first_not_of(" ,") == std::string_view::npos;
  if (has_item_separator) style_.item_separator = between;
}

void JsonSplicer::DetectStyle() {
  style_.newline = NewlineBytes(lines_.dominant());
  style_.ascii_only = !IsValidUtf8(text_);
  const bool is_lines = syntax_ == JsonSyntax::kLines;
  if (is_lines) style_.newline = "";
  bool has_key_separator = false;
  bool has_item_separator = false;
  for (uint32_t i = 0; i < tree_.nodes.size(); ++i) {
    const bool has_indent = is_lines || !style_.indent_unit.empty();
    if (has_indent && has_key_separator && has_item_separator) break;
    DetectSeparators(i, has_key_separator, has_item_separator);
    if (!has_indent && tree_.nodes[i].child_count > 0) DetectIndent(i);
  }
  const bool is_compact = has_key_separator && style_.key_separator == ":" && !has_item_separator;
  if (is_compact) style_.item_separator = ",";
}

JsonSplicer::Layout JsonSplicer::LayoutOf(uint32_t container) const {
  const JsonNode& node = tree_.nodes[container];
  if (node.child_count == 0) {
    if (style_.indent_unit.empty()) return {};
    return {true, LineIndent(node.begin) + style_.indent_unit};
  }
  const uint64_t last = BeginOf(Children(container).back());
  if (!BeginsLine(last)) return {};
  return {true, LineIndent(last)};
}

std::string JsonSplicer::Separator(const Layout& layout) const {
  return layout.on_lines ? "," + style_.newline + layout.indent : style_.item_separator;
}

Result<std::string> JsonSplicer::Render(const Value& value, bool on_lines,
                                        const std::string& indent) const {
  JsonStyle style = style_;
  if (!on_lines) style.indent_unit.clear();
  std::string out;
  STAGED_RETURN_IF_ERROR(AppendJson(out, value, style, indent));
  return out;
}

bool JsonSplicer::IsWrittenOnLines(uint32_t node) const {
  const JsonNode& at = tree_.nodes[node];
  const bool was_inline =
      at.child_count > 0 &&
      text_.substr(at.begin, at.end - at.begin).find('\n') == std::string_view::npos;
  return !style_.indent_unit.empty() && !was_inline;
}

Result<std::string> JsonSplicer::RenderInPlace(const Value& value, uint32_t node) const {
  return Render(value, IsWrittenOnLines(node), LineIndent(tree_.nodes[node].begin));
}

void JsonSplicer::Delete(uint32_t node) { changes_[tree_.nodes[node].parent].deleted.insert(node); }

void JsonSplicer::Append(uint32_t container, const std::optional<std::string>& key,
                         const std::string& value) {
  std::string child;
  if (key) {
    AppendJsonString(child, *key, style_.ascii_only);
    child.append(style_.key_separator);
  }
  changes_[container].appended.push_back(child + value);
}

Status JsonSplicer::Finish(const Sink& replace) const {
  for (const auto& [container, change] : changes_) {
    STAGED_RETURN_IF_ERROR(FinishContainer(container, change, replace));
  }
  return OkStatus();
}

Status JsonSplicer::FinishContainer(uint32_t container, const ContainerChange& change,
                                    const Sink& replace) const {
  const JsonNode& node = tree_.nodes[container];
  const std::vector<uint32_t> children = Children(container);
  const Layout layout = LayoutOf(container);
  const std::string separator = Separator(layout);
  if (change.deleted.size() == children.size()) {
    std::string inside;
    for (const std::string& child : change.appended)
      inside += (inside.empty() ? "" : separator) + child;
    if (layout.on_lines && !inside.empty()) {
      inside = style_.newline + layout.indent + inside + style_.newline + LineIndent(node.begin);
    }
    return replace({node.begin + 1u, node.end - 1u}, std::move(inside));
  }
  std::vector<bool> deleted(children.size());
  for (size_t i = 0; i < children.size(); ++i) deleted[i] = change.deleted.count(children[i]) > 0;
  for (size_t first = 0; first < children.size(); ++first) {
    if (!deleted[first]) continue;
    size_t last = first;
    while (last + 1 < children.size() && deleted[last + 1]) ++last;
    const bool is_tail = last + 1 == children.size();
    const ByteSpan span =
        is_tail ? ByteSpan{tree_.nodes[children[first - 1]].end, tree_.nodes[children[last]].end}
                : ByteSpan{BeginOf(children[first]), BeginOf(children[last + 1])};
    STAGED_RETURN_IF_ERROR(replace(span, ""));
    first = last;
  }
  const uint64_t end = tree_.nodes[children.back()].end;
  for (const std::string& child : change.appended) {
    STAGED_RETURN_IF_ERROR(replace({end, end}, separator + child));
  }
  return OkStatus();
}

}  // namespace staged
