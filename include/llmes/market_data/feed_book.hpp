// SPDX-License-Identifier: MIT
//
// The books of all symbols of a venue, rebuilt from its ITCH 5.0 messages, without matching: they may be crossed.
//
//  - The bytes may hold anything. An invalid message changes no order, and `faults` counts it by kind. But the old
//    order of a replace leaves even if the new one finds no room or is of another symbol.
//  - Prices are ten-thousandths of a dollar, and every price is held. Each symbol has a grid of prices (see
//    price_grid.hpp), whole cents at first. An order between two prices refines it until the symbol is cleared or
//    a day begins: the orders of the symbol are entered once more, in their order.
//  - A span takes less than half of the time of single messages: it prefetches memory for later ones.
//  - Once made, nothing here allocates, locks, throws or calls the system.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "llmes/detail/reset_on_move.hpp"
#include "llmes/ids/id_book.hpp"
#include "llmes/itch/decode.hpp"
#include "llmes/itch/framing.hpp"
#include "llmes/market_data/feed_trade.hpp"
#include "llmes/market_data/grid_books.hpp"
#include "llmes/market_data/price_grid.hpp"
#include "llmes/sets/book_set.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// What a feed book is made for.
struct FeedBookConfig {
  std::size_t symbols = 0;   ///< the largest locate; those of a day go from 1 up
  std::size_t capacity = 0;  ///< the largest number of resting orders, of all symbols together
  /// How many price levels may lie beyond the windows of all books (see book_set.hpp). As many as orders are
  /// always enough. While a grid becomes finer, each level of the symbol needs one more.
  std::size_t far_levels = std::numeric_limits<std::size_t>::max();
};

/// Called by a span for each message that has changed an order, or given each fill, or both.
template <class F>
concept FeedListener = std::invocable<F&, itch::MessageBytes> ||
                       std::invocable<F&, itch::MessageBytes, const RestingOrder&> || FeedTradeListener<F>;

/// The best prices of the sides that have orders. It holds numbers: optionals as members would be written in parts
/// and copied whole, which stalls store forwarding.
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

/// The orders of all symbols, named by their locates, for one thread. A locate without a symbol has an empty book.
///
/// Memory: that of a `PlacedBookSet` with a book for each symbol and one more, and 9 bytes a symbol.
///
/// A feed book that was moved from has no symbols: it counts every new order as a fault.
class FeedBook : public detail::GridBooks<FeedBook, IdBook<PlacedBookSet, PlacedIds>, itch::Locate, itch::Price4> {
  using Books = IdBook<PlacedBookSet, PlacedIds>;
  friend GridBooks;

 public:
  /// Makes a feed book without orders, or nothing, and `status` says why. It allocates and touches all memory.
  /// @param status InvalidBookCount (no symbols, or more than 65,535), InvalidCapacity (0, or above
  /// `PlacedBookSet::capacity_max`), OutOfMemory, or Success.
  [[nodiscard]] static std::optional<FeedBook> create(const FeedBookConfig& config,
                                                      CreateStatus& status = NoStatus{}) noexcept {
    if (config.symbols == 0 || config.symbols > std::numeric_limits<std::uint16_t>::max()) {
      status = CreateStatus::InvalidBookCount;
      return {};
    }
    auto set = make_books(config.symbols, config, status);
    if (!set) return {};
    std::optional<FeedBook> feed{FeedBook(*std::move(set), config)};
    if (feed->symbols_ == nullptr || feed->grids_ == nullptr) {
      status = CreateStatus::OutOfMemory;
      feed.reset();
    }
    return feed;
  }

  // ---- Messages.

  /// Applies a message. One that is not about orders or symbols changes nothing. A message with a fault is counted
  /// and changes no order; only a replace removes its old order all the same, as above. The reference alone names
  /// an order: the locate of an execution, cancel or delete is ignored. Constant on average; linear in the orders
  /// of the symbol for one that refines its grid, at most four times a day.
  /// @return whether it has changed an order.
  bool apply(itch::MessageBytes message) noexcept {
    BookRequest request;
    if (!read(message, request)) [[unlikely]] {
      const Reading reading = read_again(message, request);
      if (reading == Reading::Nothing || (reading == Reading::OffGrid && !fit_grid(message, request)))
        return false;
    }
    return settle(request, books_.apply(request, DiscardTrades{}));
  }

