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
//
// The book may be locked or crossed: a feed shows what a venue has yet to match, and an auction collects orders
// that cross. So nothing here takes it for granted that the best bid is below the best ask. Orders that never
// trade have calls of their own; the others match what they meet.
//
// An order that crosses and still rests afterwards has used up at least one maker, so a slot is free for it,
// however full the pool was.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include "llmes/book/array_side_book.hpp"
#include "llmes/book/calls.hpp"
#include "llmes/book/order_pool.hpp"
#include "llmes/book/place_side_book.hpp"
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
/// use. With `PlaceSideBook` there is no band: see `AnyPriceBook`.
///
/// Memory: 32 bytes for each order of capacity and 32 bytes for each price level and side, in one block, and
/// the object itself, which holds the bits that say where orders are: 1.1 KiB for 4,096 price levels, 65 KiB
/// for 262,144 (mind the stack). A `WideOrderBook` takes no memory for each price level but these bits, and
/// another 80 to 96 bytes for each order of capacity. `memory_bytes` says it exactly.
///
/// A moved-from book keeps its band and has no capacity: it rejects every order that would rest.
template <std::size_t PriceLevels = 4096, template <std::size_t> class SideBookOf = ArraySideBook>
class OrderBook : public OrderCalls<OrderBook<PriceLevels, SideBookOf>, Command> {
  using SideBook = SideBookOf<PriceLevels>;

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
    const auto& [id, handle] = static_cast<const Command::Names&>(command);
    if constexpr (type == CommandType::AddLimit) {
      return add_limit(id, command.side, command.price, command.quantity, command.time_in_force, sink);
    } else if constexpr (type == CommandType::Cancel) {
      if constexpr (WantsDetails<Details>) {
        if (pool_.contains(handle)) details = resting_order(handle.index);
      }
      return cancel(handle);
    } else if constexpr (type == CommandType::Reduce && WantsDetails<Details>) {
      const RestingOrder before = pool_.contains(handle) ? resting_order(handle.index) : RestingOrder{};
      const Result result = complete(reduce(handle, command.quantity), command.quantity, false, true);
      if (result.status == Status::Success) {
        details = before;
        details.quantity -= command.quantity;
      }
      return result;
    } else {
      const bool kept_place = modifies(type) && keeps_place(handle, command.price, command.quantity);
      return complete(make<type>(command, sink), command.quantity, kept_place, type == CommandType::Reduce);
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
    // Two branches instead of a jump table: which of the two common types comes next is hard to predict, and
    // the processor recovers sooner from a mispredicted branch.
    [[maybe_unused]] const auto call = guard_.change();
    if (command.type == CommandType::AddLimit) {
      return add_limit(command.id, command.side, command.price, command.quantity, command.time_in_force, sink);
    }
    if (command.type == CommandType::Cancel) return cancel(command.handle);
    const bool kept_place = modifies(command.type) && keeps_place(command.handle, command.price, command.quantity);
    return complete(make_any(command, sink), command.quantity, kept_place, command.type == CommandType::Reduce);
  }

  /// Applies `commands` in order, exactly as single calls would, and gives `receiver` each result before it reads
  /// the next command. In a book whose orders outgrow the caches it fetches the orders of later commands ahead
  /// of time, unless most of them have just come. Receiver and sink may take the index of the command as well; the
  /// receiver may also be a `CancelListener`.
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
      std::size_t rested = 0;  // how many commands name an order that rests twelve commands before
      for (; commands.size() - i > slots_ahead; ++i, ++command) {
        const OrderHandle soon = command[neighbours_ahead].handle;
        pool_.prefetch(command[slots_ahead].handle.index);
        pool_.prefetch_neighbours(soon.index);
        rested += pool_.seems_live(soon);
        apply_at(i, *command, receiver, sink);
      }
      spans_to_skip_ = rested < i / 6 ? 63 : 0;  // orders that have just come are warm
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
  template <class, class>
  friend class IdBook;

  /// Whether the book is one of a set, which has its sides and its pool.
  static constexpr bool is_shared = requires { typename SideBook::Shared; };
  using Sides = std::conditional_t<is_shared, SideBook*, std::array<SideBook, 2>>;
  using Guard = std::conditional_t<is_shared, SharedCallGuard, CallGuard>;

