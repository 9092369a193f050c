// SPDX-License-Identifier: MIT
#include "bench/harness/counters.hpp"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace llmes::bench {
namespace {

struct Event {
  std::uint32_t type;
  std::uint64_t config;
};
constexpr std::array<Event, PerfCounters::names.size()> events{{
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
    {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
}};

int open_counter(const Event& event) {
  perf_event_attr attributes{};
  attributes.size = sizeof(attributes);
  attributes.type = event.type;
  attributes.config = event.config;
  attributes.disabled = 1;
  attributes.exclude_kernel = event.type == PERF_TYPE_HARDWARE;
  attributes.exclude_hv = 1;
  return static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0));
}

}  // namespace

PerfCounters::PerfCounters() {
  for (std::size_t i = 0; i < events.size(); ++i) {
    counters_[i].file = open_counter(events[i]);
    if (counters_[i].file < 0) counters_[i].error = errno;
  }
}

PerfCounters::~PerfCounters() {
  for (const Counter& counter : counters_) {
    if (counter.file >= 0) close(counter.file);
  }
}

void PerfCounters::start() {
  for (const Counter& counter : counters_) {
    if (counter.file >= 0) ioctl(counter.file, PERF_EVENT_IOC_ENABLE, 0);
  }
}

void PerfCounters::stop() {
  for (const Counter& counter : counters_) {
    if (counter.file >= 0) ioctl(counter.file, PERF_EVENT_IOC_DISABLE, 0);
  }
}

std::optional<std::uint64_t> PerfCounters::total(std::size_t index) const {
  std::uint64_t value = 0;
  const Counter& counter = counters_[index];
  if (counter.file < 0 || read(counter.file, &value, sizeof(value)) != sizeof(value)) return std::nullopt;
  return value;
}

std::string PerfCounters::why_missing(std::size_t index) const {
  const int error = counters_[index].error;
  switch (error) {
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP: return "the host has no such counter (a virtual machine often has none)";
    case EACCES:
    case EPERM: return "not permitted: set kernel.perf_event_paranoid to 1 or less, or run as root";
    case ENOSYS: return "perf_event_open is blocked here, as in most containers";
    default: return std::strerror(error);
  }
}

}  // namespace llmes::bench