  /// Applies messages in order, exactly as one call for each would.
  void apply(std::span<const itch::MessageBytes> messages) noexcept {
    apply(messages, [](itch::MessageBytes) {});
  }

  /// The same, and calls `changed` with each message that has changed an order, before the next one is applied. If
  /// `changed` also takes a `RestingOrder`, it gets the order of the message: a new order as it rests, and any
  /// other, or the old one of a replace, as it was before. That costs one lookup a message. A member
  /// `traded(const FeedTrade&)` gets each fill that the messages tell of, in their order, with the price and side
  /// of the order that it hit; of a message that both are told of, `changed` hears first. They may query the
  /// books, not change them; symbols and faults may include later messages. An exception ends the program.
  template <FeedListener Changed>
  void apply(std::span<const itch::MessageBytes> messages, Changed&& changed) noexcept {
    constexpr bool tells_trades = FeedTradeListener<std::remove_cvref_t<Changed>>;
    constexpr bool tells_order = tells_trades || std::invocable<Changed&, itch::MessageBytes, const RestingOrder&>;
    std::array<BookRequest, PlacedBookSet::block> requests;
    std::array<const itch::MessageBytes*, PlacedBookSet::block> sources;  // what each request was made from
    std::optional<RestingOrder> order;  // that of the next request, before it is applied
    const auto look = [&](std::size_t i) {
      if (!adds(requests[i].type)) order = find(itch::Reference{requests[i].id});
    };
    const auto flush = [&](std::size_t count) {
      if constexpr (tells_order) {
        if (count > 0) look(0);
      }
      books_.apply(
          count, [&](std::size_t i) -> const BookRequest& { return requests[i]; },
          [&](const Result& result, std::size_t i) __attribute__((always_inline)) {
            const bool has_changed = settle(requests[i], result);
            if constexpr (tells_order) {
              if (has_changed) {
                detail::tell(changed, *sources[i],
                             adds(requests[i].type) ? *find(itch::Reference{requests[i].id}) : *order);
              }
              if (i + 1 < count) look(i + 1);
            } else {
              if (has_changed) changed(*sources[i]);
            }
          },
          DiscardTrades{});
    };
    std::size_t count = 0;
    for (const itch::MessageBytes& message : messages) {
      if (!read(message, requests[count])) [[unlikely]] {
        const Reading reading = read_again(message, requests[count]);
        if (reading == Reading::Nothing) {
          if constexpr (tells_trades) {
            const std::optional<FeedTrade> trade = detail::trade_of(message);
            if (trade && has(trade->locate)) {
              flush(std::exchange(count, 0));
              changed.traded(*trade);
            }
          }
          continue;
        }
        if (reading == Reading::OffGrid) {
          // The requests before it have prices on the current grid.
          const BookRequest request = requests[count];
          flush(std::exchange(count, 0));
          requests[0] = request;
          if (!fit_grid(message, requests[0])) continue;
        }
      }
      sources[count++] = &message;
      if (count == requests.size()) flush(std::exchange(count, 0));
    }
    flush(count);
  }

  // ---- Symbols.

  /// The largest locate that a symbol can have.
  [[nodiscard]] std::size_t symbol_count() const noexcept { return symbol_count_; }
  /// The symbol of a locate; only spaces if no message has named it.
  [[nodiscard]] itch::Symbol symbol(itch::Locate locate) const noexcept {
    return has(locate) ? symbols_[index(locate)] : itch::Symbol{};
  }
  /// The locate of a symbol, if a message has named it; not of spaces or too long a name. Linear in the symbols.
  [[nodiscard]] std::optional<itch::Locate> locate_of(std::string_view name) const noexcept {
    const itch::Symbol symbol(name);
    if (symbol == itch::Symbol{} || name.size() > sizeof symbol) return {};
    for (std::size_t i = 0; i < symbol_count_; ++i) {
      if (symbols_[i] == symbol) return locate_at(i);
    }
    return {};
  }
  /// The locate of an order's symbol, if the order rests. Constant.
  [[nodiscard]] std::optional<itch::Locate> locate_of(itch::Reference reference) const noexcept {
    const std::optional<BookNumber> book = books_.book().book_of(handle_of(reference));
    if (!book) return {};
    return locate_at(*book);
  }