  /// As many ranks as prices.
  static constexpr std::size_t rank_count = SideBook::rank_count;
  static constexpr Price base_price_max = std::numeric_limits<Price>::max() - Price{PriceLevels};

  explicit OrderBook(const BookConfig& config) noexcept
      : base_price_(has_band ? config.base_price : std::numeric_limits<Price>::min()),
        quantity_max_(config.quantity_max),
        sides_{},
        pool_(SideBook::pool(config.capacity)) {}

  /// A book of a set.
  OrderBook(Quantity quantity_max, SideBook* sides, const typename SideBook::Pool& pool,
            const CallGuard& guard) noexcept
    requires(is_shared)
      : base_price_(std::numeric_limits<Price>::min()),
        quantity_max_(quantity_max),
        sides_(sides),
        pool_(pool),
        guard_(guard) {}

  /// Second part of making a book: false if there is too little memory.
  [[nodiscard]] bool prepare_sides(std::size_t capacity) noexcept {
    return pool_.slot_count() != 0 && side_book(Side::Buy).prepare(pool_, Side::Buy, capacity) &&
           side_book(Side::Sell).prepare(pool_, Side::Sell, capacity);
  }

  [[nodiscard]] static constexpr CreateStatus check(const BookConfig& config) noexcept {
    if (config.capacity == 0 || config.capacity > capacity_max) return CreateStatus::InvalidCapacity;
    if (has_band && config.base_price > base_price_max) return CreateStatus::InvalidBasePrice;
    if (config.quantity_max == 0) return CreateStatus::InvalidQuantityMax;
    return CreateStatus::Success;
  }

  /// Whether an order that comes to `rank` meets neither a far level nor a window that has to move. A band has
  /// neither.
  [[nodiscard, gnu::always_inline]] bool is_near(Side side, std::size_t rank) const noexcept {
    if constexpr (has_band) {
      return true;
    } else {
      return side_book(side).is_near(rank);
    }
  }
  /// Whether a level can be had for an order that comes to `rank`, as it always can for one that is near, unless
  /// it `moves` there from another level. Only the far levels of a set may run out.
  [[nodiscard, gnu::always_inline]] bool has_level(Side side, std::size_t rank, bool moves) const noexcept {
    if constexpr (is_shared) {
      return side_book(side).has_level(pool_, rank, moves);
    } else {
      return true;
    }
  }
  /// A level on which orders rest.
  [[nodiscard]] PriceLevel level_at(Side side, std::size_t rank) noexcept {
    return {pool_, side_book(side).anchor(pool_, side, rank)};
  }
  [[nodiscard, gnu::always_inline]] bool has_room(Side side, std::size_t rank, Quantity quantity,
                                                  Quantity leaving = 0) noexcept {
    return side_book(side).has_room(pool_, side, rank, quantity, leaving);
  }
  [[nodiscard]] static constexpr bool is_side(Side side) noexcept { return side <= Side::Sell; }
  /// Whether it is neither 0 nor above the largest, in one compare.
  [[nodiscard]] bool is_valid(Quantity quantity) const noexcept { return quantity - 1 < quantity_max_; }

  [[nodiscard]] SideBook& side_book(Side side) noexcept { return sides_[static_cast<std::size_t>(side)]; }
  [[nodiscard]] const SideBook& side_book(Side side) const noexcept {
    return sides_[static_cast<std::size_t>(side)];
  }

  /// Ticks above the base price, or a number above every offset if `price` is below it: the difference is
  /// unsigned, so nothing overflows.
  [[nodiscard]] std::size_t offset_of(Price price) const noexcept {
    return static_cast<std::uint64_t>(price) - static_cast<std::uint64_t>(base_price_);
  }
  [[nodiscard]] Price price_at(std::size_t offset) const noexcept {
    return static_cast<Price>(static_cast<std::uint64_t>(base_price_) + offset);
  }
  [[nodiscard]] Price price_of(Side side, std::size_t rank) const noexcept {
    return price_at(SideBook::rank(side, rank));
  }

