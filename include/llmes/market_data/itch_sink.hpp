// SPDX-License-Identifier: MIT
//
// A sink of a publisher that writes what happens to orders as ITCH 5.0 messages. Once made, nothing here
// allocates, locks, throws or makes a system call.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "llmes/book/order_pool.hpp"
#include "llmes/detail/hash.hpp"
#include "llmes/detail/probing_table.hpp"
#include "llmes/itch/decode.hpp"
#include "llmes/itch/framing.hpp"
#include "llmes/itch/messages.hpp"
#include "llmes/market_data/events.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// What an ITCH sink is made for.
struct ItchSinkConfig {
  std::size_t books = 1;     ///< from 1 to 65,535; book `n` has the locate `n + 1`
  std::size_t capacity = 0;  ///< the largest number of resting orders, of all books together
};

/// Gives `Output`, a callable that takes `itch::MessageBytes`, one message for each event:
///
///  - An order that comes, changes or goes is an Add, a Cancel, a Delete or a Replace; a fill is an Executed of
///    its maker. The taker appears when it comes to rest. A fill of a hidden order is a Trade.
///  - A new order gets the next reference, from 1 on; so does an order that a modify moves. A fill gets the next
///    match number, from 1 on.
///  - No message states a place in a queue: an order that came in front of another is an Add, which a reader takes
///    for the youngest of its level.
///  - A message has 32 bits for a price and for shares. An order that does not fit, or exceeds the capacity, has
///    no message, and is counted; so is a Trade that does not fit.
///
/// The output must not call the book. An exception of it ends the program. A moved-from sink leaves all out.
///
/// Memory: 32 to 64 bytes for each order of capacity, 12 for each book.
template <std::invocable<itch::MessageBytes> Output>
class ItchSink {
 public:
  /// Makes a sink, or nothing, and `status` says why. All memory is allocated and touched here.
  /// @param status InvalidBookCount, InvalidCapacity (0, or more than any pool can have), OutOfMemory, or Success.
  [[nodiscard]] static std::optional<ItchSink> create(const ItchSinkConfig& config, Output output,
                                                      CreateStatus& status) noexcept {
    const bool books_fit = config.books >= 1 && config.books <= std::numeric_limits<std::uint16_t>::max();
    const bool orders_fit = config.capacity >= 1 && config.capacity <= OrderPool::capacity_max(1);
    status = !books_fit    ? CreateStatus::InvalidBookCount
             : !orders_fit ? CreateStatus::InvalidCapacity
                           : CreateStatus::Success;
    if (status != CreateStatus::Success) return {};
    std::optional<ItchSink> sink{ItchSink(config, std::forward<Output>(output))};
    if (!sink->references_.allocated() || sink->books_ == nullptr) {
      status = CreateStatus::OutOfMemory;
      sink.reset();
    }
    return sink;
  }

  // ---- The day.

  /// The time of all messages from now on.
  void set_time(itch::Timestamp now) noexcept { now_ = now; }

  void system_event(itch::EventCode event) noexcept {
    send(itch::SystemEvent{.header = header(), .event = event});
  }

  /// Names the symbol and the tick of a book. Before that, its orders have no symbol and a tick of a cent.
  /// @param tick_size in ten-thousandths of a dollar; at least 1
  void directory(BookNumber book, itch::Symbol symbol, std::uint32_t tick_size = 100) noexcept {
    if (!has(book)) return;
    books_[book] = {symbol, std::max(tick_size, 1u)};
    send(itch::StockDirectory{.header = header(book), .symbol = symbol});
  }

  /// How many orders, and fills of hidden orders, were left out.
  [[nodiscard]] std::uint64_t left_out() const noexcept { return left_out_; }

  // ---- Events.

  void added(const OrderAdded& event) noexcept { add(event.book, event.order); }

  void executed(const OrderExecuted& event) noexcept {
    const Trade& trade = event.trade;
    const std::uint64_t reference = find(trade.maker_handle);
    if (reference == 0) return;
    send(itch::OrderExecuted{.header = header(event.book),
                             .reference = itch::Reference{reference},
                             .shares = shares(trade.quantity),
                             .match = itch::MatchNumber{++last_match_}});
    if (trade.maker_remaining == 0) forget(trade.maker_handle);
  }

  void reduced(const OrderReduced& event) noexcept {
    const std::uint64_t reference = find(event.order.handle);
    if (reference == 0) return;
    send(itch::OrderCancel{
        .header = header(event.book), .reference = itch::Reference{reference}, .shares = shares(event.by)});
  }

  void deleted(const OrderDeleted& event) noexcept { remove(event.book, event.order); }

  void replaced(const OrderReplaced& event) noexcept {
    const std::uint64_t reference = find(event.old_order.handle);
    const std::optional<itch::Price4> price = price_of(event.book, event.order);
    if (reference == 0 || !price) {
      remove(event.book, event.old_order);
      return add(event.book, event.order);
    }
    forget(event.old_order.handle);
    send(itch::OrderReplace{.header = header(event.book),
                            .reference = itch::Reference{reference},
                            .new_reference = remember(event.order.handle),
                            .shares = shares(event.order.quantity),
                            .price = *price});
  }

