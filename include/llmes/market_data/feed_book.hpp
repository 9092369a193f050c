// SPDX-License-Identifier: MIT
//
// The books of all symbols of a venue, rebuilt from its ITCH 5.0 messages. The venue has matched already, so
// nothing here does, and a book may be locked or crossed.
//
//  - Any bytes will do. A message that cannot be right changes no order and is counted by what is wrong with it.
//    Where only the new order of a replace cannot be had, the old one leaves.
//  - Prices are ten-thousandths of a dollar, as in the messages, and any of them is held. Those of the usual grid
//    (see dollar_ticks.hpp) lie in a book of their symbol, next to each other. The few that lie between go to a
//    second book, and the queries join the two.
//  - Many messages at once take far less time than one after the other, as the memory of later ones is fetched
//    while earlier ones are applied.
//  - Once made, nothing here allocates, locks, throws or calls the system.
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "llmes/book_set.hpp"
#include "llmes/id_book.hpp"
#include "llmes/itch/decode.hpp"
#include "llmes/itch/framing.hpp"
#include "llmes/itch/order_fields.hpp"
#include "llmes/market_data/dollar_ticks.hpp"
#include "llmes/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// What a feed book is made for.
struct FeedBookConfig {
  std::size_t symbols = 0;   ///< the largest locate; those of a day go from 1 up
  std::size_t capacity = 0;  ///< the largest number of resting orders, of all symbols together
  /// How many price levels may lie beyond the windows of their books (see book_set.hpp), in all books together. As
  /// many as orders are always enough.
  std::size_t far_levels = std::numeric_limits<std::size_t>::max();
  /// How many symbols may have orders off the grid of prices.
  std::size_t off_grid_symbols = 64;
};

/// What can be wrong with a message.
enum class FeedFault : std::uint8_t {
  UnknownType,         ///< no message begins with its first letter
  WrongSize,           ///< it has more or fewer bytes than its type, or none
  UnknownSymbol,       ///< a new order, or a symbol, of a locate that is 0 or larger than `symbols`; or a replace
                       ///< by another locate than that of the order
  InvalidSide,         ///< a new order that neither buys nor sells
  UnknownReference,    ///< no order of this reference rests
  DuplicateReference,  ///< an order of the new reference rests
  ZeroQuantity,        ///< of no shares
  OverExecution,       ///< it takes more shares off an order than are open
  NoRoom,              ///< there is no room for the order, its price level, or its symbol's prices off the grid
};

/// How many messages were wrong, by fault.
class FeedFaults {
 public:
  static constexpr std::size_t kinds = static_cast<std::size_t>(FeedFault::NoRoom) + 1;

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
  switch (fault) {
    case FeedFault::UnknownType: return "unknown type";
    case FeedFault::WrongSize: return "wrong size";
    case FeedFault::UnknownSymbol: return "unknown symbol";
    case FeedFault::InvalidSide: return "invalid side";
    case FeedFault::UnknownReference: return "unknown reference";
    case FeedFault::DuplicateReference: return "duplicate reference";
    case FeedFault::ZeroQuantity: return "zero quantity";
    case FeedFault::OverExecution: return "over-execution";
    case FeedFault::NoRoom: return "no room";
  }
  return "unknown fault";
}

/// The best prices of a symbol, of the sides that have orders.
///
/// It holds numbers and makes optionals when asked. Of optionals as members, compilers would write the parts and
/// copy the whole, and a processor waits when it reads in one piece what it has just written in several.
class FeedTouch {
 public:
  [[nodiscard]] std::optional<itch::Price4> bid() const noexcept { return price(bid_); }
  [[nodiscard]] std::optional<itch::Price4> ask() const noexcept { return price(ask_); }

 private:
  friend class FeedBook;

  static constexpr Price none = -1;  ///< no price in a message is negative

  FeedTouch(Price bid, Price ask) noexcept : bid_(bid), ask_(ask) {}