  /// The rank of the price `offset` ticks above the base price, which may lie beyond the band: 0 beyond the
  /// aggressive end, where an order reaches every maker, and PriceLevels beyond the other, where it reaches none.
  [[nodiscard]] std::size_t rank_of_limit(Side side, std::size_t offset) const noexcept {
    if (offset < rank_count) return SideBook::rank(side, offset);
    const bool above = price_at(offset) > base_price_;
    return above == (side == Side::Buy) ? 0 : rank_count;
  }

  [[nodiscard, gnu::always_inline]] std::size_t best_rank(Side side) const noexcept {
    return side_book(side).best();
  }
  /// The worst rank of the other side that an order of this rank crosses.
  [[nodiscard]] static constexpr std::size_t reach(std::size_t rank) noexcept { return rank_count - 1 - rank; }
  [[nodiscard, gnu::always_inline]] bool crosses(Side side, std::size_t rank) const noexcept {
    return side_book(opposite(side)).best() <= reach(rank);
  }
  /// Whether an order with this time in force may come to rest.
  [[nodiscard]] static constexpr bool may_rest(TimeInForce time_in_force) noexcept {
    return time_in_force <= TimeInForce::PostOnly;
  }
  /// The same, and whether its side is one: both are then 0 or 1, which one compare tells.
  [[nodiscard, gnu::always_inline]] static constexpr bool may_rest(Side side, TimeInForce time_in_force) noexcept {
    return (static_cast<unsigned>(side) | static_cast<unsigned>(time_in_force)) <= 1;
  }

  /// What a call that is out of line returns; the handle is that of the order, if it rests now. The other members
  /// of a `Result` follow from it, from the command and from the book, in code that is inlined and without side
  /// effects: whoever does not read them does not pay.
  struct Outcome {
    Status status = Status::Success;
    OrderHandle handle{};
    Quantity filled = 0;
  };

  /// The result of a call that added an order of `quantity` lots, modified or replaced one by so many, or
  /// `reduces` one by so many.
  [[nodiscard, gnu::always_inline]] Result complete(const Outcome& outcome, Quantity quantity,
                                                    bool kept_place = false, bool reduces = false) const noexcept {
    const auto& [status, handle, filled] = outcome;
    const bool rests = handle != OrderHandle{};
    const bool rejected = status != Status::Success;
    const bool ends = !rejected && (!rests || reduces);
    return {status,
            handle,
            filled,
            rests ? pool_[handle.index].quantity : 0,
            ends ? quantity - filled : 0,
            rests && (kept_place || reduces || rejected)};
  }

  /// Whether an order that rests keeps its place when it is changed to `price` and `quantity`.
  [[nodiscard, gnu::always_inline]] bool keeps_place(OrderHandle handle, Price price,
                                                     Quantity quantity) const noexcept {
    return pool_.contains(handle) && quantity <= pool_[handle.index].quantity &&
           offset_of(price) == offset_of_order(handle.index);
  }

  static constexpr bool modifies(CommandType type) noexcept {
    return type == CommandType::Modify || type == CommandType::ModifyResting;
  }

  template <class Sink>
  [[gnu::always_inline]] Result add_limit(IdArgument id, Side side, PriceArgument price, QuantityArgument quantity,
                                          TimeInForce time_in_force, Sink& sink) noexcept {
    const std::size_t offset = offset_of(price);
    const bool rests = may_rest(side, time_in_force) && is_valid(quantity);
    if (rests && offset < rank_count) [[likely]] {
      const std::size_t rank = SideBook::rank(side, offset);
      if (!crosses(side, rank) && !pool_.full() && is_near(side, rank) && has_room(side, rank, quantity))
          [[likely]] {
        return {Status::Success, rest(id, side, rank, quantity), 0, quantity};
      }
    }
    return complete(add_slow(id, side, offset, quantity, time_in_force, sink), quantity);
  }

  [[gnu::always_inline]] Result cancel(OrderHandle handle) noexcept {
    if (!pool_.contains(handle)) return {Status::UnknownOrder};
    take_off(handle.index);
    pool_.release(handle.index);
    return {Status::Success, {}, 0, 0, pool_[handle.index].quantity};  // a free slot keeps the quantity
  }

