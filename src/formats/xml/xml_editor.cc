#include "formats/xml/xml_editor.h"

#include <algorithm>

namespace staged {
namespace {

Status Refused(std::string_view what) {
  return Status(ErrorCode::kUnsupportedEdit,
                std::string(what) + "; edit its lines instead, such as line:3");
}

// XML 1.0, section 2.3, of ASCII; other characters are taken as they are.
bool IsName(std::string_view name) {
  const auto is_start = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' ||
           static_cast<uint8_t>(c) >= 0x80;
  };
  return !name.empty() && is_start(name.front()) &&
         std::all_of(name.begin(), name.end(), [&](char c) {
           return is_start(c) || (c >= '0' && c <= '9') || c == '-' || c == '.';
         });
}

Result<std::string> TextOf(const Edit& edit) {
  const Value* value = edit.arguments.Find("text");
  if (value == nullptr) value = edit.arguments.Find("value");
  if (value != nullptr && value->is_integer()) return std::to_string(value->as_integer());
  if (value != nullptr && value->is_bool()) return std::string(value->as_bool() ? "true" : "false");
  if (value != nullptr && value->is_string()) return value->as_string();
  return Status(ErrorCode::kInvalidArgument,
                "the edit '" + edit.op + "' at '" + edit.locator + "' needs a string \"value\"");
}

Status CheckHolds(const Edit& edit, std::string_view text) {
  if (XmlCanHold(text)) return OkStatus();
  return Status(ErrorCode::kInvalidArgument,
                "XML cannot hold the control characters of the edit at '" + edit.locator +
                    "'; leave them out");
}

// White space between elements is layout, so that texts are compared without it.
std::string WithoutSpace(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view(" \t\r\n").find(c) == std::string_view::npos) out.push_back(c);
  }
  return out;
}

}  // namespace

XmlEditor::XmlEditor(std::string_view bytes, const Limits& limits)
    : limits_(limits),
      editor_(bytes),
      text_(editor_.text()),
      document_(ReadXmlDocument(text_, limits)),
      newline_(NewlineBytes(editor_.lines().dominant())) {}

Status XmlEditor::Plan(const Edit& edit) {
  if (TextEditor::Handles(edit)) {
    has_line_edits_ = true;
    return editor_.Plan(edit);
  }
  if (!document_.error.ok()) {
    return Status(ErrorCode::kParseFailed,
                  "the file is not well-formed XML that can be written; mend it by its lines or "
                  "write the whole file");
  }
  has_path_edits_ = true;
  const bool is_new_attribute = edit.op == "set" && document_.Find(edit.locator) == nullptr &&
                                edit.locator.find("/@") != std::string::npos;
  if (is_new_attribute) return AddAttribute(edit);
  STAGED_ASSIGN_OR_RETURN(const uint32_t index, Find(edit.locator));
  const XmlPart& part = document_.parts[index];
  STAGED_RETURN_IF_ERROR(CheckExpectedText(edit, part.text));
  if (edit.op == "set" || edit.op == "replace_text") return PlanText(edit, index);
  if (edit.op == "insert_before" || edit.op == "insert_after") return PlanInsert(edit, index);
  if (edit.op == "append") return PlanAppend(edit, index);
  if (edit.op == "delete") return PlanDelete(index);
  if (edit.op == "rename") return PlanRename(edit, index);
  return Status(ErrorCode::kUnsupportedEdit,
                "XML cannot be edited with '" + edit.op +
                    "'; use set, replace_text, append, insert_before, insert_after, delete, "
                    "rename, or edit lines");
}

Result<uint32_t> XmlEditor::Find(std::string_view locator) const {
  const XmlPart* part = document_.Find(locator);
  if (part != nullptr) return static_cast<uint32_t>(part - document_.parts.data());
  return Status(
      ErrorCode::kNoMatch,
      "there is nothing at '" + std::string(locator) +
          "'; write an element path such as /a/b[2]/@id, or parse the file for its paths");
}

uint64_t XmlEditor::TagEnd(const XmlPart& element) const {
  return element.content_begin - (element.is_empty ? 2 : 1);
}

std::string XmlEditor::LineIndent(uint64_t offset) const {
  const uint64_t line = editor_.lines().Span(editor_.lines().LineOf(offset)).begin;
  const size_t end = std::min(text_.find_first_not_of(" \t", line), text_.size());
  return std::string(text_.substr(line, end - line));
}

