// SPDX-License-Identifier: MIT
//
// The own orders of one strategy with their stories, and what the two impacts, `TapeImpact` and
// `DisplaceImpact`, say of a market event.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "llmes/detail/zeroed_array.hpp"
#include "llmes/simulator/market_books.hpp"
#include "llmes/simulator/market_event.hpp"
#include "llmes/simulator/own_order.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// How far the market of a strategy has left history. With `TapeImpact` only `taken` and its peak move.
struct Divergence {
  std::uint64_t lots_more = 0;   ///< lots that rest, but in history have traded or left
  std::uint64_t lots_fewer = 0;  ///< lots that rest in history
  std::uint64_t lots_peak = 0;   ///< the largest sum of both
  std::uint64_t levels = 0;      ///< levels whose lots differ, own orders not counted
  std::uint64_t unfilled = 0;    ///< lots that takers got in history, and did not find
  std::uint64_t ignored = 0;     ///< events about orders that we have taken
  std::uint64_t taken = 0;       ///< displayed lots that own orders took

  friend constexpr bool operator==(const Divergence&, const Divergence&) = default;
};

namespace detail {

[[nodiscard]] constexpr bool is_better(Side side, Price one, Price other) noexcept {
  return side == Side::Buy ? one > other : one < other;
}
/// Whether an order of `side` at `price` trades with one of the other side at `other`.
[[nodiscard]] constexpr bool crosses(Side side, Price price, Price other) noexcept {
  return !is_better(side, other, price);
}
/// A number that no best price of a side reaches.
[[nodiscard]] constexpr Price no_price(Side side) noexcept {
  return side == Side::Buy ? std::numeric_limits<Price>::min() : std::numeric_limits<Price>::max();
}

/// The end of an event, or the arrival of a command between two.
struct Moment {
  Nanoseconds time = 0;
  std::uint64_t record = 0;                     ///< the last one so far
  std::uint64_t messages = 0;                   ///< how many there were so far
  MarketPhase phase = MarketPhase::Continuous;  ///< of the book
};

/// Why an order may not come in a phase.
[[nodiscard]] constexpr OwnReason refusal_of_phase(MarketPhase phase, TimeInForce time_in_force) noexcept {
  if (phase == MarketPhase::Halted) return OwnReason::Halted;
  if (phase == MarketPhase::Closed) return OwnReason::Closed;
  const bool may_rest = time_in_force <= TimeInForce::PostOnly;
  return phase == MarketPhase::Auction && !may_rest ? OwnReason::InAuction : OwnReason::None;
}

/// An execution of the event at work.
struct Execution {
  OrderId id = 0;
  Price price = 0;  ///< of the order
  Quantity lots = 0;
  std::uint64_t placed = 0;
  std::uint64_t record = 0;
  BookNumber book = 0;
  Side side = Side::Buy;
  bool off_price = false;
  bool unprinted = false;
  bool of_reserve = false;  ///< lots that the order did not show: they trade behind all that rests at its price
};

/// What a message has changed of an order of the market.
struct MarketChange {
  const MarketEvent& event;
  OrderChange change{};
  BookNumber book = 0;
  const ZeroedArray<std::uint64_t>& numbers;
  Quantity filled =
      0;  ///< lots of the order that a `Fill` of the event has told of, and nothing took off it before

  /// The number of the message by which it came to its place; 0: long ago. A cache miss.
  [[nodiscard]] std::uint64_t placed() const noexcept { return numbers[change.before.handle.index]; }

