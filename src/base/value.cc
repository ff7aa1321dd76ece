#include "staged/value.h"

#include <cassert>

namespace staged {

const Value* Value::Find(std::string_view name) const {
  if (!is_object()) return nullptr;
  for (const Member& member : as_object()) {
    if (member.first == name) return &member.second;
  }
  return nullptr;
}

std::string_view Value::FindString(std::string_view name, std::string_view fallback) const {
  const Value* member = Find(name);
  return member != nullptr && member->is_string() ? std::string_view(member->as_string())
                                                  : fallback;
}

void Value::Set(std::string_view name, Value value) {
  if (is_null()) data_ = Object{};
  assert(is_object());
  for (Member& member : as_object()) {
    if (member.first == name) {
      member.second = std::move(value);
      return;
    }
  }
  as_object().emplace_back(std::string(name), std::move(value));
}

}  // namespace staged
