#include "formats/docx/story_reader.h"

#include "formats/docx/paragraph_record.h"
#include "formats/docx/picture_reader.h"
#include "formats/docx/word_names.h"

namespace staged::docx {
namespace {

Value Number(uint64_t number) { return Value(static_cast<int64_t>(number)); }

// Ordinals of one container: they start at 1 in each body, cell, note, text box.
struct BlockCounters {
  uint64_t paragraphs = 0;
  uint64_t tables = 0;
};

struct GridCell {
  size_t record = 0;
  uint64_t column = 0;
  uint64_t span = 1;
  std::string merge;  // "", "restart", "continue"
};

class StoryBuilder {
 public:
  StoryBuilder(const XmlTree& tree, const StoryContext& context, std::string prefix)
      : tree_(tree),
        context_(context),
        prefix_(std::move(prefix)),
        formats_(tree, *context.styles),
        labeller_(*context.numbering),
        reader_(tree),
        paragraph_(tree, context, formats_),
        pictures_(tree, context, prefix_) {}

  Story Build() {
    if (tree_.size() == 0) return std::move(story_);
    BlockCounters counters;
    ReadBlocks(0, prefix_, "", counters);
    SetUniqueKeys();
    return std::move(story_);
  }

 private:
  // Index of the new record; kFull when the limit is reached.
  static constexpr size_t kFull = SIZE_MAX;
  size_t Add(Record record, uint32_t node) {
    if (story_.records.size() >= context_.limits.records_max) {
      story_.is_truncated = true;
      return kFull;
    }
    record.span = ByteSpan{tree_[node].begin, tree_[node].end};
    story_.records.push_back(std::move(record));
    story_.nodes.push_back(node);
    return story_.records.size() - 1;
  }

  const std::string& Hidden() const { return context_.hidden; }

  PictureReader::Emit Emitter() {
    return [this](Record record, uint32_t node) { Add(std::move(record), node); };
  }

  // A locator of the story that no other record has; a second one of a name gets "#2".
  std::string Unique(std::string locator) {
    const int count = ++count_by_locator_[locator];
    if (count > 1) locator += "#" + std::to_string(count);
    return locator;
  }

  void ReadBlocks(uint32_t container, const std::string& prefix, const std::string& parent,
                  BlockCounters& counters) {
    for (uint32_t child = tree_.FirstChild(container); child != XmlTree::kNone;
         child = tree_.NextSibling(child)) {
      if (!tree_.IsElement(child) || story_.is_truncated) continue;
      ReadBlock(child, prefix, parent, counters);
    }
  }

  void ReadBlock(uint32_t child, const std::string& prefix, const std::string& parent,
                 BlockCounters& counters) {
    switch (tree_[child].name) {
      case kParagraph:
        ReadParagraph(child, prefix + "p:" + std::to_string(++counters.paragraphs), parent);
        break;
      case kTable:
        ReadTable(child, prefix + "t:" + std::to_string(++counters.tables), parent);
        break;
      case kContentControl: {
        AddContentControl(child, parent);
        const uint32_t content = tree_.Child(child, kContentControlContent);
        if (content != XmlTree::kNone) ReadBlocks(content, prefix, parent, counters);
        break;
      }
      case kAlternateContent:
        if (const uint32_t branch = ChosenBranch(tree_, child); branch != XmlTree::kNone) {
          ReadBlocks(branch, prefix, parent, counters);
          AddAlternatives(OtherBranches(tree_, child), parent);
        }
        break;
      case kMarkupTag:
        AddContentControl(child, parent);
        ReadBlocks(child, prefix, parent, counters);
        break;
      case kSectionProperties:
        AddSection(child, parent);
        break;
      case kFootnote:
        ReadNote(child, "footnote", "fn:");
        break;
      case kEndnote:
        ReadNote(child, "endnote", "en:");
        break;
      case kComment:
        ReadComment(child);
        break;
      case kAlternateChunk:
      case kSubdocument:
        story_.has_alternate_chunks |= tree_[child].name == kAlternateChunk;
        pictures_.ReadPart(child, "import", parent, Hidden(), Emitter());
        break;
      case kBackground:
        pictures_.ReadPart(child, "background", parent, Hidden(), Emitter());
        break;
      case kMoveFromRangeStart:
      case kMoveFromRangeEnd:
      case kMoveToRangeStart:
      case kMoveToRangeEnd:
        reader_.SeeMoveRange(child);
        break;
      case kBookmarkStart:
      case kBookmarkEnd:
      case kCommentRangeStart:
      case kCommentRangeEnd:
      case kPermissionStart:
      case kPermissionEnd:
      case kControlInserted:
      case kControlDeleted:
      case kControlMovedFrom:
      case kControlMovedTo:
        pending_markers_.push_back(child);
        break;
      case kContentControlProperties:
      case kMarkupTagProperties:
      case kTableCellProperties:
      case kTableProperties:
      case kParagraphProperties:
      case kRunProperties:
        break;
      case kRun:
      case kHyperlink:
        // Runs outside of paragraphs are against the schema, yet people see their text.
        ReadParagraph(child, prefix + "p:" + std::to_string(++counters.paragraphs), parent);
        break;
      default:
        ReadBlocks(child, prefix, parent, counters);
        break;
    }
  }

