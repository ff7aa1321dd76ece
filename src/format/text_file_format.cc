#include "format/text_file_format.h"

#include <algorithm>

namespace staged {

int NamedTextScore(const FormatDescriptor& descriptor, std::string_view bytes,
                   std::string_view extension) {
  constexpr int kScore = 70;
  const std::vector<std::string>& known = descriptor.extensions;
  const bool is_named = std::find(known.begin(), known.end(), extension) != known.end();
  return is_named && LooksLikeText(bytes) ? kScore : 0;
}

ParsedContent WholeFileContent(std::string_view bytes, const DecodedText& decoded,
                               std::shared_ptr<const Segment> segment,
                               std::vector<std::string> kinds) {
  ParsedContent content;
  content.parts.push_back({"", segment->digest(), bytes.size(), std::move(kinds)});
  content.segments.push_back(std::move(segment));
  content.diagnostics = EncodingDiagnostics(decoded);
  return content;
}

}  // namespace staged
