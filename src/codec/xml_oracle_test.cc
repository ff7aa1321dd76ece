#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "base/test_corpus.h"
#include "codec/xml.h"
#include "staged/content_hash.h"

// Compares the tokenizer with expat over the XML parts of real office files.
namespace staged {
namespace {

// The digest that tests/oracles/xml_events.py makes of the same events.
std::string EventsDigest(std::string_view xml) {
  ContentHasher hasher;
  std::string text;
  const auto flush = [&] {
    if (!text.empty()) hasher.Update("T" + text + "\n");
    text.clear();
  };
  XmlTokenizer tokenizer(xml, Limits{});
  while (tokenizer.Read()) {
    const XmlToken& token = tokenizer.token();
    std::string line;
    switch (token.type) {
      case XmlTokenType::kStart:
        line = "S" + std::to_string(token.begin) + " " + std::string(token.name);
        for (const XmlAttribute& attribute : tokenizer.attributes()) {
          line += " " + std::string(attribute.name) + "=" + XmlDecodeAttribute(attribute.value);
        }
        break;
      case XmlTokenType::kEnd:
        line = "E" + std::string(token.name);
        break;
      case XmlTokenType::kComment:
        line = "C" + std::string(token.raw);
        break;
      case XmlTokenType::kText:
        XmlDecodeTo(token.raw, text);
        continue;
      case XmlTokenType::kCData:
        text += token.raw;
        continue;
      default:
        continue;
    }
    flush();
    hasher.Update(line + "\n");
  }
  if (!tokenizer.status().ok()) return "malformed";
  return hasher.Finish().ToHex();
}

TEST(XmlOracle, ReadsTheCorpusAsExpatDoes) {
  if (testing::CorpusFolder().empty()) GTEST_SKIP() << testing::kNoCorpus;
  const char* size_max = std::getenv("STAGED_XML_ORACLE_BYTES");
  const std::string command =
      "/usr/bin/python3 '" STAGED_SOURCE_DIR "/tests/oracles/xml_events.py' '" +
      testing::CorpusFolder() + "' " + (size_max != nullptr ? size_max : "60000");
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  ASSERT_NE(pipe, nullptr);
  size_t compared = 0;
  size_t malformed = 0;
  char line[8192];
  while (std::fgets(line, sizeof(line), pipe.get()) != nullptr) {
    char digest[80];
    size_t size = 0;
    int name_at = 0;
    ASSERT_EQ(std::sscanf(line, "%zu %79s %n", &size, digest, &name_at), 2);
    std::string xml(size, '\0');
    ASSERT_EQ(std::fread(xml.data(), 1, size, pipe.get()), size);
    if (std::string_view(digest) == "undeclared") continue;
    EXPECT_EQ(EventsDigest(xml), digest) << line + name_at;
    malformed += std::string_view(digest) == "malformed";
    ++compared;
  }
  if (compared == 0) GTEST_SKIP() << "1 test skipped: no python3 with expat";
  std::printf("compared %zu parts, %zu of them malformed\n", compared, malformed);
}

}  // namespace
}  // namespace staged
