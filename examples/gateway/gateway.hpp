// SPDX-License-Identifier: MIT
//
// A gateway in front of books, to copy and to change. It takes the requests of several sessions for several
// symbols, and reports on each order to the session that sent it, in the terms of FIX:
//
//  - An order has a client id (ClOrdID), unique among the open orders of its session. A venue that wants ids to be
//    unique for the whole day keeps a set of all ids of the day beside this.
//  - A replace names the order by its present id (OrigClOrdID) and gives it a new one. Its quantity is that of the
//    whole order: what has traded counts. A rejected replace leaves the order as it was, under its old id. A
//    post-only order stays one: it is not replaced by what would trade.
//  - New or Replaced comes before the fills of the same request. The book reports trades while its call still
//    runs, so the gateway acknowledges a request at its first trade, or when the call returns without one. Both
//    are safe: a call that the book rejects has made no trade.
//  - At every report: ordered = cumulative + leaves, except that an order that is cancelled leaves nothing.
//
// What comes from a client is checked here or by the book. Nothing is allocated once the gateway is made.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "llmes/book.hpp"
#include "messages.hpp"
#include "order_table.hpp"

namespace gateway {

using llmes::OrderBook;
using llmes::PriceArgument;
using llmes::QuantityArgument;
using llmes::RestingOrder;
using llmes::Result;
using llmes::Status;
using llmes::Trade;

template <Listener Client>
class Gateway {
 public:
  /// A symbol is called by its place in `books`, which must be empty books.
  Gateway(std::vector<OrderBook<>> books, Client& client)
      : books_(std::move(books)), tops_(books_.size()), orders_(order_capacity(books_)), client_(client) {}

  void add(SessionId session, std::string_view id, const NewOrder& order) {
    const OrderKey key(session, id);
    if (!key.valid()) return reject(session, id, "id is empty or too long");
    if (order.symbol >= books_.size()) return reject(session, id, "unknown symbol");
    if (orders_.find(key)) return reject(session, id, "duplicate id");

    OrderBook<>& book = books_[order.symbol];
    const OrderNumber number = orders_.insert(key);
    OrderRecord& record = orders_[number];
    record.handle = {};
    record.ordered = order.quantity;
    record.cumulative = 0;
    record.symbol = order.symbol;
    record.side = order.side;
    record.time_in_force = order.time_in_force;

    const auto acknowledge = [&] { client_.on_report(about(number, ReportType::New)); };
    const Result result = call(acknowledge, [&](auto&& sink) {
      if (order.type == OrderType::Market) {
        return book.add_market_order(number, order.side, order.quantity, sink);
      }
      return book.add_limit_order(number, order.side, order.price, order.quantity, order.time_in_force, sink);
    });
    if (result.status != Status::Success) {
      orders_.erase(number);
      return reject(session, id, to_string(result.status));
    }
    settle(number, result);
  }

  void replace(SessionId session, std::string_view original_id, std::string_view id, PriceArgument price,
               QuantityArgument quantity) {
    const OrderKey key(session, id);
    const auto number = orders_.find({session, original_id});
    if (!key.valid()) return reject(session, id, "id is empty or too long", original_id);
    if (!number) return reject(session, id, "unknown id", original_id);
    if (orders_.find(key)) return reject(session, id, "duplicate id", original_id);
    const OrderRecord& order = orders_[*number];
    if (quantity <= order.cumulative) return reject(session, id, "so much has traded already", original_id);

    const auto acknowledge = [&] {
      orders_.rename(*number, key);
      orders_[*number].ordered = quantity;
      Report report = about(*number, ReportType::Replaced);
      report.original_id = original_id;
      client_.on_report(report);
    };
    const Result result = call(acknowledge, [&](auto&& sink) {
      return books_[order.symbol].modify_order(order.handle, price, quantity - order.cumulative,
                                               order.time_in_force, sink);
    });
    if (result.status != Status::Success) return reject(session, id, to_string(result.status), original_id);
    settle(*number, result);
  }

  void cancel(SessionId session, std::string_view id) {
    const auto number = orders_.find({session, id});
    if (!number) return reject(session, id, "unknown id");
    const OrderRecord& order = orders_[*number];
    const Status status = books_[order.symbol].cancel_order(order.handle);
    if (status != Status::Success) return reject(session, id, to_string(status));
    settle(*number, {});
  }

