#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "env/simulated_env.h"
#include "staged/content_hash.h"
#include "store/bundle.h"
#include "store/checksum.h"
#include "store/local_object_store.h"
#include "store/object_format.h"
#include "store/pack.h"

// The decoders of the object store's files, on any bytes: alone, with the checksums made right (so
// that damage gets past them), and as a store that holds the bytes as a loose file and as a pack.
namespace staged {
namespace {

void RequireSame(bool same) {
  if (!same) std::abort();
}

// Gives the bytes a head that fits them, so that what follows is looked at.
std::string WithRightHead(std::string_view bytes) {
  std::string bundle(bytes);
  if (bundle.size() < kBundleHeadSizeBytes) return bundle;
  std::memcpy(bundle.data(), kBundleMagic.data(), kBundleMagic.size());
  bundle[kBundleMagic.size()] = kBundleVersion;
  const Result<BundleHead> head = DecodeBundleHead(bundle);
  if (!head.ok() || head->header_size_bytes > bundle.size()) return bundle;
  const size_t checked = kBundleHeadSizeBytes - sizeof(uint64_t);
  const std::string_view view = bundle;
  const uint64_t checksum =
      Checksum(view.substr(0, checked),
               view.substr(kBundleHeadSizeBytes, head->header_size_bytes - kBundleHeadSizeBytes));
  for (size_t i = 0; i < sizeof(checksum); ++i) {
    bundle[checked + i] = static_cast<char>(checksum >> (8 * i));
  }
  return bundle;
}

void DecodeAlone(std::string_view bytes) {
  const Result<BundleHeader> decoded = DecodeBundleHeader(bytes);
  if (decoded.ok()) {
    BundleHeader again = *decoded;
    const Result<BundleHeader> same = DecodeBundleHeader(EncodeBundleHeader(again));
    RequireSame(same.ok() && same->steps == decoded->steps && same->homes == decoded->homes);
  }
  if (bytes.size() >= kPackFooterSizeBytes) {
    const Result<PackFooter> footer =
        DecodePackFooter(bytes.substr(bytes.size() - kPackFooterSizeBytes), bytes.size());
    if (footer.ok()) (void)DecodePackSlice(bytes, *footer, bytes.size() % kPackSliceCount);
  }
}

void ReadAsStore(std::string_view bytes) {
  SimulatedEnv env;
  RequireSame(env.MakeDirectories("/objects").ok());
  Result<std::unique_ptr<Directory>> directory = env.OpenDirectory("/objects");
  Result<std::unique_ptr<ObjectStore>> store = OpenObjectStore(env, std::move(directory).value());
  RequireSame(store.ok());
  const Result<BundleHeader> header = DecodeBundleHeader(bytes);
  const std::string hex = (header.ok() ? header->key.hash : ContentHash::Of("any")).ToHex();
  const std::string loose = "/objects/" + hex.substr(0, 2) + "/" + hex.substr(2);
  RequireSame(env.ExternalWrite(loose, bytes, Durability::kDurable).ok());
  const std::string pack = EncodePackHead() + std::string(bytes);
  RequireSame(env.ExternalWrite("/objects/packs/any.pack", pack, Durability::kDurable).ok());
  const Result<std::vector<ContentHash>> listed = (*store)->List();
  if (!listed.ok()) return;
  for (const ContentHash& hash : *listed) {
    const Result<std::string> got = (*store)->Get(hash);
    if (got.ok()) RequireSame(ContentHash::Of(*got) == hash);
    (void)(*store)->SizeOf(hash);
  }
  (void)(*store)->Verify({});
  (void)(*store)->Collect({listed->begin(), listed->end()}, {});
}

}  // namespace
}  // namespace staged

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  staged::DecodeAlone(bytes);
  const std::string fitting = staged::WithRightHead(bytes);
  staged::DecodeAlone(fitting);
  staged::ReadAsStore(fitting);
  return 0;
}
