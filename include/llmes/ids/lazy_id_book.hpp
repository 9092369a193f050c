// SPDX-License-Identifier: MIT
//
// A book by ids that puts work off, for markets in which most orders leave right after they have come.
//
//  - An order that would come to rest and do nothing else waits: it has its handle, but neither a place on a level
//    nor an entry in the index. If the next call cancels it, the handle is left out, and that is all. If it
//    changes it, the change is noted. Any other call puts the order in its place first. So at most one order
//    waits.
//  - Makers that are filled leave a `HashedIds` later, so that the taker does not wait for it: at the latest when
//    an order that waits leaves or comes to its place. Until then the book denies what their entries lead to.
//  - The best levels, which say whether an order crosses, are looked for when the book has changed. Orders that
//    wait do not change it.
//  - After a market order, single calls that drop the order that waits start to load the makers that the next
//    market order may meet: a taker that goes through several levels waits for each of them.
//
// Nobody can tell but by the time it takes: results, handles and trades are those of an `IdBook`. A call may pay
// for the one before, and where orders stay, all of them pay for the look whether one waits.
//
// Invariant: an order that waits can be put in its place. It crosses nothing, there is a slot for it, and the
// index has room for its id; and none of this changes before the next call. Whether its level has room for its
// lots is not asked, as there the order would meet cold memory: the lots of all orders together fit 64 bits.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "llmes/book/order_pool.hpp"
#include "llmes/ids/hashed_ids.hpp"
#include "llmes/ids/id_book.hpp"
#include "llmes/types/arguments.hpp"
#include "llmes/types/command.hpp"
#include "llmes/types/span_results.hpp"
#include "llmes/types/trade_sinks.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// An `IdBook` of an `OrderBook`, a `WideOrderBook` or an `AnyPriceBook` that puts work off. It has the same
/// calls, but no image is made of it (see engine/image.hpp), and each costs what it costs there, or less, and what
/// the call before has put off.
///
/// Choose a `BookConfig::quantity_max` of at most (2^64 - 1) / capacity. With a larger one, the first order that
/// may rest with more lots than that is served as any other, but no order waits from then on.
///
/// Single owner, as a book: a query may put an order in its place, so it is a call like any other.
///
/// Memory: that of the `IdBook`, and 0.5 KiB.
template <class Book, class Index>
class LazyIdBook {
  using Ids = IdBook<Book, Index>;
  static_assert(
      requires(const Book& book) { book.next_handle(); },
      "LazyIdBook is for OrderBook, WideOrderBook and AnyPriceBook");
  /// Whether it takes note of filled makers, for the index to forget them later. Pages must know which orders have
  /// left before another one comes, as they have room for no more.
  static constexpr bool forgets = std::same_as<Index, HashedIds>;

 public:
  using Config = typename Ids::Config;
  using RequestType = Request;

  /// Makes an empty book, as `IdBook::create` does.
  [[nodiscard]] static std::optional<LazyIdBook> create(const Config& config, const typename Index::Config& ids,
                                                        CreateStatus& status) noexcept {
    std::optional<Ids> book = Ids::create(config, ids, status);
    if (!book) return {};
    return LazyIdBook(*std::move(book), config);
  }
  /// The same without a reason.
  [[nodiscard]] static std::optional<LazyIdBook> create(const Config& config,
                                                        const typename Index::Config& ids) noexcept {
    CreateStatus status{};
    return create(config, ids, status);
  }

  LazyIdBook(LazyIdBook&& other) noexcept
      : ids_(std::move(other.settle())), waits_up_to_(other.waits_up_to_), harmless_up_to_(other.harmless_up_to_) {
    look_for_best();
  }
  LazyIdBook& operator=(LazyIdBook&& other) noexcept {
    Ids& settled = other.settle();
    waiting_ = {};
    filled_count_ = 0;
    next_makers_ = {};
    ids_ = std::move(settled);
    look_for_best();
    waits_up_to_ = other.waits_up_to_;
    harmless_up_to_ = other.harmless_up_to_;
    return *this;
  }
  ~LazyIdBook() = default;

