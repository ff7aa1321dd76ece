#include "store/local_object_store.h"

#include <filesystem>
#include <string>

#include "env/posix_env.h"
#include "env/simulated_env.h"
#include "tests/conformance/object_store_conformance.h"

namespace staged {
namespace {

class LocalPlace : public ObjectStorePlace {
 public:
  LocalPlace() : env_(NewPosixEnv()) {
    std::string name = testing::TempDir() + "objects_XXXXXX";
    path_ = mkdtemp(name.data());
  }
  ~LocalPlace() override { std::filesystem::remove_all(path_); }

  Result<std::unique_ptr<ObjectStore>> Open() override {
    STAGED_ASSIGN_OR_RETURN(std::unique_ptr<Directory> objects, env_->OpenDirectory(path_));
    return OpenObjectStore(*env_, std::move(objects));
  }

 private:
  std::unique_ptr<Env> env_;
  std::string path_;
};

class SimulatedPlace : public ObjectStorePlace {
 public:
  SimulatedPlace() { EXPECT_TRUE(env_.MakeDirectories("/objects").ok()); }

  Result<std::unique_ptr<ObjectStore>> Open() override {
    STAGED_ASSIGN_OR_RETURN(std::unique_ptr<Directory> objects, env_.OpenDirectory("/objects"));
    return OpenObjectStore(env_, std::move(objects));
  }

 private:
  SimulatedEnv env_;
};

INSTANTIATE_TEST_SUITE_P(
    Store, ObjectStoreConformance,
    testing::Values(ObjectStoreCase{"local", [] { return std::make_unique<LocalPlace>(); }},
                    ObjectStoreCase{"simulated",
                                    [] { return std::make_unique<SimulatedPlace>(); }}),
    CaseName);

}  // namespace
}  // namespace staged
