// SPDX-License-Identifier: MIT
//
// The matching core: a limit order book for one instrument, price-time priority.
//
//  - Every call does all it says, or is rejected with a typed status and changes nothing.
//  - After creation no call allocates, locks, throws, recurses or calls the system.
//  - Best prices are not cached: the tree answers, so they are true after every call.
//  - The same calls give the same results, handles and trades on every 64-bit machine with GCC 11, Clang 14 or
//    later.
//  - Single owner: one thread at a time may use a book, queries included.
//  - A sink must not call the book: it could cancel an order that is being filled, and corrupt the book. A sink
//    notes what it wants to do, and its owner does that after the call.
//  - A program that defines LLMES_CHECK_PRECONDITIONS ends with a message if it breaks one of the last two rules
//    (see call_guard.hpp). Other programs have no check, because none is free. A check in each changing call takes
//    3.1 of 80 instructions. One in matching alone takes 5 and misses the calls that do the harm.
//
// Calls that only rest or cancel are forced inline; matching stays out of line. A compiler would decide by the
// size of the unit: with link-time optimisation GCC inlined none of these calls and lost a third of the speed.
// Spans are forced inline too, so that the counters of their receiver stay in registers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>

#include "llmes/book/any_price_side_book.hpp"
#include "llmes/book/array_side_book.hpp"
#include "llmes/book/calls.hpp"
#include "llmes/book/no_rules.hpp"
#include "llmes/book/order_pool.hpp"
#include "llmes/book/price_level.hpp"
#include "llmes/book/wide_side_book.hpp"
#include "llmes/detail/call_guard.hpp"
#include "llmes/types/arguments.hpp"
#include "llmes/types/command.hpp"
#include "llmes/types/rule_events.hpp"
#include "llmes/types/span_results.hpp"
#include "llmes/types/terms.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// A limit order book over the band [base_price, base_price + PriceLevels), where PriceLevels is a power of two
/// from 64 to 262,144. `SideBookOf` decides where the price levels are kept. `ArraySideBook` keeps one for each
/// price and is faster in a narrow band. `WideSideBook` keeps only those in use and is faster from some 65,536
/// prices on. With `AnyPriceSideBook` there is no band: see `AnyPriceBook`.
///
/// Memory (exactly: `memory_bytes`): 32 bytes for each order of capacity and for each price level and side, in one
/// block. The object holds the bits that mark levels in use: 1.1 KiB for 4,096 price levels, 65 KiB for 262,144
/// (mind the stack). For price levels a `WideOrderBook` has only these bits; each order takes 80 to 96 bytes more.
///
/// A moved-from book keeps its band and has no capacity: it rejects every order that would rest.
///
/// `Rules` are what a venue decides inside matching: see venue_rules.hpp. Without any, orders trade by price and
/// time.
template <std::size_t PriceLevels = 4096, template <std::size_t> class SideBookOf = ArraySideBook,
          class Rules = NoRules>
