// SPDX-License-Identifier: MIT
//
// Any book behind virtual calls, so that code that drives books is compiled once and not for each type of book.
// Each call goes to the book's call of the same name. A book without `depth` gets one from its orders and levels.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "bench/contenders/matching_book.hpp"
#include "tests/support/call_by_name.hpp"
#include "tests/support/invariants.hpp"
#include "tests/support/record_trades.hpp"

namespace llmes::test {

class AnyBook : public OrderCalls<AnyBook, Command> {
 public:
  using OrderVisitor = std::function<void(const RestingOrder&)>;

  virtual ~AnyBook() = default;

  template <CommandType type>
  Result execute(const Command& command, RecordTrades& sink, NoDetails&) {
    return call(command, sink);
  }
  template <CommandType type>
  Result execute(const Command& command, DiscardTrades&, NoDetails&) {
    RecordTrades none;
    return call(command, none);
  }
  /// Makes the call of a command by its name, and otherwise.
  virtual Result call(const Command& command, RecordTrades& sink) = 0;
  virtual Result apply(const Command& command, RecordTrades& sink) = 0;

  [[nodiscard]] virtual std::optional<Price> best_bid() const = 0;
  [[nodiscard]] virtual std::optional<Price> best_ask() const = 0;
  [[nodiscard]] virtual DepthLevel level(Side side, Price price) const = 0;
  virtual std::size_t depth(Side side, std::span<DepthLevel> out) const = 0;
  virtual void visit_orders(Side side, const OrderVisitor& visitor) const = 0;
  [[nodiscard]] virtual std::optional<RestingOrder> find(OrderHandle handle) const = 0;
  [[nodiscard]] virtual std::size_t size() const = 0;
  [[nodiscard]] virtual Price price_min() const = 0;
  [[nodiscard]] virtual Price price_max() const = 0;

  /// Whether it has what the historical books lack: modifies with a time in force, replaces, calls that never
  /// trade, immediate prices beyond the band, and the whole of a `Result`.
  [[nodiscard]] virtual bool is_the_core() const = 0;

  /// The first broken invariant inside the book, if there is a walk for its type.
  [[nodiscard]] virtual std::optional<std::string> broken_invariant() const = 0;
};

template <bench::MatchingBook Book>
class WrappedBook final : public AnyBook {
 public:
  explicit WrappedBook(Book&& book) : book_(std::move(book)) {}

  Result call(const Command& command, RecordTrades& sink) override {
    if constexpr (modifies_with_time_in_force) {
      return call_by_name(book_, command, sink);
    } else {
      return bench::dispatch(book_, command, sink);
    }
  }
  Result apply(const Command& command, RecordTrades& sink) override { return book_.apply(command, sink); }

  std::optional<Price> best_bid() const override { return book_.best_bid(); }
  std::optional<Price> best_ask() const override { return book_.best_ask(); }
  DepthLevel level(Side side, Price price) const override { return book_.level(side, price); }
  std::size_t depth(Side side, std::span<DepthLevel> out) const override {
    if constexpr (requires { book_.depth(side, out); }) {
      return book_.depth(side, out);
    } else {
      std::size_t count = 0;
      book_.visit_orders(side, [&](const RestingOrder& order) {
        if (count == out.size() || (count > 0 && out[count - 1].price == order.price)) return;
        out[count++] = book_.level(side, order.price);
      });
      return count;
    }
  }
  void visit_orders(Side side, const OrderVisitor& visitor) const override { book_.visit_orders(side, visitor); }
  std::optional<RestingOrder> find(OrderHandle handle) const override { return book_.find(handle); }
  std::size_t size() const override { return book_.size(); }
  Price price_min() const override { return book_.price_min(); }
  Price price_max() const override { return book_.price_max(); }

  bool is_the_core() const override { return modifies_with_time_in_force; }

  std::optional<std::string> broken_invariant() const override {
    if constexpr (requires { test::broken_invariant(book_); }) {
      return test::broken_invariant(book_);
    } else {
      return {};
    }
  }

 private:
  static constexpr bool modifies_with_time_in_force = requires(Book book, RecordTrades sink) {
    book.modify_order(OrderHandle{}, Price{}, Quantity{}, TimeInForce{}, sink);
  };

  Book book_;
};

/// The name of a type as it is written in source.
template <class T>
std::string type_name() {
  const std::string_view function = __PRETTY_FUNCTION__;
  const std::size_t first = function.find("T = ") + 4;
  return std::string(function.substr(first, function.find_first_of(";]", first) - first));
}

/// A type of book as a value.
struct BookType {
  std::string name;                                       ///< as it is written in source
  std::unique_ptr<AnyBook> (*create)(const BookConfig&);  ///< null where the type's own `create` makes no book
};

template <bench::MatchingBook Book>
BookType book_type() {
  return {type_name<Book>(), [](const BookConfig& config) -> std::unique_ptr<AnyBook> {
            std::optional<Book> book = Book::create(config);
            if (!book) return nullptr;
            return std::make_unique<WrappedBook<Book>>(*std::move(book));
          }};
}

}  // namespace llmes::test
