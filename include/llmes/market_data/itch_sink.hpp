// SPDX-License-Identifier: MIT
//
// A sink of a publisher that writes what happens to orders as ITCH 5.0 messages. Once made, nothing here
// allocates, locks, throws or makes a system call.
//
// Its numbers are state. After a restart a sink goes on with those of an image, or of the same events given once
// more while its output is quiet: both lead to the same bytes. So a reader that lived through it has the right
// books. A reader that comes late gets a snapshot with the same references.
#pragma once

#include <algorithm>
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

#include "llmes/book/order_pool.hpp"
#include "llmes/detail/hash.hpp"
#include "llmes/detail/probing_table.hpp"
#include "llmes/detail/reset_on_move.hpp"
#include "llmes/itch/decode.hpp"
#include "llmes/itch/framing.hpp"
#include "llmes/itch/messages.hpp"
#include "llmes/market_data/events.hpp"
#include "llmes/market_data/imbalance.hpp"
#include "llmes/types/arguments.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// References of resting orders and match numbers of fills, both 1, 2, 3 and so on. Once made, nothing here
/// allocates, locks, throws or makes a system call. One that was moved from has room for no order.
///
/// Memory: 32 to 64 bytes for each order of capacity.
class ItchNumbers {
 public:
  /// What an order without a reference has.
  static constexpr itch::Reference none{0};

  /// Makes numbers that begin, or nothing, and `status` says why. All memory is allocated and touched here.
  /// @param capacity the largest number of orders that have a reference at a time.
  /// @param status InvalidCapacity (0, or more than any pool can have), OutOfMemory, or Success.
  [[nodiscard]] static std::optional<ItchNumbers> create(std::size_t capacity, CreateStatus& status) noexcept {
    status = CreateStatus::InvalidCapacity;
    if (capacity < 1 || capacity > OrderPool::capacity_max(1)) return {};
    std::optional<ItchNumbers> numbers{ItchNumbers(capacity)};
    status = CreateStatus::Success;
    if (!numbers->references_.allocated()) {
      status = CreateStatus::OutOfMemory;
      numbers.reset();
    }
    return numbers;
  }

  /// The reference of an order; `none` if it has none. Constant on average.
  [[nodiscard]] itch::Reference find(OrderHandle order) const noexcept {
    return itch::Reference{references_[index_of(order)].reference};
  }
  /// Gives the next reference to an order that has none. Constant on average.
  /// @return `none` if there is no room; then no reference is used up.
  itch::Reference add(OrderHandle order) noexcept {
    if (size_ == capacity_) return none;
    references_[index_of(order)] = {order.value(), ++last_reference_};
    ++size_;
    return itch::Reference{last_reference_};
  }
  /// Takes the reference of an order, if it has one; nobody gets it again. Constant on average.
  void remove(OrderHandle order) noexcept {
    const std::size_t index = index_of(order);
    if (!references_[index].used()) return;
    references_.free(index);
    --size_;
  }
  /// How many orders have a reference.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// The number of a new fill.
  itch::MatchNumber next_match() noexcept { return itch::MatchNumber{++last_match_}; }
  /// The number of the last fill; 0 before the first one.
  [[nodiscard]] itch::MatchNumber last_match() const noexcept { return itch::MatchNumber{last_match_}; }

  /// Its state, part by part, for an image (see engine/snapshot/image.hpp).
  static void visit_state(auto& self, auto& visit) noexcept {
    visit(self.references_, self.size_, self.last_reference_, self.last_match_);
  }
  /// Whether an image of it, which may come from anybody, is one that calls can lead to. Linear in the capacity.
  [[nodiscard]] bool holds() const noexcept {
    if (size_ > capacity_) return false;
    if (last_reference_ > std::numeric_limits<std::uint64_t>::max() / 2) return false;  // 0 would soon be the next
    const std::size_t entries = references_.size_bytes() / sizeof(Entry);
    std::size_t used = 0;
    for (std::size_t i = 0; i < entries; ++i) used += std::size_t{references_[i].used()};
    if (used != size_) return false;  // with more, a search might not end
    for (std::size_t i = 0; i < entries; ++i) {
      const Entry& entry = references_[i];
      if (!entry.used() && entry.handle != 0) return false;
      if (entry.reference > last_reference_) return false;
      if (entry.used() && index_of(OrderHandle::from_value(entry.handle)) != i) return false;
    }
    return true;
  }

