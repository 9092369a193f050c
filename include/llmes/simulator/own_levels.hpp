// SPDX-License-Identifier: MIT
//
// The resting own orders of a strategy in one book, best first.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "llmes/simulator/own_orders.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::detail {

class OwnLevels {
 public:
  using Ids = std::vector<OwnOrderId>;

  [[nodiscard]] Ids& of(Side side) noexcept { return sides_[static_cast<std::size_t>(side)]; }
  [[nodiscard]] bool empty() const noexcept { return sides_[0].empty() && sides_[1].empty(); }

  /// One bit test: false if there is no own order at this level.
  [[nodiscard]] bool may_have(Side side, Price price) const noexcept {
    return (word_ >> bit_of(side, price) & 1) != 0;
  }

  /// The youngest of its level.
  void insert(const OwnOrders& orders, const OwnOrder& order) {
    Ids& ids = of(order.side);
    ids.insert(std::upper_bound(
                   ids.begin(), ids.end(), order.price,
                   [&](Price price, OwnOrderId id) { return is_better(order.side, price, orders[id].price); }),
               order.id);
    const std::size_t bit = bit_of(order.side, order.price);
    if (counts_[bit]++ == 0) word_ |= std::uint64_t{1} << bit;
  }
  void erase(const OwnOrder& order) noexcept {
    Ids& ids = of(order.side);
    ids.erase(std::find(ids.begin(), ids.end(), order.id));
    const std::size_t bit = bit_of(order.side, order.price);
    if (--counts_[bit] == 0) word_ &= ~(std::uint64_t{1} << bit);
  }

  /// Calls `visit` with each own order of a level, the oldest first.
  template <class Visit>
  void for_level(OwnOrders& orders, Side side, Price price, const Visit& visit) {
    if (!may_have(side, price)) return;
    const Ids& ids = of(side);
    auto at = std::lower_bound(ids.begin(), ids.end(), price, [&](OwnOrderId id, Price wanted) {
      return is_better(side, orders[id].price, wanted);
    });
    for (; at != ids.end() && orders[*at].price == price; ++at) visit(orders[*at]);
  }

 private:
  [[nodiscard]] static constexpr std::size_t bit_of(Side side, Price price) noexcept {
    const std::uint64_t number = static_cast<std::uint64_t>(price) * 2 + static_cast<std::uint64_t>(side);
    return number * 0x9E3779B97F4A7C15U >> 58;
  }

  std::array<Ids, 2> sides_;
  std::uint64_t word_ = 0;  ///< the bits of levels that have own orders
  std::array<std::uint32_t, 64> counts_{};
};

/// Those of all books; room is made when a book gets its first own order.
class OwnBooks {
 public:
  explicit OwnBooks(std::size_t books) : number_of_(books) {}

  [[nodiscard]] bool has_orders(BookNumber book) const noexcept {
    return number_of_[book] != 0 && !levels_[number_of_[book] - 1].empty();
  }
  [[nodiscard]] OwnLevels& in(BookNumber book) {
    std::uint32_t& number = number_of_[book];
    if (number == 0) {
      levels_.emplace_back();
      number = static_cast<std::uint32_t>(levels_.size());
    }
    return levels_[number - 1];
  }

  /// Why an order may not come, by the phase of its book and by own orders of the other side.
  [[nodiscard]] OwnReason check(const OwnOrder& order, const OwnOrders& orders, MarketPhase phase) {
    const OwnReason refused = refusal_of_phase(phase, order.time_in_force);
    if (refused != OwnReason::None) return refused;
    const OwnLevels::Ids& facing = in(order.book).of(opposite(order.side));
    if (!facing.empty() && crosses(order.side, order.price, orders[facing.front()].price))
      return OwnReason::OwnOrderFaces;
    return OwnReason::None;
  }

 private:
  std::vector<std::uint32_t> number_of_;  ///< by book: the number of its levels, from 1; 0: it never had any
  std::vector<OwnLevels> levels_;
};

}  // namespace llmes::inline LLMES_NAMESPACE::detail
