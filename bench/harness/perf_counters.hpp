// SPDX-License-Identifier: MIT
//
// What the processor and the kernel count while a window runs, through perf_event_open. A counter that the host
// does not have says so; the others still count.
//
// There are two groups, each of which the kernel counts at the same times: one of the hardware, so that cycles and
// instructions belong together, and one of the kernel's own events, which count where there is no hardware.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "bench/harness/counters.hpp"

struct perf_event_attr;

namespace llmes::bench {

/// The system calls that PerfCounters makes. Each returns -errno where the kernel refuses.
class PerfApi {
 public:
  virtual ~PerfApi() = default;
  /// A file that counts an event of this thread, in the group of the file `leader` unless that is -1.
  virtual int open(const perf_event_attr& attributes, int leader) = 0;
  /// A PERF_EVENT_IOC_... request.
  virtual int control(int leader, unsigned long request) = 0;
  /// The number of bytes read.
  virtual std::ptrdiff_t read(int leader, void* buffer, std::size_t size) = 0;
  virtual void close(int file) = 0;
  /// What /proc/sys/kernel/perf_event_paranoid says.
  virtual std::string paranoid() = 0;
};

[[nodiscard]] PerfApi& kernel_perf_api();

class PerfCounters final : public CounterSource {
 public:
  struct Count {
    std::string name;
    double total = 0;     ///< over all windows; scaled up to them if `share` is below 1
    double share = 1;     ///< of the windows' time, in which the counter had a register to count in
    std::string missing;  ///< why there is no total; empty if there is one
  };

  /// Their order in `counts`.
  enum Index : std::size_t {
    Cycles,
    Instructions,
    Branches,
    BranchMisses,
    L1dMisses,
    LastLevelMisses,
    TaskClock,
    PageFaults,
    ContextSwitches,
    Size
  };

  using Counts = std::array<Count, Size>;

  explicit PerfCounters(PerfApi& api = kernel_perf_api());
  ~PerfCounters() override;
  PerfCounters(const PerfCounters&) = delete;
  PerfCounters& operator=(const PerfCounters&) = delete;

  void start() override;
  void stop() override;

  [[nodiscard]] Counts counts() const;

 private:
  /// Counters that the kernel runs together; the first leads. `error` is a refusal to start or stop.
  struct Group {
    std::vector<int> files;
    int error = 0;

    [[nodiscard]] int leader() const { return files.empty() ? -1 : files.front(); }
  };
  /// Where a counter is in its group, or why it is in none.
  struct Member {
    std::size_t place = 0;
    int error = 0;
  };
  struct Reading;

  void control(Group& group, unsigned long request);
  [[nodiscard]] Reading read(const Group& group) const;
  [[nodiscard]] std::string explain(int error) const;

  PerfApi& api_;
  std::array<Group, 2> groups_;  // the kernel's events, the hardware's
  std::array<Member, Size> members_;
};

/// "NAME/op" for each count there is, "NAME-share" beside one that was scaled up, and "CPI", the cycles of an
/// instruction.
[[nodiscard]] std::map<std::string, double> per_operation(const PerfCounters::Counts& counts,
                                                          std::size_t operations);

/// A line for each count that is missing or scaled up.
[[nodiscard]] std::set<std::string> remarks(const PerfCounters::Counts& counts);

}  // namespace llmes::bench
