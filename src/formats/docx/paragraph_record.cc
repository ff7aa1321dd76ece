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

bool IsHidden(const Value::Object& format) {
  for (const Value::Member& member : format) {
    if (member.first == "hidden" && member.second == Value(true)) return true;
  }
  return false;
}

void AddArray(Value::Object& attrs, std::string_view name, Value::Array array) {
  if (!array.empty()) attrs.emplace_back(name, std::move(array));
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

void ParagraphRecord::Fill(uint32_t paragraph, const ParagraphFormat& format,
                           const InlineContent& content, const std::string& label, Record& record) {
  record.text = content.text;
  revisions_.clear();
  Value::Object attrs;
  AddStyle(format, label, attrs);
  std::string paragraph_id = tree_.AttributeText(paragraph, "paraId");
  if (!paragraph_id.empty()) attrs.emplace_back("para_id", std::move(paragraph_id));
  AddRuns(content, record, attrs);
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

void ParagraphRecord::AddRuns(const InlineContent& content, Record& record, Value::Object& attrs) {
  struct Span {
    size_t begin, end, format;
  };
  std::vector<Span> spans;
  bool all_hidden = !content.formats.empty();
  for (const FormatSpan& span : content.formats) {
    const size_t format = formats_.Character(span.properties);
    all_hidden = all_hidden && IsHidden(formats_.character(format));
    if (!spans.empty() && spans.back().format == format && spans.back().end == span.begin) {
      spans.back().end = span.end;
    } else {
      spans.push_back({span.begin, span.end, format});
    }
  }
  if (all_hidden && record.hidden.empty()) record.hidden = "hidden text";
  Value::Array runs;
  for (const Span& span : spans) {
    const Value::Object& format = formats_.character(span.format);
    if (format.empty()) continue;
    Value::Object run = RangeValue(span.begin, span.end);
    run.insert(run.end(), format.begin(), format.end());
    runs.emplace_back(std::move(run));
  }
  AddArray(attrs, "runs", std::move(runs));
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
}

void ParagraphRecord::AddMarkers(const InlineContent& content, Value::Object& attrs) {
  struct Bookmark {
    std::string id;
    Value::Object value;
  };
  std::vector<Bookmark> bookmarks;
  std::vector<Bookmark> comments;
  Value::Array notes;
  Value::Array forms;
  const auto find_open = [](std::vector<Bookmark>& items, const std::string& id) -> Bookmark* {
    constexpr size_t kLookBackMax = 64;  // ends stand near their starts
    const size_t stop = items.size() > kLookBackMax ? items.size() - kLookBackMax : 0;
    for (size_t i = items.size(); i > stop; --i) {
      if (items[i - 1].id == id) return &items[i - 1];
    }
    return nullptr;
  };
  for (const InlineMarker& marker : content.markers) {
    const uint16_t name = tree_[marker.node].name;
    std::string id = tree_.AttributeText(marker.node, "id");
    if (name == kBookmarkStart) {
      std::string bookmark = tree_.AttributeText(marker.node, "name");
      if (bookmark == "_GoBack") continue;  // where the last editor stood
      bookmarks.push_back({std::move(id), {{"name", bookmark}, {"start", Offset(marker.at)}}});
    } else if (name == kBookmarkEnd) {
      if (Bookmark* open = find_open(bookmarks, id)) {
        open->value.emplace_back("end", Offset(marker.at));
      }
    } else if (name == kCommentRangeStart) {
      comments.push_back({id, {{"id", id}, {"start", Offset(marker.at)}}});
    } else if (name == kCommentRangeEnd) {
      if (Bookmark* open = find_open(comments, id)) {
        open->value.emplace_back("end", Offset(marker.at));
      } else {
        comments.push_back({id, {{"id", id}, {"end", Offset(marker.at)}}});
      }
    } else if (name == kCommentReference) {
      if (find_open(comments, id) == nullptr) {
        comments.push_back({id, {{"id", id}, {"at", Offset(marker.at)}}});
      }
    } else if (name == kFootnoteReference || name == kEndnoteReference) {
      const char* kind = name == kFootnoteReference ? "fn:" : "en:";
      notes.emplace_back(Value::Object{{"note", kind + id}, {"at", Offset(marker.at)}});
    } else if (name == kFieldCharacter) {
      const uint32_t form = tree_.Child(marker.node, kFormFieldData);
      forms.emplace_back(Value::Object{{"at", Offset(marker.at)}, {"field", Summary(tree_, form)}});
    }
  }
  Value::Array array;
  for (Bookmark& item : bookmarks) array.emplace_back(std::move(item.value));
  AddArray(attrs, "bookmarks", std::move(array));
  array = {};
  for (Bookmark& item : comments) array.emplace_back(std::move(item.value));
  AddArray(attrs, "comments", std::move(array));
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
  if (revision.type.ends_with("format_change")) {
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
      if (node != XmlTree::kNone) revisions_.push_back({type, end, end, node, ""});
    };
    const uint32_t mark = tree_.Child(properties, kRunProperties);
    add(mark, kInserted, "paragraph_insertion");
    add(mark, kMovedTo, "paragraph_move_to");
    // In the accepted view such a paragraph runs on into the next one.
    add(mark, kDeleted, "paragraph_deletion");
    add(mark, kMovedFrom, "paragraph_move_from");
    add(mark, kRunPropertiesChange, "mark_format_change");
    add(properties, kParagraphPropertiesChange, "paragraph_format_change");
    add(tree_.Child(properties, kNumberingProperties), kInserted, "numbering_insertion");
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