  // ---- Orders. What each call does, returns and rejects: see `IdBook`.

  template <TradeSink Sink>
  [[gnu::always_inline]] Result add_limit_order(IdArgument id, Side side, PriceArgument price,
                                                QuantityArgument quantity, TimeInForce time_in_force,
                                                Sink&& sink) noexcept {
    return apply(Request::add_limit(id, side, price, quantity, time_in_force), sink);
  }
  template <TradeSink Sink>
  Result add_market_order(IdArgument id, Side side, QuantityArgument quantity, Sink&& sink) noexcept {
    return apply(Request::add_market(id, side, quantity), sink);
  }
  Result add_resting_order(IdArgument id, Side side, PriceArgument price, QuantityArgument quantity) noexcept {
    return apply(Request::add_resting(id, side, price, quantity), DiscardTrades{});
  }

  [[nodiscard, gnu::always_inline]] Status cancel_order(IdArgument id) noexcept {
    return apply(Request::cancel(id), DiscardTrades{}).status;
  }
  [[nodiscard]] Status cancel_order(IdArgument id, RestingOrder& cancelled) noexcept {
    return settled([&] { return ids_.cancel_order(id, cancelled); });
  }

  template <TradeSink Sink>
  Result modify_order(IdArgument id, PriceArgument price, QuantityArgument quantity, TimeInForce time_in_force,
                      Sink&& sink) noexcept {
    return apply(Request::modify(id, price, quantity, time_in_force), sink);
  }
  template <TradeSink Sink>
  Result modify_order(IdArgument id, PriceArgument price, QuantityArgument quantity, Sink&& sink) noexcept {
    return modify_order(id, price, quantity, TimeInForce::GoodTillCancel, sink);
  }
  Result modify_resting_order(IdArgument id, PriceArgument price, QuantityArgument quantity) noexcept {
    return apply(Request::modify_resting(id, price, quantity), DiscardTrades{});
  }

  template <TradeSink Sink>
  Result replace_order(IdArgument id, IdArgument new_id, PriceArgument price, QuantityArgument quantity,
                       TimeInForce time_in_force, Sink&& sink) noexcept {
    return apply(Request::replace(id, new_id, price, quantity, time_in_force), sink);
  }
  template <TradeSink Sink>
  Result replace_order(IdArgument id, IdArgument new_id, PriceArgument price, QuantityArgument quantity,
                       Sink&& sink) noexcept {
    return replace_order(id, new_id, price, quantity, TimeInForce::GoodTillCancel, sink);
  }
  Result replace_resting_order(IdArgument id, IdArgument new_id, PriceArgument price,
                               QuantityArgument quantity) noexcept {
    return apply(Request::replace_resting(id, new_id, price, quantity), DiscardTrades{});
  }

  [[nodiscard]] Status reduce_order(IdArgument id, QuantityArgument by) noexcept {
    return settled([&] { return ids_.reduce_order(id, by); });
  }
  [[nodiscard]] Status reduce_order(IdArgument id, QuantityArgument by, RestingOrder& left) noexcept {
    return settled([&] { return ids_.reduce_order(id, by, left); });
  }

  /// Makes the call that `request` describes.
  template <TradeSink Sink>
  [[gnu::always_inline]] Result apply(const Request& request, Sink&& sink) noexcept {
    auto&& tap = tapped(sink);
    return apply_one<true>(
        request, tap, [](const auto& call) __attribute__((always_inline)) { return call(); });
  }

