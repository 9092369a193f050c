// SPDX-License-Identifier: MIT
//
// The matching core: a limit order book for one instrument, price-time priority.
//
//  - Every call either does all it says, or is rejected with a typed status and changes nothing: all checks
//    come before the first write.
//  - Once the book is made, nothing here allocates, locks, throws, recurses or calls the system.
//  - The tree answers the best price; nothing is cached, so it is true after every call.
//  - The same calls give the same results, handles and trades on every compiler and machine: GCC 11 or Clang
//    14 and later, and a 64-bit target.
//  - Single owner: one thread at a time may use a book, queries included.
//  - A sink must not call the book. Nothing in a release build notices it, and the book is corrupt from then on:
//    an order that is being filled can be cancelled a second time. A sink notes what it wants to do, and its
//    owner does that after the call.
//  - A program that defines LLMES_CHECK_PRECONDITIONS ends with a message if it breaks one of these two rules (see
//    call_guard.hpp). Others have no check, because none is free: in each call that changes the book it takes 3.1
//    of 80 instructions; in matching alone 5 each time, and it would miss the calls that do the harm.
//
// The calls that only rest or cancel are forced inline; matching stays out of line. Left to itself, a compiler
// decides by the size of the unit: with link-time optimisation GCC inlined none of these calls and lost a
// third of the speed. Spans are forced inline too, so that what their receiver counts stays in
// registers.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>

