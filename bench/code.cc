// Source code into records, and bare tree-sitter on the same files.

#include <tree_sitter/api.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "bench/measure.h"
#include "formats/code/languages.h"

namespace staged::bench {
namespace {

// Processor time: both are one thread's work, on a machine that may have other things to do.
double ThreadSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

struct Source {
  std::string path, bytes;
  TSParser* parser;  // of its language; one for all files of that language
};

std::vector<Source> SourcesBelow(const std::string& folder, const FormatRegistry& formats) {
  std::map<std::string, TSParser*, std::less<>> parsers;
  for (const CodeLanguage* language : CodeLanguages()) {
    TSParser*& parser = parsers[std::string(language->name)];
    parser = ts_parser_new();
    CheckCall(ts_parser_set_language(parser, language->grammar()) ? 0 : 1, "a grammar");
  }
  std::vector<std::string> paths;
  for (const auto& item : std::filesystem::recursive_directory_iterator(folder)) {
    if (item.is_regular_file()) paths.push_back(item.path().string());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Source> sources;
  for (const std::string& path : paths) {
    Source source{path, ReadWholeFile(path), nullptr};
    const auto parser = parsers.find(formats.Detect(source.bytes, path).descriptor().name);
    if (parser == parsers.end()) continue;
    source.parser = parser->second;
    sources.push_back(std::move(source));
  }
  return sources;
}

}  // namespace

// Both take turns on each file: what else the machine does meets them alike.
int RunCode(const Arguments& arguments) {
  const FormatRegistry formats = NewBuiltinRegistry();
  const std::vector<Source> sources = SourcesBelow(arguments[0], formats);
  const int rounds = std::stoi(arguments[1]);
  std::string ours, peer;
  size_t bytes = 0, records = 0;
  for (int round = 0; round < rounds; ++round) {
    double our_seconds = 0, peer_seconds = 0;
    bytes = records = 0;
    for (const Source& source : sources) {
      bytes += source.bytes.size();
      // Whoever comes second finds the bytes and the grammar in the processor's caches.
      for (const bool is_ours : {round % 2 == 0, round % 2 != 0}) {
        const double begin = ThreadSeconds();
        if (is_ours) {
          records += OrDie(ParseView(formats, source.bytes, source.path, Limits())).record_count();
        } else {
          ts_tree_delete(ts_parser_parse_string(source.parser, nullptr, source.bytes.data(),
                                                static_cast<uint32_t>(source.bytes.size())));
        }
        (is_ours ? our_seconds : peer_seconds) += ThreadSeconds() - begin;
      }
    }
    const char* comma = round == 0 ? "" : ", ";
    ours += comma + std::to_string(our_seconds);
    peer += comma + std::to_string(peer_seconds);
  }
  std::printf(
      "{\"files\": %zu, \"bytes\": %zu, \"records\": %zu, \"ours\": [%s], \"peer\": [%s]}\n",
      sources.size(), bytes, records, ours.c_str(), peer.c_str());
  return 0;
}

}  // namespace staged::bench