bool XmlEditor::IsOnOwnLines(const XmlPart& part) const {
  const uint64_t line = editor_.lines().Span(editor_.lines().LineOf(part.begin)).begin;
  const size_t next = std::min(text_.find_first_not_of(" \t", part.end), text_.size());
  const bool begins =
      text_.substr(line, part.begin - line).find_first_not_of(" \t") == std::string_view::npos;
  return begins && (next == text_.size() || text_[next] == '\n' || text_[next] == '\r');
}

Status XmlEditor::PlanText(const Edit& edit, uint32_t index) {
  const XmlPart& part = document_.parts[index];
  if (part.kind == XmlPartKind::kInstruction || part.kind == XmlPartKind::kDoctype) {
    return Refused("declarations and instructions are not edited");
  }
  if (part.kind == XmlPartKind::kElement && part.has_children) {
    return Status(ErrorCode::kUnsupportedEdit,
                  "'" + edit.locator + "' has children; edit those, or its text()");
  }
  if (edit.op == "set") {
    STAGED_ASSIGN_OR_RETURN(const std::string text, TextOf(edit));
    return SetText(edit, index, text);
  }
  TextEditor text(part.text);
  STAGED_RETURN_IF_ERROR(text.ReplaceText(edit, {0, text.text().size()}));
  STAGED_ASSIGN_OR_RETURN(const std::string replaced, text.Finish());
  return SetText(edit, index, replaced);
}

// A text's line feeds as the file writes its own.
std::string XmlEditor::InNewlines(const std::string& text) const {
  return WithNewlines(text, editor_.lines().dominant());
}

Status XmlEditor::SetText(const Edit& edit, uint32_t index, const std::string& text) {
  STAGED_RETURN_IF_ERROR(CheckHolds(edit, text));
  const XmlPart& part = document_.parts[index];
  texts_[index] = text;
  const ByteSpan span{part.content_begin, part.content_end};
  if (part.kind == XmlPartKind::kAttribute) {
    return editor_.Replace(span, XmlEscapeAttribute(text));
  }
  if (part.kind == XmlPartKind::kComment) {
    if (text.find("--") != std::string::npos || text.ends_with('-')) {
      return Status(ErrorCode::kInvalidArgument, "a comment of XML cannot have -- inside");
    }
    return editor_.Replace(span, InNewlines(text));
  }
  const bool stays_cdata = part.is_cdata && text.find("]]>") == std::string::npos;
  std::string content = InNewlines(stays_cdata ? "<![CDATA[" + text + "]]>" : XmlEscapeText(text));
  if (!part.is_empty) return editor_.Replace(span, std::move(content));
  if (text.empty()) return OkStatus();
  const uint64_t begin = text_.find_last_not_of(" \t\r\n", TagEnd(part) - 1) + 1;
  return editor_.Replace({begin, part.end}, ">" + content + "</" + part.name + ">");
}

Status XmlEditor::AddAttribute(const Edit& edit) {
  const size_t slash = edit.locator.rfind("/@");
  STAGED_ASSIGN_OR_RETURN(const uint32_t index, Find(edit.locator.substr(0, slash)));
  STAGED_ASSIGN_OR_RETURN(const std::string text, TextOf(edit));
  STAGED_RETURN_IF_ERROR(CheckHolds(edit, text));
  const std::string name = edit.locator.substr(slash + 2);
  const XmlPart& element = document_.parts[index];
  if (!IsName(name) || element.kind != XmlPartKind::kElement) {
    return Status(ErrorCode::kInvalidArgument,
                  "'" + edit.locator + "' is no place for an attribute");
  }
  if (edit.expect && !edit.expect->is_null()) {
    return Status(ErrorCode::kNoMatch,
                  "there is nothing at '" + edit.locator + "', but the edit expects a value");
  }
  new_attributes_[index].push_back(name + "=" + WithoutSpace(text));
  const uint64_t at = text_.find_last_not_of(" \t\r\n", TagEnd(element) - 1) + 1;
  return editor_.Replace({at, at}, " " + name + "=\"" + XmlEscapeAttribute(text) + "\"");
}

