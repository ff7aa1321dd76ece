#include "store/object_writer.h"

#include "store/bundle_reader.h"
#include "store/content_cutter.h"

namespace staged {
namespace {

Status CheckSize(std::string_view bytes) {
  if (bytes.size() <= kContentSizeMaxBytes) return OkStatus();
  return Status(ErrorCode::kLimitExceeded, "the content is larger than an object may be; split it");
}

// Gathers what the bundles behind `hash` hold. A hint that leads nowhere is no error.
KnownChunks LoadKnownChunks(BundleCatalog& catalog, const ContentHash& hash) {
  KnownChunks known;
  const Result<BundleFile> base = catalog.OpenContent(hash);
  if (!base.ok()) return known;
  // Its homes were durable before its own name was: only that name may be on its way still.
  if (!catalog.MakeDurable(base->place()).ok()) return known;
  known.Add(base->header());
  for (const BundleKey& key : base->header().homes) {
    const Result<BundleFile> home = catalog.OpenHome(key);
    if (home.ok()) known.Add(home->header());
  }
  return known;
}

}  // namespace

Result<Existing> FindExisting(BundleCatalog& catalog, const ContentHash& hash,
                              std::string_view bytes, bool fresh) {
  Existing existing;
  if (fresh) STAGED_RETURN_IF_ERROR(catalog.RefreshPacks());
  for (const BundlePlace& place : catalog.Places(hash)) {
    Result<BundleFile> bundle = BundleFile::Open(catalog.objects(), place, hash);
    Status status = bundle.ok() ? OkStatus() : bundle.status();
    if (bundle.ok() && bundle->header().kind == BundleKind::kContent) {
      const Result<std::string> content = ReadContent(catalog, *bundle);
      if (content.ok() && *content == bytes) {
        existing.sound = true;
        existing.place = place;
        return existing;
      }
      status = content.ok() ? Status(ErrorCode::kDataLoss, "another content") : content.status();
    }
    const bool is_loose = place.size_bytes == 0;
    if (is_loose && !status.ok() && status.code() != ErrorCode::kNotFound) {
      existing.damaged_loose = true;
    }
  }
  return existing;
}

Result<ContentHash> PutLoose(BundleCatalog& catalog, std::string_view bytes,
                             const PutOptions& options, int threads) {
  STAGED_RETURN_IF_ERROR(CheckSize(bytes));
  const CutContent cut = CutForStorage(bytes, options, threads);
  STAGED_ASSIGN_OR_RETURN(const Existing existing,
                          FindExisting(catalog, cut.hash, bytes, /*fresh=*/true));
  if (existing.sound) {
    STAGED_RETURN_IF_ERROR(catalog.MakeDurable(existing.place));
    return cut.hash;
  }
  KnownChunks known;
  const bool is_whole = cut.pieces.size() == 1 && cut.pieces[0].chunks.size() == 1;
  if (options.similar_to != nullptr && *options.similar_to != cut.hash && !is_whole) {
    known = LoadKnownChunks(catalog, *options.similar_to);
  }
  const EncodedBundle bundle = BuildBundle(cut, known, threads);
  STAGED_RETURN_IF_ERROR(catalog.WriteLoose(bundle, existing.damaged_loose));
  return cut.hash;
}

}  // namespace staged
