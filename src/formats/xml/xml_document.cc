#include "formats/xml/xml_document.h"

#include <algorithm>
#include <utility>

namespace staged {
namespace {

bool IsBlank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

// Line ends as XML reads them (XML 1.0, section 2.11).
std::string Normalized(std::string_view raw) {
  std::string out;
  out.reserve(raw.size());
  for (size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '\r') {
      out.push_back(raw[i]);
    } else if (i + 1 == raw.size() || raw[i + 1] != '\n') {
      out.push_back('\n');
    }
  }
  return out;
}

class Reader {
 public:
  Reader(std::string_view text, const Limits& limits)
      : text_(text), limits_(limits), tokenizer_(text, limits) {}

  XmlDocument Read() {
    counts_.emplace_back();
    while (tokenizer_.Read()) {
      if (document_.parts.size() >= limits_.records_max) {
        Stop(Status(ErrorCode::kLimitExceeded, "the limit of records is reached"),
             tokenizer_.token().begin);
        break;
      }
      Take(tokenizer_.token());
      document_.parsed_end = tokenizer_.token().end;
    }
    if (const Status status = tokenizer_.status(); !status.ok()) {
      const Value* offset = status.details().Find("offset");
      Stop(status, offset != nullptr && offset->is_integer()
                       ? static_cast<uint64_t>(offset->as_integer())
                       : document_.parsed_end);
    }
    while (!open_.empty()) Close(document_.parsed_end, document_.parsed_end);
    if (document_.error.ok()) document_.parsed_end = text_.size();
    return std::move(document_);
  }

 private:
  struct Run {
    XmlToken token;
    bool is_cdata;
  };
  struct Open {
    uint32_t part;
    std::vector<Run> runs;  // character data, in order
  };

  void Stop(Status error, uint64_t at) {
    document_.error = std::move(error);
    document_.error_at = std::min<uint64_t>(at, text_.size());
  }

  // The step of a path: names are counted from the second on.
  std::string Step(const std::string& name) {
    const size_t ordinal = ++counts_[open_.size()][name];
    return "/" + (ordinal == 1 ? name : name + "[" + std::to_string(ordinal) + "]");
  }

  XmlPart& Add(XmlPartKind kind, const XmlToken& token, std::string name,
               const std::string& step_name) {
    const std::string parent = open_.empty() ? "" : document_.parts[open_.back().part].locator;
    const std::string step = Step(step_name);
    XmlPart& part = document_.parts.emplace_back();
    part.kind = kind;
    part.parent = open_.empty() ? XmlPart::kNone : open_.back().part;
    part.begin = token.begin;
    part.end = token.end;
    part.subtree_end = static_cast<uint32_t>(document_.parts.size());
    part.content_begin = static_cast<uint64_t>(token.raw.data() - text_.data());
    part.content_end = part.content_begin + token.raw.size();
    part.name = std::move(name);
    part.locator = parent + step;
    return part;
  }

  void MarkParent() {
    if (!open_.empty()) document_.parts[open_.back().part].has_children = true;
  }

  void Take(const XmlToken& token) {
    switch (token.type) {
      case XmlTokenType::kStart:
        return TakeStart(token);
      case XmlTokenType::kEnd:
        return Close(token.begin, token.end);
      case XmlTokenType::kText:
      case XmlTokenType::kCData:
        if (!open_.empty()) {
          open_.back().runs.push_back({token, token.type == XmlTokenType::kCData});
        }
        return;
      case XmlTokenType::kComment:
        MarkParent();
        FlushRuns();
        Add(XmlPartKind::kComment, token, "", "comment()").text = Normalized(token.raw);
        return;
      case XmlTokenType::kInstruction: {
        MarkParent();
        FlushRuns();
        XmlPart& part =
            Add(XmlPartKind::kInstruction, token, std::string(token.name), "instruction()");
        part.text = Normalized(text_.substr(token.begin, token.end - token.begin));
        return;
      }
      case XmlTokenType::kDoctype:
        Add(XmlPartKind::kDoctype, token, "", "doctype()").text =
            Normalized(text_.substr(token.begin, token.end - token.begin));
        return;
      case XmlTokenType::kEndOfInput:
        return;
    }
  }

  void TakeStart(const XmlToken& token) {
    MarkParent();
    FlushRuns();
    XmlPart& element =
        Add(XmlPartKind::kElement, token, std::string(token.name), std::string(token.name));
    element.is_empty = token.is_empty;
    element.content_begin = element.content_end = token.end;
    const auto index = static_cast<uint32_t>(document_.parts.size() - 1);
    open_.push_back({index, {}});
    counts_.resize(open_.size());
    counts_.emplace_back();
    for (const XmlAttribute& attribute : tokenizer_.attributes()) {
      XmlToken place;
      place.begin = attribute.begin;
      place.end = attribute.end;
      place.raw = attribute.value;
      const std::string name(attribute.name);
      Add(XmlPartKind::kAttribute, place, name, "@" + name).text =
          XmlDecodeAttribute(attribute.value);
    }
  }

