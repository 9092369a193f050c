// SPDX-License-Identifier: MIT
//
// One type of book for bands whose width is known at run time only. It holds one of several books, each compiled
// for its own number of prices, and hands every call on to it by a chain of compares: no virtual call, and no
// allocation after creation. A call takes some instructions more than on the book itself, and each kind of sink is
// compiled once for each width: who knows the width takes an `OrderBook`. Not part of llmes.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "llmes/book/order_book.hpp"
#include "llmes/types/arguments.hpp"
#include "llmes/types/command.hpp"
#include "llmes/types/span_results.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// What a book of a width known at run time is made for.
struct DynamicBookConfig {
  Price base_price = 0;          ///< the lowest price of the band, in ticks; may be negative
  std::size_t price_levels = 0;  ///< how many prices the band must have, at least 1
  std::size_t capacity = 0;      ///< the largest number of resting orders
  /// The most lots of one add or modify; at least 1. It guards against mistyped orders.
  Quantity quantity_max = std::numeric_limits<Quantity>::max();
};

/// One of `Books`, chosen when it is made. The calls are those of `OrderBook`, where their contracts stand. The
/// book itself is on the heap; this object is two words, whatever the width.
///
/// One of them may be an `AnyPriceBook`: it holds what no band holds, reads no base price and has no band to move.
///
/// A moved-from one has no band and no capacity: `price_levels` is 0, and it rejects every order and every
/// command.
template <class... Books>
class DynamicBook : public OrderCalls<DynamicBook<Books...>, Command> {
 public:
  using Config = DynamicBookConfig;

  /// Makes an empty book of the narrowest width that holds `config.price_levels` prices, or nothing, and `status`
  /// says why. The band may thus be wider than asked for: see `price_max`.
  /// @param status InvalidPriceLevels (0, or more than the widest of `Books` holds), or what the book's own
  /// `create` says.
  [[nodiscard]] static std::optional<DynamicBook> create(const DynamicBookConfig& config,
                                                         CreateStatus& status) noexcept {
    std::optional<DynamicBook> book;
    status = CreateStatus::InvalidPriceLevels;
    call_for(config.price_levels,
             [&]<class Book>(std::type_identity<Book>) { create_as<Book>(config, status, book); });
    return book;
  }

  /// The same without a reason.
  [[nodiscard]] static std::optional<DynamicBook> create(const DynamicBookConfig& config) noexcept {
    CreateStatus status{};
    return create(config, status);
  }

  DynamicBook(DynamicBook&& other) noexcept : book_(std::exchange(other.book_, MovedAway{})) {}
  DynamicBook& operator=(DynamicBook&& other) noexcept {
    book_ = std::exchange(other.book_, MovedAway{});
    return *this;
  }

  // ---- Orders.

  template <CommandType type, class Sink, class Details>
  [[gnu::always_inline]] Result execute(const Command& command, Sink& sink, Details& details) noexcept {
    return visit(
        *this,
        [&](auto& book)
            __attribute__((always_inline)) { return book.template execute<type>(command, sink, details); },
        rejected_when_moved_from(type));
  }

  std::size_t clear(Side side) noexcept {
    return visit(
        *this, [&](auto& book) { return book.clear(side); }, std::size_t{0});
  }
  std::size_t clear() noexcept {
    return visit(
        *this, [](auto& book) { return book.clear(); }, std::size_t{0});
  }

  template <TradeSink Sink>
  [[gnu::always_inline]] Result apply(const Command& command, Sink&& sink) noexcept {
    return visit(
        *this, [&](auto& book) __attribute__((always_inline)) { return book.apply(command, sink); },
        rejected_when_moved_from(command.type));
  }

  /// The width is looked at once for the whole span.
  template <ResultReceiver Receiver, SpanTradeSink Sink>
  void apply(std::span<const Command> commands, Receiver&& receiver, Sink&& sink) noexcept {
    visit(*this, [&](auto& book) { book.apply(commands, receiver, sink); });
    if (price_levels() != 0) return;
    for (std::size_t i = 0; i < commands.size(); ++i) {
      const Result result = rejected_when_moved_from(commands[i].type);
      give_result(receiver, result, i, DetailsFor<Receiver>{});
    }
  }

