// What compilers write differently: 128-bit integers, and functions that must be inlined.
#pragma once

#include <cstdint>

#if defined(_MSC_VER)
#include <__msvc_int128.hpp>
#define DISKPROOF_ALWAYS_INLINE [[msvc::forceinline]]
#else
#define DISKPROOF_ALWAYS_INLINE [[gnu::always_inline]]
#endif

namespace diskproof {

#if defined(_MSC_VER)
using Wide = std::_Unsigned128;
#else
__extension__ using Wide = unsigned __int128;
#endif

}  // namespace diskproof