  Outcome reduce(OrderHandle handle, Quantity by) noexcept {
    if (!pool_.contains(handle)) return {Status::UnknownOrder};
    const OrderSlot& order = pool_[handle.index];
    if (by == 0 || by > order.quantity) return {Status::InvalidQuantity, handle};
    if (by == order.quantity) return {cancel(handle).status};
    PriceLevel(pool_, order.level).reduce(handle.index, by);
    return {Status::Success, handle};
  }

  template <TradeSink Sink>
  Outcome add_market(OrderId id, Side side, Quantity quantity, Sink& sink) noexcept {
    if (!is_side(side)) return {Status::InvalidCommand};
    if (!is_valid(quantity)) return {Status::InvalidQuantity};
    return {Status::Success, {}, match(id, side, rank_count - 1, quantity, sink)};
  }

  /// Stands for the sink of a call that never trades.
  struct NeverTrades {};
  template <class Sink>
  static constexpr bool may_trade = !std::same_as<Sink, NeverTrades>;

  template <class Sink>
  Outcome modify(OrderHandle handle, Price price, Quantity quantity, Sink& sink) noexcept {
    if (!pool_.contains(handle)) return {Status::UnknownOrder};
    const SlotIndex index = handle.index;
    if (!is_valid(quantity)) return {Status::InvalidQuantity, handle};
    const std::size_t offset = offset_of(price);
    if (offset >= rank_count) return {Status::PriceOutOfBand, handle};

    OrderSlot& order = pool_[index];
    const Side side = SideBook::side_of(pool_, order.level);
    const std::size_t rank = SideBook::rank(side, offset);
    const bool same_price = rank == SideBook::rank_of(pool_, order.level);
    const Quantity open = order.quantity;
    if (same_price && quantity <= open) {
      PriceLevel(pool_, order.level).reduce(index, open - quantity);
      return {Status::Success, handle, 0};
    }
    if (!has_level_to_rest<Sink>(side, rank, quantity, true)) [[unlikely]]
      return {Status::PoolFull, handle};
    if (!has_room_to_rest<Sink>(side, rank, quantity, same_price ? open : 0)) [[unlikely]]
      return {Status::QuantityOverflow, handle};

    take_off(index);
    Quantity filled = 0;
    if constexpr (may_trade<Sink>) {
      if (crosses(side, rank)) filled = match(order.id, side, reach(rank), quantity, sink);
      if (filled == quantity) {
        pool_.release(index);
        return {Status::Success, {}, filled};
      }
    }
    order.quantity = quantity - filled;
    side_book(side).push_back(pool_, side, rank, index);
    return {Status::Success, handle, filled};
  }

  template <TradeSink Sink>
  Outcome modify(OrderHandle handle, Price price, Quantity quantity, TimeInForce time_in_force,
                 Sink& sink) noexcept {
    if (time_in_force == TimeInForce::GoodTillCancel) [[likely]]
      return modify(handle, price, quantity, sink);
    return modify_slow(handle, price, quantity, time_in_force, sink);
  }

  /// Modifies with another time in force.
  template <TradeSink Sink>
  [[gnu::noinline]] Outcome modify_slow(OrderHandle handle, Price price, Quantity quantity,
                                        TimeInForce time_in_force, Sink& sink) noexcept {
    const bool known = pool_.contains(handle);
    if (!known || time_in_force != TimeInForce::PostOnly) {  // nothing of the order stays, or there is none
      return replace(handle, known ? pool_[handle.index].id : 0, price, quantity, time_in_force, sink);
    }
    const std::size_t offset = offset_of(price);
    const Side side = SideBook::side_of(pool_, pool_[handle.index].level);
    if (is_valid(quantity) && offset < rank_count && crosses(side, SideBook::rank(side, offset)) &&
        !keeps_place(handle, price, quantity)) {
      return {Status::WouldCross, handle};
    }
    return modify(handle, price, quantity, sink);
  }

