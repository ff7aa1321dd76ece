#include "formats/docx/paragraph_record.h"

#include <algorithm>

#include "formats/docx/word_names.h"

namespace staged::docx {
namespace {

Value Offset(size_t offset) { return Value(static_cast<int64_t>(offset)); }

Value::Object RangeValue(size_t begin, size_t end) {
  return {{"start", Offset(begin)}, {"end", Offset(end)}};
}

std::string Trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1));
}

// A bookmark or another range between two markers, by their native id.
struct MarkedRange {
  std::string id;
  Value::Object value;
};

MarkedRange* FindOpen(std::vector<MarkedRange>& items, const std::string& id) {
  constexpr size_t kLookBackMax = 64;  // ends stand near their starts
  const size_t stop = items.size() > kLookBackMax ? items.size() - kLookBackMax : 0;
  for (size_t i = items.size(); i > stop; --i) {
    if (items[i - 1].id == id) return &items[i - 1];
  }
  return nullptr;
}

bool IsBlank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

void AddArray(Value::Object& attrs, std::string_view name, Value::Array array) {
  if (!array.empty()) attrs.emplace_back(name, std::move(array));
}

void AddRangesOf(std::vector<MarkedRange>& ranges, std::string_view name, Value::Object& attrs) {
  Value::Array array;
  for (MarkedRange& range : ranges) array.emplace_back(std::move(range.value));
  AddArray(attrs, name, std::move(array));
}

}  // namespace

Value::Object ContentControlAttributes(const XmlTree& tree, uint32_t control) {
  Value::Object attrs;
  const uint32_t properties = tree.Child(control, kContentControlProperties);
  if (properties == XmlTree::kNone) return attrs;
  for (uint32_t child = tree.FirstChild(properties); child != XmlTree::kNone;
       child = tree.NextSibling(child)) {
    if (!tree.IsElement(child)) continue;
    const std::string_view name = tree.LocalName(child);
    if (name == "rPr" || name == "id" || name == "placeholder") continue;
    if (name == "alias" || name == "tag" || name == "lock") {
      attrs.emplace_back(std::string(name), tree.AttributeText(child, "val"));
    } else {
      attrs.emplace_back(std::string(name), Summary(tree, child));
    }
  }
  return attrs;
}

Value::Object MarkupTagAttributes(const XmlTree& tree, uint32_t tag) {
  Value::Object attrs;
  for (const std::string_view name : {"element", "uri"}) {
    std::string value = tree.AttributeText(tag, name);
    if (!value.empty()) attrs.emplace_back(name, std::move(value));
  }
  const uint32_t properties = tree.Child(tag, kMarkupTagProperties);
  if (properties == XmlTree::kNone) return attrs;
  Value::Object values;
  for (uint32_t child = tree.FirstChild(properties); child != XmlTree::kNone;
       child = tree.NextSibling(child)) {
    if (!tree.IsElement(child) || tree.LocalName(child) != "attr") continue;
    values.emplace_back(tree.AttributeText(child, "name"), tree.AttributeText(child, "val"));
  }
  if (!values.empty()) attrs.emplace_back("values", std::move(values));
  return attrs;
}

void ParagraphRecord::Fill(uint32_t paragraph, const ParagraphFormat& format,
                           const InlineContent& content, const std::string& label, Record& record) {
  record.text = content.text;
  revisions_.clear();
  Value::Object attrs;
  AddStyle(format, label, attrs);
  std::string paragraph_id = tree_.AttributeText(paragraph, "paraId");
  if (!paragraph_id.empty()) attrs.emplace_back("para_id", std::move(paragraph_id));
  AddRuns(format, content, record, attrs);
  AddRanges(content, attrs);
  AddMarkers(content, attrs);
  AddRevisions(paragraph, format, content, attrs);
  if (!attrs.empty()) record.attrs = Value(std::move(attrs));
}

