#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "cli/context.h"

namespace staged::cli {
namespace {

std::string Joined(const std::vector<std::string>& words, const char* between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

// Kinds of records whose changes a merge can replay on the other side's bytes.
std::vector<std::string> MergedKinds(const FormatDescriptor& descriptor) {
  std::vector<std::string> kinds;
  for (const KindRule& rule : descriptor.profile.kinds) {
    const bool replays = !rule.merge_set_op.empty() || !rule.merge_insert_op.empty() ||
                         !rule.merge_delete_op.empty() || !rule.merge_append_op.empty();
    if (replays) kinds.push_back(rule.kind);
  }
  return kinds;
}

// Kinds by how their records are matched between two versions.
std::vector<std::string> KindsMatched(const FormatDescriptor& descriptor, Matching matching) {
  std::vector<std::string> kinds;
  for (const KindRule& rule : descriptor.profile.kinds) {
    if (rule.matching == matching) kinds.push_back(rule.kind);
  }
  return kinds;
}

std::string MergeOf(const FormatDescriptor& descriptor) {
  std::vector<std::string> ways = MergedKinds(descriptor);
  if (descriptor.profile.line_based_merge) ways.insert(ways.begin(), "lines");
  return ways.empty() ? "whole file" : Joined(ways, " ");
}

std::string EditsOf(const FormatDescriptor& descriptor) {
  return descriptor.edit_ops.empty() ? "none; write native bytes"
                                     : Joined(descriptor.edit_ops, ", ");
}

void PrintRow(Context& context, const std::string& name, const std::string& reads,
              const std::string& edits, const std::string& diffs, const std::string& merges) {
  char text[256];
  std::snprintf(text, sizeof(text), "%-11s %-9s %-8s %-8s %s", name.c_str(), reads.c_str(),
                edits.c_str(), diffs.c_str(), merges.c_str());
  context.PrintLine(text);
}

void PrintTable(Context& context, const FormatRegistry& formats) {
  PrintRow(context, "FORMAT", "READS", "EDITS", "DIFFS", "MERGES");
  for (const auto& format : formats.formats()) {
    const FormatDescriptor& descriptor = format->descriptor();
    const size_t kinds = descriptor.profile.kinds.size();
    const size_t ops = descriptor.edit_ops.size();
    PrintRow(context, descriptor.name, std::to_string(kinds) + (kinds == 1 ? " kind" : " kinds"),
             ops == 0 ? "-" : std::to_string(ops) + (ops == 1 ? " op" : " ops"),
             kinds == 0 ? "digest" : "records", MergeOf(descriptor));
  }
  context.PrintLine("`staged formats NAME` names the kinds of records and the edits");
}

void PrintDetails(Context& context, const FormatDescriptor& descriptor) {
  const auto line = [&](const char* what, const std::string& text) {
    if (!text.empty()) context.PrintLine(std::string(what) + text);
  };
  context.PrintLine(descriptor.name + ", parser " + descriptor.parser.version);
  line("  files      ", Joined(descriptor.extensions, " "));
  std::vector<std::string> kinds;
  for (const KindRule& rule : descriptor.profile.kinds) kinds.push_back(rule.kind);
  line("  reads      ", Joined(kinds, ", "));
  line("  edits      ", EditsOf(descriptor));
  line("  diffs      by key: ", Joined(KindsMatched(descriptor, Matching::kKeyed), ", "));
  line("             in order: ", Joined(KindsMatched(descriptor, Matching::kOrdered), ", "));
  line("             by aligned rows and columns: ",
       Joined(KindsMatched(descriptor, Matching::kGrid), ", "));
  line("  merges     ", MergeOf(descriptor));
}

Value EncodeFormat(const FormatDescriptor& descriptor) {
  const auto array = [](const std::vector<std::string>& words) {
    return Value::Array(words.begin(), words.end());
  };
  Value::Array records;
  for (const KindRule& rule : descriptor.profile.kinds) records.emplace_back(rule.kind);
  const bool merges = descriptor.profile.line_based_merge || !MergedKinds(descriptor).empty();
  return Value::Object{{"name", descriptor.name},
                       {"version", descriptor.parser.version},
                       {"extensions", array(descriptor.extensions)},
                       {"records", std::move(records)},
                       {"edits", array(descriptor.edit_ops)},
                       {"merges", merges},
                       {"merges_lines", descriptor.profile.line_based_merge},
                       {"merges_records", array(MergedKinds(descriptor))}};
}

}  // namespace

int RunFormats(Context& context) {
  const std::string name = context.line().One("NAME");
  if (!name.empty()) {
    const Format* format = context.formats().Find(name);
    if (format == nullptr) {
      return context.Fail({ErrorCode::kInvalidArgument,
                           "there is no format '" + name + "'; `staged formats` lists them"});
    }
    if (context.json()) {
      context.PrintJson(EncodeFormat(format->descriptor()));
    } else {
      PrintDetails(context, format->descriptor());
    }
    return kExitDone;
  }
  if (!context.json()) {
    PrintTable(context, context.formats());
    return kExitDone;
  }
  Value::Array rows;
  for (const auto& format : context.formats().formats()) {
    rows.push_back(EncodeFormat(format->descriptor()));
  }
  context.PrintJson(Value::Object{{"formats", std::move(rows)}});
  return kExitDone;
}

}  // namespace staged::cli
