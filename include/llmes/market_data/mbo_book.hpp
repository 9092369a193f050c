// SPDX-License-Identifier: MIT
//
// The books of all instruments of a DBN file, rebuilt from its market-by-order records, without matching: they may
// be crossed.
//
//  - The records may hold anything. An invalid one changes no order, and `faults` counts it by kind.
//  - Prices are billionths, from -(2^63 - 2) to 2^63 - 2. Each instrument has a grid (see price_grid.hpp): the
//    largest step that all prices of its orders so far are multiples of. A price off the grid refines it: the
//    orders of the instrument are entered once more, in their order. At most 63 times an instrument.
//  - Several records make an event, and between them a book is half way. `is_settled` says whether it may be read.
//    What they mean together stands in event_fills.hpp.
//  - Once made, nothing here allocates, locks, throws or calls the system.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <utility>

#include "llmes/dbn/reader.hpp"
#include "llmes/dbn/records.hpp"
#include "llmes/detail/hash.hpp"
#include "llmes/detail/probing_table.hpp"
#include "llmes/detail/reset_on_move.hpp"
#include "llmes/ids/hashed_ids.hpp"
#include "llmes/ids/id_book.hpp"
#include "llmes/market_data/event_fills.hpp"
#include "llmes/market_data/grid_books.hpp"
#include "llmes/market_data/price_grid.hpp"
#include "llmes/sets/book_set.hpp"
#include "llmes/types/command.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// An instrument as one publisher tells of it. Each has a book of its own, and ids of its own.
struct MboInstrument {
  std::uint16_t publisher = 0;
  std::uint32_t instrument = 0;

  friend constexpr bool operator==(const MboInstrument&, const MboInstrument&) = default;
};

/// The name of an order among those of all instruments. Ids of two instruments may be the same, but with the salts
/// of their books they are as good as never. The salt of book 0 is 0, so in a file of one instrument ids stay what
/// they are. Called once more with its result, it gives the id back.
[[nodiscard]] constexpr OrderId salted_id(BookNumber book, OrderId id) noexcept {
  return id ^ hash_of(book);
}

/// The instruments so far, each with a number and an object of its own. Memory: 32 to 64 bytes an instrument, and
/// those objects.
template <class State>
class MboInstruments {
 public:
  /// Room for `most` instruments, all allocated here; `allocated` says whether there was memory.
  explicit MboInstruments(std::size_t most) noexcept
      : numbers_(most), entries_(new(std::nothrow) Instrument[most]), most_(most) {}

  [[nodiscard]] bool allocated() const noexcept { return numbers_.allocated() && entries_ != nullptr; }

  /// The number of an instrument, a new one if need be, with a new `State`; nothing if there is no room. Constant
  /// on average: most records are about the instrument of the record before.
  [[nodiscard]] std::optional<BookNumber> number_for(MboInstrument instrument) noexcept {
    const std::uint64_t code = code_of(instrument);
    if (latest_->used() && latest_->code == code) [[likely]]
      return latest_->number - 1;
    if (most_ == 0) return {};
    Entry& entry = numbers_[index_of(code)];
    if (!entry.used()) {
      if (size_ == most_) return {};
      entries_[size_] = {.name = instrument};
      entry = {code, static_cast<BookNumber>(++size_)};
    }
    latest_ = entry;
    return entry.number - 1;
  }
  /// The number of an instrument, if it has one. Constant on average.
  [[nodiscard]] std::optional<BookNumber> find(MboInstrument instrument) const noexcept {
    if (most_ == 0) return {};
    const Entry& entry = numbers_[index_of(code_of(instrument))];
    if (!entry.used()) return {};
    return entry.number - 1;
  }

  /// How many instruments have a number, and how many can.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t most() const noexcept { return most_; }
  /// The instrument of a number below `size()`, and its object.
  [[nodiscard]] MboInstrument name(BookNumber number) const noexcept { return entries_[number].name; }
  [[nodiscard]] State& operator[](BookNumber number) noexcept { return entries_[number].state; }
  [[nodiscard]] const State& operator[](BookNumber number) const noexcept { return entries_[number].state; }

  /// Forgets all of them. Linear in the room.
  void clear() noexcept {
    numbers_.clear();
    size_ = 0;
    latest_ = {};
  }

 private:
  struct Instrument {
    MboInstrument name{};
    State state{};
  };

  /// The number of an instrument.
  struct Entry {
    std::uint64_t code;
    BookNumber number;  ///< one more than it is; 0 in a free entry

    [[nodiscard]] bool used() const noexcept { return number != 0; }
    [[nodiscard]] std::uint32_t hash() const noexcept { return short_hash(code); }
  };
  [[nodiscard]] static std::uint32_t short_hash(std::uint64_t code) noexcept {
    return static_cast<std::uint32_t>(hash_of(code) >> 32);
  }
  [[nodiscard]] static std::uint64_t code_of(MboInstrument instrument) noexcept {
    return std::uint64_t{instrument.publisher} << 32 | instrument.instrument;
  }
  [[nodiscard]] std::size_t index_of(std::uint64_t code) const noexcept {
    return numbers_.search(short_hash(code), [code](const Entry& entry) { return entry.code == code; });
  }

