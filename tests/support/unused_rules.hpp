// SPDX-License-Identifier: MIT
//
// A book with rules that nobody uses, with the calls of a plain one, so that it can take its tests.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "llmes/rules.hpp"
#include "tests/support/invariants.hpp"

namespace llmes::test {

template <class Book>
class UnusedRules : public OrderCalls<UnusedRules<Book>, Command> {
 public:
  static std::optional<UnusedRules> create(const BookConfig& config) {
    std::optional<Book> book = Book::create(config);
    if (!book) return {};
    return UnusedRules(*std::move(book));
  }

  template <CommandType type, class Sink, class Details>
  Result execute(const Command& command, Sink& sink, Details& details) {
    PlainTrades<Sink> plain{sink};
    return book_.template execute<type>(ruled(command), plain, details);
  }
  template <class Sink>
  Result apply(const Command& command, Sink&& sink) {
    return book_.apply(ruled(command), PlainTrades<Sink>{sink});
  }

  [[nodiscard]] std::optional<Price> best_bid() const { return book_.best_bid(); }
  [[nodiscard]] std::optional<Price> best_ask() const { return book_.best_ask(); }
  [[nodiscard]] DepthLevel level(Side side, Price price) const { return book_.level(side, price); }
  [[nodiscard]] std::size_t depth(Side side, std::span<DepthLevel> out) const { return book_.depth(side, out); }
  template <class Visitor>
  void visit_orders(Side side, Visitor&& visitor) const {
    book_.visit_orders(side, visitor);
  }
  [[nodiscard]] std::optional<RestingOrder> find(OrderHandle handle) const { return book_.find(handle); }
  [[nodiscard]] std::size_t size() const { return book_.size(); }
  [[nodiscard]] Price price_min() const { return book_.price_min(); }
  [[nodiscard]] Price price_max() const { return book_.price_max(); }

  [[nodiscard]] const Book& book() const { return book_; }

 private:
  explicit UnusedRules(Book&& book) : book_(std::move(book)) {}

  /// A mass cancel is no command of a plain book.
  static RuledCommand ruled(const Command& command) {
    RuledCommand same;
    same.id = command.id;
    same.handle = command.handle;
    same.price = command.price;
    same.quantity = command.quantity;
    same.type = command.type == CommandType::MassCancel ? static_cast<CommandType>(255) : command.type;
    same.side = command.side;
    same.time_in_force = command.time_in_force;
    return same;
  }

  /// What a trade says of rules is what follows from the rest of it; if not, no trade is handed on.
  template <class Sink>
  struct PlainTrades {
    Sink& sink;

    void operator()(const RuledTrade& trade) const {
      const bool plain = trade.maker_owner == 0 && trade.taker_owner == 0;
      if (plain && trade.maker_displayed == trade.maker_remaining) sink(static_cast<const Trade&>(trade));
    }
  };

  Book book_;
};

template <class Book>
std::optional<std::string> broken_invariant(const UnusedRules<Book>& book) {
  return broken_invariant(book.book());
}

}  // namespace llmes::test
