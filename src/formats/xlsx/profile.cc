#include "formats/xlsx/profile.h"

#include <utility>

namespace staged::xlsx {
namespace {

constexpr ChangeClass kContent = ChangeClass::kContent;
constexpr ChangeClass kFormat = ChangeClass::kFormat;
constexpr ChangeClass kStructure = ChangeClass::kStructure;
constexpr ChangeClass kDerived = ChangeClass::kDerived;
constexpr ChangeClass kSerialization = ChangeClass::kSerialization;

KindRule Keyed(std::string kind, std::vector<FacetRule> facets) {
  return {std::move(kind), Matching::kKeyed, std::move(facets)};
}

// Cells that a record is about; what only follows moved rows or columns is derived.
FacetRule Range(std::string attribute) {
  return {"range", kStructure, {std::move(attribute)}, "", true};
}

KindRule CellRule() {
  KindRule cell{"cell",
                Matching::kGrid,
                {{"value", kContent, {"value", "type", "text"}, "formula"},
                 {"formula", kContent, {"formula"}, "", true},
                 {"number_format", kFormat, {"number_format"}},
                 {"style", kFormat, {"style"}},
                 {"runs", kFormat, {"runs"}},
                 {"phonetic", kContent, {"phonetic"}},
                 {"array", kContent, {"array"}, "", true},
                 {"metadata", kContent, {"metadata"}}}};
  cell.merge_set_op = cell.merge_insert_op = "set";
  cell.merge_delete_op = "clear";
  cell.hidden_by_others = true;
  cell.merge_arguments = {{"formula", "formula"}, {"value", "value"}};
  return cell;
}

void AddSheetRules(std::vector<KindRule>& kinds) {
  kinds.push_back(Keyed("sheet", {{"name", kContent, {"name", "text"}},
                                  {"position", kStructure, {"index"}},
                                  {"state", kStructure, {"state"}},
                                  {"dimension", kDerived, {"dimension"}},
                                  {"type", kStructure, {"type"}}}));
  kinds.push_back(CellRule());
  for (const char* kind : {"row", "column"}) {
    kinds.push_back(Keyed(kind, {{"format", kFormat, {"text", "height", "width", "style"}},
                                 {"outline", kStructure, {"outline_level", "collapsed"}},
                                 {"visibility", kStructure, {"hidden"}}}));
  }
  kinds.push_back(Keyed("format", {{"cells", kFormat, {"ranges"}, "", true},
                                   {"style", kFormat, {"text", "range_count", "digest"}}}));
  kinds.push_back(Keyed("merge", {{"range", kStructure, {"range", "text"}}}));
  kinds.push_back(Keyed("hyperlink", {{"target", kContent, {"target", "location", "text", "range"}},
                                      {"display", kContent, {"display", "tooltip"}}}));
  kinds.push_back(Keyed("view", {{"settings", kFormat, {"text", "settings"}},
                                 {"position", kSerialization, {"position"}}}));
  kinds.push_back(Keyed("protection", {{"settings", kStructure, {"text", "settings", "digest"}}}));
  kinds.push_back(Keyed("conditional_format",
                        {{"rule", kFormat, {"text", "type", "settings", "priority", "graphics"}},
                         {"formula", kFormat, {"formula"}, "", true},
                         {"style", kFormat, {"style"}},
                         Range("range")}));
  kinds.push_back(Keyed("data_validation",
                        {{"rule", kContent, {"text", "type", "operator", "settings"}},
                         {"formula", kContent, {"formula1", "formula2"}, "", true},
                         {"messages", kContent, {"prompt_title", "prompt", "error_title", "error"}},
                         Range("range")}));
  kinds.push_back(Keyed("header_footer", {{"text", kContent, {"text"}}}));
  kinds.push_back(
      Keyed("filter", {{"criteria", kStructure, {"text", "criteria"}}, Range("range")}));
  kinds.push_back(Keyed("scenario", {{"values", kContent, {"text", "settings"}}}));
  kinds.push_back(Keyed("sparkline", {{"source", kContent, {"text", "formula", "type"}},
                                      {"style", kFormat, {"settings", "style"}},
                                      Range("range")}));
  kinds.push_back(Keyed("sheet_property", {{"content", kFormat, {"digest", "text", "name"}}}));
  kinds.push_back(Keyed("embedded_file", {{"content", kContent, {"text", "type", "digest"}}}));
}

void AddRelatedRules(std::vector<KindRule>& kinds) {
  kinds.push_back(Keyed("table", {{"range", kStructure, {"range", "header_rows", "totals_rows"}},
                                  {"name", kContent, {"name", "text", "comment"}},
                                  {"filter", kStructure, {"filter", "sort"}},
                                  {"style", kFormat, {"style", "digest"}}}));
  kinds.push_back(
      Keyed("table_column", {{"name", kContent, {"name", "text"}},
                             {"formula", kContent, {"formula", "totals", "totals_formula"}},
                             {"label", kContent, {"totals_label"}}}));
  kinds.push_back(Keyed("comment", {{"text", kContent, {"text"}},
                                    {"metadata", kContent, {"author", "cell"}},
                                    {"runs", kFormat, {"runs"}},
                                    {"phonetic", kContent, {"phonetic"}}}));
  kinds.push_back(Keyed("threaded_comment",
                        {{"text", kContent, {"text"}},
                         {"metadata", kContent, {"author", "cell", "time", "reply_to", "done"}}}));
  kinds.push_back(Keyed("comment_box", {{"state", kFormat, {"text", "state"}},
                                        {"place", kFormat, {"anchor", "digest"}}}));
  for (const char* kind : {"image", "shape", "connector", "group", "ink", "chart", "diagram",
                           "slicer_frame", "frame"}) {
    kinds.push_back(
        Keyed(kind, {{"text", kContent, {"text", "name", "alt_text", "title"}},
                     {"content", kContent, {"content", "part", "link", "macro", "formula"}},
                     Range("range"),
                     {"place", kFormat, {"place", "format"}},
                     {"relationship", kSerialization, {"relationship"}}}));
  }
  kinds.push_back(Keyed("chart_definition", {{"title", kContent, {"text", "title", "types"}},
                                             {"data", kContent, {"data"}},
                                             {"format", kFormat, {"format"}}}));
  kinds.push_back(
      Keyed("series",
            {{"name", kContent, {"text", "type"}},
             {"references",
              kContent,
              {"name_formula", "categories_formula", "x_formula", "values_formula", "y_formula",
               "sizes_formula"},
              "",
              true},
             {"values", kDerived, {"categories", "x", "values", "y", "sizes"}, "values_formula"}}));
  kinds.push_back(Keyed("chart_data", {{"source", kContent, {"text", "formula", "type"}},
                                       {"values", kContent, {"values"}, "formula"}}));
  kinds.push_back({"chart_text",
                   Matching::kOrdered,
                   {{"text", kContent, {"text"}}, {"role", kFormat, {"role"}}}});
  kinds.push_back({"diagram_text", Matching::kOrdered, {{"text", kContent, {"text"}}}});
  kinds.push_back(Keyed("diagram_data", {{"data", kFormat, {"text", "digest"}}}));
  kinds.push_back(
      Keyed("pivot_table",
            {{"fields", kContent, {"text", "name", "rows", "columns", "filters", "values"}},
             {"items", kContent, {"captions", "left_out"}},
             Range("range"),
             {"format", kFormat, {"style", "digest"}}}));
  kinds.push_back(Keyed(
      "slicer", {{"name", kContent, {"text", "name", "cache"}}, {"format", kFormat, {"digest"}}}));
  kinds.push_back(Keyed("control", {{"text", kContent, {"text", "name", "type", "part", "content"}},
                                    {"links", kContent, {"macro", "link", "source"}},
                                    {"place", kFormat, {"anchor", "digest"}}}));
  kinds.push_back(Keyed("query_table", {{"source", kContent, {"text", "connection", "fields"}},
                                        {"format", kFormat, {"digest"}}}));
}

void AddWorkbookRules(std::vector<KindRule>& kinds) {
  kinds.push_back(Keyed("defined_name", {{"value", kContent, {"refers_to", "text"}},
                                         {"comment", kContent, {"comment"}}}));
  kinds.push_back(Keyed("calculation", {{"state", kDerived, {"state"}},
                                        {"settings", kContent, {"text", "settings"}}}));
  kinds.push_back(Keyed("window", {{"position", kSerialization, {"position"}},
                                   {"settings", kFormat, {"text", "settings"}}}));
  kinds.push_back(Keyed("workbook_property", {{"content", kContent, {"text", "digest"}}}));
  // What a program writes whenever it saves is no change that anybody made.
  kinds.push_back(Keyed("saved_setting", {{"content", kDerived, {"text", "digest"}}}));
  kinds.push_back(Keyed("saved_property", {{"text", kDerived, {"text"}}}));
  kinds.push_back(Keyed("property", {{"text", kContent, {"text"}}}));
  kinds.push_back(Keyed("cell_style", {{"style", kFormat, {"text", "name", "number_format"}}}));
  kinds.push_back(Keyed("style_property", {{"content", kFormat, {"text", "digest"}}}));
  kinds.push_back(Keyed(
      "theme", {{"colors", kFormat, {"colors", "text"}}, {"fonts", kFormat, {"fonts", "digest"}}}));
  kinds.push_back(
      Keyed("macro_project", {{"name", kContent, {"text", "modules", "undecoded_code_page"}}}));
  kinds.push_back(Keyed("macro_module", {{"source", kContent, {"text", "type", "digest"}}}));
  kinds.push_back(Keyed("macro_stream", {{"content", ChangeClass::kOpaque, {"text", "digest"}}}));
  kinds.push_back(
      Keyed("other_part", {{"content", kContent, {"text", "content", "is_cut", "digest"}}}));
  kinds.push_back(Keyed("external_link", {{"target", kContent, {"text", "target", "type"}},
                                          {"content", kContent, {"sheets", "digest"}}}));
  kinds.push_back(Keyed("external_value", {{"values", kContent, {"text"}}}));
  kinds.push_back(Keyed("pivot_cache", {{"source", kContent, {"text", "source"}},
                                        {"content", kContent, {"content", "records", "digest"}},
                                        {"refresh", kDerived, {"refreshed_by"}}}));
  kinds.push_back(
      Keyed("pivot_field", {{"name", kContent, {"text", "caption", "formula"}},
                            {"items", kContent, {"items", "groups", "item_count", "digest"}}}));
  kinds.push_back(Keyed(
      "connection", {{"source", kContent, {"source", "command", "address", "name", "description"}},
                     {"settings", kContent, {"text", "digest"}}}));
  kinds.push_back(Keyed("slicer_cache", {{"chosen", kContent, {"text", "chosen", "digest"}}}));
}

}  // namespace

Profile WorkbookProfile() {
  Profile profile;
  AddSheetRules(profile.kinds);
  AddRelatedRules(profile.kinds);
  AddWorkbookRules(profile.kinds);
  return profile;
}

}  // namespace staged::xlsx
