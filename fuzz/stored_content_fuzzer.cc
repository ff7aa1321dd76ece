#include <algorithm>
#include <string>
#include <string_view>

#include "codec/zip.h"
#include "env/simulated_env.h"
#include "fuzz/format_fuzzing.h"
#include "store/local_object_store.h"

// Any content, stored in each way that there is (whole, along the members of an archive, as a
// version of another one), gives the same bytes again, also after the other one was collected.
namespace staged {
namespace {

PutOptions MembersOf(std::string_view bytes) {
  constexpr size_t kMembersMax = 64;
  PutOptions options;
  const Result<ZipReader> archive = ZipReader::Open(bytes, Limits());
  if (!archive.ok()) return options;
  for (const ZipMember& member : archive->members()) {
    if (options.rewritten_members.size() == kMembersMax) break;
    options.rewritten_members.push_back(member.name);
  }
  return options;
}

void Store(std::string_view bytes) {
  using fuzzing::Require;
  SimulatedEnv env;
  Require(env.MakeDirectories("/objects").ok());
  const auto store = OpenObjectStore(env, env.OpenDirectory("/objects").value(), {.threads = 1});
  Require(store.ok());
  const auto first = (*store)->Put(bytes, MembersOf(bytes));
  Require(first.ok() && *first == ContentHash::Of(bytes));
  std::string version(bytes);
  std::reverse(version.begin() + static_cast<ptrdiff_t>(version.size() / 2), version.end());
  PutOptions options = MembersOf(version);
  options.similar_to = &*first;
  const auto second = (*store)->Put(version, options);
  Require(second.ok() && (*store)->Get(*second).value() == version);
  Require((*store)->Get(*first).value() == bytes);
  Require((*store)->SizeOf(*first).value() == bytes.size());
  const auto report = (*store)->Collect({*second}, {});
  Require(report.ok() && report->damage.empty());
  Require((*store)->Get(*second).value() == version);
}

}  // namespace
}  // namespace staged

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  staged::Store(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
