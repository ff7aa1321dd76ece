// staged_bench: the parts of the benchmarks that need one warm process, or a peer written in C++.

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "bench/measure.h"
#include "env/process_memory.h"

namespace staged::bench {

std::string ReadWholeFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  CheckCall(file.good() ? 0 : 1, path.c_str());
  std::string bytes(static_cast<size_t>(file.tellg()), '\0');
  file.seekg(0).read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  CheckCall(file.good() ? 0 : 1, path.c_str());
  return bytes;
}

void WriteWholeFile(const std::string& path, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  CheckCall(file.good() ? 0 : 1, path.c_str());
}

namespace {

struct Program {
  const char* name;
  const char* arguments;
  size_t argument_count;
  int (*run)(const Arguments& arguments);
};

constexpr Program kPrograms[] = {
    {"cells", "FILE.xlsx", 1, RunCells},
    {"pages", "FILE.pdf", 1, RunPages},
    {"paragraphs", "FILE.docx|FILE.pptx", 1, RunParagraphs},
    {"edits", "WORKSPACE PATH SHEET COUNT VERSIONS_FOLDER|-", 5, RunEdits},
    {"sheet-cost", "FILE.xlsx PART ROUNDS", 3, RunSheetCost},
    {"fts", "FOLDER DATABASE", 2, RunFullText},
    {"words", "WORKSPACE DATA_FOLDER QUERIES", 3, RunWords},
    {"submits", "WORKSPACE PROCESSES EACH", 3, RunSubmits},
    {"commits", "FOLDER PROCESSES EACH", 3, RunCommits},
    {"parse", "FILE ROUNDS", 2, RunParse},
    {"worker", "FILE ROUNDS STAGED_BINARY", 3, RunWorker},
    {"code", "FOLDER ROUNDS", 2, RunCode},
};

}  // namespace
}  // namespace staged::bench

int main(int argc, char** argv) {
  using namespace staged::bench;
  staged::KeepFreedMemory();  // as the staged program does
  for (const Program& program : kPrograms) {
    if (argc < 2 || std::strcmp(argv[1], program.name) != 0) continue;
    const Arguments arguments(argv + 2, argv + argc);
    if (arguments.size() == program.argument_count) return program.run(arguments);
    std::fprintf(stderr, "usage: staged_bench %s %s\n", program.name, program.arguments);
    return 2;
  }
  std::fprintf(stderr, "usage: staged_bench PROGRAM ...; programs:\n");
  for (const Program& program : kPrograms) {
    std::fprintf(stderr, "  %s %s\n", program.name, program.arguments);
  }
  return 2;
}
