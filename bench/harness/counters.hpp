// SPDX-License-Identifier: MIT
//
// What the processor and the kernel count while a window runs, through perf_event_open. A counter that the host
// does not have says so; the others still count.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace llmes::bench {

/// Counts between `start` and `stop`.
class CounterSource {
 public:
  virtual ~CounterSource() = default;
  virtual void start() = 0;
  virtual void stop() = 0;
};

class PerfCounters final : public CounterSource {
 public:
  static constexpr std::array<std::string_view, 7> names{
      "cycles", "instructions", "branches", "branch-misses", "task-clock-ns", "page-faults", "context-switches"};

  PerfCounters();
  ~PerfCounters() override;
  PerfCounters(const PerfCounters&) = delete;
  PerfCounters& operator=(const PerfCounters&) = delete;

  void start() override;
  void stop() override;

  /// The sum over all windows so far, or nothing for a counter that is not available.
  [[nodiscard]] std::optional<std::uint64_t> total(std::size_t index) const;
  /// Why a counter is not available, and which setting decides it.
  [[nodiscard]] std::string why_missing(std::size_t index) const;
  /// Whether the hardware counts anything here.
  [[nodiscard]] bool hardware() const { return total(0).has_value(); }

 private:
  struct Counter {
    int file = -1;
    int error = 0;
  };
  std::array<Counter, names.size()> counters_;
};

}  // namespace llmes::bench