  void ReadParagraph(uint32_t node, const std::string& locator, const std::string& parent) {
    // Text boxes come back here while the outer paragraph is still being read.
    InlineContent content = std::move(spare_content_);
    reader_.Read(node, content);
    std::vector<InlineMarker> pending;
    for (const uint32_t marker : pending_markers_) {
      const std::string_view type = ControlRevisionType(tree_[marker].name);
      if (type.empty()) {
        pending.push_back({marker, 0});
      } else {
        content.revisions.insert(content.revisions.begin(), {type, 0, 0, marker, "", ""});
      }
    }
    content.markers.insert(content.markers.begin(), pending.begin(), pending.end());
    pending_markers_.clear();
    const ParagraphFormat& format = formats_.Paragraph(tree_.Child(node, kParagraphProperties));
    Record record{.kind = "paragraph", .locator = locator, .parent = parent};
    record.hidden = Hidden();
    paragraph_.Fill(node, format, content, Label(format), record);
    AddParagraphParts(node, std::move(record), format, content, locator);
    spare_content_ = std::move(content);
  }

  void AddParagraphParts(uint32_t node, Record record, const ParagraphFormat& format,
                         const InlineContent& content, const std::string& locator) {
    const std::string text = record.text;
    Add(std::move(record), node);
    size_t ordinal = 0;
    for (const Revision& revision : paragraph_.revisions()) {
      if (revision.deleted_text.empty()) continue;
      Record deleted{.kind = "revision",
                     .locator = locator + "/rev:" + std::to_string(++ordinal),
                     .parent = locator};
      deleted.text = revision.deleted_text;
      deleted.attrs = paragraph_.RevisionValue(revision, text);
      deleted.hidden = revision.type == "move_from" ? "tracked move" : "tracked deletion";
      Add(std::move(deleted), revision.node);
    }
    for (const InlineMarker& picture : content.pictures) {
      pictures_.Read(picture, locator, Hidden(), Emitter());
    }
    for (const uint32_t import : content.imports) {
      pictures_.ReadPart(import, "import", locator, Hidden(), Emitter());
    }
    AddAlternatives(content.alternatives, locator);
    if (format.has_details) {
      const uint32_t section =
          tree_.Child(tree_.Child(node, kParagraphProperties), kSectionProperties);
      if (section != XmlTree::kNone) AddSection(section, locator);
    }
    const std::vector<uint32_t> boxes = content.text_boxes;
    for (size_t i = 0; i < boxes.size(); ++i) {
      const std::string box = locator + "/box:" + std::to_string(i + 1);
      Add(Record{.kind = "text_box", .locator = box, .parent = locator, .hidden = Hidden()},
          boxes[i]);
      BlockCounters counters;
      ReadBlocks(boxes[i], box + "/", box, counters);
    }
  }