#include "llmes/book/any_price_side_book.hpp"
#include "llmes/book/array_side_book.hpp"
#include "llmes/book/calls.hpp"
#include "llmes/book/matching.hpp"
#include "llmes/book/order_pool.hpp"
#include "llmes/book/price_level.hpp"
#include "llmes/book/wide_side_book.hpp"
#include "llmes/detail/call_guard.hpp"
#include "llmes/types/arguments.hpp"
#include "llmes/types/command.hpp"
#include "llmes/types/span_results.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// A limit order book over the band [base_price, base_price + PriceLevels), where PriceLevels is a power of two
/// from 64 to 262,144. `SideBookOf` says where the price levels are kept: `ArraySideBook`, the faster one in a
/// narrow band, keeps one for each price; `WideSideBook`, the faster one from some 65,536 prices on, only those in
/// use. With `AnyPriceSideBook` there is no band: see `AnyPriceBook`.
///
/// Memory: 32 bytes for each order of capacity and 32 bytes for each price level and side, in one block, and
/// the object itself, which holds the bits that say where orders are: 1.1 KiB for 4,096 price levels, 65 KiB
/// for 262,144 (mind the stack). A `WideOrderBook` takes no memory for each price level but these bits, and
/// another 80 to 96 bytes for each order of capacity. `memory_bytes` says it exactly.
///
/// A moved-from book keeps its band and has no capacity: it rejects every order that would rest.
template <std::size_t PriceLevels = 4096, template <std::size_t> class SideBookOf = ArraySideBook>
class OrderBook : private detail::Matching<PriceLevels, SideBookOf>,
                  public OrderCalls<OrderBook<PriceLevels, SideBookOf>, Command> {
  using Matching = detail::Matching<PriceLevels, SideBookOf>;
  using Matching::base_price_, Matching::base_price_max, Matching::depth_level, Matching::fits_after_shift,
      Matching::is_shared, Matching::is_side, Matching::level_at, Matching::offset_of, Matching::pool_,
      Matching::price_at, Matching::price_of, Matching::rank_count, Matching::resting_order, Matching::run_any,
      Matching::side_book, Matching::visit_rank;
  using typename Matching::SideBook;

 public:
  using Config = BookConfig;

  /// Makes an empty book, or nothing, and `status` says why. All memory is allocated and touched here; nothing is
  /// allocated later. A system that overcommits memory may end the program instead of refusing.
  /// @param status InvalidCapacity (0, or above `capacity_max`), InvalidBasePrice (the band would reach the
  /// largest `Price`), InvalidQuantityMax (0), OutOfMemory, or Success.
  [[nodiscard]] static std::optional<OrderBook> create(const BookConfig& config, CreateStatus& status) noexcept {
    status = check(config);
    if (status != CreateStatus::Success) return {};
    std::optional<OrderBook> book{OrderBook(config)};
    if (!book->prepare_sides(config.capacity)) {
      status = CreateStatus::OutOfMemory;
      book.reset();
    }
    return book;
  }

  /// The same without a reason.
  [[nodiscard]] static std::optional<OrderBook> create(const BookConfig& config) noexcept {
    CreateStatus status{};
    return create(config, status);
  }

  OrderBook(OrderBook&&) noexcept = default;
  OrderBook& operator=(OrderBook&&) noexcept = default;

  // ---- Orders: the calls of calls.hpp.

  template <CommandType type, class Sink, class Details>
  [[gnu::always_inline]] Result execute(const Command& command, Sink& sink,
                                        [[maybe_unused]] Details& details) noexcept {
    [[maybe_unused]] const auto call = guard_.change();
    if constexpr (WantsDetails<Details>) {
      note_before(command, type, details);
      Result result = this->template run<type>(command, sink);  // not const: GCC would keep it in memory
      note_after(command, type, result, details);
      return result;
    } else {
      return this->template run<type>(command, sink);
    }
  }

  /// Takes every order off a side, or off the book. Linear in the orders.
  /// @return how many they were; 0 if the side is not an enumerator.
  std::size_t clear(Side side) noexcept {
    [[maybe_unused]] const auto call = guard_.change();
    if (!is_side(side)) return 0;
    const std::size_t before = pool_.live_count();
    for (std::size_t rank = side_book(side).best(); rank < rank_count; rank = side_book(side).best()) {
      PriceLevel level = level_at(side, rank);
      while (!level.empty()) {
        const SlotIndex index = level.front();
        level.erase(index);
        pool_.release(index);
      }
      side_book(side).retire_if_empty(pool_, level);
    }
    return before - pool_.live_count();
  }
  std::size_t clear() noexcept { return clear(Side::Buy) + clear(Side::Sell); }

  /// Makes the call that `command` describes.
  /// Rejections: those of that call, and InvalidCommand (type is not an enumerator).
  template <TradeSink Sink>
  [[gnu::always_inline]] Result apply(const Command& command, Sink&& sink) noexcept {
    NoDetails none;
    return apply(command, sink, none);
  }

  /// Applies `commands` in order, exactly as single calls would, and gives `receiver` each result before it reads
  /// the next command. In a book whose orders outgrow the caches it fetches the orders of later commands ahead
  /// of time, unless most of them have just come. Receiver and sink may take the index of the command as well; the
  /// receiver may also be a `ChangeReceiver`.
  /// Between two commands the receiver may call the book and change later commands, such as giving them the handle
  /// of an order just added. It must not move or destroy the book, nor the commands. An exception that leaves the
  /// receiver ends the program.
  template <ResultReceiver Receiver, SpanTradeSink Sink>
  [[gnu::always_inline]] void apply(std::span<const Command> commands, Receiver&& receiver, Sink&& sink) noexcept {
    [[maybe_unused]] const auto call = guard_.span();
    constexpr std::size_t worth_fetching = 8'192;  // resting orders: 256 KiB of slots
    constexpr std::size_t slots_ahead = 24;
    constexpr std::size_t neighbours_ahead = 12;
    const Command* command = commands.data();
    const Command* const end = command + commands.size();
    std::size_t i = 0;
    if (size() >= worth_fetching && spans_to_skip_-- == 0) {
      std::size_t warm = 0;  // how many commands name an order that already rests twelve commands before
      for (; commands.size() - i > slots_ahead; ++i, ++command) {
        const OrderHandle soon = command[neighbours_ahead].handle;
        pool_.prefetch(command[slots_ahead].handle.index);
        pool_.prefetch_neighbours(soon.index);
        warm += pool_.seems_live(soon);
        apply_at(i, *command, receiver, sink);
      }
      spans_to_skip_ = warm < i / 6 ? 63 : 0;  // orders that have just come are warm
    }
    for (; command != end; ++i, ++command) apply_at(i, *command, receiver, sink);
  }

  /// The same, writing the results to `results`.
  /// @return how many commands were applied: all, or as many as fit in `results`.
  template <TradeSink Sink>
  [[nodiscard]] std::size_t apply(std::span<const Command> commands, std::span<Result> results,
                                  Sink&& sink) noexcept {
    return apply_into(*this, commands, results, sink);
  }

  /// Moves the band to [base_price, base_price + PriceLevels), for when the market leaves it. Every resting
  /// order keeps its price, priority and handle.
  /// Linear in the price levels and the resting orders; it may take milliseconds in a large book.
  /// Rejections, which leave the band where it was: PriceOutOfBand (a resting order lies outside the new band,
  /// or the band would reach the largest `Price`).
  [[nodiscard]] Status recenter(PriceArgument base_price) noexcept
    requires(SideBook::has_band)
  {
    [[maybe_unused]] const auto call = guard_.change();
    const std::size_t up = offset_of(base_price);  // modulo 2^64, as are the ranks that follow from it
    if (base_price > base_price_max || !fits_after_shift(Side::Buy, up) || !fits_after_shift(Side::Sell, 0 - up)) {
      return Status::PriceOutOfBand;
    }
    if (up != 0) {
      side_book(Side::Buy).shift_ranks(pool_, Side::Buy, up);
      side_book(Side::Sell).shift_ranks(pool_, Side::Sell, 0 - up);
      base_price_ = base_price;
    }
    return Status::Success;
  }

  // ---- Queries. A price outside the band, or a side that is no enumerator, is answered like an empty level.

  /// The highest price at which a buy order rests, if any. Constant.
  [[nodiscard]] std::optional<Price> best_bid() const noexcept { return best(Side::Buy); }
  /// The lowest price at which a sell order rests, if any. Constant.
  [[nodiscard]] std::optional<Price> best_ask() const noexcept { return best(Side::Sell); }
  /// One of these, by side. Constant.
  [[nodiscard]] std::optional<Price> best(Side side) const noexcept {
    [[maybe_unused]] const auto call = guard_.query();
    if (!is_side(side)) return {};
    const std::size_t rank = side_book(side).best();
    if (rank == rank_count) return {};
    return price_of(side, rank);
  }
  /// The lowest price at which a buy order rests, or the highest of a sell order, if any. Constant.
  [[nodiscard]] std::optional<Price> worst(Side side) const noexcept {
    [[maybe_unused]] const auto call = guard_.query();
    if (!is_side(side) || side_book(side).best() == rank_count) return {};
    return price_of(side, side_book(side).worst(pool_));
  }

  /// The price, total and order count of one level; quantity and count are 0 if nothing rests there. Constant.
  [[nodiscard]] DepthLevel level(Side side, PriceArgument price) const noexcept {
    [[maybe_unused]] const auto call = guard_.query();
    const std::size_t offset = offset_of(price);
    if (!is_side(side) || offset >= rank_count) return {price};
    const std::size_t rank = SideBook::rank(side, offset);
    return side_book(side).occupied(pool_, rank) ? depth_level(side, rank) : DepthLevel{price};
  }

  /// Writes the levels of one side into `out`, the best first, until either ends. Linear in what it writes.
  /// @return how many were written.
  [[nodiscard]] std::size_t depth(Side side, std::span<DepthLevel> out) const noexcept {
    [[maybe_unused]] const auto call = guard_.query();
    if (!is_side(side)) return 0;
    std::size_t count = 0;
    for (std::size_t rank = side_book(side).best(); rank < rank_count && count < out.size();
         rank = side_book(side).best_from(pool_, rank + 1)) {
      out[count++] = depth_level(side, rank);
    }
    return count;
  }

  /// Calls `visitor` with each `RestingOrder` of one side in priority order: best price first, and oldest
  /// first at each price. A visitor that returns `false` ends the visit. It must not change the book: to cancel
  /// what it visits, collect the handles first. Linear in the orders and levels visited.
  template <OrderVisitor Visitor>
  void visit_orders(Side side, Visitor&& visitor) const {
    [[maybe_unused]] const auto call = guard_.query();
    if (!is_side(side)) return;
    for (std::size_t rank = side_book(side).best(); rank < rank_count;
         rank = side_book(side).best_from(pool_, rank + 1)) {
      if (!visit_rank(side, rank, visitor)) return;
    }
  }

  /// The same with the orders of one level, the oldest first.
  template <OrderVisitor Visitor>
  void visit_level(Side side, PriceArgument price, Visitor&& visitor) const {
    [[maybe_unused]] const auto call = guard_.query();
    const std::size_t offset = offset_of(price);
    if (!is_side(side) || offset >= rank_count) return;
    const std::size_t rank = SideBook::rank(side, offset);
    if (side_book(side).occupied(pool_, rank)) std::ignore = visit_rank(side, rank, visitor);
  }

  /// The order that `handle` names, if it rests. Constant.
  [[nodiscard]] std::optional<RestingOrder> find(OrderHandle handle) const noexcept {
    [[maybe_unused]] const auto call = guard_.query();
    if (!pool_.contains(handle)) return {};
    return resting_order(handle.index);
  }

  /// What stands before an order in the queue of its level, if it rests. Linear in those orders.
  [[nodiscard]] std::optional<QueuePosition> queue_ahead(OrderHandle handle) const noexcept {
    [[maybe_unused]] const auto call = guard_.query();
    if (!pool_.contains(handle)) return {};
    QueuePosition ahead;
    const SlotIndex anchor = pool_[handle.index].level;
    for (SlotIndex i = pool_[handle.index].previous; i != anchor; i = pool_[i].previous) {
      ahead.quantity += pool_[i].quantity;
      ++ahead.order_count;
    }
    return ahead;
  }

  /// How many orders rest.
  [[nodiscard]] std::size_t size() const noexcept {
    [[maybe_unused]] const auto call = guard_.query();
    return pool_.live_count();
  }
  /// How many orders can rest; 0 once moved from.
  [[nodiscard]] std::size_t capacity() const noexcept {
    [[maybe_unused]] const auto call = guard_.query();
    return pool_.capacity();
  }
  /// The lowest and the highest price the book can hold, in ticks.
  [[nodiscard]] Price price_min() const noexcept {
    [[maybe_unused]] const auto call = guard_.query();
    return base_price_;
  }
  [[nodiscard]] Price price_max() const noexcept {
    [[maybe_unused]] const auto call = guard_.query();
    return price_at(rank_count - 1);
  }

  static constexpr std::size_t price_levels = SideBook::rank_count;
  static constexpr std::size_t capacity_max = SideBook::capacity_max;
  /// Whether it has a band, and not every price.
  static constexpr bool has_band = SideBook::has_band;

  /// All the memory of a book with room for `capacity` orders: the object and the blocks it owns.
  [[nodiscard]] static constexpr std::size_t memory_bytes(std::size_t capacity) noexcept {
    return sizeof(OrderBook) + SideBook::memory_bytes(capacity);
  }

  // ---- For a layer that finds orders by other names than handles, such as id_book.hpp.

  /// The handle of the order that lives in slot `slot`, if it rests and has this id; else one that names nothing.
  /// Any number will do for a slot. Constant.
  [[nodiscard, gnu::always_inline]] OrderHandle handle_at(std::uint32_t slot, IdArgument id) const noexcept {
    [[maybe_unused]] const auto call = guard_.query();
    return pool_.handle_at(slot, id);
  }

  /// For an index: the id of the order in a slot, one of which must live there; and slots are below this number.
  [[nodiscard]] OrderId id_at(std::uint32_t slot) const noexcept { return pool_.any_slot(slot).id; }
  [[nodiscard]] std::size_t slot_count() const noexcept { return pool_.slot_count(); }

  /// Hints, which change nothing: start loading what a later call will touch. That is the order in a slot; what it
  /// is linked to, for which its slot should be there already; or what an order that comes to a price meets. Any
  /// number will do.
  [[gnu::always_inline]] void fetch(std::uint32_t slot) const noexcept { pool_.prefetch(slot); }
  [[gnu::always_inline]] void fetch_neighbours(std::uint32_t slot) const noexcept {
    if (pool_.slot_count() != 0) pool_.prefetch_neighbours(slot);
  }
  [[gnu::always_inline]] void fetch_level(Side side, PriceArgument price) const noexcept {
    if constexpr (requires { side_book(side).prefetch(pool_, side, 0); }) {
      // A side or a price that is none leads somewhere: a branch would cost more than a wasted fetch.
      const auto some_side = static_cast<Side>(static_cast<unsigned>(side) % 2);
      const std::size_t offset = std::min(offset_of(price), rank_count - 1);
      side_book(some_side).prefetch(pool_, some_side, SideBook::rank(some_side, offset));
    }
  }
  /// Whether a price level is met cold as a rule, so that `fetch_level` gains.
  [[nodiscard]] static constexpr bool has_cold_levels() noexcept { return SideBook::has_cold_levels; }

 private:
  friend struct BookInspector;
  template <class>
  friend class BasicBookSet;

  using Guard = std::conditional_t<is_shared, SharedCallGuard, CallGuard>;

  explicit OrderBook(const BookConfig& config) noexcept : Matching(config) {}
  /// A book of a set.
  OrderBook(Quantity quantity_max, SideBook* sides, const typename SideBook::Pool& pool,
            const CallGuard& guard) noexcept
    requires(is_shared)
      : Matching(quantity_max, sides, pool), guard_(guard) {}

  [[nodiscard]] static constexpr CreateStatus check(const BookConfig& config) noexcept {
    if (config.capacity == 0 || config.capacity > capacity_max) return CreateStatus::InvalidCapacity;
    if (has_band && config.base_price > base_price_max) return CreateStatus::InvalidBasePrice;
    if (config.quantity_max == 0) return CreateStatus::InvalidQuantityMax;
    return CreateStatus::Success;
  }

  // ---- Spans.

  /// Tells a sink which command of a span trades.
  template <class Sink>
  struct IndexedSink {
    Sink& sink;
    std::size_t index;

    void operator()(const Trade& trade) const { sink(trade, index); }
  };

  /// Applies command `i` of a span.
  template <class Receiver, class Sink>
  [[gnu::always_inline]] void apply_at(std::size_t i, const Command& command, Receiver& receiver,
                                       Sink& sink) noexcept {
    DetailsFor<Receiver> details;
    const Result result = [&]() __attribute__((always_inline)) {
      if constexpr (TradeSink<Sink>) {
        return apply(command, sink, details);
      } else {
        return apply(command, IndexedSink<Sink>{sink, i}, details);
      }
    }
    ();
    give_result(receiver, result, i, details);
  }

  template <TradeSink Sink, class Details>
  [[gnu::always_inline]] Result apply(const Command& command, Sink&& sink, Details& details) noexcept {
    // Two branches instead of a jump table: which of the two common types comes next is hard to predict, and
    // the processor recovers sooner from a mispredicted branch.
    if (command.type == CommandType::AddLimit) {
      return execute<CommandType::AddLimit>(
          Command::add_limit(command.id, command.side, command.price, command.quantity, command.time_in_force),
          sink, details);
    }
    if (command.type == CommandType::Cancel) return execute<CommandType::Cancel>(command, sink, details);
    [[maybe_unused]] const auto call = guard_.change();
    if constexpr (WantsDetails<Details>) {
      note_before(command, command.type, details);
      Result result = run_any(command, sink);
      note_after(command, command.type, result, details);
      return result;
    } else {
      return run_any(command, sink);
    }
  }

  // ---- What a call changes, for who wants to know. Nobody else pays for it.

  [[gnu::always_inline]] void note_before(const Command& command, CommandType type,
                                          OrderChange& change) const noexcept {
    if (!adds(type) && pool_.contains(command.handle)) change.before = resting_order(command.handle.index);
  }
  [[gnu::always_inline]] static void note_after(const Command& command, CommandType type, const Result& result,
                                                OrderChange& change) noexcept {
    const RestingOrder& before = change.before;
    change.after = {result.handle, adds(type) || replaces(type) ? command.id : before.id,
                    adds(type) ? command.side : before.side, has_price(type) ? command.price : before.price,
                    result.remaining};
  }

  /// Its number in its set.
  [[nodiscard]] BookNumber number() const noexcept
    requires(is_shared)
  {
    return pool_.number();
  }

  std::uint32_t spans_to_skip_ = 0;  ///< a hint: how many of them fetch nothing ahead of time
  [[no_unique_address]] Guard guard_;
};

/// A book for wide bands, which keeps only the price levels in use.
template <std::size_t PriceLevels = 262'144>
using WideOrderBook = OrderBook<PriceLevels, WideSideBook>;

/// A book without a band: it holds every price but the largest, and has no `recenter`. It reads no base price.
///
/// No call costs more because prices jump: no order or level moves when a best price comes or goes. Bits say which
/// of the `Window` prices near the best one are in use, on each side. A level beyond them takes time logarithmic
/// in the number of such levels. The window follows the orders: a call that moves it takes as long as that for 64
/// levels, twice at most.
///
/// Memory: some 120 bytes for each order of capacity, up to 1 MiB for the places of levels, and the object itself,
/// which holds the bits: 66 KiB (mind the stack). `memory_bytes` says it exactly.
template <std::size_t Window = 262'144>
using AnyPriceBook = OrderBook<Window, AnyPriceSideBook>;

}  // namespace llmes::inline LLMES_NAMESPACE
