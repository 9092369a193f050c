// SPDX-License-Identifier: MIT
//
// A book by ids with the calls of a book by handles, so that it can take its tests: each handle is turned into the
// id of its order before the call. Of a set it is the second of three books, whose neighbours are empty.
//
// The two differ in one promise: of a replace with two faults the book by ids reports first that it does not know
// the order, and the book that there is no such time in force.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "llmes/book.hpp"
#include "llmes/ids/id_book.hpp"
#include "llmes/sets/book_set.hpp"
#include "tests/support/invariants.hpp"

namespace llmes::test {

/// Handles are turned into ids by the book itself, so a handle that names no order needs an id that none has.
inline constexpr OrderId id_of_none = std::numeric_limits<OrderId>::max();

template <class Book, class Index>
class BookById : public OrderCalls<BookById<Book, Index>, Command> {
  using RequestType = typename IdBook<Book, Index>::RequestType;
  static constexpr bool of_set = requires { typename Book::Book; };

 public:
  static std::optional<BookById> create(const BookConfig& config) {
    typename Index::Config ids{};
    if constexpr (requires { ids.page_count; }) ids.page_count = 16;
    std::optional<IdBook<Book, Index>> book = IdBook<Book, Index>::create(own(config), ids);
    if (!book) return {};
    if constexpr (of_set) {
      for (std::size_t i = 0; i < books; ++i) static_cast<void>(book->add_book());
    }
    return BookById(*std::move(book));
  }

  template <CommandType type, class Sink, class Details>
  Result execute(const Command& command, Sink& sink, Details& details) {
    return by_handle(command, book_.template execute<type>(request_of(command), sink, details));
  }
  template <class Sink>
  Result apply(const Command& command, Sink&& sink) {
    return by_handle(command, book_.apply(request_of(command), sink));
  }

  [[nodiscard]] std::optional<Price> best_bid() const { return one()->best_bid(); }
  [[nodiscard]] std::optional<Price> best_ask() const { return one()->best_ask(); }
  [[nodiscard]] DepthLevel level(Side side, Price price) const { return one()->level(side, price); }
  [[nodiscard]] std::size_t depth(Side side, std::span<DepthLevel> out) const { return one()->depth(side, out); }
  template <class Visitor>
  void visit_orders(Side side, Visitor&& visitor) const {
    one()->visit_orders(side, visitor);
  }
  /// By the id of the order, where there is one.
  [[nodiscard]] std::optional<RestingOrder> find(OrderHandle handle) const { return book_.find(id_of(handle)); }
  [[nodiscard]] std::size_t size() const { return one()->size(); }
  [[nodiscard]] Price price_min() const { return one()->price_min(); }
  [[nodiscard]] Price price_max() const { return one()->price_max(); }

  [[nodiscard]] const IdBook<Book, Index>& by_id() const { return book_; }

 private:
  static constexpr std::size_t books = 3;
  static constexpr BookNumber mine = 1;

  explicit BookById(IdBook<Book, Index>&& book) : book_(std::move(book)) {}

  static typename Book::Config own(const BookConfig& config) {
    if constexpr (of_set) {
      return {.max_books = books, .capacity = config.capacity, .quantity_max = config.quantity_max};
    } else {
      return config;
    }
  }

  [[nodiscard]] auto one() const {
    if constexpr (of_set) {
      return book_.book().book(mine);
    } else {
      return &book_.book();
    }
  }
  [[nodiscard]] RequestType request_of(const Command& command) const {
    RequestType request;
    request.id = adds(command.type) ? command.id : id_of(command.handle);
    request.new_id = command.id;
    request.price = command.price;
    request.quantity = command.quantity;
    request.type = command.type;
    request.side = command.side;
    request.time_in_force = command.time_in_force;
    if constexpr (of_set) request.book = mine;
    return request;
  }
  /// The answer to a replace as the book itself gives it.
  static Result by_handle(const Command& command, const Result& result) {
    const bool no_enumerator =
        command.type == CommandType::Replace && command.time_in_force > TimeInForce::FillOrKill;
    return no_enumerator && result.status == Status::UnknownOrder ? Result{Status::InvalidCommand} : result;
  }
  [[nodiscard]] OrderId id_of(OrderHandle handle) const {
    const std::optional<RestingOrder> order = book_.book().find(handle);
    return order ? order->id : id_of_none;
  }

  IdBook<Book, Index> book_;
};

template <class Book, class Index>
std::optional<std::string> broken_invariant(const BookById<Book, Index>& book) {
  return broken_invariant(book.by_id().book());
}

}  // namespace llmes::test
