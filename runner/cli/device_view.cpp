// One line per device in columns, and below it what does not fit into one: its lasting name, and what a job needs.
#include "cli/device_view.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/columns.hpp"
#include "report/json_text.hpp"
#include "support/units.hpp"
#include "target/device_facts_json.hpp"
#include "target/device_guard.hpp"
#include "target/device_identity.hpp"

namespace diskproof {
namespace {

constexpr std::size_t kIndent = 4;
constexpr std::size_t kCells = 5;

using Row = std::vector<std::string>;

std::string or_dash(const std::string& text) { return text.empty() ? "-" : one_line(text); }

Row row_of(const DeviceFacts& device, const DeviceTable& table) {
  return {one_line(device.path), format_bytes(device.size), or_dash(device.model),
          or_dash(device.serial.empty() ? device.wwn : device.serial), one_line(use_text(device, table))};
}

std::string note(const std::string& text) { return std::string(kIndent, ' ') + wrap(one_line(text), kIndent) + "\n"; }

std::string needs_text(const DeviceFacts& device) {
  const std::vector<std::string> ids = consent_ids(device);
  return fmt::format("a job may write to it with `destroy: true` and --allow-destroy NAME{}",
                     ids.empty() ? "" : "=" + ids.front());
}

std::string notes_of(const DeviceFacts& device, const DeviceTable& table) {
  std::string text;
  if (!device.links.empty()) text += note("also " + device.links.front());
  if (!device.backing_file.empty()) text += note("of the image " + device.backing_file);
  const std::vector<Refusal> refusals = lasting_refusals(device, table);
  if (refusals.empty()) return text + note(needs_text(device));
  for (const Refusal& refusal : refusals) text += note("no job may write to it: " + refusal.text);
  return text;
}

}  // namespace

std::string devices_text(const DeviceTable& table) {
  std::vector<const DeviceFacts*> shown;
  for (const DeviceFacts& device : table.devices) {
    if (device.size > 0) shown.push_back(&device);
  }
  std::vector<Row> rows{{"device", "size", "model", "serial or WWN", "use"}};
  for (const DeviceFacts* device : shown) rows.push_back(row_of(*device, table));
  std::vector<std::size_t> widths(kCells, 0);
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < kCells; ++i) widths[i] = std::max(widths[i], display_width(row[i]));
  }
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t cell = 0; cell + 1 < kCells; ++cell) text += pad_right(rows[i][cell], widths[cell] + 2);
    text += rows[i].back() + "\n";
    if (i > 0) text += notes_of(*shown[i - 1], table);
  }
  if (shown.empty()) text = "there are no block devices with a size here\n";
  const std::size_t hidden = table.devices.size() - shown.size();
  if (hidden > 0) text += fmt::format("\n{} of size 0 (nothing attached, no medium) not shown; see --json\n", hidden);
  return text;
}

std::string devices_json(const DeviceTable& table) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const DeviceFacts& device : table.devices) {
    nlohmann::ordered_json json = device_json(device);
    json["use"] = use_text(device, table);
    json["consent_ids"] = consent_ids(device);
    json["refusals"] = nlohmann::ordered_json::array();
    for (const Refusal& refusal : lasting_refusals(device, table)) json["refusals"].push_back(refusal.text);
    list.push_back(std::move(json));
  }
  return pretty_json({{"devices", std::move(list)}});
}

}  // namespace diskproof