 private:
  struct Entry {
    std::uint64_t handle;
    std::uint64_t reference;  // 0 in a free entry

    [[nodiscard]] bool used() const noexcept { return reference != 0; }
    [[nodiscard]] std::uint32_t hash() const noexcept { return short_hash(handle); }
  };
  [[nodiscard]] static std::uint32_t short_hash(std::uint64_t handle) noexcept {
    return static_cast<std::uint32_t>(hash_of(handle) >> 32);
  }

  explicit ItchNumbers(std::size_t capacity) noexcept : references_(capacity), capacity_(capacity) {}

  /// Where an order is, or would be. Without memory: that of no order.
  [[nodiscard]] std::size_t index_of(OrderHandle order) const noexcept {
    return references_.search(short_hash(order.value()),
                              [&](const Entry& entry) { return entry.handle == order.value(); });
  }

  ProbingTable<Entry> references_;  ///< by handle
  detail::ResetOnMove<std::size_t> capacity_;
  detail::ResetOnMove<std::size_t> size_;
  std::uint64_t last_reference_ = 0;
  std::uint64_t last_match_ = 0;
};

/// What an ITCH sink is made for.
struct ItchSinkConfig {
  std::size_t books = 1;     ///< from 1 to 65,535; book `n` has the locate `n + 1`
  std::size_t capacity = 0;  ///< the largest number of resting orders, of all books together
};

/// Gives `Output`, a callable that takes `itch::MessageBytes`, one message for each event:
///
///  - An order that comes, changes or goes is an Add, a Cancel, a Delete or a Replace; a fill is an Executed of
///    its maker. The taker appears when it comes to rest. A fill of a hidden order is a Trade; one of an auction
///    is an Executed With Price of each order.
///  - A new order gets the next reference, from 1 on; so does an order that a modify moves. A fill gets the next
///    match number, from 1 on, also one that has no message.
///  - No message states a place in a queue: an order that came in front of another is an Add, which a reader takes
///    for the youngest of its level.
///  - A message has 32 bits for a price and for shares. An order that does not fit, or exceeds the capacity, has
///    no message, and is counted; so is a Trade that does not fit.
///
/// The output must not call the book. An exception of it ends the program. A moved-from sink leaves all out.
///
/// Memory: 32 to 64 bytes for each order of capacity, 76 for each book.
template <std::invocable<itch::MessageBytes> Output>
class ItchSink {
 public:
  /// Makes a sink, or nothing, and `status` says why. All memory is allocated and touched here.
  /// @param status InvalidBookCount, InvalidCapacity (0, or more than any pool can have), OutOfMemory, or Success.
  [[nodiscard]] static std::optional<ItchSink> create(const ItchSinkConfig& config, Output output,
                                                      CreateStatus& status) noexcept {
    status = CreateStatus::InvalidBookCount;
    if (config.books < 1 || config.books > std::numeric_limits<std::uint16_t>::max()) return {};
    std::optional<ItchNumbers> numbers = ItchNumbers::create(config.capacity, status);
    if (!numbers) return {};
    std::optional<ItchSink> sink{ItchSink(config.books, *std::move(numbers), std::forward<Output>(output))};
    if (sink->books_ == nullptr || sink->days_ == nullptr) {
      status = CreateStatus::OutOfMemory;
      sink.reset();
    }
    return sink;
  }

  // ---- The day.