  /// Replaces an order: whatever forbids the new one is found before anything changes.
  template <class Sink>
  [[gnu::noinline]] Outcome replace(OrderHandle handle, OrderId id, Price price, Quantity quantity,
                                    TimeInForce time_in_force, Sink& sink) noexcept {
    if (!pool_.contains(handle)) handle = {};
    if (time_in_force > TimeInForce::FillOrKill) return {Status::InvalidCommand, handle};
    if (handle == OrderHandle{}) return {Status::UnknownOrder};
    if (!is_valid(quantity)) return {Status::InvalidQuantity, handle};
    const std::size_t offset = offset_of(price);
    if (offset >= rank_count && may_rest(time_in_force)) return {Status::PriceOutOfBand, handle};

    const OrderSlot& order = pool_[handle.index];
    const Side side = SideBook::side_of(pool_, order.level);
    const std::size_t rank = rank_of_limit(side, offset);
    const bool trades = may_trade<Sink> && rank < rank_count && crosses(side, rank);
    if (time_in_force == TimeInForce::PostOnly && trades) return {Status::WouldCross, handle};
    if (time_in_force == TimeInForce::FillOrKill && !(trades && fillable(side, reach(rank), quantity))) {
      return {Status::NotFillable, handle};
    }
    const Quantity leaving = offset == offset_of_order(handle.index) ? order.quantity : 0;
    if (may_rest(time_in_force)) {
      if (!has_level_to_rest<Sink>(side, rank, quantity, true)) [[unlikely]]
        return {Status::PoolFull, handle};
      if (!has_room_to_rest<Sink>(side, rank, quantity, leaving)) [[unlikely]]
        return {Status::QuantityOverflow, handle};
    }

    take_off(handle.index);
    pool_.release(handle.index);
    Quantity filled = 0;
    if constexpr (may_trade<Sink>) {
      if (trades) filled = match(id, side, reach(rank), quantity, sink);
    }
    if (filled == quantity || !may_rest(time_in_force)) return {Status::Success, {}, filled};
    return {Status::Success, rest(id, side, rank, quantity - filled), filled};
  }

  // ---- Without a trade.

  [[gnu::always_inline]] Outcome add_resting(OrderId id, Side side, Price price, Quantity quantity) noexcept {
    if (!is_side(side)) return {Status::InvalidCommand};
    if (!is_valid(quantity)) return {Status::InvalidQuantity};
    const std::size_t offset = offset_of(price);
    if (offset >= rank_count) return {Status::PriceOutOfBand};
    const std::size_t rank = SideBook::rank(side, offset);
    if (!is_near(side, rank)) [[unlikely]]
      return add_far(id, side, rank, quantity);
    if (pool_.full()) return {Status::PoolFull};
    if (!has_room(side, rank, quantity)) return {Status::QuantityOverflow};
    return {Status::Success, rest(id, side, rank, quantity)};
  }
  [[nodiscard]] Outcome modify_resting(OrderHandle handle, Price price, Quantity quantity) noexcept {
    NeverTrades sink;
    return modify(handle, price, quantity, sink);
  }
  [[nodiscard]] Outcome replace_resting(OrderHandle handle, OrderId id, Price price, Quantity quantity) noexcept {
    NeverTrades sink;
    return replace(handle, id, price, quantity, TimeInForce::GoodTillCancel, sink);
  }

  // Everything except resting and cancelling stays out of line: inlined, it would take their registers.

  /// Makes a call that does more than rest or cancel.
  template <CommandType type, class Sink>
  [[gnu::always_inline]] Outcome make(const Command& command, Sink& sink) noexcept {
    const auto& [id, handle] = static_cast<const Command::Names&>(command);
    if constexpr (type == CommandType::AddMarket) {
      return add_market(id, command.side, command.quantity, sink);
    } else if constexpr (type == CommandType::Modify) {
      return modify(handle, command.price, command.quantity, command.time_in_force, sink);
    } else if constexpr (type == CommandType::Reduce) {
      return reduce(handle, command.quantity);
    } else if constexpr (type == CommandType::Replace) {
      return replace(handle, id, command.price, command.quantity, command.time_in_force, sink);
    } else if constexpr (type == CommandType::AddResting) {
      return add_resting(id, command.side, command.price, command.quantity);
    } else if constexpr (type == CommandType::ModifyResting) {
      return modify_resting(handle, command.price, command.quantity);
    } else {
      static_assert(type == CommandType::ReplaceResting);
      return replace_resting(handle, id, command.price, command.quantity);
    }
  }