  [[nodiscard]] static std::optional<itch::Price4> price(Price number) noexcept {
    if (number == none) return {};
    return static_cast<itch::Price4>(number);
  }

  Price bid_;  ///< in ten-thousandths of a dollar, or `none`
  Price ask_;
};

/// The orders of all symbols. One thread calls it.
///
/// A symbol goes by its locate. A query of a locate that no symbol has is answered as for an empty book.
///
/// Memory: that of a `PlacedBookSet` with one book for each symbol, and one for each that may have prices off the
/// grid, 12 bytes a symbol, and 8 KiB.
///
/// A feed book that has been moved from has no symbols: it counts every new order as a fault.
class FeedBook {
 public:
  /// Makes a feed book without orders, or nothing, and `status` says why. All memory is allocated and touched
  /// here.
  /// @param status InvalidBookCount (no symbols, or more than 65,535), InvalidCapacity (0, or above
  /// `PlacedBookSet::capacity_max`), OutOfMemory, or Success.
  [[nodiscard]] static std::optional<FeedBook> create(const FeedBookConfig& config,
                                                      CreateStatus& status) noexcept {
    if (config.symbols == 0 || config.symbols > std::numeric_limits<std::uint16_t>::max()) {
      status = CreateStatus::InvalidBookCount;
      return {};
    }
    const std::size_t off_grid = std::min(config.off_grid_symbols, config.symbols);
    auto books = Books::create(
        {.max_books = config.symbols + off_grid, .capacity = config.capacity, .far_levels = config.far_levels}, {},
        status);
    if (!books) return {};
    std::optional<FeedBook> feed{FeedBook(*std::move(books), config.symbols)};
    if (feed->symbols_ == nullptr || feed->off_grid_ == nullptr) {
      status = CreateStatus::OutOfMemory;
      return {};
    }
    for (std::size_t i = 0; i < config.symbols; ++i) {
      feed->off_grid_[i] = no_book;
      static_cast<void>(feed->books_.add_book());
    }
    return feed;
  }

  /// The same without a reason.
  [[nodiscard]] static std::optional<FeedBook> create(const FeedBookConfig& config) noexcept {
    CreateStatus status{};
    return create(config, status);
  }

  FeedBook(FeedBook&& other) noexcept
      : books_(std::move(other.books_)),
        symbols_(std::move(other.symbols_)),
        off_grid_(std::move(other.off_grid_)),
        has_off_grid_(other.has_off_grid_),
        symbol_count_(std::exchange(other.symbol_count_, 0)),
        faults_(std::exchange(other.faults_, {})) {}
  FeedBook& operator=(FeedBook&& other) noexcept {
    books_ = std::move(other.books_);
    symbols_ = std::move(other.symbols_);
    off_grid_ = std::move(other.off_grid_);
    has_off_grid_ = other.has_off_grid_;
    symbol_count_ = std::exchange(other.symbol_count_, 0);
    faults_ = std::exchange(other.faults_, {});
    return *this;
  }

  // ---- Messages.

  /// Applies a message. Those that are not about orders or symbols change nothing. A message with a fault is
  /// counted, and what was there before stays; but the old order of a replace leaves although the new one finds no
  /// room or is of another symbol. A reference alone says which order is meant: the locate of an execution, a
  /// cancel or a delete is not looked at.
  /// @return whether it has changed an order.
  bool apply(itch::MessageBytes message) noexcept {
    const itch::OrderFields order = itch::order_fields(message);
    BookRequest request;
    make_request(order, request);
    if (!is_usual(order)) [[unlikely]] {
      const Reading reading = read_again(message, request);
      if (reading != Reading::Request) return reading == Reading::Replace && replace_off_grid(message);
    }
    return note(request, books_.apply(request, DiscardTrades{}));
  }

  /// Applies messages in order, exactly as one call for each would.
  void apply(std::span<const itch::MessageBytes> messages) noexcept {
    apply(messages, [](itch::MessageBytes) {});
  }

