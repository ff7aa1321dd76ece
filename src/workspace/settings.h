#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "staged/status.h"

// The settings of `staged config`: what there is, and which values each takes. They hold for the
// workspace and everybody in it; the journal has the values.
namespace staged {

enum class SettingKind : uint8_t { kBranch = 1, kCount = 2, kSwitch = 3 };

struct SettingSpec {
  std::string_view name;
  SettingKind kind = SettingKind::kCount;
  std::string_view default_value;
};

// Sorted by name.
[[nodiscard]] const std::vector<SettingSpec>& AllSettings();

// Errors: kNotFound with the names that there are.
[[nodiscard]] Result<SettingSpec> FindSetting(std::string_view name);

// Errors: kInvalidArgument saying what the setting takes.
[[nodiscard]] Status CheckSettingValue(const SettingSpec& setting, const std::string& value);

}  // namespace staged
