#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "codec/xml_tree.h"
#include "formats/docx/styles.h"
#include "staged/record.h"

namespace staged::docx {

inline constexpr int kNumberingLevels = 9;

struct NumberingLevel {
  int start = 1;
  std::string format = "decimal";  // w:numFmt
  std::string text;                // w:lvlText: "%1.%2."
  std::optional<int> restart;      // w:lvlRestart: 1-based level, 0 never
  bool is_legal = false;           // all numbers in decimal
};

// List definitions (ECMA-376 part 1, 17.9). Immutable, thread-safe.
class NumberingTable {
 public:
  NumberingTable() = default;  // none
  NumberingTable(const XmlTree& tree, const StyleTable& styles);

  struct Instance {
    std::string abstract_id;
    std::string digest;  // of its element
    std::array<std::optional<int>, kNumberingLevels> start_override;
    std::array<std::optional<NumberingLevel>, kNumberingLevels> level_override;
  };
  [[nodiscard]] const Instance* Find(std::string_view numbering_id) const;
  // nullptr when the list has no such level.
  [[nodiscard]] const NumberingLevel* Level(const Instance& instance, int level) const;
  // The level that a paragraph style is linked to in the list, or nullopt.
  [[nodiscard]] std::optional<int> LevelOfStyle(const Instance& instance,
                                                std::string_view style_id) const;
  [[nodiscard]] std::vector<Record> Records() const;

 private:
  struct Abstract {
    std::array<std::optional<NumberingLevel>, kNumberingLevels> levels;
    std::unordered_map<std::string, int> level_by_style;
    std::string digest;      // of its element: indents, fonts and what else no level tells
    std::string style_link;  // w:numStyleLink: the definition is that style's list
  };
  [[nodiscard]] const Abstract* FindAbstract(const std::string& id) const;
  void ReadAbstract(const XmlTree& tree, uint32_t node);
  void ReadInstance(const XmlTree& tree, uint32_t node);

  std::unordered_map<std::string, Abstract> abstracts_;
  std::unordered_map<std::string, Instance> instances_;
  std::vector<std::string> instance_order_;
};

// Counts through one story and makes the labels that its paragraphs show. Not thread-safe.
class ListLabeller {
 public:
  explicit ListLabeller(const NumberingTable& numbering) : numbering_(numbering) {}
  // The label of the next paragraph of the list ("2.1", "(a)", "\u2022"); empty when it has none.
  std::string Next(const std::string& numbering_id, int level);

 private:
  struct Counters {
    std::array<int, kNumberingLevels> value{};
    std::array<bool, kNumberingLevels> started{};
  };
  const NumberingTable& numbering_;
  std::map<std::string, Counters> counters_;  // by abstract definition: lists share them
  std::map<std::string, std::array<bool, kNumberingLevels>> override_used_;  // by instance
};

// A number in one of the formats of w:numFmt; decimal for those that are not known.
[[nodiscard]] std::string FormatNumber(int number, std::string_view format);

}  // namespace staged::docx
