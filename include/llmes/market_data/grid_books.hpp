// SPDX-License-Identifier: MIT
//
// What FeedBook and MboBook share: the books of a feed, whose prices lie on grids, and the faults of its messages.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "llmes/detail/enumerator_name.hpp"
#include "llmes/detail/reset_on_move.hpp"
#include "llmes/types/arguments.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// What can be wrong with a message.
enum class FeedFault : std::uint8_t {
  UnknownType,       ///< no message begins with its first letter; in DBN, an unknown action
  WrongSize,         ///< it has more or fewer bytes than its type, or none
  UnknownSymbol,     ///< a new order, or a symbol, of a locate that is 0 or larger than `symbols`; or a replace
                     ///< by another locate than that of the order; in DBN, an instrument beyond the room for them
  InvalidSide,       ///< a new order that neither buys nor sells
  UnknownReference,  ///< no order of this reference rests
  DuplicateReference,  ///< an order of the new reference rests
  ZeroQuantity,        ///< of no shares
  OverExecution,       ///< it takes more shares off an order than are open
  NoRoom,              ///< there is no room for the order or its price level
  InvalidPrice,        ///< an order without a price (of DBN)
};

/// How many messages had each fault.
class FeedFaults {
 public:
  static constexpr std::size_t kinds = static_cast<std::size_t>(FeedFault::InvalidPrice) + 1;

  [[nodiscard]] std::uint64_t operator[](FeedFault fault) const noexcept {
    return counts_[static_cast<std::size_t>(fault)];
  }
  [[nodiscard]] std::uint64_t total() const noexcept {
    return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
  }
  void count(FeedFault fault) noexcept { ++counts_[static_cast<std::size_t>(fault)]; }

 private:
  std::array<std::uint64_t, kinds> counts_{};
};

/// A fault as a word or two, for messages to people.
[[nodiscard]] constexpr std::string_view to_string(FeedFault fault) noexcept {
  return detail::enumerator_name<FeedFault::InvalidPrice>(
      fault, {"unknown type", "wrong size", "unknown symbol", "invalid side", "unknown reference",
              "duplicate reference", "zero quantity", "over-execution", "no room", "invalid price"});
}

namespace detail {

/// The books of `Feed`, which derives from this, in `Books`: an `IdBook` of a set, whose last book is a spare one.
/// `Name` is what names a book, and `OutsidePrice` a price as messages have it. `Feed` says whether there is a
/// book (`has`), its number in the set (`number_of`), its grid (`grid`) and how queries tell of an order
/// (`outside`).
template <class Feed, class Books, class Name, class OutsidePrice>
class GridBooks {
 public:
  /// What was wrong with messages so far.
  [[nodiscard]] const FeedFaults& faults() const noexcept { return faults_; }

  // ---- Books. Those that are not there have no orders. Prices are as messages have them.

  /// How many orders rest, of all books together or of one.
  [[nodiscard]] std::size_t size() const noexcept { return books_.book().size(); }
  [[nodiscard]] std::size_t size(Name name) const noexcept {
    const auto book = book_at(name);
    return book ? book->size() : 0;
  }
  /// The best price of a side, if it has orders. Constant.
  [[nodiscard]] std::optional<OutsidePrice> best(Name name, Side side) const noexcept {
    constexpr Price none = std::numeric_limits<Price>::min();  // no price of an order has that number
    const Price tick = self().has(name) ? books_.book().best_or(Feed::number_of(name), side, none) : none;
    if (tick == none) return {};
    return static_cast<OutsidePrice>(self().grid(name).price(tick));
  }
  /// The orders at a price. Constant on average, as `BookSet::Book::level` is.
  [[nodiscard]] DepthLevel level(Name name, Side side, OutsidePrice price) const noexcept {
    DepthLevel level;
    const auto book = book_at(name);
    if (book && self().grid(name).holds(price)) level = book->level(side, self().grid(name).tick(price));
    level.price = static_cast<Price>(price);
    return level;
  }
  /// Writes the levels of a side to `out`, the best first. Linear in `out`.
  /// @return how many were written: all, or as many as fit.
  std::size_t depth(Name name, Side side, std::span<DepthLevel> out) const noexcept {
    const auto book = book_at(name);
    if (!book) return 0;
    const std::size_t count = book->depth(side, out);
    for (DepthLevel& level : out.first(count)) level.price = self().grid(name).price(level.price);
    return count;
  }
  /// Calls `visitor` with the orders of a side in priority order. Returning false ends the visit. Linear in them.
  template <OrderVisitor Visitor>
  void visit_orders(Name name, Side side, Visitor&& visitor) const {
    const auto book = book_at(name);
    if (!book) return;
    book->visit_orders(side, [&](const RestingOrder& order) { return visitor(self().outside(name, order)); });
  }

