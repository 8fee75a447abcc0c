// A disk that is a URL: its folder, lock, files and markers on the server, made through a child of the engine. Each
// step's undo is in the journal before the step happens, as for local disks.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "plan/plan.hpp"
#include "target/journal.hpp"
#include "target/marker.hpp"
#include "target/url_session.hpp"

namespace diskproof {

// The engine that the disk's phases use, with the disk's URL.
UrlPlace url_place(const Plan& plan, const DiskPlan& disk);

class UrlDisk {
 public:
  // `plan`, `disk` and `journal` outlive this.
  UrlDisk(const Plan& plan, const DiskPlan& disk, Journal& journal, const UrlOpener& open);

  // Throws Error{refused} for what may not be touched.
  void guard();
  void make();

  // As in Preparation. Only a disk that is kept has markers.
  [[nodiscard]] bool laid_out() const;
  void record_layout(std::uint64_t seed);
  void forget_layout();

 private:
  UrlAnswer ask(const UrlOrder& order);
  void guard_folder();
  void make_folders();
  void lock();
  void own();
  void make_file(const std::string& path);
  void store(const std::string& path, const Marker& marker);
  std::optional<std::uint64_t> begin_and_make(UndoKind kind, const std::string& path, bool keep, std::uint64_t size);
  [[nodiscard]] std::string read(const std::string& path);
  [[nodiscard]] std::string name(const std::string& path) const { return disk_.path + " " + path; }

  const Plan& plan_;
  const DiskPlan& disk_;
  Journal& journal_;
  UrlPlace place_;
  UrlOpener open_;
  std::unique_ptr<UrlSession> session_;    // open while it is needed
  std::map<std::string, Marker> markers_;  // by path below the URL, of a disk that is kept
};

}  // namespace diskproof