  // What other programs show in the place of what they cannot read, where it says something else.
  void AddAlternatives(const std::vector<uint32_t>& branches, const std::string& parent) {
    for (const uint32_t branch : branches) {
      Record record{.kind = "alternative",
                    .locator = prefix_ + "alt:" + std::to_string(++alternatives_),
                    .parent = parent};
      record.text = ReadableText(tree_, branch);
      record.hidden = "shown only by programs that cannot read the rest";
      Add(std::move(record), branch);
    }
  }

  std::string Label(const ParagraphFormat& format) {
    std::optional<std::string> id = format.numbering_id;
    std::optional<int> level = format.numbering_level;
    if (!id) {
      const Style* style = context_.styles->NumberingStyle(format.style_id);
      if (style == nullptr) return "";
      id = style->numbering_id;
      const NumberingTable::Instance* instance = context_.numbering->Find(*id);
      if (!level && instance != nullptr) {
        level = context_.numbering->LevelOfStyle(*instance, format.style_id);
      }
      if (!level) level = style->numbering_level;
    }
    if (*id == "0") return "";  // numbering switched off
    return labeller_.Next(*id, level.value_or(0));
  }

  void AddContentControl(uint32_t node, const std::string& parent) {
    Record record{.kind = "control",
                  .locator = prefix_ + "sdt:" + std::to_string(++controls_),
                  .parent = parent,
                  .hidden = Hidden()};
    Value::Object attrs = tree_[node].name == kMarkupTag ? MarkupTagAttributes(tree_, node)
                                                         : ContentControlAttributes(tree_, node);
    for (const Value::Member& member : attrs) {
      if (member.first == "alias" || member.first == "element" ||
          (member.first == "tag" && record.text.empty())) {
        record.text = member.second.as_string();
      }
    }
    if (!attrs.empty()) record.attrs = Value(std::move(attrs));
    Add(std::move(record), node);
  }

  void AddSection(uint32_t node, const std::string& parent) {
    Record record{.kind = "section",
                  .locator = prefix_ + "sec:" + std::to_string(++sections_),
                  .parent = parent};
    Value::Array headers;
    for (uint32_t child = tree_.FirstChild(node); child != XmlTree::kNone;
         child = tree_.NextSibling(child)) {
      const uint16_t name = tree_[child].name;
      if (name != kHeaderReference && name != kFooterReference) continue;
      const OpcRelationship* relationship =
          context_.relationships->Find(tree_.AttributeText(child, "id"));
      Value::Object header{{"kind", name == kHeaderReference ? "header" : "footer"},
                           {"type", tree_.AttributeText(child, "type")}};
      if (relationship != nullptr) {
        header.emplace_back("story", context_.story_locator(relationship->target));
      }
      headers.emplace_back(std::move(header));
    }
    if (!headers.empty()) record.attrs.Set("headers", std::move(headers));
    record.attrs.Set("properties",
                     SummaryOfChildren(tree_, node, {kHeaderReference, kFooterReference}));
    const uint32_t change = tree_.Child(node, kSectionPropertiesChange);
    if (change != XmlTree::kNone) AddRevisionAttribute(change, "section_format_change", record);
    Add(std::move(record), node);
  }

  void AddRevisionAttribute(uint32_t node, std::string_view type, Record& record) {
    const Value* present = record.attrs.Find("revisions");
    Value::Array revisions = present != nullptr ? present->as_array() : Value::Array();
    revisions.push_back(paragraph_.RevisionValue({type, 0, 0, node, "", ""}, ""));
    record.attrs.Set("revisions", std::move(revisions));
  }

  void ReadNote(uint32_t node, std::string_view kind, std::string_view locator_prefix) {
    const std::string locator =
        Unique(std::string(locator_prefix) + tree_.AttributeText(node, "id"));
    Record record{.kind = std::string(kind), .locator = locator};
    record.key = locator;
    const std::string type = tree_.AttributeText(node, "type");
    if (!type.empty() && type != "normal") {
      record.attrs.Set("type", type);
      record.hidden = "note separator";
    }
    Add(std::move(record), node);
    BlockCounters counters;
    ReadBlocks(node, locator + "/", locator, counters);
  }

