// SPDX-License-Identifier: MIT
//
// The books of a replayed market: what the events of a tape have left, without matching. They may be crossed.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "llmes/detail/enumerator_name.hpp"
#include "llmes/ids/hashed_ids.hpp"
#include "llmes/ids/id_book.hpp"
#include "llmes/market_data/event_fills.hpp"
#include "llmes/sets/book_set.hpp"
#include "llmes/simulator/market_event.hpp"
#include "llmes/types/command.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// The most lots of an order, so that its money fits 128 bits at any price.
inline constexpr Quantity lots_max = Quantity{1} << 40;

/// What became of a market event. Everything but `Success` is a refusal, which changes nothing.
enum class MarketStatus : std::uint8_t {
  Success,
  InvalidEvent,  ///< the type, side or phase is not an enumerator, or a modify says another side than its order's
  UnknownBook,   ///< no book has this number
  UnknownOrder,  ///< no order of this id rests
  DuplicateOrder,    ///< an order of the new id rests
  InvalidQuantity,   ///< 0, above `lots_max`, or more than the order has
  NoRoom,            ///< for the order, its price level, or its total of lots
  TimeGoesBack,      ///< it is earlier than the event before
  RecordOutOfOrder,  ///< its record number is lower than that of the event before
  AfterEnd,          ///< the simulator has finished
};

namespace detail {
/// Whether a modify sends an order to the back of which fills of its event have taken `filled` lots.
[[nodiscard]] constexpr bool loses_place(const MarketEvent& modify, const RestingOrder& order,
                                         Quantity filled) noexcept {
  const bool stays_the_same = modify.price == order.price && modify.quantity == order.quantity;
  return !keeps_place(order, filled, modify.price, modify.quantity) || (modify.same_loses_place && stays_the_same);
}
}  // namespace detail

/// What a replayed market is made for.
struct MarketConfig {
  std::size_t books = 1;     ///< they are numbered from 0
  std::size_t capacity = 0;  ///< the largest number of resting orders, of all books together
};

class MarketBooks {
 public:
  using Set = BookSet;
  using Books = IdBook<Set, HashedIds>;

  /// Makes the books, or nothing, and `status` says why; all memory is allocated here.
  /// @param status InvalidBookCount, InvalidCapacity, OutOfMemory, or Success.
  [[nodiscard]] static std::optional<MarketBooks> create(const MarketConfig& config,
                                                         CreateStatus& status = NoStatus{}) noexcept {
    auto books = Books::create({.max_books = config.books, .capacity = config.capacity, .quantity_max = lots_max},
                               {}, status);
    if (!books) return {};
    while (books->add_book()) {
    }
    std::optional<MarketBooks> market{MarketBooks(std::move(*books))};
    if (!market->fills_.allocated()) {
      status = CreateStatus::OutOfMemory;
      market.reset();
    }
    return market;
  }

  /// Applies an event to its book. An event that names an order goes to the book where that order rests, whatever
  /// `event.book` says. Constant; `Clear` and `ClearSide` are linear in the orders.
  /// @param details an empty `OrderChange`, to learn what the event changed of its order; or a `NoDetails`.
  template <class Details>
  [[gnu::always_inline]] MarketStatus apply(const MarketEvent& event, Details& details) noexcept {
    if (!fills_.empty()) [[unlikely]]
      return apply_after_fills(event, details);
    return apply_alone(event, details);
  }
  /// The lots of an order that have traded in its event, which has not ended, and that nothing has taken off it
  /// yet.
  [[nodiscard]] Quantity filled(OrderId id) const noexcept { return fills_.empty() ? 0 : fills_.of(id); }

  /// Calls `take` with each event in turn. Over many books, a block of what events will touch is prefetched.
  template <class Take>
  [[gnu::always_inline]] void for_each_ahead(std::span<const MarketEvent> events, const Take& take) const {
    while (!events.empty()) {
      const auto block = events.first(std::min(events.size(), Set::block));
      look_ahead(block);
      for (const MarketEvent& event : block) take(event);
      events = events.subspan(block.size());
    }
  }

  /// All books and orders, for queries.
  [[nodiscard]] const Books& books() const noexcept { return books_; }
  [[nodiscard]] const Set& set() const noexcept { return books_.book(); }
  [[nodiscard]] std::size_t book_count() const noexcept { return set().book_count(); }

  /// The best price of a side; `none` if it has no order.
  [[nodiscard]] Price best_or(BookNumber book, Side side, Price none) const noexcept {
    return set().best_or(book, side, none);
  }

 private:
  /// Applies an event that needs to know of no fill.
  template <class Details>
  [[gnu::always_inline]] MarketStatus apply_alone(const MarketEvent& event, Details& details) noexcept {
    DiscardTrades none;
    const auto call = [&]<CommandType type>(const Request& request) __attribute__((always_inline)) {
      return books_.template execute<type>(BookRequest{request, event.book}, none, details);
    };
    switch (event.type) {
      case MarketEventType::Add:
        return status_of(call.template operator()<CommandType::AddResting>(
            Request::add_resting(event.id, event.side, event.price, event.quantity)));
      case MarketEventType::Cancel:
        return status_of(call.template operator()<CommandType::Cancel>(Request::cancel(event.id)));
      case MarketEventType::Reduce:
      case MarketEventType::Execute:
        return status_of(call.template operator()<CommandType::Reduce>(Request::reduce(event.id, event.quantity)));
      case MarketEventType::Replace:
        return status_of(call.template operator()<CommandType::ReplaceResting>(
            Request::replace_resting(event.id, event.new_id, event.price, event.quantity)));
      default: return apply_rare(event, details);
    }
  }

