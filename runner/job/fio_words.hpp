// What fio calls the keys and values of a job: advice for those who write these from habit.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace diskproof {

// Advice for a key that is unknown where the keys `is_known` are known; empty: none.
std::string fio_key_hint(std::string_view key, const std::function<bool(std::string_view)>& is_known);

// Advice for a value that is none of the words that its key knows; empty: none.
std::string fio_value_hint(std::string_view value, const std::function<bool(std::string_view)>& is_known);

}  // namespace diskproof
