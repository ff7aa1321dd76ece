#include "store/inventory.h"

#include <algorithm>
#include <set>
#include <utility>

#include "store/bundle_reader.h"

namespace staged {
namespace {

constexpr int kAttempts = 10;

bool PayloadIsSound(BundleCatalog& catalog, const Instance& instance, const Payload& payload) {
  Result<BundleFile> bundle =
      BundleFile::Open(catalog.objects(), instance.place, instance.header.key.hash);
  if (!bundle.ok()) return false;
  const Result<std::string> stored = bundle->Read(payload.offset, payload.stored_size_bytes);
  return stored.ok() && VerifyPayload(*bundle, payload, *stored).ok();
}

bool ContentIsSound(BundleCatalog& catalog, const Instance& instance) {
  Result<BundleFile> bundle =
      BundleFile::Open(catalog.objects(), instance.place, instance.header.key.hash);
  return bundle.ok() && ReadContent(catalog, *bundle).ok();
}

std::vector<std::string> PackFiles(BundleCatalog& catalog) {
  std::vector<std::string> files;
  for (const std::shared_ptr<Pack>& pack : catalog.packs()) files.push_back(pack->file());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

bool Instance::needs_any_payload() const {
  return std::find(payload_needed.begin(), payload_needed.end(), true) != payload_needed.end();
}

bool Instance::is_fully_needed() const {
  const bool all =
      std::find(payload_needed.begin(), payload_needed.end(), false) == payload_needed.end();
  return all && (is_live || header.kind == BundleKind::kCarrier);
}

Result<Inventory> Inventory::Load(BundleCatalog& catalog) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    Result<Inventory> inventory = LoadOnce(catalog);
    if (inventory.ok() || inventory.status().code() != ErrorCode::kNotFound) return inventory;
  }
  return Status(ErrorCode::kBusy, "the store keeps changing; try again when its collection ended");
}

Result<Inventory> Inventory::LoadOnce(BundleCatalog& catalog) {
  Inventory inventory;
  STAGED_RETURN_IF_ERROR(catalog.RefreshPacks());
  STAGED_RETURN_IF_ERROR(catalog.CheckPacks());
  const std::vector<std::string> packs = PackFiles(catalog);
  for (const std::shared_ptr<Pack>& pack : catalog.packs()) {
    STAGED_ASSIGN_OR_RETURN(std::vector<PackEntry> entries, pack->Entries());
    std::sort(entries.begin(), entries.end(), [](const PackEntry& left, const PackEntry& right) {
      return left.offset < right.offset;
    });
    std::vector<std::pair<ContentHash, BundlePlace>> places;
    for (const PackEntry& entry : entries) {
      places.push_back({entry.key.hash, {pack->file(), entry.offset, entry.size_bytes}});
    }
    Container container{.file = pack->file(), .size_bytes = pack->size_bytes(), .is_pack = true};
    container.damage = pack->damage();
    STAGED_RETURN_IF_ERROR(inventory.AddContainer(catalog, std::move(container), places));
  }
  STAGED_ASSIGN_OR_RETURN(const std::vector<ContentHash> loose, catalog.ListLoose());
  for (const ContentHash& hash : loose) {
    const std::string path = BundleCatalog::LoosePath(hash);
    STAGED_ASSIGN_OR_RETURN(const FileStatus status, catalog.objects().Stat(path));
    Container container{.file = path, .size_bytes = status.size_bytes};
    STAGED_RETURN_IF_ERROR(
        inventory.AddContainer(catalog, std::move(container), {{hash, {path, 0, 0}}}));
  }
  // What a collection moved from a loose file to a new pack meanwhile would be in neither list.
  STAGED_RETURN_IF_ERROR(catalog.RefreshPacks());
  if (PackFiles(catalog) != packs) {
    return Status(ErrorCode::kNotFound, "the store changed while it was listed; list it again");
  }
  return inventory;
}

Status Inventory::AddContainer(BundleCatalog& catalog, Container container,
                               const std::vector<std::pair<ContentHash, BundlePlace>>& places) {
  for (const auto& [hash, place] : places) {
    Result<BundleFile> bundle = BundleFile::Open(catalog.objects(), place, hash);
    if (!bundle.ok()) {
      const Status& status = bundle.status();
      if (status.code() != ErrorCode::kDataLoss) return status;
      container.unreadable.push_back({hash, place.file, status.message()});
      continue;
    }
    Instance instance{.place = place, .header = bundle->header(), .container = containers_.size()};
    instance.payload_needed.resize(instance.header.payloads.size());
    by_key_[instance.header.key].push_back(instances_.size());
    container.instances.push_back(instances_.size());
    instances_.push_back(std::move(instance));
  }
  containers_.push_back(std::move(container));
  return OkStatus();
}

std::vector<ContentHash> Inventory::Contents() const {
  std::set<ContentHash> hashes;
  for (const Instance& instance : instances_) {
    if (instance.header.kind == BundleKind::kContent) hashes.insert(instance.header.key.hash);
  }
  for (const Container& container : containers_) {
    for (const ObjectDamage& damage : container.unreadable) hashes.insert(damage.hash);
  }
  return {hashes.begin(), hashes.end()};
}

uint64_t Inventory::stored_bytes() const {
  uint64_t size = 0;
  for (const Container& container : containers_) size += container.size_bytes;
  return size;
}

uint64_t Inventory::content_bytes() const {
  uint64_t size = 0;
  std::unordered_set<ContentHash> seen;
  for (const Instance& instance : instances_) {
    if (instance.header.kind == BundleKind::kContent &&
        seen.insert(instance.header.key.hash).second) {
      size += instance.header.native_size_bytes;
    }
  }
  return size;
}

Instance* Inventory::FindPayload(BundleCatalog& catalog, const BundleKey& key, uint64_t ordinal,
                                 size_t& index) {
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return nullptr;
  for (const size_t number : found->second) {
    Instance& instance = instances_[number];
    const Payload* payload = instance.header.Find(ordinal);
    if (payload == nullptr) continue;
    index = static_cast<size_t>(payload - instance.header.payloads.data());
    // Several copies: one of them may be damaged, and that one must not be the one that stays.
    if (instance.payload_needed[index] || found->second.size() == 1 ||
        PayloadIsSound(catalog, instance, *payload)) {
      return &instance;
    }
  }
  return nullptr;
}

bool Inventory::MarkInstance(BundleCatalog& catalog, Instance& instance) {
  const BundleHeader& header = instance.header;
  std::vector<std::pair<Instance*, size_t>> needed;
  bool complete = true;
  for (const Step& step : header.steps) {
    if (step.kind != StepKind::kCopy) continue;
    const BundleKey& key = step.home == 0 ? header.key : header.homes[step.home - 1];
    for (uint64_t ordinal = step.first; ordinal < step.first + step.count; ++ordinal) {
      size_t index = 0;
      Instance* holder = FindPayload(catalog, key, ordinal, index);
      if (holder == nullptr) {
        complete = false;
      } else {
        needed.emplace_back(holder, index);
      }
    }
  }
  for (const auto& [holder, index] : needed) holder->payload_needed[index] = true;
  instance.is_live = complete;
  return complete;
}

std::vector<ObjectDamage> Inventory::Mark(BundleCatalog& catalog,
                                          const std::unordered_set<ContentHash>& live) {
  std::vector<ContentHash> wanted(live.begin(), live.end());
  std::sort(wanted.begin(), wanted.end());
  std::vector<ObjectDamage> lost;
  for (const ContentHash& hash : wanted) {
    std::vector<size_t> candidates;
    for (auto entry = by_key_.lower_bound({hash, {}});
         entry != by_key_.end() && entry->first.hash == hash; ++entry) {
      for (const size_t number : entry->second) {
        if (instances_[number].header.kind == BundleKind::kContent) candidates.push_back(number);
      }
    }
    bool marked = false;
    for (const size_t number : candidates) {
      if (candidates.size() > 1 && !ContentIsSound(catalog, instances_[number])) continue;
      marked = MarkInstance(catalog, instances_[number]);
      if (marked) break;
    }
    if (marked) continue;
    const bool is_there = !candidates.empty();
    lost.push_back({hash, is_there ? instances_[candidates.front()].place.file : "",
                    is_there ? "bytes that it needs are missing" : "no readable object"});
    // What is left of it stays where it is, for whoever tries to repair it.
    for (const size_t number : candidates) {
      containers_[instances_[number].container].must_stay = true;
    }
  }
  return lost;
}

}  // namespace staged
