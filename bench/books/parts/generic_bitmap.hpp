// SPDX-License-Identifier: MIT
//
// Which of N ranks are marked: words of bits, words that say which of those are not 0, and so on, for any N. The
// height is a number like any other, and every operation a loop over it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace llmes::bench {

template <std::size_t N>
class GenericBitmap {
 public:
  GenericBitmap() {
    std::size_t size = N;
    do {
      size = (size + 63) / 64;
      heights_.emplace_back(size);
    } while (size > 1);
  }

  void insert(std::size_t rank) {
    for (Words& words : heights_) {
      words[rank / 64] |= std::uint64_t{1} << (rank % 64);
      rank /= 64;
    }
  }

  void erase(std::size_t rank) {
    for (Words& words : heights_) {
      words[rank / 64] &= ~(std::uint64_t{1} << (rank % 64));
      rank /= 64;
      if (words[rank] != 0) return;
    }
  }

  /// The lowest marked rank that is `from` or higher, or N.
  [[nodiscard]] std::size_t first_from(std::size_t from) const {
    for (std::size_t height = 0; height < heights_.size(); ++height) {
      if (from / 64 >= heights_[height].size()) return N;
      const std::uint64_t here = heights_[height][from / 64] >> (from % 64);
      if (here != 0) return descend(height, from + lowest(here));
      from = from / 64 + 1;
    }
    return N;
  }
  /// The lowest marked rank, or N.
  [[nodiscard]] std::size_t first() const {
    const std::uint64_t root = heights_.back().front();
    return root == 0 ? N : descend(heights_.size() - 1, lowest(root));
  }

 private:
  using Words = std::vector<std::uint64_t>;

  static std::size_t lowest(std::uint64_t word) { return static_cast<std::size_t>(std::countr_zero(word)); }

  [[nodiscard]] std::size_t descend(std::size_t height, std::size_t place) const {
    while (height > 0) place = place * 64 + lowest(heights_[--height][place]);
    return place;
  }

  std::vector<Words> heights_;  // the bits of the ranks first
};

}  // namespace llmes::bench
