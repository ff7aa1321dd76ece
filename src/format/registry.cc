#include <algorithm>
#include <cassert>

#include "staged/ext/format.h"

namespace staged {
namespace {

// "Reports/Q3.XLSX" -> "xlsx"; a name that only begins with a dot has no extension.
std::string ExtensionOf(std::string_view path) {
  const size_t slash = path.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return "";
  std::string extension(name.substr(dot + 1));
  for (char& c : extension) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return extension;
}

}  // namespace

void FormatRegistry::Register(std::unique_ptr<Format> format) {
  formats_.push_back(std::move(format));
}

const Format* FormatRegistry::Find(std::string_view name) const {
  const auto found = std::find_if(formats_.begin(), formats_.end(), [&](const auto& format) {
    return format->descriptor().name == name;
  });
  return found == formats_.end() ? nullptr : found->get();
}

const Format& FormatRegistry::Detect(std::string_view bytes, std::string_view path) const {
  const std::string extension = ExtensionOf(path);
  const Format* best = Find("binary");
  assert(best != nullptr);
  int best_score = 0;
  for (const auto& format : formats_) {
    const int score = format->Sniff(bytes, extension);
    if (score > best_score) {
      best = format.get();
      best_score = score;
    }
  }
  return *best;
}

}  // namespace staged