  ProbingTable<Entry> numbers_;
  std::unique_ptr<Instrument[]> entries_;  ///< by number
  detail::ResetOnMove<std::size_t> size_;
  detail::ResetOnMove<std::size_t> most_;
  detail::ResetOnMove<Entry> latest_;  ///< that of the latest record
};

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
class MboBook : public detail::GridBooks<MboBook, IdBook<BookSet, HashedIds>, BookNumber, Price> {
  using Books = IdBook<BookSet, HashedIds>;
  friend GridBooks;

 public:
  /// Makes books without orders, or nothing, and `status` says why. It allocates and touches all memory.
  /// @param status InvalidBookCount (no instruments, or too many), InvalidCapacity (0, or above
  /// `BookSet::capacity_max`), OutOfMemory, or Success.
  [[nodiscard]] static std::optional<MboBook> create(const MboBookConfig& config,
                                                     CreateStatus& status = NoStatus{}) noexcept {
    if (config.instruments == 0 || config.instruments >= BookSet::books_max) {
      status = CreateStatus::InvalidBookCount;
      return {};
    }
    auto set = make_books(config.instruments, config, status);
    if (!set) return {};
    std::optional<MboBook> all{MboBook(*std::move(set), config)};
    if (!all->states_.allocated() || !all->fills_.allocated()) {
      status = CreateStatus::OutOfMemory;
      all.reset();
    }
    return all;
  }

  // ---- Records.

