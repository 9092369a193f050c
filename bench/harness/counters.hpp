// SPDX-License-Identifier: MIT
//
// Counters and samples of a timed window: by the processor and the kernel, by callgrind, by perf.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/runner.hpp"

struct perf_event_attr;

namespace llmes::bench {

/// The system calls that PerfCounters makes. Each returns -errno where the kernel refuses.
class PerfApi {
 public:
  virtual ~PerfApi() = default;
  /// Returns a file that counts an event of this thread, in the group of the file `leader` unless that is -1.
  virtual int open(const perf_event_attr& attributes, int leader) = 0;
  /// Makes a PERF_EVENT_IOC_... request.
  virtual int control(int leader, unsigned long request) = 0;
  /// Returns the number of bytes read.
  virtual std::ptrdiff_t read(int leader, void* buffer, std::size_t size) = 0;
  virtual void close(int file) = 0;
  /// The value of /proc/sys/kernel/perf_event_paranoid.
  virtual std::string paranoid() = 0;
};

[[nodiscard]] PerfApi& kernel_perf_api();

/// The counters of the processor and the kernel, through perf_event_open. A counter that the host lacks reports
/// that; the others still count.
///
/// The kernel runs the counters of a group at the same times. There are two groups: one of hardware events, so
/// that cycles and instructions belong together, and one of the kernel's own events, which count without hardware
/// too.
class PerfCounters final : public CounterSource {
 public:
  struct Count {
    std::string name;
    double total = 0;     ///< over all windows; scaled up to them if `share` is below 1
    double share = 1;     ///< the part of the windows' time in which the counter ran
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
  /// Counters that the kernel runs together; the first one leads. `error` is why it refused to start or stop them.
  struct Group {
    std::vector<int> files;
    int error = 0;

    [[nodiscard]] int leader() const { return files.empty() ? -1 : files.front(); }
  };
  /// The place of a counter in its group, or why it is in none.
  struct Member {
    std::size_t place = 0;
    int error = 0;
  };
  struct Reading;

  void control(Group& group, unsigned long request);
  [[nodiscard]] Reading read(const Group& group) const;
  [[nodiscard]] std::string explain(int error) const;

  PerfApi& api_;
  std::array<Group, 2> groups_;  // the kernel's events, hardware events
  std::array<Member, Size> members_;
};

/// "NAME/op" for each available count, "NAME-share" for each one that was scaled up, and "CPI", cycles per
/// instruction.
[[nodiscard]] std::map<std::string, double> per_operation(const PerfCounters::Counts& counts,
                                                          std::size_t operations);

/// A line for each count that is missing or scaled up.
[[nodiscard]] std::set<std::string> remarks(const PerfCounters::Counts& counts);

/// Exact instruction counts on machines without counters. Callgrind runs the program, counts nothing but the
/// windows, and writes the counts to files; the program itself cannot read them.
///
/// Each window switches callgrind's instrumentation on and off, not just its collection: both are exact, and
/// everything outside of the windows runs several times faster this way.
class CallgrindCounters final : public CounterSource {
 public:
  /// Throws std::runtime_error, which says what to do, if nothing would count.
  CallgrindCounters();

  void start() override;
  void stop() override;

  /// Writes the counts since the last dump to callgrind's next file, and counts from zero again. The file has the
  /// lines "desc: Trigger: Client Request: LABEL" and "totals: COUNT".
  void dump(const std::string& label);

  /// Whether valgrind runs this program.
  [[nodiscard]] static bool running_under_callgrind();

  /// The command that runs this program so that its windows are counted.
  [[nodiscard]] static std::string command_line();
};

/// Lets `perf record --delay=-1 --control fifo:CONTROL,ACK`, which runs this program, take samples in the windows
/// only: one fifo tells perf to start and stop, and perf confirms through the other.
class PerfControl final : public CounterSource {
 public:
  /// Throws std::runtime_error, which says what to do, if no perf listens.
  PerfControl(const std::string& control, const std::string& ack);

  void start() override { tell("enable\n"); }
  void stop() override { tell("disable\n"); }

 private:
  class Fifo {
   public:
    Fifo(const std::string& path, int mode);
    ~Fifo();
    Fifo(const Fifo&) = delete;
    Fifo& operator=(const Fifo&) = delete;

    [[nodiscard]] int file() const { return file_; }

   private:
    int file_;
  };

  void tell(std::string_view command);

  Fifo control_;
  Fifo ack_;
};

}  // namespace llmes::bench
