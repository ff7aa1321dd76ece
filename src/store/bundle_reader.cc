#include "store/bundle_reader.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "codec/zip.h"
#include "store/compression.h"

namespace staged {
namespace {

Decompressor& ThreadDecompressor() {
  thread_local Decompressor decompressor;
  return decompressor;
}

// Stored bytes of payloads that lie next to each other.
struct StoredRun {
  std::string bytes;
  std::vector<Payload> payloads;
  BundlePlace place;
};

class Assembler {
 public:
  Assembler(BundleCatalog& catalog, BundleFile& bundle) : catalog_(catalog), bundle_(bundle) {}

  Result<std::string> Run() {
    const BundleHeader& header = bundle_.header();
    runs_.resize(header.steps.size());
    STAGED_RETURN_IF_ERROR(Load());
    std::string content;
    content.reserve(std::min(expected_bytes_, header.native_size_bytes));
    for (size_t i = 0; i < header.steps.size(); ++i) {
      const Step& step = header.steps[i];
      if (step.kind == StepKind::kCopy) {
        STAGED_RETURN_IF_ERROR(AppendRun(runs_[i], content));
        continue;
      }
      std::string expanded;
      uint64_t expanded_bytes = 0;
      for (uint64_t copy = 1; copy <= step.count; ++copy) {
        for (const Payload& payload : runs_[i + copy].payloads) {
          expanded_bytes += payload.size_bytes;
        }
      }
      expanded.reserve(expanded_bytes);
      for (uint64_t copy = 1; copy <= step.count; ++copy) {
        STAGED_RETURN_IF_ERROR(AppendRun(runs_[i + copy], expanded));
      }
      i += step.count;
      content.append(ZipDeflate(expanded));
    }
    if (content.size() == header.native_size_bytes && ContentHash::Of(content) == header.key.hash) {
      return content;
    }
    return Explain();
  }

 private:
  // Reads every run, home by home, so that only one home is open at a time.
  Status Load() {
    const BundleHeader& header = bundle_.header();
    std::vector<size_t> order;
    for (size_t i = 0; i < header.steps.size(); ++i) {
      if (header.steps[i].kind == StepKind::kCopy) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](size_t left, size_t right) {
      return header.steps[left].home < header.steps[right].home;
    });
    size_t next = 0;
    for (; next < order.size() && header.steps[order[next]].home == 0; ++next) {
      STAGED_RETURN_IF_ERROR(LoadRun(bundle_, order[next]));
    }
    while (next < order.size()) {
      const uint64_t home_number = header.steps[order[next]].home;
      const BundleKey& key = header.homes[home_number - 1];
      Result<BundleFile> home = catalog_.OpenHome(key);
      if (!home.ok()) return MissingHome(key, home.status());
      for (; next < order.size() && header.steps[order[next]].home == home_number; ++next) {
        STAGED_RETURN_IF_ERROR(LoadRun(*home, order[next]));
      }
    }
    return OkStatus();
  }

  Status LoadRun(BundleFile& home, size_t step_number) {
    const Step& step = bundle_.header().steps[step_number];
    StoredRun& run = runs_[step_number];
    run.place = home.place();
    uint64_t stored_bytes = 0;
    for (uint64_t ordinal = step.first; ordinal < step.first + step.count; ++ordinal) {
      const Payload* payload = home.header().Find(ordinal);
      if (payload == nullptr) {
        return bundle_.Damage(
            "payload " + std::to_string(ordinal) + " is not in " + home.place().file, 0);
      }
      run.payloads.push_back(*payload);
      stored_bytes += payload->stored_size_bytes;
      expected_bytes_ += payload->size_bytes;
      if (expected_bytes_ > kContentSizeMaxBytes) return bundle_.Damage("content too large", 0);
    }
    STAGED_ASSIGN_OR_RETURN(run.bytes, home.Read(run.payloads.front().offset, stored_bytes));
    return OkStatus();
  }

  Status AppendRun(StoredRun& run, std::string& output) {
    std::string_view stored = run.bytes;
    for (const Payload& payload : run.payloads) {
      const Status appended = ThreadDecompressor().Append(
          payload.codec, stored.substr(0, payload.stored_size_bytes), payload.size_bytes, output);
      if (!appended.ok()) {
        return ObjectDamageStatus(bundle_.header().key.hash, run.place.file, appended.message(),
                                  run.place.offset + payload.offset);
      }
      stored.remove_prefix(payload.stored_size_bytes);
    }
    return OkStatus();
  }

  Status MissingHome(const BundleKey& key, const Status& status) {
    if (status.code() != ErrorCode::kNotFound && status.code() != ErrorCode::kDataLoss) {
      return status;
    }
    return bundle_.Damage("the bundle of " + key.hash.ToString() +
                              " that it shares bytes with cannot be read (" + status.message() +
                              ")",
                          0);
  }

  // The content's hash is wrong: finds the payload that is to blame.
  Status Explain() {
    for (const StoredRun& run : runs_) {
      std::string_view stored = run.bytes;
      for (const Payload& payload : run.payloads) {
        std::string bytes;
        const Status appended = ThreadDecompressor().Append(
            payload.codec, stored.substr(0, payload.stored_size_bytes), payload.size_bytes, bytes);
        if (!appended.ok() || ContentHash::Of(bytes) != payload.hash) {
          return ObjectDamageStatus(bundle_.header().key.hash, run.place.file, "checksum mismatch",
                                    run.place.offset + payload.offset);
        }
        stored.remove_prefix(payload.stored_size_bytes);
      }
    }
    const std::string& encoder = bundle_.header().encoder;
    if (!encoder.empty() && encoder != ZipEncoderName()) {
      return Status(ErrorCode::kUnsupportedEdit,
                    "object " + bundle_.header().key.hash.ToString() + " needs the encoder " +
                        encoder + ", this program has " + std::string(ZipEncoderName()) +
                        "; use a staged built with the former");
    }
    return bundle_.Damage("the content does not have its hash", 0);
  }

  BundleCatalog& catalog_;
  BundleFile& bundle_;
  std::vector<StoredRun> runs_;  // one per step, empty where the step is no copy
  uint64_t expected_bytes_ = 0;
};

}  // namespace

Result<std::string> ReadContent(BundleCatalog& catalog, BundleFile& bundle) {
  return Assembler(catalog, bundle).Run();
}

Result<std::string> ReadContent(BundleCatalog& catalog, const ContentHash& hash) {
  return catalog.Try<std::string>(hash, [&](const BundlePlace& place) -> Result<std::string> {
    STAGED_ASSIGN_OR_RETURN(BundleFile bundle, BundleFile::Open(catalog.objects(), place, hash));
    if (bundle.header().kind != BundleKind::kContent) {
      return Status(ErrorCode::kNotFound, "only a carrier");
    }
    return ReadContent(catalog, bundle);
  });
}

Status VerifyPayload(BundleFile& bundle, const Payload& payload, std::string_view stored) {
  std::string bytes;
  const Status appended =
      ThreadDecompressor().Append(payload.codec, stored, payload.size_bytes, bytes);
  if (appended.ok() && ContentHash::Of(bytes) == payload.hash) return OkStatus();
  return bundle.Damage("checksum mismatch", payload.offset);
}

}  // namespace staged