void ParagraphRecord::AddStyle(const ParagraphFormat& format, const std::string& label,
                               Value::Object& attrs) {
  if (!format.style_id.empty()) {
    attrs.emplace_back("style", context_.styles->NameOf(format.style_id));
  }
  constexpr int kBodyText = 9;
  const int outline = format.outline_level.value_or(
      context_.styles->OutlineLevel(format.style_id).value_or(kBodyText));
  if (outline >= 0 && outline < kBodyText) attrs.emplace_back("level", outline + 1);
  if (!format.alignment.empty()) attrs.emplace_back("alignment", format.alignment);
  if (!label.empty()) attrs.emplace_back("label", label);
  if (format.numbering_id) attrs.emplace_back("list", *format.numbering_id);
  if (format.numbering_level) attrs.emplace_back("list_level", *format.numbering_level + 1);
  if (!format.properties.is_null()) attrs.emplace_back("properties", format.properties);
}

void ParagraphRecord::AddRuns(const ParagraphFormat& paragraph, const InlineContent& content,
                              Record& record, Value::Object& attrs) {
  struct Span {
    size_t begin, end, format;
  };
  std::vector<Span> spans;
  for (const FormatSpan& span : content.formats) {
    const size_t format = formats_.Character(span.properties);
    if (!spans.empty() && spans.back().format == format && spans.back().end == span.begin) {
      spans.back().end = span.end;
    } else {
      spans.push_back({span.begin, span.end, format});
    }
  }
  Appearance around = context_.styles->AppearanceOf(paragraph.style_id);
  around.has_ground |= paragraph.has_ground || context_.has_background;
  // Cells and text boxes have grounds of their own.
  const bool is_on_page = record.locator.find("/c:") == std::string::npos &&
                          record.locator.find("/box:") == std::string::npos;
  Value::Array runs;
  Value::Array hidden;
  std::string_view reason_of_all;
  bool is_all_hidden = !spans.empty();
  for (const Span& span : spans) {
    const std::string_view reason =
        HiddenReason(Over(formats_.appearance(span.format), around), is_on_page);
    if (!reason.empty()) {
      Value::Object value = RangeValue(span.begin, span.end);
      value.emplace_back("reason", std::string(reason));
      hidden.emplace_back(std::move(value));
      if (reason_of_all.empty()) reason_of_all = reason;
    } else if (!IsBlank(std::string_view(content.text).substr(span.begin, span.end - span.begin))) {
      is_all_hidden = false;
    }
    const Value::Object& format = formats_.character(span.format);
    if (format.empty()) continue;
    Value::Object run = RangeValue(span.begin, span.end);
    run.insert(run.end(), format.begin(), format.end());
    runs.emplace_back(std::move(run));
  }
  if (is_all_hidden && record.hidden.empty()) record.hidden = std::string(reason_of_all);
  AddArray(attrs, "runs", std::move(runs));
  AddArray(attrs, "hidden_text", std::move(hidden));
}

void ParagraphRecord::AddRanges(const InlineContent& content, Value::Object& attrs) {
  Value::Array links;
  for (const InlineRange& link : content.links) {
    Value::Object value = RangeValue(link.begin, link.end);
    const std::string anchor = tree_.AttributeText(link.node, "anchor");
    const std::string id = tree_.AttributeText(link.node, "id");
    const OpcRelationship* relationship = id.empty() ? nullptr : context_.relationships->Find(id);
    std::string target = relationship != nullptr ? relationship->target : "";
    if (!anchor.empty()) target += "#" + anchor;
    value.emplace_back("target", std::move(target));
    std::string tooltip = tree_.AttributeText(link.node, "tooltip");
    if (!tooltip.empty()) value.emplace_back("tooltip", std::move(tooltip));
    links.emplace_back(std::move(value));
  }
  AddArray(attrs, "links", std::move(links));
  Value::Array fields;
  for (const FieldRange& field : content.fields) {
    Value::Object value = RangeValue(field.begin, field.end);
    value.emplace_back("instruction", Trim(field.instruction));
    if (field.is_open) value.emplace_back("continues", true);
    fields.emplace_back(std::move(value));
  }
  AddArray(attrs, "fields", std::move(fields));
  Value::Array controls;
  for (const InlineRange& control : content.controls) {
    Value::Object value = RangeValue(control.begin, control.end);
    for (Value::Member& member : ContentControlAttributes(tree_, control.node)) {
      value.push_back(std::move(member));
    }
    controls.emplace_back(std::move(value));
  }
  AddArray(attrs, "controls", std::move(controls));
  Value::Array equations;
  for (const InlineRange& equation : content.equations) {
    equations.emplace_back(RangeValue(equation.begin, equation.end));
  }
  AddArray(attrs, "equations", std::move(equations));
  Value::Array rubies;
  for (const InlineRange& ruby : content.rubies) {
    Value::Object value = RangeValue(ruby.begin, ruby.end);
    const uint32_t text = tree_.Child(ruby.node, kRubyText);
    if (text != XmlTree::kNone) value.emplace_back("text", Trim(tree_.Text(text)));
    rubies.emplace_back(std::move(value));
  }
  AddArray(attrs, "ruby", std::move(rubies));
  Value::Array tags;
  for (const InlineRange& tag : content.tags) {
    Value::Object value = RangeValue(tag.begin, tag.end);
    for (Value::Member& member : MarkupTagAttributes(tree_, tag.node)) {
      value.push_back(std::move(member));
    }
    tags.emplace_back(std::move(value));
  }
  AddArray(attrs, "tags", std::move(tags));
}

