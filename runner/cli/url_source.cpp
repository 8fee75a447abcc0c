// A journal may name a library that has become somebody else's since.
#include "cli/url_source.hpp"

#include <fmt/format.h>

#include "engine/trusted_path.hpp"
#include "exec/url_child.hpp"
#include "support/error.hpp"
#include "support/path_text.hpp"

namespace diskproof {

UrlOpener url_opener(const std::string& executable) {
  return [executable](const UrlPlace& place) {
    if (const std::string reason = distrust(path_from(place.library)); !reason.empty())
      throw Error(ErrorKind::refused, fmt::format("engine {} is not loaded: {}", place.library, reason));
    return open_url_session(executable, place);
  };
}

}  // namespace diskproof
