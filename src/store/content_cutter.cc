#include "store/content_cutter.h"

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

#include "base/parallel.h"
#include "codec/zip.h"
#include "store/chunker.h"
#include "store/object_format.h"

namespace staged {
namespace {

// Below this, another thread costs more than it brings.
constexpr uint64_t kParallelMinBytes = 512 << 10;
constexpr std::string_view kZipSignature = "PK\x03\x04";

struct Stretch {
  std::string_view bytes;
  const ZipMember* rewritten = nullptr;  // its compressed data, worth a recipe
};

// Where an archive is best cut. Small neighbours share a stretch, a large member has its own.
class ZipSeams {
 public:
  ZipSeams(std::string_view bytes, const std::vector<std::string>& rewritten_members)
      : bytes_(bytes), rewritten_(rewritten_members) {}

  std::vector<Stretch> Find(const ZipReader& archive) {
    std::vector<const ZipMember*> members;
    for (const ZipMember& member : archive.members()) members.push_back(&member);
    std::sort(members.begin(), members.end(), [](const ZipMember* left, const ZipMember* right) {
      return left->header_offset < right->header_offset;
    });
    uint64_t position = 0;
    for (const ZipMember* member : members) {
      const uint64_t end = member->data_offset + member->compressed_size_bytes;
      // Members of hostile archives overlap; what follows then is cut by content alone.
      if (member->header_offset < position || end > bytes_.size() || end < member->data_offset) {
        break;
      }
      AddMember(*member, end);
      position = end;
    }
    const uint64_t size_pending = position - start_;
    if (size_pending >= kZipPieceMinBytes) CutAt(position);
    CutAt(bytes_.size());
    return std::move(stretches_);
  }

 private:
  void AddMember(const ZipMember& member, uint64_t end) {
    const uint64_t size_pending = member.header_offset - start_;
    if (size_pending >= kZipPieceMinBytes || member.compressed_size_bytes >= kZipPieceMinBytes) {
      CutAt(member.header_offset);
    }
    const bool worth_a_recipe =
        member.method == 8 && member.compressed_size_bytes >= kRecipeMinBytes &&
        std::find(rewritten_.begin(), rewritten_.end(), member.name) != rewritten_.end();
    if (!worth_a_recipe) return;
    CutAt(member.data_offset);
    CutAt(end);
    stretches_.back().rewritten = &member;
  }

  void CutAt(uint64_t offset) {
    if (offset <= start_) return;
    stretches_.push_back({bytes_.substr(start_, offset - start_), nullptr});
    start_ = offset;
  }

