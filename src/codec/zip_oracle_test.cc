#include <gtest/gtest.h>
#include <zip.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>

#include "base/test_corpus.h"
#include "codec/zip.h"

// Compares reading and splicing with libzip and Python's zipfile over every archive of the corpus.
namespace staged {
namespace {

std::vector<std::string> CorpusArchives() {
  const std::string root = testing::CorpusFolder();
  std::vector<std::string> files;
  if (root.empty()) return files;
  for (const auto& item : std::filesystem::recursive_directory_iterator(root)) {
    if (!item.is_regular_file()) continue;
    std::ifstream in(item.path(), std::ios::binary);
    char magic[2] = {};
    in.read(magic, 2);
    if (magic[0] == 'P' && magic[1] == 'K') files.push_back(item.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Member contents in directory order, as libzip reads them; absent where libzip refuses one.
using Contents = std::vector<std::pair<std::string, std::optional<std::string>>>;

std::optional<Contents> ReadWithLibzip(const std::string& bytes) {
  zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, nullptr);
  zip_t* archive = zip_open_from_source(source, ZIP_RDONLY, nullptr);
  if (archive == nullptr) {
    zip_source_free(source);
    return std::nullopt;
  }
  Contents contents;
  for (zip_int64_t i = 0; i < zip_get_num_entries(archive, 0); ++i) {
    zip_stat_t status;
    const auto index = static_cast<zip_uint64_t>(i);
    const char* name = zip_get_name(archive, index, ZIP_FL_ENC_RAW);
    std::optional<std::string> content;
    zip_file_t* file = zip_fopen_index(archive, index, 0);
    if (file != nullptr && zip_stat_index(archive, index, 0, &status) == 0) {
      std::string data(status.size, '\0');
      const zip_int64_t size = zip_fread(file, data.data(), data.size());
      char extra = 0;  // reading to the end makes libzip compare the checksum
      const bool at_end = zip_fread(file, &extra, 1) == 0;
      if (size == static_cast<zip_int64_t>(data.size()) && at_end) content = std::move(data);
    }
    if (file != nullptr) zip_fclose(file);
    contents.emplace_back(name != nullptr ? name : "", std::move(content));
  }
  zip_discard(archive);
  return contents;
}

TEST(ZipOracle, ReadsMembersAsLibzipDoes) {
  size_t compared = 0;
  for (const std::string& path : CorpusArchives()) {
    const std::string bytes = ReadFile(path);
    const Result<ZipReader> reader = ZipReader::Open(bytes, Limits());
    const std::optional<Contents> contents = ReadWithLibzip(bytes);
    if (!reader.ok() || !contents) continue;
    ASSERT_EQ(reader->members().size(), contents->size()) << path;
    for (size_t i = 0; i < contents->size(); ++i) {
      const ZipMember& member = reader->members()[i];
      EXPECT_EQ(member.name, (*contents)[i].first) << path;
      const Result<std::string> content = reader->Read(member);
      if (!content.ok() || !(*contents)[i].second) continue;
      EXPECT_TRUE(*content == *(*contents)[i].second) << path << ": " << member.name;
      ++compared;
    }
  }
  if (compared == 0) GTEST_SKIP() << testing::kNoCorpus;
  EXPECT_GT(compared, 5000u);
}

// One member gets new content, one is added; everything else must be as it was, to us, to libzip
// and to Python.
TEST(ZipOracle, SplicedArchivesOpenEverywhere) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / "staged_zip_oracle";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  std::map<std::string, size_t> written;
  std::string list;
  for (const std::string& path : CorpusArchives()) {
    const std::string bytes = ReadFile(path);
    const Result<ZipReader> reader = ZipReader::Open(bytes, Limits());
    if (!reader.ok() || reader->members().empty()) continue;
    const size_t changed = reader->members().size() / 2;
    ZipSplicer splicer(*reader);
    splicer.Replace(changed, "new content of " + path);
    splicer.Add("staged/added.xml", "<added/>");
    const Result<std::string> spliced = splicer.Finish();
    if (!spliced.ok()) {
      EXPECT_EQ(spliced.status().code(), ErrorCode::kUnsupportedEdit) << path;
      continue;
    }
    const Result<ZipReader> again = ZipReader::Open(*spliced, Limits());
    ASSERT_TRUE(again.ok()) << path << again.status().message();
    ASSERT_EQ(again->members().size(), reader->members().size() + 1) << path;
    for (size_t i = 0; i < reader->members().size(); ++i) {
      if (i == changed) continue;
      const ZipMember& before = reader->members()[i];
      const ZipMember& after = again->members()[i];
      EXPECT_TRUE(reader->CompressedBytes(before) == again->CompressedBytes(after)) << path;
      const auto header = [](const ZipReader& zip, const ZipMember& member) {
        return zip.bytes().substr(member.header_offset, member.data_offset - member.header_offset);
      };
      EXPECT_TRUE(header(*reader, before) == header(*again, after)) << path << before.name;
    }
    EXPECT_EQ(*again->Read(again->members()[changed]), "new content of " + path);
    const std::optional<Contents> contents = ReadWithLibzip(*spliced);
    ASSERT_EQ(contents.has_value(), ReadWithLibzip(bytes).has_value()) << path;
    if (contents) {
      EXPECT_EQ(contents->back().second, "<added/>") << path;
    }
    const std::string file = (folder / std::to_string(written.size())).string();
    std::ofstream(file, std::ios::binary) << *spliced;
    written[file] = again->members().size();
    list += file + "\n";
  }
  if (written.empty()) GTEST_SKIP() << testing::kNoCorpus;
  EXPECT_GT(written.size(), 200u);
  std::ofstream(folder / "list") << list;
  const std::string command = "/usr/bin/python3 '" STAGED_SOURCE_DIR
                              "/tests/oracles/zip_members.py' < '" +
                              (folder / "list").string() + "'";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  ASSERT_NE(pipe, nullptr);
  char line[4096];
  size_t checked = 0;
  size_t complaints = 0;
  while (std::fgets(line, sizeof(line), pipe.get()) != nullptr) {
    const std::string_view answer(line);
    const size_t tab = answer.find('\t');
    const std::string file(answer.substr(tab + 1, answer.size() - tab - 2));
    ++checked;
    // Damaged members of hostile files stay damaged.
    if (answer.substr(0, tab) != std::to_string(written[file])) ++complaints;
  }
  std::printf("zipfile checked %zu archives; %zu have members that were damaged before\n", checked,
              complaints);
  if (checked != 0) {
    EXPECT_EQ(checked, written.size());
    EXPECT_LT(complaints, 10u);
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace staged
