// Reading as a whole: what grows meanwhile is read to its end.
#include "support/regular_file.hpp"

namespace diskproof {

std::string read_file(const std::string& path) {
  constexpr std::size_t kAtOnce = std::size_t{1} << 16;
  RegularFile file(path);
  std::string text;
  for (std::size_t had = 0, got = kAtOnce; got == kAtOnce; had += got) {
    text.resize(had + kAtOnce);
    got = file.read(text.data() + had, kAtOnce);
    text.resize(had + got);
  }
  return text;
}

}  // namespace diskproof