  /// The same, and gives `changed` each message that has changed an order, before the next one is applied. It may
  /// ask for what the books have come to; symbols and faults may be those of a later message. An exception that
  /// leaves it ends the program.
  template <std::invocable<itch::MessageBytes> Changed>
  void apply(std::span<const itch::MessageBytes> messages, Changed&& changed) noexcept {
    std::array<BookRequest, PlacedBookSet::block> requests;
    std::array<const itch::MessageBytes*, PlacedBookSet::block> sources;  // what each request was made from
    const auto flush = [&](std::size_t count) {
      books_.apply(
          count, [&](std::size_t i) -> const BookRequest& { return requests[i]; },
          [&](const Result& result, std::size_t i) __attribute__((always_inline)) {
            if (note(requests[i], result)) changed(*sources[i]);
          },
          DiscardTrades{});
    };
    std::size_t count = 0;
    for (const itch::MessageBytes& message : messages) {
      const itch::OrderFields order = itch::order_fields(message);
      make_request(order, requests[count]);
      if (!is_usual(order)) [[unlikely]] {
        const Reading reading = read_again(message, requests[count]);
        if (reading == Reading::Replace) {
          flush(std::exchange(count, 0));
          if (replace_off_grid(message)) changed(message);
        }
        if (reading != Reading::Request) continue;
      }
      sources[count++] = &message;
      if (count == requests.size()) flush(std::exchange(count, 0));
    }
    flush(count);
  }

  /// What was wrong with messages so far.
  [[nodiscard]] const FeedFaults& faults() const noexcept { return faults_; }

  // ---- Symbols.

  /// The largest locate that a symbol can have.
  [[nodiscard]] std::size_t symbol_count() const noexcept { return symbol_count_; }
  /// The symbol of a locate; spaces alone if no message has named it.
  [[nodiscard]] itch::Symbol symbol(itch::Locate locate) const noexcept {
    return has(locate) ? symbols_[index(locate)] : itch::Symbol{};
  }
  /// The locate of a symbol, if a message has told. Spaces alone are none, nor is a name of more letters than a
  /// symbol has. Linear in the symbols.
  [[nodiscard]] std::optional<itch::Locate> locate_of(std::string_view name) const noexcept {
    const itch::Symbol symbol(name);
    if (symbol == itch::Symbol{} || name.size() > sizeof symbol) return {};
    for (std::size_t i = 0; i < symbol_count_; ++i) {
      if (symbols_[i] == symbol) return static_cast<itch::Locate>(i + 1);
    }
    return {};
  }

  // ---- Books.

  /// How many orders rest, of all symbols together or of one.
  [[nodiscard]] std::size_t size() const noexcept { return books_.book().size(); }
  [[nodiscard]] std::size_t size(itch::Locate locate) const noexcept {
    const Pair pair = books(locate);
    return (pair.on_grid ? pair.on_grid->size() : 0) + (pair.off_grid ? pair.off_grid->size() : 0);
  }

  /// The best price of a side, if it has orders. Constant.
  [[nodiscard]] std::optional<itch::Price4> best(itch::Locate locate, Side side) const noexcept {
    if (!has(locate)) return {};
    const auto book = static_cast<BookNumber>(index(locate));
    const Price best = best_number(book, side);
    return FeedTouch::price(has_off_grid(locate) ? better_off_grid(book, side, best) : best);
  }
  /// The best prices of both sides, at once for less than one after the other. Constant.
  [[nodiscard, gnu::always_inline]] FeedTouch touch(itch::Locate locate) const noexcept {
    if (!has(locate)) return {FeedTouch::none, FeedTouch::none};
    const auto book = static_cast<BookNumber>(index(locate));
    const Price bid = best_number(book, Side::Buy);
    const Price ask = best_number(book, Side::Sell);
    if (has_off_grid(locate)) [[unlikely]]
      return {better_off_grid(book, Side::Buy, bid), better_off_grid(book, Side::Sell, ask)};
    return {bid, ask};
  }

