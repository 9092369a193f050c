// SPDX-License-Identifier: MIT
//
// Every sequence of requests by id up to a length, in a world that is small enough: both sides, two prices, one or
// two lots, every time in force, market orders, and cancel, modify, replace, reduce and an order in front, each of
// three ids (see small_ids.hpp), in a pool that has room for two orders of theirs. So every request is a duplicate
// somewhere, names nothing elsewhere, brings an id back, and finds the pool or the index full. After each request
// the answer, the trades, the whole state, what each id leads to and the invariants are compared. Then the whole
// sequence is made again as one span, which must answer the same and leave the same.
//
// No symmetry is assumed: two states are the same if the books are the same to the last bit (see small_world.hpp),
// and the indexes are, and the order that came last.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "llmes/ids/id_book.hpp"
#include "tests/long/search.hpp"
#include "tests/long/small_ids.hpp"
#include "tests/long/small_world.hpp"
#include "tests/support/any_book.hpp"
#include "tests/support/difference.hpp"
#include "tests/support/id_inspector.hpp"
#include "tests/support/id_oracle.hpp"
#include "tests/support/record_trades.hpp"

namespace llmes::test {

/// Requests by the ids of a `Kind`. `Book` is an `IdBook`, or has its calls.
template <class Kind, class Book = IdBook<OrderBook<128>, typename Kind::Index>>
class WorldById : SmallWorld {
 public:
  /// What the requests so far were answered with.
  struct Answers {
    std::vector<Result> results;
    std::vector<Trade> trades;
    std::vector<std::size_t> takers;  ///< for each trade, which request made it
  };

  /// A book and its oracle, and how they came about.
  struct State {
    Book book = *Book::create(config, Kind::config);
    IdOracle<typename Kind::Index::Config> oracle{
        Oracle(book.book().price_min(), book.book().price_max(), config.capacity), Kind::config};
    std::vector<Request> requests;
    Answers answers;

    State() {
      for (const OrderId id : Kind::standing) {
        const Request add = Request::add_limit(id, Side::Buy, base_price, 1, TimeInForce::GoodTillCancel);
        std::ignore = oracle.answer(add, book.apply(add, DiscardTrades{}));
      }
    }
  };

  [[nodiscard]] std::size_t call_count(const State& /*state*/) const { return requests_.size(); }

  void make(std::size_t call, State& state, std::string& difference) {
    const Request& request = requests_[call];
    trades_.trades.clear();
    const Result result = state.book.apply(request, trades_);
    const auto expected = state.oracle.answer(request, result);
    note_difference(difference, "result", expected.result, result);
    note_difference(difference, "trades", expected.trades, trades_.trades);
    overwrite_free_slots(Inspector::book(state.book));
    Inspector::overwrite_free_entries(state.book);

    state.answers.results.push_back(result);
    state.answers.trades.insert(state.answers.trades.end(), trades_.trades.begin(), trades_.trades.end());
    state.answers.takers.resize(state.answers.trades.size(), state.requests.size());
    state.requests.push_back(request);
  }

  void compare(const State& state, std::string& difference) {
    SmallWorld::compare(state.oracle.oracle(), state.book.book(), config.capacity, difference);
    compare_ids(state, state.book, difference);
    compare_span(state, difference);
  }

  static void copy(const State& from, State& to) {
    Inspector::copy(from.book, to.book);
    to.oracle = from.oracle;
    to.requests = from.requests;
    to.answers = from.answers;
  }

  static std::string key(const State& state) {
    std::string key = key_of(state.book.book());
    for (const auto array : Inspector::index_arrays(state.book)) add_parts(key, array);
    add_parts(key, std::as_bytes(std::span(&Inspector::latest(state.book), 1)));
    return key;
  }

  [[nodiscard]] std::string describe(const std::vector<std::uint32_t>& calls) const {
    std::string text = type_name<Book>() + "\n";
    for (const std::uint32_t call : calls) text += "  " + to_string(requests_[call]) + "\n";
    return text;
  }

