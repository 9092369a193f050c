// SPDX-License-Identifier: MIT
//
// Which of N ranks are marked: the same words as in a GenericBitmap, of a height that the type fixes at two or
// three, with every loop over it written out.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace llmes::bench {

template <std::size_t N>
class FixedTree {
  static_assert(N % 64 == 0 && N <= 64 * 64 * 64);
  static constexpr bool has_middle = N > 64 * 64;

 public:
  void insert(std::size_t rank) {
    leaves_[rank / 64] |= bit(rank);
    if constexpr (has_middle) middles_[rank / 64 / 64] |= bit(rank / 64);
    root_ |= bit(has_middle ? rank / 64 / 64 : rank / 64);
  }

  void erase(std::size_t rank) {
    if ((leaves_[rank / 64] &= ~bit(rank)) != 0) return;
    if constexpr (has_middle) {
      if ((middles_[rank / 64 / 64] &= ~bit(rank / 64)) != 0) return;
    }
    root_ &= ~bit(has_middle ? rank / 64 / 64 : rank / 64);
  }

  /// The lowest marked rank, or N.
  [[nodiscard]] std::size_t first() const {
    if (root_ == 0) return N;
    return has_middle ? below_middle(lowest(root_)) : below_leaf(lowest(root_));
  }
  /// The lowest marked rank that is `from` or higher, or N.
  [[nodiscard]] std::size_t first_from(std::size_t from) const {
    if (from >= N) return N;
    const std::uint64_t leaf = leaves_[from / 64] & ~(bit(from) - 1);
    if (leaf != 0) return from / 64 * 64 + lowest(leaf);
    from /= 64;
    if constexpr (has_middle) {
      const std::uint64_t middle = middles_[from / 64] & above(from);
      if (middle != 0) return below_leaf(from / 64 * 64 + lowest(middle));
      from /= 64;
    }
    const std::uint64_t root = root_ & above(from);
    if (root == 0) return N;
    return has_middle ? below_middle(lowest(root)) : below_leaf(lowest(root));
  }

 private:
  static constexpr std::uint64_t bit(std::size_t place) { return std::uint64_t{1} << (place % 64); }
  /// The bits above that of `place`.
  static constexpr std::uint64_t above(std::size_t place) { return ~std::uint64_t{1} << (place % 64); }
  static std::size_t lowest(std::uint64_t word) { return static_cast<std::size_t>(std::countr_zero(word)); }

  [[nodiscard]] std::size_t below_middle(std::size_t word) const {
    return below_leaf(word * 64 + lowest(middles_[word]));
  }
  [[nodiscard]] std::size_t below_leaf(std::size_t word) const { return word * 64 + lowest(leaves_[word]); }

  std::uint64_t root_ = 0;
  std::array<std::uint64_t, has_middle ? (N + 4095) / 4096 : 0> middles_{};
  std::array<std::uint64_t, N / 64> leaves_{};
};

}  // namespace llmes::bench
