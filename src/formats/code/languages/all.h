#pragma once

#include "formats/code/languages.h"

namespace staged {

extern const CodeLanguage kPython;
extern const CodeLanguage kC;
extern const CodeLanguage kCpp;
extern const CodeLanguage kJavaScript;
extern const CodeLanguage kTypeScript;
extern const CodeLanguage kTsx;
extern const CodeLanguage kGo;
extern const CodeLanguage kRust;
extern const CodeLanguage kJava;
extern const CodeLanguage kCSharp;
extern const CodeLanguage kRuby;
extern const CodeLanguage kPhp;
extern const CodeLanguage kBash;
extern const CodeLanguage kCss;
extern const CodeLanguage kSql;

}  // namespace staged