  void ReadComment(uint32_t node) {
    const std::string id = tree_.AttributeText(node, "id");
    const std::string locator = Unique("cm:" + id);
    Record record{.kind = "comment", .locator = locator, .hidden = Hidden()};
    record.key = locator;
    for (const std::string_view name : {"author", "initials", "date"}) {
      std::string value = tree_.AttributeText(node, name);
      if (!value.empty()) record.attrs.Set(name, std::move(value));
    }
    const auto* anchors = context_.comment_anchors;
    if (anchors != nullptr && anchors->contains(id)) {
      const CommentAnchor& anchor = anchors->at(id);
      if (anchor.has_end && anchor.end_locator == anchor.start_locator) {
        record.attrs.Set("anchor", anchor.start_locator + ":" + std::to_string(anchor.start) + "-" +
                                       std::to_string(anchor.end));
      } else {
        record.attrs.Set("anchor", anchor.start_locator);
        if (anchor.has_end) record.attrs.Set("anchor_end", anchor.end_locator);
      }
    }
    if (context_.comment_threads != nullptr) {
      const auto thread = context_.comment_threads->find(id);
      if (thread != context_.comment_threads->end()) {
        if (!thread->second.reply_to.empty()) record.attrs.Set("reply_to", thread->second.reply_to);
        if (thread->second.is_resolved) record.attrs.Set("resolved", true);
      }
    }
    Add(std::move(record), node);
    BlockCounters counters;
    ReadBlocks(node, locator + "/", locator, counters);
  }

  void ReadTable(uint32_t node, const std::string& locator, const std::string& parent) {
    Record record{.kind = "table", .locator = locator, .parent = parent, .hidden = Hidden()};
    const uint32_t properties = tree_.Child(node, kTableProperties);
    const uint32_t style = tree_.Child(properties, kTableStyle);
    if (style != XmlTree::kNone) {
      record.attrs.Set("style", context_.styles->NameOf(tree_.AttributeText(style, "val")));
    }
    Value::Object others = SummaryOfChildren(tree_, properties, {kTableStyle});
    if (!others.empty()) record.attrs.Set("properties", std::move(others));
    AddGrid(node, record);
    const uint32_t change = tree_.Child(properties, kTablePropertiesChange);
    if (change != XmlTree::kNone) AddRevisionAttribute(change, "table_format_change", record);
    const size_t index = Add(std::move(record), node);
    if (index == kFull) return;
    std::vector<std::vector<GridCell>> rows;
    ReadRows(node, locator, rows);
    uint64_t columns = 0;
    for (const std::vector<GridCell>& row : rows) {
      if (!row.empty()) columns = std::max(columns, row.back().column + row.back().span);
    }
    story_.records[index].attrs.Set("rows", Number(rows.size()));
    story_.records[index].attrs.Set("columns", Number(columns));
    SetRowSpans(rows);
  }

  void AddGrid(uint32_t table, Record& record) {
    const uint32_t grid = tree_.Child(table, kTableGrid);
    if (grid == XmlTree::kNone) return;
    std::string widths;
    for (uint32_t child = tree_.FirstChild(grid); child != XmlTree::kNone;
         child = tree_.NextSibling(child)) {
      if (tree_[child].name != kGridColumn) continue;
      if (!widths.empty()) widths += ' ';
      widths += tree_.AttributeText(child, "w");
    }
    if (!widths.empty()) record.attrs.Set("column_widths", std::move(widths));
  }

