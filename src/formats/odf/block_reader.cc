#include "formats/odf/block_reader.h"

#include <algorithm>
#include <charconv>

#include "codec/xml.h"
#include "codec/xml_summary.h"
#include "formats/odf/odf_names.h"

namespace staged::odf {
namespace {

Value Offset(size_t offset) { return Value(static_cast<int64_t>(offset)); }

Value::Object Range(size_t begin, size_t end) {
  return {{"start", Offset(begin)}, {"end", Offset(end)}};
}

void SetArray(Value& attrs, std::string_view name, Value::Array array) {
  if (!array.empty()) attrs.Set(name, std::move(array));
}

bool IsHiddenSection(const XmlTree& tree, uint32_t section) {
  const std::string_view display = tree.Attribute(section, "display").value_or("");
  return display == "none" || tree.Attribute(section, "is-hidden").value_or("") == "true";
}

}  // namespace

std::string PartOfReference(std::string_view reference) {
  while (reference.starts_with("./")) reference.remove_prefix(2);
  if (reference.ends_with('/')) reference.remove_suffix(1);
  if (reference.find(':') != std::string_view::npos || reference.starts_with("..")) return "";
  return XmlDecodeAttribute(reference);
}

uint32_t RepeatCount(const XmlTree& tree, uint32_t element, std::string_view attribute) {
  const std::string_view digits = tree.Attribute(element, attribute).value_or("1");
  uint32_t count = 1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  return error == std::errc() && end != nullptr ? std::max<uint32_t>(count, 1) : 1;
}

bool BlockReader::Add(Record record, uint32_t node) {
  if (blocks_.records.size() >= context_.limits.records_max) {
    blocks_.is_truncated = true;
    return false;
  }
  blocks_.records.push_back(std::move(record));
  blocks_.nodes.push_back(node);
  return true;
}

std::string BlockReader::Unique(const std::string& locator) {
  const size_t count = ++counts_[locator];
  return count == 1 ? locator : locator + "#" + std::to_string(count);
}

void BlockReader::ReadAll(uint32_t element, const std::string& prefix, const std::string& parent,
                          const std::string& hidden) {
  size_t paragraphs = 0;
  size_t tables = 0;
  Place place{prefix, parent, hidden, 0, "", &paragraphs, &tables};
  if (element != XmlTree::kNone) ReadBlocks(element, place);
}

void BlockReader::ReadBlocks(uint32_t element, Place& place) {
  for (uint32_t child = tree_.FirstChild(element); child != XmlTree::kNone && !blocks_.is_truncated;
       child = tree_.NextSibling(child)) {
    if (!tree_.IsElement(child)) continue;
    switch (tree_[child].name) {
      case kParagraph:
      case kHeading:
        ReadParagraph(child, place);
        break;
      case kList: {
        Place inside = place;
        ++inside.list_level;
        const std::string style = tree_.AttributeText(child, "style-name");
        if (!style.empty()) inside.list_style = style;
        ReadBlocks(child, inside);
        break;
      }
      case kTable:
        ReadTable(child, place.prefix + "t:" + std::to_string(++*place.tables), place.parent,
                  place.hidden);
        break;
      case kSection: {
        Place inside = place;
        if (inside.hidden.empty() && IsHiddenSection(tree_, child)) {
          inside.hidden = "hidden section";
        }
        ReadBlocks(child, inside);
        break;
      }
      case kTrackedChanges:
        ReadTrackedChanges(child);
        break;
      case kForms:
        break;
      case kAnnotation:
        ReadAnnotation(child, NextComment(), place.parent);
        break;
      default:
        if (IsDrawing(tree_, child)) {
          size_t number = counts_[place.prefix + "shape:"];
          ReadDrawing(child, place.prefix + "shape:" + std::to_string(++number), place.parent,
                      place.hidden);
          counts_[place.prefix + "shape:"] = number;
        } else {
          ReadBlocks(child, place);
        }
    }
  }
}

void BlockReader::ReadParagraph(uint32_t paragraph, Place& place) {
  const std::string number = std::to_string(++*place.paragraphs);
  Record record{.kind = "paragraph", .parent = place.parent, .hidden = place.hidden};
  record.locator = place.prefix + (naming_ == Naming::kSlide ? "p[" + number + "]" : "p:" + number);
  record.span = ByteSpan{tree_[paragraph].begin, tree_[paragraph].end};
  const ParagraphContent content = odf::ReadParagraph(tree_, paragraph);
  record.text = content.text;
  context_.styles->Describe("paragraph", tree_.AttributeText(paragraph, "style-name"),
                            record.attrs);
  if (tree_[paragraph].name == kHeading) {
    record.attrs.Set("level", RepeatCount(tree_, paragraph, "outline-level"));
  }
  if (place.list_level > 0) record.attrs.Set("list_level", place.list_level);
  AddFormats(content, record);
  AddMarks(content, record);
  AddChanges(content, record);
  const std::string locator = record.locator;
  const std::string hidden = record.hidden;
  if (Add(std::move(record), paragraph)) ReadAnchored(content, locator, hidden);
}

void BlockReader::AddFormats(const ParagraphContent& content, Record& record) const {
  Value::Array runs;
  bool is_all_hidden = !content.spans.empty();
  size_t covered = 0;
  for (const StyledSpan& span : content.spans) {
    const Value::Object format = context_.styles->TextFormat(span.style);
    covered += span.end - span.begin;
    const Value value{format};
    is_all_hidden = is_all_hidden && value.FindString("display") == "none";
    if (format.empty()) continue;
    Value::Object run = Range(span.begin, span.end);
    run.insert(run.end(), format.begin(), format.end());
    runs.emplace_back(std::move(run));
  }
  if (is_all_hidden && covered == content.text.size() && record.hidden.empty()) {
    record.hidden = "hidden text";
  }
  SetArray(record.attrs, "runs", std::move(runs));
}

std::string BlockReader::NextComment() { return story_ + "cm:" + std::to_string(++counts_["cm:"]); }

std::string BlockReader::NoteLocator(uint32_t note) const {
  const bool is_endnote = tree_.Attribute(note, "note-class").value_or("") == "endnote";
  std::string id = tree_.AttributeText(note, "id");
  std::erase_if(id, [](char c) { return c == '/' || c == ':'; });
  const std::string kind = is_endnote ? "en:" : "fn:";
  if (id.empty()) id = "?" + std::to_string(tree_[note].begin);
  return story_ + kind + id;
}

void BlockReader::AddMarks(const ParagraphContent& content, Record& record) const {
  Value::Array links;
  for (const InlineMark& mark : content.links) {
    Value::Object value = Range(mark.begin, mark.end);
    value.emplace_back("target", tree_.AttributeText(mark.node, "href"));
    links.emplace_back(std::move(value));
  }
  SetArray(record.attrs, "links", std::move(links));
  Value::Array fields;
  for (const InlineMark& mark : content.fields) {
    Value::Object value = Range(mark.begin, mark.end);
    value.emplace_back("type", tree_.LocalName(mark.node));
    const std::string name = tree_.AttributeText(mark.node, "name");
    if (!name.empty()) value.emplace_back("name", name);
    fields.emplace_back(std::move(value));
  }
  SetArray(record.attrs, "fields", std::move(fields));
  Value::Array bookmarks;
  for (const InlineMark& mark : content.bookmarks) {
    const std::string_view kind = tree_.LocalName(mark.node);
    if (kind.ends_with("-end")) continue;
    bookmarks.emplace_back(Value::Object{{"name", tree_.AttributeText(mark.node, "name")},
                                         {"start", Offset(mark.begin)}});
  }
  SetArray(record.attrs, "bookmarks", std::move(bookmarks));
  Value::Array notes;
  for (const InlineMark& mark : content.notes) {
    notes.emplace_back(Value::Object{{"note", NoteLocator(mark.node)}, {"at", Offset(mark.begin)}});
  }
  SetArray(record.attrs, "notes", std::move(notes));
  Value::Array rubies;
  for (const InlineMark& mark : content.rubies) {
    Value::Object value = Range(mark.begin, mark.end);
    const uint32_t text = tree_.Child(mark.node, kRubyText);
    if (text != XmlTree::kNone) value.emplace_back("text", tree_.Text(text));
    rubies.emplace_back(std::move(value));
  }
  SetArray(record.attrs, "ruby", std::move(rubies));
}

void BlockReader::AddChanges(const ParagraphContent& content, Record& record) const {
  Value::Array changes;
  for (const InlineMark& mark : content.changes) {
    const std::string id = tree_.AttributeText(mark.node, "change-id");
    if (tree_[mark.node].name == kChangeEnd) {
      const auto open = std::find_if(changes.rbegin(), changes.rend(), [&](const Value& change) {
        return change.FindString("id") == id && change.Find("end") == nullptr;
      });
      if (open != changes.rend()) {
        open->Set("end", Offset(mark.begin));
      } else {
        changes.emplace_back(Value::Object{{"id", id}, {"end", Offset(mark.begin)}});
      }
      continue;
    }
    Value::Object value{{"id", id}, {"start", Offset(mark.begin)}};
    const auto known = context_.changes.find(id);
    if (known != context_.changes.end()) {
      value.emplace_back("type", known->second.type);
      value.emplace_back("author", known->second.author);
      value.emplace_back("date", known->second.date);
    }
    changes.emplace_back(std::move(value));
  }
  SetArray(record.attrs, "revisions", std::move(changes));
}

void BlockReader::ReadAnchored(const ParagraphContent& content, const std::string& locator,
                               const std::string& hidden) {
  for (const InlineMark& mark : content.annotations) {
    ReadAnnotation(mark.node, NextComment(), locator);
  }
  size_t number = 0;
  for (const uint32_t drawing : content.drawings) {
    ReadDrawing(drawing, locator + "/shape:" + std::to_string(++number), locator, hidden);
  }
  for (const InlineMark& mark : content.notes) {
    Record record{.kind = "note", .locator = Unique(NoteLocator(mark.node))};
    record.parent = locator;
    record.hidden = hidden;
    const uint32_t citation = tree_.Child(mark.node, kNoteCitation);
    if (citation != XmlTree::kNone) record.text = tree_.Text(citation);
    const std::string note = record.locator;
    if (Add(std::move(record), mark.node)) {
      ReadAll(tree_.Child(mark.node, kNoteBody), note + "/", note, hidden);
    }
  }
}

void BlockReader::ReadAnnotation(uint32_t annotation, const std::string& locator,
                                 const std::string& parent) {
  Record record{.kind = "comment", .locator = locator, .parent = parent, .hidden = "comment"};
  for (const auto& [name, attribute] : {std::pair(kCreator, "author"), std::pair(kDate, "date")}) {
    const uint32_t child = tree_.Child(annotation, name);
    if (child != XmlTree::kNone) record.attrs.Set(attribute, tree_.Text(child));
  }
  record.key = tree_.AttributeText(annotation, "name");
  record.span = ByteSpan{tree_[annotation].begin, tree_[annotation].end};
  if (Add(std::move(record), annotation)) ReadAll(annotation, locator + "/", locator, "comment");
}

void BlockReader::ReadTrackedChanges(uint32_t tracked) {
  for (uint32_t region = tree_.FirstChild(tracked); region != XmlTree::kNone;
       region = tree_.NextSibling(region)) {
    if (tree_[region].name != kChangedRegion) continue;
    const uint32_t deletion = tree_.Child(region, kDeletion);
    if (deletion == XmlTree::kNone) continue;
    std::string id = tree_.AttributeText(region, "id");
    std::erase_if(id, [](char c) { return c == '/'; });
    Record record{.kind = "revision", .locator = Unique(story_ + "rev:" + id)};
    record.hidden = "tracked deletion";
    record.span = ByteSpan{tree_[region].begin, tree_[region].end};
    const auto known = context_.changes.find(id);
    if (known != context_.changes.end()) {
      record.attrs.Set("type", known->second.type);
      record.attrs.Set("author", known->second.author);
      record.attrs.Set("date", known->second.date);
    }
    for (uint32_t node = deletion + 1; node < tree_[deletion].subtree_end; ++node) {
      if (tree_[node].name != kParagraph && tree_[node].name != kHeading) continue;
      if (!record.text.empty()) record.text += '\n';
      record.text += odf::ReadParagraph(tree_, node).text;
    }
    if (!Add(std::move(record), region)) return;
  }
}

void BlockReader::ReadTable(uint32_t table, const std::string& path, const std::string& parent,
                            const std::string& hidden) {
  std::string locator = parent;
  if (!path.ends_with("/t")) {  // the table of a slide's frame has the frame's record
    Record record{.kind = "table", .locator = path, .parent = parent, .hidden = hidden};
    record.text = tree_.AttributeText(table, "name");
    context_.styles->Describe("table", tree_.AttributeText(table, "style-name"), record.attrs);
    record.span = ByteSpan{tree_[table].begin, tree_[table].end};
    if (!Add(std::move(record), table)) return;
    locator = path;
  }
  size_t row_number = 0;
  ReadRows(table, path, locator, hidden, row_number);
}

void BlockReader::ReadRows(uint32_t element, const std::string& path, const std::string& table,
                           const std::string& hidden, size_t& row_number) {
  for (uint32_t child = tree_.FirstChild(element); child != XmlTree::kNone && !blocks_.is_truncated;
       child = tree_.NextSibling(child)) {
    if (!tree_.IsElement(child)) continue;
    if (tree_[child].name != kTableRow) {  // header rows, groups
      if (tree_[child].group == kTableGroup) ReadRows(child, path, table, hidden, row_number);
      continue;
    }
    const uint32_t repeated = RepeatCount(tree_, child, "number-rows-repeated");
    Record record{.kind = "row", .locator = path + "/r:" + std::to_string(row_number + 1)};
    row_number += repeated;
    record.parent = table;
    record.hidden = hidden;
    if (repeated > 1) record.attrs.Set("repeated", repeated);
    const std::string locator = record.locator;
    if (Add(std::move(record), child)) ReadRow(child, locator, hidden, repeated);
  }
}

void BlockReader::ReadRow(uint32_t row, const std::string& path, const std::string& hidden,
                          uint32_t repeated) {
  size_t column = 0;
  for (uint32_t cell = tree_.FirstChild(row); cell != XmlTree::kNone && !blocks_.is_truncated;
       cell = tree_.NextSibling(cell)) {
    const uint16_t name = tree_[cell].name;
    if (name != kTableCell && name != kCoveredCell) continue;
    const uint32_t columns = RepeatCount(tree_, cell, "number-columns-repeated");
    Record record{.kind = "cell", .locator = path + "/c:" + std::to_string(column + 1)};
    column += columns;
    if (name == kCoveredCell && tree_.FirstChild(cell) == XmlTree::kNone) continue;
    record.parent = path;
    record.hidden = hidden;
    if (name == kCoveredCell && hidden.empty()) record.hidden = "covered by a merged cell";
    if (columns > 1 || repeated > 1) record.attrs.Set("repeated", columns);
    for (const auto& [attribute, member] : {std::pair("number-columns-spanned", "column_span"),
                                            std::pair("number-rows-spanned", "row_span")}) {
      const uint32_t span = RepeatCount(tree_, cell, attribute);
      if (span > 1) record.attrs.Set(member, span);
    }
    context_.styles->Describe("table-cell", tree_.AttributeText(cell, "style-name"), record.attrs);
    const std::string formula = tree_.AttributeText(cell, "formula");
    if (!formula.empty()) record.attrs.Set("formula", formula);
    const std::string locator = record.locator;
    const std::string reason = record.hidden;
    if (Add(std::move(record), cell)) ReadAll(cell, locator + "/", locator, reason);
  }
}

std::string BlockReader::DrawingKind(uint32_t drawing) const {
  if (tree_[drawing].name == kGroup) return "group";
  if (tree_[drawing].name != kFrame) return "shape";
  for (uint32_t child = tree_.FirstChild(drawing); child != XmlTree::kNone;
       child = tree_.NextSibling(child)) {
    switch (tree_[child].name) {
      case kTextBox:
        return "shape";
      case kImage:
        return "image";
      case kObject:
        return "object";
      case kTable:
        return "table";
      default:
        break;
    }
  }
  return "shape";
}

void BlockReader::DescribeDrawing(uint32_t drawing, Record& record) const {
  Value::Object geometry;
  for (const std::string_view name :
       {"x", "y", "width", "height", "x1", "y1", "x2", "y2", "transform", "anchor-type"}) {
    std::string value = tree_.AttributeText(drawing, name);
    if (!value.empty()) geometry.emplace_back(std::string(name), std::move(value));
  }
  if (!geometry.empty()) record.attrs.Set("geometry", std::move(geometry));
  if (tree_[drawing].name != kFrame) record.attrs.Set("type", tree_.LocalName(drawing));
  const std::string name = tree_.AttributeText(drawing, "name");
  if (!name.empty()) record.attrs.Set("name", name);
  const std::string placeholder = tree_.AttributeText(drawing, "class");
  if (!placeholder.empty()) record.attrs.Set("placeholder", placeholder);
  const char* family = naming_ == Naming::kSlide ? "presentation" : "graphic";
  context_.styles->Describe(family, tree_.AttributeText(drawing, "style-name"), record.attrs);
  for (const auto& [child_name, attribute] :
       {std::pair(kDrawTitle, "title"), std::pair(kDrawDescription, "alt_text")}) {
    const uint32_t child = tree_.Child(drawing, child_name);
    if (child != XmlTree::kNone) record.attrs.Set(attribute, tree_.Text(child));
  }
  for (uint32_t child = tree_.FirstChild(drawing); child != XmlTree::kNone;
       child = tree_.NextSibling(child)) {
    const uint16_t of = tree_[child].name;
    if ((of != kImage && of != kObject) || record.attrs.Find("target") != nullptr) continue;
    const std::string target = tree_.AttributeText(child, "href");
    if (target.empty()) {
      record.attrs.Set("digest", XmlDigest(tree_, child));
      continue;
    }
    record.attrs.Set("target", target);
    const std::string part = PartOfReference(target);
    const std::string digest = part.empty() ? "" : context_.digest(part);
    if (digest.empty()) continue;
    record.attrs.Set("part", part);
    record.attrs.Set("digest", digest);
  }
  record.key = tree_.AttributeText(drawing, "id");
  record.span = ByteSpan{tree_[drawing].begin, tree_[drawing].end};
}

void BlockReader::ReadDrawing(uint32_t drawing, const std::string& locator,
                              const std::string& parent, const std::string& hidden) {
  Record record{.kind = DrawingKind(drawing), .locator = locator, .parent = parent};
  record.hidden = hidden;
  DescribeDrawing(drawing, record);
  if (record.hidden.empty() && tree_.AttributeText(drawing, "display") == "none") {
    record.hidden = "hidden shape";
  }
  const std::string reason = record.hidden;
  if (!Add(std::move(record), drawing)) return;
  if (tree_[drawing].name == kGroup) {
    size_t number = 0;
    ReadDrawings(drawing, locator, "/shape:", locator, reason, number);
    return;
  }
  uint32_t holder = drawing;
  for (uint32_t child = tree_.FirstChild(drawing); child != XmlTree::kNone;
       child = tree_.NextSibling(child)) {
    if (tree_[child].name == kTextBox) holder = child;
    if (tree_[child].name == kTable && naming_ == Naming::kSlide) {
      return ReadTable(child, locator + "/t", locator, reason);
    }
  }
  ReadAll(holder, locator + "/", locator, reason);
}

void BlockReader::ReadDrawings(uint32_t element, const std::string& prefix, const std::string& name,
                               const std::string& parent, const std::string& hidden,
                               size_t& number) {
  for (uint32_t child = tree_.FirstChild(element); child != XmlTree::kNone && !blocks_.is_truncated;
       child = tree_.NextSibling(child)) {
    if (!tree_.IsElement(child) || tree_[child].name == kNotes) continue;
    if (IsDrawing(tree_, child)) {
      const std::string ordinal = std::to_string(++number);
      ReadDrawing(child, prefix + name + ordinal + (name.ends_with("[") ? "]" : ""), parent,
                  hidden);
    } else if (tree_[child].group == kDrawGroup || tree_[child].group == kOfficeGroup) {
      if (tree_[child].name == kAnnotation) {
        ReadAnnotation(child, prefix + "/comment[" + std::to_string(++counts_[prefix + "cm"]) + "]",
                       parent);
      } else {
        ReadDrawings(child, prefix, name, parent, hidden, number);
      }
    }
  }
}

void BlockReader::ReadShapes(uint32_t page, const std::string& prefix, const std::string& parent,
                             const std::string& hidden) {
  size_t number = 0;
  ReadDrawings(page, prefix, "/shape[", parent, hidden, number);
}

}  // namespace staged::odf
