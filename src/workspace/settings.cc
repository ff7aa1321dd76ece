#include "workspace/settings.h"

#include <algorithm>

#include "workspace/paths.h"

namespace staged {
namespace {

constexpr size_t kCountDigitsMax = 9;

}  // namespace

const std::vector<SettingSpec>& AllSettings() {
  static const std::vector<SettingSpec> settings = {
      {"branch.default", SettingKind::kBranch, ""},
      {"diff.budget", SettingKind::kCount, "0"},
      {"search.limit", SettingKind::kCount, "20"},
      {"submit.ignore-locks", SettingKind::kSwitch, "false"},
  };
  return settings;
}

Result<SettingSpec> FindSetting(std::string_view name) {
  std::string names = "policy";
  for (const SettingSpec& setting : AllSettings()) {
    if (setting.name == name) return setting;
    names += ", " + std::string(setting.name);
  }
  return Status(ErrorCode::kNotFound,
                "there is no setting '" + std::string(name) + "'; there are " + names);
}

Status CheckSettingValue(const SettingSpec& setting, const std::string& value) {
  const auto invalid = [&](const std::string& what) -> Status {
    return {ErrorCode::kInvalidArgument,
            "'" + std::string(setting.name) + "' takes " + what + ", not '" + value + "'"};
  };
  switch (setting.kind) {
    case SettingKind::kBranch: {
      const Status valid = CheckBranchName(value);
      return valid.ok() ? valid : invalid("the name of a branch");
    }
    case SettingKind::kCount: {
      const bool digits = !value.empty() && value.size() <= kCountDigitsMax &&
                          std::all_of(value.begin(), value.end(),
                                      [](char digit) { return digit >= '0' && digit <= '9'; });
      const bool zero = setting.default_value == "0";
      if (digits && (zero || value.find_first_not_of('0') != std::string::npos)) return OkStatus();
      return invalid(zero ? "a number from 0 (0: no limit)" : "a number from 1");
    }
    case SettingKind::kSwitch:
      return value == "true" || value == "false" ? OkStatus() : invalid("true or false");
  }
  return invalid("something else");
}

}  // namespace staged
