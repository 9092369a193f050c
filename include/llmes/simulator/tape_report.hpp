// SPDX-License-Identifier: MIT
//
// What is in a tape, and how well it fits the rules of a book: how many fills hit the head of their queue.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "llmes/simulator/market_books.hpp"
#include "llmes/simulator/market_event.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// What a tape report has counted.
struct TapeCounts {
  static constexpr std::size_t types = static_cast<std::size_t>(MarketEventType::End) + 1;
  static constexpr std::size_t statuses = static_cast<std::size_t>(MarketStatus::AfterEnd) + 1;

  std::array<std::uint64_t, types> by_type{};       ///< messages, by `MarketEventType`
  std::array<std::uint64_t, statuses> by_status{};  ///< the same, by what the books said: `MarketStatus`
  std::uint64_t events = 0;                         ///< each of one message or more
  std::uint64_t crossed = 0;                        ///< events of a continuous market that left their book crossed
  std::uint64_t locked = 0;                         ///< the same with equal best prices
  std::uint64_t fills = 0;                          ///< executions of orders that rest, but for those of a cross
  std::uint64_t at_head = 0;                        ///< of these, with no order before it at its price
  std::uint64_t at_head_gone = 0;   ///< of the others, with none that the same event does not take from its place
  std::uint64_t passed_better = 0;  ///< of all, with an order of its side at a better price
  std::uint64_t cross_fills = 0;    ///< executions in a cross

  /// A number of messages.
  [[nodiscard]] std::uint64_t of(MarketEventType type) const noexcept {
    return by_type[static_cast<std::size_t>(type)];
  }
  [[nodiscard]] std::uint64_t of(MarketStatus status) const noexcept {
    return by_status[static_cast<std::size_t>(status)];
  }
  /// Messages that the books refused.
  [[nodiscard]] std::uint64_t refused() const noexcept {
    return std::accumulate(by_status.begin(), by_status.end(), std::uint64_t{0}) - of(MarketStatus::Success);
  }

  friend constexpr bool operator==(const TapeCounts&, const TapeCounts&) = default;
};

/// Plays a tape on books, and counts. It looks at an event as a whole, as it knows only at its end which orders it
/// has cancelled. Of an event of more than 4,096 messages, such as a snapshot, it looks at so many at a time.
class TapeReport {
 public:
  /// Makes a report on empty books, or nothing, and `status` says why.
  /// @param status InvalidBookCount, InvalidCapacity, OutOfMemory, or Success.
  [[nodiscard]] static std::optional<TapeReport> create(const MarketConfig& config,
                                                        CreateStatus& status = NoStatus{}) {
    std::optional<MarketBooks> books = MarketBooks::create(config, status);
    if (!books) return {};
    return TapeReport(std::move(*books), config.books);
  }

  /// Takes the next message of the tape. Constant on average; a fill is linear in orders before it and its event.
  void take(const MarketEvent& message) {
    waiting_.push_back(message);
    if (message.last) {
      end(message.book);
    } else if (waiting_.size() == messages_max) {
      play(message.book);
    }
  }
  /// Plays what no message has ended. Call it at the end of the tape.
  void finish() {
    while (!waiting_.empty()) end(waiting_.back().book);
  }

  /// So far, without an event that has not ended.
  [[nodiscard]] const TapeCounts& counts() const noexcept { return counts_; }
  /// The books as these events have left them.
  [[nodiscard]] const MarketBooks& books() const noexcept { return books_; }

 private:
  static constexpr std::size_t messages_max = 4'096;

  TapeReport(MarketBooks&& books, std::size_t count)
      : books_(std::move(books)), phases_(count, MarketPhase::Continuous) {}

  /// The event of a book ends.
  void end(BookNumber book) {
    play(book);
    ++counts_.events;
    look_at_touch(book);
  }
  /// Plays what waits of a book; messages of others go on waiting.
  void play(BookNumber book) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
      const MarketEvent message = waiting_[i];
      if (message.book != book) {
        waiting_[kept++] = message;
        continue;
      }
      if (message.type == MarketEventType::Execute || message.type == MarketEventType::Fill)
        score(message, std::span(waiting_).subspan(i + 1));
      NoDetails none;
      const MarketStatus status = books_.apply(message, none);
      ++counts_.by_type[index(message.type)];
      ++counts_.by_status[static_cast<std::size_t>(status)];
      if (message.type == MarketEventType::Phase && status == MarketStatus::Success) set_phase(message);
    }
    waiting_.resize(kept);
  }
  [[nodiscard]] static std::size_t index(MarketEventType type) noexcept {
    return std::min(static_cast<std::size_t>(type), TapeCounts::types - 1);
  }

  void set_phase(const MarketEvent& message) {
    if (message.book == every_book) {
      phases_.assign(phases_.size(), message.phase);
    } else {
      phases_[message.book] = message.phase;
    }
  }
  void look_at_touch(BookNumber book) noexcept {
    if (book >= phases_.size() || phases_[book] != MarketPhase::Continuous) return;
    const std::optional<const MarketBooks::Set::Book> one = books_.set().book(book);
    const std::optional<Price> bid = one->best(Side::Buy);
    const std::optional<Price> ask = one->best(Side::Sell);
    if (!bid || !ask || *bid < *ask) return;
    ++(*bid == *ask ? counts_.locked : counts_.crossed);
  }

  /// Looks at what is before an order that trades. `later` is what waits behind the message.
  void score(const MarketEvent& message, std::span<const MarketEvent> later) {
    const std::optional<RestingOrder> order = books_.books().find(message.id);
    if (!order) return;
    if (message.unprinted) {
      ++counts_.cross_fills;
      return;
    }
    ++counts_.fills;
    bool is_first = true;        // with no order before it at its price
    bool are_gone = true;        // the same event takes all of these from their places
    bool passes_better = false;  // some order is at a better price
    const auto book = books_.set().book(*books_.set().book_of(order->handle));
    book->visit_orders(order->side, [&](const RestingOrder& other) {
      if (other.id == order->id) return false;
      const Quantity filled = books_.filled(other.id);
      if (filled >= other.quantity) return true;  // what it showed has traded in this event
      passes_better |= other.price != order->price;
      if (other.price == order->price) {
        is_first = false;
        are_gone = leaves(other, filled, later);  // else the visit ends
      }
      return are_gone;
    });
    counts_.at_head += is_first;
    counts_.at_head_gone += !is_first && are_gone;
    counts_.passed_better += passes_better;
  }
  /// Whether all that an order shows leaves its place later in the event.
  [[nodiscard]] static bool leaves(const RestingOrder& order, Quantity filled,
                                   std::span<const MarketEvent> later) noexcept {
    Quantity left = order.quantity;
    for (const MarketEvent& message : later) {
      if (message.id != order.id) continue;
      if (message.type == MarketEventType::Cancel || message.type == MarketEventType::Replace) return true;
      if (message.type == MarketEventType::Reduce) left -= std::min(left, message.quantity);
      if (message.type == MarketEventType::Fill) filled += std::min(lots_max, message.quantity);
      if (message.type == MarketEventType::Modify && detail::loses_place(message, order, filled)) return true;
    }
    return left == 0;
  }

  MarketBooks books_;
  std::vector<MarketPhase> phases_;   ///< by book
  std::vector<MarketEvent> waiting_;  ///< of events that have not ended
  TapeCounts counts_;
};

}  // namespace llmes::inline LLMES_NAMESPACE
