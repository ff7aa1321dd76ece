#pragma once

#include <string>
#include <string_view>

#include "staged/limits.h"
#include "staged/status.h"

namespace staged {

// A program that turns old office files into current ones, for formats that have no reader of their
// own. The same bytes give files with the same records each time. Thread-safe.
class OfficeConverter {
 public:
  virtual ~OfficeConverter() = default;
  // "libreoffice": what a view names as its fallback.
  [[nodiscard]] virtual const std::string& name() const = 0;
  // Part of the version of every parser that converts: another one makes other views.
  [[nodiscard]] virtual const std::string& version() const = 0;
  // The file as `to` ("docx"); `from` is the extension that its content is known to have ("doc").
  // Errors: kParseFailed (it cannot read the file), kLimitExceeded (time, memory, size), kIoError.
  [[nodiscard]] virtual Result<std::string> Convert(std::string_view bytes, std::string_view from,
                                                    std::string_view to,
                                                    const Limits& limits) const = 0;
};

}  // namespace staged
