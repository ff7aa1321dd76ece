// Reading and editing a workbook in one process.

#include <algorithm>
#include <memory>

#include "bench/measure.h"
#include "codec/zip.h"
#include "formats/xlsx/shared_strings.h"
#include "formats/xlsx/sheet_parser.h"
#include "formats/xlsx/styles.h"

namespace staged::bench {

// Reads every cell: parses the file and makes each record with the text that is shown.
int RunCells(const Arguments& arguments) {
  const std::string bytes = ReadWholeFile(arguments[0]);
  const FormatRegistry formats = NewBuiltinRegistry();
  const View view = OrDie(ParseView(formats, bytes, arguments[0], Limits{}));
  size_t cells = 0;
  size_t text_bytes = 0;
  view.ForEach([&](const Record& record) {
    if (record.kind == "cell") ++cells;
    text_bytes += record.text.size() + record.locator.size();
    return true;
  });
  std::printf("{\"cells\": %zu, \"bytes\": %zu}\n", cells, text_bytes);
  return 0;
}

// Sets COUNT cells, one call each, durable, and sees each time the new current view. Writes the
// versions into a folder where one is given.
int RunEdits(const Arguments& arguments) {
  const std::string& path = arguments[1];
  const std::string& sheet = arguments[2];
  const int count = std::atoi(arguments[3].c_str());
  OpenedWorkspace opened(arguments[0]);
  Workspace& workspace = *opened.workspace;
  const CallContext call;
  BaseHash base = OrDie(workspace.GetView(call, path, {}, WaitForViews::kWait)).current;
  std::string times;
  for (int number = 0; number < count; ++number) {
    Edit edit;
    edit.op = "set";
    edit.locator = sheet + "!B" + std::to_string(10 + number * 37 % 5000);
    edit.arguments = Value::Object{{"value", 1000.25 + number}};
    const double begin = Seconds();
    const StagedChange change = OrDie(workspace.ApplyEdits(call, path, base, {edit}));
    const ViewAnswer answer = OrDie(workspace.GetView(call, path, {}, WaitForViews::kWait));
    const Record cell = OrDie(answer.view->Find(edit.locator));
    times += (times.empty() ? "" : ", ") + std::to_string(Seconds() - begin);
    if (answer.freshness != Freshness::kCurrent ||
        cell.text != std::to_string(1000 + number) + ".25") {
      std::fprintf(stderr, "staged_bench: the view does not show the edit\n");
      return 1;
    }
    base = change.hash;
    if (arguments[4] != "-") {
      const Content content = OrDie(workspace.Read(call, path, {}));
      WriteWholeFile(arguments[4] + "/" + std::to_string(number) + ".xlsx", content.bytes);
    }
  }
  const UsageReport usage = OrDie(workspace.Usage());
  std::printf("{\"seconds\": [%s], \"journal_bytes\": %llu}\n", times.c_str(),
              static_cast<unsigned long long>(usage.journal_bytes));
  return 0;
}

// What no edit of a sheet can do without: inflate, parse and deflate it once.
int RunSheetCost(const Arguments& arguments) {
  const std::string bytes = ReadWholeFile(arguments[0]);
  const ZipReader reader = OrDie(ZipReader::Open(bytes, Limits{}));
  const auto read = [&](std::string_view name) {
    const ZipMember* member = reader.Find(name);
    CheckCall(member == nullptr ? 1 : 0, "finding the part");
    return OrDie(reader.Read(*member));
  };
  Status status;
  const auto strings = xlsx::SharedStrings::Read(read("xl/sharedStrings.xml"), Limits{}, &status);
  OrDie(status);
  const xlsx::Styles styles = xlsx::ReadStyles(read("xl/styles.xml"), Limits{});
  std::string times;
  for (int round = 0; round < std::atoi(arguments[2].c_str()); ++round) {
    const double begin = Seconds();
    const std::string xml = read(arguments[1]);
    const xlsx::ParsedSheet sheet =
        xlsx::ParseSheet(xml, GridSheet{}, ContentHash::Of(xml), {&strings, &styles, Limits{}});
    const std::string deflated = ZipDeflate(xml);
    times += (times.empty() ? "" : ", ") + std::to_string(Seconds() - begin);
    CheckCall(sheet.cells->cell_count() > 0 && !deflated.empty() ? 0 : 1, "parsing the sheet");
  }
  std::printf("{\"seconds\": [%s]}\n", times.c_str());
  return 0;
}

}  // namespace staged::bench