void ParagraphRecord::AddMarkers(const InlineContent& content, Value::Object& attrs) {
  std::vector<MarkedRange> bookmarks;
  std::vector<MarkedRange> comments;
  std::vector<MarkedRange> permissions;
  Value::Array notes;
  Value::Array forms;
  for (const InlineMarker& marker : content.markers) {
    const uint16_t name = tree_[marker.node].name;
    std::string id = tree_.AttributeText(marker.node, "id");
    if (name == kBookmarkStart) {
      std::string bookmark = tree_.AttributeText(marker.node, "name");
      if (bookmark == "_GoBack") continue;  // where the last editor stood
      bookmarks.push_back({std::move(id), {{"name", bookmark}, {"start", Offset(marker.at)}}});
    } else if (name == kBookmarkEnd) {
      if (MarkedRange* open = FindOpen(bookmarks, id)) {
        open->value.emplace_back("end", Offset(marker.at));
      }
    } else if (name == kPermissionStart) {
      std::string who = tree_.AttributeText(marker.node, "ed");
      if (who.empty()) who = tree_.AttributeText(marker.node, "edGrp");
      permissions.push_back({std::move(id), {{"who", who}, {"start", Offset(marker.at)}}});
    } else if (name == kPermissionEnd) {
      if (MarkedRange* open = FindOpen(permissions, id)) {
        open->value.emplace_back("end", Offset(marker.at));
      }
    } else if (name == kCommentRangeStart) {
      comments.push_back({id, {{"id", id}, {"start", Offset(marker.at)}}});
    } else if (name == kCommentRangeEnd) {
      if (MarkedRange* open = FindOpen(comments, id)) {
        open->value.emplace_back("end", Offset(marker.at));
      } else {
        comments.push_back({id, {{"id", id}, {"end", Offset(marker.at)}}});
      }
    } else if (name == kCommentReference) {
      if (FindOpen(comments, id) == nullptr) {
        comments.push_back({id, {{"id", id}, {"at", Offset(marker.at)}}});
      }
    } else if (name == kFootnoteReference || name == kEndnoteReference) {
      const char* kind = name == kFootnoteReference ? "fn:" : "en:";
      Value::Object note{{"note", kind + id}, {"at", Offset(marker.at)}};
      if (marker.is_deleted) note.emplace_back("deleted", true);
      notes.emplace_back(std::move(note));
    } else if (name == kFieldCharacter) {
      const uint32_t form = tree_.Child(marker.node, kFormFieldData);
      forms.emplace_back(Value::Object{{"at", Offset(marker.at)}, {"field", Summary(tree_, form)}});
    }
  }
  AddRangesOf(bookmarks, "bookmarks", attrs);
  AddRangesOf(comments, "comments", attrs);
  AddRangesOf(permissions, "permissions", attrs);
  AddArray(attrs, "notes", std::move(notes));
  AddArray(attrs, "forms", std::move(forms));
  Value::Array breaks;
  for (const InlineMarker& item : content.breaks) {
    breaks.emplace_back(
        Value::Object{{"type", tree_.AttributeText(item.node, "type")}, {"at", Offset(item.at)}});
  }
  AddArray(attrs, "breaks", std::move(breaks));
}

