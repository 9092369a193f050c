// SPDX-License-Identifier: MIT
//
// Any book with rules behind virtual calls, so that the code that drives it is compiled once: a book by itself, a
// set, or either by ids. Handles name orders in all of them; a book by ids is asked for the id first.
#pragma once

#include <concepts>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "llmes/ids.hpp"
#include "llmes/rules.hpp"
#include "llmes/sets.hpp"
#include "tests/support/id_inspector.hpp"
#include "tests/support/invariants.hpp"
#include "tests/support/ruled_invariants.hpp"
#include "tests/support/ruled_operation.hpp"
#include "tests/support/rules_oracle.hpp"
#include "tests/support/snapshot.hpp"
#include "tests/support/state_bytes.hpp"

namespace llmes::test {

/// Keeps all that a sink hears of.
struct RuleRecorder {
  RuleEvents events;

  void operator()(const RuledTrade& trade) { events.emplace_back(trade); }
  void prevented(const PreventedMatch& match) { events.emplace_back(match); }
  void refilled(const RestingOrder& order) { events.emplace_back(Refilled{order}); }
  void cancelled(const RestingOrder& order) { events.emplace_back(MassCancelled{order}); }
  void operator()(const AuctionTrade& trade) { events.emplace_back(trade); }
  void prevented(const PreventedAuctionTrade& match) { events.emplace_back(match); }
};

/// The same in a span of one command.
struct IndexedRuleRecorder {
  RuleRecorder& recorder;

  void operator()(const RuledTrade& trade, std::size_t index) {
    if (index == 0) recorder(trade);
  }
  void prevented(const PreventedMatch& match, std::size_t index) {
    if (index == 0) recorder.prevented(match);
  }
  void refilled(const RestingOrder& order, std::size_t index) {
    if (index == 0) recorder.refilled(order);
  }
  void cancelled(const RestingOrder& order, std::size_t index) {
    if (index == 0) recorder.cancelled(order);
  }
};

class AnyRuledBook {
 public:
  /// What a call answers. By its name, a cancel or a reduce tells only a status, and what the order was or is.
  struct Answer {
    Result result;
    bool only_status = false;
    std::optional<RestingOrder> told{};
    std::optional<OrderChange> change{};
  };

  virtual ~AnyRuledBook() = default;

  virtual Answer call(const RuledBookCommand& command, Way way, RuleRecorder& sink) = 0;
  virtual Result mass_cancel(const CancelScope& scope, Way way, RuleRecorder& sink) = 0;
  virtual std::optional<AuctionPrice> indicative(BookNumber book, Price reference) const = 0;
  virtual Result uncross(BookNumber book, Price price, SelfTrade self_trade, RuleRecorder& sink) = 0;
  virtual std::size_t clear(BookNumber book, Side side) = 0;
  /// Nothing if the book has no band.
  virtual std::optional<Status> recenter(Price price_min) = 0;
  /// Moves the book to another object and back.
  virtual void move() = 0;

  [[nodiscard]] virtual std::vector<RestingOrder> orders(BookNumber book, Side side) const = 0;
  [[nodiscard]] virtual std::vector<RestingOrder> orders_at(BookNumber book, Side side, Price price) const = 0;
  [[nodiscard]] virtual std::vector<DepthLevel> depth(BookNumber book, Side side) const = 0;
  [[nodiscard]] virtual DepthLevel level(BookNumber book, Side side, Price price) const = 0;
  [[nodiscard]] virtual std::optional<Price> best(BookNumber book, Side side) const = 0;
  [[nodiscard]] virtual std::optional<Price> worst(BookNumber book, Side side) const = 0;
  [[nodiscard]] virtual std::optional<RestingOrder> find(OrderHandle handle) const = 0;
  [[nodiscard]] virtual std::optional<RestingTerms> terms_of(OrderHandle handle) const = 0;
  [[nodiscard]] virtual std::optional<QueuePosition> queue_ahead(BookNumber book, OrderHandle handle) const = 0;
  [[nodiscard]] virtual std::size_t size() const = 0;
  [[nodiscard]] virtual Price price_min() const = 0;
  [[nodiscard]] virtual Price price_max() const = 0;
  [[nodiscard]] virtual bool by_id() const = 0;

  /// All bytes of its state, if it tells them: a rejection must not change one.
  [[nodiscard]] virtual std::vector<std::byte> bytes() const = 0;