  /// The orders at a price, in ten-thousandths of a dollar. Constant on average, as `BookSet::Book::level` is.
  [[nodiscard]] DepthLevel level(itch::Locate locate, Side side, itch::Price4 price) const noexcept {
    const Pair pair = books(locate);
    const bool on_grid = DollarTicks::holds(price);
    DepthLevel level;
    if (on_grid && pair.on_grid) level = pair.on_grid->level(side, DollarTicks::tick(price));
    if (!on_grid && pair.off_grid) level = pair.off_grid->level(side, number(price));
    level.price = number(price);
    return level;
  }

  /// Writes the levels of a side to `out`, from the best price outward, in ten-thousandths of a dollar. Linear in
  /// `out`, in the orders off the grid, and in the product of `out` and the levels off the grid.
  /// @return how many were written: all, or as many as fit.
  std::size_t depth(itch::Locate locate, Side side, std::span<DepthLevel> out) const noexcept {
    const Pair pair = books(locate);
    if (!pair.on_grid) return 0;
    std::size_t count = pair.on_grid->depth(side, out);
    for (DepthLevel& level : out.first(count)) level.price = number(DollarTicks::price(level.price));
    if (pair.off_grid) [[unlikely]] {
      std::optional<Price> last;
      pair.off_grid->visit_orders(side, [&](const RestingOrder& order) {
        if (last != order.price) count = insert_level(pair.off_grid->level(side, order.price), side, out, count);
        last = order.price;
      });
    }
    return count;
  }

  /// Gives `visitor` the orders of a side in priority order, with prices in ten-thousandths of a dollar. It may
  /// end the visit by returning false. Linear in the orders on the grid, and in the square of those off it.
  template <OrderVisitor Visitor>
  void visit_orders(itch::Locate locate, Side side, Visitor&& visitor) const {
    const Pair pair = books(locate);
    if (!pair.on_grid) return;
    bool goes_on = true;
    const auto give = [&](RestingOrder order, Price price) {
      order.price = price;
      if constexpr (std::same_as<decltype(visitor(order)), bool>) {
        goes_on = visitor(order);
      } else {
        visitor(order);
      }
      return goes_on;
    };
    // The next price off the grid that was not visited yet, and its orders.
    std::optional<Price> between = pair.off_grid ? pair.off_grid->best(side) : std::nullopt;
    const auto give_between = [&] {
      const Price price = *between;
      pair.off_grid->visit_level(side, price, [&](const RestingOrder& order) { return give(order, price); });
      between.reset();
      pair.off_grid->visit_orders(side, [&](const RestingOrder& order) {
        if (is_better(side, price, order.price)) between = order.price;
        return !between;
      });
    };
    pair.on_grid->visit_orders(side, [&](const RestingOrder& order) {
      const Price price = number(DollarTicks::price(order.price));
      while (goes_on && between && is_better(side, *between, price)) give_between();
      return goes_on && give(order, price);
    });
    while (goes_on && between) give_between();
  }

  /// The order of this reference, if it rests, with its price in ten-thousandths of a dollar. Constant.
  [[nodiscard]] std::optional<RestingOrder> find(itch::Reference reference) const noexcept {
    const OrderHandle handle = handle_of(reference);
    const std::optional<BookNumber> book = books_.book().book_of(handle);
    if (!book) return {};
    std::optional<RestingOrder> order = books_.book().find(handle);
    if (*book < symbol_count_) order->price = number(DollarTicks::price(order->price));
    return order;
  }
  /// What stands before an order in the queue of its price level, if it rests. Linear in these orders.
  [[nodiscard]] std::optional<QueuePosition> queue_ahead(itch::Reference reference) const noexcept {
    const OrderHandle handle = handle_of(reference);
    const std::optional<BookNumber> book = books_.book().book_of(handle);
    if (!book) return {};
    return books_.book().book(*book)->queue_ahead(handle);
  }