Value ParagraphRecord::RevisionValue(const Revision& revision, const std::string& text) const {
  Value::Object value{{"type", revision.type}};
  const std::string author = tree_.AttributeText(revision.node, "author");
  const std::string date = tree_.AttributeText(revision.node, "date");
  if (!author.empty()) value.emplace_back("author", author);
  if (!date.empty()) value.emplace_back("date", date);
  if (!revision.move_name.empty()) value.emplace_back("move", revision.move_name);
  value.emplace_back("start", Offset(revision.begin));
  if (revision.end > revision.begin) {
    value.emplace_back("end", Offset(revision.end));
    // The text stands in the paragraph; nested insertions must not multiply it without end.
    constexpr size_t kTextBytesMax = 64 << 10;
    value.emplace_back("text", text.substr(revision.begin,
                                           std::min(revision.end - revision.begin, kTextBytesMax)));
  } else if (!revision.deleted_text.empty()) {
    value.emplace_back("text", revision.deleted_text);
  }
  if (revision.type == "numbering_change") {
    value.emplace_back("before", tree_.AttributeText(revision.node, "original"));
  } else if (revision.type.ends_with("format_change")) {
    const uint32_t before = tree_.FirstChild(revision.node);
    if (before != XmlTree::kNone && tree_.IsElement(before)) {
      value.emplace_back("before", Summary(tree_, before));
    }
  }
  return Value(std::move(value));
}

void ParagraphRecord::AddRevisions(uint32_t paragraph, const ParagraphFormat& format,
                                   const InlineContent& content, Value::Object& attrs) {
  for (const Revision& revision : content.revisions) {
    if (!revisions_.empty()) {
      Revision& last = revisions_.back();
      const bool is_same =
          last.type == revision.type && last.end == revision.begin &&
          last.move_name == revision.move_name && !revision.type.starts_with("control_") &&
          tree_.Attribute(last.node, "author") == tree_.Attribute(revision.node, "author") &&
          tree_.Attribute(last.node, "date") == tree_.Attribute(revision.node, "date");
      if (is_same && !revision.type.ends_with("format_change")) {
        last.end = revision.end;
        last.deleted_text += revision.deleted_text;
        continue;
      }
    }
    revisions_.push_back(revision);
  }
  if (format.has_details) {
    const uint32_t properties = tree_.Child(paragraph, kParagraphProperties);
    const size_t end = content.text.size();
    const auto add = [&](uint32_t parent, uint16_t name, std::string_view type) {
      const uint32_t node = tree_.Child(parent, name);
      if (node != XmlTree::kNone) revisions_.push_back({type, end, end, node, "", ""});
    };
    const uint32_t mark = tree_.Child(properties, kRunProperties);
    add(mark, kInserted, "paragraph_insertion");
    add(mark, kMovedTo, "paragraph_move_to");
    // In the accepted view such a paragraph runs on into the next one.
    add(mark, kDeleted, "paragraph_deletion");
    add(mark, kMovedFrom, "paragraph_move_from");
    add(mark, kRunPropertiesChange, "mark_format_change");
    add(properties, kParagraphPropertiesChange, "paragraph_format_change");
    const uint32_t numbering = tree_.Child(properties, kNumberingProperties);
    add(numbering, kInserted, "numbering_insertion");
    add(numbering, kNumberingChange, "numbering_change");
    if (tree_.Child(properties, kSectionProperties) != XmlTree::kNone) {
      attrs.emplace_back("section_break", true);
    }
  }
  Value::Array revisions;
  for (const Revision& revision : revisions_) {
    revisions.push_back(RevisionValue(revision, content.text));
  }
  AddArray(attrs, "revisions", std::move(revisions));
}

}  // namespace staged::docx