class OrderBook : public Rules::template Calls<OrderBook<PriceLevels, SideBookOf, Rules>>,
                  public OrderCalls<OrderBook<PriceLevels, SideBookOf, Rules>,
                                    BasicCommand<OrderHandle, typename Rules::Terms>> {
  using SideBook = SideBookOf<PriceLevels>;
  using Matching = typename Rules::template Matching<SideBook>;
  using Orders = typename Matching::Orders;
  using Command = BasicCommand<OrderHandle, typename Rules::Terms>;
  using TradeType = typename Command::TradeType;
  static constexpr std::size_t rank_count = Orders::rank_count;
  static constexpr bool is_shared = Orders::is_shared;

 public:
  using Config = BookConfig;

  /// Makes an empty book, or none, with the reason in `status`. All memory is allocated and touched here. A system
  /// that overcommits memory may end the program instead of refusing.
  /// @param status InvalidCapacity (0, or above `capacity_max`), InvalidBasePrice (the band would reach the
  /// largest `Price`), InvalidQuantityMax (0), OutOfMemory, or Success.
  [[nodiscard]] static std::optional<OrderBook> create(const BookConfig& config, CreateStatus& status) noexcept {
    status = check(config);
    if (status != CreateStatus::Success) return {};
    std::optional<OrderBook> book{OrderBook(config)};
    if (!book->matching_.orders.prepare(config.capacity)) {
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

  OrderBook() = delete;  // make one with OrderBook<>::create({.base_price = 0, .capacity = 1000})
  OrderBook(OrderBook&&) noexcept = default;
  OrderBook& operator=(OrderBook&&) noexcept = default;

  // ---- Orders: the calls of calls.hpp.

  template <CommandType type, class Sink, class Details>
  [[gnu::always_inline]] Result execute(const Command& command, Sink& sink, Details& details) noexcept {
    [[maybe_unused]] const auto call = guard_.change();
    note_before(command, type, details);
    Result result = matching_.template run<type>(command, sink);  // not const: GCC would keep it in memory
    note_after(command, type, result, details);
    return result;
  }

  /// Removes every order of a side, or of the book. Linear in the orders.
  /// @return how many; 0 if the side is not an enumerator.
  std::size_t clear(Side side) noexcept {
    [[maybe_unused]] const auto call = guard_.change();
    if (!Orders::is_side(side)) return 0;
    const std::size_t before = matching_.orders.pool.live_count();
    for (std::size_t rank = matching_.orders.side_book(side).best(); rank < rank_count;
         rank = matching_.orders.side_book(side).best()) {
      PriceLevel level = matching_.orders.level_at(side, rank);
      while (!level.empty()) {
        const SlotIndex index = level.front();
        if constexpr (Rules::active) matching_.orders.forget(index);
        level.erase(index);
        matching_.orders.pool.release(index);
      }
      matching_.orders.side_book(side).retire_if_empty(matching_.orders.pool, level);
    }
    return before - matching_.orders.pool.live_count();
  }
  std::size_t clear() noexcept { return clear(Side::Buy) + clear(Side::Sell); }

  /// Executes `command`.
  /// Rejections: those of its call, and InvalidCommand (type is not an enumerator).
  [[gnu::always_inline]] Result apply(const Command& command, TradeSink<TradeType> auto&& sink) noexcept {
    NoDetails none;
    return apply(command, sink, none);
  }

  /// Applies `commands` in order, exactly as single calls would, and gives `receiver` each result before it reads
  /// the next command. A book whose orders outgrow the caches prefetches the orders of later commands, unless most
  /// of them are new. Receiver and sink may also take the index of the command; see `ChangeReceiver` too.
  /// Between two commands the receiver may call the book and change later commands, for example to give them a new
  /// order's handle. It must not move or destroy book or commands. An exception that leaves it ends the program.
  [[gnu::always_inline]] void apply(std::span<const Command> commands, ResultReceiver auto&& receiver,
                                    SpanTradeSink<TradeType> auto&& sink) noexcept {
    [[maybe_unused]] const auto call = guard_.span();
    constexpr std::size_t worth_fetching = 8'192;  // resting orders: 256 KiB of slots
    constexpr std::size_t slots_ahead = 24;
    constexpr std::size_t neighbours_ahead = 12;
    const Command* command = commands.data();
    const Command* const end = command + commands.size();
    std::size_t i = 0;
    if (size() >= worth_fetching && spans_to_skip_-- == 0) {
      std::size_t known_ahead = 0;  // commands whose order rests `neighbours_ahead` commands earlier
      for (; commands.size() - i > slots_ahead; ++i, ++command) {
        const OrderHandle soon = command[neighbours_ahead].handle;
        matching_.orders.pool.prefetch(command[slots_ahead].handle.index);
        matching_.orders.pool.prefetch_neighbours(soon.index);
        known_ahead += matching_.orders.pool.seems_live(soon);
        apply_at(i, *command, receiver, sink);
      }
      spans_to_skip_ = known_ahead < i / 6 ? 63 : 0;  // the others are new, so still in the caches
    }
    for (; command != end; ++i, ++command) apply_at(i, *command, receiver, sink);
  }

  /// The same, writing the results to `results`.
  /// @return how many commands were applied: all, or as many as fit in `results`.
  [[nodiscard]] std::size_t apply(std::span<const Command> commands, std::span<Result> results,
                                  TradeSink<TradeType> auto&& sink) noexcept {
    return apply_into(*this, commands, results, sink);
  }

  /// Moves the band to [base_price, base_price + PriceLevels), after the market. Every resting order keeps its
  /// price, priority and handle. Linear in the price levels and the resting orders: milliseconds in a large book.
  /// Rejections, which leave the band unchanged: PriceOutOfBand (a resting order lies outside the new band, or the
  /// band would reach the largest `Price`).
  [[nodiscard]] Status recenter(PriceArgument base_price) noexcept
    requires(SideBook::has_band)
  {
    [[maybe_unused]] const auto call = guard_.change();
    const std::size_t up =
        matching_.orders.offset_of(base_price);  // modulo 2^64, as are the ranks that follow from it
    if (base_price > Orders::base_price_max || !matching_.orders.fits_after_shift(Side::Buy, up) ||
        !matching_.orders.fits_after_shift(Side::Sell, 0 - up)) {
      return Status::PriceOutOfBand;
    }
    if (up != 0) {
      if constexpr (Rules::active) matching_.orders.forget_levels();
      matching_.orders.side_book(Side::Buy).shift_ranks(matching_.orders.pool, Side::Buy, up);
      matching_.orders.side_book(Side::Sell).shift_ranks(matching_.orders.pool, Side::Sell, 0 - up);
      matching_.orders.base_price = base_price;
      if constexpr (Rules::active) matching_.orders.note_levels();
    }
    return Status::Success;
  }

  // ---- Queries. A price outside the band, or an invalid side, is answered like an empty level. With rules,
  // prices, levels and quantities are those that are displayed, and a level with hidden orders alone is passed
  // over at the cost of a look; orders are visited, counted and found whether displayed or not.

  /// The highest price at which a buy order rests, if any. Constant.
  [[nodiscard]] std::optional<Price> best_bid() const noexcept { return best(Side::Buy); }
  /// The lowest price at which a sell order rests, if any. Constant.
  [[nodiscard]] std::optional<Price> best_ask() const noexcept { return best(Side::Sell); }
  /// The best price of a side, if any. Constant.
  [[nodiscard]] std::optional<Price> best(Side side) const noexcept {
    [[maybe_unused]] const auto call = guard_.query();
    if (!Orders::is_side(side)) return {};
    const std::size_t rank = matching_.orders.displayed_from(side, matching_.orders.side_book(side).best());
    if (rank == rank_count) return {};
    return matching_.orders.price_of(side, rank);
  }
  /// The worst price of a side: the lowest bid or the highest ask, if any. Constant.
  [[nodiscard]] std::optional<Price> worst(Side side) const noexcept {
    [[maybe_unused]] const auto call = guard_.query();
    if (!Orders::is_side(side) ||
        matching_.orders.displayed_from(side, matching_.orders.side_book(side).best()) == rank_count)
      return {};
    return matching_.orders.price_of(side, matching_.orders.worst_displayed(side));
  }

  /// The price, total and order count of one level; quantity and count are 0 if nothing rests there. Constant.
  [[nodiscard]] DepthLevel level(Side side, PriceArgument price) const noexcept {
    [[maybe_unused]] const auto call = guard_.query();
    const std::size_t offset = matching_.orders.offset_of(price);
    if (!Orders::is_side(side) || offset >= rank_count) return {price};
    const std::size_t rank = SideBook::rank(side, offset);
    return matching_.orders.side_book(side).occupied(matching_.orders.pool, rank)
               ? matching_.orders.depth_level(side, rank)
               : DepthLevel{price};
  }

  /// Writes the levels of one side into `out`, best first, until either ends. Linear in the levels written.
  /// @return how many were written.
  [[nodiscard]] std::size_t depth(Side side, std::span<DepthLevel> out) const noexcept {
    [[maybe_unused]] const auto call = guard_.query();
    if (!Orders::is_side(side)) return 0;
    std::size_t count = 0;
    for (std::size_t rank = matching_.orders.displayed_from(side, matching_.orders.side_book(side).best());
         rank < rank_count && count < out.size();
         rank = matching_.orders.displayed_from(
             side, matching_.orders.side_book(side).best_from(matching_.orders.pool, rank + 1))) {
      out[count++] = matching_.orders.depth_level(side, rank);
    }
    return count;
  }

  /// Calls `visitor` with each `RestingOrder` of one side in priority order: best price first, and oldest first at
  /// each price. A visitor that returns `false` ends the visit. It must not change the book: to cancel orders,
  /// collect their handles first. Linear in the orders and levels visited.
  void visit_orders(Side side, OrderVisitor auto&& visitor) const {
    [[maybe_unused]] const auto call = guard_.query();
    if (!Orders::is_side(side)) return;
    for (std::size_t rank = matching_.orders.side_book(side).best(); rank < rank_count;
         rank = matching_.orders.side_book(side).best_from(matching_.orders.pool, rank + 1)) {
      if (!matching_.orders.visit_rank(side, rank, visitor)) return;
    }
  }

  /// The same for one level, oldest first.
  void visit_level(Side side, PriceArgument price, OrderVisitor auto&& visitor) const {
    [[maybe_unused]] const auto call = guard_.query();
    const std::size_t offset = matching_.orders.offset_of(price);
    if (!Orders::is_side(side) || offset >= rank_count) return;
    const std::size_t rank = SideBook::rank(side, offset);
    if (matching_.orders.side_book(side).occupied(matching_.orders.pool, rank))
      std::ignore = matching_.orders.visit_rank(side, rank, visitor);
  }

  /// The order that `handle` names, if it rests. Constant.
  [[nodiscard]] std::optional<RestingOrder> find(OrderHandle handle) const noexcept {
    [[maybe_unused]] const auto call = guard_.query();
    if (!matching_.orders.pool.contains(handle)) return {};
    return matching_.orders.resting_order(handle.index);
  }

  /// The terms of the order that `handle` names, if it rests. Constant.
  [[nodiscard]] std::optional<RestingTerms> terms_of(OrderHandle handle) const noexcept
    requires(Rules::active)
  {
    [[maybe_unused]] const auto call = guard_.query();
    if (!matching_.orders.pool.contains(handle)) return {};
    return matching_.orders.terms_at(handle.index);
  }

  /// What is before a resting order in the queue of its level: the lots that trade before its own, and the orders.
  /// Reserves trade before a hidden order, but behind a displayed one. Linear in the orders before it.
  [[nodiscard]] std::optional<QueuePosition> queue_ahead(OrderHandle handle) const noexcept {
    [[maybe_unused]] const auto call = guard_.query();
    if (!matching_.orders.pool.contains(handle)) return {};
    return matching_.orders.ahead_of(handle.index);
  }

  /// How many orders rest.
  [[nodiscard]] std::size_t size() const noexcept {
    [[maybe_unused]] const auto call = guard_.query();
    return matching_.orders.pool.live_count();
  }
  /// How many orders can rest; 0 once moved from.
  [[nodiscard]] std::size_t capacity() const noexcept {
    [[maybe_unused]] const auto call = guard_.query();
    return matching_.orders.pool.capacity();
  }
  /// The lowest and the highest price the book can hold, in ticks.
  [[nodiscard]] Price price_min() const noexcept {
    [[maybe_unused]] const auto call = guard_.query();
    return matching_.orders.base_price;
  }
  [[nodiscard]] Price price_max() const noexcept {
    [[maybe_unused]] const auto call = guard_.query();
    return matching_.orders.price_at(rank_count - 1);
  }

  static constexpr std::size_t price_levels = SideBook::rank_count;
  static constexpr std::size_t capacity_max = SideBook::capacity_max;
  /// Whether the book has a band; otherwise it holds every price.
  static constexpr bool has_band = SideBook::has_band;

  /// The bytes of a book for `capacity` orders: the object and the blocks it owns.
  [[nodiscard]] static constexpr std::size_t memory_bytes(std::size_t capacity) noexcept {
    return sizeof(OrderBook) + SideBook::memory_bytes(capacity) +
           Rules::State::memory_bytes(SideBook::slots_for(capacity), capacity);
  }

  // ---- For a layer that finds orders by names other than handles, such as id_book.hpp.

  /// The handle of the order in slot `slot` (any number) if it has this id, else one that names nothing. Constant.
  [[nodiscard, gnu::always_inline]] OrderHandle handle_at(std::uint32_t slot, IdArgument id) const noexcept {
    [[maybe_unused]] const auto call = guard_.query();
    return matching_.orders.pool.handle_at(slot, id);
  }

  /// For an index: the id of the order that lives in a slot, and the number that every slot is below. Constant.
  [[nodiscard]] OrderId id_at(std::uint32_t slot) const noexcept {
    return matching_.orders.pool.any_slot(slot).id;
  }
  [[nodiscard]] std::size_t slot_count() const noexcept { return matching_.orders.pool.slot_count(); }

  /// Hints: start loading what a later call will touch. That is an order by its slot, its neighbours in the queue
  /// once the slot is loaded, or the level of a price. Any number is allowed.
  [[gnu::always_inline]] void fetch(std::uint32_t slot) const noexcept { matching_.orders.pool.prefetch(slot); }
  [[gnu::always_inline]] void fetch_neighbours(std::uint32_t slot) const noexcept {
    if (matching_.orders.pool.slot_count() != 0)
      matching_.orders.pool.prefetch_neighbours(slot);  // else GCC makes spans by id longer
  }
  [[gnu::always_inline]] void fetch_level(Side side, PriceArgument price) const noexcept {
    if constexpr (requires { matching_.orders.side_book(side).prefetch(matching_.orders.pool, side, 0); }) {
      // An invalid side or price fetches some level: a branch would cost more than a wasted fetch.
      const auto some_side = static_cast<Side>(static_cast<unsigned>(side) % 2);
      const std::size_t offset = std::min(matching_.orders.offset_of(price), rank_count - 1);
      matching_.orders.side_book(some_side).prefetch(matching_.orders.pool, some_side,
                                                     SideBook::rank(some_side, offset));
    }
  }
  /// Whether most accesses to a price level are cache misses, so that `fetch_level` gains.
  [[nodiscard]] static constexpr bool has_cold_levels() noexcept { return SideBook::has_cold_levels; }

 private:
  friend struct BookInspector;
  template <class, class>
  friend class BasicBookSet;
  friend typename Rules::template Calls<OrderBook>;

  using Guard = std::conditional_t<is_shared, SharedCallGuard, CallGuard>;

  explicit OrderBook(const BookConfig& config) noexcept : matching_(config) {}
  /// A book of a set.
  OrderBook(Quantity quantity_max, SideBook* sides, const typename SideBook::Pool& pool,
            typename Rules::State& rules, const CallGuard& guard) noexcept
    requires(is_shared)
      : matching_(quantity_max, sides, pool, rules), guard_(guard) {}

  [[nodiscard]] static constexpr CreateStatus check(const BookConfig& config) noexcept {
    if (config.capacity == 0 || config.capacity > capacity_max) return CreateStatus::InvalidCapacity;
    if (has_band && config.base_price > Orders::base_price_max) return CreateStatus::InvalidBasePrice;
    if (config.quantity_max == 0) return CreateStatus::InvalidQuantityMax;
    return CreateStatus::Success;
  }

  // ---- Spans.

  /// Applies command `i` of a span.
  template <class Receiver, class Sink>
  [[gnu::always_inline]] void apply_at(std::size_t i, const Command& command, Receiver& receiver,
                                       Sink& sink) noexcept {
    DetailsFor<Receiver> details;
    const Result result = [&]() __attribute__((always_inline)) {
      if constexpr (TradeSink<Sink, TradeType> && !Rules::active) {
        return apply(command, sink, details);
      } else {
        return apply(command, detail::IndexedSink<Sink, TradeType>{sink, i}, details);
      }
    }
    ();
    give_result(receiver, result, i, details);
  }

  [[gnu::always_inline]] Result apply(const Command& command, TradeSink<TradeType> auto&& sink,
                                      auto& details) noexcept {
    // Two branches, no jump table: the next of the two common types is hard to predict, and a mispredicted branch
    // costs less.
    if (command.type == CommandType::AddLimit) return execute<CommandType::AddLimit>(command, sink, details);
    if (command.type == CommandType::Cancel) return execute<CommandType::Cancel>(command, sink, details);
    [[maybe_unused]] const auto call = guard_.change();
    note_before(command, command.type, details);
    Result result = matching_.run_any(command, sink);
    note_after(command, command.type, result, details);
    return result;
  }

  // ---- What a call changes. Only calls that ask for it pay for it.

  template <class Details>
  [[gnu::always_inline]] void note_before([[maybe_unused]] const Command& command,
                                          [[maybe_unused]] CommandType type,
                                          [[maybe_unused]] Details& details) const noexcept {
    if constexpr (WantsDetails<Details>) {
      OrderChange& change = details;
      if (changes(type) && matching_.orders.pool.contains(command.handle))
        change.before = matching_.orders.resting_order(command.handle.index);
    }
  }
  template <class Details>
  [[gnu::always_inline]] void note_after([[maybe_unused]] const Command& command,
                                         [[maybe_unused]] CommandType type, [[maybe_unused]] const Result& result,
                                         [[maybe_unused]] Details& details) const noexcept {
    if constexpr (WantsDetails<Details>) {
      OrderChange& change = details;
      const bool is_before = type == CommandType::AddRestingBefore;
      if (is_before && result.rests()) change.in_front_of = command.handle;
      if (Rules::active || is_before) {  // what is displayed, or the price, does not follow from the result
        if (result.rests()) change.after = matching_.orders.resting_order(result.handle.index);
        return;
      }
      const RestingOrder& before = change.before;
      change.after = {result.handle, adds(type) || replaces(type) ? command.id : before.id,
                      adds(type) ? command.side : before.side, has_price(type) ? command.price : before.price,
                      result.remaining};
    }
  }

  /// The number of this book in its set.
  [[nodiscard]] BookNumber number() const noexcept
    requires(is_shared)
  {
    return matching_.orders.pool.number();
  }

  [[no_unique_address]] Matching matching_;
  std::uint32_t spans_to_skip_ = 0;  ///< a hint: how many of the next spans prefetch nothing
  [[no_unique_address]] Guard guard_;
};

/// A book for wide bands: it keeps only the price levels in use.
template <std::size_t PriceLevels = 262'144>
using WideOrderBook = OrderBook<PriceLevels, WideSideBook>;

/// A book without a band: it holds every price but the largest, reads no base price and has no `recenter`.
///
/// Price jumps make no call slower: no order or level moves when a best price changes. On each side, bits mark
/// which of the `Window` prices near the best one are in use. A level beyond them takes time logarithmic in the
/// number of such levels. The window follows the orders; a call that moves it adds that time for 64 levels, or for
/// 128.
///
/// Memory (exactly: `memory_bytes`): some 120 bytes for each order of capacity and up to 1 MiB for the cells of
/// levels. The object itself takes 66 KiB for the bits (mind the stack).
template <std::size_t Window = 262'144>
using AnyPriceBook = OrderBook<Window, AnyPriceSideBook>;

}  // namespace llmes::inline LLMES_NAMESPACE
