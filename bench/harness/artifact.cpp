// SPDX-License-Identifier: MIT
#include "bench/harness/artifact.hpp"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "bench/harness/build_info.hpp"
#include "bench/harness/clock.hpp"
#include "bench/harness/counters.hpp"

#if LLMES_HAS_JSON
#include <nlohmann/json.hpp>
#endif

namespace llmes::bench {
namespace {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line) || line.empty()) return "unknown";
  return line;
}

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  std::string family, model, stepping, name = "unknown";
  for (std::string line; std::getline(file, line) && !line.empty();) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::string key(absl::StripAsciiWhitespace(line.substr(0, colon)));
    const std::string value(absl::StripAsciiWhitespace(line.substr(colon + 1)));
    if (key == "model name") name = value;
    if (key == "cpu family") family = value;
    if (key == "model") model = value;
    if (key == "stepping") stepping = value;
  }
  // Virtual machines often hide the marketing name; the numbers still identify the core.
  return absl::StrCat(name, " (family ", family, ", model ", model, ", stepping ", stepping, ")");
}

std::string caches() {
  std::string all;
  for (int i = 0; i < 4; ++i) {
    const std::string folder = absl::StrCat("/sys/devices/system/cpu/cpu0/cache/index", i, "/");
    const std::string size = first_line(folder + "size");
    if (size == "unknown" || first_line(folder + "type") == "Instruction") continue;
    absl::StrAppend(&all, all.empty() ? "" : ", ", "L", first_line(folder + "level"), " ", size);
  }
  return all.empty() ? "unknown" : all;
}

std::string pinning() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return "unknown";
  if (CPU_COUNT(&set) != 1) return absl::StrCat("no (", CPU_COUNT(&set), " cores allowed)");
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) return absl::StrCat("core ", cpu);
  }
  return "unknown";
}

std::string scheduling() {
  switch (sched_getscheduler(0)) {
    case SCHED_OTHER: return "ordinary";
    case SCHED_FIFO:
    case SCHED_RR: return "real-time";
    default: return "other";
  }
}

std::string kernel() {
  utsname name{};
  if (uname(&name) != 0) return "unknown";
  return absl::StrCat(name.sysname, " ", name.release, " ", name.machine);
}

/// Writes the file under its unfinished name, and removes it if that fails.
void write_unfinished(const std::string& path, const std::function<void(std::ostream&)>& write) {
  errno = EIO;  // should a stream not say why
  std::ofstream file(unfinished(path), std::ios::binary);
  if (file) write(file);
  file.close();
  if (file) return;
  const std::runtime_error error = cannot_write(path);
  std::remove(unfinished(path).c_str());
  throw error;
}

}  // namespace

std::map<std::string, std::string> fingerprint() {
  const std::string no_cycles = PerfCounters().counts()[PerfCounters::Cycles].missing;
  std::map<std::string, std::string> entries{
      {"commit", LLMES_COMMIT},
      {"dirty", LLMES_DIRTY},
      {"compiler", LLMES_COMPILER},
      {"flags", LLMES_FLAGS},
      {"build", LLMES_BUILD},
      {"cpu", cpu_model()},
      {"cores", absl::StrCat(sysconf(_SC_NPROCESSORS_ONLN))},
      {"caches", caches()},
      {"kernel", kernel()},
      {"governor", first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")},
      {"pinned", pinning()},
      {"scheduling", scheduling()},
      {"counters", no_cycles.empty() ? "hardware" : "not available: " + no_cycles},
      {"date", absl::FormatTime("%Y-%m-%d %H:%M:%S UTC", absl::Now(), absl::UTCTimeZone())},
  };
  entries.insert(clock_facts().begin(), clock_facts().end());
  return entries;
}

std::runtime_error cannot_write(const std::string& path) {
  return std::runtime_error("cannot write " + path + ": " + std::generic_category().message(errno));
}

void require_writable(const std::string& path) {
  // A rename would replace a device such as /dev/stdout by a file.
  std::error_code unknown;
  const std::filesystem::file_status status = std::filesystem::status(path, unknown);
  if (std::filesystem::is_directory(status)) {
    errno = EISDIR;
    throw cannot_write(path);
  }
  if (std::filesystem::is_other(status)) throw std::runtime_error("cannot write " + path + ": it is no file");
  write_unfinished(path, [](std::ostream& file) { file << '\n'; });
  std::remove(unfinished(path).c_str());
}

std::string unfinished(const std::string& path) {
  return path + ".unfinished";
}

void finish(const std::string& path) {
  if (std::rename(unfinished(path).c_str(), path.c_str()) != 0) throw cannot_write(path);
}

void write_whole(const std::string& path, const std::function<void(std::ostream&)>& write) {
  write_unfinished(path, write);
  finish(path);
}

void require_artifact(const std::string& path) {
  if (path.empty()) return;
#if LLMES_HAS_JSON
  require_writable(path);
#else
  throw std::runtime_error("cannot write " + path +
                           ": built without a JSON library; install nlohmann-json3-dev and build again");
#endif
}

#if LLMES_HAS_JSON
void write_artifact(const std::string& path, const nlohmann::ordered_json& artifact) {
  write_whole(path, [&](std::ostream& file) { file << artifact.dump(1) << '\n'; });
}
#endif

}  // namespace llmes::bench
