#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "codec/zip.h"
#include "staged/content_hash.h"
#include "staged/ext/object_store.h"

namespace staged {

struct Chunk {
  std::string_view bytes;  // borrowed from the content or from CutContent::expanded
  ContentHash hash;
};

// A stretch of the content: its bytes as they are, or what deflate makes of them.
struct CutPiece {
  std::vector<Chunk> chunks;
  bool deflated = false;
  uint64_t deflated_size_bytes = 0;
};

struct CutContent {
  ContentHash hash;
  uint64_t size_bytes = 0;
  std::vector<CutPiece> pieces;
  // What deflated pieces borrow from; addresses never move.
  std::list<std::string> expanded;
  std::vector<std::shared_ptr<const DeflatedContent>> deflated;
};

// Hashes a content and cuts it into chunks: small ones stay whole, zip archives are cut along their
// members, all else where the content says so. The members named in `rewritten_members` are cut in
// their uncompressed form where deflating them again gives exactly the same bytes. Borrows `bytes`.
// What of them is in `deflated` needs no such proof. `hash`: theirs, where it is known already.
[[nodiscard]] CutContent CutForStorage(std::string_view bytes, const PutOptions& options,
                                       int threads, const ContentHash* hash = nullptr);

}  // namespace staged