  /// Applies the requests `at(0)` to `at(count - 1)` in order. `IdBook::apply` says what `at`, the receiver and
  /// the sink may do. If the receiver listens to cancels, no order waits.
  template <class At, ResultReceiver Receiver, SpanTradeSink Sink>
    requires requires(At& at, std::size_t i) {
      { at(i) } -> std::convertible_to<const Request&>;
    }
  [[gnu::always_inline]] void apply(std::size_t count, At&& at, Receiver&& receiver, Sink&& sink) noexcept {
    [[maybe_unused]] const auto call = ids_.guard_.span();
    if constexpr (listens_to_cancels<Receiver>()) {
      auto&& tap = ids_.tapped(sink);
      ids_.in_stages(
          count, at, [&](std::size_t i, const Request& request) __attribute__((always_inline)) {
            settle_before(request);
            ids_.apply_at(i, request, receiver, sink, tap, [&] { return ids_.locate_in_span(request.id); });
            look_for_best();
          });
    } else {
      auto&& tap = tapped(sink);
      ids_.see_if_recent_pay(count, at);
      ids_.in_stages(
          count, at, [&](std::size_t i, const Request& request) __attribute__((always_inline)) {
            if constexpr (!TradeSink<Sink>) tap.request = i;
            apply_one<false>(
                request, tap, [&](const auto& one) __attribute__((always_inline)) {
                  const Result result = one();
                  give_result(receiver, result, i);
                });
          });
    }
  }

  std::size_t clear(Side side) noexcept {
    return settled([&] { return ids_.clear(side); });
  }
  std::size_t clear() noexcept {
    return settled([&] { return ids_.clear(); });
  }

  [[nodiscard]] Status recenter(PriceArgument base_price) noexcept
    requires(Book::has_band)
  {
    return settled([&] { return ids_.recenter(base_price); });
  }

  // ---- Queries. They put the order that waits in its place. A reference to the book, once asked for, does not:
  // ask for it anew after each call.

  [[nodiscard]] std::optional<RestingOrder> find(IdArgument id) const noexcept { return settle().find(id); }
  [[nodiscard]] OrderHandle handle_of(IdArgument id) const noexcept { return settle().handle_of(id); }
  [[nodiscard]] const Book& book() const noexcept { return settle().book(); }

 private:
  friend struct IdInspector;
  template <class, class>
  friend class IdBook;  // whose `Tap` takes this for an index that forgets

  /// The order that waits.
  struct Waiting {
    OrderId id;
    Price price;
    Quantity quantity;  ///< 0: none does
    Side side;
  };
  struct Filled {
    OrderId id;
    SlotIndex slot;
  };

  LazyIdBook(Ids&& ids, const Config& config) noexcept : ids_(std::move(ids)) {
    const Quantity share = std::numeric_limits<Quantity>::max() / config.capacity;
    waits_up_to_ = std::min(config.quantity_max, share);
    if (config.quantity_max > share) harmless_up_to_ = share;
  }

  /// Applies a request. `give` makes the call that answers it: one for each arm, as in a span of an `IdBook`.
  template <bool single, class SomeTap, class Give>
  [[gnu::always_inline]] auto apply_one(const Request& request, SomeTap& tap, const Give& give) noexcept {
    if (request.type == CommandType::AddLimit) {
      place();
      if (may_wait(request)) [[likely]] {
        ids_.book_.fetch_level(request.side, request.price);
        return give([&]() __attribute__((always_inline)) { return wait(request); });
      }
    } else if (names_waiting(request)) {
      if (request.type == CommandType::Cancel)
        return give([&]() __attribute__((always_inline)) { return drop<single>(); });
      if (may_change(request)) return give([&]() __attribute__((always_inline)) { return change(request); });
    } else if (request.type == CommandType::Cancel) {
      place();
      return give([&]() __attribute__((always_inline)) { return cancel<single>(request.id); });
    } else if (request.type == CommandType::AddMarket) {
      return give([&]() __attribute__((always_inline)) {
        return take<single>(request.id, request.side, request.quantity, tap);
      });
    }
    return give([&]() __attribute__((always_inline)) { return apply_placed(request, tap); });
  }

