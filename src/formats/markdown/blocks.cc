#include "formats/markdown/blocks.h"

#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm-extension_api.h>
#include <cmark-gfm.h>

#include <algorithm>
#include <memory>
#include <mutex>

#include "base/utf8.h"
#include "format/heading_paths.h"
#include "formats/markdown/table_cost.h"

namespace staged {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

struct NodeDeleter {
  void operator()(cmark_node* node) const { cmark_node_free(node); }
};
struct ParserDeleter {
  void operator()(cmark_parser* parser) const { cmark_parser_free(parser); }
};

std::unique_ptr<cmark_node, NodeDeleter> ParseDocument(std::string_view text) {
  static std::once_flag registered;
  std::call_once(registered, [] { cmark_gfm_core_extensions_ensure_registered(); });
  const std::unique_ptr<cmark_parser, ParserDeleter> parser(cmark_parser_new(CMARK_OPT_FOOTNOTES));
  const bool without_tables = CostsTooMuchForTables(text);
  for (const char* name : {"table", "tasklist", "strikethrough"}) {
    if (without_tables && std::string_view(name) == "table") continue;
    cmark_syntax_extension* extension = cmark_find_syntax_extension(name);
    if (extension != nullptr) cmark_parser_attach_syntax_extension(parser.get(), extension);
  }
  cmark_parser_feed(parser.get(), text.data(), text.size());
  return std::unique_ptr<cmark_node, NodeDeleter>(cmark_parser_finish(parser.get()));
}

// Lines as CommonMark (section 2.1) has them: every CR, LF and CR LF ends one.
std::vector<size_t> LineBegins(std::string_view text) {
  std::vector<size_t> begins{0};
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_pair = text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n';
    if ((text[i] == '\n' || text[i] == '\r') && !is_pair) begins.push_back(i + 1);
  }
  return begins;
}

bool IsBlank(std::string_view line) {
  return line.find_first_not_of(kBlanks) == std::string_view::npos;
}

std::string_view Trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return "";
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

// What a heading's inlines read as.
std::string PlainText(cmark_node* block) {
  std::string text;
  cmark_iter* iterator = cmark_iter_new(block);
  while (cmark_iter_next(iterator) != CMARK_EVENT_DONE) {
    cmark_node* node = cmark_iter_get_node(iterator);
    const cmark_node_type type = cmark_node_get_type(node);
    if (type == CMARK_NODE_TEXT || type == CMARK_NODE_CODE) {
      const char* literal = cmark_node_get_literal(node);
      if (literal != nullptr) text += literal;
    } else if (type == CMARK_NODE_SOFTBREAK || type == CMARK_NODE_LINEBREAK) {
      text += ' ';
    }
  }
  cmark_iter_free(iterator);
  return text;
}

constexpr size_t kNone = SIZE_MAX;

struct Block {
  Record record;
  size_t parent = kNone;  // the containing block
  size_t begin = 0;
  size_t end = 0;
  int level = 0;       // of a heading
  std::string anchor;  // of a heading
  size_t row = 0;      // of a table row or cell
  size_t column = 0;
};

class BlockReader {
 public:
  explicit BlockReader(std::string_view text) : text_(text), begins_(LineBegins(text)) {
    covered_.assign(begins_.size(), false);
  }

  std::vector<Record> Read() {
    ReadFrontMatter();
    const auto document = ParseDocument(text_.substr(begins_[first_line_]));
    if (document != nullptr) ReadChildren(document.get());
    ReadUncovered();
    return Finish();
  }

 private:
  [[nodiscard]] std::string_view Line(size_t line) const {
    const size_t end = line + 1 < begins_.size() ? begins_[line + 1] : text_.size();
    std::string_view content = text_.substr(begins_[line], end - begins_[line]);
    while (content.ends_with('\n') || content.ends_with('\r')) content.remove_suffix(1);
    return content;
  }
  [[nodiscard]] size_t LineEnd(size_t line) const { return begins_[line] + Line(line).size(); }

  size_t Add(Block block, size_t first, size_t last, bool covers) {
    if (covers) std::fill(covered_.begin() + first, covered_.begin() + last + 1, true);
    blocks_.push_back(std::move(block));
    return blocks_.size() - 1;
  }

