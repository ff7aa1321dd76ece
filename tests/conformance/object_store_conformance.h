#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "staged/ext/object_store.h"

// What every ObjectStore must do, whatever it is made of. To test one, instantiate the suite:
//   INSTANTIATE_TEST_SUITE_P(Local, ObjectStoreConformance,
//                            testing::Values(ObjectStoreCase{"local", MakeLocal}), CaseName);
namespace staged {

// One store's place; what it holds lives as long as this object.
class ObjectStorePlace {
 public:
  virtual ~ObjectStorePlace() = default;
  // Another handle on the same store, as another process would have it.
  virtual Result<std::unique_ptr<ObjectStore>> Open() = 0;
};

struct ObjectStoreCase {
  std::string name;
  std::function<std::unique_ptr<ObjectStorePlace>()> make;  // an empty place
};

inline std::string CaseName(const testing::TestParamInfo<ObjectStoreCase>& info) {
  return info.param.name;
}

class ObjectStoreConformance : public testing::TestWithParam<ObjectStoreCase> {
 protected:
  void SetUp() override {
    place_ = GetParam().make();
    store_ = Open();
  }

  std::unique_ptr<ObjectStore> Open();

  std::unique_ptr<ObjectStorePlace> place_;
  std::unique_ptr<ObjectStore> store_;
};

}  // namespace staged
