// The engine under test: what it says of itself, the options it is created with, and the places that its targets are
// made in. One per child.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "conformance/process_state.hpp"
#include "conformance/trace.hpp"
#include "engine/library.hpp"
#include "engine/session.hpp"
#include "exec/target_file.hpp"

namespace diskproof {

struct RuleOrder;

// A target with what keeps it open.
struct Place {
  TargetSpec spec;
  std::shared_ptr<TargetFile> file;  // null for virtual targets
};

class Subject {
 public:
  Subject(const Library& library, const dp_host& host, const RuleOrder& order, Trace& trace, ProcessState at_start);
  // Removes what was made below the URL.
  ~Subject();
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;

  [[nodiscard]] const Library& library() const noexcept { return library_; }
  [[nodiscard]] const dp_host& host() const noexcept { return host_; }
  [[nodiscard]] Trace& trace() const noexcept { return trace_; }
  // The process before the engine was loaded into it.
  [[nodiscard]] const ProcessState& at_start() const noexcept { return at_start_; }
  [[nodiscard]] bool can(dp_capability capability) const noexcept;
  [[nodiscard]] bool supports(dp_op op) const noexcept;
  [[nodiscard]] const std::map<std::string, std::string>& options() const noexcept { return options_; }
  [[nodiscard]] std::uint64_t patience() const noexcept { return patience_; }  // ns

  // How many I/Os a rule keeps in flight, unless it says otherwise.
  [[nodiscard]] std::uint32_t depth() const noexcept;
  // Targets are files below a URL.
  [[nodiscard]] bool on_share() const noexcept { return can(DP_CAP_URLS) && !url_.empty(); }
  // Files keep what is written to them; a virtual disk where its engine was told so by an option.
  [[nodiscard]] bool on_files() const noexcept { return can(DP_CAP_FILES) || on_share(); }
  [[nodiscard]] bool keeps_data() const noexcept { return on_files() || keeps_content_; }
  // These throw NotApplicable with the reason.
  void need_operation(dp_op op) const;
  void need_data() const;
  void need_files(const char* why) const;

  std::shared_ptr<Engine> create() const;
  // What the engine is created with after `changes`.
  std::shared_ptr<Engine> create(const std::map<std::string, std::string>& changes) const;

  // A fresh target of `size` bytes that may be written, for an engine that works on files with the content of
  // file_byte(). `flags` of dp_target_flags.
  [[nodiscard]] Place place(const std::string& name, std::uint64_t size, std::uint32_t flags = DP_TARGET_WRITE) const;
  // The same by direct I/O where the file system has it, so that I/O takes its time.
  [[nodiscard]] Place slow_place(const std::string& name, std::uint64_t size) const;
  // Of `name` in the rule's own folder: what a target is opened by, and what operations on names take.
  [[nodiscard]] std::string path(const std::string& name) const;
  [[nodiscard]] std::string name_path(const std::string& name) const { return folder_ + "/" + name; }

 private:
  const Library& library_;
  const dp_host& host_;
  Trace& trace_;
  void write_on_share(const std::string& name, const std::string& content) const;
  void clear_share() const;

  std::string url_, folder_;  // the folder's path, or its name below the URL
  std::map<std::string, std::string> options_;
  std::uint64_t patience_;
  bool keeps_content_ = false;
  mutable bool share_used_ = false;  // something may be below the URL
  ProcessState at_start_;
};

// What byte `offset` of a fresh scratch file is.
unsigned char file_byte(std::uint64_t offset) noexcept;

}  // namespace diskproof
