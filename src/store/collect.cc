#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "store/bundle_reader.h"
#include "store/inventory.h"
#include "store/maintenance.h"

namespace staged {
namespace {

// Packs of at least this size with nothing to drop stay as they are; smaller ones are joined.
constexpr uint64_t kPackKeptFromBytes = uint64_t{64} << 20;
// A new pack is begun when one gets this large.
constexpr uint64_t kPackFullBytes = uint64_t{2} << 30;

// Writes what is needed of some files into new packs, and then removes the files. Until the new
// packs are durable nothing is removed; bundles that are there twice after a crash do no harm.
class Repacker {
 public:
  Repacker(BundleCatalog& catalog, Inventory& inventory, ObjectStore::Progress progress)
      : catalog_(catalog), inventory_(inventory), progress_(std::move(progress)) {}

  Status Run(const std::vector<size_t>& containers) {
    uint64_t total = 0;
    for (const size_t number : containers) {
      total += inventory_.containers()[number].instances.size();
    }
    uint64_t done = 0;
    for (const size_t number : containers) {
      Container& container = inventory_.containers()[number];
      for (const size_t instance : container.instances) {
        STAGED_RETURN_IF_ERROR(Copy(inventory_.instances()[instance], container));
        ++done;
        if (progress_) progress_(done, total);
      }
    }
    STAGED_RETURN_IF_ERROR(FinishPack());
    for (const size_t number : containers) {
      STAGED_RETURN_IF_ERROR(Remove(inventory_.containers()[number]));
    }
    return OkStatus();
  }

  // Makes the removals survive power loss.
  Status SyncRemovals() {
    for (const std::string& folder : touched_folders_) {
      STAGED_RETURN_IF_ERROR(catalog_.objects().SyncDirectory(folder));
    }
    return OkStatus();
  }

  [[nodiscard]] uint64_t written_bytes() const { return written_bytes_; }
  [[nodiscard]] uint64_t removed_bytes() const { return removed_bytes_; }
  [[nodiscard]] std::vector<ObjectDamage>& damage() { return damage_; }

 private:
  Status Copy(const Instance& instance, Container& container) {
    if (!instance.is_live && !instance.needs_any_payload()) return OkStatus();
    EncodedBundle copy;
    const Status read = ReadNeeded(instance, copy);
    if (read.code() == ErrorCode::kDataLoss) {
      damage_.push_back({instance.header.key.hash, instance.place.file, read.message()});
      container.must_stay = true;
      return OkStatus();
    }
    STAGED_RETURN_IF_ERROR(read);
    if (writer_ == nullptr) {
      STAGED_ASSIGN_OR_RETURN(writer_, PackWriter::Create(catalog_.env(), catalog_.objects()));
    }
    STAGED_RETURN_IF_ERROR(writer_->Append(copy));
    return writer_->size_bytes() >= kPackFullBytes ? FinishPack() : OkStatus();
  }

  Status ReadNeeded(const Instance& instance, EncodedBundle& copy) {
    STAGED_ASSIGN_OR_RETURN(BundleFile bundle, BundleFile::Open(catalog_.objects(), instance.place,
                                                                instance.header.key.hash));
    copy.header = bundle.header();
    if (copy.header.payloads.size() != instance.payload_needed.size()) {
      return bundle.Damage("changed while it was read", 0);
    }
    if (!instance.is_live) {
      copy.header.kind = BundleKind::kCarrier;
      copy.header.native_size_bytes = 0;
      copy.header.encoder.clear();
      copy.header.homes.clear();
      copy.header.steps.clear();
    }
    copy.header.payloads.clear();
    for (size_t i = 0; i < instance.payload_needed.size(); ++i) {
      if (!instance.payload_needed[i]) continue;
      const Payload& payload = bundle.header().payloads[i];
      STAGED_ASSIGN_OR_RETURN(std::string stored,
                              bundle.Read(payload.offset, payload.stored_size_bytes));
      STAGED_RETURN_IF_ERROR(VerifyPayload(bundle, payload, stored));
      copy.header.payloads.push_back(payload);
      copy.payloads.emplace_back(copy.compressed.emplace_back(std::move(stored)));
    }
    copy.encoded_header = EncodeBundleHeader(copy.header);
    return OkStatus();
  }

  Status FinishPack() {
    if (writer_ == nullptr) return OkStatus();
    STAGED_RETURN_IF_ERROR(writer_->Finish().status());
    written_bytes_ += writer_->size_bytes();
    writer_.reset();
    return OkStatus();
  }

  Status Remove(const Container& container) {
    if (container.must_stay) return OkStatus();
    STAGED_RETURN_IF_ERROR(catalog_.objects().RemoveFile(container.file));
    removed_bytes_ += container.size_bytes;
    touched_folders_.insert(container.file.substr(0, container.file.find('/')));
    return OkStatus();
  }

