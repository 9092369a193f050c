// SPDX-License-Identifier: MIT
//
// The books of all instruments of a DBN file, rebuilt from its market-by-order records, without matching: they may
// be crossed.
//
//  - The records may hold anything. An invalid one changes no order, and `faults` counts it by kind.
//  - Prices are billionths, from -(2^63 - 2) to 2^63 - 2. Each instrument has a grid (see tick_grid.hpp): the
//  largest
//    step that all prices of its orders so far are multiples of. A price off the grid refines it: the orders of
//    the instrument are entered once more, in their order. At most 63 times an instrument.
//  - Several records make an event, and between them a book is half way. `is_settled` says whether it may be read.
//  - Once made, nothing here allocates, locks, throws or calls the system.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "llmes/dbn/reader.hpp"
#include "llmes/dbn/records.hpp"
#include "llmes/detail/reset_on_move.hpp"
#include "llmes/ids/hashed_ids.hpp"
#include "llmes/ids/id_book.hpp"
#include "llmes/market_data/feed_fault.hpp"
#include "llmes/market_data/feed_request.hpp"
#include "llmes/market_data/mbo_instruments.hpp"
#include "llmes/market_data/move_orders.hpp"
#include "llmes/market_data/split_grid.hpp"
#include "llmes/market_data/tick_grid.hpp"
#include "llmes/sets/book_set.hpp"
#include "llmes/types/command.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// What the books of a file are made for.
struct MboBookConfig {
  std::size_t instruments = 0;  ///< the largest number of instruments, from 1 to `BookSet::books_max - 1`
  std::size_t capacity = 0;     ///< the largest number of resting orders, of all instruments together
  /// How many price levels may lie beyond the windows of all books (see book_set.hpp). As many as orders are
  /// always enough. While a grid becomes finer, each level of the instrument needs one more.
  std::size_t far_levels = std::numeric_limits<std::size_t>::max();
};

/// The orders of all instruments, for one thread. Books have numbers in the order in which records named their
/// instruments, from 0 on. A number without a book has no orders.
///
/// Memory: that of a `BookSet` with a book for each instrument and one more, of `HashedIds`, and 170 to 200 bytes
/// an instrument.
///
/// One that was moved from has no room for instruments: it counts every record as a fault.
class MboBook {
 public:
  /// Makes books without orders, or nothing, and `status` says why. It allocates and touches all memory.
  /// @param status InvalidBookCount (no instruments, or too many), InvalidCapacity (0, or above
  /// `BookSet::capacity_max`), OutOfMemory, or Success.
  [[nodiscard]] static std::optional<MboBook> create(const MboBookConfig& config, CreateStatus& status) noexcept {
    if (config.instruments == 0 || config.instruments >= BookSet::books_max) {
      status = CreateStatus::InvalidBookCount;
      return {};
    }
    const std::size_t books = config.instruments + 1;  // the last one is that of `refine`
    auto set = Books::create({.max_books = books, .capacity = config.capacity, .far_levels = config.far_levels},
                             {}, status);
    if (!set) return {};
    for (std::size_t i = 0; i < books; ++i) static_cast<void>(set->add_book());
    std::optional<MboBook> all{MboBook(*std::move(set), config)};
    if (!all->states_.allocated()) {
      status = CreateStatus::OutOfMemory;
      all.reset();
    }
    return all;
  }

  /// The same without a reason.
  [[nodiscard]] static std::optional<MboBook> create(const MboBookConfig& config) noexcept {
    CreateStatus status{};
    return create(config, status);
  }

  // ---- Records.

