// Parsing one file, in this process and through the worker.

#include <memory>

#include "bench/measure.h"
#include "parse_host/parse_host.h"

namespace staged::bench {
namespace {

std::string Listed(const std::vector<double>& seconds) {
  std::string out = "[";
  for (const double one : seconds) {
    if (out.size() > 1) out += ", ";
    out += std::to_string(one);
  }
  return out + "]";
}

double ProcessorSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double ParseOnce(const FormatRegistry& formats, const std::string& path, std::string_view bytes) {
  const Format& format = formats.Detect(bytes, path);
  const double begin = Seconds();
  const ParsedContent content = OrDie(format.Parse(bytes, Limits{}, SegmentSource()));
  const double seconds = Seconds() - begin;
  if (content.segments.empty()) CheckCall(1, "parsing");
  return seconds;
}

}  // namespace

// Parses a file again and again. Processor time, since a round is too short for the wall clock of a
// busy machine.
int RunParse(const Arguments& arguments) {
  const std::string bytes = ReadWholeFile(arguments[0]);
  const FormatRegistry formats = NewBuiltinRegistry();
  std::vector<double> seconds;
  for (int round = 0; round < std::atoi(arguments[1].c_str()); ++round) {
    const double begin = ProcessorSeconds();
    ParseOnce(formats, arguments[0], bytes);
    seconds.push_back(ProcessorSeconds() - begin);
  }
  std::printf("{\"cpu_seconds\": %s}\n", Listed(seconds).c_str());
  return 0;
}

// The same in turns with a worker process that is used again.
int RunWorker(const Arguments& arguments) {
  const std::string bytes = ReadWholeFile(arguments[0]);
  const auto formats = std::make_shared<const FormatRegistry>(NewBuiltinRegistry());
  ParseHostOptions options;
  options.worker_command = {arguments[2], "parse-worker"};
  const FormatRegistry sandboxed =
      SandboxFormats(formats, std::make_shared<ParseHost>(std::move(options)));
  std::vector<double> ours, worker;
  for (int round = 0; round < std::atoi(arguments[1].c_str()); ++round) {
    ours.push_back(ParseOnce(*formats, arguments[0], bytes));
    worker.push_back(ParseOnce(sandboxed, arguments[0], bytes));
  }
  std::printf("{\"in_process\": %s, \"worker\": %s}\n", Listed(ours).c_str(),
              Listed(worker).c_str());
  return 0;
}

}  // namespace staged::bench
