// SPDX-License-Identifier: MIT
//
// What the events of a book with rules tell: displayed lots alone. A subscriber knows no order that displays
// nothing, and no reserve. What waits for the next event may be any one of a maker. Orders that a mass cancel
// takes off are kept until it has settled, because the book cannot be asked before. An auction tells of each order
// what it displays less.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>

#include "llmes/book/calls.hpp"
#include "llmes/market_data/events.hpp"
#include "llmes/types/arguments.hpp"
#include "llmes/types/auction.hpp"
#include "llmes/types/rule_events.hpp"
#include "llmes/types/terms.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

namespace detail {

/// Whether the orders of a book, or of a set, have terms.
template <class Book>
inline constexpr bool has_rules = !std::is_same_v<typename Book::Terms, NoTerms>;

/// What kind a published book is: a book, a set, or an `IdBook` of either.
template <class Book>
struct PublishedBook {
  static constexpr bool by_id = requires { typename Book::RequestType; };
  /// What has the queries: the book or set, or that of an `IdBook`.
  [[nodiscard]] static const auto& orders_of(const Book& book) noexcept {
    if constexpr (by_id) {
      return book.book();
    } else {
      return book;
    }
  }
  using Orders = std::remove_cvref_t<decltype(orders_of(std::declval<const Book&>()))>;
  static constexpr bool of_set = requires { typename Orders::Book; };
  static constexpr bool has_rules = detail::has_rules<Orders>;
  /// How many books there can be.
  [[nodiscard]] static std::size_t books_max([[maybe_unused]] const Orders& orders) noexcept {
    if constexpr (of_set) {
      return orders.books();
    } else {
      return 1;
    }
  }
};

[[nodiscard]] constexpr bool displays(const RestingOrder& order) noexcept {
  return order.quantity != 0;
}

/// A change as a subscriber sees it: what displays nothing does not rest.
[[nodiscard]] constexpr OrderChange displayed(OrderChange change) noexcept {
  if (!displays(change.before)) change.before = {};
  if (!displays(change.after)) change.after = {};
  return change;
}

/// The fill of a maker that displays something.
[[nodiscard]] constexpr Trade displayed(const RuledTrade& fill) noexcept {
  Trade told = fill;
  told.maker_remaining = fill.maker_displayed;
  told.taker_remaining = 0;
  return told;
}

/// The maker of a prevented match as it was, and what it displays now. Its reserve is lost first.
[[nodiscard]] constexpr OrderChange displayed(const PreventedMatch& match) noexcept {
  const RestingOrder was{match.maker_handle, match.maker_id, opposite(match.taker_side), match.price,
                         match.maker_showed};
  RestingOrder now = was;
  now.quantity = std::min(match.maker_showed, match.maker_remaining);
  return displayed(OrderChange{was, now, {}});
}

/// Of a book with rules, an event of an order that waits until the next one is known.
using WaitingEvent =
    std::variant<OrderAdded, OrderExecuted, OrderReduced, OrderDeleted, HiddenExecuted, OrdersCrossed>;

/// An order that a mass cancel has taken off.
struct CancelledOrder {
  RestingOrder order;
  BookNumber book;
};

/// The displayed orders that a mass cancel has taken off, by book, side and level, until the book has settled.
class CancelledOrders {
 public:
  template <class Book>
  explicit CancelledOrders(const Book& book) noexcept
      : orders_(new(std::nothrow) CancelledOrder[book.capacity()]) {}

  /// False if there was too little memory, or it was moved from: then it keeps none.
  [[nodiscard]] bool allocated() const noexcept { return orders_ != nullptr; }
  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }

  void add(BookNumber book, const RestingOrder& order) noexcept {
    if (allocated() && displays(order)) orders_[count_++] = {order, book};
  }
  /// Those kept, which it forgets; good until the next `add`.
  [[nodiscard]] std::span<const CancelledOrder> take() noexcept {
    return {orders_.get(), std::exchange(count_, 0)};
  }

 private:
  std::unique_ptr<CancelledOrder[]> orders_;
  std::size_t count_ = 0;
};
/// That of a book without rules, which has no mass cancel.
struct NoCancelledOrders {
  template <class Book>
  explicit NoCancelledOrders(const Book& /*book*/) noexcept {}
  [[nodiscard]] static constexpr bool allocated() noexcept { return true; }
};

/// The events of a mass cancel in one book that the sink takes. `orders` are not empty.
template <class Sink, class Book, class Tell>
void tell_mass_cancel_of(std::span<const CancelledOrder> orders, const Book& book, const Tell& tell) noexcept {
  const std::size_t last = orders.size() - 1;
  if constexpr (Takes<Sink, OrderDeleted>) {
    for (std::size_t i = 0; i <= last; ++i) tell(OrderDeleted{{}, orders[i].order}, i == last);
  }
  if constexpr (Takes<Sink, LevelChanged>) {
    for (std::size_t i = 0; i <= last; ++i) {
      const auto& [handle, id, side, price, quantity] = orders[i].order;
      if (i != last && orders[i + 1].order.side == side && orders[i + 1].order.price == price) continue;
      tell(LevelChanged{{}, side, book.level(side, price)}, i == last);
    }
  }
  if constexpr (Takes<Sink, BestChanged>) {
    // The first order of a side comes from the best level of the cancelled ones: the best of all, unless a better
    // one rests now.
    const auto changed = [&](Side side) {
      const auto first = std::find_if(orders.begin(), orders.end(),
                                      [side](const CancelledOrder& one) { return one.order.side == side; });
      if (first == orders.end()) return false;
      const std::optional<Price> best = book.best(side);
      return !best || (side == Side::Buy ? *best <= first->order.price : *best >= first->order.price);
    };
    if (changed(Side::Buy) || changed(Side::Sell)) tell(best_of(book), true);
  }
}
/// Gives `tell` the events of a mass cancel, book by book. `book_of` has the books by their numbers.
template <class Sink, class BookOf, class Tell>
void tell_mass_cancel(std::span<const CancelledOrder> orders, const BookOf& book_of, const Tell& tell) noexcept {
  while (!orders.empty()) {
    const BookNumber book = orders.front().book;
    const auto end = std::find_if(orders.begin(), orders.end(),
                                  [book](const CancelledOrder& order) { return order.book != book; });
    const auto count = static_cast<std::size_t>(end - orders.begin());
    tell_mass_cancel_of<Sink>(orders.first(count), *book_of(book),
                              [&](const auto& event, bool ends_command) { tell(book, event, ends_command); });
    orders = orders.subspan(count);
  }
}