  /// Applies a record:
  ///
  ///  - Add: the order is the youngest of its price. With `TopOfBook`, it takes the place of all orders of its
  ///  side
  ///    as `top_of_book_id`; without a price, it leaves the side empty.
  ///  - Cancel: `size` lots leave the order, or all of it.
  ///  - Modify: by the rule of `modify_resting_order`; an unknown order is added.
  ///  - Clear: all orders of the instrument leave.
  ///  - Trade, Fill, None: nothing.
  ///
  /// Constant on average; linear in the orders of the instrument for a clear and for a price off the grid.
  /// @return whether it has changed an order.
  bool apply(const dbn::Mbo& record) noexcept {
    const std::optional<BookNumber> found =
        states_.number_for({record.header.publisher, record.header.instrument});
    if (!found) [[unlikely]]
      return count(FeedFault::UnknownSymbol);
    const BookNumber book = *found;
    states_[book].is_settled = record.has(dbn::Flag::Last);
    switch (record.action.value()) {
      case dbn::Action::Add: return add(book, record);
      case dbn::Action::Cancel:
        return settle(books_.reduce_order(salted_id(book, record.order_id), record.size.value()),
                      record.size.value());
      case dbn::Action::Modify: return modify(book, record);
      case dbn::Action::Clear: return books_.clear(book) != 0;
      case dbn::Action::Trade:
      case dbn::Action::Fill:
      case dbn::Action::None: return false;
    }
    return count(FeedFault::UnknownType);
  }

  /// Applies all records that a reader still has, exactly as one call for each would. For many instruments it
  /// takes about half of the time, as it prefetches memory for later records.
  void apply(dbn::RecordReader& reader) noexcept {
    std::array<BookRequest, BookSet::block> requests;
    std::size_t count = 0;
    const auto flush = [&] {
      books_.apply(
          std::exchange(count, 0), [&](std::size_t i) -> const BookRequest& { return requests[i]; },
          [&](const Result& result, std::size_t i) {
            static_cast<void>(settle(result.status, requests[i].quantity));
          },
          DiscardTrades{});
    };
    while (const dbn::Mbo* record = reader.next()) {
      if (!make_request(*record, requests[count])) [[unlikely]] {
        if (changes_orders(record->action)) flush();
        static_cast<void>(apply(*record));
      } else if (++count == requests.size()) {
        flush();
      }
    }
    flush();
  }

  /// What was wrong with records so far. UnknownSymbol: of more instruments than there is room for.
  [[nodiscard]] const FeedFaults& faults() const noexcept { return faults_; }

  // ---- Instruments.

  /// How many instruments records have named, and how many there can be.
  [[nodiscard]] std::size_t book_count() const noexcept { return states_.size(); }
  [[nodiscard]] std::size_t instruments_max() const noexcept { return states_.most(); }
  /// The number of an instrument's book, if a record has named it. Constant on average.
  [[nodiscard]] std::optional<BookNumber> book_of(MboInstrument instrument) const noexcept {
    return states_.find(instrument);
  }
  /// The instrument of a book; that of zeros if there is no such book.
  [[nodiscard]] MboInstrument instrument(BookNumber book) const noexcept {
    return has(book) ? states_.name(book) : MboInstrument{};
  }
  /// Whether the latest record of a book was the last one of its event. If not, the book is half way, and what the
  /// queries say of it may never have been so at the venue. True if there is no such book.
  [[nodiscard]] bool is_settled(BookNumber book) const noexcept { return !has(book) || states_[book].is_settled; }
  /// The step of a book's prices so far, from one unit of the currency on, in billionths; 0 if it had none there.
  [[nodiscard]] Price step(BookNumber book) const noexcept { return has(book) ? states_[book].grid.step() : 0; }

  /// Removes all orders, instruments and faults. Linear in the room for them.
  void clear() noexcept {
    static_cast<void>(books_.clear());
    states_.clear();
    faults_ = FeedFaults{};
  }

  // ---- Books. Prices are billionths.

  /// How many orders rest, of all instruments together or of one.
  [[nodiscard]] std::size_t size() const noexcept { return books_.book().size(); }
  [[nodiscard]] std::size_t size(BookNumber book) const noexcept {
    return has(book) ? books_.book(book)->size() : 0;
  }

  /// The best price of a side, if it has orders. Constant.
  [[nodiscard]] std::optional<Price> best(BookNumber book, Side side) const noexcept {
    constexpr Price none = std::numeric_limits<Price>::min();  // no price of an order is on a grid there
    const Price tick = has(book) ? books_.book().best_or(book, side, none) : none;
    if (tick == none) return {};
    return states_[book].grid.price(tick);
  }