  static void Decode(const Run& run, std::string& out) {
    if (run.is_cdata) {
      out.append(Normalized(run.token.raw));
    } else {
      XmlDecodeTo(run.token.raw, out);
    }
  }

  // Character data between children becomes a part where it is more than white space.
  void FlushRuns() {
    if (open_.empty()) return;
    std::vector<Run> runs = std::exchange(open_.back().runs, {});
    if (runs.empty()) return;
    std::string text;
    for (const Run& run : runs) Decode(run, text);
    if (IsBlank(text)) return;
    XmlToken place = runs.front().token;
    place.end = runs.back().token.end;
    XmlPart& part = Add(XmlPartKind::kText, place, "", "text()");
    part.content_begin = place.begin;
    part.content_end = place.end;
    part.text = std::move(text);
    part.is_cdata = runs.size() == 1 && runs[0].is_cdata;
  }

  void Close(uint64_t begin, uint64_t end) {
    if (open_.empty()) return;
    const uint32_t index = open_.back().part;
    if (document_.parts[index].has_children) {
      FlushRuns();
    } else {
      std::string text;
      for (const Run& run : open_.back().runs) Decode(run, text);
      document_.parts[index].text = std::move(text);
      document_.parts[index].is_cdata =
          open_.back().runs.size() == 1 && open_.back().runs[0].is_cdata;
    }
    XmlPart& element = document_.parts[index];
    if (!element.is_empty) {
      element.content_end = std::max(begin, element.content_begin);
      element.end = end;
    }
    element.subtree_end = static_cast<uint32_t>(document_.parts.size());
    open_.pop_back();
    counts_.pop_back();
  }

  std::string_view text_;
  const Limits& limits_;
  XmlTokenizer tokenizer_;
  XmlDocument document_;
  std::vector<Open> open_;
  std::vector<std::map<std::string, size_t>> counts_;  // of names, at each depth
};

std::string_view KindName(XmlPartKind kind) {
  switch (kind) {
    case XmlPartKind::kElement:
      return "element";
    case XmlPartKind::kAttribute:
      return "attribute";
    case XmlPartKind::kText:
      return "text";
    case XmlPartKind::kComment:
      return "comment";
    case XmlPartKind::kInstruction:
      return "instruction";
    case XmlPartKind::kDoctype:
      return "doctype";
  }
  return "unknown";
}

// "id=x" for each element that has such an attribute, else "".
std::vector<std::string> ElementKeys(const XmlDocument& document) {
  std::vector<std::string> keys(document.parts.size());
  std::map<std::pair<uint32_t, std::string>, size_t> uses;
  for (const std::string_view name : {"id", "xml:id", "name", "key"}) {
    for (const XmlPart& part : document.parts) {
      if (part.kind != XmlPartKind::kAttribute || part.name != name) continue;
      std::string& key = keys[part.parent];
      if (key.empty())
        key = document.parts[part.parent].name + "[" + part.name + "=" + part.text + "]";
    }
  }
  for (uint32_t i = 0; i < keys.size(); ++i) {
    if (!keys[i].empty()) ++uses[{document.parts[i].parent, keys[i]}];
  }
  for (uint32_t i = 0; i < keys.size(); ++i) {
    if (!keys[i].empty() && uses[{document.parts[i].parent, keys[i]}] > 1) keys[i].clear();
  }
  return keys;
}

}  // namespace

const XmlPart* XmlDocument::Find(std::string_view locator) const {
  const auto found = std::find_if(parts.begin(), parts.end(),
                                  [&](const XmlPart& part) { return part.locator == locator; });
  return found == parts.end() ? nullptr : &*found;
}

XmlDocument ReadXmlDocument(std::string_view text, const Limits& limits) {
  return Reader(text, limits).Read();
}

std::vector<Record> XmlRecords(const XmlDocument& document, uint64_t span_offset, bool has_spans) {
  const std::vector<std::string> keys = ElementKeys(document);
  std::vector<Record> records;
  records.reserve(document.parts.size());
  for (size_t i = 0; i < document.parts.size(); ++i) {
    const XmlPart& part = document.parts[i];
    Record& record = records.emplace_back();
    record.kind = KindName(part.kind);
    record.locator = part.locator;
    if (part.parent != XmlPart::kNone) record.parent = document.parts[part.parent].locator;
    record.key = part.kind == XmlPartKind::kAttribute ? "@" + part.name : keys[i];
    record.text = part.text;
    if (!part.name.empty()) record.attrs.Set("name", part.name);
    if (part.is_cdata) record.attrs.Set("cdata", true);
    if (has_spans) record.span = ByteSpan{part.begin + span_offset, part.end + span_offset};
  }
  return records;
}

}  // namespace staged
