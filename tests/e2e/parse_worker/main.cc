#include "parse_host/worker.h"
#include "tests/e2e/parse_worker/lies.h"
#include "tests/e2e/parse_worker/misbehaving_formats.h"

int main(int argc, char** argv) {
  if (argc == 2) return staged::TellLie(argv[1], 0);
  const staged::FormatRegistry formats = staged::NewMisbehavingRegistry();
  return staged::RunParseWorker(0, formats, uint64_t{1} << 30);
}
