// SPDX-License-Identifier: MIT
//
// A book whose calls have their helpers inlined into them, however the compiler would judge that by itself. Left
// out of line is what says so: the matching loop, and what a part holds to be rare.
#pragma once

#include <optional>
#include <utility>

#include "bench/books/composed_book.hpp"
#include "llmes/llmes.hpp"

namespace llmes::bench {

template <class Book>
class Flattened : public Book {
 public:
  static std::optional<Flattened> create(const BookConfig& config) {
    std::optional<Book> book = Book::create(config);
    if (!book) return std::nullopt;
    return Flattened(*std::move(book));
  }

  Flattened(Flattened&&) = default;
  Flattened& operator=(Flattened&& other) { return make_anew(*this, std::move(other)); }
  ~Flattened() = default;

  template <TradeSink Sink>
  [[gnu::flatten]] Result add_limit_order(OrderId id, Side side, Price price, Quantity quantity,
                                          TimeInForce time_in_force, Sink&& sink) {
    return Book::add_limit_order(id, side, price, quantity, time_in_force, sink);
  }
  [[gnu::flatten]] Status cancel_order(OrderHandle handle) { return Book::cancel_order(handle); }
  template <TradeSink Sink>
  [[gnu::flatten]] Result apply(const Command& command, Sink&& sink) {
    return Book::apply(command, sink);
  }

 private:
  explicit Flattened(Book&& book) : Book(std::move(book)) {}
};

}  // namespace llmes::bench
