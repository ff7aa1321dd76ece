#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "staged/diff.h"

namespace staged {
namespace {

constexpr size_t kSideBytesMax = 2000;

std::string Plural(size_t count, std::string_view singular, std::string_view plural) {
  return std::to_string(count) + " " + std::string(count == 1 ? singular : plural);
}

std::string SummaryLine(const Diff& diff, std::string_view path) {
  std::string line(path);
  line += ": ";
  if (diff.identical) return line + "identical\n";
  const DiffSummary& summary = diff.summary;
  std::vector<std::string> counts;
  const auto count = [&](size_t number, std::string_view singular, std::string_view plural) {
    if (number > 0) counts.push_back(Plural(number, singular, plural));
  };
  count(summary.insertions, "insertion", "insertions");
  count(summary.deletions, "deletion", "deletions");
  count(summary.modifications, "modification", "modifications");
  count(summary.moves, "move", "moves");
  count(summary.derived, "derived change", "derived changes");
  count(summary.serialization, "serialization-only change", "serialization-only changes");
  count(summary.opaque, "opaque change", "opaque changes");
  if (counts.empty()) counts.emplace_back("no change");
  for (size_t i = 0; i < counts.size(); ++i) line += (i > 0 ? ", " : "") + counts[i];
  return line + (diff.format.empty() ? "" : " (" + diff.format + ")") + "\n";
}

// One line: line breaks and control bytes escaped, long texts cut at a character's border.
std::string OneLine(std::string_view text) {
  std::string line;
  for (size_t i = 0; i < text.size(); ++i) {
    const char byte = text[i];
    if (line.size() >= kSideBytesMax && (static_cast<uint8_t>(byte) & 0xC0) != 0x80) {
      return line + "… (" + std::to_string(text.size() - i) + " bytes more)";
    }
    if (byte == '\n') {
      line += "\\n";
    } else if (byte == '\r') {
      line += "\\r";
    } else if (byte == '\t') {
      line += '\t';
    } else if (static_cast<uint8_t>(byte) < 0x20 || byte == 0x7F) {
      constexpr std::string_view kDigits = "0123456789abcdef";
      line += "\\x";
      line += kDigits[static_cast<uint8_t>(byte) >> 4];
      line += kDigits[static_cast<uint8_t>(byte) & 15];
    } else {
      line += byte;
    }
  }
  return line;
}

void AppendValue(const Value& value, std::string& out) {
  if (value.is_null()) {
    out += "null";
  } else if (value.is_bool()) {
    out += value.as_bool() ? "true" : "false";
  } else if (value.is_integer()) {
    out += std::to_string(value.as_integer());
  } else if (value.is_double()) {
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof(digits), value.as_double()).ptr;
    out.append(digits, end);
  } else if (value.is_string()) {
    out += value.as_string();
  } else if (value.is_array()) {
    out += '[';
    for (size_t i = 0; i < value.as_array().size(); ++i) {
      if (i > 0) out += ", ";
      AppendValue(value.as_array()[i], out);
    }
    out += ']';
  } else {
    out += '{';
    for (size_t i = 0; i < value.as_object().size(); ++i) {
      if (i > 0) out += ", ";
      out += value.as_object()[i].first + ": ";
      AppendValue(value.as_object()[i].second, out);
    }
    out += '}';
  }
}

// The attributes that differ from the other side's, as "name=value".
std::string DifferingAttrs(const Record& record, const Record& other) {
  std::string out;
  if (record.hidden != other.hidden) out += " hidden=" + record.hidden;
  if (!record.attrs.is_object()) return out;
  for (const auto& [name, value] : record.attrs.as_object()) {
    const Value* theirs = other.attrs.Find(name);
    if (theirs != nullptr && *theirs == value) continue;
    out += " " + name + "=";
    AppendValue(value, out);
  }
  return out;
}

// What is not content says so.
std::string ClassNote(ChangeClass change_class) {
  if (change_class == ChangeClass::kContent) return "";
  return " (" + std::string(ChangeClassName(change_class)) + ")";
}

std::string ChangeLines(const Change& change) {
  std::string lines = std::string(ChangeOpName(change.op)) + " " + change.kind + " ";
  if (change.before && change.after && change.before->locator != change.after->locator) {
    lines += OneLine(change.before->locator) + " -> " + OneLine(change.after->locator);
  } else {
    lines += OneLine(change.after ? change.after->locator : change.before->locator);
  }
  if (!change.facets.empty()) {
    lines += " [";
    for (size_t i = 0; i < change.facets.size(); ++i) {
      lines += (i > 0 ? ", " : "") + change.facets[i];
    }
    lines += "]";
  }
  lines += ClassNote(change.change_class);
  if (!change.caused_by.empty()) lines += " follows from " + change.caused_by;
  lines += "\n";
  const bool text_differs =
      !change.before || !change.after || change.before->text != change.after->text;
  const auto side = [&](char sign, const std::optional<Record>& record,
                        const std::optional<Record>& other) {
    if (!record) return;
    std::string text = text_differs ? OneLine(record->text) : "";
    if (other) text += OneLine(DifferingAttrs(*record, *other));
    if (record->hidden.empty() || other) {
      lines += std::string(1, sign) + " " + text + "\n";
    } else {
      lines += std::string(1, sign) + " " + text + " (hidden: " + OneLine(record->hidden) + ")\n";
    }
  };
  if (change.op == ChangeOp::kMove) return lines + "  " + OneLine(change.after->text) + "\n";
  side('-', change.before, change.after);
  side('+', change.after, change.before);
  return lines;
}

}  // namespace

std::string RenderDiffText(const Diff& diff, std::string_view path, size_t budget_bytes) {
  // Room for the last line that counts what was left out.
  constexpr size_t kNoticeBytes = 96;
  std::string out = SummaryLine(diff, path);
  const size_t room = budget_bytes == 0             ? SIZE_MAX
                      : budget_bytes > kNoticeBytes ? budget_bytes - kNoticeBytes
                                                    : 0;
  std::string context;
  size_t shown = 0;
  for (; shown < diff.changes.size(); ++shown) {
    const Change& change = diff.changes[shown];
    std::string lines;
    if (change.context != context) lines = "@@ " + OneLine(change.context) + "\n";
    lines += ChangeLines(change);
    const bool last = shown + 1 == diff.changes.size();
    const size_t limit = last && budget_bytes != 0 ? budget_bytes : room;
    if (out.size() + lines.size() > limit) break;
    context = change.context;
    out += lines;
  }
  if (shown < diff.changes.size()) {
    out += "… " + Plural(diff.changes.size() - shown, "change", "changes") + " of " +
           std::to_string(diff.changes.size()) + " not shown; raise the budget to see all\n";
  }
  return out;
}

}  // namespace staged
