#pragma once

#include <string>

#include "staged/status.h"
#include "store/bundle_catalog.h"

namespace staged {

// Puts a content together from its bundle and the bundles that hold its payloads, and proves it by
// its hash. Errors: kDataLoss naming the object and the file, kUnsupportedEdit where another
// deflate encoder is needed.
[[nodiscard]] Result<std::string> ReadContent(BundleCatalog& catalog, BundleFile& bundle);

// The same, wherever a sound copy is. Errors: also kNotFound.
[[nodiscard]] Result<std::string> ReadContent(BundleCatalog& catalog, const ContentHash& hash);

// Decompresses one payload and proves it by its hash. Errors: kDataLoss.
[[nodiscard]] Status VerifyPayload(BundleFile& bundle, const Payload& payload,
                                   std::string_view stored);

}  // namespace staged