  std::string_view bytes_;
  const std::vector<std::string>& rewritten_;
  std::vector<Stretch> stretches_;
  uint64_t start_ = 0;
};

// Their hashes come later, unless `hashed`.
void Cut(std::string_view bytes, bool hashed, CutPiece& piece) {
  const std::vector<uint32_t> sizes = CutIntoChunks(bytes);
  piece.chunks.clear();
  piece.chunks.reserve(sizes.size());
  for (const uint32_t size : sizes) {
    const std::string_view chunk = bytes.substr(0, size);
    piece.chunks.push_back({chunk, hashed ? ContentHash::Of(chunk) : ContentHash()});
    bytes.remove_prefix(size);
  }
}

void HashChunks(int threads, CutContent& cut) {
  constexpr size_t kChunksPerTask = 64;
  std::vector<std::span<Chunk>> tasks;
  for (CutPiece& piece : cut.pieces) {
    for (size_t at = 0; at < piece.chunks.size(); at += kChunksPerTask) {
      const size_t count = std::min(kChunksPerTask, piece.chunks.size() - at);
      tasks.push_back(std::span(piece.chunks).subspan(at, count));
    }
  }
  ParallelFor(tasks.size(), threads, [&](size_t i) {
    for (Chunk& chunk : tasks[i]) chunk.hash = ContentHash::Of(chunk.bytes);
  });
}

// What is known of a stretch that may become a recipe.
struct Recipe {
  size_t piece = 0;
  Stretch stretch;
  std::string* expanded = nullptr;  // room for what it expands to
  std::string_view content;         // what it expands to
  bool reproduced = false;
  bool is_proved = false;  // by what its writer handed over
};

// Takes what the writer handed over for that stretch, if it did.
void TakeDeflated(const PutOptions& options, Recipe& recipe, CutContent& cut) {
  for (const std::shared_ptr<const DeflatedContent>& deflated : options.deflated) {
    if (deflated->compressed() != recipe.stretch.bytes) continue;
    cut.deflated.push_back(deflated);
    recipe.content = deflated->content();
    recipe.reproduced = recipe.is_proved = true;
    return;
  }
}

void CutStretches(std::string_view bytes, const std::vector<Stretch>& stretches,
                  const PutOptions& options, int threads, CutContent& cut) {
  cut.pieces.resize(stretches.size());
  std::vector<Recipe> recipes;
  for (size_t i = 0; i < stretches.size(); ++i) {
    if (stretches[i].rewritten == nullptr) continue;
    recipes.push_back(
        {.piece = i, .stretch = stretches[i], .expanded = &cut.expanded.emplace_back()});
    TakeDeflated(options, recipes.back(), cut);
  }
  const Limits limits;
  ParallelFor(recipes.size(), threads, [&](size_t i) {
    Recipe& recipe = recipes[i];
    if (recipe.is_proved) return;
    Result<std::string> expanded = ZipInflate(
        recipe.stretch.bytes, recipe.stretch.rewritten->size_bytes, limits.part_bytes_max);
    recipe.reproduced = expanded.ok();
    if (expanded.ok()) *recipe.expanded = std::move(expanded).value();
    recipe.content = *recipe.expanded;
  });

  // The slow ones first: deflating is what takes time.
  std::vector<std::function<void()>> tasks;
  for (Recipe& recipe : recipes) {
    if (!recipe.reproduced || recipe.is_proved) continue;
    tasks.emplace_back(
        [&recipe] { recipe.reproduced = ZipDeflate(recipe.content) == recipe.stretch.bytes; });
  }
  // Hashing the whole keeps one thread as long as another takes to cut all of it and hash the
  // pieces.
  const bool hashed_meanwhile = cut.hash.is_zero();
  if (hashed_meanwhile) tasks.emplace_back([&] { cut.hash = ContentHash::Of(bytes); });
  for (Recipe& recipe : recipes) {
    tasks.emplace_back([&] { Cut(recipe.content, hashed_meanwhile, cut.pieces[recipe.piece]); });
  }
  for (size_t i = 0; i < stretches.size(); ++i) {
    if (stretches[i].rewritten != nullptr) continue;
    tasks.emplace_back([&, i] { Cut(stretches[i].bytes, hashed_meanwhile, cut.pieces[i]); });
  }
  ParallelFor(tasks.size(), threads, [&](size_t i) { tasks[i](); });

  for (Recipe& recipe : recipes) {
    CutPiece& piece = cut.pieces[recipe.piece];
    if (recipe.reproduced) {
      piece.deflated = true;
      piece.deflated_size_bytes = recipe.stretch.bytes.size();
    } else {
      Cut(recipe.stretch.bytes, hashed_meanwhile, piece);
      recipe.expanded->clear();
    }
  }
  if (!hashed_meanwhile) HashChunks(threads, cut);
}

}  // namespace

CutContent CutForStorage(std::string_view bytes, const PutOptions& options, int threads,
                         const ContentHash* hash) {
  CutContent cut;
  cut.size_bytes = bytes.size();
  if (hash != nullptr) cut.hash = *hash;
  if (bytes.size() < kParallelMinBytes) threads = 1;
  const bool may_be_zip = bytes.starts_with(kZipSignature) && bytes.size() > kWholeZipMaxBytes;
  if (may_be_zip) {
    const Result<ZipReader> archive = ZipReader::Open(bytes, Limits());
    if (archive.ok()) {
      const std::vector<Stretch> stretches =
          ZipSeams(bytes, options.rewritten_members).Find(*archive);
      CutStretches(bytes, stretches, options, threads, cut);
      return cut;
    }
  }
  if (bytes.size() > kWholeContentMaxBytes) {
    CutStretches(bytes, {{bytes, nullptr}}, options, threads, cut);
    return cut;
  }
  if (hash == nullptr) cut.hash = ContentHash::Of(bytes);
  if (!bytes.empty()) cut.pieces.push_back({{{bytes, cut.hash}}, false, 0});
  return cut;
}

}  // namespace staged
