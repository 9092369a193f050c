// SPDX-License-Identifier: MIT
#include "bench/harness/counters.hpp"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#define LLMES_HAS_CALLGRIND 1
#else
#define LLMES_HAS_CALLGRIND 0
#endif

namespace llmes::bench {

// ---- PerfCounters.

namespace {

struct KernelEvent {
  std::string_view name;
  std::uint32_t type;
  std::uint64_t config;
};
constexpr std::uint64_t l1d_read_misses =
    PERF_COUNT_HW_CACHE_L1D | (PERF_COUNT_HW_CACHE_OP_READ << 8) | (PERF_COUNT_HW_CACHE_RESULT_MISS << 16);
constexpr std::array<KernelEvent, PerfCounters::Size> events{{
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    {"L1d-read-misses", PERF_TYPE_HW_CACHE, l1d_read_misses},
    {"last-level-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {"task-clock-ns", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
    {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
}};

/// Which of `groups_` an event is in.
constexpr std::size_t group_of(const KernelEvent& event) {
  return event.type == PERF_TYPE_SOFTWARE ? 0 : 1;
}

perf_event_attr attributes_of(const KernelEvent& event, bool leads) {
  perf_event_attr attributes{};
  attributes.size = sizeof(attributes);
  attributes.type = event.type;
  attributes.config = event.config;
  attributes.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  attributes.disabled = leads;  // its members follow it; some do not count if switched themselves
  // Users may not watch the kernel. Only context switches need it, because they happen inside it.
  attributes.exclude_kernel = &event != &events[PerfCounters::ContextSwitches];
  attributes.exclude_hv = 1;
  return attributes;
}

int result_or_error(long result) {
  return static_cast<int>(result < 0 ? -errno : result);
}

class KernelPerfApi final : public PerfApi {
 public:
  int open(const perf_event_attr& attributes, int leader) override {
    return result_or_error(syscall(SYS_perf_event_open, &attributes, 0, -1, leader, PERF_FLAG_FD_CLOEXEC));
  }
  int control(int leader, unsigned long request) override { return result_or_error(ioctl(leader, request, 0)); }
  std::ptrdiff_t read(int leader, void* buffer, std::size_t size) override {
    return result_or_error(::read(leader, buffer, size));
  }
  void close(int file) override { ::close(file); }
  std::string paranoid() override {
    std::string value = "unknown";
    std::ifstream("/proc/sys/kernel/perf_event_paranoid") >> value;
    return value;
  }
};

}  // namespace

PerfApi& kernel_perf_api() {
  static KernelPerfApi api;
  return api;
}

PerfCounters::PerfCounters(PerfApi& api) : api_(api) {
  for (std::size_t i = 0; i < events.size(); ++i) {
    Group& group = groups_[group_of(events[i])];
    const int file = api_.open(attributes_of(events[i], group.files.empty()), group.leader());
    if (file < 0) {
      members_[i].error = -file;
    } else {
      members_[i].place = group.files.size();
      group.files.push_back(file);
    }
  }
}

PerfCounters::~PerfCounters() {
  for (const Group& group : groups_) {
    for (const int file : group.files) api_.close(file);
  }
}

// Hardware starts last and stops first, so that it does not count the calls for the other group.
void PerfCounters::start() {
  control(groups_[0], PERF_EVENT_IOC_ENABLE);
  control(groups_[1], PERF_EVENT_IOC_ENABLE);
}
void PerfCounters::stop() {
  control(groups_[1], PERF_EVENT_IOC_DISABLE);
  control(groups_[0], PERF_EVENT_IOC_DISABLE);
}

void PerfCounters::control(Group& group, unsigned long request) {
  if (group.files.empty()) return;
  const int result = api_.control(group.leader(), request);
  if (result < 0) group.error = -result;
}

/// The kernel's values of a group, or why there are none.
struct PerfCounters::Reading {
  // As the kernel lays it out.
  struct {
    std::uint64_t size;
    std::uint64_t enabled;
    std::uint64_t running;
    std::array<std::uint64_t, Size> values;
  } data{};
  std::string missing;
};

PerfCounters::Reading PerfCounters::read(const Group& group) const {
  Reading reading;
  if (group.files.empty()) return reading;
  if (group.error != 0) {
    reading.missing = absl::StrCat("the kernel did not switch it: ", std::strerror(group.error));
    return reading;
  }
  const std::ptrdiff_t bytes = api_.read(group.leader(), &reading.data, sizeof(reading.data));
  const auto expected = static_cast<std::ptrdiff_t>((3 + group.files.size()) * sizeof(std::uint64_t));
  if (bytes < 0) {
    reading.missing = absl::StrCat("the kernel did not give it: ", std::strerror(static_cast<int>(-bytes)));
  } else if (bytes != expected || reading.data.size != group.files.size()) {
    reading.missing = absl::StrCat("the kernel gave ", bytes, " bytes in place of ", expected);
  } else if (reading.data.enabled != 0 && reading.data.running == 0) {
    reading.missing =
        "it never got a register to count in; others hold them, as the kernel does if "
        "/proc/sys/kernel/nmi_watchdog is 1";
  }
  return reading;
}

PerfCounters::Counts PerfCounters::counts() const {
  const std::array<Reading, 2> readings{read(groups_[0]), read(groups_[1])};
  Counts counts;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const Reading& reading = readings[group_of(events[i])];
    Count& count = counts[i];
    count.name = events[i].name;
    count.missing = members_[i].error != 0 ? explain(members_[i].error) : reading.missing;
    if (!count.missing.empty() || reading.data.enabled == 0) continue;
    count.share = static_cast<double>(reading.data.running) / static_cast<double>(reading.data.enabled);
    count.total = static_cast<double>(reading.data.values[members_[i].place]) / count.share;
  }
  return counts;
}

std::string PerfCounters::explain(int error) const {
  switch (error) {
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP: return "the host has no such counter (a virtual machine often has none)";
    case EACCES:
    case EPERM:
      return absl::StrCat("not permitted: /proc/sys/kernel/perf_event_paranoid is ", api_.paranoid(),
                          "; set it to 1 or less (sysctl kernel.perf_event_paranoid=1) or run as root; "
                          "in a container, the capability PERFMON is needed too");
    case ENOSYS: return "perf_event_open is blocked here, as containers do, or missing in this kernel";
    case EMFILE: return "too many open files; raise the limit (ulimit -n)";
    case EINVAL: return "the processor cannot count it together with the others";
    default: return std::strerror(error);
  }
}

std::map<std::string, double> per_operation(const PerfCounters::Counts& counts, std::size_t operations) {
  std::map<std::string, double> values;
  for (const PerfCounters::Count& count : counts) {
    if (!count.missing.empty()) continue;
    values[count.name + "/op"] = count.total / static_cast<double>(operations);
    if (count.share < 1) values[count.name + "-share"] = count.share;
  }
  const double cycles = counts[PerfCounters::Cycles].total;
  const double instructions = counts[PerfCounters::Instructions].total;
  if (cycles > 0 && instructions > 0) values["CPI"] = cycles / instructions;
  return values;
}

std::set<std::string> remarks(const PerfCounters::Counts& counts) {
  std::set<std::string> lines;
  for (const PerfCounters::Count& count : counts) {
    if (!count.missing.empty()) {
      lines.insert(absl::StrCat(count.name, ": not available: ", count.missing));
    } else if (count.share < 1) {
      lines.insert(
          absl::StrFormat("%s: an estimate, from the %.0f %% of the time in which it had a register to "
                          "count in",
                          count.name, 100 * count.share));
    }
  }
  return lines;
}

// ---- CallgrindCounters.

#if !LLMES_HAS_CALLGRIND
CallgrindCounters::CallgrindCounters() {
  throw std::runtime_error(
      "cannot count instructions: built without valgrind's headers; install valgrind and build again");
}
void CallgrindCounters::start() {}
void CallgrindCounters::stop() {}
void CallgrindCounters::dump(const std::string&) {}
bool CallgrindCounters::running_under_callgrind() {
  return false;
}
#else
CallgrindCounters::CallgrindCounters() {
  if (running_under_callgrind()) return;
  throw std::runtime_error("only callgrind counts instructions; run: " + command_line());
}
void CallgrindCounters::start() {
  CALLGRIND_START_INSTRUMENTATION;
}
void CallgrindCounters::stop() {
  CALLGRIND_STOP_INSTRUMENTATION;
}
void CallgrindCounters::dump(const std::string& label) {
  CALLGRIND_DUMP_STATS_AT(label.c_str());
}
bool CallgrindCounters::running_under_callgrind() {
  return RUNNING_ON_VALGRIND > 0;
}
#endif

std::string CallgrindCounters::command_line() {
  return std::string("valgrind --tool=callgrind --instr-atstart=no ") + program_invocation_name + " ...";
}

// ---- PerfControl.

PerfControl::Fifo::Fifo(const std::string& path, int mode)
    : file_(open(path.c_str(), mode | O_NONBLOCK | O_CLOEXEC)) {
  if (file_ >= 0) return;
  throw std::runtime_error("cannot reach perf through the fifo '" + path + "': " + std::strerror(errno) +
                           "; scripts/local/perf_record.sh runs this program as it must be");
}
PerfControl::Fifo::~Fifo() {
  close(file_);
}

PerfControl::PerfControl(const std::string& control, const std::string& ack)
    : control_(control, O_WRONLY), ack_(ack, O_RDONLY) {
  std::signal(SIGPIPE, SIG_IGN);  // if perf has ended, `write` must fail with an error
}

void PerfControl::tell(std::string_view command) {
  constexpr int timeout_ms = 10'000;
  pollfd answer{ack_.file(), POLLIN, 0};
  char text[16];  // "ack\n" and the 0 after it
  if (write(control_.file(), command.data(), command.size()) != static_cast<ssize_t>(command.size()) ||
      poll(&answer, 1, timeout_ms) != 1 || read(ack_.file(), text, sizeof text) < 4 ||
      std::string_view(text, 4) != "ack\n") {
    throw std::runtime_error("perf did not answer through its fifo; has it ended?");
  }
}

}  // namespace llmes::bench