  /// The orders at a price. Constant on average, as `BookSet::Book::level` is.
  [[nodiscard]] DepthLevel level(BookNumber book, Side side, Price price) const noexcept {
    DepthLevel level;
    if (has(book) && TickGrid::is_possible(price) && states_[book].grid.holds(price)) {
      level = books_.book(book)->level(side, states_[book].grid.tick(price));
    }
    level.price = price;
    return level;
  }

  /// Writes the levels of a side to `out`, the best first. Linear in `out`.
  /// @return how many were written: all, or as many as fit.
  [[nodiscard]] std::size_t depth(BookNumber book, Side side, std::span<DepthLevel> out) const noexcept {
    if (!has(book)) return 0;
    const std::size_t count = books_.book(book)->depth(side, out);
    for (DepthLevel& level : out.first(count)) level.price = states_[book].grid.price(level.price);
    return count;
  }

  /// Calls `visitor` with the orders of a side in priority order. Returning false ends the visit. Linear in them.
  template <OrderVisitor Visitor>
  void visit_orders(BookNumber book, Side side, Visitor&& visitor) const {
    if (!has(book)) return;
    books_.book(book)->visit_orders(side,
                                    [&](const RestingOrder& order) { return visitor(outside(book, order)); });
  }

  /// The order of this id in a book, if it rests. Constant on average.
  [[nodiscard]] std::optional<RestingOrder> find(BookNumber book, OrderId id) const noexcept {
    if (!has(book)) return {};
    const std::optional<RestingOrder> order = books_.find(salted_id(book, id));
    if (!order) return {};
    return outside(book, *order);
  }
  /// What trades before an order at its price level, if it rests. Linear in these orders.
  [[nodiscard]] std::optional<QueuePosition> queue_ahead(BookNumber book, OrderId id) const noexcept {
    if (!has(book)) return {};
    return books_.book(book)->queue_ahead(books_.handle_of(salted_id(book, id)));
  }
  /// The id of what a top-of-book record puts on a side. No venue gives it to an order.
  [[nodiscard]] static constexpr OrderId top_of_book_id(Side side) noexcept {
    return std::numeric_limits<OrderId>::max() - static_cast<OrderId>(side);
  }

 private:
  using Books = IdBook<BookSet, HashedIds>;

  struct State {
    bool is_settled = true;
    SplitGrid grid{dbn::price_scale};
  };

  MboBook(Books&& books, const MboBookConfig& config) noexcept
      : books_(std::move(books)),
        states_(config.instruments),
        has_all_levels_(config.far_levels >= config.capacity) {}

  [[nodiscard]] bool has(BookNumber book) const noexcept { return book < states_.size(); }

  /// An order as the queries tell of it.
  [[nodiscard]] RestingOrder outside(BookNumber book, RestingOrder order) const noexcept {
    order.id = salted_id(book, order.id);
    order.price = states_[book].grid.price(order.price);
    return order;
  }

  [[nodiscard]] bool count(FeedFault fault) noexcept {
    faults_->count(fault);
    return false;
  }
  /// Looks at the status of a call for so many lots. @return whether an order has changed
  [[nodiscard]] bool settle(Status status, Quantity lots) noexcept {
    if (status == Status::Success) [[likely]]
      return true;
    return count(detail::fault_of(status, lots));
  }

  [[nodiscard]] static bool changes_orders(dbn::Action action) noexcept {
    return action != dbn::Action::Trade && action != dbn::Action::Fill && action != dbn::Action::None;
  }

  /// Makes the request of a usual add or cancel.
  /// @return whether the record is one; if not, nothing has changed but the numbers of instruments
  [[nodiscard, gnu::always_inline]] bool make_request(const dbn::Mbo& record, BookRequest& request) noexcept {
    const bool adds = record.action == dbn::Action::Add;
    if (!adds && record.action != dbn::Action::Cancel) return false;
    const std::optional<BookNumber> book = states_.number_for({record.header.publisher, record.header.instrument});
    if (!book) return false;
    const OrderId id = salted_id(*book, record.order_id);
    const Quantity lots = record.size.value();
    if (adds) {
      const SplitGrid& grid = states_[*book].grid;
      const bool is_usual = is_side(record.side) && !record.has(dbn::Flag::TopOfBook) &&
                            TickGrid::is_possible(record.price) && grid.holds(record.price);
      if (!is_usual) return false;
      request = {Request::add_resting(id, side_of(record), grid.tick(record.price), lots), *book};
    } else {
      request = {Request::reduce(id, lots), *book};
    }
    states_[*book].is_settled = record.has(dbn::Flag::Last);
    return true;
  }