 protected:
  GridBooks(Books&& books, bool has_all_levels) noexcept
      : books_(std::move(books)), has_all_levels_(has_all_levels) {}

  /// Makes `count` books and the spare one. `config` is that of the feed.
  template <class Config>
  [[nodiscard]] static std::optional<Books> make_books(std::size_t count, const Config& config,
                                                       CreateStatus& status) noexcept {
    auto books = Books::create(
        {.max_books = count + 1, .capacity = config.capacity, .far_levels = config.far_levels}, {}, status);
    for (std::size_t i = 0; books && i <= count; ++i) static_cast<void>(books->add_book());
    return books;
  }

  [[nodiscard]] auto book_at(Name name) const noexcept {
    return self().has(name) ? books_.book(Feed::number_of(name)) : std::nullopt;
  }

  /// @return false
  bool count(FeedFault fault) noexcept {
    faults_->count(fault);
    return false;
  }
  /// The fault of a message whose request of `quantity` shares was refused with `status`.
  [[nodiscard]] static FeedFault fault_of(Status status, Quantity quantity) noexcept {
    switch (status) {
      case Status::UnknownOrder: return FeedFault::UnknownReference;
      case Status::DuplicateId: return FeedFault::DuplicateReference;
      case Status::InvalidQuantity: return quantity == 0 ? FeedFault::ZeroQuantity : FeedFault::OverExecution;
      default: return FeedFault::NoRoom;
    }
  }

  /// Enters the orders of a book once more at the ticks of a finer grid, through the spare book. That takes no
  /// more slots than before, and at most one far level for each level and one for the level being moved. Linear.
  /// @return false if there may be too few far levels; then nothing has changed
  template <class Tick>
  [[nodiscard]] bool enter_again(BookNumber book, const Tick& tick) noexcept {
    if (!has_all_levels_ && books_.book().far_levels_left() <= level_count(book)) return false;
    const auto spare = static_cast<BookNumber>(books_.book().book_count() - 1);
    move_orders(book, spare, [](Price old) { return old; });
    move_orders(spare, book, tick);
    return true;
  }

  Books books_;
  ResetOnMove<FeedFaults> faults_;

 private:
  [[nodiscard]] const Feed& self() const noexcept { return static_cast<const Feed&>(*this); }

  /// How many levels a book has. Linear in the orders.
  [[nodiscard]] std::size_t level_count(BookNumber book) const noexcept {
    std::size_t count = 0;
    for (const Side side : {Side::Buy, Side::Sell}) {
      std::optional<Price> last;
      books_.book(book)->visit_orders(side, [&](const RestingOrder& order) {
        count += last != order.price;
        last = order.price;
      });
    }
    return count;
  }

  /// Moves each order of book `from`, the best first, to the price that `tick` makes of its own. Handles change.
  template <class Tick>
  void move_orders(BookNumber from, BookNumber to, const Tick& tick) noexcept {
    for (const Side side : {Side::Buy, Side::Sell}) {
      for (;;) {
        std::optional<RestingOrder> first;
        books_.book(from)->visit_orders(side, [&](const RestingOrder& order) {
          first = order;
          return false;
        });
        if (!first) break;
        static_cast<void>(books_.cancel_order(first->id));
        static_cast<void>(books_.add_resting_order(to, first->id, side, tick(first->price), first->quantity));
      }
    }
  }

  bool has_all_levels_;  ///< as many far levels as orders, which are always enough
};

}  // namespace detail

}  // namespace llmes::inline LLMES_NAMESPACE
