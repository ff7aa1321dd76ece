// Writes small valid inputs for the fuzzers of stored bytes, and parts of the examples for those
// of formats; texts lie in fuzz/seeds.
//
//   write_seeds EXAMPLES FOLDER
//
// makes FOLDER/<fuzzer>/NNN. A simulated machine holds the workspace that they come from, so that
// the same program always writes the same bytes.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/binary.h"
#include "codec/zip.h"
#include "derived/rows.h"
#include "derived/stat_cache.h"
#include "derived/view_codec.h"
#include "env/simulated_env.h"
#include "formats/builtin_formats.h"
#include "journal/operation_encoding.h"
#include "parse_host/message.h"
#include "store/object_format.h"
#include "store/pack.h"
#include "tests/simulation/workspace_site.h"

namespace staged {
namespace {

constexpr uint64_t kBytesMax = uint64_t{1} << 26;
constexpr size_t kSeedBytesMax = 1 << 16;
constexpr char kExport[] = "/simulated/export";

using Files = std::map<std::string, std::string>;
using Seeds = std::map<std::string, std::vector<std::string>>;

// What must work here; else there is nothing to write.
template <typename T>
T Need(Result<T> result) {
  if (!result.ok()) {
    std::cerr << "write_seeds: " << result.status().message() << "\n";
    std::exit(1);
  }
  return std::move(result).value();
}
void Need(const Status& status) { (void)Need(status.ok() ? Result<int>(0) : Result<int>(status)); }

Files ReadExamples(const std::filesystem::path& folder) {
  Files files;
  for (const auto& item : std::filesystem::recursive_directory_iterator(folder)) {
    if (!item.is_regular_file()) continue;
    std::ifstream stream(item.path(), std::ios::binary);
    files[item.path().lexically_relative(folder).generic_string()] =
        std::string(std::istreambuf_iterator<char>(stream), {});
  }
  return files;
}

// Long enough to be cut into chunks, and the same everywhere.
std::string LongText() {
  std::string text;
  uint32_t state = 1;
  while (text.size() < 300'000) {
    state = state * 1'664'525 + 1'013'904'223;
    text += std::to_string(state % 50'000) + (state % 7 == 0 ? "\n" : " ");
  }
  return text;
}

ContentHash HashOf(WorkspaceSite& site, const CallContext& context, const std::string& path) {
  return Need(site->Read(context, path, std::nullopt)).entry.hash;
}

void Submit(WorkspaceSite& site, const CallContext& context) {
  (void)Need(site->Review(context, {}));
  (void)Need(site->Submit(context, {}, {.message = "seeds"}));
}

void Save(SimulatedEnv& env, const std::string& path, std::string_view bytes) {
  const std::string absolute = std::string(kSimulatedRoot) + "/" + path;
  Need(env.MakeDirectories(absolute.substr(0, absolute.rfind('/'))));
  Need(env.ExternalWrite(absolute, bytes, Durability::kDurable));
}

// Most types of operations.
void MakeHistory(WorkspaceSite& site, SimulatedEnv& env) {
  const CallContext agent = AgentContext("main", "request");
  const CallContext other = AgentContext("other");
  CallContext person = AgentContext();
  person.actor = {"person", ActorKind::kHuman};
  Edit edit{.op = "set", .locator = "/quarter", .expect = {}, .arguments = {}};
  edit.arguments.Set("value", 4);
  (void)Need(site->ApplyEdits(agent, "config.json", HashOf(site, agent, "config.json"),
                              {std::move(edit)}));
  const CallContext main = AgentContext();
  (void)Need(site->Write(main, "new.txt", std::nullopt, "one\ntwo\n"));
  (void)Need(site->Write(main, "new.txt", HashOf(site, main, "new.txt"), "one\nthree\n"));
  (void)Need(site->Undo(main, 0, false));
  (void)Need(site->Move(main, "notes.md", "renamed.md", HashOf(site, main, "notes.md")));
  (void)Need(site->Remove(main, "data/units.csv", HashOf(site, main, "data/units.csv")));
  (void)Need(
      site->ChangeMode(main, "scripts/revenue.py", HashOf(site, main, "scripts/revenue.py"), true));
  Submit(site, main);
  Need(site->SetPolicy(person, "[[rule]]\npaths = [\"*.txt\"]\nreview = \"human\"\n"));
  (void)Need(site->Write(main, "new.txt", HashOf(site, main, "new.txt"), "theirs\ntwo\n"));
  const ReviewAnswer review = Need(site->Review(main, {}));
  Need(site->Reject(person, review.reviewed.at(0).receipt.id, "not yet"));
  (void)Need(site->Write(other, "new.txt", HashOf(site, other, "new.txt"), "one\nours\n"));
  const ReviewAnswer others = Need(site->Review(other, {}));
  Need(site->Approve(person, others.reviewed.at(0).receipt.id));
  (void)Need(site->Submit(other, {}, {}));
  (void)Need(site->Rebase(main, {}));
  (void)Need(site->Discard(main, {}));
  Save(env, "saved.txt", "a person saved this\n");
  (void)Need(site->AdoptLiveChanges(person));
  std::string longer = LongText();
  std::replace(longer.begin(), longer.begin() + 50, '1', '2');
  (void)Need(site->Write(main, "long.txt", HashOf(site, main, "long.txt"), longer));
}

// The object store's files: loose bundles, packs behind their head, and the bundles in packs.
void ReadObjects(Directory& objects, const std::string& folder, std::vector<std::string>& seeds) {
  for (const DirectoryItem& item : Need(objects.List(folder))) {
    const std::string path = folder.empty() ? item.name : folder + "/" + item.name;
    if (item.kind == FileKind::kDirectory) {
      ReadObjects(objects, path, seeds);
    } else if (path.ends_with(".pack")) {
      const std::string bytes = Need(objects.ReadFile(path, kBytesMax));
      seeds.push_back(bytes.substr(EncodePackHead().size()));
      for (const PackEntry& entry : Need(Need(Pack::Open(objects, path))->Entries())) {
        seeds.push_back(bytes.substr(entry.offset, entry.size_bytes));
      }
    } else if (path.find('/') != std::string::npos) {
      seeds.push_back(Need(objects.ReadFile(path, kBytesMax)));
    }
  }
}

void AddWorkspaceSeeds(const Files& files, Seeds& seeds) {
  SimulatedEnv env;
  for (const auto& [path, bytes] : files) Save(env, path, bytes);
  Save(env, "long.txt", LongText());
  Save(env, "empty.txt", "");
  WorkspaceSite site(env);
  Need(site.Init());
  MakeHistory(site, env);
  const auto objects = Need(env.OpenDirectory(std::string(kSimulatedRoot) + "/.staged/objects"));
  ReadObjects(*objects, "", seeds["object_bundle_fuzzer"]);
  (void)Need(site->CollectGarbage({}));
  ReadObjects(*objects, "", seeds["object_bundle_fuzzer"]);
  Need(site->ForEachOperation({}, [&](const Operation& operation) {
    seeds["operation_decoder_fuzzer"].push_back(Need(EncodeOperation(operation)));
    return true;
  }));
}

// The export of a small workspace, since each import costs time by its size.
void AddArchive(Seeds& seeds) {
  SimulatedEnv env;
  Save(env, "folder/a.txt", "a\n");
  WorkspaceSite site(env);
  Need(site.Init());
  const CallContext agent = AgentContext();
  (void)Need(site->Write(agent, "b.txt", std::nullopt, "b\n"));
  (void)Need(site->ChangeMode(agent, "folder/a.txt", HashOf(site, agent, "folder/a.txt"), true));
  Submit(site, agent);
  (void)Need(site->Write(agent, "b.txt", HashOf(site, agent, "b.txt"), "c\n"));
  Need(site->Export(kExport, {}));
  seeds["archive_fuzzer"].push_back(Need(env.ExternalRead(kExport)));
}

// One message of each kind behind the byte that the fuzzer chooses it by.
void AddMessages(const ParsedContent& parsed, Seeds& seeds) {
  auto& messages = seeds["parse_message_fuzzer"];
  messages.push_back('\0' + EncodeParseRequest({.format = "xlsx", .limits = {}}));
  Edit edit{.op = "set", .locator = "Sheet1!A1", .expect = Value(1), .arguments = {}};
  edit.arguments.Set("value", Value::Array{1.5, "two", true});
  messages.push_back('\1' + EncodeApplyRequest({.format = "csv", .limits = {}, .edits = {edit}}));
  messages.push_back('\2' + EncodeReuseRequest({.part = "xl/a.xml", .digest = {}}));
  BinaryWriter answer;
  answer.PutString(EncodeParsedHead(parsed));
  answer.PutRaw(EncodeSegments(parsed, {}));
  messages.push_back('\3' + answer.Take());
  messages.push_back('\4' + EncodeOutcomeHead({.bytes = "bytes",
                                               .rewritten_members = {"a", "b"},
                                               .deflated = {},
                                               .derived = {{"A1", "removed"}}}));
  messages.push_back('\5' + EncodeFailure({ErrorCode::kNoMatch, "nothing there", Value(1)}));
}

void AddViews(const Files& files, Seeds& seeds) {
  const FormatRegistry formats = NewBuiltinRegistry();
  StatCacheWriter stat_cache;
  int64_t id = 0;
  for (const auto& [path, bytes] : files) {
    const View view = Need(ParseView(formats, bytes, path, Limits()));
    std::vector<int64_t> ids;
    for (const auto& segment : view.segments) {
      ids.push_back(++id);
      seeds["segment_fuzzer"].push_back(segment->Encode());
      seeds["segment_fuzzer"].push_back(BuildRows(*segment).map.Encode());
      seeds["view_codec_fuzzer"].push_back(CompressSegment(*segment));
    }
    seeds["view_codec_fuzzer"].push_back(EncodeViewBody(EncodeViewHeader(view), ids));
    FileStatus status;
    status.kind = FileKind::kFile;
    status.size_bytes = bytes.size();
    stat_cache.Add(path, status, {EntryKind::kFile, ContentHash::Of(bytes)}, id);
    AddMessages(Need(formats.Detect(bytes, path).Parse(bytes, Limits(), {})), seeds);
  }
  seeds["stat_cache_fuzzer"].push_back(stat_cache.Encode());
}

void AddFormats(const Files& files, Seeds& seeds) {
  for (const auto& [path, bytes] : files) {
    seeds["binary_fuzzer"].push_back(bytes);
    seeds["stored_content_fuzzer"].push_back(bytes);
    seeds["text_fuzzer"].push_back(bytes);
    if (!bytes.starts_with("PK")) continue;
    seeds[path.ends_with(".xlsx") ? "xlsx_fuzzer" : "docx_fuzzer"].push_back(bytes);
    seeds["zip_fuzzer"].push_back(bytes);
    const ZipReader archive = Need(ZipReader::Open(bytes, Limits()));
    for (const ZipMember& member : archive.members()) {
      if (!member.name.ends_with(".xml") && !member.name.ends_with(".rels")) continue;
      const std::string part = Need(archive.Read(member));
      seeds["xml_tokens_fuzzer"].push_back(part);
      seeds["xml_fuzzer"].push_back(part);
    }
  }
}

bool Write(const Seeds& seeds, const std::filesystem::path& folder) {
  for (const auto& [fuzzer, inputs] : seeds) {
    std::filesystem::create_directories(folder / fuzzer);
    int written = 0;
    for (const std::string& input : inputs) {
      if (input.size() > kSeedBytesMax) continue;
      const std::string number = std::to_string(1000 + written++).substr(1);
      std::ofstream(folder / fuzzer / number, std::ios::binary) << input;
    }
    if (written == 0) {
      std::cerr << "write_seeds: no seed for " << fuzzer << "\n";
      return false;
    }
    std::cout << fuzzer << ": " << written << " seeds\n";
  }
  return true;
}

}  // namespace
}  // namespace staged

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: write_seeds EXAMPLES FOLDER\n";
    return 2;
  }
  const staged::Files files = staged::ReadExamples(argv[1]);
  staged::Seeds seeds;
  staged::AddWorkspaceSeeds(files, seeds);
  staged::AddArchive(seeds);
  staged::AddViews(files, seeds);
  staged::AddFormats(files, seeds);
  return staged::Write(seeds, argv[2]) ? 0 : 1;
}