  template <TradeSink Sink>
  [[nodiscard]] std::size_t apply(std::span<const Command> commands, std::span<Result> results,
                                  Sink&& sink) noexcept {
    return apply_into(*this, commands, results, sink);
  }

  /// Moves the band, if there is one.
  [[nodiscard]] Status recenter(PriceArgument base_price) noexcept {
    const auto call = [base_price]<class Book>(Book& book) {
      if constexpr (Book::has_band) {
        return book.recenter(base_price);
      } else {
        return Status::Success;
      }
    };
    return visit(*this, call, Status::PriceOutOfBand);
  }

  // ---- Queries.

  [[nodiscard]] std::optional<Price> best_bid() const noexcept { return best(Side::Buy); }
  [[nodiscard]] std::optional<Price> best_ask() const noexcept { return best(Side::Sell); }
  [[nodiscard]] std::optional<Price> best(Side side) const noexcept {
    return visit(
        *this, [&](auto& book) { return book.best(side); }, std::optional<Price>{});
  }
  [[nodiscard]] std::optional<Price> worst(Side side) const noexcept {
    return visit(
        *this, [&](auto& book) { return book.worst(side); }, std::optional<Price>{});
  }
  [[nodiscard]] DepthLevel level(Side side, PriceArgument price) const noexcept {
    return visit(
        *this, [&](auto& book) { return book.level(side, price); }, DepthLevel{price});
  }
  [[nodiscard]] std::size_t depth(Side side, std::span<DepthLevel> out) const noexcept {
    return visit(
        *this, [&](auto& book) { return book.depth(side, out); }, std::size_t{0});
  }
  template <OrderVisitor Visitor>
  void visit_orders(Side side, Visitor&& visitor) const {
    visit(*this, [&](auto& book) { book.visit_orders(side, visitor); });
  }
  template <OrderVisitor Visitor>
  void visit_level(Side side, PriceArgument price, Visitor&& visitor) const {
    visit(*this, [&](auto& book) { book.visit_level(side, price, visitor); });
  }
  [[nodiscard]] std::optional<RestingOrder> find(OrderHandle handle) const noexcept {
    return visit(
        *this, [&](auto& book) { return book.find(handle); }, std::optional<RestingOrder>{});
  }
  [[nodiscard]] std::optional<QueuePosition> queue_ahead(OrderHandle handle) const noexcept {
    return visit(
        *this, [&](auto& book) { return book.queue_ahead(handle); }, std::optional<QueuePosition>{});
  }
  [[nodiscard]] std::size_t size() const noexcept {
    return visit(
        *this, [](auto& book) { return book.size(); }, std::size_t{0});
  }
  [[nodiscard]] std::size_t capacity() const noexcept {
    return visit(
        *this, [](auto& book) { return book.capacity(); }, std::size_t{0});
  }
  [[nodiscard]] Price price_min() const noexcept {
    return visit(
        *this, [](auto& book) { return book.price_min(); }, Price{0});
  }
  [[nodiscard]] Price price_max() const noexcept {
    return visit(
        *this, [](auto& book) { return book.price_max(); }, Price{-1});
  }
  /// How many prices it can hold.
  [[nodiscard]] std::size_t price_levels() const noexcept {
    return visit(
        *this, [](auto& book) { return book.price_levels; }, std::size_t{0});
  }

  /// The largest capacity that all of `Books` take.
  static constexpr std::size_t capacity_max = std::min({Books::capacity_max...});

  /// All the memory of a book for so many prices and orders; 0 if none is so wide.
  [[nodiscard]] static constexpr std::size_t memory_bytes(std::size_t price_levels,
                                                          std::size_t capacity) noexcept {
    std::size_t bytes = 0;
    call_for(price_levels, [&]<class Book>(std::type_identity<Book>) {
      bytes = sizeof(DynamicBook) + Book::memory_bytes(capacity);
    });
    return bytes;
  }

