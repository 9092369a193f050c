// SPDX-License-Identifier: MIT
//
// A book with a publisher around it and a reader behind that, so that they can take the tests of a book. After
// each call the reader compares what it was told with what the book says; what it finds is a broken invariant.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "llmes/book.hpp"
#include "tests/support/event_reader.hpp"

namespace llmes::test {

template <class Book>
class PublishedBook {
 public:
  static std::optional<PublishedBook> create(const BookConfig& config) {
    std::optional<Book> book = Book::create(config);
    if (!book) return {};
    return PublishedBook(*std::move(book));
  }

  template <class Sink>
  Result add_limit_order(OrderId id, Side side, Price price, Quantity quantity, TimeInForce time_in_force,
                         Sink&& sink) {
    return checked({}, sink, [&](auto& tee) {
      return publisher().add_limit_order(id, side, price, quantity, time_in_force, tee);
    });
  }
  template <class Sink>
  Result add_market_order(OrderId id, Side side, Quantity quantity, Sink&& sink) {
    return checked({}, sink, [&](auto& tee) { return publisher().add_market_order(id, side, quantity, tee); });
  }
  Result add_resting_order(OrderId id, Side side, Price price, Quantity quantity) {
    return checked({}, [&] { return publisher().add_resting_order(id, side, price, quantity); });
  }
  Status cancel_order(OrderHandle handle) {
    return checked(handle, [&] { return Result{publisher().cancel_order(handle)}; }).status;
  }
  Status reduce_order(OrderHandle handle, Quantity by) {
    const auto call = [&] {
      const Status status = publisher().reduce_order(handle, by);
      const auto left = book().find(handle);
      return left ? Result{status, handle, 0, left->quantity, 0, true} : Result{status};
    };
    return checked(handle, call).status;
  }
  template <class Sink>
  Result modify_order(OrderHandle handle, Price price, Quantity quantity, Sink&& sink) {
    return checked(handle, sink,
                   [&](auto& tee) { return publisher().modify_order(handle, price, quantity, tee); });
  }
  template <class Sink>
  Result modify_order(OrderHandle handle, Price price, Quantity quantity, TimeInForce time_in_force, Sink&& sink) {
    return checked(handle, sink, [&](auto& tee) {
      return publisher().modify_order(handle, price, quantity, time_in_force, tee);
    });
  }
  Result modify_resting_order(OrderHandle handle, Price price, Quantity quantity) {
    return checked(handle, [&] { return publisher().modify_resting_order(handle, price, quantity); });
  }
  template <class Sink>
  Result replace_order(OrderHandle handle, OrderId new_id, Price price, Quantity quantity,
                       TimeInForce time_in_force, Sink&& sink) {
    return checked(handle, sink, [&](auto& tee) {
      return publisher().replace_order(handle, new_id, price, quantity, time_in_force, tee);
    });
  }
  Result replace_resting_order(OrderHandle handle, OrderId new_id, Price price, Quantity quantity) {
    return checked(handle, [&] { return publisher().replace_resting_order(handle, new_id, price, quantity); });
  }
  template <class Sink>
  Result apply(const Command& command, Sink&& sink) {
    const OrderHandle named = adds(command.type) ? OrderHandle{} : command.handle;
    return checked(named, sink, [&](auto& tee) { return publisher().apply(command, tee); });
  }

  [[nodiscard]] std::optional<Price> best_bid() const { return book().best_bid(); }
  [[nodiscard]] std::optional<Price> best_ask() const { return book().best_ask(); }
  [[nodiscard]] DepthLevel level(Side side, Price price) const { return book().level(side, price); }
  [[nodiscard]] std::size_t depth(Side side, std::span<DepthLevel> out) const { return book().depth(side, out); }
  template <class Visitor>
  void visit_orders(Side side, Visitor&& visitor) const {
    book().visit_orders(side, visitor);
  }
  [[nodiscard]] std::optional<RestingOrder> find(OrderHandle handle) const { return book().find(handle); }
  [[nodiscard]] std::size_t size() const { return book().size(); }
  [[nodiscard]] Price price_min() const { return book().price_min(); }
  [[nodiscard]] Price price_max() const { return book().price_max(); }

  [[nodiscard]] const Book& book() const { return state_->book; }
  [[nodiscard]] const std::string& fault() const { return state_->reader.fault(); }

 private:
  using BookPublisher = Publisher<Book&, EventReader&>;

  /// Where nothing moves, as the publisher refers to the others.
  struct State {
    Book book;
    EventReader reader{};
    BookPublisher publisher = *BookPublisher::create(book, reader);
    std::size_t calls = 0;
  };

  explicit PublishedBook(Book&& book) : state_(new State{std::move(book)}) {}

  [[nodiscard]] BookPublisher& publisher() { return state_->publisher; }

  template <class Sink, class Call>
  Result checked(OrderHandle named, Sink& sink, const Call& call) {
    constexpr std::size_t few = 256;
    EventReader& reader = state_->reader;
    std::vector<Trade> trades;
    const auto tee = [&](const Trade& trade) {
      trades.push_back(trade);
      sink(trade);
    };
    const auto before = reader.find(named);
    const Result result = call(tee);
    reader.end_command(before, result, trades);
    if (size() < few || ++state_->calls % few == 0) reader.compare(book());
    return result;
  }
  template <class Call>
  Result checked(OrderHandle named, const Call& call) {
    DiscardTrades sink;
    return checked(named, sink, [&](auto&) { return call(); });
  }

  std::unique_ptr<State> state_;
};

template <class Book>
std::optional<std::string> broken_invariant(const PublishedBook<Book>& book) {
  if (book.fault().empty()) return {};
  return book.fault();
}

}  // namespace llmes::test
