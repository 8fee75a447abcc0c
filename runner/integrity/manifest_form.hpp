// What the writer and the reader of manifests share of the file's form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace diskproof {

inline constexpr std::string_view kManifestFirstLine = "diskproof manifest 1\n";
inline constexpr std::size_t kManifestSum = sizeof(std::uint64_t);  // behind everything else

}  // namespace diskproof