  /// Adds a market order, the most frequent of the requests that do not rest, without the way through the
  /// functions for all others.
  template <bool single, class SomeTap>
  [[gnu::noinline]] Result take(OrderId id, Side side, Quantity quantity, SomeTap& tap) noexcept {
    settle();
    if (ids_.look_up_new(id) != OrderHandle{}) return {Status::DuplicateId};
    const Result result = ids_.book_.add_market_at(id, side, quantity, tap, best_);
    if constexpr (single) {
      if (result.filled != 0) look_for_makers(opposite(side));
    }
    return result;
  }

  /// Applies a request of another kind. By value and out of line, as `IdBook::apply_rare`.
  template <class SomeTap>
  [[gnu::noinline]] Result apply_placed(Request request, SomeTap& tap) noexcept {
    settle_before(request);
    return changed([&]() __attribute__((always_inline)) { return ids_.apply_one(request, tap); });
  }

  template <bool single>
  [[gnu::always_inline]] Result cancel(OrderId id) noexcept {
    const bool asks_recent = single || (Ids::spans_have_recent && ids_.recent_mask_ != 0);
    const OrderHandle handle = asks_recent ? ids_.locate(id) : ids_.look_up(id);
    const Result result = ids_.cancel(id, handle);
    if (result.status == Status::Success) look_for_best(ids_.book_.side_of_cancelled(handle));
    return result;
  }

  // ---- The best levels: between two calls, those of the book.

  [[nodiscard, gnu::always_inline]] std::size_t& best(Side side) const noexcept {
    return best_[static_cast<std::size_t>(side)];
  }
  [[gnu::always_inline]] void look_for_best(Side side) noexcept { best(side) = ids_.book_.best_rank(side); }
  [[gnu::always_inline]] void look_for_best() noexcept {
    look_for_best(Side::Buy);
    look_for_best(Side::Sell);
  }
  /// Makes a call that may change them.
  template <class Call>
  [[gnu::always_inline]] auto changed(const Call& call) noexcept {
    const auto result = call();
    look_for_best();
    return result;
  }

  // ---- The order that waits.

  [[nodiscard, gnu::always_inline]] bool may_wait(const Request& request) const noexcept {
    return would_rest(request, request.side) && ids_.index_.holds(request.id) &&
           ids_.look_up_new(request.id) == OrderHandle{};
  }
  [[nodiscard, gnu::always_inline]] bool would_rest(const Request& request, Side side) const noexcept {
    const auto known = [this](Side one) __attribute__((always_inline)) {
      return best(one);
    };
    return ids_.book_.would_rest(side, request.price, request.time_in_force, known) &&
           request.quantity - 1 < waits_up_to_;
  }
  [[gnu::always_inline]] Result wait(const Request& request) noexcept {
    waiting_ = {request.id, request.price, request.quantity, request.side};
    return {Status::Success, ids_.book_.next_handle(), 0, request.quantity};
  }

  [[nodiscard, gnu::always_inline]] bool names_waiting(const Request& request) const noexcept {
    return request.id == waiting_.id && waiting_.quantity != 0;
  }
  template <bool single>
  [[gnu::always_inline]] Result drop() noexcept {
    // Both here, as no call is shorter.
    forget_filled();
    if constexpr (single) fetch_maker();
    ids_.book_.skip_handle();
    return {Status::Success, {}, 0, 0, std::exchange(waiting_.quantity, 0)};
  }
  [[nodiscard, gnu::always_inline]] bool may_change(const Request& request) const noexcept {
    return request.type == CommandType::Modify && would_rest(request, waiting_.side);
  }
  [[gnu::always_inline]] Result change(const Request& request) noexcept {
    const bool kept_place = request.price == waiting_.price && request.quantity <= waiting_.quantity;
    waiting_.price = request.price;
    waiting_.quantity = request.quantity;
    return {Status::Success, ids_.book_.next_handle(), 0, request.quantity, 0, kept_place};
  }

  [[gnu::always_inline]] void place() const noexcept {
    if (waiting_.quantity == 0) return;
    forget_filled();
    const auto& [id, price, quantity, side] = waiting_;
    const SlotIndex slot = ids_.book_.add_resting_order(id, side, price, quantity).handle.index;
    ids_.index_.insert(id, slot);
    ids_.recent_[Ids::place(id)] = slot;
    best(side) = std::min(best(side), ids_.book_.rank_at(side, price));
    waiting_.quantity = 0;
  }

