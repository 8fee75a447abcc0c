// What a job's `identity:` says that a device must be. Only what is set is compared.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace diskproof {

struct DeviceIdentity {
  std::optional<std::string> serial{}, wwn{}, model{}, firmware{};
  std::optional<std::uint64_t> size{};      // bytes
  std::optional<std::uint64_t> min_size{};  // bytes
  std::optional<bool> rotational{};

  bool operator==(const DeviceIdentity&) const = default;
  [[nodiscard]] bool empty() const { return *this == DeviceIdentity{}; }
};

}  // namespace diskproof