  /// Applies a record:
  ///
  ///  - Add: the order is the youngest of its price. With `TopOfBook`, it takes the place of all orders of its
  ///  side
  ///    as `top_of_book_id`; without a price, it leaves the side empty.
  ///  - Cancel: `size` lots leave the order, or all of it.
  ///  - Modify: by the rule of `modify_resting_order`; an unknown order is added. Of an order that has traded in
  ///  the
  ///    same event, the lots that it showed count less those of its fills: it keeps its place only if it has no
  ///    more. A modify to the other side is a fault.
  ///  - Clear: all orders of the instrument leave.
  ///  - Trade, Fill, None: nothing. A fill counts for a later modify of its event.
  ///
  /// Constant on average; linear in the orders of the instrument for a clear and for a price off the grid.
  /// @return whether it has changed an order.
  bool apply(const dbn::Mbo& record) noexcept {
    const std::optional<BookNumber> found =
        states_.number_for({record.header.publisher, record.header.instrument});
    if (!found) [[unlikely]]
      return count(FeedFault::UnknownSymbol);
    const bool has_changed = act(*found, record);
    settle_event(*found, record);
    return has_changed;
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
  [[nodiscard]] Price step(BookNumber book) const noexcept { return has(book) ? grid(book).step() : 0; }

  /// Removes all orders, instruments and faults. Linear in the room for them.
  void clear() noexcept {
    static_cast<void>(books_.clear());
    states_.clear();
    fills_.clear();
    faults_ = FeedFaults{};
  }

  // ---- Books: also the queries of `GridBooks`, with prices in billionths.

  /// The order of this id in a book, if it rests. Constant on average.
  [[nodiscard]] std::optional<RestingOrder> find(BookNumber book, OrderId id) const noexcept {
    const std::optional<RestingOrder> order = has(book) ? books_.find(salted_id(book, id)) : std::nullopt;
    return order ? std::optional(outside(book, *order)) : std::nullopt;
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
  struct State {
    bool is_settled = true;
    dbn::BidAsk aggressor = dbn::BidAsk::None;  ///< of the latest trade of the event
    SplitGrid grid{dbn::price_scale};
  };

  MboBook(Books&& books, const MboBookConfig& config) noexcept
      : GridBooks(std::move(books), config.far_levels >= config.capacity), states_(config.instruments) {}

  [[nodiscard]] bool has(BookNumber book) const noexcept { return book < states_.size(); }
  [[nodiscard]] static BookNumber number_of(BookNumber book) noexcept { return book; }
  [[nodiscard]] const SplitGrid& grid(BookNumber book) const noexcept { return states_[book].grid; }

  /// An order as the queries tell of it.
  [[nodiscard]] RestingOrder outside(BookNumber book, RestingOrder order) const noexcept {
    order.id = salted_id(book, order.id);
    order.price = grid(book).price(order.price);
    return order;
  }

  /// Does what a record says, within its event.
  [[nodiscard]] bool act(BookNumber book, const dbn::Mbo& record) noexcept {
    const OrderId key = salted_id(book, record.order_id);
    const Quantity lots = record.size.value();
    switch (record.action.value()) {
      case dbn::Action::Add: return add(book, record);
      case dbn::Action::Cancel: fills_.take(key, lots); return settle(books_.reduce_order(key, lots), lots);
      case dbn::Action::Modify: return modify(book, record);
      case dbn::Action::Clear: fills_.end_event(book); return books_.clear(book) != 0;
      case dbn::Action::Trade: states_[book].aggressor = record.side; return false;
      case dbn::Action::Fill:
        if (!detail::is_of_aggressor(states_[book].aggressor, record.side)) fills_.add(book, key, lots);
        return false;
      case dbn::Action::None: return false;
    }
    return count(FeedFault::UnknownType);
  }
  /// Notes whether a record ends its event.
  [[gnu::always_inline]] void settle_event(BookNumber book, const dbn::Mbo& record) noexcept {
    State& state = states_[book];
    state.is_settled = record.has(dbn::Flag::Last);
    if (!state.is_settled) return;
    state.aggressor = dbn::BidAsk::None;
    if (!fills_.empty()) [[unlikely]]
      fills_.end_event(book);
  }

  /// Looks at the status of a call for so many lots. @return whether an order has changed
  [[nodiscard]] bool settle(Status status, Quantity lots) noexcept {
    if (status == Status::Success) [[likely]]
      return true;
    return count(fault_of(status, lots));
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
      const bool is_usual = is_side(record.side) && !record.has(dbn::Flag::TopOfBook) && grid.holds(record.price);
      if (!is_usual) return false;
      request = {Request::add_resting(id, side_of(record), grid.tick(record.price), lots), *book};
    } else {
      request = {Request::reduce(id, lots), *book};
    }
    // What a modify is to know of fills does not depend on the orders that rest, so it need not wait for them.
    if (!fills_.empty()) [[unlikely]]
      fills_.take(id, adds ? std::numeric_limits<Quantity>::max() : lots);
    settle_event(*book, record);
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
    if (!TickGrid::is_possible(record.price)) return count(FeedFault::InvalidPrice);
    const OrderId key = salted_id(book, record.order_id);
    fills_.forget(key);
    return enter(book, key, record, false);
  }
  /// Adds an order, or modifies one that rests.
  [[nodiscard]] bool enter(BookNumber book, OrderId key, const dbn::Mbo& record, bool rests) noexcept {
    const Quantity lots = record.size.value();
    if (!grid(book).holds(record.price)) [[unlikely]] {
      const bool fits = rests || (books_.handle_of(key) == OrderHandle{} && size() < books_.book().capacity());
      if (lots != 0 && fits && !refine(book, record.price)) return count(FeedFault::NoRoom);
    }
    const Price tick = grid(book).tick(record.price);
    const Result result = rests ? books_.modify_resting_order(key, tick, lots)
                                : books_.add_resting_order(book, key, side_of(record), tick, lots);
    return settle(result.status, lots);
  }
  [[nodiscard, gnu::noinline]] bool put_on_top(BookNumber book, const dbn::Mbo& record) noexcept {
    const bool has_price = record.price != dbn::undefined_price;
    if (has_price && !TickGrid::is_possible(record.price)) return count(FeedFault::InvalidPrice);
    if (has_price && record.size.value() == 0) return count(FeedFault::ZeroQuantity);
    fills_.forget(salted_id(book, top_of_book_id(side_of(record))));
    const bool has_cleared = books_.clear(book, side_of(record)) != 0;
    const bool has_entered =
        has_price && enter(book, salted_id(book, top_of_book_id(side_of(record))), record, false);
    return has_cleared || has_entered;
  }

  [[nodiscard]] bool modify(BookNumber book, const dbn::Mbo& record) noexcept {
    if (!is_side(record.side)) return count(FeedFault::InvalidSide);
    const OrderId key = salted_id(book, record.order_id);
    const std::optional<RestingOrder> order = books_.find(key);
    if (order && order->side != side_of(record)) return count(FeedFault::InvalidSide);
    if (!TickGrid::is_possible(record.price)) return count(FeedFault::InvalidPrice);
    const Quantity filled = fills_.of(key);
    fills_.forget(key);
    const Quantity lots = record.size.value();
    if (order && lots != 0 && grid(book).holds(record.price) &&
        detail::is_refill(*order, filled, grid(book).tick(record.price), lots)) {
      static_cast<void>(books_.cancel_order(key));
      return settle(books_.add_resting_order(book, key, order->side, order->price, lots).status, lots);
    }
    return enter(book, key, record, order.has_value());
  }

  /// Makes the grid of a book fit a price.
  /// @return false if there may be too few far levels; then nothing has changed
  [[nodiscard, gnu::noinline]] bool refine(BookNumber book, Price price) noexcept {
    const SplitGrid from = grid(book);
    const SplitGrid to = from.with(price);
    const auto tick = [&](Price old) { return to.tick(from.price(old)); };
    if (!enter_again(book, tick)) return false;
    states_[book].grid = to;
    return true;
  }

  MboInstruments<State> states_;
  detail::EventFills fills_;
};

}  // namespace llmes::inline LLMES_NAMESPACE