  /// The time of all messages from now on.
  void set_time(itch::Timestamp now) noexcept { now_ = now; }

  void system_event(itch::EventCode event) noexcept {
    last_event_ = {.header = header(), .event = event};
    send(last_event_);
  }

  /// Names the symbol and the tick of a book. Before that, its orders have no symbol and a tick of a cent.
  /// @param tick_size in ten-thousandths of a dollar; at least 1
  void directory(BookNumber book, itch::Symbol symbol, std::uint32_t tick_size = 100) noexcept {
    directory(book, itch::StockDirectory{.symbol = symbol}, tick_size);
  }
  /// The same with all that a venue says of a symbol. The header is filled in.
  void directory(BookNumber book, itch::StockDirectory what, std::uint32_t tick_size = 100) noexcept {
    if (!has(book)) return;
    what.header = header(book);
    books_[book] = {what.symbol, std::max(tick_size, 1u)};
    days_[book].directory = what;
    send(what);
  }

  /// Says whether a book trades.
  /// @param reason four letters at most, as the venue has them
  void trading(BookNumber book, itch::TradingState state, std::string_view reason = {}) noexcept {
    if (!has(book)) return;
    days_[book].trading = {
        .header = header(book), .symbol = books_[book].symbol, .state = state, .reason = reason};
    send(days_[book].trading);
  }

  /// The end of an auction in which so many shares traded. It has the match number of the last fill.
  /// @param type a letter of ITCH: 'O' of the opening, 'C' of the closing, 'H' of a halt
  void cross(BookNumber book, Price price, Quantity quantity, char type) noexcept {
    const std::optional<itch::Price4> price4 = price_of(book, price);
    if (!price4) return leave_out();
    send(itch::CrossTrade{.header = header(book),
                          .shares = quantity,
                          .symbol = books_[book].symbol,
                          .price = *price4,
                          .match = numbers_.last_match(),
                          .cross_type = type});
  }
  /// A fill that the venue has undone.
  void broken(BookNumber book, itch::MatchNumber match) noexcept {
    if (has(book)) send(itch::BrokenTrade{.header = header(book), .match = match});
  }

  /// Any other message about a book: one that is about no order or fill and is not said above. Its header and
  /// symbol are filled in. A snapshot does not have it.
  template <itch::Message M>
  void say(BookNumber book, M message) noexcept {
    constexpr bool has_numbers = requires { message.reference; } || requires { message.match; };
    static_assert(!has_numbers && !OneOf<M, itch::SystemEvent, itch::StockDirectory, itch::TradingAction>,
                  "llmes: a function of its own writes this message");
    if (!has(book)) return;
    message.header = header(book);
    if constexpr (requires { message.symbol; }) message.symbol = books_[book].symbol;
    send(message);
  }

  // ---- Events.

  void added(const OrderAdded& event) noexcept { add(event.book, event.order); }

  void executed(const OrderExecuted& event) noexcept {
    const Trade& trade = event.trade;
    const itch::MatchNumber match = numbers_.next_match();
    const itch::Reference reference = numbers_.find(trade.maker_handle);
    if (reference == ItchNumbers::none) return;
    send(itch::OrderExecuted{
        .header = header(event.book), .reference = reference, .shares = shares(trade.quantity), .match = match});
    if (trade.maker_remaining == 0) numbers_.remove(trade.maker_handle);
  }

  /// What the two orders displayed of it. It is not printable: the message of the cross has the shares.
  void crossed(const OrdersCrossed& event) noexcept {
    const itch::MatchNumber match = numbers_.next_match();
    const std::optional<itch::Price4> price = price_of(event.book, event.price);
    for (const OrdersCrossed::Part& part : {event.buy, event.sell}) {
      const itch::Reference reference = numbers_.find(part.order.handle);
      if (part.by == 0 || reference == ItchNumbers::none) continue;
      if (price) {
        send(itch::OrderExecutedWithPrice{.header = header(event.book),
                                          .reference = reference,
                                          .shares = shares(part.by),
                                          .match = match,
                                          .printable = 'N',
                                          .price = *price});
      } else {
        leave_out();
        send(itch::OrderCancel{.header = header(event.book), .reference = reference, .shares = shares(part.by)});
      }
      if (part.order.quantity == 0) numbers_.remove(part.order.handle);
    }
  }

