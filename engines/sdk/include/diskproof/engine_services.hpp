// What an engine's author needs besides the table: errors, options, the host's clock. Header-only, no allocation except
// where an error is thrown; nothing here is called by the runner.
#pragma once

#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <diskproof/engine_abi.h>

#if defined(_MSC_VER)
#define DP_NOINLINE [[msvc::noinline]]
#else
#define DP_NOINLINE [[gnu::noinline]]
#endif

namespace dp {

// Thrown by an engine's cold functions (probe, constructors, target_info); becomes the caller's dp_error.
class EngineError : public std::exception {
 public:
  EngineError(dp_code code, std::string text, std::int64_t os_code = 0)
      : code_(code), os_code_(os_code), text_(std::move(text)) {}
  [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }
  [[nodiscard]] dp_code code() const noexcept { return code_; }
  [[nodiscard]] std::int64_t os_code() const noexcept { return os_code_; }

 private:
  dp_code code_;
  std::int64_t os_code_;
  std::string text_;
};

constexpr dp_code code_from_errno(int error) noexcept {
  switch (error) {
    case 0:
      return DP_OK;
    case EINVAL:
      return DP_EINVAL;
    case ENOSPC:
    case EFBIG:
      return DP_ENOSPC;
    case ENOENT:
      return DP_ENOENT;
    case EEXIST:
      return DP_EEXIST;
    case EACCES:
    case EPERM:
    case EBADF:  // a descriptor opened without the right asked for
    case EROFS:
      return DP_EACCES;
    case ENOMEM:
    case EAGAIN:
    case EMFILE:
    case ENFILE:
      return DP_ENOMEM;
    case ENOSYS:
    case ENOTSUP:
      return DP_ENOTSUP;
    case ETIMEDOUT:
      return DP_ETIMEDOUT;
    case ECANCELED:
      return DP_ECANCELED;
    case ENXIO:
    case ENODEV:
      return DP_ENODEV;
    case EBUSY:
      return DP_EBUSY;
    case ENOTDIR:
      return DP_ENOTDIR;
    case EISDIR:
      return DP_EISDIR;
    case ENOTEMPTY:
      return DP_ENOTEMPTY;
    case EIO:
      return DP_EIO;
    default:
      break;
  }
#ifdef EDQUOT  // absent on Windows
  if (error == EDQUOT) return DP_ENOSPC;
#endif
#if defined(EOPNOTSUPP) && EOPNOTSUPP != ENOTSUP
  if (error == EOPNOTSUPP) return DP_ENOTSUP;
#endif
  return DP_EOTHER;
}

// "open /mnt/a: No such file or directory"
[[noreturn]] inline void throw_errno(int error, const std::string& tried) {
  throw EngineError(code_from_errno(error), tried + ": " + std::generic_category().message(error), error);
}

// Copies as much of `text` as fits with its NUL, never splitting a UTF-8 character.
inline void copy_text(std::span<char> to, std::string_view text) noexcept {
  if (to.empty()) return;
  std::size_t length = text.size() < to.size() ? text.size() : to.size() - 1;
  while (length < text.size() && length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0u) == 0x80u) --length;
  std::memcpy(to.data(), text.data(), length);
  to[length] = '\0';
}

inline std::int32_t fill_error(dp_error* error, dp_code code, std::string_view text,
                               std::int64_t os_code = 0) noexcept {
  if (error != nullptr) {
    *error = dp_error{};
    error->code = code;
    error->os_code = os_code;
    copy_text(error->text, text);
  }
  return -static_cast<std::int32_t>(code);
}

// The given options of one scope. Values are canonical (the runner checked them against the option table), so a value
// that does not parse is a fault of the runner and is reported as such.
class Options {
 public:
  Options(const dp_key_value* values, std::uint32_t count) : values_(values, count) {}

  // nullptr: not given and without default.
  [[nodiscard]] const char* find(std::string_view key) const noexcept {
    for (const dp_key_value& entry : values_)
      if (key == entry.key) return entry.value;
    return nullptr;
  }
  [[nodiscard]] std::string_view text(std::string_view key, std::string_view otherwise = {}) const noexcept {
    const char* value = find(key);
    return value == nullptr ? otherwise : std::string_view(value);
  }
  [[nodiscard]] bool flag(std::string_view key) const noexcept { return text(key) == "true"; }

  // INTEGER, SIZE (bytes), DURATION (nanoseconds) and BANDWIDTH (bytes per second).
  [[nodiscard]] std::uint64_t number(std::string_view key, std::uint64_t otherwise = 0) const {
    const char* value = find(key);
    if (value == nullptr) return otherwise;
    std::uint64_t parsed = 0;
    const char* end = value + std::strlen(value);
    const auto [stop, failure] = std::from_chars(value, end, parsed);
    if (failure != std::errc{} || stop != end)
      throw EngineError(DP_EINVAL, "option " + std::string(key) + " arrived as '" + value + "', not a decimal number");
    return parsed;
  }

 private:
  std::span<const dp_key_value> values_;
};

// The runner's services. Copy freely; valid until the process ends.
class Host {
 public:
  explicit Host(const dp_host* host) noexcept : host_(host) {}

  [[nodiscard]] std::uint64_t now() const noexcept { return host_->now(host_->context); }
  void wait_until(std::uint64_t ticks) const noexcept { host_->wait_until(host_->context, ticks); }
  void log(dp_log_level level, const char* text) const noexcept { host_->log(host_->context, level, text); }
  [[nodiscard]] const char* state_dir() const noexcept { return host_->state_dir; }
  [[nodiscard]] std::uint64_t ticks_per_second() const noexcept { return host_->ticks_per_second; }

  // Rounded down, saturating.
  [[nodiscard]] std::uint64_t ticks_from_ns(std::uint64_t ns) const noexcept {
    constexpr std::uint64_t kSecond = 1'000'000'000;
    const std::uint64_t rate = host_->ticks_per_second;
    if (rate == kSecond) return ns;
    if (ns / kSecond >= std::numeric_limits<std::uint64_t>::max() / rate)
      return std::numeric_limits<std::uint64_t>::max();
    return ns / kSecond * rate + ns % kSecond * rate / kSecond;
  }
  // The tick `ns` after `from`, saturating.
  [[nodiscard]] std::uint64_t after(std::uint64_t from, std::uint64_t ns) const noexcept {
    const std::uint64_t span = ticks_from_ns(ns);
    const std::uint64_t room = std::numeric_limits<std::uint64_t>::max() - from;
    return span > room ? std::numeric_limits<std::uint64_t>::max() : from + span;
  }

 private:
  const dp_host* host_;
};

}  // namespace dp
