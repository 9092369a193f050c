// SPDX-License-Identifier: MIT
#include "bench/harness/clock.hpp"

#include "absl/strings/str_format.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

namespace llmes::bench {
namespace {

std::int64_t steady_ns() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

#if defined(__x86_64__)
/// Whether the counter ticks at one rate in all power states, and can be read in order.
bool has_invariant_tsc() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  const bool rdtscp = __get_cpuid(0x80000001, &a, &b, &c, &d) != 0 && (d & 1U << 27) != 0;
  const bool invariant = __get_cpuid(0x80000007, &a, &b, &c, &d) != 0 && (d & 1U << 8) != 0;
  return rdtscp && invariant;
}

std::uint64_t tsc() {
  unsigned core = 0;
  return __rdtscp(&core);
}

std::optional<TscFacts> examine_tsc() {
  if (!has_invariant_tsc()) return std::nullopt;
  TscFacts facts = calibrate(tsc, steady_ns);
  const ClockFacts readings = examine_clock([] { return static_cast<std::int64_t>(tsc()); });
  facts.step_ns = static_cast<double>(readings.resolution_ns) / facts.ghz;
  return facts;
}
#else
std::optional<TscFacts> examine_tsc() {
  return std::nullopt;
}
#endif

}  // namespace

const std::optional<TscFacts>& tsc_facts() {
  static const auto facts = examine_tsc();
  return facts;
}

std::map<std::string, std::string> describe_clock(const ClockFacts& clock, const std::optional<TscFacts>& tsc) {
  return {
      {"clock", absl::StrFormat("steady_clock: steps of %d ns, %.1f ns a call, %d steps back in %d readings",
                                clock.resolution_ns, clock.overhead_ns, clock.steps_back, clock.readings)},
      {"tsc",
       tsc ? absl::StrFormat("invariant, %.6f GHz by steady_clock (spread %.1f ppm)", tsc->ghz, tsc->spread * 1e6)
           : "none that is invariant"},
  };
}

const std::map<std::string, std::string>& clock_facts() {
  static const auto facts = describe_clock(examine_clock(steady_ns), tsc_facts());
  return facts;
}

}  // namespace llmes::bench
