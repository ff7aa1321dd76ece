#pragma once

#include <pdfium/module.h>
#include <pdfium/pdfium_exports.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace staged::pdf {

// An address in the memory of an instance, or a handle that PDFium gave; 0 is none.
using Address = uint32_t;

// PDFium at work on one document. When the code inside cannot go on (it is faulty, its time is
// over, its memory does not suffice), that call and every later one answer 0. Not thread-safe.
class PdfiumInstance {
 public:
  static constexpr uint32_t kScratchBytes = 1 << 16;
  static constexpr uint32_t kKeyBytes = 256;
  static constexpr uint32_t kTextBytesMax = 16 << 20;  // of one text that PDFium gives

  // nullptr when this process has no memory for it. `memory_bytes_max`: of the instance.
  [[nodiscard]] static std::unique_ptr<PdfiumInstance> Start(uint64_t memory_bytes_max);
  ~PdfiumInstance() { pdfium_instance_delete(instance_); }
  PdfiumInstance(const PdfiumInstance&) = delete;
  PdfiumInstance& operator=(const PdfiumInstance&) = delete;

  [[nodiscard]] bool is_usable() const { return ending_ == PDFIUM_DONE; }
  [[nodiscard]] pdfium_ending ending() const { return ending_; }
  [[nodiscard]] bool memory_was_refused() const { return instance_->memory_refused != 0; }
  // Steps that calls may still take; some 350 million a second.
  [[nodiscard]] int64_t budget() const { return instance_->budget; }
  void set_budget(int64_t steps) { instance_->budget = steps; }
  // kScratchBytes that every call may use.
  [[nodiscard]] Address scratch() const { return scratch_; }
  // `name` inside, until the next call of Key. REQUIRES: shorter than kKeyBytes.
  [[nodiscard]] Address Key(std::string_view name);

  template <typename Answer, typename... Declared, typename... Given>
  Answer Call(Answer (*function)(Z_pdfium_instance_t*, Declared...), Given... given) {
    static_assert((std::is_arithmetic_v<Declared> && ...));
    struct Work {
      Answer (*function)(Z_pdfium_instance_t*, Declared...);
      std::tuple<Declared...> arguments;
      std::conditional_t<std::is_void_v<Answer>, char, Answer> answer;
    } work{function, {static_cast<Declared>(given)...}, {}};
    Run(
        [](Z_pdfium_instance_t* instance, void* argument) {
          Work& asked = *static_cast<Work*>(argument);
          std::apply(
              [&](Declared... arguments) {
                if constexpr (std::is_void_v<Answer>) {
                  asked.function(instance, arguments...);
                } else {
                  asked.answer = asked.function(instance, arguments...);
                }
              },
              asked.arguments);
        },
        &work);
    if constexpr (!std::is_void_v<Answer>) return is_usable() ? work.answer : Answer();
  }

  // `work` may be left at any call: nothing in it may have a destructor.
  void Run(void (*work)(Z_pdfium_instance_t*, void*), void* argument) {
    if (is_usable()) ending_ = pdfium_run(instance_, work, argument);
  }

  // The value at an address, zero outside of the memory.
  template <typename T>
  [[nodiscard]] T Read(Address address) const {
    T value{};
    if (const uint8_t* from = pdfium_memory(instance_, address, sizeof(T))) {
      std::memcpy(&value, from, sizeof(T));
    }
    return value;
  }
  template <typename T>
  void Write(Address address, const T& value) {
    if (uint8_t* to = pdfium_memory(instance_, address, sizeof(T))) {
      std::memcpy(to, &value, sizeof(T));
    }
  }
  // Bytes of the instance until the next call; empty outside of the memory.
  [[nodiscard]] std::string_view Bytes(Address address, uint64_t size) const;
  // A copy of `bytes` inside; 0 when the memory does not suffice. Freed with the instance.
  [[nodiscard]] Address Copy(std::string_view bytes);

  // UTF-8 of what `get(buffer, size_bytes)` writes as UTF-16LE with a zero behind it; `get` answers
  // the bytes that it has. Cut at kTextBytesMax.
  template <typename Get>
  [[nodiscard]] std::string Text(const Get& get) {
    return WithBuffer(get, [this](std::string_view bytes) { return FromUtf16(bytes); });
  }
  // The same of plain bytes with a zero behind them.
  template <typename Get>
  [[nodiscard]] std::string PlainText(const Get& get) {
    return WithBuffer(get, [](std::string_view bytes) { return UpToZero(bytes); });
  }

 private:
  explicit PdfiumInstance(Z_pdfium_instance_t* instance) : instance_(instance) {}

  template <typename Get, typename Use>
  std::string WithBuffer(const Get& get, const Use& use) {
    uint32_t size = get(scratch_, kScratchBytes);
    if (size == 0 || !is_usable()) return {};
    if (size <= kScratchBytes) return use(Bytes(scratch_, size));
    if (size > kTextBytesMax) return {};
    const Address buffer = Call(pdfium_malloc, size);
    if (buffer == 0) return {};
    size = std::min<uint32_t>(size, get(buffer, size));
    std::string text = use(Bytes(buffer, size));
    Call(pdfium_free, buffer);
    return text;
  }
  [[nodiscard]] static std::string FromUtf16(std::string_view bytes);
  [[nodiscard]] static std::string UpToZero(std::string_view bytes);

  Z_pdfium_instance_t* instance_;
  pdfium_ending ending_ = PDFIUM_DONE;
  Address scratch_ = 0;
};

}  // namespace staged::pdf
