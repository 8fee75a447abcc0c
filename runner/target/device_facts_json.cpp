// One object per device; sizes in bytes.
#include "target/device_facts_json.hpp"

#include <nlohmann/json.hpp>

namespace diskproof {
namespace {

using Json = nlohmann::ordered_json;

void put(Json& json, const char* key, const std::string& value) {
  if (!value.empty()) json[key] = value;
}

void put(Json& json, const char* key, std::uint64_t value) {
  if (value > 0) json[key] = value;
}

Json mounts_json(const DeviceFacts& device) {
  Json list = Json::array();
  for (const MountUse& use : device.mounts) {
    Json json{{"mount_point", use.mount_point}, {"type", use.type}};
    put(json, "process", use.process);
    list.push_back(std::move(json));
  }
  return list;
}

Json signatures_json(const DeviceFacts& device) {
  Json list = Json::array();
  for (const Signature& signature : device.signatures) {
    Json json{{"type", signature.type}};
    put(json, "label", signature.label);
    put(json, "uuid", signature.uuid);
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace

Json device_json(const DeviceFacts& device) {
  Json json{{"name", device.name},
            {"path", device.path},
            {"number", to_string(device.number)},
            {"kind", to_string(device.kind)},
            {"size", device.size}};
  put(json, "serial", device.serial);
  put(json, "wwn", device.wwn);
  put(json, "model", device.model);
  put(json, "firmware", device.firmware);
  put(json, "logical_sector", device.logical_sector);
  put(json, "physical_sector", device.physical_sector);
  json["rotational"] = device.rotational;
  json["read_only"] = device.read_only;
  json["removable"] = device.removable;
  put(json, "scheduler", device.scheduler);
  put(json, "read_ahead", device.read_ahead);
  put(json, "write_cache", device.write_cache);
  put(json, "sequence", device.sequence);
  put(json, "parent", device.parent);
  put(json, "partition", device.partition);
  put(json, "mapping", device.mapping);
  put(json, "mapped_name", device.mapped_name);
  put(json, "backing_file", device.backing_file);
  json["links"] = device.links;
  json["holders"] = device.holders;
  json["mounts"] = mounts_json(device);
  json["swap"] = device.swap;
  put(json, "btrfs", device.btrfs);
  json["signatures"] = signatures_json(device);
  put(json, "signatures_fault", device.signatures_fault);
  put(json, "bus", device.bus);
  put(json, "system_use", device.system_use);
  put(json, "page_file", device.page_file);
  put(json, "managed_by", device.managed_by);
  if (device.offline) json["offline"] = true;
  return json;
}

}  // namespace diskproof
