// SPDX-License-Identifier: MIT
//
// The orders of a mass cancel, sorted by their places: a radix sort of an array that is allocated once, so each
// step knows the next address and waits for nothing. Places that differ in few bits have short keys, read once.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "llmes/book/order_pool.hpp"
#include "llmes/detail/zeroed_array.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::detail {

/// Where an order stands among all: its place in the fixed order of a mass cancel.
struct OrderPlace {
  std::uint64_t side = 0;  ///< twice the number of the book, plus the side
  std::uint64_t rank = 0;
  std::uint64_t hidden = 0;
};

class SortedOrders {
 public:
  struct Entry {
    SlotIndex order;
    std::uint32_t key;
  };
  /// Room for half as many orders, allocated once: what is sorted goes from one half to the other.
  using Room = ZeroedArray<Entry>;
  [[nodiscard]] static constexpr std::size_t room_for(std::size_t orders) noexcept { return 2 * orders; }

  /// None yet. `first` is the place of one of them.
  SortedOrders(Room& room, const OrderPlace& first) noexcept
      : half_(room.size() / 2), begin_(&room[0]), front_(begin_), back_(begin_ + half_), first_(first) {}

  /// Adds an order behind those of the front, or in front of those of the back. There must be room.
  void add_front(SlotIndex order, const OrderPlace& place) noexcept { *front_++ = entry(order, place); }
  void add_back(SlotIndex order, const OrderPlace& place) noexcept { *--back_ = entry(order, place); }

  /// Calls `visit(order)` for all: in the order of `place_of(order)`, those of one place front to back. Linear.
  void for_each(const auto& place_of, const auto& visit) noexcept {
    const Entries entries{begin_, std::copy(back_, begin_ + half_, front_)};
    for (const Entry& entry : sort(entries, place_of)) visit(entry.order);
  }

 private:
  using Entries = std::span<Entry>;

  // What of a place a short key has: enough for a book, or a set of few, with prices near each other.
  static constexpr int side_bits = 7;
  static constexpr int rank_bits = 24;

  [[nodiscard]] static constexpr std::uint64_t low_bits(int count) noexcept {
    return (std::uint64_t{1} << count) - 1;
  }
  [[nodiscard]] static std::uint32_t short_key(const OrderPlace& place) noexcept {
    return static_cast<std::uint32_t>(place.side << (rank_bits + 1) | (place.rank & low_bits(rank_bits)) << 1 |
                                      place.hidden);
  }

  /// Notes in which bits places differ.
  [[nodiscard]] Entry entry(SlotIndex order, const OrderPlace& place) noexcept {
    differ_.side |= place.side ^ first_.side;
    differ_.rank |= place.rank ^ first_.rank;
    differ_.hidden |= place.hidden ^ first_.hidden;
    return {order, short_key(place)};
  }

  [[nodiscard]] Entries sort(Entries entries, const auto& place_of) noexcept {
    if (differ_.side <= low_bits(side_bits) && differ_.rank <= low_bits(rank_bits)) {
      const auto width = static_cast<int>(std::bit_width(differ_.rank << 1 | differ_.hidden));
      const auto without_gap = [&](std::uint64_t key) {
        return key >> (rank_bits + 1) << width | (key & low_bits(width));
      };
      return sort_by_part(entries, without_gap(short_key(differ_)), without_gap);
    }
    const auto sort_by = [&](std::uint64_t differ, const auto& part_of) {
      for (int shift = 0; shift < 64; shift += 32) {
        const std::uint64_t half_differs = differ >> shift & low_bits(32);
        if (half_differs == 0) continue;
        for (Entry& entry : entries) {
          entry.key = static_cast<std::uint32_t>(part_of(place_of(entry.order)) >> shift);
        }
        entries = sort_by_part(entries, half_differs, [](std::uint64_t key) { return key; });
      }
    };
    sort_by(differ_.hidden, [](const OrderPlace& place) { return place.hidden; });
    sort_by(differ_.rank, [](const OrderPlace& place) { return place.rank; });
    sort_by(differ_.side, [](const OrderPlace& place) { return place.side; });
    return entries;
  }

  /// Sorts by a part of the keys, digit by digit, where they differ. Into the other half each time.
  [[nodiscard]] Entries sort_by_part(Entries entries, std::uint64_t differ, const auto& part_of) noexcept {
    return entries.size() < 256 ? sort_by_part<4>(entries, differ, part_of)
                                : sort_by_part<8>(entries, differ, part_of);
  }
  template <int bits, class PartOf>
  [[nodiscard]] Entries sort_by_part(Entries entries, std::uint64_t differ, const PartOf& part_of) noexcept {
    for (int shift = 0; differ >> shift != 0; shift += bits) {
      if ((differ >> shift & low_bits(bits)) == 0) continue;
      const auto digit_of = [&](const Entry& entry) { return part_of(entry.key) >> shift & low_bits(bits); };
      std::array<SlotIndex, low_bits(bits) + 1> places{};
      for (const Entry& entry : entries) ++places[digit_of(entry)];
      SlotIndex sum = 0;
      for (SlotIndex& place : places) sum += std::exchange(place, sum);
      Entry* const to = begin_ + (entries.data() == begin_ ? half_ : 0);
      for (const Entry& entry : entries) to[places[digit_of(entry)]++] = entry;
      entries = {to, entries.size()};
    }
    return entries;
  }

  std::size_t half_;
  Entry* begin_;
  Entry* front_;
  Entry* back_;
  OrderPlace first_;
  OrderPlace differ_{};
};

}  // namespace llmes::inline LLMES_NAMESPACE::detail