  /// The same, where the type is known only now.
  template <TradeSink Sink>
  [[gnu::noinline]] Outcome make_any(const Command& command, Sink& sink) noexcept {
    if (command.type == CommandType::Modify) return make<CommandType::Modify>(command, sink);
    if (command.type == CommandType::AddMarket) return make<CommandType::AddMarket>(command, sink);
    switch (command.type) {
      case CommandType::Reduce: return make<CommandType::Reduce>(command, sink);
      case CommandType::Replace: return make<CommandType::Replace>(command, sink);
      case CommandType::AddResting: return make<CommandType::AddResting>(command, sink);
      case CommandType::ModifyResting: return make<CommandType::ModifyResting>(command, sink);
      case CommandType::ReplaceResting: return make<CommandType::ReplaceResting>(command, sink);
      default: return {Status::InvalidCommand};
    }
  }

  /// Adds a limit order that does more than rest near the touch: it trades, is dropped or rejected, or rests far
  /// off.
  template <TradeSink Sink>
  [[gnu::noinline]] Outcome add_slow(OrderId id, Side side, std::size_t offset, Quantity quantity,
                                     TimeInForce time_in_force, Sink& sink) noexcept {
    if (!is_side(side) || time_in_force > TimeInForce::FillOrKill) return {Status::InvalidCommand};
    if (!is_valid(quantity)) return {Status::InvalidQuantity};
    const bool in_band = offset < rank_count;
    if (!in_band && may_rest(time_in_force)) return {Status::PriceOutOfBand};

    const std::size_t rank = rank_of_limit(side, offset);
    if ((in_band || rank == 0) && crosses(side, rank)) {
      return add_crossing(id, side, rank, quantity, time_in_force, sink);
    }
    if (time_in_force == TimeInForce::ImmediateOrCancel) return {};
    if (time_in_force == TimeInForce::FillOrKill) return {Status::NotFillable};
    return add_far(id, side, rank, quantity);
  }

  /// Adds an order that rests, far off too, unless there is no room for it.
  [[gnu::noinline]] Outcome add_far(OrderId id, Side side, std::size_t rank, Quantity quantity) noexcept {
    if (pool_.full() || !has_level(side, rank, false)) return {Status::PoolFull};
    if (!has_room(side, rank, quantity)) return {Status::QuantityOverflow};
    return {Status::Success, rest(id, side, rank, quantity)};
  }

  template <TradeSink Sink>
  Outcome add_crossing(OrderId id, Side side, std::size_t rank, Quantity quantity, TimeInForce time_in_force,
                       Sink& sink) noexcept {
    if (may_rest(time_in_force)) {
      if (time_in_force == TimeInForce::PostOnly) return {Status::WouldCross};
      if (!has_level_to_rest<Sink>(side, rank, quantity, false)) [[unlikely]]
        return {Status::PoolFull};
      if (!has_room_to_rest<Sink>(side, rank, quantity)) [[unlikely]]
        return {Status::QuantityOverflow};
    } else if (time_in_force == TimeInForce::FillOrKill && !fillable(side, reach(rank), quantity)) {
      return {Status::NotFillable};
    }
    const Quantity filled = match(id, side, reach(rank), quantity, sink);
    if (filled == quantity || !may_rest(time_in_force)) {
      return {Status::Success, {}, filled};
    }
    return {Status::Success, rest(id, side, rank, quantity - filled), filled};
  }

  /// What a taker of `quantity` lots would leave after all it finds at ranks up to `reach` of the other side.
  [[nodiscard]] Quantity left_after(Side taker_side, std::size_t reach, Quantity quantity) const noexcept {
    const SideBook& makers = side_book(opposite(taker_side));
    for (std::size_t rank = makers.best(); rank <= reach; rank = makers.best_from(pool_, rank + 1)) {
      const Quantity total = pool_[makers.anchor(pool_, opposite(taker_side), rank)].quantity;
      if (quantity <= total) return 0;
      quantity -= total;
    }
    return quantity;
  }
  [[nodiscard]] bool fillable(Side taker_side, std::size_t reach, Quantity quantity) const noexcept {
    return left_after(taker_side, reach, quantity) == 0;
  }