  // Calls `read` for each child of that name, also inside content controls and the like.
  template <typename Read>
  void ForEachInside(uint32_t node, uint16_t name, const std::string& parent, const Read& read) {
    for (uint32_t child = tree_.FirstChild(node); child != XmlTree::kNone;
         child = tree_.NextSibling(child)) {
      if (!tree_.IsElement(child) || story_.is_truncated) continue;
      const uint16_t child_name = tree_[child].name;
      if (child_name == name) {
        read(child);
      } else if (child_name == kContentControl) {
        AddContentControl(child, parent);
        const uint32_t content = tree_.Child(child, kContentControlContent);
        if (content != XmlTree::kNone) ForEachInside(content, name, parent, read);
      } else if (child_name == kAlternateContent) {
        const uint32_t branch = ChosenBranch(tree_, child);
        if (branch != XmlTree::kNone) ForEachInside(branch, name, parent, read);
        AddAlternatives(OtherBranches(tree_, child), parent);
      } else if (child_name == kBookmarkStart || child_name == kBookmarkEnd ||
                 child_name == kCommentRangeStart || child_name == kCommentRangeEnd) {
        pending_markers_.push_back(child);
      } else if (child_name == kUnknownName || child_name == kInserted || child_name == kDeleted ||
                 child_name == kMovedFrom || child_name == kMovedTo) {
        ForEachInside(child, name, parent, read);
      }
    }
  }

  void ReadRows(uint32_t table, const std::string& table_locator,
                std::vector<std::vector<GridCell>>& rows) {
    ForEachInside(table, kTableRow, table_locator, [&](uint32_t row) {
      const std::string locator = table_locator + "/r:" + std::to_string(rows.size() + 1);
      rows.emplace_back();
      Record record{.kind = "row", .locator = locator, .parent = table_locator, .hidden = Hidden()};
      const uint32_t properties = tree_.Child(row, kTableRowProperties);
      uint64_t column = 0;
      if (properties != XmlTree::kNone) {
        const uint32_t header = tree_.Child(properties, kTableHeader);
        if (header != XmlTree::kNone && IsOn(tree_, header)) record.attrs.Set("header", true);
        const uint32_t before = tree_.Child(properties, kGridBefore);
        if (before != XmlTree::kNone) column = GridCount(before);
        Value::Object others = SummaryOfChildren(tree_, properties, {kTableHeader});
        if (!others.empty()) record.attrs.Set("properties", std::move(others));
        AddRowRevision(properties, kInserted, "row_insertion", record);
        AddRowRevision(properties, kDeleted, "row_deletion", record);
        AddRowRevision(properties, kTableRowPropertiesChange, "row_format_change", record);
      }
      AddRowExceptions(row, record);
      Add(std::move(record), row);
      ReadCells(row, locator, column, rows);
    });
  }

  // Properties of the table that the row overrides (17.4.61).
  void AddRowExceptions(uint32_t row, Record& record) {
    const uint32_t exceptions = tree_.Child(row, kTablePropertyExceptions);
    if (exceptions == XmlTree::kNone) return;
    Value::Object values = SummaryOfChildren(tree_, exceptions);
    if (!values.empty()) record.attrs.Set("exceptions", std::move(values));
    AddRowRevision(exceptions, kTablePropertyExceptionsChange, "row_format_change", record);
  }

  void AddRowRevision(uint32_t properties, uint16_t name, std::string_view type, Record& record) {
    const uint32_t node = tree_.Child(properties, name);
    if (node != XmlTree::kNone) AddRevisionAttribute(node, type, record);
  }

  // A count of grid columns, kept within what a table can have.
  uint64_t GridCount(uint32_t element) const {
    constexpr int kColumnsMax = 10'000;
    const int count = IntegerOr(tree_.Attribute(element, "val").value_or(""), 1);
    return static_cast<uint64_t>(std::clamp(count, 0, kColumnsMax));
  }

  void ReadCells(uint32_t row, const std::string& row_locator, uint64_t column,
                 std::vector<std::vector<GridCell>>& rows) {
    const size_t row_index = rows.size() - 1;
    uint64_t ordinal = 0;
    ForEachInside(row, kTableCell, row_locator, [&](uint32_t node) {
      const std::string locator = row_locator + "/c:" + std::to_string(++ordinal);
      Record record{.kind = "cell", .locator = locator, .parent = row_locator, .hidden = Hidden()};
      GridCell cell{.column = column};
      ReadCellProperties(node, cell, record);
      column += cell.span;
      cell.record = Add(std::move(record), node);
      if (cell.record != kFull) rows[row_index].push_back(std::move(cell));
      BlockCounters counters;
      ReadBlocks(node, locator + "/", locator, counters);
    });
  }