  void reduced(const OrderReduced& event) noexcept {
    const itch::Reference reference = numbers_.find(event.order.handle);
    if (reference == ItchNumbers::none) return;
    send(itch::OrderCancel{.header = header(event.book), .reference = reference, .shares = shares(event.by)});
  }

  void deleted(const OrderDeleted& event) noexcept { remove(event.book, event.order); }

  void replaced(const OrderReplaced& event) noexcept {
    const itch::Reference reference = numbers_.find(event.old_order.handle);
    if (reference == ItchNumbers::none || !fits(event.book, event.order)) {
      remove(event.book, event.old_order);
      return add(event.book, event.order);
    }
    numbers_.remove(event.old_order.handle);
    send(itch::OrderReplace{.header = header(event.book),
                            .reference = reference,
                            .new_reference = numbers_.add(event.order.handle),
                            .shares = shares(event.order.quantity),
                            .price = *price_of(event.book, event.order.price)});
  }

  /// As ITCH has it: of no order, and a buy whatever the sides.
  void hidden_executed(const HiddenExecuted& event) noexcept {
    const itch::MatchNumber match = numbers_.next_match();
    const std::optional<itch::Price4> price = price_of(event.book, event.price);
    if (!price || event.quantity > shares_max) return leave_out();
    send(itch::Trade{.header = header(event.book),
                     .reference = itch::Reference{0},
                     .side = itch::BuySell::Buy,
                     .shares = shares(event.quantity),
                     .symbol = books_[event.book].symbol,
                     .price = *price,
                     .match = match});
  }

  // ---- Readers that come late, and restarts.

  /// How many messages it has given, over all restarts: the sequence of the last one.
  [[nodiscard]] std::uint64_t messages() const noexcept { return messages_; }
  /// How many orders, and fills without an order, were left out.
  [[nodiscard]] std::uint64_t left_out() const noexcept { return left_out_; }
  [[nodiscard]] const ItchNumbers& numbers() const noexcept { return numbers_; }

  /// Gives `to` what a reader needs who has no message yet: the last event of the system, what was said of each
  /// symbol and whether it trades, and each order by priority, with its reference. Linear in books and orders.
  /// @param books what the publisher has: a book, or a set; of an `IdBook` its `book()`.
  /// @param to takes `itch::MessageBytes`; an exception of it ends the program.
  /// @return the sequence of the message from which on the reader needs all.
  template <class Books, std::invocable<itch::MessageBytes> To>
  std::uint64_t snapshot(const Books& books, To&& to) const noexcept {
    const auto give = [&to](const auto& message) { to(itch::bytes_of(message)); };
    if (last_event_.event != itch::EventCode{}) give(last_event_);
    for (std::size_t book = 0; book < book_count_; ++book) {
      const Day& day = days_[book];
      if (day.directory.header.locate != itch::Locate{}) give(day.directory);
      if (day.trading.header.locate != itch::Locate{}) give(day.trading);
    }
    const auto give_orders = [&](const auto& one, BookNumber book) {
      for (const Side side : {Side::Buy, Side::Sell}) {
        one.visit_orders(side, [&](const RestingOrder& order) {
          const itch::Reference reference = numbers_.find(order.handle);
          const bool is_told = reference != ItchNumbers::none && fits(book, order);
          if (is_told) give(add_of(book, order, reference));
        });
      }
    };
    if constexpr (requires { typename Books::Book; }) {
      const std::size_t count = std::min<std::size_t>(books.book_count(), book_count_);
      for (BookNumber book = 0; book < count; ++book) give_orders(*books.book(book), book);
    } else {
      give_orders(books, 0);
    }
    return messages_ + 1;
  }

