// The contract and the adaptor compile as C++20 with nothing before them; the adaptor repeats the layout asserts.
#include <diskproof/engine_abi.h>
//
#include <type_traits>

#include <diskproof/engine.hpp>

static_assert(std::is_trivially_copyable_v<dp_io> && std::is_standard_layout_v<dp_io>);
static_assert(std::is_trivially_copyable_v<dp_done> && std::is_standard_layout_v<dp_engine_api>);
