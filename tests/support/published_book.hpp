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
class PublishedBook : public OrderCalls<PublishedBook<Book>, Command> {
 public:
  static std::optional<PublishedBook> create(const BookConfig& config) {
    std::optional<Book> book = Book::create(config);
    if (!book) return {};
    return PublishedBook(*std::move(book));
  }

  template <CommandType type, class Sink, class Details>
  Result execute(const Command& command, Sink& sink, Details& details) {
    return checked(command, sink,
                   [&](auto& tee) { return publisher().template execute<type>(command, tee, details); });
  }
  template <class Sink>
  Result apply(const Command& command, Sink&& sink) {
    return checked(command, sink, [&](auto& tee) { return publisher().apply(command, tee); });
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
  Result checked(const Command& command, Sink& sink, const Call& call) {
    constexpr std::size_t few = 256;
    EventReader& reader = state_->reader;
    std::vector<Trade> trades;
    const auto tee = [&](const Trade& trade) {
      trades.push_back(trade);
      sink(trade);
    };
    const auto before = reader.find(changes(command.type) ? command.handle : OrderHandle{});
    const Result result = call(tee);
    reader.end_command(before, result, trades);
    if (size() < few || ++state_->calls % few == 0) reader.compare(book());
    return result;
  }
  std::unique_ptr<State> state_;
};

template <class Book>
std::optional<std::string> broken_invariant(const PublishedBook<Book>& book) {
  if (book.fault().empty()) return {};
  return book.fault();
}

}  // namespace llmes::test