  /// Removes all orders of a symbol, for a venue that sends its book anew, and makes its grid whole cents. Linear.
  /// @return how many they were; 0 if there is no such symbol.
  std::size_t clear(itch::Locate locate) noexcept {
    if (!has(locate)) return 0;
    grids_[index(locate)] = cents;
    return books_.clear(number_of(locate));
  }
  /// Begins a new day, without orders, names of symbols or faults. Linear in orders and symbols.
  void begin_day() noexcept {
    static_cast<void>(books_.clear());
    std::fill_n(symbols_.get(), std::size_t{symbol_count_}, itch::Symbol{});
    std::fill_n(grids_.get(), std::size_t{symbol_count_}, cents);
    faults_ = FeedFaults{};
  }

  // ---- Books: also the queries of `GridBooks`, with prices in ten-thousandths of a dollar.

  /// The best prices of both sides, in less time than two calls of `best`. Constant.
  [[nodiscard, gnu::always_inline]] FeedTouch touch(itch::Locate locate) const noexcept {
    if (!has(locate)) return {FeedTouch::none, FeedTouch::none};
    return {best_number(locate, Side::Buy), best_number(locate, Side::Sell)};
  }

  /// The order of this reference, if it rests, with its price in ten-thousandths of a dollar. Constant.
  [[nodiscard]] std::optional<RestingOrder> find(itch::Reference reference) const noexcept {
    const OrderHandle handle = handle_of(reference);
    const std::optional<BookNumber> book = books_.book().book_of(handle);
    if (!book) return {};
    return outside(locate_at(*book), *books_.book().find(handle));
  }
  /// What trades before an order at its price level, if it rests. Linear in these orders.
  [[nodiscard]] std::optional<QueuePosition> queue_ahead(itch::Reference reference) const noexcept {
    const OrderHandle handle = handle_of(reference);
    const std::optional<BookNumber> book = books_.book().book_of(handle);
    if (!book) return {};
    return books_.book(*book)->queue_ahead(handle);
  }

 private:
  static constexpr BookNumber no_book = std::numeric_limits<BookNumber>::max();
  static constexpr std::uint8_t cents = 0;  ///< the number of the grid that a symbol begins with

  FeedBook(Books&& books, const FeedBookConfig& config) noexcept
      : GridBooks(std::move(books), config.far_levels >= config.capacity),
        symbols_(new(std::nothrow) itch::Symbol[config.symbols]),
        grids_(new(std::nothrow) std::uint8_t[config.symbols]{}),
        symbol_count_(config.symbols) {}

  [[nodiscard]] static std::size_t index(itch::Locate locate) noexcept {
    return static_cast<std::size_t>(locate) - 1;
  }
  [[nodiscard]] static itch::Locate locate_at(std::size_t index) noexcept {
    return static_cast<itch::Locate>(index + 1);
  }
  [[nodiscard]] bool has(itch::Locate locate) const noexcept { return index(locate) < symbol_count_; }
  [[nodiscard]] static BookNumber number_of(itch::Locate locate) noexcept {
    return static_cast<BookNumber>(index(locate));
  }
  [[nodiscard]] OrderHandle handle_of(itch::Reference reference) const noexcept {
    return books_.handle_of(static_cast<OrderId>(reference));
  }
  /// The grid of a symbol that is there.
  [[nodiscard, gnu::always_inline]] const PriceGrid& grid(itch::Locate locate) const noexcept {
    return price_grids[grids_[index(locate)]];
  }
  /// An order as the queries tell of it.
  [[nodiscard]] RestingOrder outside(itch::Locate locate, RestingOrder order) const noexcept {
    order.price = grid(locate).price(order.price);
    return order;
  }
  /// The best price as a number, or that of no price.
  [[nodiscard, gnu::always_inline]] Price best_number(itch::Locate locate, Side side) const noexcept {
    return grid(locate).price(books_.book().best_or(number_of(locate), side, FeedTouch::none));
  }

