#include "codec/vba_records.h"

#include <map>
#include <string>
#include <utility>

#include "codec/vba_project.h"

namespace staged {
namespace {

constexpr std::string_view kProjectLocator = "macros";

class VbaRecordList {
 public:
  // The reference holds until the next call. A second record of a name gets "#2".
  Record& Add(std::string kind, std::string key) {
    const int count = ++counts_[key];
    if (count > 1) key += "#" + std::to_string(count);
    Record record{.kind = std::move(kind), .hidden = "macro"};
    record.locator = std::string(kProjectLocator) + "/" + key;
    record.parent = kProjectLocator;
    record.key = std::move(key);
    records_.push_back(std::move(record));
    return records_.back();
  }
  void AddProject(const VbaProject& project) {
    Record record{.kind = "macro_project", .hidden = "macro"};
    record.locator = record.key = kProjectLocator;
    record.text = project.name;
    record.attrs.Set("modules", Value(static_cast<int64_t>(project.modules.size())));
    if (!project.is_decoded) {
      record.attrs.Set("undecoded_code_page", Value(static_cast<int64_t>(project.code_page)));
    }
    records_.push_back(std::move(record));
  }
  [[nodiscard]] std::vector<Record> Take() { return std::move(records_); }

 private:
  std::vector<Record> records_;
  std::map<std::string, int> counts_;
};

}  // namespace

Result<std::vector<Record>> VbaRecords(std::string_view bytes, const Limits& limits) {
  STAGED_ASSIGN_OR_RETURN(const VbaProject project, ReadVbaProject(bytes, limits));
  VbaRecordList records;
  records.AddProject(project);
  for (const VbaModule& module : project.modules) {
    Record& record = records.Add("macro_module", "module:" + module.name);
    record.text = module.source;
    record.attrs.Set("type", Value(module.is_document ? "document or class" : "procedures"));
    record.attrs.Set("digest", Value(module.digest.ToString()));
  }
  for (const VbaStream& stream : project.streams) {
    Record& record = records.Add("macro_stream", "stream:" + stream.path);
    record.text = std::to_string(stream.size_bytes) + " bytes";
    record.attrs.Set("digest", Value(stream.digest.ToString()));
  }
  return records.Take();
}

}  // namespace staged