  /// What is broken inside; empty if nothing is. The orders of the oracle say what should be there.
  [[nodiscard]] virtual std::string broken(const RuledOrders& orders) const = 0;
};

template <class Book>
class RuledBookOf final : public AnyRuledBook {
  using Own = typename detail::CommandsOf<Book>::Own;
  static constexpr bool is_set = requires(Own command) { command.book; };
  static constexpr bool has_ids = requires { typename Book::RequestType; };

 public:
  static constexpr BookNumber books_of_a_set = 3;

  explicit RuledBookOf(Book&& book) : book_(std::move(book)) {
    if constexpr (is_set) {
      for (BookNumber i = 0; i < books_of_a_set; ++i) static_cast<void>(book_.add_book());
    }
  }

  Answer call(const RuledBookCommand& command, Way way, RuleRecorder& sink) override {
    const auto own = own_command<Own>(command, id_of(command.handle));
    if constexpr (is_set && !has_ids) {
      if (way == Way::View) {
        if (auto view = book_.book(command.book)) return {view->apply(plain(command), sink)};
      }
    }
    if (way == Way::Name) return call_by_name(own, sink);
    if (way == Way::Details) return call_with_details(own, sink);
    return {book_.apply(own, sink)};
  }

  Result mass_cancel(const CancelScope& scope, Way way, RuleRecorder& sink) override {
    if (way == Way::Name) return book_.mass_cancel(scope, sink);
    const Own command = Own::mass_cancel(scope);
    if (way == Way::Details) return call_with_details(command, sink).result;
    if constexpr (is_set && !has_ids) {
      if (way == Way::View && scope.book) {
        if (auto view = book_.book(*scope.book)) return view->mass_cancel(scope, sink);
      }
    }
    return book_.apply(command, sink);
  }

  std::optional<AuctionPrice> indicative(BookNumber book, Price reference) const override {
    return one(book)->indicative(reference);
  }
  Result uncross([[maybe_unused]] BookNumber book, Price price, SelfTrade self_trade,
                 RuleRecorder& sink) override {
    if constexpr (!is_set) {
      return book_.uncross(price, self_trade, sink);
    } else if constexpr (has_ids) {
      return book_.uncross(book, price, self_trade, sink);
    } else {
      return book_.book(book)->uncross(price, self_trade, sink);
    }
  }

  std::size_t clear(BookNumber book, Side side) override {
    if constexpr (is_set) {
      return book_.clear(book, side);
    } else {
      return book_.clear(side);
    }
  }

  std::optional<Status> recenter([[maybe_unused]] Price price_min) override {
    if constexpr (requires { book_.recenter(price_min); }) return book_.recenter(price_min);
    return {};
  }
  void move() override {
    Book moved(std::move(book_));
    book_ = std::move(moved);
  }

  std::vector<RestingOrder> orders(BookNumber book, Side side) const override {
    return orders_of(*one(book), side);
  }
  std::vector<RestingOrder> orders_at(BookNumber book, Side side, Price price) const override {
    std::vector<RestingOrder> orders;
    one(book)->visit_level(side, price, [&orders](const RestingOrder& order) { orders.push_back(order); });
    return orders;
  }
  std::vector<DepthLevel> depth(BookNumber book, Side side) const override { return depth_of(*one(book), side); }
  DepthLevel level(BookNumber book, Side side, Price price) const override {
    return one(book)->level(side, price);
  }
  std::optional<Price> best(BookNumber book, Side side) const override {
    return side == Side::Buy ? one(book)->best_bid() : one(book)->best_ask();
  }
  std::optional<Price> worst(BookNumber book, Side side) const override { return one(book)->worst(side); }
  std::optional<RestingOrder> find(OrderHandle handle) const override { return whole().find(handle); }
  std::optional<RestingTerms> terms_of(OrderHandle handle) const override { return whole().terms_of(handle); }
  std::optional<QueuePosition> queue_ahead(BookNumber book, OrderHandle handle) const override {
    return one(book)->queue_ahead(handle);
  }
  std::size_t size() const override { return whole().size(); }
  Price price_min() const override { return one(0)->price_min(); }
  Price price_max() const override { return one(0)->price_max(); }
  bool by_id() const override { return has_ids; }

  std::vector<std::byte> bytes() const override {
    if constexpr (is_set) return state_of(book_);
    return {};
  }

  std::string broken(const RuledOrders& orders) const override {
    if constexpr (has_ids) {
      for (const RuledOrder& order : orders) {
        if (book_.find(order.shown.id) != order.shown) return "an id is not found";
      }
      const auto& index = IdInspector::index(book_);
      if constexpr (requires { IdInspector::entry_count(index); }) {
        if (IdInspector::entry_count(index) != orders.size())
          return "the index keeps the id of an order that has gone";
      }
    }
    if (const std::optional<std::string> what = broken_invariant(whole())) return *what;
    return broken_rules(whole(), orders);
  }

