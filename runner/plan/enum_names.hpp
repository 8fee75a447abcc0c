// The words for the plan's enumerations, as the job file and the JSON spell them.
#pragma once

#include <array>
#include <string_view>

#include "plan/plan.hpp"

namespace diskproof {

template <class Enum>
struct Named {
  Enum value;
  std::string_view name;
};

constexpr std::array<Named<DiskKind>, 7> names_of(DiskKind) {
  return {{{DiskKind::file, "file"},
           {DiskKind::directory, "directory"},
           {DiskKind::device, "device"},
           {DiskKind::loop, "loop"},
           {DiskKind::mount, "mount"},
           {DiskKind::url, "url"},
           {DiskKind::virtual_disk, "virtual"}}};
}
constexpr std::array<Named<PrepareKind>, 8> names_of(PrepareKind) {
  return {{{PrepareKind::discard, "discard"},
           {PrepareKind::secure_discard, "secure_discard"},
           {PrepareKind::wipe, "wipe"},
           {PrepareKind::scheduler, "scheduler"},
           {PrepareKind::read_ahead, "read_ahead"},
           {PrepareKind::fstrim, "fstrim"},
           {PrepareKind::owner, "owner"},
           {PrepareKind::mode, "mode"}}};
}
constexpr std::array<Named<Access>, 5> names_of(Access) {
  return {{{Access::sequential, "sequential"},
           {Access::random, "random"},
           {Access::zipf, "zipf"},
           {Access::pareto, "pareto"},
           {Access::hotspot, "hotspot"}}};
}
constexpr std::array<Named<Arrival>, 2> names_of(Arrival) {
  return {{{Arrival::constant, "constant"}, {Arrival::poisson, "poisson"}}};
}
constexpr std::array<Named<Durability>, 3> names_of(Durability) {
  return {{{Durability::none, "none"}, {Durability::dsync, "dsync"}, {Durability::sync, "sync"}}};
}
constexpr std::array<Named<Layout>, 3> names_of(Layout) {
  return {{{Layout::written, "written"}, {Layout::allocated, "allocated"}, {Layout::none, "none"}}};
}
constexpr std::array<Named<PhaseKind>, 5> names_of(PhaseKind) {
  return {{{PhaseKind::layout, "layout"},
           {PhaseKind::precondition, "precondition"},
           {PhaseKind::measure, "measure"},
           {PhaseKind::group, "group"},
           {PhaseKind::verify, "verify"}}};
}
constexpr std::array<Named<StopRule::Kind>, 3> names_of(StopRule::Kind) {
  using Kind = StopRule::Kind;
  return {{{Kind::duration, "duration"}, {Kind::bytes, "bytes"}, {Kind::operations, "operations_count"}}};
}
constexpr std::array<Named<Score>, 5> names_of(Score) {
  return {{{Score::median, "median"},
           {Score::mean, "mean"},
           {Score::max, "max"},
           {Score::min, "min"},
           {Score::best, "best"}}};
}
constexpr std::array<Named<Severity>, 3> names_of(Severity) {
  return {{{Severity::ignore, "ignore"}, {Severity::warn, "warn"}, {Severity::error, "error"}}};
}

template <class Enum>
constexpr std::string_view name_of(Enum value) {
  for (const auto& known : names_of(value)) {
    if (known.value == value) return known.name;
  }
  return "?";
}

}  // namespace diskproof
