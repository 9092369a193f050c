// SPDX-License-Identifier: MIT
//
// Lets `perf record --delay=-1 --control fifo:CONTROL,ACK`, which runs this program, take samples in the windows
// and nowhere else: perf is told to begin and to end through one fifo, and says through the other that it has.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

#include "bench/harness/counters.hpp"

namespace llmes::bench {

class PerfControl final : public CounterSource {
 public:
  /// Throws std::runtime_error, which says what to do, where no perf listens.
  PerfControl(const std::string& control, const std::string& ack)
      : control_(control, O_WRONLY), ack_(ack, O_RDONLY) {
    std::signal(SIGPIPE, SIG_IGN);  // a perf that has ended is an error like any other
  }

  void start() override { tell("enable\n"); }
  void stop() override { tell("disable\n"); }

 private:
  class Fifo {
   public:
    Fifo(const std::string& path, int mode) : file_(open(path.c_str(), mode | O_NONBLOCK | O_CLOEXEC)) {
      if (file_ >= 0) return;
      throw std::runtime_error("cannot reach perf through the fifo '" + path + "': " + std::strerror(errno) +
                               "; scripts/local/perf_record.sh runs this program as it must be");
    }
    ~Fifo() { close(file_); }
    Fifo(const Fifo&) = delete;
    Fifo& operator=(const Fifo&) = delete;

    [[nodiscard]] int file() const { return file_; }

   private:
    int file_;
  };

  void tell(std::string_view command) {
    constexpr int patience_ms = 10'000;
    pollfd answer{ack_.file(), POLLIN, 0};
    char text[16];  // "ack\n" and what follows it, a 0
    if (write(control_.file(), command.data(), command.size()) != static_cast<ssize_t>(command.size()) ||
        poll(&answer, 1, patience_ms) != 1 || read(ack_.file(), text, sizeof text) < 4 ||
        std::string_view(text, 4) != "ack\n") {
      throw std::runtime_error("perf did not answer through its fifo; has it ended?");
    }
  }

  Fifo control_;
  Fifo ack_;
};

}  // namespace llmes::bench