  [[nodiscard]] static bool is_side(dbn::BidAsk side) noexcept {
    return side == dbn::BidAsk::Bid || side == dbn::BidAsk::Ask;
  }
  [[nodiscard]] static Side side_of(const dbn::Mbo& record) noexcept {
    return record.side == dbn::BidAsk::Bid ? Side::Buy : Side::Sell;
  }

  [[nodiscard]] bool add(BookNumber book, const dbn::Mbo& record) noexcept {
    if (!is_side(record.side)) return count(FeedFault::InvalidSide);
    if (record.has(dbn::Flag::TopOfBook)) [[unlikely]]
      return put_on_top(book, record);
    return enter(book, salted_id(book, record.order_id), record);
  }
  [[nodiscard]] bool enter(BookNumber book, OrderId key, const dbn::Mbo& record) noexcept {
    if (!TickGrid::is_possible(record.price)) return count(FeedFault::InvalidPrice);
    if (!states_[book].grid.holds(record.price)) [[unlikely]] {
      const bool is_known = books_.handle_of(key) != OrderHandle{};
      const bool rests = record.size.value() != 0 && !is_known && books_.book().size() < books_.book().capacity();
      if (rests && !refine(book, record.price)) return count(FeedFault::NoRoom);
    }
    const Price tick = states_[book].grid.tick(record.price);
    return settle(books_.add_resting_order(book, key, side_of(record), tick, record.size.value()).status,
                  record.size.value());
  }
  [[nodiscard, gnu::noinline]] bool put_on_top(BookNumber book, const dbn::Mbo& record) noexcept {
    const bool has_price = record.price != dbn::undefined_price;
    if (has_price && !TickGrid::is_possible(record.price)) return count(FeedFault::InvalidPrice);
    if (has_price && record.size.value() == 0) return count(FeedFault::ZeroQuantity);
    const bool has_cleared = books_.clear(book, side_of(record)) != 0;
    const bool has_entered = has_price && enter(book, salted_id(book, top_of_book_id(side_of(record))), record);
    return has_cleared || has_entered;
  }

  [[nodiscard]] bool modify(BookNumber book, const dbn::Mbo& record) noexcept {
    if (!is_side(record.side)) return count(FeedFault::InvalidSide);
    const OrderId key = salted_id(book, record.order_id);
    const std::optional<RestingOrder> order = books_.find(key);
    if (!order) return enter(book, key, record);
    if (order->side != side_of(record)) return count(FeedFault::InvalidSide);
    if (!TickGrid::is_possible(record.price)) return count(FeedFault::InvalidPrice);
    if (!states_[book].grid.holds(record.price)) [[unlikely]] {
      if (record.size.value() != 0 && !refine(book, record.price)) return count(FeedFault::NoRoom);
    }
    const Price tick = states_[book].grid.tick(record.price);
    return settle(books_.modify_resting_order(key, tick, record.size.value()).status, record.size.value());
  }

  /// Makes the grid of a book fit a price.
  /// @return false if there may be too few far levels; then nothing has changed
  [[nodiscard, gnu::noinline]] bool refine(BookNumber book, Price price) noexcept {
    const SplitGrid from = states_[book].grid;
    const SplitGrid to = from.with(price);
    const auto spare = static_cast<BookNumber>(states_.most());
    const auto tick = [&](Price old) { return to.tick(from.price(old)); };
    if (!detail::enter_again(books_, book, spare, has_all_levels_, tick)) return false;
    states_[book].grid = to;
    return true;
  }

  Books books_;
  MboInstruments<State> states_;
  bool has_all_levels_;  ///< as many far levels as orders, which are always enough
  detail::ResetOnMove<FeedFaults> faults_;
};

}  // namespace llmes::inline LLMES_NAMESPACE
