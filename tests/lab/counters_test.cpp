// SPDX-License-Identifier: MIT
//
// The counters on a made-up kernel and, for the kernel's own events, on the real one.
#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/harness/counters.hpp"

namespace llmes::test {
namespace {

using bench::CallgrindCounters;
using bench::PerfApi;
using bench::PerfCounters;

constexpr std::uint64_t unit = 1000;  // counter number i of a group has counted (i + 1) units

bool is_software(const perf_event_attr& attributes) {
  return attributes.type == PERF_TYPE_SOFTWARE;
}
bool is_cycles(const perf_event_attr& attributes) {
  return attributes.type == PERF_TYPE_HARDWARE && attributes.config == PERF_COUNT_HW_CPU_CYCLES;
}

/// A kernel that counts nothing and answers what the test sets.
class MadeUpPerf final : public PerfApi {
 public:
  struct File {
    perf_event_attr attributes;
    int leader;
    bool open = true;
  };

  std::vector<File> files;
  std::vector<std::string> requests;
  std::function<int(const perf_event_attr&)> refuse = [](const auto&) { return 0; };
  int control_error = 0;
  std::uint64_t hardware_enabled = 800;
  std::uint64_t hardware_running = 800;
  std::function<std::ptrdiff_t(std::ptrdiff_t)> returned = [](std::ptrdiff_t bytes) { return bytes; };
  std::uint64_t extra = 0;  // counters that the kernel claims to have beside those of the group