/// What a call of a publisher hears of rules. `Call` is the class that derives from this.
template <class Call>
class RuledCall {
 public:
  void prevented(const PreventedMatch& match) noexcept {
    const auto& [before, after, in_front_of] = displayed(match);
    if (before.quantity != after.quantity) {
      if (displays(after)) {
        self().keep_back(OrderReduced{{}, after, before.quantity - after.quantity});
      } else {
        self().keep_back(OrderDeleted{{}, before});
      }
      self().touch_maker(before.side, before.price);
    }
    tell_prevented(self().behind_, match, index);
  }
  void refilled(const RestingOrder& order) noexcept {
    self().keep_back(OrderAdded{{}, order, {}});
    tell_refilled(self().behind_, order, index);
  }
  /// A set says from which book a mass cancel takes off orders. The book cannot be asked.
  void cancels_in(BookNumber book) noexcept { cancelling_ = book; }
  void cancelled(const RestingOrder& order) noexcept {
    self().keep_cancelled(cancelling_, order);
    tell_cancelled(self().behind_, order, index);
  }

  std::size_t index = 0;  ///< of the command in its span

 private:
  [[nodiscard]] Call& self() noexcept { return static_cast<Call&>(*this); }

  BookNumber cancelling_ = 0;
};
/// That of a book without rules.
struct PlainCall {};

/// What a call of a publisher hears of an auction in one book. The publisher's call itself hears the rest.
template <class Call>
class AuctionCall {
 public:
  explicit AuctionCall(Call& call) noexcept : call_(call) {}

  void operator()(const AuctionTrade& trade) noexcept {
    call_.keep_back(
        OrdersCrossed{{}, part(trade.buy, Side::Buy), part(trade.sell, Side::Sell), trade.price, trade.quantity});
    touch(trade.buy, Side::Buy);
    touch(trade.sell, Side::Sell);
    call_.behind_(trade);
  }
  void prevented(const PreventedAuctionTrade& pair) noexcept {
    lost(pair.buy, Side::Buy);
    lost(pair.sell, Side::Sell);
    tell_prevented(call_.behind_, pair);
  }
  void refilled(const RestingOrder& order) noexcept { call_.refilled(order); }

  /// Tells what waits, when the book has settled.
  void finish() noexcept {
    call_.tell_fill(true);
    for (const Side side : {Side::Buy, Side::Sell}) {
      const std::optional<Price> price = levels_[static_cast<std::size_t>(side)];
      if (price) call_.level_ = {side, *price};
      call_.tell_level(side == Side::Sell || !levels_[1]);
    }
    call_.tell_best();
  }

 private:
  /// The order as it is now, in what it displays.
  [[nodiscard]] static RestingOrder displayed(const AuctionOrder& order, Side side) noexcept {
    return {order.handle, order.id, side, order.limit, order.displayed};
  }
  [[nodiscard]] static OrdersCrossed::Part part(const AuctionOrder& order, Side side) noexcept {
    if (order.shown == 0) return {};
    return {displayed(order, side), order.shown};
  }
  void lost(const AuctionOrder& order, Side side) noexcept {
    if (order.shown == 0) return;
    RestingOrder told = displayed(order, side);
    if (told.quantity != 0) {
      call_.keep_back(OrderReduced{{}, told, order.shown});
    } else {
      told.quantity = order.shown;
      call_.keep_back(OrderDeleted{{}, told});
    }
    touch(order, side);
  }

  /// Notes the level of an order that displays less: nothing is displayed on better ones of its side any more.
  void touch(const AuctionOrder& order, Side side) noexcept {
    if (order.shown == 0) return;
    std::optional<Price>& last = levels_[static_cast<std::size_t>(side)];
    if (last && *last != order.limit) call_.tell(LevelChanged{{}, side, {*last}}, false);
    last = order.limit;
  }

  Call& call_;
  std::array<std::optional<Price>, 2> levels_{};  ///< of each side, the last level touched
};

/// Makes the call on a book of any kind.
template <class Book, class Sink>
Result uncross(Book& book, BookNumber number, Price price, SelfTrade self_trade, Sink& sink) noexcept {
  if constexpr (requires { book.uncross(number, price, self_trade, sink); }) {
    return book.uncross(number, price, self_trade, sink);
  } else if constexpr (requires { book.uncross(price, self_trade, sink); }) {
    return book.uncross(price, self_trade, sink);
  } else {
    return book.book(number)->uncross(price, self_trade, sink);
  }
}

}  // namespace detail

}  // namespace llmes::inline LLMES_NAMESPACE