  // ---- From messages to requests.

  /// What follows from a message: nothing more, a request, or a request at a price off the grid of its symbol.
  enum class Reading : std::uint8_t { Nothing, Usable, OffGrid };

  /// Makes the request of a message about an order, at a tick of `grid`, without a branch on the type, which would
  /// mispredict. `book` is a guess unless it is an add.
  [[gnu::always_inline]] static void make_request(const itch::OrderFields& order, BookNumber book,
                                                  const PriceGrid& grid, BookRequest& request) noexcept {
    constexpr std::array<CommandType, 5> types{CommandType{}, CommandType::AddResting, CommandType::Reduce,
                                               CommandType::Cancel, CommandType::ReplaceResting};
    request.id = static_cast<OrderId>(order.reference);
    request.new_id = static_cast<OrderId>(order.new_reference);
    request.price = grid.tick(order.price);
    request.quantity = order.shares;
    request.type = types[static_cast<std::size_t>(order.action)];
    request.side = order.side == itch::BuySell::Buy ? Side::Buy : Side::Sell;
    request.book = book;
  }

  [[nodiscard]] static bool is_side(itch::BuySell side) noexcept {
    return static_cast<bool>(unsigned{side == itch::BuySell::Buy} | unsigned{side == itch::BuySell::Sell});
  }

  /// Whether that is the request to make, if the message is about an order of a symbol with this grid.
  [[nodiscard, gnu::always_inline]] static bool is_usual(const itch::OrderFields& order,
                                                         const PriceGrid& grid) noexcept {
    const unsigned adds{order.action == itch::OrderAction::Add};
    const unsigned replaces{order.action == itch::OrderAction::Replace};
    const unsigned is_odd_side{!is_side(order.side)};
    const unsigned is_same{order.reference == order.new_reference};
    return ((adds & is_odd_side) | (replaces & is_same) | unsigned{!grid.holds(order.price)}) == 0;
  }

  /// Makes the request of a usual message. One that is not about an order has a locate of 0, so it is not usual.
  /// @return whether the message is usual; if not, `read_again` says what it is.
  [[nodiscard, gnu::always_inline]] bool read(itch::MessageBytes message, BookRequest& request) const noexcept {
    const itch::OrderFields order = itch::order_fields(message);
    if (!has(order.locate)) [[unlikely]]
      return false;
    const PriceGrid& of_symbol = grid(order.locate);
    make_request(order, number_of(order.locate), of_symbol, request);
    return is_usual(order, of_symbol);
  }

  /// Reads an unusual message, makes its `request` if there is one, and counts its fault if it has one. It reads
  /// the fields again: as arguments they would be spilled to memory for every message.
  [[nodiscard, gnu::noinline]] Reading read_again(itch::MessageBytes message, BookRequest& request) noexcept {
    const itch::OrderFields order = itch::order_fields(message);
    if (order.action == itch::OrderAction::None) {
      read_other(message);
      return Reading::Nothing;
    }
    const bool is_known = has(order.locate);
    const PriceGrid& of_symbol = is_known ? grid(order.locate) : price_grids[cents];
    make_request(order, is_known ? number_of(order.locate) : no_book, of_symbol, request);
    if (order.action == itch::OrderAction::Add) {
      if (!is_known) return count(FeedFault::UnknownSymbol), Reading::Nothing;
      if (!is_side(order.side)) return count(FeedFault::InvalidSide), Reading::Nothing;
    }
    if (order.action == itch::OrderAction::Replace && order.reference == order.new_reference)
      return count(FeedFault::DuplicateReference), Reading::Nothing;
    return !is_known || of_symbol.holds(order.price) ? Reading::Usable : Reading::OffGrid;
  }

  /// Reads a message that is not about an order, and counts bytes that are no message.
  void read_other(itch::MessageBytes message) noexcept {
    const auto name = [this](const itch::StockDirectory& directory) {
      if (has(directory.header.locate)) {
        symbols_[index(directory.header.locate)] = directory.symbol;
      } else {
        count(FeedFault::UnknownSymbol);
      }
    };
    const itch::DecodeStatus status = itch::decode(message, name);
    if (status == itch::DecodeStatus::Success) return;
    count(status == itch::DecodeStatus::UnknownType ? FeedFault::UnknownType : FeedFault::WrongSize);
  }