  [[nodiscard]] std::size_t open_orders() const { return orders_.size(); }

  /// Whether records, ids and books agree: every resting order has its record, is found by its id and leaves as
  /// much as rests, there is nothing else, and the clients know the top of each book. For checks: linear.
  [[nodiscard]] bool exact() const {
    bool agree = true;
    std::size_t resting = 0;
    for (SymbolId symbol = 0; symbol < books_.size(); ++symbol) {
      const auto check = [&](const RestingOrder& order) {
        const OrderRecord& record = orders_[order.id];
        agree = agree && record.handle == order.handle && record.symbol == symbol && record.side == order.side &&
                record.leaves() == order.quantity && orders_.find(record.key) == order.id;
        ++resting;
      };
      books_[symbol].visit_orders(Side::Buy, check);
      books_[symbol].visit_orders(Side::Sell, check);
      agree = agree && tops_[symbol] == top_of(books_[symbol]);
    }
    return agree && orders_.size() == resting && orders_.entry_count() == resting;
  }

 private:
  /// The books refuse what they have no room for. One place more is for the order that is on its way in.
  static std::size_t order_capacity(std::span<const OrderBook<>> books) {
    std::size_t capacity = 1;
    for (const OrderBook<>& book : books) capacity += book.capacity();
    return capacity;
  }

  static TopOfBook top_of(const OrderBook<>& book) {
    const auto quote = [&book](Side side, std::optional<Price> best) {
      return best ? Quote{*best, book.level(side, *best).quantity} : Quote{};
    };
    return {quote(Side::Buy, book.best_bid()), quote(Side::Sell, book.best_ask())};
  }

  /// Makes `call_book` with a sink, and acknowledges the request once and before everything that comes of it.
  template <class Acknowledge, class CallBook>
  Result call(Acknowledge acknowledge, CallBook call_book) {
    bool acknowledged = false;
    const Result result = call_book([&](const Trade& trade) {
      if (!std::exchange(acknowledged, true)) acknowledge();
      fill(trade.taker_id, trade);
      fill(trade.maker_id, trade);
      if (trade.maker_remaining == 0) orders_.erase(static_cast<OrderNumber>(trade.maker_id));
    });
    if (result.status == Status::Success && !acknowledged) acknowledge();
    return result;
  }

  void fill(std::uint64_t number, const Trade& trade) {
    orders_[number].cumulative += trade.quantity;
    Report report = about(number, orders_[number].leaves() == 0 ? ReportType::Fill : ReportType::PartialFill);
    report.last_price = trade.price;
    report.last_quantity = trade.quantity;
    client_.on_report(report);
  }

  /// Ends a request that succeeded. An order that does not rest ends too, and what it left is cancelled.
  void settle(OrderNumber number, const Result& result) {
    OrderRecord& order = orders_[number];
    const SymbolId symbol = order.symbol;
    order.handle = result.handle;
    if (!result.rests()) {
      if (order.leaves() > 0) {
        Report report = about(number, ReportType::Cancelled);
        report.leaves = 0;
        client_.on_report(report);
      }
      orders_.erase(number);
    }
    const TopOfBook top = top_of(books_[symbol]);
    if (top == tops_[symbol]) return;
    tops_[symbol] = top;
    client_.on_top_of_book(symbol, top);
  }

  [[nodiscard]] Report about(std::uint64_t number, ReportType type) const {
    const OrderRecord& order = orders_[number];
    return {.type = type,
            .session = order.key.session,
            .id = order.key.text(),
            .symbol = order.symbol,
            .side = order.side,
            .ordered = order.ordered,
            .cumulative = order.cumulative,
            .leaves = order.leaves()};
  }

  void reject(SessionId session, std::string_view id, std::string_view reason, std::string_view original_id = {}) {
    client_.on_report({.type = ReportType::Rejected,
                       .session = session,
                       .id = id,
                       .original_id = original_id,
                       .reason = reason});
  }

  std::vector<OrderBook<>> books_;
  std::vector<TopOfBook> tops_;
  OrderTable orders_;
  Client& client_;
};

}  // namespace gateway