  // YAML between lines of three hyphens or TOML between lines of three plus signs, at the very top.
  void ReadFrontMatter() {
    const std::string_view fence = Line(0);
    if (fence != "---" && fence != "+++") return;
    for (size_t line = 1; line < begins_.size(); ++line) {
      if (Line(line) != fence && !(fence == "---" && Line(line) == "...")) continue;
      Block block;
      block.record.kind = "front_matter";
      block.record.attrs.Set("syntax", fence == "---" ? "yaml" : "toml");
      block.end = LineEnd(line);
      if (line > 1) block.record.text = text_.substr(begins_[1], LineEnd(line - 1) - begins_[1]);
      Add(std::move(block), 0, line, true);
      first_line_ = line + 1;
      if (first_line_ == begins_.size()) begins_.push_back(text_.size());
      covered_.resize(begins_.size());
      return;
    }
  }

  // In document order without recursion: nesting is as deep as the input likes.
  void ReadChildren(cmark_node* document) {
    std::vector<std::pair<cmark_node*, size_t>> open{{cmark_node_first_child(document), kNone}};
    while (!open.empty()) {
      auto& [node, parent] = open.back();
      if (node == nullptr) {
        open.pop_back();
        continue;
      }
      cmark_node* const current = node;
      const size_t container = parent;
      node = cmark_node_next(current);
      cmark_node* inner = nullptr;
      const size_t block = ReadBlock(current, container, &inner);
      if (inner != nullptr) open.emplace_back(inner, block);
    }
  }

  // Adds the node's block and says where its inner blocks begin, if it has any.
  size_t ReadBlock(cmark_node* node, size_t parent, cmark_node** inner) {
    const cmark_node_type type = cmark_node_get_type(node);
    const std::string_view name = cmark_node_get_type_string(node);
    if (type == CMARK_NODE_LIST) {
      *inner = cmark_node_first_child(node);
      return parent;
    }
    const auto [first, last] = LinesOf(node);
    Block block;
    block.parent = parent;
    block.begin = std::min(begins_[first] + ColumnOf(node), LineEnd(first));
    block.end = std::max(block.begin, LineEnd(last));
    if (type == CMARK_NODE_ITEM || name == "tasklist") {
      return ReadItem(node, std::move(block), first, inner);
    }
    if (type == CMARK_NODE_BLOCK_QUOTE || type == CMARK_NODE_FOOTNOTE_DEFINITION) {
      block.record.kind = type == CMARK_NODE_BLOCK_QUOTE ? "quote" : "footnote";
      *inner = cmark_node_first_child(node);
      if (type == CMARK_NODE_FOOTNOTE_DEFINITION) {
        // The parser tells neither the label nor where it begins.
        const std::string_view line = Line(first);
        const size_t mark = line.find("[^");
        const size_t end = mark == std::string_view::npos ? mark : line.find("]:", mark);
        if (end != std::string_view::npos) {
          block.record.attrs.Set("label", std::string(line.substr(mark + 2, end - mark - 2)));
          block.begin = std::min(block.begin, begins_[first] + mark);
        }
      }
      return Add(std::move(block), first, last, *inner == nullptr);
    }
    if (name == "table") {
      block.record.kind = "table";
      const size_t table = Add(std::move(block), first, last, true);
      ReadTable(node, table);
      return table;
    }
    FillLeaf(node, type, first, last, block);
    return Add(std::move(block), first, last, true);
  }

  void FillLeaf(cmark_node* node, cmark_node_type type, size_t first, size_t last, Block& block) {
    Record& record = block.record;
    record.text = Dedented(block, first, last);
    if (type == CMARK_NODE_HEADING) {
      record.kind = "heading";
      block.level = cmark_node_get_heading_level(node);
      record.attrs.Set("level", block.level);
      block.anchor = HeadingAnchor(PlainText(node));
      record.text = HeadingText(record.text);
    } else if (type == CMARK_NODE_CODE_BLOCK) {
      record.kind = "code_block";
      const std::string_view info = cmark_node_get_fence_info(node);
      if (!info.empty()) {
        record.attrs.Set("language", info.substr(0, info.find_first_of(" \t{")));
        record.attrs.Set("info", info);
      }
      const char* literal = cmark_node_get_literal(node);
      record.text = literal == nullptr ? "" : literal;
      while (record.text.ends_with('\n')) record.text.pop_back();
    } else if (type == CMARK_NODE_HTML_BLOCK) {
      record.kind = "html_block";
    } else if (type == CMARK_NODE_THEMATIC_BREAK) {
      record.kind = "thematic_break";
    } else {
      record.kind = "paragraph";
    }
  }

