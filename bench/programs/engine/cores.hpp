// SPDX-License-Identifier: MIT
//
// Which core each of two threads runs on, so that neither is moved to the core of the other.
#pragma once

#include <sched.h>

#include <optional>
#include <string>
#include <vector>

namespace llmes::bench {

/// The cores of a client and of a server. Nothing if this process may run on one core alone, or is not told.
struct TwoCores {
  int client;
  int server;

  [[nodiscard]] static std::optional<TwoCores> choose() {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return {};
    std::vector<int> cores;
    for (int core = 0; core < CPU_SETSIZE; ++core) {
      if (CPU_ISSET(core, &allowed)) cores.push_back(core);
    }
    if (cores.size() < 2) return {};
    return TwoCores{cores[cores.size() - 2], cores.back()};
  }
};

/// Binds the calling thread, and each thread that it starts, to a core for as long as this lives; to none without
/// a core.
class OnCore {
 public:
  explicit OnCore(std::optional<int> core) {
    CPU_ZERO(&before_);
    if (!core || sched_getaffinity(0, sizeof(before_), &before_) != 0) return;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(*core, &one);
    bound_ = sched_setaffinity(0, sizeof(one), &one) == 0;
  }
  ~OnCore() {
    if (bound_) sched_setaffinity(0, sizeof(before_), &before_);
  }
  OnCore(const OnCore&) = delete;
  OnCore& operator=(const OnCore&) = delete;

  [[nodiscard]] bool bound() const { return bound_; }

 private:
  cpu_set_t before_;
  bool bound_ = false;
};

}  // namespace llmes::bench
