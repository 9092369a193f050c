// SPDX-License-Identifier: MIT
#include "bench/harness/memory.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>

#include "absl/strings/str_format.h"
#include "bench/streams/planner.hpp"

namespace llmes::bench {
namespace {

constexpr double mebibyte = 1 << 20;

/// The limit of the control group that this process is in, of the first or the second kind; infinite without one.
double control_group_limit() {
  double limit = std::numeric_limits<double>::infinity();
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::string path = line.substr(line.rfind(':') + 1);
    for (const std::string& file :
         {"/sys/fs/cgroup" + path + "/memory.max", "/sys/fs/cgroup/memory" + path + "/memory.limit_in_bytes"}) {
      double bytes = 0;
      if (std::ifstream(file) >> bytes) limit = std::min(limit, bytes);
    }
  }
  return limit;
}

}  // namespace

double bytes_to_play(const PlanSpec& spec, std::size_t books) {
  // Orders that rest cost a book more or less, by its design; the core takes this much.
  constexpr double bytes_a_resting_order = 32;
  // A book that is played by id has no handles. An index with an entry for each id takes no more than they would.
  const double handles =
      sizeof(OrderHandle) * (static_cast<double>(books) * Planner::event_count(spec) + Planner::order_count(spec));
  const double planner = spec.workload == "far" || spec.workload == "gaps" ? AnyPricePlanner::transient_bytes(spec)
                                                                           : Planner::transient_bytes(spec);
  return Planner::plan_bytes(spec) + std::max(planner, handles) +
         bytes_a_resting_order * static_cast<double>(books * spec.standing);
}

double free_bytes() {
  double available = std::numeric_limits<double>::infinity();
  std::ifstream facts("/proc/meminfo");
  for (std::string line; std::getline(facts, line);) {
    if (line.starts_with("MemAvailable:")) available = 1024 * std::stod(line.substr(line.find(':') + 1));
  }
  return std::min(available, control_group_limit());
}

void require_memory(std::string_view flag, std::size_t count, const std::function<double(std::size_t)>& bytes,
                    double available) {
  const double wanted = bytes(count);
  if (wanted <= available) return;
  const double fits = std::floor((available - bytes(0)) / (bytes(1) - bytes(0)));
  throw std::invalid_argument(absl::StrFormat(
      "--%s=%d needs about %.0f MiB of memory, and %.0f MiB are free; %s", flag, count, wanted / mebibyte,
      available / mebibyte,
      fits >= 1 ? absl::StrFormat("--%s=%.0f fits", flag, fits)
                : absl::StrFormat("not even --%s=1 fits: ask for fewer orders, books or untimed events", flag)));
}

}  // namespace llmes::bench
