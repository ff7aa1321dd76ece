#include "formats/xlsx/macro_records.h"

#include "codec/vba_project.h"

namespace staged::xlsx {

Status AddMacroRecords(std::string_view bytes, const Limits& limits, RecordList& records) {
  constexpr std::string_view kHidden = "macro";
  STAGED_ASSIGN_OR_RETURN(const VbaProject project, ReadVbaProject(bytes, limits));
  Record& macros = records.Add("macro_project", "macros", "");
  macros.text = project.name;
  macros.hidden = kHidden;
  macros.attrs.Set("modules", Value(static_cast<int64_t>(project.modules.size())));
  if (!project.is_decoded) {
    macros.attrs.Set("undecoded_code_page", Value(static_cast<int64_t>(project.code_page)));
  }
  for (const VbaModule& module : project.modules) {
    Record& record = records.Add("macro_module", "macros/module:" + module.name, "macros");
    record.text = module.source;
    record.hidden = kHidden;
    record.attrs.Set("type", Value(module.is_document ? "document or class" : "procedures"));
    record.attrs.Set("digest", Value(module.digest.ToString()));
  }
  for (const VbaStream& stream : project.streams) {
    Record& record = records.Add("macro_stream", "macros/stream:" + stream.path, "macros");
    record.text = std::to_string(stream.size_bytes) + " bytes";
    record.hidden = kHidden;
    record.attrs.Set("digest", Value(stream.digest.ToString()));
  }
  return OkStatus();
}

}  // namespace staged::xlsx
