// SPDX-License-Identifier: MIT
//
// What the program counts, as Prometheus reads it.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string_view>

namespace exchange {

/// Times in powers of two of a nanosecond.
class Histogram {
 public:
  void add(std::uint64_t nanoseconds) noexcept {
    const auto bits = static_cast<std::size_t>(std::bit_width(nanoseconds));
    ++counts_[std::clamp(bits, least, counts_.size() - 1) - least];
    sum_ += nanoseconds;
  }
  void print(std::ostream& out, std::string_view name, std::string_view what) const {
    out << "# HELP " << name << ' ' << what << "\n# TYPE " << name << " histogram\n";
    std::uint64_t so_far = 0;
    for (std::size_t i = 0; i + least < counts_.size(); ++i) {
      so_far += counts_[i];
      out << name << "_bucket{le=\"" << static_cast<double>(std::uint64_t{1} << (i + least)) * 1e-9 << "\"} "
          << so_far << '\n';
    }
    so_far += counts_[counts_.size() - 1 - least];
    out << name << "_bucket{le=\"+Inf\"} " << so_far << '\n'
        << name << "_sum " << static_cast<double>(sum_) * 1e-9 << '\n'
        << name << "_count " << so_far << '\n';
  }

 private:
  static constexpr std::size_t least = 7;  ///< all below 128 ns together
  std::array<std::uint64_t, 36> counts_{};
  std::uint64_t sum_ = 0;
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
  Histogram answers;  ///< from bytes read to their answer written
};

}  // namespace exchange