 private:
  using Inspector = IdInspector;

  static constexpr BookConfig config{.base_price = base_price, .capacity = 2 + Kind::standing.size()};
  static constexpr std::array<Price, 2> two_prices{prices[0], prices[1]};

  static std::vector<Request> requests() {
    std::vector<Request> requests;
    for (const OrderId id : Kind::ids) {
      requests.push_back(Request::cancel(id));
      for (const Quantity quantity : quantities) {
        requests.push_back(Request::reduce(id, quantity));
        for (const Side side : sides) requests.push_back(Request::add_market(id, side, quantity));
        for (const OrderId new_id : Kind::ids) {
          requests.push_back(Request::add_resting_before(id, new_id, quantity));
        }
        for (const Price price : two_prices) {
          for (const TimeInForce time_in_force : times_in_force) {
            for (const Side side : sides) {
              requests.push_back(Request::add_limit(id, side, price, quantity, time_in_force));
            }
            requests.push_back(Request::modify(id, price, quantity, time_in_force));
            for (const OrderId new_id : Kind::ids) {
              requests.push_back(Request::replace(id, new_id, price, quantity, time_in_force));
            }
          }
        }
      }
    }
    return requests;
  }

  static void compare_ids(const State& state, const Book& book, std::string& difference) {
    const auto compare_id = [&](OrderId id) {
      const OrderHandle handle = state.oracle.handle_of(id);
      note_difference(difference, "handle of an id", handle, book.handle_of(id));
      note_difference(difference, "order of an id", state.oracle.oracle().find(handle), book.find(id));
    };
    for (const OrderId id : Kind::ids) compare_id(id);
    for (const OrderId id : Kind::standing) compare_id(id);
  }

  /// Makes all requests that led to a state as one span. Which order came last is then taken away, so that the
  /// index must find what rests.
  void compare_span(const State& state, std::string& difference) {
    Inspector::copy(start_.book, in_span_.book);
    Answers& answers = in_span_.answers;
    answers = {};
    in_span_.book.apply(
        state.requests.size(), [&](std::size_t i) -> const Request& { return state.requests[i]; },
        [&](const Result& result) { answers.results.push_back(result); },
        [&](const Trade& trade, std::size_t i) {
          answers.trades.push_back(trade);
          answers.takers.push_back(i);
        });
    overwrite_free_slots(Inspector::book(in_span_.book));
    Inspector::overwrite_free_entries(in_span_.book);
    note_difference(difference, "results in a span", state.answers.results, answers.results);
    note_difference(difference, "trades in a span", state.answers.trades, answers.trades);
    note_difference(difference, "who trades in a span", state.answers.takers, answers.takers);
    const bool same = Inspector::same_index(state.book, in_span_.book) &&
                      key_of(state.book.book()) == key_of(in_span_.book.book());
    note_difference(difference, "the same bits after a span", true, same);
    note_difference(difference, "the latest order", Inspector::latest(state.book),
                    Inspector::latest(in_span_.book));
    Inspector::latest(in_span_.book) = {};
    compare_ids(state, in_span_.book, difference);
  }

  /// The parts of an array that are not all zeros, each with its place.
  static void add_parts(std::string& key, std::span<const std::byte> array) {
    static constexpr std::array<std::byte, 64> zeros{};
    for (std::size_t at = 0; at < array.size(); at += zeros.size()) {
      const auto part = array.subspan(at, std::min(zeros.size(), array.size() - at));
      if (std::memcmp(part.data(), zeros.data(), part.size()) == 0) continue;
      add(key, at);
      key.append(reinterpret_cast<const char*>(part.data()), part.size());
    }
    add(key, array.size());
  }

  const std::vector<Request> requests_ = requests();
  const State start_;
  State in_span_;
  RecordTrades trades_;
};

template <class Kind, class Book = IdBook<OrderBook<128>, typename Kind::Index>>
using ExhaustiveIds = Search<WorldById<Kind, Book>>;

}  // namespace llmes::test