  /// As ITCH has it: of no order, and a buy whatever the sides.
  void hidden_executed(const HiddenExecuted& event) noexcept {
    const std::optional<itch::Price4> price =
        price_of(event.book, {{}, 0, event.taker_side, event.price, event.quantity});
    if (!price) {
      ++left_out_;
      return;
    }
    send(itch::Trade{.header = header(event.book),
                     .reference = itch::Reference{0},
                     .side = itch::BuySell::Buy,
                     .shares = shares(event.quantity),
                     .symbol = books_[event.book].symbol,
                     .price = *price,
                     .match = itch::MatchNumber{++last_match_}});
  }

 private:
  struct Book {
    itch::Symbol symbol;
    std::uint32_t tick_size = 100;
  };

  /// The reference of an order that was published and rests.
  struct Entry {
    std::uint64_t handle;
    std::uint64_t reference;  // 0 in a free entry

    [[nodiscard]] bool used() const noexcept { return reference != 0; }
    [[nodiscard]] std::uint32_t hash() const noexcept { return short_hash(handle); }
  };
  [[nodiscard]] static std::uint32_t short_hash(std::uint64_t handle) noexcept {
    return static_cast<std::uint32_t>(hash_of(handle) >> 32);
  }

  ItchSink(const ItchSinkConfig& config, Output&& output) noexcept
      : output_(std::forward<Output>(output)),
        references_(config.capacity),
        books_(new(std::nothrow) Book[config.books]),
        book_count_(config.books),
        capacity_(config.capacity) {}

  [[nodiscard]] bool has(BookNumber book) const noexcept { return books_ != nullptr && book < book_count_; }

  void add(BookNumber book, const RestingOrder& order) noexcept {
    const std::optional<itch::Price4> price = price_of(book, order);
    if (!price || size_ == capacity_) {
      ++left_out_;
      return;
    }
    send(itch::AddOrder{.header = header(book),
                        .reference = remember(order.handle),
                        .side = order.side == Side::Buy ? itch::BuySell::Buy : itch::BuySell::Sell,
                        .shares = shares(order.quantity),
                        .symbol = books_[book].symbol,
                        .price = *price});
  }
  void remove(BookNumber book, const RestingOrder& order) noexcept {
    const std::uint64_t reference = find(order.handle);
    if (reference == 0) return;
    send(itch::OrderDelete{.header = header(book), .reference = itch::Reference{reference}});
    forget(order.handle);
  }

  /// The price of an order in a message, if it and the shares fit.
  [[nodiscard]] std::optional<itch::Price4> price_of(BookNumber book, const RestingOrder& order) const noexcept {
    constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
    if (!has(book) || order.quantity > most) return {};
    const std::uint64_t tick_size = books_[book].tick_size;
    const auto ticks = static_cast<std::uint64_t>(order.price);  // of a negative price, too many
    if (ticks > most / tick_size) return {};
    return itch::Price4{static_cast<std::uint32_t>(ticks * tick_size)};
  }
  /// Of a published order, so they fit.
  [[nodiscard]] static std::uint32_t shares(Quantity quantity) noexcept {
    return static_cast<std::uint32_t>(quantity);
  }

  // ---- References.

  [[nodiscard]] std::size_t index_of(OrderHandle handle) const noexcept {
    return references_.search(short_hash(handle.value()),
                              [&](const Entry& entry) { return entry.handle == handle.value(); });
  }
  /// The reference of an order; 0 if it was left out.
  [[nodiscard]] std::uint64_t find(OrderHandle handle) const noexcept {
    return references_[index_of(handle)].reference;
  }
  itch::Reference remember(OrderHandle handle) noexcept {
    references_[index_of(handle)] = {handle.value(), ++last_reference_};
    ++size_;
    return itch::Reference{last_reference_};
  }
  void forget(OrderHandle handle) noexcept {
    references_.free(index_of(handle));
    --size_;
  }

  // ---- Messages.

  /// The header of a message of any type, about one book or none.
  struct Head {
    itch::Locate locate;
    itch::Timestamp now;

    template <char Type>
    operator itch::Header<Type>() const noexcept {
      return {.locate = locate, .timestamp = now};
    }
  };
  [[nodiscard]] Head header() const noexcept { return {itch::Locate{0}, now_}; }
  [[nodiscard]] Head header(BookNumber book) const noexcept { return {static_cast<itch::Locate>(book + 1), now_}; }

  template <itch::Message M>
  void send(const M& message) noexcept {
    output_(itch::bytes_of(message));
  }

  Output output_;
  ProbingTable<Entry> references_;  // by handle
  std::unique_ptr<Book[]> books_;
  std::size_t book_count_;
  std::size_t capacity_;
  std::size_t size_ = 0;
  std::uint64_t last_reference_ = 0;
  std::uint64_t last_match_ = 0;
  std::uint64_t left_out_ = 0;
  itch::Timestamp now_{};
};

}  // namespace llmes::inline LLMES_NAMESPACE
