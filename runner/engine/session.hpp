// An engine at work: created, its queues open, everything given back in the right order. Failures become Error texts
// that name engine, target and the engine's own words.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <diskproof/engine_abi.h>

#include "engine/library.hpp"
#include "engine/queue.hpp"

namespace diskproof {

// One created engine. Outlives its queues.
class Engine {
 public:
  // `options` are canonical (engine/options); each goes where the engine's table says: engine, target or queue.
  Engine(const Library& library, const std::map<std::string, std::string>& options);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  [[nodiscard]] const Library& library() const noexcept { return library_; }

 private:
  friend class Queue;

  struct Given {
    std::string key, value;
  };
  [[nodiscard]] static std::vector<dp_key_value> as_table(const std::vector<Given>& options);

  Library library_;
  std::vector<Given> engine_options_, target_options_, queue_options_;
  dp_engine* engine_ = nullptr;
};

struct TargetSpec {
  std::string spec;                 // path or URL
  std::uint64_t size = 0;           // bytes that offsets may reach
  std::int64_t native_handle = -1;  // open descriptor, stays the caller's; -1: the engine opens spec
  std::uint32_t flags = 0;          // enum dp_target_flags
};

struct QueueSpec {
  std::uint32_t depth = 1;
  std::uint64_t max_length = 0;  // longest I/O, bytes
  std::vector<TargetSpec> targets;
  std::vector<dp_region> regions;
  std::uint32_t queue_index = 0;
};

// One open queue. Constructed, used and destroyed on one thread.
class Queue {
 public:
  Queue(Engine& engine, QueueSpec spec);
  // Closes the queue, which must have nothing in flight.
  ~Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  [[nodiscard]] QueueCalls calls() const noexcept { return {engine_.library().api(), queue_}; }
  [[nodiscard]] dp_target_info target_info(std::uint32_t target) const;

  // I/O is still in flight and will stay so: the destructor leaves the queue open, for the process to end around it.
  void abandon() noexcept { abandoned_ = true; }

 private:
  Engine& engine_;
  QueueSpec spec_;  // the engine may keep pointers to specs and options until the queue closes
  std::vector<dp_key_value> target_options_, queue_options_;
  std::vector<dp_target> targets_;
  dp_queue* queue_ = nullptr;
  bool abandoned_ = false;
};

}  // namespace diskproof
