#include "workspace/office_lock.h"

#include <algorithm>
#include <vector>

#include "base/utf8.h"

namespace staged {

std::string FindOfficeLock(Directory& root, const std::string& path) {
  constexpr uint64_t kLockBytesMax = 4096;
  const std::string prefix = path.substr(0, path.rfind('/') + 1);  // "" in the root
  const std::string name = path.substr(prefix.size());
  // LibreOffice: ",user,host,time,profile;". The user's part may be empty.
  if (const auto text = root.ReadFile(prefix + ".~lock." + name + "#", kLockBytesMax); text.ok()) {
    std::string owner = text->substr(0, text->find(';'));
    std::vector<std::string> parts;
    for (size_t begin = 0; begin <= owner.size();) {
      const size_t comma = std::min(owner.find(',', begin), owner.size());
      if (comma > begin) parts.push_back(owner.substr(begin, comma - begin));
      begin = comma + 1;
    }
    return parts.empty() ? "somebody" : ReplaceInvalidUtf8(parts.front());
  }
  // Microsoft Office: "~$" before the name, or in place of its first two letters; one length byte,
  // then the user's name.
  size_t behind = 0;
  for (int letter = 0; letter < 2 && behind < name.size(); ++letter) {
    static_cast<void>(NextCodePoint(name, behind));
  }
  for (const std::string& lock : {"~$" + name, "~$" + name.substr(behind)}) {
    const auto text = root.ReadFile(prefix + lock, kLockBytesMax);
    if (!text.ok()) continue;
    const size_t length = text->empty() ? 0 : static_cast<uint8_t>(text->front());
    std::string owner = text->size() > length ? text->substr(1, length) : std::string();
    return owner.empty() ? "somebody" : ReplaceInvalidUtf8(owner);
  }
  return "";
}

}  // namespace staged
