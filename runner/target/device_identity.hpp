// Is a device the one that the job means?
#pragma once

#include <string>
#include <vector>

#include "job/device_identity.hpp"
#include "target/device_facts.hpp"

namespace diskproof {

// Each that differs: "the serial is X, the job asks for Y". Blanks at the ends do not count, and blanks inside a serial
// or model are as good as underscores; a WWN is compared without case, "0x", "wwn-", "naa." and "eui.".
//
// `size` is exact, but for one in whole tenths of a decimal gigabyte (1TB, 3.84TB, 500GB): that is what is printed on a
// drive, which holds up to 0.05 % more.
std::vector<std::string> identity_mismatches(const DeviceFacts& facts, const DeviceIdentity& identity);

bool size_matches(std::uint64_t actual, std::uint64_t asked);

// What --allow-destroy NAME=ID may say of it: its serial and its WWN, of a partition both with "-part3" behind; empty
// where it has neither.
std::vector<std::string> consent_ids(const DeviceFacts& facts);
bool is_consent_id(const DeviceFacts& facts, const std::string& id);

}  // namespace diskproof