 private:
  /// The book or the set without the ids, and one book of it.
  [[nodiscard]] const auto& whole() const {
    if constexpr (has_ids) {
      return book_.book();
    } else {
      return book_;
    }
  }
  [[nodiscard]] auto one(BookNumber number) const {
    if constexpr (is_set) {
      return whole().book(number);
    } else {
      return &whole();
    }
  }

  static RuledCommand plain(const RuledBookCommand& command) { return command; }

  /// The largest id is that of no order.
  [[nodiscard]] OrderId id_of(OrderHandle handle) const {
    const std::optional<RestingOrder> order = find(handle);
    return order ? order->id : std::numeric_limits<OrderId>::max();
  }

  Answer call_with_details(const Own& command, RuleRecorder& sink) {
    Answer answer;
    const auto receive = [&answer](const Result& result, std::size_t, const OrderChange& change) {
      answer.result = result;
      answer.change = change;
    };
    IndexedRuleRecorder indexed{sink};
    if constexpr (has_ids) {
      book_.apply(
          1, [&command](std::size_t) -> const Own& { return command; }, receive, indexed);
    } else {
      book_.apply(std::span(&command, 1), receive, indexed);
    }
    return answer;
  }

  /// Terms that say nothing are left out.
  Answer call_by_name(const Own& c, RuleRecorder& sink) {
    if (c.terms == OrderTerms{}) return call_by_name(c, sink, [](const auto& call) { return call(); });
    return call_by_name(c, sink, [&c](const auto& call) { return call(c.terms); });
  }
  template <class WithTerms>
  Answer call_by_name(const Own& c, RuleRecorder& sink, const WithTerms& with) {
    const auto name = c.name();
    const auto in_book = [&](const auto& add) {
      return with([&](const auto&... terms) {
        if constexpr (is_set) {
          return add(std::tuple(c.book), terms...);
        } else {
          return add(std::tuple(), terms...);
        }
      });
    };
    RestingOrder told;
    switch (c.type) {
      case CommandType::AddLimit:
        return {in_book([&](auto where, const auto&... terms) {
          return std::apply(
              [&](auto... book) {
                return book_.add_limit_order(book..., c.id, c.side, c.price, c.quantity, c.time_in_force, terms...,
                                             sink);
              },
              where);
        })};
      case CommandType::AddMarket:
        return {in_book([&](auto where, const auto&... terms) {
          return std::apply(
              [&](auto... book) {
                return book_.add_market_order(book..., c.id, c.side, c.quantity, terms..., sink);
              },
              where);
        })};
      case CommandType::AddResting:
        return {in_book([&](auto where, const auto&... terms) {
          return std::apply(
              [&](auto... book) {
                return book_.add_resting_order(book..., c.id, c.side, c.price, c.quantity, terms...);
              },
              where);
        })};
      case CommandType::Cancel: {
        const Status status = book_.cancel_order(name, told);
        return {{status}, true, status == Status::Success ? std::optional(told) : std::nullopt};
      }
      case CommandType::Reduce: {
        const Status status = book_.reduce_order(name, c.quantity, told);
        return {{status}, true, status == Status::Success ? std::optional(told) : std::nullopt};
      }
      case CommandType::Modify:
        return {with([&](const auto&... terms) {
          return book_.modify_order(name, c.price, c.quantity, c.time_in_force, terms..., sink);
        })};
      case CommandType::ModifyResting:  // its terms mean nothing, but may be wrong
        if (c.terms != OrderTerms{}) return {book_.apply(c, sink)};
        return {book_.modify_resting_order(name, c.price, c.quantity)};
      case CommandType::Replace:
        return {with([&](const auto&... terms) {
          return book_.replace_order(name, c.replacing_id(), c.price, c.quantity, c.time_in_force, terms..., sink);
        })};
      case CommandType::ReplaceResting:
        return {with([&](const auto&... terms) {
          return book_.replace_resting_order(name, c.replacing_id(), c.price, c.quantity, terms...);
        })};
      default: return {book_.apply(c, sink)};
    }
  }

  Book book_;
};

/// A kind of book with rules as a value.
struct RuledKind {
  std::string name;
  Allocation allocation;
  Quantity minimum_share;
  BookNumber books;
  std::vector<Price> prices;  ///< where orders may rest, the lowest first; on both sides of a middle
  std::unique_ptr<AnyRuledBook> (*create)(std::size_t capacity);
};

}  // namespace llmes::test
