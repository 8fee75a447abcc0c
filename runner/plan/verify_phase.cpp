// Writers first: a check takes from its writer what it reads.
#include "plan/verify_phase.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <numeric>

#include "job/phase_names.hpp"
#include "plan/chosen_phases.hpp"
#include "plan/gate_check.hpp"
#include "plan/planner.hpp"
#include "plan/timeouts.hpp"
#include "plan/verify_order.hpp"
#include "support/error.hpp"
#include "support/path_text.hpp"
#include "support/units.hpp"
#include "support/url_text.hpp"

namespace diskproof {
namespace {

// That holds the disk's files; empty where the disk is a file, a device or simulated.
std::string folder_of_disk(const DiskPlan& disk) {
  if (!disk.mount_point.empty()) return disk.mount_point;
  if (disk.kind == DiskKind::url) return disk.work_path.empty() ? "" : disk.path;
  return disk.kind == DiskKind::directory ? disk.path : "";
}

std::string itself(const DiskPlan& disk) { return disk.kind == DiskKind::virtual_disk ? disk.name : disk.path; }

// Of a name that the manifest has.
std::string file_on_disk(const DiskPlan& disk, const std::string& name) {
  const std::string folder = folder_of_disk(disk);
  return disk.kind == DiskKind::url ? url_of(folder, name) : path_in(folder, name);
}

class Settlement {
 public:
  Settlement(const Job& job, const VerifyContext& settings, Plan& plan, Diagnostics& diagnostics)
      : job_(job), settings_(settings), plan_(plan), diagnostics_(diagnostics) {}

  void settle() {
    const VerifyOrder order = verify_order(job_, plan_.phases, diagnostics_);
    for (const auto& [index, map] : order.maps) settle_writer(plan_.phases[index], map);
    for (PhasePlan& phase : plan_.phases) {
      if (phase.verify.write) phase.verify.granule = granules_[phase.verify.map];
    }
    for (std::size_t i = 0; i < plan_.phases.size(); ++i) {
      PhasePlan& phase = plan_.phases[i];
      if (phase.kind != PhaseKind::verify || !phase.skip.empty()) continue;
      const auto writer = order.writers.find(i);
      if (!phase.verify.of.empty() && writer == order.writers.end()) {
        settle_without_writer(phase);
      } else if (phase.verify.of.empty()) {
        settle_manifest(phase);
      } else {
        settle_check(phase, plan_.phases[writer->second]);
      }
    }
  }

 private:
  [[nodiscard]] const DiskPlan& disk_of(const PhasePlan& phase) const {
    return *std::ranges::find(plan_.disks, phase.disk, &DiskPlan::name);
  }
  [[nodiscard]] const Phase& of_job(const PhasePlan& phase) const {
    return *std::ranges::find(job_.phases, phase.name, &Phase::name);
  }
  void error(const PhasePlan& phase, const std::string& key, std::string message, std::string hint) {
    diagnostics_.push_back(error_at(job_, of_job(phase).path + "." + key, std::move(message), std::move(hint)));
  }

  // A check that is asked for and has nothing to check must not look like one that passed.
  void settle_without_writer(PhasePlan& phase) {
    const std::string& name = phase.verify.of;
    phase.skip = "phase " + name + ", whose data it checks, is left out";
    const auto left_out = [&](std::size_t index) {
      const auto writer = std::ranges::find(plan_.phases, job_.phases[index].name, &PhasePlan::name);
      return writer != plan_.phases.end() && writer->skip == kLeftOut;
    };
    if (!std::ranges::any_of(phases_named(job_, name), left_out)) return;
    error(phase, "verify.of", fmt::format("phase '{}' is {}, so there is nothing to check", name, kLeftOut),
          fmt::format("name it too: --only {} --only {}; what an earlier run wrote is checked with verify: {{manifest: "
                      "FILE}}",
                      name, phase.name));
  }

  void settle_writer(PhasePlan& phase, const std::string& map) {
    VerifyPlan& verify = phase.verify;
    verify.map = map;
    verify.manifest = manifest_path(plan_.out_dir, phase.name);
    if (const auto [other, fresh] = manifests_.try_emplace(verify.manifest, phase.name); !fresh) {
      error(phase, "name", fmt::format("its manifest {} is that of phase '{}' too", verify.manifest, other->second),
            "give it another name");
    }
    warn_of_replaced(phase);
    std::uint64_t& granule = granules_[map];
    granule = std::gcd(std::gcd(granule, phase.block_size), phase.region_from);
    for (const BlockShare& block : phase.block_sizes) granule = std::gcd(granule, block.size);
    std::uint64_t& largest = largest_[map];
    largest = std::max(largest, phase.block_size);
  }

  void warn_of_replaced(const PhasePlan& phase) {
    const std::string run = settings_.manifest_run ? settings_.manifest_run(phase.verify.manifest) : "";
    if (run.empty()) return;
    diagnostics_.push_back(
        warning_at(job_, of_job(phase).path + ".verify",
                   fmt::format("the run replaces {}, the manifest of run {}", phase.verify.manifest, run),
                   "give --out another folder to keep that one"));
  }