  int open(const perf_event_attr& attributes, int leader) override {
    if (const int error = refuse(attributes); error != 0) return -error;
    files.push_back({attributes, leader});
    return static_cast<int>(files.size()) - 1;
  }
  int control(int leader, unsigned long request) override {
    const bool enable = request == PERF_EVENT_IOC_ENABLE;
    requests.push_back(
        std::string(enable ? "enable " : "disable ") +
        (is_software(files.at(static_cast<std::size_t>(leader)).attributes) ? "software" : "hardware"));
    return -control_error;
  }
  std::ptrdiff_t read(int leader, void* buffer, std::size_t size) override {
    const bool software = is_software(files.at(static_cast<std::size_t>(leader)).attributes);
    const auto members = static_cast<std::uint64_t>(std::count_if(
        files.begin(), files.end(), [&](const File& file) { return is_software(file.attributes) == software; }));
    std::vector<std::uint64_t> data{members + extra, software ? 800 : hardware_enabled,
                                    software ? 800 : hardware_running};
    for (std::uint64_t i = 0; i < members; ++i) data.push_back((i + 1) * unit);
    const std::size_t bytes = data.size() * sizeof(std::uint64_t);
    EXPECT_LE(bytes, size);
    std::memcpy(buffer, data.data(), bytes);
    return returned(static_cast<std::ptrdiff_t>(bytes));
  }
  void close(int file) override { files.at(static_cast<std::size_t>(file)).open = false; }
  std::string paranoid() override { return "3"; }
};

constexpr PerfCounters::Index hardware[] = {PerfCounters::Cycles,    PerfCounters::Instructions,
                                            PerfCounters::Branches,  PerfCounters::BranchMisses,
                                            PerfCounters::L1dMisses, PerfCounters::LastLevelMisses};
constexpr PerfCounters::Index software[] = {PerfCounters::TaskClock, PerfCounters::PageFaults,
                                            PerfCounters::ContextSwitches};

void expect_all(const PerfCounters::Counts& counts, std::span<const PerfCounters::Index> indices) {
  std::uint64_t expected = 0;
  for (const auto index : indices) {
    EXPECT_EQ(counts[index].missing, "") << counts[index].name;
    EXPECT_DOUBLE_EQ(counts[index].total, static_cast<double>(expected += unit)) << counts[index].name;
    EXPECT_EQ(counts[index].share, 1) << counts[index].name;
  }
}

void expect_none(const PerfCounters::Counts& counts, std::span<const PerfCounters::Index> indices,
                 const std::string& reason) {
  for (const auto index : indices) {
    EXPECT_NE(counts[index].missing.find(reason), std::string::npos)
        << counts[index].name << ": '" << counts[index].missing << "'";
    EXPECT_EQ(counts[index].total, 0) << counts[index].name;
  }
}

TEST(PerfCounters, AreTwoGroupsWithALeaderEach) {
  MadeUpPerf perf;
  const PerfCounters counters(perf);
  ASSERT_EQ(perf.files.size(), PerfCounters::Size);
  int leaders[] = {-1, -1};
  for (std::size_t i = 0; i < perf.files.size(); ++i) {
    const perf_event_attr& attributes = perf.files[i].attributes;
    int& leader = leaders[is_software(attributes)];
    EXPECT_EQ(perf.files[i].leader, leader);
    EXPECT_EQ(attributes.disabled, leader == -1);
    if (leader == -1) leader = static_cast<int>(i);
    EXPECT_EQ(attributes.read_format,
              static_cast<std::uint64_t>(PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
                                         PERF_FORMAT_TOTAL_TIME_RUNNING));
    // An unprivileged user may only count without the kernel; switches happen in the kernel.
    EXPECT_EQ(attributes.exclude_kernel, i != PerfCounters::ContextSwitches);
  }
  expect_all(counters.counts(), hardware);
  expect_all(counters.counts(), software);
}

TEST(PerfCounters, StartTheHardwareLastAndStopItFirst) {
  MadeUpPerf perf;
  PerfCounters counters(perf);
  counters.start();
  counters.stop();
  EXPECT_EQ(perf.requests, (std::vector<std::string>{"enable software", "enable hardware", "disable hardware",
                                                     "disable software"}));
}

TEST(PerfCounters, CloseTheirFiles) {
  MadeUpPerf perf;
  { const PerfCounters counters(perf); }
  for (const auto& file : perf.files) EXPECT_FALSE(file.open);
}

TEST(PerfCounters, WithoutTheLeaderTheNextLeads) {
  MadeUpPerf perf;
  perf.refuse = [](const auto& attributes) { return is_cycles(attributes) ? ENOENT : 0; };
  const PerfCounters counters(perf);
  const auto counts = counters.counts();
  expect_none(counts, std::span(hardware).first(1), "the host has no such counter");
  expect_all(counts, std::span(hardware).subspan(1));
  expect_all(counts, software);
}

TEST(PerfCounters, WithoutHardwareTheKernelStillCounts) {
  MadeUpPerf perf;
  perf.refuse = [](const auto& attributes) { return is_software(attributes) ? 0 : EOPNOTSUPP; };
  PerfCounters counters(perf);
  counters.start();
  counters.stop();
  EXPECT_EQ(perf.requests, (std::vector<std::string>{"enable software", "disable software"}));
  expect_none(counters.counts(), hardware, "the host has no such counter");
  expect_all(counters.counts(), software);
}

TEST(PerfCounters, EveryRefusalSaysWhatToDo) {
  const std::pair<int, std::string> reasons[] = {
      {ENOENT, "the host has no such counter"},
      {ENODEV, "the host has no such counter"},
      {EOPNOTSUPP, "the host has no such counter"},
      {EACCES, "/proc/sys/kernel/perf_event_paranoid is 3; set it to 1 or less"},
      {EPERM, "/proc/sys/kernel/perf_event_paranoid is 3; set it to 1 or less"},
      {EPERM, "in a container, the capability PERFMON is needed"},
      {ENOSYS, "perf_event_open is blocked here, as containers do"},
      {EMFILE, "too many open files; raise the limit (ulimit -n)"},
      {EINVAL, "cannot count it together with the others"},
      {EIO, std::strerror(EIO)},
  };
  for (const auto& [error, reason] : reasons) {
    MadeUpPerf perf;
    perf.refuse = [error = error](const auto&) { return error; };
    PerfCounters counters(perf);
    counters.start();
    counters.stop();
    EXPECT_TRUE(perf.requests.empty());
    expect_none(counters.counts(), hardware, reason);
    expect_none(counters.counts(), software, reason);
    EXPECT_TRUE(per_operation(counters.counts(), 1).empty());
  }
}

TEST(PerfCounters, AreScaledWhenTheyTookTurns) {
  MadeUpPerf perf;
  perf.hardware_running = perf.hardware_enabled / 4;
  const PerfCounters counters(perf);
  const auto counts = counters.counts();
  EXPECT_DOUBLE_EQ(counts[PerfCounters::Cycles].total, 4 * unit);
  EXPECT_DOUBLE_EQ(counts[PerfCounters::Cycles].share, 0.25);
  EXPECT_EQ(per_operation(counts, 10).at("cycles-share"), 0.25);
  expect_all(counts, software);
  const auto lines = remarks(counts);
  EXPECT_EQ(lines.size(), std::size(hardware));
  EXPECT_EQ(lines.count("cycles: an estimate, from the 25 % of the time in which it had a register to count in"),
            1U);
}

TEST(PerfCounters, ThatNeverGotARegisterHaveNotCounted) {
  MadeUpPerf perf;
  perf.hardware_running = 0;
  const PerfCounters counters(perf);
  expect_none(counters.counts(), hardware, "never got a register");
  expect_all(counters.counts(), software);
}

TEST(PerfCounters, ThatNeverStartedAreThereAndZero) {
  MadeUpPerf perf;
  perf.hardware_enabled = perf.hardware_running = 0;
  const PerfCounters counters(perf);
  for (const auto index : hardware) {
    EXPECT_EQ(counters.counts()[index].missing, "");
    EXPECT_EQ(counters.counts()[index].total, 0);
  }
}

TEST(PerfCounters, BelieveNoTornReading) {
  MadeUpPerf perf;
  const PerfCounters counters(perf);
  perf.returned = [](std::ptrdiff_t bytes) { return bytes - 8; };
  expect_none(counters.counts(), hardware, "the kernel gave 64 bytes in place of 72");
  expect_none(counters.counts(), software, "the kernel gave 40 bytes in place of 48");
  perf.returned = [](std::ptrdiff_t) { return std::ptrdiff_t{0}; };
  expect_none(counters.counts(), hardware, "the kernel gave 0 bytes");
  perf.returned = [](std::ptrdiff_t) { return std::ptrdiff_t{-EIO}; };
  expect_none(counters.counts(), hardware, std::strerror(EIO));
  perf.returned = [](std::ptrdiff_t bytes) { return bytes; };
  perf.extra = 1;
  expect_none(counters.counts(), hardware, "the kernel gave");
  perf.extra = 0;
  expect_all(counters.counts(), hardware);
}

TEST(PerfCounters, ThatCouldNotBeSwitchedHaveNotCounted) {
  MadeUpPerf perf;
  perf.control_error = EIO;
  PerfCounters counters(perf);
  counters.start();
  perf.control_error = 0;
  counters.stop();
  expect_none(counters.counts(), hardware, "did not switch it: " + std::string(std::strerror(EIO)));
  expect_none(counters.counts(), software, "did not switch it");
}

TEST(PerOperation, DividesByOperationsAndCyclesByInstructions) {
  MadeUpPerf perf;
  const PerfCounters counters(perf);
  const auto values = per_operation(counters.counts(), 500);
  EXPECT_EQ(values.size(), PerfCounters::Size + 1);
  EXPECT_DOUBLE_EQ(values.at("cycles/op"), 2);
  EXPECT_DOUBLE_EQ(values.at("instructions/op"), 4);
  EXPECT_DOUBLE_EQ(values.at("last-level-misses/op"), 12);
  EXPECT_DOUBLE_EQ(values.at("task-clock-ns/op"), 2);
  EXPECT_DOUBLE_EQ(values.at("CPI"), 0.5);
  EXPECT_TRUE(remarks(counters.counts()).empty());
}

TEST(PerOperation, HasNoCpiWithoutCyclesOrInstructions) {
  for (const auto missing : {PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS}) {
    MadeUpPerf perf;
    perf.refuse = [missing](const auto& attributes) {
      return attributes.type == PERF_TYPE_HARDWARE && attributes.config == missing ? ENOENT : 0;
    };
    const PerfCounters counters(perf);
    const auto counts = counters.counts();
    EXPECT_EQ(per_operation(counts, 1).count("CPI"), 0U);
    EXPECT_EQ(per_operation(counts, 1).size(), PerfCounters::Size - 1);
    EXPECT_EQ(remarks(counts).size(), 1U);
  }
}

/// The kernel's own events are available on every machine that allows perf_event_open.
TEST(KernelPerf, CountsTimeFaultsAndSwitchesOfTheWindowsAlone) {
  PerfCounters counters;
  const auto before = counters.counts();
  for (const auto index : software) {
    if (!before[index].missing.empty()) GTEST_SKIP() << before[index].name << ": " << before[index].missing;
    EXPECT_EQ(before[index].total, 0);
  }
  constexpr std::size_t pages = 64;
  constexpr std::size_t page = 4096;
  const auto touch_pages = [] {
    void* memory = mmap(nullptr, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    madvise(memory, pages * page, MADV_NOHUGEPAGE);
    for (std::size_t i = 0; i < pages; ++i) static_cast<volatile char*>(memory)[i * page] = 1;
    munmap(memory, pages * page);
  };
  const auto sleep = [] { std::this_thread::sleep_for(std::chrono::milliseconds(2)); };
  touch_pages();
  sleep();
  for (int window = 0; window < 3; ++window) {
    counters.start();
    touch_pages();
    sleep();
    counters.stop();
    touch_pages();
    sleep();
  }
  const auto counts = counters.counts();
  EXPECT_GE(counts[PerfCounters::PageFaults].total, 3 * pages);
  EXPECT_LT(counts[PerfCounters::PageFaults].total, 6 * pages);  // 7 with those outside; a busy machine adds some
  EXPECT_GE(counts[PerfCounters::ContextSwitches].total, 3);
  EXPECT_GT(counts[PerfCounters::TaskClock].total, 0);
  EXPECT_LT(counts[PerfCounters::TaskClock].total, 6e9);
}

TEST(CallgrindCounters, SayHowToRunThem) {
  if (CallgrindCounters::running_under_callgrind()) GTEST_SKIP() << "runs under valgrind";
  try {
    CallgrindCounters counters;
    FAIL() << "nothing counts";
  } catch (const std::runtime_error& error) {
    const std::string message = error.what();
    const bool built_in = message.find(CallgrindCounters::command_line()) != std::string::npos;
    EXPECT_TRUE(built_in || message.find("install valgrind and build again") != std::string::npos) << message;
  }
  EXPECT_NE(CallgrindCounters::command_line().find("--instr-atstart=no"), std::string::npos);
}

}  // namespace
}  // namespace llmes::test
