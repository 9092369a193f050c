// SPDX-License-Identifier: MIT
//
// A file in pieces that end anywhere, for a reader of whole records.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace llmes::python {

/// Keeps what a piece has left of a record, and completes it with some bytes of the next one: no piece is copied.
class Pieces {
 public:
  /// Calls `read(bytes)` until all of a piece is read or kept; it returns how many bytes it has used.
  template <class Read>
  void feed(std::span<const std::byte> bytes, const Read& read) {
    while (!rest_.empty() && !bytes.empty()) {
      const std::size_t before = rest_.size();
      const auto more = bytes.first(std::min(bytes.size(), std::max<std::size_t>(before, 256)));
      rest_.insert(rest_.end(), more.begin(), more.end());
      const std::size_t used = read(std::span<const std::byte>(rest_));
      if (used >= before) {
        bytes = bytes.subspan(used - before);
        rest_.clear();
      } else {
        bytes = bytes.subspan(more.size());
        rest_.erase(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(used));
      }
    }
    if (bytes.empty()) return;
    const std::size_t used = read(bytes);
    rest_.assign(bytes.begin() + static_cast<std::ptrdiff_t>(used), bytes.end());
  }
  /// What no read has used.
  [[nodiscard]] std::span<const std::byte> rest() const { return rest_; }

 private:
  std::vector<std::byte> rest_;
};

}  // namespace llmes::python