  void settle_check(PhasePlan& phase, const PhasePlan& writer) {
    phase.verify.of = writer.name;
    phase.verify.manifest = writer.verify.manifest;
    const DiskPlan& from = disk_of(writer);
    const DiskPlan& disk = disk_of(phase);
    for (const std::string& file : stamped_files(from))
      add_target(phase, disk, name_on_disk(from, file), from.file_size);
    const std::uint64_t bytes = from.file_size * phase.targets.size();
    bound(phase, bytes, largest_[writer.verify.map], writer.verify.granule);
  }

  void settle_manifest(PhasePlan& phase) {
    if (plan_.smoke) {
      phase.skip = "a smoke run reads back no manifest of another run, which may be of any size";
      return;
    }
    const auto folder = path_from(settings_.working_dir) / path_from(job_.file).parent_path();
    phase.verify.manifest = text_of((folder / path_from(phase.verify.manifest)).lexically_normal());
    try {
      const ManifestFacts facts = settings_.manifest(phase.verify.manifest);
      for (const ManifestFacts::File& file : facts.files) add_target(phase, disk_of(phase), file.path, file.size);
      bound(phase, facts.expected, facts.largest_write, facts.granule);
    } catch (const Error& fault) {
      if (!of_job(phase).optional || fault.kind() != ErrorKind::unavailable) throw;
      phase.skip = std::string("this machine lacks what it needs: ") + fault.what();
    }
  }

  // Files of a folder are looked for in a folder, one file or device in one.
  void add_target(PhasePlan& phase, const DiskPlan& disk, const std::string& name, std::uint64_t size) {
    const std::string folder = folder_of_disk(disk);
    if (name.empty() == folder.empty()) {
      phase.targets.push_back(
          {.spec = name.empty() ? itself(disk) : file_on_disk(disk, name), .size = size, .device = is_raw(disk)});
    } else if (phase.targets.empty()) {
      error(phase, "disk",
            fmt::format("what it checks is {}, and disk {} is {}", name.empty() ? "one file" : "files in a directory",
                        disk.name, folder.empty() ? "one file" : "a directory"),
            name.empty() ? "use a disk of the same kind" : "use a directory disk");
    }
  }

  // What it reads at most, and how.
  void bound(PhasePlan& phase, std::uint64_t bytes, std::uint64_t largest, std::uint64_t granule) {
    const auto files = static_cast<std::uint32_t>(std::max<std::size_t>(phase.targets.size(), 1));
    phase.threads = std::max(phase.threads, files);
    phase.block_size = std::max(kCheckRead, largest);
    const std::uint64_t buffer = phase.block_size * phase.threads;
    const bool given = job_.source.has(of_job(phase).path + ".queue_depth");
    if (!given)
      phase.queue_depth = std::clamp(static_cast<std::uint32_t>(plan_.memory_limit / buffer), 1u, phase.queue_depth);
    if (static_cast<double>(buffer) * phase.queue_depth > static_cast<double>(plan_.memory_limit)) {
      throw Error(ErrorKind::unavailable,
                  fmt::format("phase {}: {} reads of {} in flight need more buffers than the memory_limit of {}; use "
                              "fewer threads, a smaller queue_depth, or set `memory_limit`",
                              phase.name, std::uint64_t{phase.threads} * phase.queue_depth,
                              format_bytes(phase.block_size), format_bytes(plan_.memory_limit)));
    }
    for (const TargetPlan& target : phase.targets) phase.region_size = std::max(phase.region_size, target.size);
    phase.stop = {.kind = StopRule::Kind::bytes, .value = std::max<std::uint64_t>(bytes, 1)};
    phase.interval_grid = of_job(phase).sample ? phase.interval_grid : default_grid(phase.stop);
    if (!of_job(phase).timeout) phase.timeout = default_timeout(phase.stop, 0, std::max<std::uint64_t>(granule, 1));
  }

  const Job& job_;
  const VerifyContext& settings_;
  Plan& plan_;
  Diagnostics& diagnostics_;
  std::map<std::string, std::string> manifests_;             // path to phase
  std::map<std::string, std::uint64_t> granules_, largest_;  // by map
};

}  // namespace

std::vector<std::string> stamped_files(const DiskPlan& disk) {
  return disk.files.empty() ? std::vector<std::string>{itself(disk)} : disk.files;
}

std::string name_on_disk(const DiskPlan& disk, const std::string& file) {
  const std::string folder = folder_of_disk(disk);
  if (folder.empty()) return "";
  if (disk.kind == DiskKind::url) return path_below(folder, file);
  const std::u8string text = path_from(file).lexically_relative(path_from(folder)).generic_u8string();
  return {text.begin(), text.end()};
}

std::string manifest_path(const std::string& out_dir, const std::string& phase) {
  return path_in(out_dir, file_word(phase) + ".manifest");
}

void settle_verification(const Job& job, const VerifyContext& settings, Plan& plan, Diagnostics& diagnostics) {
  Settlement(job, settings, plan, diagnostics).settle();
}

}  // namespace diskproof