  // An item reads as its first paragraph; what else is in it follows as blocks of their own.
  size_t ReadItem(cmark_node* node, Block block, size_t first, cmark_node** inner) {
    Record& record = block.record;
    record.kind = "list_item";
    cmark_node* const list = cmark_node_parent(node);
    const bool is_ordered = cmark_node_get_list_type(list) == CMARK_ORDERED_LIST;
    record.attrs.Set("ordered", is_ordered);
    if (std::string_view(cmark_node_get_type_string(node)) == "tasklist") {
      record.attrs.Set("checked", cmark_gfm_extensions_get_tasklist_item_checked(node));
    }
    cmark_node* child = cmark_node_first_child(node);
    size_t last = first;
    if (child != nullptr && cmark_node_get_type(child) == CMARK_NODE_PARAGRAPH) {
      const auto [text_first, text_last] = LinesOf(child);
      Block text;
      text.begin = std::min(begins_[text_first] + ColumnOf(child), LineEnd(text_first));
      text.end = LineEnd(text_last);
      record.text = Dedented(text, text_first, text_last);
      if (record.attrs.Find("checked") != nullptr && record.text.starts_with('[') &&
          record.text.size() > 3) {
        record.text = Trimmed(std::string_view(record.text).substr(3));
      }
      last = std::max(first, text_last);
      child = cmark_node_next(child);
    }
    *inner = child;
    return Add(std::move(block), first, last, true);
  }

  void ReadTable(cmark_node* table, size_t table_block) {
    size_t row_number = 0;
    for (cmark_node* row = cmark_node_first_child(table); row != nullptr;
         row = cmark_node_next(row)) {
      const auto [first, last] = LinesOf(row);
      Block row_block;
      row_block.parent = table_block;
      row_block.record.kind = "table_row";
      row_block.row = ++row_number;
      row_block.begin = std::min(begins_[first] + ColumnOf(row), LineEnd(first));
      row_block.end = LineEnd(first);
      if (row_number == 1) row_block.record.attrs.Set("header", true);
      const size_t row_index = Add(std::move(row_block), first, first, true);
      size_t column = 0;
      for (cmark_node* cell = cmark_node_first_child(row); cell != nullptr;
           cell = cmark_node_next(cell)) {
        // Those that fill a short row are nowhere in the bytes, and say so by their column.
        if (cmark_node_get_start_column(cell) <= 0) break;
        Add(ReadCell(cell, first, row_index, row_number, ++column), first, first, true);
      }
    }
  }

  Block ReadCell(cmark_node* cell, size_t line, size_t row_block, size_t row, size_t column) {
    Block block;
    block.parent = row_block;
    block.record.kind = "table_cell";
    block.row = row;
    block.column = column;
    const std::string_view source = Line(line);
    const auto clamp = [&](int position) {
      return std::min(static_cast<size_t>(std::max(position, 0)), source.size());
    };
    size_t begin = clamp(cmark_node_get_start_column(cell) - 1);
    size_t end = std::max(begin, clamp(cmark_node_get_end_column(cell)));
    constexpr std::string_view kEdges = " \t|";
    while (begin < end && kEdges.find(source[begin]) != std::string_view::npos) ++begin;
    while (begin < end && source[end - 1] == '|' && (end < 2 || source[end - 2] != '\\')) --end;
    while (begin < end && (source[end - 1] == ' ' || source[end - 1] == '\t')) --end;
    block.begin = begins_[line] + begin;
    block.end = begins_[line] + end;
    block.record.text = source.substr(begin, end - begin);
    return block;
  }

  // Lines [first, last] of the whole text, whatever the parser says: inside it, and without blank
  // lines at the end.
  [[nodiscard]] std::pair<size_t, size_t> LinesOf(cmark_node* node) const {
    const auto line_at = [&](int line) {
      const size_t from_top = first_line_ + static_cast<size_t>(std::max(line - 1, 0));
      return std::min(from_top, begins_.size() - 1);
    };
    const size_t first = line_at(cmark_node_get_start_line(node));
    size_t last = std::max(first, line_at(cmark_node_get_end_line(node)));
    if (cmark_node_get_type(node) == CMARK_NODE_HEADING) last = UnderlineOf(node, first, last);
    while (last > first && IsBlank(Line(last))) --last;
    return {first, last};
  }

