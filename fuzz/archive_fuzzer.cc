#include <optional>
#include <string>
#include <string_view>

#include "base/binary.h"
#include "env/simulated_env.h"
#include "fuzz/format_fuzzing.h"
#include "journal/operation_encoding.h"
#include "tests/simulation/workspace_site.h"

// Any bytes as the sections of an export, with the chain and the digest made right, so that what is
// wrong gets past them: an import makes a workspace that opens, or nothing at all, and never writes
// anywhere but where it was told to.
namespace staged {
namespace {

constexpr std::string_view kMagic = "staged-export 1\n";
constexpr uint8_t kOperationTag = 3;
constexpr uint8_t kEndTag = 4;

// The operation with the sequence that it has there, behind its chain.
std::optional<std::string> Chained(std::string_view payload, JournalHead& head) {
  if (payload.size() < ContentHash::kSizeBytes) return std::nullopt;
  Result<Operation> operation = DecodeOperation(payload.substr(ContentHash::kSizeBytes));
  if (!operation.ok()) return std::nullopt;
  operation->sequence = ++head.sequence;
  const Result<std::string> encoding = EncodeOperation(*operation);
  if (!encoding.ok()) return std::nullopt;
  head.chain = NextChain(head.chain, *encoding);
  return std::string(head.chain.raw()) + *encoding;
}

std::string WithRightDigests(std::string_view bytes) {
  BinaryWriter writer;
  writer.PutRaw(kMagic);
  const auto put_section = [&](uint8_t tag, std::string_view payload) {
    writer.PutByte(tag);
    writer.PutFixed64(payload.size());
    writer.PutRaw(payload);
  };
  BinaryReader reader(bytes.starts_with(kMagic) ? bytes.substr(kMagic.size()) : bytes);
  JournalHead head;
  for (;;) {
    const uint8_t tag = reader.GetByte();
    const uint64_t size_bytes = reader.GetFixed64();
    if (!reader.ok() || tag == kEndTag) break;
    const std::string_view payload = reader.GetRaw(size_bytes);
    if (!reader.ok()) break;
    const auto chained = tag == kOperationTag ? Chained(payload, head) : std::nullopt;
    put_section(tag, chained ? *chained : payload);
  }
  put_section(kEndTag, ContentHash::Of(writer.bytes()).raw());
  return writer.Take();
}

void Import(std::string_view archive) {
  using fuzzing::Require;
  SimulatedEnv env;
  Require(env.ExternalWrite("/export", archive, Durability::kDurable).ok());
  Status imported;
  {
    WorkspaceSite site(env);
    const std::string made = std::string(kSimulatedRoot) + "/.staged-import";
    imported = ImportWorkspace(env, "/export", kSimulatedRoot, {}, site.Options(made));
  }
  const auto top = env.OpenDirectory("/");
  Require(top.ok());
  const auto items = (*top)->List("");
  for (const DirectoryItem& item : *items) {
    Require(item.name == "export" || item.name == "simulated");
  }
  WorkspaceSite site(env);
  const Status opened = site.Open();
  Require(opened.ok() == imported.ok());
  if (!imported.ok()) Require(!imported.message().empty());
  if (!opened.ok()) return;
  Require(site->Fsck({}).ok());
  Require(site->List(AgentContext()).ok());
}

}  // namespace
}  // namespace staged

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  staged::Import(staged::WithRightDigests(bytes));
  return 0;
}
