#include "tests/e2e/parse_worker/misbehaving_formats.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <future>
#include <utility>

#include "record/segments.h"

namespace staged {
namespace {

Record RecordOf(std::string text) {
  Record record;
  record.kind = "line";
  record.locator = "line:1";
  record.text = std::move(text);
  return record;
}

ParsedContent ContentOf(std::string text) {
  ParsedContent parsed;
  const ContentHash digest = ContentHash::Of(text);
  parsed.segments.push_back(std::make_shared<RecordListSegment>(
      "part", digest, std::vector<Record>{RecordOf(std::move(text))}));
  return parsed;
}

using Behaviour = std::function<Result<ParsedContent>(std::string_view, const SegmentSource&)>;

class BehavingFormat final : public Format {
 public:
  BehavingFormat(std::string name, Behaviour behaviour) : behaviour_(std::move(behaviour)) {
    descriptor_.name = std::move(name);
    descriptor_.parser = {descriptor_.name, "1"};
  }
  [[nodiscard]] const FormatDescriptor& descriptor() const override { return descriptor_; }
  [[nodiscard]] int Sniff(std::string_view, std::string_view extension) const override {
    return extension == descriptor_.name ? 100 : 0;
  }
  [[nodiscard]] Result<ParsedContent> Parse(std::string_view bytes, const Limits&,
                                            const SegmentSource& reuse) const override {
    return behaviour_(bytes, reuse);
  }
  [[nodiscard]] Result<EditOutcome> Apply(std::string_view bytes, const std::vector<Edit>& edits,
                                          const Limits&) const override {
    if (edits.empty()) return Status(ErrorCode::kNoMatch, "nothing to do", Value("detail"));
    EditOutcome outcome;
    outcome.bytes = std::string(bytes) + edits.front().op;
    outcome.rewritten_members = {"member"};
    outcome.derived = {{"line:1", "effect"}};
    return outcome;
  }

 private:
  FormatDescriptor descriptor_;
  Behaviour behaviour_;
};

Result<ParsedContent> ParseLines(std::string_view bytes, const SegmentSource& reuse) {
  if (auto known = reuse("part", ContentHash::Of(bytes))) {
    ParsedContent parsed;
    parsed.segments.push_back(std::move(known));
    return parsed;
  }
  return ContentOf(std::string(bytes));
}

Result<ParsedContent> Crash(std::string_view bytes, const SegmentSource&) {
  volatile const char* nowhere = bytes.data() - bytes.size() - (uintptr_t{1} << 46);
  return ContentOf(std::string(1, *nowhere));
}

Result<ParsedContent> Hang(std::string_view, const SegmentSource&) {
  volatile bool going_on = true;
  while (going_on) {
  }
  return ContentOf("ended");
}

Result<ParsedContent> AllocateWithoutEnd(std::string_view, const SegmentSource&) {
  std::vector<std::unique_ptr<char[]>> hoard;
  while (true) hoard.push_back(std::make_unique<char[]>(size_t{1} << 26));
}

Result<ParsedContent> ParseInThreads(std::string_view bytes, const SegmentSource&) {
  std::vector<std::future<std::string>> halves;
  for (const size_t begin : {size_t{0}, bytes.size() / 2}) {
    const size_t end = begin == 0 ? bytes.size() / 2 : bytes.size();
    halves.push_back(std::async(std::launch::async,
                                [=] { return std::string(bytes.substr(begin, end - begin)); }));
  }
  std::string text;
  for (auto& half : halves) text += half.get();
  return ContentOf(std::move(text));
}

// Each answers what it should not have got.
Result<ParsedContent> Open(std::string_view, const SegmentSource&) {
  return ContentOf(::open("/etc/passwd", O_RDONLY) >= 0 ? "opened" : "refused");
}
Result<ParsedContent> Connect(std::string_view, const SegmentSource&) {
  return ContentOf(::socket(AF_INET, SOCK_STREAM, 0) >= 0 ? "connected" : "refused");
}
Result<ParsedContent> Start(std::string_view, const SegmentSource&) {
  return ContentOf(::fork() >= 0 ? "started" : "refused");
}
Result<ParsedContent> Execute(std::string_view, const SegmentSource&) {
  void* memory =
      ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return ContentOf(memory != MAP_FAILED ? "executable" : "refused");
}

}  // namespace

FormatRegistry NewMisbehavingRegistry() {
  FormatRegistry registry;
  const std::pair<const char*, Behaviour> behaviours[] = {
      {"lines", ParseLines},
      {"threads", ParseInThreads},
      {"crashes", Crash},
      {"aborts",
       [](std::string_view, const SegmentSource&) -> Result<ParsedContent> { std::abort(); }},
      {"hangs", Hang},
      {"greedy", AllocateWithoutEnd},
      {"opens", Open},
      {"connects", Connect},
      {"starts", Start},
      {"executes", Execute},
  };
  for (const auto& [name, behaviour] : behaviours) {
    registry.Register(std::make_unique<BehavingFormat>(name, behaviour));
  }
  return registry;
}

}  // namespace staged
