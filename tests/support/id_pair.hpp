// SPDX-License-Identifier: MIT
//
// A book by ids beside the oracle: both get the same requests, and after each call or span all answers must be the
// same: results, trades and who trades, every order, and what every id leads to.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "llmes/ids/id_book.hpp"
#include "tests/support/call_by_name.hpp"
#include "tests/support/difference.hpp"
#include "tests/support/id_oracle.hpp"
#include "tests/support/record_trades.hpp"
#include "tests/support/snapshot.hpp"

namespace llmes::test {

template <class Book, class Index>
class IdPair {
 public:
  using Config = typename Index::Config;

  /// `ids` are those whose orders are asked for.
  IdPair(const typename Book::Config& config, const Config& index_config, std::vector<OrderId> ids)
      : book_(*IdBook<Book, Index>::create(config, index_config)),
        oracle_(Oracle(price_min(), price_max(), config.capacity), index_config),
        ids_(std::move(ids)) {}

  [[nodiscard]] const IdOracle<Config>& oracle() const { return oracle_; }
  [[nodiscard]] Price price_min() const { return book_.book().price_min(); }
  [[nodiscard]] Price price_max() const { return book_.book().price_max(); }

  /// The first difference in words; empty if there is none.
  [[nodiscard]] const std::string& difference() const { return difference_; }

  void call(const Request& request) {
    RecordTrades sink;
    compare_result(request, book_.apply(request, sink), sink.trades);
    compare_state();
  }

  void call_by_name(const Request& request) {
    const RestingOrder before = oracle_.oracle().find(oracle_.handle_of(request.id)).value_or(RestingOrder{});
    RecordTrades sink;
    RestingOrder details{};
    const Result result = test::call_by_name(book_, request, sink, details);
    if (request.type == CommandType::Cancel) {
      compare(request, "status", oracle_.apply(request).status, result.status);
      compare(request, "cancelled order", before, details);
    } else if (request.type == CommandType::Reduce) {
      const Oracle::Outcome outcome = oracle_.apply(request);
      compare(request, "status", outcome.status, result.status);
      compare(request, "lots left", outcome.status == Status::Success ? outcome.remaining : 0, details.quantity);
    } else {
      compare_result(request, result, sink.trades);
    }
    compare_state();
  }

  void call_in_span(std::span<const Request> requests) {
    std::vector<std::vector<Trade>> trades(requests.size());
    std::size_t done = 0;
    const auto receive = [&](const Result& result, std::size_t i) {
      compare(requests[i], "index", done++, i);
      compare_result(requests[i], result, trades[i]);
    };
    book_.apply(
        requests.size(), [&](std::size_t i) -> const Request& { return requests[i]; }, receive,
        [&](const Trade& trade, std::size_t i) { trades[i].push_back(trade); });
    note_difference(difference_, "results of a span", requests.size(), done);
    compare_state();
  }

  void clear(Side side) {
    note_difference(difference_, "orders of a side cleared", oracle_.clear(side), book_.clear(side));
    compare_state();
  }
  void clear() {
    const std::size_t count = oracle_.clear(Side::Buy) + oracle_.clear(Side::Sell);
    note_difference(difference_, "orders cleared", count, book_.clear());
    compare_state();
  }

 private:
  template <class T>
  void compare(const Request& request, const char* what, const T& expected, const T& actual) {
    if (expected != actual)
      note_difference(difference_, (to_string(request) + ": " + what).c_str(), expected, actual);
  }

  void compare_result(const Request& request, const Result& result, const std::vector<Trade>& trades) {
    const auto expected = oracle_.answer(request, result);
    compare(request, "result", expected.result, result);
    compare(request, "trades", expected.trades, trades);
  }

  void compare_state() {
    for (const Side side : {Side::Buy, Side::Sell}) {
      note_difference(difference_, "orders", oracle_.oracle().orders(side), orders_of(book_.book(), side));
    }
    for (const OrderId id : ids_) {
      const OrderHandle handle = oracle_.handle_of(id);
      note_difference(difference_, "handle of an id", handle, book_.handle_of(id));
      note_difference(difference_, "order of an id", oracle_.oracle().find(handle), book_.find(id));
    }
  }

  IdBook<Book, Index> book_;
  IdOracle<Config> oracle_;
  std::vector<OrderId> ids_;
  std::string difference_;
};

}  // namespace llmes::test