  /// Whether what an order does not trade has room on its level. In a crossed book it may trade and still come to
  /// orders of its own side; only there, and at the limit of 64 bits, it must be known how much it trades.
  template <class Sink>
  [[nodiscard, gnu::always_inline]] bool has_room_to_rest(Side side, std::size_t rank, Quantity quantity,
                                                          Quantity leaving = 0) noexcept {
    return has_room(side, rank, quantity, leaving) ||
           (may_trade<Sink> && has_room(side, rank, left_after(side, reach(rank), quantity), leaving));
  }
  /// Whether a level can be had for what an order does not trade.
  template <class Sink>
  [[nodiscard, gnu::always_inline]] bool has_level_to_rest(Side side, std::size_t rank, Quantity quantity,
                                                           bool moves) const noexcept {
    return has_level(side, rank, moves) || (may_trade<Sink> && fillable(side, reach(rank), quantity));
  }

  /// Trades up to `quantity` lots of a taker against ranks up to `reach` of the other side, best and oldest
  /// first. Returns the lots traded.
  template <TradeSink Sink>
  [[gnu::noinline]] Quantity match(OrderId taker_id, Side taker_side, std::size_t reach, Quantity quantity,
                                   Sink& sink) noexcept {
    std::size_t rank = best_rank(opposite(taker_side));
    return match_from(rank, taker_id, taker_side, reach, quantity, sink);
  }

  /// The same, where `rank` is the best one of the other side, now and afterwards.
  ///
  /// The total of a level says whether the taker uses it up, and what is left of the taker then. If it does, the
  /// level leaves the side at once, and the next one is looked for while the orders of this one are on their way
  /// from memory.
  template <TradeSink Sink>
  [[gnu::always_inline]] Quantity match_from(std::size_t& rank, OrderId taker_id, Side taker_side,
                                             std::size_t reach, Quantity quantity, Sink& sink) noexcept {
    const Side side = opposite(taker_side);
    SideBook& makers = side_book(side);
    Quantity left = quantity;
    while (left > 0 && rank <= reach) {
      const Price price = price_of(side, rank);
      PriceLevel level = level_at(side, rank);
      SlotIndex index = level.front();
      Quantity open = left;  // of the taker, after each trade
      const auto take = [&](Quantity traded) __attribute__((always_inline)) {
        const OrderSlot& maker = pool_[index];
        open -= traded;
        return Trade{taker_id, maker.id,  pool_.handle(index), price, traded, maker.quantity - traded,
                     open,     taker_side};
      };
      if (level.total() > left) {
        for (; open > 0; index = level.front()) {
          const Trade trade = take(std::min(open, pool_[index].quantity));
          if (trade.maker_remaining > 0) {
            level.reduce(index, trade.quantity);
          } else {
            level.erase(index);
            pool_.release(index);
          }
          sink(trade);
        }
        return quantity;
      }
      left -= level.total();
      rank = makers.pop_best(pool_, rank, level);
      while (index != level.anchor()) {
        const SlotIndex next = pool_[index].next;
        const Trade trade = take(pool_[index].quantity);
        pool_.release(index);
        sink(trade);
        index = next;
      }
    }
    return quantity - left;
  }

  // ---- For layers that have a path of their own for orders that only come to rest (see id_book.hpp).

  /// The rank of a price; if it lies outside the band, its `reach` is beyond every rank.
  [[nodiscard, gnu::always_inline]] std::size_t rank_at(Side side, Price price) const noexcept {
    return SideBook::rank(side, offset_of(price));
  }

  /// Whether an order like this would come to rest near the touch and do nothing else, provided that its lots are
  /// allowed and that its level has room for them: only these are not asked. `best(side)` gives the best rank of a
  /// side.
  template <class Best>
  [[nodiscard, gnu::always_inline]] bool would_rest(Side side, Price price, TimeInForce time_in_force,
                                                    const Best& best) const noexcept {
    [[maybe_unused]] const auto call = guard_.query();
    if (!may_rest(side, time_in_force)) return false;
    const std::size_t rank = rank_at(side, price);
    return reach(rank) < best(opposite(side)) && !pool_.full() && is_near(side, rank);
  }
  /// The same for the lots as well, at the best ranks of the book.
  [[nodiscard, gnu::always_inline]] bool would_rest(Side side, Price price, Quantity quantity,
                                                    TimeInForce time_in_force) noexcept {
    const auto best = [this](Side one) __attribute__((always_inline)) {
      return best_rank(one);
    };
    return is_valid(quantity) && would_rest(side, price, time_in_force, best) &&
           has_room(side, rank_at(side, price), quantity);
  }
  /// Adds an order that would rest so. @return its handle.
  [[gnu::always_inline]] OrderHandle rest_at_once(OrderId id, Side side, Price price, Quantity quantity) noexcept {
    [[maybe_unused]] const auto call = guard_.change();
    return rest(id, side, rank_at(side, price), quantity);
  }

