// One engine as its manifest describes it, for people in the terminal and as documentation.
#pragma once

#include <string>

#include "engine/engine_info.hpp"

namespace diskproof {

std::string engine_text(const EngineInfo& info);

// Markdown; nothing of this machine is in it.
std::string engine_page(const EngineInfo& info);

}  // namespace diskproof