 private:
  using Books = IdBook<PlacedBookSet, PlacedIds>;

  static constexpr BookNumber no_book = std::numeric_limits<BookNumber>::max();

  /// The books of a symbol.
  struct Pair {
    std::optional<const PlacedBookSet::Book> on_grid;
    std::optional<const PlacedBookSet::Book> off_grid;
  };

  FeedBook(Books&& books, std::size_t symbols) noexcept
      : books_(std::move(books)),
        symbols_(new(std::nothrow) itch::Symbol[symbols]),
        off_grid_(new(std::nothrow) BookNumber[symbols]),
        symbol_count_(symbols) {}

  [[nodiscard]] static Price number(itch::Price4 price) noexcept { return static_cast<Price>(price); }
  [[nodiscard]] static bool is_better(Side side, Price a, Price b) noexcept {
    return side == Side::Buy ? a > b : a < b;
  }
  [[nodiscard]] static std::size_t index(itch::Locate locate) noexcept {
    return static_cast<std::size_t>(locate) - 1;
  }
  [[nodiscard]] bool has(itch::Locate locate) const noexcept { return index(locate) < symbol_count_; }
  [[nodiscard]] OrderHandle handle_of(itch::Reference reference) const noexcept {
    return books_.handle_of(static_cast<OrderId>(reference));
  }
  [[nodiscard]] Pair books(itch::Locate locate) const noexcept {
    if (!has(locate)) return {};
    const auto book = static_cast<BookNumber>(index(locate));
    return {books_.book().book(book), books_.book().book(off_grid_[book])};
  }

  /// The best price on the grid as a number, or that of no price.
  [[nodiscard, gnu::always_inline]] Price best_number(BookNumber book, Side side) const noexcept {
    const Price tick = books_.book().best_or(book, side, FeedTouch::none);
    return tick == FeedTouch::none ? FeedTouch::none : number(DollarTicks::price(tick));
  }
  /// The better one of a price of a symbol and its best off the grid.
  [[nodiscard, gnu::noinline]] Price better_off_grid(BookNumber book, Side side, Price best) const noexcept {
    const Price between = books_.book().best_or(off_grid_[book], side, FeedTouch::none);
    if (between == FeedTouch::none || best == FeedTouch::none) return std::max(between, best);
    return is_better(side, between, best) ? between : best;
  }

  /// Puts a level among `count` others, and drops the last one if they do not all fit.
  [[nodiscard]] static std::size_t insert_level(const DepthLevel& level, Side side, std::span<DepthLevel> out,
                                                std::size_t count) noexcept {
    const auto end = out.begin() + static_cast<std::ptrdiff_t>(count);
    const auto place = std::find_if(
        out.begin(), end, [&](const DepthLevel& other) { return is_better(side, level.price, other.price); });
    if (place == out.end()) return count;
    if (count < out.size()) {
      std::move_backward(place, end, end + 1);
      ++count;
    } else {
      std::move_backward(place, end - 1, end);
    }
    *place = level;
    return count;
  }

  // ---- From messages to requests.

  /// What a message comes to.
  enum class Reading : std::uint8_t { Nothing, Request, Replace };

  /// Makes the request that a message about an order comes to as a rule. Its book is a guess where it names an
  /// order.
  [[gnu::always_inline]] void make_request(const itch::OrderFields& order, BookRequest& request) const noexcept {
    static constexpr std::array<CommandType, 5> types{CommandType{}, CommandType::AddResting, CommandType::Reduce,
                                                      CommandType::Cancel, CommandType::ReplaceResting};
    request.id = static_cast<OrderId>(order.reference);
    request.new_id = static_cast<OrderId>(order.new_reference);
    request.price = DollarTicks::tick(order.price);
    request.quantity = order.shares;
    request.type = types[static_cast<std::size_t>(order.action)];
    request.side = order.side == itch::BuySell::Buy ? Side::Buy : Side::Sell;
    request.book = has(order.locate) ? static_cast<BookNumber>(index(order.locate)) : no_book;
  }

