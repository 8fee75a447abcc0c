// Typed access to JSON that may be anything: every getter either returns a value in range or throws Error{failed} with
// the field's path. Private to metrics/*_json.cpp.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "support/error.hpp"

namespace diskproof {

inline constexpr std::size_t kLongestText = 4096;  // of a name or a message; no more is kept of any

class JsonReader {
 public:
  using Json = nlohmann::ordered_json;

  JsonReader(const Json& json, std::string path) : json_(json), path_(std::move(path)) {}

  [[noreturn]] void fail(std::string_view why) const {
    throw Error(ErrorKind::failed, "measured data is malformed: " + path_ + " " + std::string(why));
  }

  [[nodiscard]] const Json& json() const noexcept { return json_; }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

  [[nodiscard]] bool has(const char* key) const { return json_.is_object() && json_.contains(key); }

  [[nodiscard]] JsonReader at(const char* key) const {
    if (!json_.is_object()) fail("is not an object");
    const auto found = json_.find(key);
    if (found == json_.end()) fail("has no '" + std::string(key) + "'");
    return {*found, path_ + "." + key};
  }

  [[nodiscard]] JsonReader element(std::size_t index) const {
    return {json_[index], path_ + "[" + std::to_string(index) + "]"};
  }

  // Length of an array of at most `limit` elements.
  [[nodiscard]] std::size_t array_size(std::size_t limit) const {
    if (!json_.is_array()) fail("is not an array");
    if (json_.size() > limit) fail("has more than " + std::to_string(limit) + " elements");
    return json_.size();
  }

  template <typename Integer>
  [[nodiscard]] Integer integer() const {
    if (json_.is_number_unsigned()) {
      const auto value = json_.get<std::uint64_t>();
      if (std::in_range<Integer>(value)) return static_cast<Integer>(value);
    } else if (json_.is_number_integer()) {
      const auto value = json_.get<std::int64_t>();
      if (std::in_range<Integer>(value)) return static_cast<Integer>(value);
    }
    fail("is not an integer in range");
  }

  [[nodiscard]] std::uint64_t count() const { return integer<std::uint64_t>(); }

  // The count at an index of an array; builds a path only to complain.
  [[nodiscard]] std::uint64_t count_at(std::size_t index) const {
    const Json& value = json_[index];
    return value.is_number_unsigned() ? value.get<std::uint64_t>() : element(index).count();
  }

  [[nodiscard]] double real() const {
    if (!json_.is_number()) fail("is not a number");
    const auto value = json_.get<double>();
    if (!std::isfinite(value)) fail("is not finite");
    return value;
  }

  [[nodiscard]] bool boolean() const {
    if (!json_.is_boolean()) fail("is not true or false");
    return json_.get<bool>();
  }

  [[nodiscard]] const std::string& text(std::size_t limit) const {
    if (!json_.is_string()) fail("is not text");
    const auto& value = json_.get_ref<const std::string&>();
    if (value.size() > limit) fail("is longer than " + std::to_string(limit) + " bytes");
    return value;
  }

 private:
  const Json& json_;
  std::string path_;
};

}  // namespace diskproof