  // ---- For a layer that finds orders by other names than handles.

  [[nodiscard]] OrderHandle handle_at(std::uint32_t slot, IdArgument id) const noexcept {
    return visit(
        *this, [&](auto& book) { return book.handle_at(slot, id); }, OrderHandle{});
  }
  void fetch(std::uint32_t slot) const noexcept {
    visit(*this, [&](auto& book) { book.fetch(slot); });
  }
  void fetch_neighbours(std::uint32_t slot) const noexcept {
    visit(*this, [&](auto& book) { book.fetch_neighbours(slot); });
  }
  void fetch_level(Side side, PriceArgument price) const noexcept {
    visit(*this, [&](auto& book) { book.fetch_level(side, price); });
  }
  [[nodiscard]] bool has_cold_levels() const noexcept {
    return visit(
        *this, [](auto& book) { return book.has_cold_levels(); }, false);
  }

 private:
  using MovedAway = std::monostate;

  template <class Book>
  explicit DynamicBook(std::unique_ptr<Book> book) noexcept : book_(std::move(book)) {}

  /// The narrowest width that holds so many prices; 0, which no book has, if there is none.
  [[nodiscard]] static constexpr std::size_t width_for(std::size_t price_levels) noexcept {
    std::size_t width = 0;
    if (price_levels == 0) return width;
    for (const std::size_t candidate : {Books::price_levels...}) {
      if (candidate >= price_levels && (width == 0 || candidate < width)) width = candidate;
    }
    return width;
  }

  /// Makes `call` with the type of the narrowest book that holds so many prices, if there is one; of two, the
  /// first.
  template <class Call>
  static constexpr void call_for(std::size_t price_levels, const Call& call) {
    const auto is_it = [&, width = width_for(price_levels)]<class Book>(std::type_identity<Book> book) {
      if (Book::price_levels != width) return false;
      call(book);
      return true;
    };
    std::ignore = (is_it(std::type_identity<Books>{}) || ...);
  }

  template <class Book>
  static void create_as(const DynamicBookConfig& config, CreateStatus& status,
                        std::optional<DynamicBook>& made) noexcept {
    std::optional<Book> book = Book::create({config.base_price, config.capacity, config.quantity_max}, status);
    if (!book) return;
    std::unique_ptr<Book> place(new (std::nothrow) Book(*std::move(book)));
    if (place == nullptr) {
      status = CreateStatus::OutOfMemory;
    } else {
      made = DynamicBook(std::move(place));
    }
  }

  /// Makes `call` with the book that is held. If it has moved away, the answer is `moved_from`, or there is none.
  template <std::size_t I = 0, class Self, class Call, class... Answer>
  [[gnu::always_inline]] static auto visit(Self& self, const Call& call, Answer... moved_from) {
    if constexpr (I == sizeof...(Books)) {
      return (moved_from, ...);
    } else {
      if (self.book_.index() != I) return visit<I + 1>(self, call, moved_from...);
      if constexpr (std::is_const_v<Self>) {
        return call(std::as_const(**std::get_if<I>(&self.book_)));
      } else {
        return call(**std::get_if<I>(&self.book_));
      }
    }
  }

  [[nodiscard]] static constexpr Result rejected_when_moved_from(CommandType type) noexcept {
    if (type > CommandType::ReplaceResting) return {Status::InvalidCommand};
    return {adds(type) ? Status::PoolFull : Status::UnknownOrder};
  }

  std::variant<std::unique_ptr<Books>..., MovedAway> book_;
};

/// A book of 128, 4,096, 65,536 or 262,144 prices, or for any price if more are asked for. So only 0 prices are
/// InvalidPriceLevels.
using AnyWidthBook =
    DynamicBook<OrderBook<128>, OrderBook<4096>, WideOrderBook<65'536>, WideOrderBook<262'144>, AnyPriceBook<>>;

}  // namespace llmes::inline LLMES_NAMESPACE