  /// Puts a new order on its level; there must be a slot for it and room on the level.
  [[gnu::always_inline]] OrderHandle rest(OrderId id, Side side, std::size_t rank, Quantity quantity) noexcept {
    const SlotIndex index = pool_.acquire(id);
    OrderSlot& order = pool_[index];
    order.id = id;
    order.quantity = quantity;
    side_book(side).push_back(pool_, side, rank, index);
    return pool_.handle(index);
  }

  /// Takes the order in slot `index` off its level; it keeps its slot.
  [[gnu::always_inline]] void take_off(SlotIndex index) noexcept {
    PriceLevel level(pool_, pool_[index].level);
    level.erase(index);
    side_book(SideBook::side_of(pool_, level.anchor())).retire_if_empty(pool_, level);
  }

  /// Whether the levels of a side stay in the band when `shift`, modulo 2^64, is added to their ranks.
  [[nodiscard]] bool fits_after_shift(Side side, std::size_t shift) const noexcept {
    const std::size_t best = side_book(side).best();
    if (best == rank_count) return true;
    return best + shift < rank_count && side_book(side).worst(pool_) + shift < rank_count;
  }

  [[nodiscard]] DepthLevel depth_level(Side side, std::size_t rank) const noexcept {
    const OrderSlot& anchor = pool_[side_book(side).anchor(pool_, side, rank)];
    return {price_of(side, rank), anchor.quantity, anchor.level};
  }
  [[nodiscard]] RestingOrder resting_order(SlotIndex index) const noexcept {
    const OrderSlot& order = pool_[index];
    const Side side = SideBook::side_of(pool_, order.level);
    return {pool_.handle(index), order.id, side, price_of(side, SideBook::rank_of(pool_, order.level)),
            order.quantity};
  }
  [[nodiscard, gnu::always_inline]] std::size_t offset_of_order(SlotIndex index) const noexcept {
    const SlotIndex anchor = pool_[index].level;
    return SideBook::rank(SideBook::side_of(pool_, anchor), SideBook::rank_of(pool_, anchor));
  }

  /// Visits the orders of an occupied level. Returns false if the visitor has ended the visit.
  template <class Visitor>
  [[nodiscard]] bool visit_rank(Side side, std::size_t rank, Visitor& visitor) const {
    const SlotIndex anchor = side_book(side).anchor(pool_, side, rank);
    for (SlotIndex i = pool_[anchor].next; i != anchor; i = pool_[i].next) {
      if constexpr (std::same_as<decltype(visitor(resting_order(i))), bool>) {
        if (!visitor(resting_order(i))) return false;
      } else {
        visitor(resting_order(i));
      }
    }
    return true;
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
    const Result result = [&]() __attribute__((always_inline)) {
      if constexpr (listens_to_cancels<Receiver>()) {
        if (command.type == CommandType::Cancel) {
          return tell_cancelled(receiver,
                                [&](RestingOrder& order) { return this->cancel_order(command.handle, order); });
        }
      }
      if constexpr (TradeSink<Sink>) {
        return apply(command, sink);
      } else {
        return apply(command, IndexedSink<Sink>{sink, i});
      }
    }
    ();
    give_result(receiver, result, i);
  }

  Price base_price_;
  Quantity quantity_max_;
  Sides sides_;
  typename SideBook::Pool pool_;
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
/// Memory: some 130 bytes for each order of capacity, up to 1 MiB for the places of levels, and the object itself,
/// which holds the bits: 66 KiB (mind the stack). `memory_bytes` says it exactly.
template <std::size_t Window = 262'144>
using AnyPriceBook = OrderBook<Window, PlaceSideBook>;

}  // namespace llmes::inline LLMES_NAMESPACE
