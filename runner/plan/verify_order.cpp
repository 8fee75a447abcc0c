// Walks through the phases as they run; of those that take turns two rounds, as each comes before and after the others.
#include "plan/verify_order.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "job/phase_names.hpp"
#include "plan/gate_check.hpp"
#include "plan/planner.hpp"

namespace diskproof {
namespace {

bool stamps(const PhasePlan& phase) { return phase.verify.write; }

// Without a stamp. Space that is only allocated changes no data.
bool overwrites(const PhasePlan& phase) {
  if (stamps(phase) || phase.kind == PhaseKind::group) return false;
  if (phase.kind == PhaseKind::layout) return phase.layout == Layout::written;
  return phase.operations.write > 0 || phase.operations.trim > 0;
}

class Walk {
 public:
  Walk(const Job& job, const std::vector<PhasePlan>& phases, Diagnostics& diagnostics)
      : job_(job), phases_(phases), diagnostics_(diagnostics) {}

  VerifyOrder walk() {
    for (std::size_t first = 0; first < phases_.size();) {
      std::size_t last = first;
      while (last < phases_.size() && !phases_[last].group.empty() && phases_[last].group == phases_[first].group)
        ++last;
      if (last == first || last == phases_.size()) {
        visit(first++);
        continue;
      }
      phases_[last].parallel ? visit_together(first, last) : visit_in_turns(first, last);
      first = last + 1;
    }
    return std::move(order_);
  }

 private:
  struct DiskState {
    std::string map;                   // that is valid; empty: none
    std::vector<std::size_t> writers;  // of the map
    bool unchecked = false;
    std::string overwritten_by;  // the phase that ended the map before
    std::string written_by;      // the last that wrote anything
  };

  void error(std::size_t phase, const std::string& key, const std::string& message, const std::string& hint) {
    const auto found = std::ranges::find(job_.phases, phases_[phase].name, &Phase::name);
    if (found == job_.phases.end() || !said_.insert(found->path + key + message).second) return;
    diagnostics_.push_back(error_at(job_, found->path + "." + key, message, hint));
  }

  void visit(std::size_t index) {
    const PhasePlan& phase = phases_[index];
    if (!phase.skip.empty()) return;
    if (phase.kind == PhaseKind::verify) return visit_check(index);
    if (stamps(phase)) visit_writer(index);
    if (overwrites(phase)) visit_overwriter(phase);
    if (stamps(phase) || overwrites(phase)) disks_[phase.disk].written_by = phase.name;
  }

  void visit_writer(std::size_t index) {
    DiskState& disk = disks_[phases_[index].disk];
    if (disk.map.empty()) {
      disk.map = fmt::format("verify-{}-{}.map", file_word(phases_[index].disk), ++maps_);
      disk.writers.clear();
    }
    const auto [known, fresh] = order_.maps.try_emplace(index, disk.map);
    if (!fresh && known->second != disk.map) {
      error(index, "verify",
            fmt::format("phase '{}' writes to the disk between its turns, without stamps", disk.overwritten_by),
            "add verify: write to that phase, or take it out of the group");
    }
    disk.writers.push_back(index);
    disk.unchecked = true;
  }

  void visit_overwriter(const PhasePlan& phase) {
    DiskState& disk = disks_[phase.disk];
    if (disk.map.empty()) return;
    if (disk.unchecked) {
      error(disk.writers.back(), "verify",
            fmt::format("phase '{}' writes to disk {} after it without stamps, before anything has checked it",
                        phase.name, phase.disk),
            "check it before that phase, or give that phase verify: write");
    }
    disk.map.clear();
    disk.unchecked = false;
    disk.overwritten_by = phase.name;
  }

  // Of those that the check names: on its own disk, else wherever they are.
  std::vector<std::size_t> named_by(const PhasePlan& check) {
    std::set<std::string> names;
    for (const std::size_t index : phases_named(job_, check.verify.of)) names.insert(job_.phases[index].name);
    std::vector<std::size_t> here, anywhere;
    for (std::size_t i = 0; i < phases_.size(); ++i) {
      if (!stamps(phases_[i]) || !phases_[i].skip.empty() || !names.contains(phases_[i].name)) continue;
      anywhere.push_back(i);
      if (phases_[i].disk == check.disk) here.push_back(i);
    }
    return here.empty() ? anywhere : here;
  }

  void visit_check(std::size_t index) {
    const PhasePlan& check = phases_[index];
    if (check.verify.of.empty()) return visit_manifest(index);
    const std::vector<std::size_t> named = named_by(check);
    if (named.empty()) return;  // an error of the job, or left out
    const std::string& disk_name = phases_[named.back()].disk;
    if (std::ranges::any_of(named, [&](std::size_t writer) { return phases_[writer].disk != disk_name; })) {
      return error(index, "verify.of", fmt::format("'{}' names phases on several disks", check.verify.of),
                   "name one of them");
    }
    DiskState& disk = disks_[disk_name];
    if (disk.map.empty()) {
      if (disk.overwritten_by.empty()) return;  // it comes later: an error of the job
      return error(
          index, "verify.of",
          fmt::format("phase '{}' has written to disk {} since, without stamps", disk.overwritten_by, disk_name),
          "check before that phase, or give that phase verify: write");
    }
    const std::size_t last = disk.writers.back();
    if (std::ranges::find(named, last) == named.end()) {
      return error(
          index, "verify.of",
          fmt::format("phase '{}' has stamped more on disk {} since", phases_[last].name, disk_name),
          fmt::format("write of: {}, which checks what both wrote, or check before that phase", phases_[last].name));
    }
    disk.unchecked = false;
    order_.writers[index] = last;
  }

  void visit_manifest(std::size_t index) {
    const DiskState& disk = disks_[phases_[index].disk];
    if (disk.written_by.empty()) return;
    error(index, "verify.manifest",
          fmt::format("phase '{}' of this run writes to disk {} before it", disk.written_by, phases_[index].disk),
          "check first, and write then");
  }

  void visit_in_turns(std::size_t first, std::size_t last) {
    for (int round = 0; round < 2; ++round) {
      for (std::size_t i = first; i < last; ++i) visit(i);
    }
  }

  void visit_together(std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      for (std::size_t other = first; other < last; ++other) {
        if (i != other) check_beside(i, other);
      }
    }
    for (std::size_t i = first; i < last; ++i) {  // checks see what was there before
      if (phases_[i].kind == PhaseKind::verify) visit(i);
    }
    for (std::size_t i = first; i < last; ++i) {
      if (phases_[i].kind != PhaseKind::verify) visit(i);
    }
  }

  void check_beside(std::size_t index, std::size_t other) {
    const PhasePlan& phase = phases_[index];
    const PhasePlan& beside = phases_[other];
    const bool of_verify = stamps(phase) || phase.kind == PhaseKind::verify;
    const bool disturbs = (stamps(beside) || overwrites(beside)) && beside.disk == phase.disk;
    if (!of_verify || !disturbs || !phase.skip.empty() || !beside.skip.empty()) return;
    error(index, "verify", fmt::format("phase '{}' writes to disk {} at the same time", beside.name, phase.disk),
          "run them one after the other");
  }

  const Job& job_;
  const std::vector<PhasePlan>& phases_;
  Diagnostics& diagnostics_;
  std::map<std::string, DiskState> disks_;
  std::set<std::string> said_;
  std::size_t maps_ = 0;
  VerifyOrder order_;
};

}  // namespace

VerifyOrder verify_order(const Job& job, const std::vector<PhasePlan>& phases, Diagnostics& diagnostics) {
  return Walk(job, phases, diagnostics).walk();
}

}  // namespace diskproof
