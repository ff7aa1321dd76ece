#include "formats/code/languages.h"

#include "formats/code/languages/all.h"

namespace staged {

std::span<const CodeLanguage* const> CodeLanguages() {
  static constexpr const CodeLanguage* kLanguages[] = {
      &kPython, &kC,      &kCpp,  &kJavaScript, &kTypeScript, &kTsx, &kGo,  &kRust,
      &kJava,   &kCSharp, &kRuby, &kPhp,        &kBash,       &kCss, &kSql,
  };
  return kLanguages;
}

}  // namespace staged