  BundleCatalog& catalog_;
  Inventory& inventory_;
  const ObjectStore::Progress progress_;
  std::unique_ptr<PackWriter> writer_;
  std::vector<ObjectDamage> damage_;
  std::set<std::string> touched_folders_;
  uint64_t written_bytes_ = 0;
  uint64_t removed_bytes_ = 0;
};

// A writer puts its content before it waits for its turn, so that one may be at work here: only
// what nobody wrote to for so long was left behind by a crash.
constexpr int64_t kAbandonedAfterNs = int64_t{3600} * 1'000'000'000;

// A file that vanishes meanwhile is somebody's finished one.
Status RemoveAbandonedFiles(Env& env, Directory& objects) {
  const std::string folder(kObjectTemporaryFolder);
  const int64_t now_ns = env.NowNs();
  STAGED_ASSIGN_OR_RETURN(const std::vector<ListedItem> items, objects.ListWithStatus(folder));
  for (const ListedItem& item : items) {
    if (now_ns - item.status.modified_ns < kAbandonedAfterNs) continue;
    const Status removed = objects.RemoveFile(folder + "/" + item.name);
    if (!removed.ok() && removed.code() != ErrorCode::kNotFound) return removed;
  }
  return OkStatus();
}

std::vector<size_t> ChooseContainers(Inventory& inventory) {
  std::vector<size_t> chosen;
  bool has_something_to_drop = false;
  for (size_t number = 0; number < inventory.containers().size(); ++number) {
    const Container& container = inventory.containers()[number];
    bool clean = container.is_pack && container.damage.empty() && container.unreadable.empty();
    for (const size_t instance : container.instances) {
      clean = clean && inventory.instances()[instance].is_fully_needed();
    }
    if (clean && container.size_bytes >= kPackKeptFromBytes) continue;
    has_something_to_drop = has_something_to_drop || !clean;
    chosen.push_back(number);
  }
  // Copying a single good pack brings nothing.
  if (chosen.size() == 1 && !has_something_to_drop) chosen.clear();
  return chosen;
}

}  // namespace

Result<StoreReport> CollectObjects(BundleCatalog& catalog,
                                   const std::unordered_set<ContentHash>& live,
                                   const ObjectStore::Progress& progress) {
  STAGED_RETURN_IF_ERROR(RemoveAbandonedFiles(catalog.env(), catalog.objects()));
  STAGED_ASSIGN_OR_RETURN(Inventory inventory, Inventory::Load(catalog));
  const std::vector<ContentHash> before = inventory.Contents();
  const uint64_t stored_before = inventory.stored_bytes();
  StoreReport report;
  report.damage = inventory.Mark(catalog, live);
  // While something live is broken, every unreadable bundle may be the one that it lacks.
  const bool something_is_lost = !report.damage.empty();
  for (Container& container : inventory.containers()) {
    container.must_stay =
        container.must_stay || (something_is_lost && !container.unreadable.empty());
    for (const ObjectDamage& damage : container.unreadable) {
      if (something_is_lost || live.contains(damage.hash)) report.damage.push_back(damage);
    }
  }
  Repacker repacker(catalog, inventory, progress);
  STAGED_RETURN_IF_ERROR(repacker.Run(ChooseContainers(inventory)));
  report.damage.insert(report.damage.end(), repacker.damage().begin(), repacker.damage().end());
  STAGED_RETURN_IF_ERROR(catalog.RefreshPacks());

  for (const ContentHash& hash : before) {
    if (live.contains(hash)) {
      ++report.objects;
    } else {
      ++report.removed_objects;
    }
  }
  for (const Instance& instance : inventory.instances()) {
    if (instance.is_live) report.content_bytes += instance.header.native_size_bytes;
  }
  report.stored_bytes = stored_before - repacker.removed_bytes() + repacker.written_bytes();
  if (stored_before > report.stored_bytes) {
    report.removed_bytes = stored_before - report.stored_bytes;
  }
  return report;
}

namespace {

// The files to be written anew without one content: those that hold it, and those with parts of it
// that nobody else needs, which others once shared with it.
std::vector<size_t> ContainersOf(Inventory& inventory, const ContentHash& hash) {
  std::set<BundleKey> homes;
  for (const Instance& instance : inventory.instances()) {
    if (instance.header.key.hash != hash) continue;
    homes.insert(instance.header.homes.begin(), instance.header.homes.end());
  }
  std::vector<size_t> chosen;
  for (size_t number = 0; number < inventory.containers().size(); ++number) {
    const Container& container = inventory.containers()[number];
    bool holds = std::any_of(container.unreadable.begin(), container.unreadable.end(),
                             [&](const ObjectDamage& damage) { return damage.hash == hash; });
    for (const size_t position : container.instances) {
      const Instance& instance = inventory.instances()[position];
      const BundleKey& key = instance.header.key;
      holds = holds || key.hash == hash || (homes.contains(key) && !instance.is_fully_needed());
    }
    if (holds) chosen.push_back(number);
  }
  return chosen;
}

}  // namespace

Status ForgetObject(BundleCatalog& catalog, const ContentHash& hash) {
  STAGED_RETURN_IF_ERROR(RemoveAbandonedFiles(catalog.env(), catalog.objects()));
  STAGED_ASSIGN_OR_RETURN(Inventory inventory, Inventory::Load(catalog));
  const std::vector<ContentHash> contents = inventory.Contents();
  std::unordered_set<ContentHash> others(contents.begin(), contents.end());
  if (others.erase(hash) == 0) {
    return Status(ErrorCode::kNotFound, "no object " + hash.ToString() +
                                            " in the store; check the hash with `staged log`");
  }
  // Others that are damaged already are not this call's business.
  (void)inventory.Mark(catalog, others);
  const std::vector<size_t> chosen = ContainersOf(inventory, hash);
  for (const size_t number : chosen) {
    // For good means for good, also where other damage would be a reason to keep the file.
    inventory.containers()[number].must_stay = false;
  }
  Repacker repacker(catalog, inventory, {});
  STAGED_RETURN_IF_ERROR(repacker.Run(chosen));
  STAGED_RETURN_IF_ERROR(repacker.SyncRemovals());
  STAGED_RETURN_IF_ERROR(catalog.RefreshPacks());
  if (repacker.damage().empty()) return OkStatus();
  return Status(ErrorCode::kDataLoss,
                "the object shares a file with a damaged one; forget that one first: " +
                    repacker.damage().front().reason);
}

}  // namespace staged
