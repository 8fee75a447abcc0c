#include "support/absolute_path.hpp"
#include "support/path_text.hpp"

namespace diskproof {

std::string absolute_path(const std::string& folder, const std::string& path) {
  return text_of((path_from(folder) / path_from(path)).lexically_normal());
}

}  // namespace diskproof
