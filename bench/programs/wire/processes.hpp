// SPDX-License-Identifier: MIT
//
// The servers of bench_wire: child processes that run in turns on one core. Whoever is not measured is stopped, so
// two servers that spin do not share it.
#pragma once

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace llmes::bench {

[[nodiscard]] inline std::runtime_error system_failure(const std::string& what) {
  return std::runtime_error(what + ": " + std::generic_category().message(errno));
}

/// A child whose output is read line by line. It ends with this object, or with the program.
class Server {
 public:
  /// @param body what the child does; it does not return from its core
  Server(std::optional<int> core, const std::function<void()>& body) {
    std::array<int, 2> pipe{};
    if (::pipe(pipe.data()) != 0) throw system_failure("cannot make a pipe");
    pid_ = fork();
    if (pid_ < 0) throw system_failure("cannot start a server");
    if (pid_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      dup2(pipe[1], STDOUT_FILENO);
      close(pipe[0]);
      close(pipe[1]);
      if (core) {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(*core, &one);
        sched_setaffinity(0, sizeof(one), &one);
      }
      body();
      std::fflush(stdout);
      _exit(1);
    }
    close(pipe[1]);
    output_ = fdopen(pipe[0], "r");
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    std::fclose(output_);
  }

  /// The rest of the next line that has these words. Throws std::runtime_error if the child ends before.
  [[nodiscard]] std::string line_after(const std::string& words) {
    std::array<char, 512> line;
    while (std::fgets(line.data(), line.size(), output_) != nullptr) {
      std::string text = line.data();
      const std::size_t at = text.find(words);
      if (at != std::string::npos) return text.substr(at + words.size(), text.find('\n') - at - words.size());
    }
    throw std::runtime_error("the server has ended before it said '" + words + "'");
  }

  void stop() const { signal(SIGSTOP, WUNTRACED); }
  void go_on() const { signal(SIGCONT, WCONTINUED); }

 private:
  void signal(int number, int state) const {
    int status = 0;
    if (kill(pid_, number) != 0 || waitpid(pid_, &status, state) != pid_ || WIFEXITED(status) ||
        WIFSIGNALED(status))
      throw std::runtime_error("a server has ended while it was measured");
  }

  pid_t pid_ = -1;
  std::FILE* output_ = nullptr;
};

}  // namespace llmes::bench