  /// Its state, part by part, for an image (see engine/snapshot/image.hpp); not its output.
  static void visit_state(auto& self, auto& visit) noexcept {
    visit(self.numbers_, std::span(self.books_.get(), self.book_count_.get()),
          std::span(self.days_.get(), self.book_count_.get()), self.last_event_, self.now_, self.messages_,
          self.left_out_);
  }
  /// Whether an image of it, which may come from anybody, is safe to use. Linear in orders and books.
  [[nodiscard]] bool holds() const noexcept {
    return numbers_.holds() && std::all_of(books_.get(), books_.get() + book_count_,
                                           [](const Book& book) { return book.tick_size >= 1; });
  }

 private:
  static constexpr std::uint64_t shares_max = std::numeric_limits<std::uint32_t>::max();

  /// What each message about an order needs of its book.
  struct Book {
    itch::Symbol symbol;
    std::uint32_t tick_size = 100;
  };
  /// What was said of a book; a locate of 0 if nothing was.
  struct Day {
    itch::StockDirectory directory;
    itch::TradingAction trading;
  };

  ItchSink(std::size_t books, ItchNumbers&& numbers, Output&& output) noexcept
      : output_(std::forward<Output>(output)),
        numbers_(std::move(numbers)),
        books_(new(std::nothrow) Book[books]),
        days_(new(std::nothrow) Day[books]),
        book_count_(books) {}

  [[nodiscard]] bool has(BookNumber book) const noexcept { return book < book_count_; }

  void add(BookNumber book, const RestingOrder& order) noexcept {
    if (!fits(book, order)) return leave_out();
    const itch::Reference reference = numbers_.add(order.handle);
    if (reference == ItchNumbers::none) return leave_out();
    send(add_of(book, order, reference));
  }
  void remove(BookNumber book, const RestingOrder& order) noexcept {
    const itch::Reference reference = numbers_.find(order.handle);
    if (reference == ItchNumbers::none) return;
    send(itch::OrderDelete{.header = header(book), .reference = reference});
    numbers_.remove(order.handle);
  }
  void leave_out() noexcept { ++left_out_; }

  // ---- Prices and shares.

  /// A price in a message, if it fits.
  [[nodiscard]] std::optional<itch::Price4> price_of(BookNumber book, Price price) const noexcept {
    return has(book) ? detail::price_in_message(price, books_[book].tick_size) : std::nullopt;
  }
  [[nodiscard]] bool fits(BookNumber book, const RestingOrder& order) const noexcept {
    return order.quantity <= shares_max && price_of(book, order.price).has_value();
  }
  /// Of a published order, so they fit.
  [[nodiscard]] static std::uint32_t shares(Quantity quantity) noexcept {
    return static_cast<std::uint32_t>(quantity);
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

  /// An order that fits.
  [[nodiscard]] itch::AddOrder add_of(BookNumber book, const RestingOrder& order,
                                      itch::Reference reference) const noexcept {
    return {.header = header(book),
            .reference = reference,
            .side = order.side == Side::Buy ? itch::BuySell::Buy : itch::BuySell::Sell,
            .shares = shares(order.quantity),
            .symbol = books_[book].symbol,
            .price = *price_of(book, order.price)};
  }

  template <itch::Message M>
  void send(const M& message) noexcept {
    ++messages_;
    output_(itch::bytes_of(message));
  }

  Output output_;
  ItchNumbers numbers_;
  std::unique_ptr<Book[]> books_;
  std::unique_ptr<Day[]> days_;
  detail::ResetOnMove<std::size_t> book_count_;
  itch::SystemEvent last_event_{};
  std::uint64_t messages_ = 0;
  std::uint64_t left_out_ = 0;
  itch::Timestamp now_{};
};

}  // namespace llmes::inline LLMES_NAMESPACE