Result<std::string> XmlEditor::NewElement(const Edit& edit) const {
  if (edit.arguments.Find("xml") != nullptr) {
    STAGED_ASSIGN_OR_RETURN(std::string xml, TextArgument(edit, "xml"));
    const XmlDocument fragment = ReadXmlDocument(xml, limits_);
    const bool is_element = fragment.error.ok() && !fragment.parts.empty() &&
                            fragment.parts[0].kind == XmlPartKind::kElement &&
                            fragment.parts[0].begin == 0 && fragment.parts[0].end == xml.size();
    if (is_element) return xml;
    return Status(ErrorCode::kInvalidArgument,
                  "\"xml\" of the edit at '" + edit.locator + "' must be one well-formed element");
  }
  STAGED_ASSIGN_OR_RETURN(const std::string name, TextArgument(edit, "name"));
  std::string out = "<" + name;
  const Value* attributes = edit.arguments.Find("attributes");
  if (attributes != nullptr && attributes->is_object()) {
    for (const auto& [key, value] : attributes->as_object()) {
      if (!IsName(key) || !value.is_string() || !XmlCanHold(value.as_string())) {
        return Status(ErrorCode::kInvalidArgument, "'" + key + "' is no attribute of XML");
      }
      out += " " + key + "=\"" + XmlEscapeAttribute(value.as_string()) + "\"";
    }
  }
  const bool has_text = edit.arguments.Find("text") != nullptr;
  std::string text;
  if (has_text) {
    STAGED_ASSIGN_OR_RETURN(text, TextArgument(edit, "text"));
  }
  STAGED_RETURN_IF_ERROR(CheckHolds(edit, text));
  if (!IsName(name)) {
    return Status(ErrorCode::kInvalidArgument, "'" + name + "' is no name of an element");
  }
  return out + (text.empty() ? "/>" : ">" + XmlEscapeText(text) + "</" + name + ">");
}

Status XmlEditor::PlanInsert(const Edit& edit, uint32_t index) {
  const XmlPart& part = document_.parts[index];
  if (part.parent == XmlPart::kNone || part.kind == XmlPartKind::kAttribute) {
    return Refused("a new element needs a place inside the root element");
  }
  STAGED_ASSIGN_OR_RETURN(std::string element, NewElement(edit));
  const bool is_before = edit.op == "insert_before";
  const uint32_t next = is_before ? index : part.subtree_end;
  if (next < document_.parts[part.parent].subtree_end) {
    inserted_[next].push_back(element);
  } else {
    appended_[part.parent].push_back(element);
  }
  if (IsOnOwnLines(part)) {
    const std::string line = newline_ + LineIndent(part.begin);
    element = is_before ? element + line : line + element;
  }
  const uint64_t at = is_before ? part.begin : part.end;
  return editor_.Replace({at, at}, std::move(element));
}

Status XmlEditor::PlanAppend(const Edit& edit, uint32_t index) {
  const XmlPart& part = document_.parts[index];
  if (part.kind != XmlPartKind::kElement) return Refused("only an element takes children");
  STAGED_ASSIGN_OR_RETURN(std::string element, NewElement(edit));
  appended_[index].push_back(element);
  if (part.is_empty) {
    const uint64_t begin = text_.find_last_not_of(" \t\r\n", TagEnd(part) - 1) + 1;
    return editor_.Replace({begin, part.end}, ">" + element + "</" + part.name + ">");
  }
  const XmlPart* last = nullptr;
  for (uint32_t child = index + 1; child < part.subtree_end;
       child = document_.parts[child].subtree_end) {
    if (document_.parts[child].kind != XmlPartKind::kAttribute) last = &document_.parts[child];
  }
  uint64_t at = part.content_end;
  if (last != nullptr && IsOnOwnLines(*last)) {
    element.insert(0, newline_ + LineIndent(last->begin));
    at = last->end;
  }
  return editor_.Replace({at, at}, std::move(element));
}

Status XmlEditor::PlanDelete(uint32_t index) {
  const XmlPart& part = document_.parts[index];
  const bool is_content = part.parent != XmlPart::kNone || part.kind == XmlPartKind::kComment;
  if (!is_content) return Refused("the root element and declarations cannot be deleted");
  deleted_.insert(index);
  if (part.kind == XmlPartKind::kAttribute) {
    const uint64_t begin = text_.find_last_not_of(" \t\r\n", part.begin - 1) + 1;
    return editor_.Replace({begin, part.end}, "");
  }
  if (part.kind != XmlPartKind::kText && IsOnOwnLines(part)) {
    editor_.DeleteLines({editor_.lines().LineOf(part.begin), editor_.lines().LineOf(part.end - 1)});
    return OkStatus();
  }
  return editor_.Replace({part.begin, part.end}, "");
}

