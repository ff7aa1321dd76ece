#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "formats/html/html_elements.h"

namespace staged {

enum class HtmlNamespace : uint8_t { kHtml = 1, kSvg = 2, kMath = 3 };

struct OpenElement {
  const HtmlElementTraits* traits = nullptr;
  std::string name;
  uint32_t node = UINT32_MAX;
  uint32_t count = 0;  // of a table its rows so far, of a row its cells
  std::string_view hidden;
  HtmlNamespace names = HtmlNamespace::kHtml;
  bool is_integration = false;  // HTML may stand in it though it is svg or math
  bool has_own_text = false;    // its text is no part of the line around it
  bool keeps_spaces = false;
  bool is_link = false;

  [[nodiscard]] bool Has(uint32_t flag) const {
    return names == HtmlNamespace::kHtml && (traits->flags & flag) != 0;
  }
  [[nodiscard]] bool IsForeign() const { return names != HtmlNamespace::kHtml && !is_integration; }
};

// The stack of open elements (WHATWG HTML, section 13.2.4.2).
class OpenElements {
 public:
  static constexpr size_t kNone = SIZE_MAX;

  [[nodiscard]] bool empty() const { return elements_.empty(); }
  [[nodiscard]] size_t size() const { return elements_.size(); }
  [[nodiscard]] OpenElement& operator[](size_t index) { return elements_[index]; }
  [[nodiscard]] const OpenElement& operator[](size_t index) const { return elements_[index]; }
  [[nodiscard]] OpenElement& top() { return elements_.back(); }
  [[nodiscard]] const OpenElement& top() const { return elements_.back(); }
  void Push(OpenElement element) { elements_.push_back(std::move(element)); }
  void Erase(size_t index) { elements_.erase(elements_.begin() + static_cast<ptrdiff_t>(index)); }

  [[nodiscard]] bool IsTop(std::initializer_list<std::string_view> names) const;
  // The innermost element of one of the names, looking no further than an element with the flag
  // (kHtmlScope, kHtmlTableScope) or one of the other names; kNone if there is none.
  [[nodiscard]] size_t Find(std::initializer_list<std::string_view> names, uint32_t until,
                            std::initializer_list<std::string_view> until_names = {}) const;

 private:
  std::vector<OpenElement> elements_;
};

}  // namespace staged