  /// Calls `take` with what an `Execute` or a `Fill` has executed: lots that the order showed, and lots that it
  /// did not, which are as young as message `number`.
  template <class Take>
  void visit_executions(std::uint64_t number, const Take& take) const {
    const RestingOrder& order = change.before;
    Execution one{event.id,       order.price, event.quantity, placed(),
                  event.record,   book,        order.side,     event.off_price && event.price != order.price,
                  event.unprinted};
    if (event.type == MarketEventType::Fill) one.lots = std::min(event.quantity, left());
    if (one.lots != 0) take(one);
    one.lots = event.quantity - one.lots;
    one.placed = number;
    one.of_reserve = true;
    if (one.lots != 0) take(one);
  }
  /// What the market has of the order before this message, once it has taken off what has traded.
  [[nodiscard]] Quantity left() const noexcept { return left_of(change.before.quantity, filled); }
  /// Lots that leave the order's place by this message, but for those of which a `Fill` has told before.
  [[nodiscard]] Quantity withdrawn() const noexcept {
    const Quantity lots = change.before.quantity - (keeps_place() ? change.after.quantity : 0);
    return left_of(lots, filled);
  }
  /// Whether it keeps its place in the queue.
  [[nodiscard]] bool keeps_place() const noexcept {
    if (!change.rested() || !change.rests() || event.type == MarketEventType::Replace) return false;
    return event.type != MarketEventType::Modify || !loses_place(event, change.before, filled);
  }
};

/// A trade without an order of the book.
struct Print {
  BookNumber book = 0;
  Price price = 0;
  Quantity quantity = 0;
  std::uint64_t record = 0;
};

/// What an event has brought to a book beside what `MarketChange`s said of its orders.
struct EventEnd {
  std::span<const Execution> executions{};  ///< of all books
  std::array<bool, 2> entered{};            ///< by side: orders came or grew, or matching began
  const Print* auction = nullptr;           ///< of this book: then the executions are those of an auction
  std::span<const Print> hidden{};          ///< other prints, of all books
  const ZeroedArray<std::uint64_t>* placed = nullptr;  ///< by slot: as in `Execution`, of orders that rest
  bool has_uncrossed = false;                          ///< the book was crossed or locked before, and is no more

  /// Whether own orders of a side are to be matched with orders that face them.
  [[nodiscard]] bool matches_arrivals(Side side, MarketPhase phase) const noexcept {
    return phase == MarketPhase::Continuous &&
           (has_uncrossed || (auction == nullptr && entered[static_cast<std::size_t>(opposite(side))]));
  }
};

/// A fill, before fees. The order has it already.
struct NewFill {
  OwnOrderId order = no_order;
  Price price = 0;
  Quantity quantity = 0;
  std::uint64_t record = 0;
  OrderId other = 0;
  FillCause cause = FillCause::Took;
  QueuePosition ahead{};
};
using NewFills = std::vector<NewFill>;

}  // namespace detail

/// The orders that a strategy has sent, by their numbers.
class OwnOrders {
 public:
  OwnOrders(std::size_t orders_max, std::size_t steps_max) : steps_max_(steps_max) {
    orders_.reserve(orders_max);
    steps_.reserve(steps_max);
  }

  [[nodiscard]] std::span<const OwnOrder> all() const noexcept { return orders_; }
  [[nodiscard]] std::size_t size() const noexcept { return orders_.size(); }
  [[nodiscard]] OwnOrder& operator[](OwnOrderId id) noexcept { return orders_[id]; }
  [[nodiscard]] const OwnOrder& operator[](OwnOrderId id) const noexcept { return orders_[id]; }

  OwnOrder& add() {
    OwnOrder& order = orders_.emplace_back();
    order.id = static_cast<OwnOrderId>(orders_.size() - 1);
    return order;
  }

  /// Notes in the order's story what is ahead of it, while there is room.
  void note(OwnOrder& order, Nanoseconds time, std::uint64_t record) {
    if (steps_.size() == steps_max_) return;
    steps_.push_back({time, record, order.ahead, order.last_step, order.id});
    order.last_step = static_cast<std::uint32_t>(steps_.size());
  }
  /// Notes a modify, while there is room.
  void note(const OwnModify& modify) {
    if (modifies_.size() < steps_max_) modifies_.push_back(modify);
  }
  [[nodiscard]] bool keeps_steps() const noexcept { return steps_max_ != 0; }
  [[nodiscard]] std::span<const Step> steps() const noexcept { return steps_; }
  /// Those that came to the venue, in order of time.
  [[nodiscard]] std::span<const OwnModify> modifies() const noexcept { return modifies_; }

 private:
  std::vector<OwnOrder> orders_;
  std::vector<Step> steps_;
  std::vector<OwnModify> modifies_;
  std::size_t steps_max_;
};

}  // namespace llmes::inline LLMES_NAMESPACE
