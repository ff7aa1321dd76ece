#include "staged/content_hash.h"

#include <openssl/evp.h>

#include <cassert>

namespace staged {
namespace {

// Fetched once: a fetch per digest costs four times the digest of a small input.
const EVP_MD* Sha256() {
  static const EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return algorithm;
}

constexpr std::string_view kPrefix = "sha256:";

int HexDigit(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  return -1;
}

}  // namespace

struct ContentHasher::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  ~State() { EVP_MD_CTX_free(context); }
};

ContentHasher::ContentHasher() : state_(std::make_unique<State>()) {
  EVP_DigestInit_ex2(state_->context, Sha256(), nullptr);
}

ContentHasher::~ContentHasher() = default;

void ContentHasher::Update(std::string_view bytes) {
  EVP_DigestUpdate(state_->context, bytes.data(), bytes.size());
}

ContentHash ContentHasher::Finish() {
  std::array<char, ContentHash::kSizeBytes> raw{};
  unsigned size_bytes = 0;
  EVP_DigestFinal_ex(state_->context, reinterpret_cast<unsigned char*>(raw.data()), &size_bytes);
  EVP_DigestInit_ex2(state_->context, Sha256(), nullptr);
  return ContentHash::FromRaw({raw.data(), raw.size()});
}

ContentHash ContentHash::Of(std::string_view bytes) {
  thread_local ContentHasher hasher;
  hasher.Update(bytes);
  return hasher.Finish();
}

ContentHash ContentHash::FromRaw(std::string_view raw) {
  assert(raw.size() == kSizeBytes);
  ContentHash hash;
  std::memcpy(hash.bytes_.data(), raw.data(), kSizeBytes);
  return hash;
}

Result<ContentHash> ContentHash::ParseHex(std::string_view hex) {
  ContentHash hash;
  if (hex.size() != 2 * kSizeBytes) {
    return Status(ErrorCode::kInvalidArgument,
                  "a hash has 64 lower-case hex digits; copy it whole from `staged status --json`");
  }
  for (size_t i = 0; i < kSizeBytes; ++i) {
    const int high = HexDigit(hex[2 * i]);
    const int low = HexDigit(hex[2 * i + 1]);
    if (high < 0 || low < 0) {
      return Status(
          ErrorCode::kInvalidArgument,
          "a hash has 64 lower-case hex digits; copy it whole from `staged status --json`");
    }
    hash.bytes_[i] = static_cast<uint8_t>(high * 16 + low);
  }
  return hash;
}

Result<ContentHash> ContentHash::Parse(std::string_view text) {
  if (!text.starts_with(kPrefix)) {
    return Status(ErrorCode::kInvalidArgument,
                  "write a hash as sha256:<64 hex>; `staged status --json` shows them");
  }
  return ParseHex(text.substr(kPrefix.size()));
}

std::string ContentHash::ToHex() const {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  hex.reserve(2 * kSizeBytes);
  for (const uint8_t byte : bytes_) {
    hex.push_back(kDigits[byte >> 4]);
    hex.push_back(kDigits[byte & 15]);
  }
  return hex;
}

std::string ContentHash::ToString() const { return std::string(kPrefix) + ToHex(); }

}  // namespace staged
