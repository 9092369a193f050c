// SPDX-License-Identifier: MIT
//
// What a publisher tells of a call auction: of each order what it displays less, as in displayed.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <variant>

#include "llmes/market_data/events.hpp"
#include "llmes/types/arguments.hpp"
#include "llmes/types/auction.hpp"
#include "llmes/types/rule_events.hpp"
#include "llmes/types/terms.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::detail {

/// Gives `tell` the events of an auction in one book that `Sink` takes, and all that the book says to `Behind`.
template <class Sink, class Tell, class Behind>
class AuctionCall {
 public:
  AuctionCall(const Tell& tell, Behind& behind) noexcept : tell_(tell), behind_(behind) {}

  void operator()(const AuctionTrade& trade) noexcept {
    keep_back(
        OrdersCrossed{{}, part(trade.buy, Side::Buy), part(trade.sell, Side::Sell), trade.price, trade.quantity});
    touch(trade.buy, Side::Buy);
    touch(trade.sell, Side::Sell);
    behind_(trade);
  }
  void prevented(const PreventedAuctionTrade& pair) noexcept {
    lost(pair.buy, Side::Buy);
    lost(pair.sell, Side::Sell);
    tell_prevented(behind_, pair);
  }
  void refilled(const RestingOrder& order) noexcept {
    keep_back(OrderAdded{{}, order, {}});
    tell_refilled(behind_, order);
  }

  /// Tells what waits, when the book has settled.
  template <class Book>
  void finish(const Book& book, const BestChanged& before) noexcept {
    tell_waiting(true);
    if constexpr (Takes<Sink, LevelChanged>) {
      for (const Side side : {Side::Buy, Side::Sell}) {
        const std::optional<Price> price = level(side);
        if (!price) continue;
        const bool is_last = side == Side::Sell || !level(Side::Sell);
        tell_(LevelChanged{{}, side, book.level(side, *price)}, is_last);
      }
    }
    if constexpr (Takes<Sink, BestChanged>) {
      const BestChanged now = best_of(book);
      if (now != before) tell_(now, true);
    }
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
      keep_back(OrderReduced{{}, told, order.shown});
    } else {
      told.quantity = order.shown;
      keep_back(OrderDeleted{{}, told});
    }
    touch(order, side);
  }

  /// Keeps an event of an order until the next one is known, which says whether it is the last.
  template <class OrderEvent>
  void keep_back(const OrderEvent& event) noexcept {
    if constexpr (Takes<Sink, OrderEvent>) {
      tell_waiting(false);
      waiting_ = event;
    }
  }
  void tell_waiting(bool ends_command) noexcept {
    if (!waiting_) return;
    std::visit([&](const auto& event) { tell_(event, ends_command); }, *waiting_);
    waiting_.reset();
  }
  /// Notes the level of an order that displays less: nothing is displayed on better ones of its side any more.
  void touch(const AuctionOrder& order, Side side) noexcept {
    if constexpr (Takes<Sink, LevelChanged>) {
      if (order.shown == 0) return;
      std::optional<Price>& last = level(side);
      if (last && *last != order.limit) tell_(LevelChanged{{}, side, {*last}}, false);
      last = order.limit;
    }
  }
  [[nodiscard]] std::optional<Price>& level(Side side) noexcept { return levels_[static_cast<std::size_t>(side)]; }

  const Tell& tell_;
  Behind& behind_;
  std::optional<std::variant<OrderAdded, OrdersCrossed, OrderReduced, OrderDeleted>> waiting_{};
  std::array<std::optional<Price>, 2> levels_{};  ///< of each side, the last level touched
};

/// The auctions of a publisher of books with rules. `Publisher` is the class that derives from this.
template <class Publisher, bool of_set>
class PublishedAuctions {
 public:
  /// Ends a call auction, as the book does (see rules/auction.hpp). Its trades are told as OrdersCrossed.
  /// Rejections: those of the book; of a set also UnknownBook.
  template <AuctionSink Trades>
  Result uncross(PriceArgument price, SelfTrade self_trade, Trades&& trades) noexcept
    requires(!of_set)
  {
    return publisher().uncross_in(0, price, self_trade, trades);
  }
  template <AuctionSink Trades>
  Result uncross(BookNumber book, PriceArgument price, SelfTrade self_trade, Trades&& trades) noexcept
    requires(of_set)
  {
    return publisher().uncross_in(book, price, self_trade, trades);
  }

 private:
  [[nodiscard]] Publisher& publisher() noexcept { return static_cast<Publisher&>(*this); }
};
/// Those of a publisher of others: none.
struct NoAuctions {};
template <class Publisher, class Kind>
using AuctionsOf = std::conditional_t<Kind::has_rules, PublishedAuctions<Publisher, Kind::of_set>, NoAuctions>;

/// Makes the call on a book of any kind, and publishes it. `one` has the book of that number.
template <class Sink, class Book, class One, class Tell, class Trades>
Result uncross(Book& book, BookNumber number, const One& one, const Tell& tell, Price price, SelfTrade self_trade,
               Trades& trades) noexcept {
  if (!one()) return {Status::UnknownBook};
  const BestChanged before = best_of(*one());
  AuctionCall<Sink, Tell, Trades> call(tell, trades);
  const Result result = [&] {
    if constexpr (requires { book.uncross(number, price, self_trade, call); }) {
      return book.uncross(number, price, self_trade, call);
    } else if constexpr (requires { book.uncross(price, self_trade, call); }) {
      return book.uncross(price, self_trade, call);
    } else {
      return book.book(number)->uncross(price, self_trade, call);
    }
  }();
  call.finish(*one(), before);
  return result;
}

}  // namespace llmes::inline LLMES_NAMESPACE::detail
