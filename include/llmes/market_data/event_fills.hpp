// SPDX-License-Identifier: MIT
//
// What an event of market-by-order records means: all records of an instrument up to the last one. The books of a
// file and those of a simulator both read events by these rules, so they are the same after each record.
//
//  - Adds, cancels, modifies and clears change the book, and nothing else does.
//  - A fill says who has traded, and how much of him. It may be more than he showed: an iceberg has a reserve. A
//    cancel or a modify behind it takes what was shown off the book.
//  - A modify keeps an order's place if the price stays and it has no more lots than the fills have left of what
//  it
//    showed. An iceberg that was filled and shows its next part goes to the back.
//  - A fill on the side of the trade before it is of the aggressor: an order that its owner moved to trade.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <new>

#include "llmes/dbn/records.hpp"
#include "llmes/detail/reset_on_move.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::detail {

/// What the fills of its event have left of the lots that an order showed.
[[nodiscard]] constexpr Quantity left_of(Quantity shown, Quantity filled) noexcept {
  return shown - std::min(shown, filled);
}
/// Whether a modify keeps the place of an order of which fills of its event have taken `filled` lots.
[[nodiscard]] constexpr bool keeps_place(const RestingOrder& order, Quantity filled, Price price,
                                         Quantity quantity) noexcept {
  return price == order.price && quantity <= left_of(order.quantity, filled);
}
/// Whether such a modify sends an order to the back although the price stays and the lots do not grow.
[[nodiscard]] constexpr bool is_refill(const RestingOrder& order, Quantity filled, Price price,
                                       Quantity quantity) noexcept {
  return price == order.price && quantity <= order.quantity && !keeps_place(order, filled, price, quantity);
}

/// Whether a fill on a side is of the aggressor, whose side the latest trade of the event has said.
[[nodiscard]] constexpr bool is_of_aggressor(dbn::BidAsk aggressor, dbn::BidAsk side) noexcept {
  return side == aggressor && side != dbn::BidAsk::None;
}

/// The lots that orders have traded in events that have not ended, and that no record has taken off them yet. It
/// holds the latest `fills_max` orders; of older ones it knows nothing. Calls are linear in the orders it holds.
class EventFills {
 public:
  static constexpr std::size_t fills_max = 1'024;

  EventFills() noexcept : fills_(new(std::nothrow) Fill[fills_max]), room_(fills_ ? fills_max : 0) {}

  [[nodiscard]] bool allocated() const noexcept { return fills_ != nullptr; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

  /// Lots of an order have traded.
  void add(BookNumber book, OrderId id, Quantity lots) noexcept {
    if (lots == 0 || room_ == 0) return;
    if (Fill* const fill = find(id)) {
      fill->lots += std::min(lots, std::numeric_limits<Quantity>::max() - fill->lots);
      return;
    }
    if (size_ == room_) erase(&fills_[0]);
    fills_[size_++] = {id, lots, book};
  }
  /// The lots of an order.
  [[nodiscard]] Quantity of(OrderId id) const noexcept {
    const Fill* const fill = find(id);
    return fill == nullptr ? 0 : fill->lots;
  }
  /// A record takes lots off an order.
  void take(OrderId id, Quantity most) noexcept {
    Fill* const fill = find(id);
    if (fill == nullptr) return;
    fill->lots -= std::min(most, fill->lots);
    if (fill->lots == 0) erase(fill);
  }
  /// A record says all of an order.
  void forget(OrderId id) noexcept { take(id, std::numeric_limits<Quantity>::max()); }
  /// The event of a book ends, or all its orders leave.
  void end_event(BookNumber book) noexcept {
    const auto end =
        std::remove_if(begin(), begin() + size_, [book](const Fill& fill) { return fill.book == book; });
    size_ = static_cast<std::size_t>(end - begin());
  }
  void clear() noexcept { size_ = 0; }

 private:
  struct Fill {
    OrderId id;
    Quantity lots;
    BookNumber book;
  };

  [[nodiscard]] Fill* begin() const noexcept { return fills_.get(); }
  [[nodiscard]] Fill* find(OrderId id) const noexcept {
    Fill* const end = begin() + size_;
    Fill* const found = std::find_if(begin(), end, [id](const Fill& fill) { return fill.id == id; });
    return found == end ? nullptr : found;
  }
  void erase(Fill* fill) noexcept {
    std::copy(fill + 1, begin() + size_, fill);
    --size_;
  }

  std::unique_ptr<Fill[]> fills_;  ///< the oldest first
  ResetOnMove<std::size_t> room_;
  ResetOnMove<std::size_t> size_;
};

}  // namespace llmes::inline LLMES_NAMESPACE::detail
