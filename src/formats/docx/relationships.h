#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "codec/opc.h"

namespace staged::docx {

// The relationships of one part, found by id and by type.
class Relationships {
 public:
  Relationships() = default;  // none
  explicit Relationships(std::vector<OpcRelationship> all) : all_(std::move(all)) {
    for (size_t i = 0; i < all_.size(); ++i) index_by_id_.emplace(all_[i].id, i);
  }

  [[nodiscard]] const std::vector<OpcRelationship>& all() const { return all_; }
  // nullptr if absent.
  [[nodiscard]] const OpcRelationship* Find(const std::string& id) const {
    const auto found = index_by_id_.find(id);
    return found == index_by_id_.end() ? nullptr : &all_[found->second];
  }
  // The first one of that type ("styles"), or nullptr.
  [[nodiscard]] const OpcRelationship* FindByType(std::string_view type) const {
    for (const OpcRelationship& relationship : all_) {
      if (relationship.type == type) return &relationship;
    }
    return nullptr;
  }

 private:
  std::vector<OpcRelationship> all_;
  std::unordered_map<std::string, size_t> index_by_id_;
};

}  // namespace staged::docx