  // ---- Filled makers.

  template <class Sink>
  [[nodiscard, gnu::always_inline]] decltype(auto) tapped(Sink& sink) noexcept {
    if constexpr (forgets) {
      return typename Ids::template Tap<Sink, LazyIdBook>{*this, sink};
    } else {
      return ids_.tapped(sink);
    }
  }

  /// Notes a maker that is filled, in the place of the index. No more of them than there is capacity: the index
  /// has room for thrice as many, so for these too.
  void erase(OrderId id, SlotIndex slot) noexcept
    requires forgets
  {
    if (filled_count_ == std::min(filled_.size(), ids_.book_.pool_.capacity())) [[unlikely]]
      forget_all_filled();
    filled_[filled_count_++] = {id, slot};
  }
  [[gnu::always_inline]] void forget_filled() const noexcept {
    if constexpr (forgets) {
      if (filled_count_ != 0) [[unlikely]]
        forget_all_filled();
    }
  }
  [[gnu::noinline]] void forget_all_filled() const noexcept
    requires forgets
  {
    for (std::size_t i = 0; i < filled_count_; ++i) ids_.index_.erase(filled_[i].id, filled_[i].slot);
    filled_count_ = 0;
  }

  // ---- The makers that the next market order may meet.

  /// From so many levels the first order is fetched after a market order, one in each single call that drops an
  /// order.
  static constexpr std::uint32_t levels_ahead = 4;
  /// With fewer orders, these and their levels lie in a first-level cache of 32 KiB, where a fetch only costs.
  static constexpr std::size_t cold_from = 32 * 1'024 / (2 * sizeof(OrderSlot));

  struct NextMakers {
    Side side;           ///< of the makers
    std::uint32_t left;  ///< how many levels are still to be looked at
    std::size_t from;    ///< no better rank than this
  };
  void look_for_makers(Side side) noexcept {
    next_makers_ = {side, ids_.book_.size() < cold_from ? 0 : levels_ahead, 0};
  }
  [[gnu::always_inline]] void fetch_maker() noexcept {
    if (next_makers_.left == 0) return;
    --next_makers_.left;
    next_makers_.from = ids_.book_.fetch_maker(next_makers_.side, next_makers_.from);
  }

  // ---- All that was put off.

  Ids& settle() const noexcept {
    forget_filled();
    place();
    return ids_;
  }
  /// Makes a call that may change the book, once that is done.
  template <class Call>
  auto settled(const Call& call) noexcept {
    settle();
    return changed(call);
  }
  [[nodiscard]] static bool may_leave_order(const Request& request) noexcept {
    const bool drops = has_time_in_force(request.type) && request.time_in_force > TimeInForce::PostOnly;
    return has_price(request.type) && !drops;
  }
  [[gnu::always_inline]] void settle_before(const Request& request) noexcept {
    settle();
    best_ = {};  // no order waits before they are known again: whoever listens to the call may add one
    if (request.quantity > harmless_up_to_ && may_leave_order(request)) [[unlikely]]
      waits_up_to_ = 0;
  }

  // A query may settle: what was put off belongs to calls that have been made.
  mutable Ids ids_;
  mutable Waiting waiting_{};
  mutable typename Book::BestRanks best_{};  ///< all 0, so that no order waits, until they are looked for
  mutable std::size_t filled_count_ = 0;
  mutable std::array<Filled, 24> filled_{};
  NextMakers next_makers_{};
  Quantity waits_up_to_;  ///< the most lots of an order that may wait; 0 once there may be one of too many lots
  /// So many lots, for each order that may rest, fit 64 bits. No limit if the book takes no more of an order.
  Quantity harmless_up_to_ = std::numeric_limits<Quantity>::max();
};

}  // namespace llmes::inline LLMES_NAMESPACE