Status XmlEditor::PlanRename(const Edit& edit, uint32_t index) {
  STAGED_ASSIGN_OR_RETURN(const std::string name, TextArgument(edit, "to"));
  const XmlPart& part = document_.parts[index];
  if (!IsName(name) || part.name.empty() || part.kind == XmlPartKind::kInstruction) {
    return Status(ErrorCode::kInvalidArgument,
                  "elements and attributes can be renamed, to a name of XML");
  }
  names_[index] = name;
  const uint64_t begin = part.begin + (part.kind == XmlPartKind::kElement ? 1 : 0);
  STAGED_RETURN_IF_ERROR(editor_.Replace({begin, begin + part.name.size()}, name));
  if (part.kind != XmlPartKind::kElement || part.is_empty) return OkStatus();
  const uint64_t close = part.content_end + 2;
  return editor_.Replace({close, close + part.name.size()}, name);
}

void XmlEditor::AppendShape(const XmlDocument& document, uint32_t index, size_t depth,
                            Shape& shape) const {
  const bool is_own = &document == &document_;
  const auto text_of = [&](uint32_t part) {
    const auto changed = texts_.find(part);
    const bool is_changed = is_own && changed != texts_.end();
    return WithoutSpace(is_changed ? changed->second : document.parts[part].text);
  };
  const auto name_of = [&](uint32_t part) {
    const auto changed = names_.find(part);
    return is_own && changed != names_.end() ? changed->second : document.parts[part].name;
  };
  const auto add = [&](const std::map<uint32_t, std::vector<std::string>>& elements, uint32_t at,
                       size_t level) {
    const auto found = elements.find(at);
    if (!is_own || found == elements.end()) return;
    for (const std::string& element : found->second) {
      const XmlDocument fragment = ReadXmlDocument(element, limits_);
      AppendShape(fragment, 0, level, shape);
    }
  };
  add(inserted_, index, depth);
  if (is_own && deleted_.count(index) > 0) return;
  const XmlPart& part = document.parts[index];
  if (part.kind == XmlPartKind::kText) return;  // belongs to its element
  const size_t line = shape.size();
  shape.push_back(std::to_string(depth) + " " + std::to_string(static_cast<int>(part.kind)) + " " +
                  name_of(index) + "=" + text_of(index));
  for (uint32_t child = index + 1; child < part.subtree_end;
       child = document.parts[child].subtree_end) {
    const bool is_attribute = document.parts[child].kind == XmlPartKind::kAttribute;
    if (is_attribute) AppendShape(document, child, depth + 1, shape);
  }
  const auto attributes = new_attributes_.find(index);
  if (is_own && attributes != new_attributes_.end()) {
    for (const std::string& attribute : attributes->second) {
      shape.push_back(std::to_string(depth + 1) + " 2 " + attribute);
    }
  }
  for (uint32_t child = index + 1; child < part.subtree_end;
       child = document.parts[child].subtree_end) {
    if (document.parts[child].kind == XmlPartKind::kAttribute) continue;
    AppendShape(document, child, depth + 1, shape);
    const bool is_text = document.parts[child].kind == XmlPartKind::kText;
    if (is_text && !(is_own && deleted_.count(child) > 0)) shape[line] += text_of(child);
  }
  add(appended_, index, depth + 1);
}

XmlEditor::Shape XmlEditor::ShapeOf(const XmlDocument& document) const {
  Shape shape;
  for (uint32_t part = 0; part < document.parts.size(); part = document.parts[part].subtree_end) {
    AppendShape(document, part, 0, shape);
  }
  return shape;
}

Result<std::string> XmlEditor::Finish() {
  STAGED_ASSIGN_OR_RETURN(std::string bytes, editor_.Finish());
  if (!has_path_edits_) return bytes;
  const DecodedText decoded(bytes);
  const XmlDocument after = ReadXmlDocument(decoded.text(), limits_);
  if (after.error.ok() && (has_line_edits_ || ShapeOf(after) == ShapeOf(document_))) return bytes;
  return Refused("the edits cannot be made safely in this XML (two edits may be at one place)");
}

}  // namespace staged
