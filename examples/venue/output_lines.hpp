// SPDX-License-Identifier: MIT
//
// The output of a program that runs for long: lines that are written as far as their reader takes them. Nobody
// waits for that reader, the memory is bounded, and lines that find no room are counted.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <streambuf>
#include <string>
#include <string_view>

namespace exchange {

class OutputLines final : public std::streambuf {
 public:
  /// @param file to write to
  explicit OutputLines(int file) : file_(file) {}

  /// Writes what its reader takes at once.
  void write_some() {
    while (!waiting_.empty() && may_write(0)) {
      // A pipe that can be written has room for so many.
      const std::size_t size = std::min(waiting_.size(), std::size_t{4'096});
      const ssize_t written = ::write(file_, waiting_.data(), size);
      if (written > 0) {
        waiting_.erase(0, static_cast<std::size_t>(written));
      } else if (written < 0 && errno != EINTR && errno != EAGAIN) {
        lose_all();
      }
      if (written <= 0) return;
    }
    if (waiting_.empty() && untold_ != 0) {
      waiting_ = std::to_string(untold_) + " lines of the output are lost: nobody has read them\n";
      untold_ = 0;
    }
  }
  /// The same at the end, for which it waits for a second at most.
  void finish() {
    end_line();
    for (int i = 0; i < 10; ++i) {
      write_some();
      if (waiting_.empty() && untold_ == 0) return;
      (void)may_write(100);
    }
  }
  /// How many lines were lost.
  [[nodiscard]] std::uint64_t lost() const noexcept { return lost_; }

 private:
  static constexpr std::size_t waiting_max = 1 << 18;
  static constexpr std::size_t line_max = 4'096;

  int_type overflow(int_type letter) override {
    if (!traits_type::eq_int_type(letter, traits_type::eof())) put(traits_type::to_char_type(letter));
    return traits_type::not_eof(letter);
  }
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    for (const char letter : std::string_view(text, static_cast<std::size_t>(size))) put(letter);
    return size;
  }
  int sync() override {
    write_some();
    return 0;
  }
  void put(char letter) {
    if (letter != '\n' && line_.size() < line_max) {
      line_ += letter;
    } else if (letter == '\n') {
      end_line();
    }
  }
  void end_line() {
    if (line_.empty()) return;
    if (waiting_.size() + line_.size() >= waiting_max || untold_ != 0) write_some();
    if (waiting_.size() + line_.size() >= waiting_max || untold_ != 0) {
      lose(1);
    } else {
      waiting_ += line_ + '\n';
    }
    line_.clear();
  }
  void lose(std::uint64_t lines) noexcept {
    lost_ += lines;
    untold_ += lines;
  }
  void lose_all() {
    lost_ += static_cast<std::uint64_t>(std::ranges::count(waiting_, '\n'));
    waiting_.clear();
    untold_ = 0;  // nobody is there to be told
  }
  [[nodiscard]] bool may_write(int milliseconds) const noexcept {
    pollfd asked{file_, POLLOUT, 0};
    return ::poll(&asked, 1, milliseconds) > 0;
  }

  int file_;
  std::string line_;     ///< that has not ended
  std::string waiting_;  ///< whole lines, but for what the first one has been written of
  std::uint64_t lost_ = 0;
  std::uint64_t untold_ = 0;  ///< of these, the reader does not know
};

/// While it lives, what the program prints is written as `OutputLines`.
class OutputInLines {
 public:
  OutputInLines() : out_before_(std::cout.rdbuf(&out)), errors_before_(std::cerr.rdbuf(&errors)) {}
  ~OutputInLines() {
    out.finish();
    errors.finish();
    std::cout.rdbuf(out_before_);
    std::cerr.rdbuf(errors_before_);
  }
  OutputInLines(const OutputInLines&) = delete;
  OutputInLines& operator=(const OutputInLines&) = delete;

  OutputLines out{STDOUT_FILENO};
  OutputLines errors{STDERR_FILENO};

 private:
  std::streambuf* out_before_;
  std::streambuf* errors_before_;
};

/// A file that the program opens must never be its standard output.
inline void open_standard_files() noexcept {
  for (int file = ::open("/dev/null", O_RDWR); file >= 0; file = ::open("/dev/null", O_RDWR)) {
    if (file > STDERR_FILENO) {
      (void)::close(file);
      return;
    }
  }
}

/// Signals that would end a program by default, and that mean nothing here: the terminal is closed, nobody reads
/// the output, a file has its largest size. What fails then says so.
inline void ignore_signals() noexcept {
  for (const int signal : {SIGHUP, SIGPIPE, SIGXFSZ, SIGUSR2, SIGALRM, SIGTTIN, SIGTTOU})
    (void)std::signal(signal, SIG_IGN);
}

/// A new day may be asked for before the program listens: it waits.
inline void hold_signal(int signal, bool holds) noexcept {
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, signal);
  (void)sigprocmask(holds ? SIG_BLOCK : SIG_UNBLOCK, &one, nullptr);
}

}  // namespace exchange