  /// Applies an event while there are fills, each of an event that has not ended.
  template <class Details>
  [[gnu::noinline]] MarketStatus apply_after_fills(const MarketEvent& event, Details& details) noexcept {
    switch (event.type) {
      case MarketEventType::Reduce: fills_.take(event.id, event.quantity); break;
      case MarketEventType::Replace: fills_.forget(event.new_id); [[fallthrough]];
      case MarketEventType::Add:
      case MarketEventType::Cancel: fills_.forget(event.id); break;
      default: break;  // a modify and a clear look for themselves
    }
    const MarketStatus status = apply_alone(event, details);
    if (event.last) end_fills(event.book);
    return status;
  }
  void end_fills(BookNumber book) noexcept { book == every_book ? fills_.clear() : fills_.end_event(book); }

  void look_ahead(std::span<const MarketEvent> events) const noexcept {
    using enum CommandType;
    static constexpr std::array<CommandType, 6> types{AddResting,    Cancel,         Reduce,
                                                      ModifyResting, ReplaceResting, Reduce};
    books_.look_ahead(
        events.size(), [&](std::size_t i) __attribute__((always_inline)) {
          const MarketEvent& event = events[i];
          const auto type = std::min(static_cast<std::size_t>(event.type), types.size() - 1);
          return BookRequest{{{event.id, event.new_id}, event.price, event.quantity, types[type], event.side, {}},
                             event.book};
        });
  }

  explicit MarketBooks(Books&& books) noexcept : books_(std::move(books)) {}

  [[nodiscard]] static constexpr MarketStatus status_of(const Result& result) noexcept {
    switch (result.status) {
      case Status::Success: return MarketStatus::Success;
      case Status::InvalidQuantity: return MarketStatus::InvalidQuantity;
      case Status::UnknownOrder: return MarketStatus::UnknownOrder;
      case Status::DuplicateId: return MarketStatus::DuplicateOrder;
      case Status::UnknownBook: return MarketStatus::UnknownBook;
      case Status::InvalidCommand: return MarketStatus::InvalidEvent;
      default: return MarketStatus::NoRoom;
    }
  }

  template <class Details>
  [[gnu::noinline]] MarketStatus apply_rare(const MarketEvent& event, Details& details) noexcept {
    const bool everywhere = event.book == every_book;
    switch (event.type) {
      case MarketEventType::Modify: return modify(event, details);
      case MarketEventType::Fill: return note_fill(event, details);
      case MarketEventType::Clear:
        if (!everywhere && event.book >= book_count()) return MarketStatus::UnknownBook;
        everywhere ? books_.clear() : books_.clear(event.book);
        end_fills(event.book);
        return MarketStatus::Success;
      case MarketEventType::ClearSide:
        if (event.side > Side::Sell) return MarketStatus::InvalidEvent;
        if (event.book >= book_count()) return MarketStatus::UnknownBook;
        books_.clear(event.book, event.side);
        return MarketStatus::Success;
      case MarketEventType::Phase:
        if (event.phase > MarketPhase::Closed) return MarketStatus::InvalidEvent;
        [[fallthrough]];
      case MarketEventType::Trade:
      case MarketEventType::End:
        return everywhere || event.book < book_count() ? MarketStatus::Success : MarketStatus::UnknownBook;
      default: return MarketStatus::InvalidEvent;
    }
  }

  template <class Details>
  MarketStatus modify(const MarketEvent& event, Details& details) noexcept {
    DiscardTrades none;
    const std::optional<RestingOrder> order = books_.find(event.id);
    if (order && event.says_side && order->side != event.side) return MarketStatus::InvalidEvent;
    const Quantity filled = fills_.of(event.id);
    fills_.forget(event.id);
    if (!order) {
      return status_of(books_.execute<CommandType::AddResting>(
          {Request::add_resting(event.id, event.side, event.price, event.quantity), event.book}, none, details));
    }
    if (event.quantity != 0 && detail::loses_place(event, *order, filled) && event.quantity <= order->quantity &&
        event.price == order->price)
      return send_to_back(*order, event.quantity, details);
    return status_of(books_.execute<CommandType::ModifyResting>(
        {Request::modify_resting(event.id, event.price, event.quantity), event.book}, none, details));
  }
  /// Gives an order that stays at its price lots that it may have, as the youngest of its level.
  template <class Details>
  MarketStatus send_to_back(const RestingOrder& order, Quantity quantity, Details& details) noexcept {
    DiscardTrades none;
    const BookNumber book = *set().book_of(order.handle);
    Details left, came;
    static_cast<void>(books_.execute<CommandType::Cancel>({Request::cancel(order.id), book}, none, left));
    const Result result = books_.execute<CommandType::AddResting>(
        {Request::add_resting(order.id, order.side, order.price, quantity), book}, none, came);
    if constexpr (WantsDetails<Details>) details = {left.before, came.after};
    return status_of(result);
  }
  template <class Details>
  MarketStatus note_fill(const MarketEvent& event, Details& details) noexcept {
    if (event.quantity == 0 || event.quantity > lots_max) return MarketStatus::InvalidQuantity;
    if (!event.last) fills_.add(event.book, event.id, event.quantity);
    const std::optional<RestingOrder> order = books_.find(event.id);
    if (!order) return MarketStatus::UnknownOrder;
    if constexpr (WantsDetails<Details>) details = {*order, *order};
    return MarketStatus::Success;
  }

  Books books_;
  detail::EventFills fills_;
};

}  // namespace llmes::inline LLMES_NAMESPACE
