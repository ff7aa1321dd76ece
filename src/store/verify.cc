#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include "base/parallel.h"
#include "store/bundle_reader.h"
#include "store/inventory.h"
#include "store/maintenance.h"

namespace staged {
namespace {

Status VerifyAtPlace(BundleCatalog& catalog, const Instance& instance) {
  STAGED_ASSIGN_OR_RETURN(BundleFile bundle, BundleFile::Open(catalog.objects(), instance.place,
                                                              instance.header.key.hash));
  if (bundle.header().kind == BundleKind::kContent) {
    return ReadContent(catalog, bundle).status();
  }
  for (const Payload& payload : bundle.header().payloads) {
    STAGED_ASSIGN_OR_RETURN(const std::string stored,
                            bundle.Read(payload.offset, payload.stored_size_bytes));
    STAGED_RETURN_IF_ERROR(VerifyPayload(bundle, payload, stored));
  }
  return OkStatus();
}

Status VerifyInstance(BundleCatalog& catalog, const Instance& instance) {
  Status status = VerifyAtPlace(catalog, instance);
  if (status.code() != ErrorCode::kNotFound) return status;
  // Another process's collection moved or removed it meanwhile.
  if (instance.header.kind == BundleKind::kCarrier) return OkStatus();
  status = ReadContent(catalog, instance.header.key.hash).status();
  return status.code() == ErrorCode::kNotFound ? OkStatus() : status;
}

StoreReport Summary(const Inventory& inventory) {
  StoreReport report;
  report.objects = inventory.Contents().size();
  report.stored_bytes = inventory.stored_bytes();
  report.content_bytes = inventory.content_bytes();
  return report;
}

}  // namespace

Result<StoreReport> VerifyObjects(BundleCatalog& catalog, int threads,
                                  const ObjectStore::Progress& progress) {
  STAGED_ASSIGN_OR_RETURN(Inventory inventory, Inventory::Load(catalog));
  StoreReport report = Summary(inventory);
  for (const Container& container : inventory.containers()) {
    report.damage.insert(report.damage.end(), container.unreadable.begin(),
                         container.unreadable.end());
    if (!container.damage.empty()) {
      report.damage.push_back({ContentHash(), container.file, container.damage});
    }
  }
  std::mutex mutex;
  uint64_t done = 0;
  const std::vector<Instance>& instances = inventory.instances();
  ParallelFor(instances.size(), threads, [&](size_t i) {
    const Status status = VerifyInstance(catalog, instances[i]);
    const std::lock_guard lock(mutex);
    if (!status.ok()) {
      report.damage.push_back(
          {instances[i].header.key.hash, instances[i].place.file, status.message()});
    }
    ++done;
    if (progress) progress(done, instances.size());
  });
  std::sort(report.damage.begin(), report.damage.end(),
            [](const ObjectDamage& left, const ObjectDamage& right) {
              return std::tie(left.hash, left.file, left.reason) <
                     std::tie(right.hash, right.file, right.reason);
            });
  return report;
}

Result<StoreReport> MeasureUsage(BundleCatalog& catalog) {
  STAGED_ASSIGN_OR_RETURN(const Inventory inventory, Inventory::Load(catalog));
  return Summary(inventory);
}

}  // namespace staged