  /// Looks at the result of a request. @return whether an order has changed.
  [[nodiscard, gnu::always_inline]] bool settle(const BookRequest& request, const Result& result) noexcept {
    const bool replaces = request.type == CommandType::ReplaceResting;
    if (result.status == Status::Success) [[likely]] {
      if (replaces && books_.book().book_of(result.handle) != request.book) [[unlikely]]
        cancel_wrong_replace(request.new_id);
      return true;
    }
    const FeedFault what = fault_of(result.status, request.quantity);
    if (replaces && what == FeedFault::NoRoom) {
      replace_in_two_calls(request);
      return true;
    }
    return count(what);
  }
  /// Makes a replace as two calls: the old order leaves in any case, and the new one may need its slot.
  [[gnu::noinline]] void replace_in_two_calls(const BookRequest& request) noexcept {
    const RestingOrder old = *books_.find(request.id);
    const bool is_of_symbol = books_.book().book_of(old.handle) == request.book;
    static_cast<void>(books_.cancel_order(request.id));
    if (!is_of_symbol) return static_cast<void>(count(FeedFault::UnknownSymbol));
    const Result result =
        books_.add_resting_order(request.book, request.new_id, old.side, request.price, request.quantity);
    if (result.status != Status::Success) count(FeedFault::NoRoom);
  }
  /// Ends a replace for another symbol: neither order rests afterwards.
  [[gnu::noinline]] void cancel_wrong_replace(OrderId new_id) noexcept {
    static_cast<void>(books_.cancel_order(new_id));
    count(FeedFault::UnknownSymbol);
  }

  // ---- Finer grids.

  /// Refines the grid of a symbol until it has the price of a message, and puts the tick into `request`. If no
  /// order will rest there, the grid stays, and the request is rejected as any other one. If there is no room for
  /// the levels meanwhile, only the old order of a replace leaves.
  /// @return whether there is a request left to make.
  [[nodiscard, gnu::noinline]] bool fit_grid(itch::MessageBytes message, BookRequest& request) noexcept {
    if (!will_rest(request)) return true;
    const itch::Price4 price = itch::order_fields(message).price;
    if (!refine(request.book, grid_with(grids_[request.book], price))) {
      count(FeedFault::NoRoom);
      const bool replaces = request.type == CommandType::ReplaceResting;
      request.type = CommandType::Cancel;
      return replaces;
    }
    request.price = price_grids[grids_[request.book]].tick(price);
    return true;
  }
  /// Whether the order of an add or a replace is right, and there is a slot for it.
  [[nodiscard]] bool will_rest(const BookRequest& request) const noexcept {
    const bool replaces = request.type == CommandType::ReplaceResting;
    const OrderId id = replaces ? request.new_id : request.id;
    if (request.quantity == 0 || books_.handle_of(id) != OrderHandle{}) return false;
    if (replaces) return books_.book().book_of(books_.handle_of(request.id)) == request.book;
    return books_.book().size() < books_.book().capacity();
  }

  /// Enters the orders of a book once more, on a finer grid.
  /// @return false if there may be too few far levels; then nothing has changed.
  [[nodiscard]] bool refine(BookNumber book, std::uint8_t grid) noexcept {
    const PriceGrid& from = price_grids[grids_[book]];
    const PriceGrid& to = price_grids[grid];
    const auto tick = [&](Price old) { return to.tick(itch::Price4(from.price(old))); };
    if (!enter_again(book, tick)) return false;
    grids_[book] = grid;
    return true;
  }

  std::unique_ptr<itch::Symbol[]> symbols_;  ///< by locate less one
  /// By locate less one: the number of a symbol's grid. Every message and query reads it, so it is a byte.
  std::unique_ptr<std::uint8_t[]> grids_;
  detail::ResetOnMove<std::size_t> symbol_count_;
};

}  // namespace llmes::inline LLMES_NAMESPACE
