// What counts as the same device.
#include "target/device_identity.hpp"

#include <doctest/doctest.h>

namespace diskproof {
namespace {

DeviceFacts samsung() {
  DeviceFacts facts;
  facts.serial = "S3Z2 NB0K";
  facts.wwn = "naa.5002538E40B1C2D3";
  facts.model = "Samsung SSD 860";
  facts.firmware = "4B6Q";
  facts.size = 1'000'204'886'016;
  return facts;
}

std::string mismatches(const DeviceIdentity& identity) {
  std::string text;
  for (const std::string& mismatch : identity_mismatches(samsung(), identity)) text += mismatch + "\n";
  return text;
}

TEST_CASE("identity: what agrees") {
  CHECK(mismatches({}) == "");
  CHECK(mismatches({.serial = " S3Z2_NB0K "}) == "");
  for (const char* wwn : {"naa.5002538e40b1c2d3", "0x5002538e40b1c2d3", "wwn-0x5002538e40b1c2d3", "5002538E40B1C2D3"}) {
    CAPTURE(wwn);
    CHECK(mismatches({.wwn = wwn}) == "");
  }
  CHECK(mismatches({.model = "Samsung_SSD_860", .firmware = "4B6Q", .rotational = false}) == "");
  CHECK(mismatches({.size = 1'000'000'000'000, .min_size = 1'000'204'886'016}) == "");
}

TEST_CASE("identity: what differs, each with both sides") {
  CHECK(mismatches({.serial = "s3z2 nb0k"}) == "its serial is S3Z2 NB0K, the job asks for s3z2 nb0k\n");
  CHECK(mismatches({.wwn = "0x1"}) == "its WWN is naa.5002538E40B1C2D3, the job asks for 0x1\n");
  CHECK(mismatches({.model = "Samsung SSD", .firmware = "4B6"}) ==
        "its model is Samsung SSD 860, the job asks for Samsung SSD\n"
        "its firmware is 4B6Q, the job asks for 4B6\n");
  CHECK(mismatches({.size = std::uint64_t{1000} << 30, .min_size = std::uint64_t{1} << 40}) ==
        "its size is 932 GiB (1000204886016 bytes), the job asks for 1000 GiB (1073741824000 bytes)\n"
        "its size is 932 GiB (1000204886016 bytes), the job asks for 1 TiB (1099511627776 bytes) or more\n");
  CHECK(mismatches({.rotational = true}) == "it is not rotational, the job asks for one that is rotational\n");
}

TEST_CASE("identity: what is not known matches nothing") {
  const auto found = identity_mismatches(DeviceFacts{}, {.serial = "X"});
  REQUIRE(found.size() == 1);
  CHECK(found[0] == "its serial is not known, the job asks for X");
  for (const char* nothing : {"", " ", "_"}) {
    CHECK(identity_mismatches(DeviceFacts{}, {.serial = nothing, .model = nothing}).size() == 2);
  }
  CHECK(identity_mismatches(DeviceFacts{}, {.wwn = "0x"}).size() == 1);
}

TEST_CASE("identity: sizes are exact, but for those that are printed on drives") {
  struct Row {
    const char* name;
    std::uint64_t actual, asked;
    bool matches;
  };
  constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
  for (const Row& row : {Row{"GiB exact", 1000 * kGiB, 1000 * kGiB, true},
                         {"GiB one sector more", 1000 * kGiB + 512, 1000 * kGiB, false},
                         {"GiB one sector less", 1000 * kGiB - 512, 1000 * kGiB, false},
                         {"1TB drive", 1'000'204'886'016, 1'000'000'000'000, true},
                         {"3.84TB drive", 3'840'755'982'336, 3'840'000'000'000, true},
                         {"120GB drive", 120'034'123'776, 120'000'000'000, true},
                         {"960GB is not 1TB", 960'197'124'096, 1'000'000'000'000, false},
                         {"less than printed", 999'999'999'488, 1'000'000'000'000, false},
                         {"exact bytes of a drive", 1'000'204'886'016, 1'000'204'886'016, true}}) {
    CAPTURE(row.name);
    CHECK(size_matches(row.actual, row.asked) == row.matches);
  }
}

TEST_CASE("consent: the serial, the WWN, and of a partition both with its number") {
  DeviceFacts facts = samsung();
  CHECK(consent_ids(facts) == std::vector<std::string>{"S3Z2 NB0K", "naa.5002538E40B1C2D3"});
  CHECK(is_consent_id(facts, "S3Z2_NB0K"));
  CHECK(is_consent_id(facts, "0x5002538e40b1c2d3"));
  CHECK_FALSE(is_consent_id(facts, ""));
  facts.partition = 3;
  CHECK_FALSE(is_consent_id(facts, "S3Z2_NB0K"));
  CHECK(is_consent_id(facts, "S3Z2_NB0K-part3"));
  CHECK(is_consent_id(facts, "wwn-0x5002538e40b1c2d3-part3"));
  CHECK(consent_ids(DeviceFacts{}).empty());
  CHECK_FALSE(is_consent_id(DeviceFacts{}, ""));
}

}  // namespace
}  // namespace diskproof