  [[nodiscard]] static bool is_side(itch::BuySell side) noexcept {
    return static_cast<bool>(unsigned{side == itch::BuySell::Buy} | unsigned{side == itch::BuySell::Sell});
  }

  /// Whether that is what a message comes to. A message that is not about an order has fields of 0, also its
  /// locate, so it is not usual either.
  [[nodiscard, gnu::always_inline]] bool is_usual(const itch::OrderFields& order) const noexcept {
    if (!has(order.locate)) [[unlikely]]
      return false;
    const unsigned adds{order.action == itch::OrderAction::Add};
    const unsigned replaces{order.action == itch::OrderAction::Replace};
    const unsigned is_odd_side{!is_side(order.side)};
    const unsigned is_off_grid{has_off_grid(order.locate)};
    const unsigned is_same{order.reference == order.new_reference};
    return ((adds & is_odd_side) | (replaces & (is_off_grid | is_same)) |
            unsigned{!DollarTicks::holds(order.price)}) == 0;
  }

  /// Reads a message that is not usual, and makes `request` the one that it comes to, if it comes to one. Counts
  /// its fault, if it has one. The fields are read once more: handed on, they would be put into memory for every
  /// message.
  [[nodiscard, gnu::noinline]] Reading read_again(itch::MessageBytes message, BookRequest& request) noexcept {
    const itch::OrderFields order = itch::order_fields(message);
    const auto count = [&](FeedFault fault) {
      faults_.count(fault);
      return Reading::Nothing;
    };
    switch (order.action) {
      case itch::OrderAction::None: read_other(message); return Reading::Nothing;
      case itch::OrderAction::Add:
        if (!has(order.locate)) return count(FeedFault::UnknownSymbol);
        if (!is_side(order.side)) return count(FeedFault::InvalidSide);
        request.price = tick(order.price);
        request.book = book_for(order.locate, order.price, order.shares);
        return request.book == no_book ? count(FeedFault::NoRoom) : Reading::Request;
      case itch::OrderAction::Replace:
        if (order.reference == order.new_reference) return count(FeedFault::DuplicateReference);
        return has(order.locate) ? Reading::Replace : Reading::Request;
      default: return Reading::Request;
    }
  }

  /// Reads a message that is not about an order. Counts bytes that are no message.
  void read_other(itch::MessageBytes message) noexcept {
    const auto name = [this](const itch::StockDirectory& directory) {
      if (has(directory.header.locate)) {
        symbols_[index(directory.header.locate)] = directory.symbol;
      } else {
        faults_.count(FeedFault::UnknownSymbol);
      }
    };
    const itch::DecodeStatus status = itch::decode(message, name);
    if (status == itch::DecodeStatus::Success) return;
    faults_.count(status == itch::DecodeStatus::UnknownType ? FeedFault::UnknownType : FeedFault::WrongSize);
  }

  /// Looks at the result of a request. @return whether an order has changed.
  [[nodiscard, gnu::always_inline]] bool note(const BookRequest& request, const Result& result) noexcept {
    const bool replaces = request.type == CommandType::ReplaceResting;
    if (result.status == Status::Success) [[likely]] {
      if (replaces && books_.book().book_of(result.handle) != request.book) [[unlikely]]
        take_off(request.new_id);
      return true;
    }
    const FeedFault what = fault(result.status, request.quantity);
    if (replaces && what == FeedFault::NoRoom) {
      const RestingOrder old = *books_.find(request.id);
      replace_in_turn(old, request, books_.book().book_of(old.handle) == request.book);
      return true;
    }
    faults_.count(what);
    return false;
  }
  [[nodiscard]] static FeedFault fault(Status status, Quantity quantity) noexcept {
    switch (status) {
      case Status::UnknownOrder: return FeedFault::UnknownReference;
      case Status::DuplicateId: return FeedFault::DuplicateReference;
      case Status::InvalidQuantity: return quantity == 0 ? FeedFault::ZeroQuantity : FeedFault::OverExecution;
      default: return FeedFault::NoRoom;
    }
  }