  void ReadCellProperties(uint32_t node, GridCell& cell, Record& record) {
    record.attrs.Set("column", Number(cell.column + 1));
    const uint32_t properties = tree_.Child(node, kTableCellProperties);
    if (properties == XmlTree::kNone) return;
    const uint32_t span = tree_.Child(properties, kGridSpan);
    if (span != XmlTree::kNone) cell.span = std::max<uint64_t>(GridCount(span), 1);
    if (cell.span > 1) record.attrs.Set("column_span", Number(cell.span));
    const uint32_t merge = tree_.Child(properties, kVerticalMerge);
    if (merge != XmlTree::kNone) {
      cell.merge = tree_.Attribute(merge, "val").value_or("continue");
      if (cell.merge == "continue") record.attrs.Set("merged", "continue");
    }
    Value::Object others = SummaryOfChildren(tree_, properties, {kGridSpan, kVerticalMerge});
    if (!others.empty()) record.attrs.Set("properties", std::move(others));
    AddRowRevision(properties, kCellInserted, "cell_insertion", record);
    AddRowRevision(properties, kCellDeleted, "cell_deletion", record);
    AddRowRevision(properties, kCellMergeChange, "cell_merge_change", record);
    AddRowRevision(properties, kTableCellPropertiesChange, "cell_format_change", record);
  }

  void SetRowSpans(const std::vector<std::vector<GridCell>>& rows) {
    struct Open {
      size_t record;
      uint64_t rows;
      size_t last_row;
    };
    std::unordered_map<uint64_t, Open> open;  // by grid column
    const auto close = [&](const Open& item) {
      if (item.rows > 1) story_.records[item.record].attrs.Set("row_span", Number(item.rows));
    };
    for (size_t row = 0; row < rows.size(); ++row) {
      for (const GridCell& cell : rows[row]) {
        const auto found = open.find(cell.column);
        const bool goes_on =
            found != open.end() && found->second.last_row + 1 == row && cell.merge == "continue";
        if (goes_on) {
          ++found->second.rows;
          found->second.last_row = row;
          continue;
        }
        if (found != open.end()) {
          close(found->second);
          open.erase(found);
        }
        if (cell.merge == "restart") open.emplace(cell.column, Open{cell.record, 1, row});
      }
    }
    for (const auto& [column, item] : open) close(item);
  }

  // A paragraph's identifier is a key only where it is not a twin.
  void SetUniqueKeys() {
    std::unordered_map<std::string, int> counts;
    const auto id_of = [](const Record& record) {
      return record.kind == "paragraph" ? std::string(record.attrs.FindString("para_id"))
                                        : std::string();
    };
    for (const Record& record : story_.records) {
      const std::string id = id_of(record);
      if (!id.empty()) ++counts[id];
    }
    for (Record& record : story_.records) {
      std::string id = id_of(record);
      if (!id.empty() && counts[id] == 1) record.key = std::move(id);
    }
  }

  const XmlTree& tree_;
  const StoryContext& context_;
  const std::string prefix_;
  FormatCache formats_;
  ListLabeller labeller_;
  InlineReader reader_;
  ParagraphRecord paragraph_;
  PictureReader pictures_;
  Story story_;
  InlineContent spare_content_;
  std::vector<uint32_t> pending_markers_;
  std::unordered_map<std::string, int> count_by_locator_;
  uint64_t controls_ = 0;
  uint64_t alternatives_ = 0;
  uint64_t sections_ = 0;
};

}  // namespace

Story ReadStory(const XmlTree& tree, const StoryContext& context, const std::string& prefix) {
  return StoryBuilder(tree, context, prefix).Build();
}

}  // namespace staged::docx
