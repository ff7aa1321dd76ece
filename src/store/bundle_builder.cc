#include "store/bundle_builder.h"

#include <algorithm>
#include <utility>

#include "base/parallel.h"
#include "codec/zip.h"
#include "store/compression.h"

namespace staged {
namespace {

constexpr size_t kChunksPerTask = 16;

// Lists the steps and which chunks are new.
class Planner {
 public:
  Planner(const KnownChunks& known, BundleHeader& header)
      : known_(known), header_(header), home_numbers_(known.homes().size(), 0) {}

  void Add(const CutPiece& piece) {
    size_t deflate_step = 0;
    if (piece.deflated) {
      deflate_step = header_.steps.size();
      header_.encoder = ZipEncoderName();
      header_.steps.push_back(
          {.kind = StepKind::kDeflate, .size_bytes = piece.deflated_size_bytes});
    }
    run_open_ = false;  // a run never crosses the border of a piece
    for (const Chunk& chunk : piece.chunks) AddChunk(chunk);
    if (piece.deflated) {
      header_.steps[deflate_step].count = header_.steps.size() - deflate_step - 1;
      run_open_ = false;
    }
  }

  [[nodiscard]] const std::vector<std::string_view>& new_chunks() const { return new_chunks_; }

 private:
  void AddChunk(const Chunk& chunk) {
    if (const auto own = own_.find(chunk.hash); own != own_.end()) {
      return AddCopy(0, own->second);
    }
    if (const KnownChunks::Place* place = known_.Find(chunk.hash)) {
      return AddCopy(HomeNumber(place->home), place->ordinal);
    }
    const auto ordinal = static_cast<uint32_t>(header_.payloads.size());
    own_.emplace(chunk.hash, ordinal);
    header_.payloads.push_back(
        {.ordinal = ordinal, .size_bytes = chunk.bytes.size(), .hash = chunk.hash});
    new_chunks_.push_back(chunk.bytes);
    AddCopy(0, ordinal);
  }

  uint64_t HomeNumber(size_t known_home) {
    uint64_t& number = home_numbers_[known_home];
    if (number == 0) {
      header_.homes.push_back(known_.homes()[known_home]);
      number = header_.homes.size();
    }
    return number;
  }

  void AddCopy(uint64_t home, uint64_t ordinal) {
    if (run_open_) {
      Step& last = header_.steps.back();
      if (last.home == home && last.first + last.count == ordinal) {
        ++last.count;
        return;
      }
    }
    header_.steps.push_back({.kind = StepKind::kCopy, .home = home, .first = ordinal, .count = 1});
    run_open_ = true;
  }

  const KnownChunks& known_;
  BundleHeader& header_;
  std::vector<uint64_t> home_numbers_;  // per known home its number in the header, 0 if not used
  std::unordered_map<ContentHash, uint32_t> own_;
  std::vector<std::string_view> new_chunks_;
  bool run_open_ = false;
};

}  // namespace

void KnownChunks::Add(const BundleHeader& header) {
  const size_t home = homes_.size();
  homes_.push_back(header.key);
  for (const Payload& payload : header.payloads) {
    places_.try_emplace(payload.hash, Place{home, payload.ordinal});
  }
}

const KnownChunks::Place* KnownChunks::Find(const ContentHash& hash) const {
  const auto found = places_.find(hash);
  return found == places_.end() ? nullptr : &found->second;
}

EncodedBundle BuildBundle(const CutContent& cut, const KnownChunks& known, int threads) {
  EncodedBundle bundle;
  BundleHeader& header = bundle.header;
  header.key.hash = cut.hash;
  header.native_size_bytes = cut.size_bytes;
  Planner planner(known, header);
  for (const CutPiece& piece : cut.pieces) planner.Add(piece);
  header.key.id = MakeBundleId(header.payloads);

  bundle.payloads = planner.new_chunks();
  const size_t count = bundle.payloads.size();
  std::vector<std::string*> rooms(count);
  for (std::string*& room : rooms) room = &bundle.compressed.emplace_back();
  const size_t task_count = (count + kChunksPerTask - 1) / kChunksPerTask;
  ParallelFor(task_count, threads, [&](size_t task) {
    thread_local Compressor compressor;
    compressor.Forget();  // so that what is stored does not depend on which thread took which task
    const size_t end = std::min(count, (task + 1) * kChunksPerTask);
    for (size_t i = task * kChunksPerTask; i < end; ++i) {
      Payload& payload = header.payloads[i];
      if (compressor.Compress(bundle.payloads[i], *rooms[i])) {
        payload.codec = PayloadCodec::kZstd;
        bundle.payloads[i] = *rooms[i];
      } else {
        std::string().swap(*rooms[i]);
      }
      payload.stored_size_bytes = bundle.payloads[i].size();
    }
  });
  bundle.encoded_header = EncodeBundleHeader(header);
  return bundle;
}

}  // namespace staged
