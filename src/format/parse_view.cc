#include <future>
#include <string>

#include "staged/ext/format.h"

namespace staged {
namespace {

constexpr size_t kHashBesideBytesMin = size_t{1} << 20;

// Keeps the first ones and counts the rest.
void LimitDiagnostics(std::vector<Diagnostic>& diagnostics, const Limits& limits) {
  if (diagnostics.size() <= limits.diagnostics_max) return;
  const size_t left_out = diagnostics.size() - limits.diagnostics_max;
  diagnostics.resize(limits.diagnostics_max);
  diagnostics.push_back(
      {"note", "limit_exceeded", "", std::to_string(left_out) + " more diagnostics were left out"});
}

}  // namespace

Result<View> ParseView(const FormatRegistry& registry, std::string_view bytes,
                       std::string_view path, const Limits& limits, const SegmentSource& reuse) {
  if (bytes.size() > limits.input_bytes_max) {
    return Status(ErrorCode::kLimitExceeded,
                  "'" + std::string(path) + "' has " + std::to_string(bytes.size()) +
                      " bytes, more than the limit of " + std::to_string(limits.input_bytes_max) +
                      "; raise the limit to parse it");
  }
  const Format& format = registry.Detect(bytes, path);
  View view;
  // A large file is hashed while it is parsed.
  const auto launch = bytes.size() < kHashBesideBytesMin
                          ? std::launch::deferred
                          : std::launch::async | std::launch::deferred;
  std::future<ContentHash> hash = std::async(launch, [bytes] { return ContentHash::Of(bytes); });
  view.format = format.descriptor().name;
  view.parser = format.descriptor().parser;
  Result<ParsedContent> parsed = format.Parse(bytes, limits, reuse);
  // Where no parser could be run, nothing was learnt of the file.
  if (parsed.status().code() == ErrorCode::kIoError) return std::move(parsed).status();
  if (!parsed.ok()) {
    const Diagnostic failure{"error", std::string(ErrorCodeName(parsed.status().code())), "",
                             parsed.status().message()};
    parsed = registry.Find("binary")->Parse(bytes, limits, reuse);
    if (!parsed.ok()) return std::move(parsed).status();
    parsed->fallback = "binary";
    parsed->diagnostics.insert(parsed->diagnostics.begin(), failure);
  }
  view.hash = hash.get();
  view.fallback = std::move(parsed->fallback);
  view.segments = std::move(parsed->segments);
  view.parts = std::move(parsed->parts);
  view.diagnostics = std::move(parsed->diagnostics);
  LimitDiagnostics(view.diagnostics, limits);
  return view;
}

}  // namespace staged