  // The parser ends a setext heading before its underline.
  [[nodiscard]] size_t UnderlineOf(cmark_node* node, size_t first, size_t last) const {
    const std::string_view source = Line(first);
    const size_t column = std::min(ColumnOf(node), source.size());
    if (source.substr(column).starts_with('#')) return last;
    const auto is_underline = [&](size_t line) {
      std::string_view rest = Line(line);
      rest.remove_prefix(std::min(rest.find_first_not_of(" \t>"), rest.size()));
      rest = Trimmed(rest);
      return !rest.empty() && (rest.find_first_not_of('=') == std::string_view::npos ||
                               rest.find_first_not_of('-') == std::string_view::npos);
    };
    if (last > first && is_underline(last)) return last;
    const bool has_next = last + 1 < begins_.size() && is_underline(last + 1);
    return has_next ? last + 1 : last;
  }

  [[nodiscard]] static size_t ColumnOf(cmark_node* node) {
    return static_cast<size_t>(std::max(cmark_node_get_start_column(node) - 1, 0));
  }

  // The block's source without what its containers put before each line.
  [[nodiscard]] std::string Dedented(const Block& block, size_t first, size_t last) const {
    std::string text(text_.substr(block.begin, LineEnd(first) - block.begin));
    const size_t indent = block.begin - begins_[first];
    for (size_t line = first + 1; line <= last; ++line) {
      std::string_view source = Line(line);
      for (size_t i = 0; i < indent && !source.empty(); ++i) {
        if (std::string_view(" \t>").find(source.front()) == std::string_view::npos) break;
        source.remove_prefix(1);
      }
      text.append("\n").append(source);
    }
    return text;
  }

  [[nodiscard]] static std::string HeadingText(std::string_view source) {
    if (!source.starts_with('#')) {
      const size_t underline = source.rfind('\n');
      return std::string(Trimmed(source.substr(0, underline)));
    }
    std::string_view text = source.substr(std::min(source.find_first_not_of('#'), source.size()));
    text = Trimmed(text);
    const size_t content = text.find_last_not_of('#');
    const bool has_closing =
        content == std::string_view::npos || (content + 1 < text.size() && text[content] == ' ');
    if (has_closing) text = Trimmed(text.substr(0, content + 1));
    return std::string(text);
  }

  // Link references, footnotes that nothing refers to: lines that no block has.
  void ReadUncovered() {
    const auto is_open = [&](size_t line) {
      if (covered_[line]) return false;
      return Line(line).find_first_not_of(" \t>\r\n") != std::string_view::npos;
    };
    for (size_t line = 0; line < begins_.size(); ++line) {
      if (!is_open(line)) continue;
      size_t last = line;
      while (last + 1 < begins_.size() && is_open(last + 1)) ++last;
      Block block;
      block.record.kind = "definition";
      block.begin = begins_[line];
      block.end = LineEnd(last);
      block.record.text = text_.substr(block.begin, block.end - block.begin);
      Add(std::move(block), line, last, true);
      line = last;
    }
  }

  // Sorts by beginning (footnotes come last from the parser), numbers, names and links.
  std::vector<Record> Finish() {
    std::vector<size_t> order(blocks_.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](size_t left, size_t right) {
      return blocks_[left].begin < blocks_[right].begin;
    });
    std::vector<Record> records;
    records.reserve(order.size());
    HeadingPaths headings;
    size_t block_number = 0;
    size_t table_number = 0;
    for (const size_t index : order) {
      Block& block = blocks_[index];
      Record& record = block.record;
      ++block_number;
      if (block.level > 0) headings.CloseTo(block.level);
      record.parent =
          block.parent != kNone ? blocks_[block.parent].record.locator : headings.current();
      record.locator = "block:" + std::to_string(block_number);
      if (record.kind == "table") record.locator = "t:" + std::to_string(++table_number);
      if (block.column > 0) {
        record.locator = record.parent + "/c:" + std::to_string(block.column);
      } else if (block.row > 0) {
        record.locator = record.parent + "/r:" + std::to_string(block.row);
      }
      if (block.level > 0) {
        record.locator = headings.Open(block.level, block.anchor);
        record.key = record.locator.substr(2);
      }
      if (!IsValidUtf8(record.text)) record.text = ReplaceInvalidUtf8(record.text);
      record.span = ByteSpan{block.begin, block.end};
    }
    for (const size_t index : order) records.push_back(std::move(blocks_[index].record));
    return records;
  }

  std::string_view text_;
  std::vector<size_t> begins_;
  std::vector<bool> covered_;
  size_t first_line_ = 0;  // behind the front matter
  std::vector<Block> blocks_;
};

}  // namespace

std::vector<Record> MarkdownRecords(std::string_view text) {
  if (text.empty()) return {};
  return BlockReader(text).Read();
}

}  // namespace staged
