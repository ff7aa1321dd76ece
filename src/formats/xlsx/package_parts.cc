#include "formats/xlsx/package_parts.h"

#include <algorithm>

#include "formats/xlsx/pivot_records.h"
#include "formats/xlsx/workbook_records.h"
#include "record/cell_address.h"

namespace staged::xlsx {
namespace {

using Job = PartSegments::Job;

const std::vector<std::string>& DrawingKinds() {
  static const std::vector<std::string> kinds = {"image", "shape",   "connector",    "group", "ink",
                                                 "chart", "diagram", "slicer_frame", "frame"};
  return kinds;
}

// Parts of a sheet that are read as they are.
struct SheetPart {
  std::string_view type;
  PartSegments::Reader read;
  std::vector<std::string> kinds;
};

const std::vector<SheetPart>& SheetParts() {
  static const std::vector<SheetPart> parts = {
      {"table", ReadTable, {"table", "table_column"}},
      {"comments", ReadComments, {"comment"}},
      {"vmlDrawing", ReadVmlDrawing, {"comment_box", "control"}},
      {"slicer", ReadSlicers, {"slicer"}},
      {"timeline", ReadSlicers, {"slicer"}},
      {"ctrlProp", ReadControl, {"control"}},
      {"queryTable", ReadQueryTable, {"query_table"}}};
  return parts;
}

}  // namespace

void PackageParts::AddOfSheet(const SheetEntry& sheet,
                              const std::vector<OpcRelationship>& relationships) {
  const std::string locator = QuoteSheetName(sheet.name);
  std::map<std::string, size_t> numbers;
  for (const OpcRelationship& relationship : relationships) {
    if (relationship.is_external) continue;
    const std::string& type = relationship.type;
    const auto& parts = SheetParts();
    const auto part = std::find_if(parts.begin(), parts.end(),
                                   [&](const SheetPart& each) { return each.type == type; });
    Job job{relationship.target, locator, locator + "!", sheet.HiddenReason(), "", nullptr, {}};
    // Of controls there are many, told apart by their names.
    const size_t number = type == "ctrlProp" ? 1 : ++numbers[type];
    if (number > 1 && type != "table" && type != "pivotTable") {
      job.base += type + std::to_string(number) + "/";
    }
    if (part != parts.end()) {
      job.read = part->read;
      job.kinds = part->kinds;
      CoverPictures(segments_.Add(job));
      if (type != "table") continue;
      for (const OpcRelationship& of_table : segments_.RelationshipsOf(job.part)) {
        if (of_table.type != "queryTable" || of_table.is_external) continue;
        segments_.Add(
            {of_table.target, locator, job.base, job.hidden, "", ReadQueryTable, {"query_table"}});
      }
    } else if (type == "drawing") {
      AddDrawing(job);
    } else if (type == "pivotTable") {
      AddPivotTable(job);
    } else if (type == "threadedComment") {
      AddThreads(job);
    }
  }
}

void PackageParts::CoverPictures(const std::shared_ptr<const Segment>& segment) {
  if (segment == nullptr) return;
  segment->ForEach([&](const Record& record) {
    const std::string part(record.attrs.FindString("part"));
    if (record.attrs.Find("content") != nullptr) cover_(part, {record.kind});
    return true;
  });
}

void PackageParts::AddDrawing(const Job& drawing) {
  Job job = drawing;
  job.read = ReadDrawing;
  job.kinds = DrawingKinds();
  const std::shared_ptr<const Segment> segment = segments_.Add(job);
  if (segment == nullptr) return;
  CoverPictures(segment);
  segment->ForEach([&](const Record& record) {
    const std::string part(record.attrs.FindString("part"));
    const bool is_frame = record.attrs.Find("relationship") != nullptr;
    if (!is_frame || part.empty() || !segments_.Has(part)) return true;
    Job of_frame{part,
                 record.locator,
                 record.locator + "/",
                 record.hidden,
                 "",
                 ReadChart,
                 {"chart_definition", "series", "chart_text", "chart_data"}};
    if (record.kind == "diagram") {
      of_frame.read = ReadDiagram;
      of_frame.kinds = {"diagram_data", "diagram_text"};
    }
    segments_.Add(of_frame);
    for (const OpcRelationship& of_chart : segments_.RelationshipsOf(part)) {
      if (of_chart.type != "chartUserShapes" || of_chart.is_external) continue;
      segments_.Add({of_chart.target, record.locator, of_frame.base, record.hidden, "", ReadDrawing,
                     DrawingKinds()});
    }
    return true;
  });
  size_t number = 0;
  for (const OpcRelationship& relationship : segments_.RelationshipsOf(job.part)) {
    if (relationship.type != "diagramDrawing" || relationship.is_external) continue;
    segments_.Add({relationship.target,
                   job.sheet,
                   job.base + "diagram_drawing:" + std::to_string(++number) + "/",
                   job.hidden,
                   "",
                   ReadDiagramDrawing,
                   {"diagram_data", "diagram_text"}});
  }
}

void PackageParts::AddPivotTable(Job job) {
  job.read = ReadPivotTable;
  job.kinds = {"pivot_table"};
  job.prepare = [&](PartContext& context) {
    for (const OpcRelationship& cache : *context.relationships) {
      if (cache.type != "pivotCacheDefinition" || cache.is_external) continue;
      if (!segments_.Has(cache.target)) continue;
      segments_.ReadTree(cache.target, job.sheet, [&](const PartTree& tree) {
        context.pivot_fields = PivotCacheFields(tree);
      });
    }
  };
  segments_.Add(job);
}

void PackageParts::AddThreads(Job job) {
  const std::string& persons = workbook_.threaded_persons_part;
  job.read = ReadThreadedComments;
  job.kinds = {"threaded_comment"};
  job.extra = digest_of_(persons).ToString();
  job.prepare = [&](PartContext& context) {
    if (persons.empty() || !segments_.Has(persons)) return;
    segments_.ReadTree(persons, "", [&](const PartTree& tree) {
      tree.ForEachChild(0, [&](uint32_t person) {
        context.persons[tree.Attribute(person, "id")] = tree.Attribute(person, "displayName");
      });
    });
  };
  segments_.Add(job);
}

void PackageParts::AddOfWorkbook() {
  std::map<std::string, size_t> numbers;
  const auto add = [&](const std::string& part, std::string base, PartSegments::Reader read,
                       std::vector<std::string> kinds) {
    segments_.Add({part, "", std::move(base), "", "", read, std::move(kinds)});
  };
  for (const std::string& part : workbook_.external_link_parts) {
    add(part, "external_link:" + std::to_string(++numbers["externalLink"]), ReadExternalLink,
        {"external_link", "external_value"});
  }
  for (const OpcRelationship& relationship : segments_.RelationshipsOf(workbook_.part)) {
    if (relationship.is_external) continue;
    const std::string& part = relationship.target;
    const std::string& type = relationship.type;
    const std::string number = std::to_string(++numbers[type]);
    if (type == "theme") add(part, "theme", ReadTheme, {"theme"});
    if (type == "pivotCacheDefinition") {
      add(part, "pivot_cache:" + number, ReadPivotCache, {"pivot_cache", "pivot_field"});
    }
    if (type == "connections") add(part, "connection:", ReadConnections, {"connection"});
    if (type == "slicerCache" || type == "timelineCache") {
      add(part, type + number + ":", ReadSlicerCache, {"slicer_cache"});
    }
  }
  AddProperties();
}

void PackageParts::AddOthers(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    segments_.Add({name, "", "data:" + name, "", "", ReadOtherPart, {"other_part"}});
  }
}

void PackageParts::AddProperties() {
  for (const OpcRelationship& relationship : segments_.RelationshipsOf("")) {
    if (relationship.is_external) continue;
    PartSegments::Reader read = nullptr;
    const std::string& type = relationship.type;
    if (type == "core-properties") {
      read = [](const PartTree& tree, const PartContext&, RecordList& records) {
        ReadProperties(tree, "prop:", records);
      };
    } else if (type == "extended-properties" || type == "extendedProperties") {
      read = [](const PartTree& tree, const PartContext&, RecordList& records) {
        ReadProperties(tree, "app:", records);
      };
    } else if (type == "custom-properties" || type == "customProperties") {
      read = [](const PartTree& tree, const PartContext&, RecordList& records) {
        ReadProperties(tree, "custom:", records);
      };
    }
    if (read == nullptr) continue;
    segments_.Add({relationship.target, "", type, "", "", read, {"property", "saved_property"}});
  }
}

}  // namespace staged::xlsx
