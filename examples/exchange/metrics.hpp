// SPDX-License-Identifier: MIT
//
// What the program counts, as Prometheus reads it.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

namespace exchange {

/// A text as the value of a label.
[[nodiscard]] inline std::string label_of(std::string_view text) {
  std::string label;
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') label += '\\';
    label += letter;
  }
  return label;
}
/// The text of such a value.
[[nodiscard]] inline std::string text_of_label(std::string_view label) {
  std::string text;
  for (std::size_t i = 0; i < label.size(); ++i) {
    if (label[i] == '\\' && i + 1 < label.size()) ++i;
    text += label[i];
  }
  return text;
}

/// Times in nanoseconds, each with an error of at most an eighth.
class Histogram {
 public:
  void add(std::uint64_t nanoseconds) noexcept {
    ++counts_[index_of(nanoseconds)];
    sum_ += nanoseconds;
  }
  void print(std::ostream& out, std::string_view name, std::string_view what) const {
    out << "# HELP " << name << ' ' << what << "\n# TYPE " << name << " histogram\n";
    std::uint64_t so_far = 0;
    std::size_t next = 0;
    for (std::size_t bits = 7; bits <= most; ++bits) {
      while (next < index_of(std::uint64_t{1} << bits)) so_far += counts_[next++];
      out << name << "_bucket{le=\"" << seconds(std::uint64_t{1} << bits) << "\"} " << so_far << '\n';
    }
    out << name << "_bucket{le=\"+Inf\"} " << count() << '\n';
    print_ends(out, name);
  }
  void print_quantiles(std::ostream& out, std::string_view name, std::string_view what) const {
    out << "# HELP " << name << ' ' << what << "\n# TYPE " << name << " summary\n";
    for (const double quantile : {0.5, 0.9, 0.99, 0.999, 1.0}) {
      const auto wanted = static_cast<std::uint64_t>(quantile * static_cast<double>(count()));
      std::size_t i = 0;
      for (std::uint64_t so_far = counts_[0]; so_far < wanted; so_far += counts_[i]) ++i;
      out << name << "{quantile=\"" << quantile << "\"} " << seconds(end_of(i)) << '\n';
    }
    print_ends(out, name);
  }

 private:
  static constexpr std::size_t most = 36;  ///< bits: all above 68 s together

  /// Eight to a power of two.
  [[nodiscard]] static std::size_t index_of(std::uint64_t time) noexcept {
    time = std::min(time, std::uint64_t{1} << most);
    if (time < 8) return static_cast<std::size_t>(time);
    const auto shift = static_cast<std::size_t>(std::bit_width(time)) - 4;
    return 8 * shift + static_cast<std::size_t>(time >> shift);
  }
  [[nodiscard]] static std::uint64_t end_of(std::size_t index) noexcept {
    return index < 16 ? index + 1 : (index % 8 + 9) << (index / 8 - 1);
  }
  [[nodiscard]] static double seconds(std::uint64_t time) noexcept { return static_cast<double>(time) * 1e-9; }
  [[nodiscard]] std::uint64_t count() const noexcept {
    return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
  }
  void print_ends(std::ostream& out, std::string_view name) const {
    out << name << "_sum " << seconds(sum_) << '\n' << name << "_count " << count() << '\n';
  }

  std::array<std::uint64_t, 8 * (most - 2) + 1> counts_{};
  std::uint64_t sum_ = 0;
};

/// For sessions: a clock that never goes back.
[[nodiscard]] inline std::uint64_t steady_now() {
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

/// Adds up the time of work that is done in pieces. To read a clock takes longer than a tenth of the work on an
/// order, so the pieces are few.
class Stopwatch {
 public:
  void go_on(std::uint64_t now) noexcept {
    if (!std::exchange(is_on_, true)) begin_ = now;
  }
  void pause(std::uint64_t now) noexcept {
    if (std::exchange(is_on_, false)) sum_ += now - begin_;
  }
  /// Calls `other`, whose time does not count.
  template <class Other>
  void without(Other&& other) {
    if (!is_on_) return other();
    pause(steady_now());
    other();
    go_on(steady_now());
  }
  /// The sum since the last call of it.
  [[nodiscard]] std::uint64_t take() noexcept { return std::exchange(sum_, 0); }

 private:
  std::uint64_t begin_ = 0;
  std::uint64_t sum_ = 0;
  bool is_on_ = false;
};

struct Metrics {
  std::uint64_t connections = 0;  ///< all that were taken
  std::uint64_t refused = 0;      ///< connections, because there were too many
  std::uint64_t slow = 0;         ///< connections that did not read
  std::uint64_t logins = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t datagrams = 0;
  std::uint64_t requests = 0;
  std::uint64_t requests_left_out = 0;
  Histogram answers;  ///< from bytes read to their answer written
  Histogram work;     ///< of these, without the calls that write sockets
  Stopwatch watch;    ///< of one of `work`
};

}  // namespace exchange
