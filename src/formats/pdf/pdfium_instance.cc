#include "formats/pdf/pdfium_instance.h"

#include "base/utf8.h"

namespace staged::pdf {

std::unique_ptr<PdfiumInstance> PdfiumInstance::Start(uint64_t memory_bytes_max) {
  Z_pdfium_instance_t* started = pdfium_instance_new(memory_bytes_max);
  if (started == nullptr) return nullptr;
  std::unique_ptr<PdfiumInstance> instance(new PdfiumInstance(started));
  instance->scratch_ = instance->Call(pdfium_malloc, kScratchBytes + kKeyBytes);
  return instance->scratch_ == 0 ? nullptr : std::move(instance);
}

std::string_view PdfiumInstance::Bytes(Address address, uint64_t size) const {
  const uint8_t* from = pdfium_memory(instance_, address, size);
  if (from == nullptr) return {};
  return {reinterpret_cast<const char*>(from), static_cast<size_t>(size)};
}

Address PdfiumInstance::Key(std::string_view name) {
  const Address place = scratch_ + kScratchBytes;
  for (uint32_t i = 0; i < name.size(); ++i) Write(place + i, name[i]);
  Write(place + static_cast<uint32_t>(name.size()), '\0');
  return place;
}

Address PdfiumInstance::Copy(std::string_view bytes) {
  if (bytes.size() >= PDFIUM_MEMORY_SPAN) return 0;
  const Address to = Call(pdfium_malloc, static_cast<uint32_t>(bytes.size() + 1));
  uint8_t* place = to == 0 ? nullptr : pdfium_memory(instance_, to, bytes.size() + 1);
  if (place == nullptr) return 0;
  std::memcpy(place, bytes.data(), bytes.size());
  place[bytes.size()] = 0;
  return to;
}

std::string PdfiumInstance::FromUtf16(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() / 2);
  const auto unit = [&](size_t at) {
    return static_cast<uint32_t>(static_cast<uint8_t>(bytes[at])) |
           static_cast<uint32_t>(static_cast<uint8_t>(bytes[at + 1])) << 8;
  };
  for (size_t at = 0; at + 1 < bytes.size(); at += 2) {
    uint32_t code = unit(at);
    if (code == 0) break;
    if (code >= 0xD800 && code < 0xDC00 && at + 3 < bytes.size()) {
      const uint32_t low = unit(at + 2);
      if (low >= 0xDC00 && low < 0xE000) {
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        at += 2;
      }
    }
    AppendUtf8(text, code);
  }
  return text;
}

std::string PdfiumInstance::UpToZero(std::string_view bytes) {
  return ReplaceInvalidUtf8(bytes.substr(0, bytes.find('\0')));
}

}  // namespace staged::pdf