  /// Makes a replace as two calls: the old order leaves in any case, and its room may be what the new one needs.
  [[gnu::noinline]] void replace_in_turn(const RestingOrder& old, const BookRequest& request,
                                         bool is_of_symbol) noexcept {
    static_cast<void>(books_.cancel_order(request.id));
    if (!is_of_symbol) return faults_.count(FeedFault::UnknownSymbol);
    const Result result =
        books_.add_resting_order(request.book, request.new_id, old.side, request.price, request.quantity);
    if (result.status != Status::Success) faults_.count(FeedFault::NoRoom);
  }
  /// Ends a replace that was for another symbol: neither order is there any more.
  [[gnu::noinline]] void take_off(OrderId new_id) noexcept {
    static_cast<void>(books_.cancel_order(new_id));
    faults_.count(FeedFault::UnknownSymbol);
  }

  // ---- Prices off the grid.

  /// The number that a price has in its book.
  [[nodiscard]] static Price tick(itch::Price4 price) noexcept {
    return DollarTicks::holds(price) ? DollarTicks::tick(price) : number(price);
  }
  [[nodiscard]] bool has_off_grid(itch::Locate locate) const noexcept { return has_off_grid_[index(locate)]; }
  /// The book for an order of a symbol at a price; no book's number if there is no room for one. An order of no
  /// shares gets one that will refuse it, and none of its own.
  [[nodiscard]] BookNumber book_for(itch::Locate locate, itch::Price4 price, Quantity quantity) noexcept {
    const auto on_grid = static_cast<BookNumber>(index(locate));
    if (DollarTicks::holds(price) || quantity == 0) [[likely]]
      return on_grid;
    BookNumber& off_grid = off_grid_[on_grid];
    if (off_grid == no_book) off_grid = books_.add_book().value_or(no_book);
    has_off_grid_[on_grid] = off_grid != no_book;
    return off_grid;
  }

  /// Replaces an order of a symbol that has, or gets, prices off the grid: old and new order may lie in different
  /// books. @return whether an order has changed.
  [[nodiscard]] bool replace_off_grid(itch::MessageBytes message) noexcept {
    const itch::OrderFields order = itch::order_fields(message);
    const auto old_id = static_cast<OrderId>(order.reference);
    const auto new_id = static_cast<OrderId>(order.new_reference);
    const Quantity quantity = order.shares;
    const std::optional<RestingOrder> old = books_.find(old_id);
    const bool is_duplicate = books_.handle_of(new_id) != OrderHandle{};
    if (!old || is_duplicate || quantity == 0) {
      faults_.count(!old           ? FeedFault::UnknownReference
                    : is_duplicate ? FeedFault::DuplicateReference
                                   : FeedFault::ZeroQuantity);
      return false;
    }
    const auto symbol = static_cast<BookNumber>(index(order.locate));
    const BookNumber book = *books_.book().book_of(old->handle);
    const bool is_of_symbol = book == symbol || book == off_grid_[symbol];
    const BookNumber home = is_of_symbol ? book_for(order.locate, order.price, quantity) : no_book;
    replace_in_turn(*old, {Request::replace_resting(old_id, new_id, tick(order.price), quantity), home},
                    is_of_symbol);
    return true;
  }

  Books books_;
  std::unique_ptr<itch::Symbol[]> symbols_;  ///< by locate less one
  /// By locate less one: the book of a symbol for prices off the grid, once it has needed one, and whether it has.
  /// Every message and query asks the latter, so it is in bits, which stay in a first-level cache.
  std::unique_ptr<BookNumber[]> off_grid_;
  std::bitset<std::numeric_limits<std::uint16_t>::max()> has_off_grid_;
  std::size_t symbol_count_;
  FeedFaults faults_;
};

}  // namespace llmes::inline LLMES_NAMESPACE
