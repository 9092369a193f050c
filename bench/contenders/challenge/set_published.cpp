// SPDX-License-Identifier: MIT
//
// A set of one book with its publisher, one message at a time: the books of an engine, without its records and
// reports. Each event of an order is taken; fills and deleted orders become reports.
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "bench/contenders/challenge/adapter.hpp"
#include "llmes/ids/hashed_ids.hpp"
#include "llmes/ids/id_book.hpp"
#include "llmes/market_data/publisher.hpp"
#include "llmes/sets/book_set.hpp"

namespace llmes::challenge {

class SetAdapter {
  using Set = IdBook<BookSet, HashedIds>;

 public:
  [[nodiscard]] static std::optional<SetAdapter> create() {
    auto events = std::make_unique<Events>();
    auto set = Set::create({.max_books = 1, .capacity = capacity}, {});
    if (!set) return {};
    auto publisher = Publisher<Set, Events&>::create(*std::move(set), *events);
    if (!publisher || !publisher->add_book()) return {};
    return SetAdapter(std::move(events), *std::move(publisher));
  }

  [[gnu::always_inline]] void apply(const Request& request, std::uint64_t sequence,
                                    const Reports& reports) noexcept {
    events_->sequence = sequence;
    events_->reports = &reports;
    const Result result = publisher_.apply({request, 0}, DiscardTrades{});
    reports.answer(sequence, request, result.status, result.cancelled, events_->order);
  }

  [[nodiscard]] auto book() const noexcept { return publisher_.book().book(0); }

 private:
  /// The sink of the publisher.
  struct Events {
    void executed(const OrderExecuted& event) noexcept {
      const Trade& trade = event.trade;
      reports->trade(sequence, trade.maker_id, trade.taker_id, trade.price, trade.quantity);
    }
    void added(const OrderAdded& event) noexcept { order = event.order; }
    void reduced(const OrderReduced& event) noexcept { order = event.order; }
    void deleted(const OrderDeleted& event) noexcept { order = event.order; }
    void replaced(const OrderReplaced& event) noexcept { order = event.order; }

    RestingOrder order;  ///< of the latest event
    std::uint64_t sequence = 0;
    const Reports* reports = nullptr;
  };

  SetAdapter(std::unique_ptr<Events> events, Publisher<Set, Events&>&& publisher) noexcept
      : events_(std::move(events)), publisher_(std::move(publisher)) {}

  std::unique_ptr<Events> events_;
  Publisher<Set, Events&> publisher_;
};

using Engine = SetAdapter;

}  // namespace llmes::challenge

#include "bench/contenders/challenge/entry.hpp"
