// SPDX-License-Identifier: MIT
//
// The books of a whole market: many books for any price over one pool of orders, with one space of handles. An
// order says which book, side and price it belongs to, so a call that names an order needs its handle alone.
//
// Memory scales with live orders and levels, not with the capacity of each book. A book is one cache line, its
// header, and the anchors of its two windows of 64 prices (see set_side_book.hpp). Over many books each line is a
// cache miss, and a call costs as much as the misses that it waits for. So a span goes in blocks, and prefetches a
// block in two looks: the second one prefetches what the first has led to.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <span>

#include "llmes/book/calls.hpp"
#include "llmes/book/order_book.hpp"
#include "llmes/book/order_pool.hpp"
#include "llmes/detail/call_guard.hpp"
#include "llmes/detail/reset_on_move.hpp"
#include "llmes/detail/zeroed_array.hpp"
#include "llmes/sets/level_pool.hpp"
#include "llmes/sets/look_ahead.hpp"
#include "llmes/sets/placed_pool.hpp"
#include "llmes/sets/pool_view.hpp"
#include "llmes/sets/set_side_book.hpp"
#include "llmes/types/arguments.hpp"
#include "llmes/types/command.hpp"
#include "llmes/types/span_results.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// What a set of books is made for.
struct BookSetConfig {
  std::size_t max_books =
      0;  ///< the largest number of books, from 1 to `BookSet::books_max`; `add_book` makes them
  std::size_t capacity = 0;  ///< the largest number of resting orders, of all books together
  /// How many price levels may lie beyond the windows of all sides together. As many as orders are always enough.
  std::size_t far_levels = std::numeric_limits<std::size_t>::max();
  /// The most lots of one add or modify; at least 1. It guards against mistyped orders.
  Quantity quantity_max = std::numeric_limits<Quantity>::max();
};

/// Many books for any price, numbered from 0. Each has the calls, contracts and statuses of an `AnyPriceBook`, in
/// ticks of its own, but: a number without a book is an `UnknownBook`; capacity is that of the set; PoolFull also
/// means that the order may need a level beyond its window and there is no room for one. A modify or a replace
/// that is rejected so leaves the order where it was.
///
/// Memory: 32 bytes for each order of capacity, or 58 if orders live where their ids say; 67 for each far level;
/// and 5.2 KiB for each book. `memory_bytes` says it exactly.
///
/// One thread at a time may use a set. One that was moved from has no books and knows no orders.
///
/// `Orders` says where orders live: see `BookSet` and `PlacedBookSet` at the end.
/// `Rules` are those of all books: see `OrderBook`.
template <class Orders, class Rules = NoRules>
class BasicBookSet
    : public OrderCalls<BasicBookSet<Orders, Rules>, BasicBookCommand<OrderHandle, typename Rules::Terms>> {
  using BookCommand = BasicBookCommand<OrderHandle, typename Rules::Terms>;
  using TradeType = typename BookCommand::TradeType;
  using Pool = BasicLevelPool<Orders>;
  using BookPool = BasicPoolView<Pool>;
  template <std::size_t>
  using SideOf = SetSide<BookPool>;

  /// One line a book.
  struct alignas(64) Header {
    std::array<SideOf<BookPool::window>, 2> sides;
  };
  static_assert(sizeof(Header) == 64);

 public:
  using Config = BookSetConfig;

  /// One book of a set, with every call and query of `AnyPriceBook` but `create`: a few references, good while the
  /// set is neither moved nor destroyed. It does not know handles of other books.
  using Book = OrderBook<BookPool::window, SideOf, Rules>;

  static constexpr std::size_t books_max = std::size_t{1} << 24;
  /// The largest capacity of a set with so many books.
  [[nodiscard]] static constexpr std::size_t capacity_max(std::size_t books) noexcept {
    return Pool::capacity_max(books * cells_a_book);
  }

  /// Makes a set without books, or nothing, and `status` says why. All memory is allocated and touched here.
  /// @param status InvalidBookCount, InvalidCapacity (0, or above `capacity_max`), InvalidQuantityMax (0),
  /// OutOfMemory, or Success.
  [[nodiscard]] static std::optional<BasicBookSet> create(BookSetConfig config, CreateStatus& status) noexcept {
    status = check(config);
    if (status != CreateStatus::Success) return {};
    config.far_levels = std::min(config.far_levels, config.capacity);
    std::optional<BasicBookSet> set{BasicBookSet(config)};
    if (set->headers_ == nullptr || !set->cells_.allocated() || !set->held_.allocated() ||
        set->pool_.slot_count() == 0 || !set->rules_.prepare(set->pool_.slot_count(), config.capacity)) {
      status = CreateStatus::OutOfMemory;
      set.reset();
    } else {
      set->prepare();
    }
    return set;
  }

  /// The same without a reason.
  [[nodiscard]] static std::optional<BasicBookSet> create(const BookSetConfig& config) noexcept {
    CreateStatus status{};
    return create(config, status);
  }

  // ---- Books.

  /// Adds a book, which is empty. Constant.
  /// @return its number, one more than that of the last one; nothing if the set has as many as it was made for.
  [[nodiscard]] std::optional<BookNumber> add_book() noexcept {
    [[maybe_unused]] const auto call = guard_.change();
    if (book_count_ == books_) return {};
    return book_count_++;
  }

  /// How many books there are, and how many there can be.
  [[nodiscard]] std::size_t book_count() const noexcept {
    [[maybe_unused]] const auto call = guard_.query();
    return book_count_;
  }
  [[nodiscard]] std::size_t books() const noexcept {
    [[maybe_unused]] const auto call = guard_.query();
    return books_;
  }

  /// The book of that number, if there is one.
  [[nodiscard]] std::optional<Book> book(BookNumber book) noexcept {
    [[maybe_unused]] const auto call = guard_.query();
    if (book >= book_count_) return {};
    return view(book);
  }
  /// The same, for queries.
  [[nodiscard]] std::optional<const Book> book(BookNumber book) const noexcept {
    [[maybe_unused]] const auto call = guard_.query();
    if (book >= book_count_) return {};
    return const_cast<BasicBookSet*>(this)->view(book);
  }

  /// The best price of a side of a book, or `none` if there is no such price, book or side. Constant, in fewer
  /// instructions than the optional of the book.
  [[nodiscard, gnu::always_inline]] Price best_or(BookNumber book, Side side, Price none) const noexcept {
    [[maybe_unused]] const auto call = guard_.query();
    if (book >= book_count_ || side > Side::Sell) return none;
    if constexpr (Rules::active) return const_cast<BasicBookSet*>(this)->view(book).best(side).value_or(none);
    using SideBook = SideOf<BookPool::window>;
    const std::size_t best = headers_[book].sides[static_cast<std::size_t>(side)].best();
    return best == SideBook::rank_count ? none : SideBook::price_at(side, best);
  }

  /// The book in which an order rests, if it does. Constant.
  [[nodiscard]] std::optional<BookNumber> book_of(OrderHandle handle) const noexcept {
    [[maybe_unused]] const auto call = guard_.query();
    if (!pool_.contains(handle)) return {};
    return pool_.book_of_order(handle.index);
  }
  /// The order that `handle` names, if it rests. Constant.
  [[nodiscard]] std::optional<RestingOrder> find(OrderHandle handle) const noexcept {
    return const_cast<BasicBookSet*>(this)->view_of(handle).find(handle);
  }
  /// Its terms. Constant.
  [[nodiscard]] std::optional<RestingTerms> terms_of(OrderHandle handle) const noexcept
    requires(Rules::active)
  {
    return const_cast<BasicBookSet*>(this)->view_of(handle).terms_of(handle);
  }

  /// How many orders rest in all books together, and how many can.
  [[nodiscard]] std::size_t size() const noexcept {
    [[maybe_unused]] const auto call = guard_.query();
    return pool_.live_count();
  }
  [[nodiscard]] std::size_t capacity() const noexcept {
    [[maybe_unused]] const auto call = guard_.query();
    return pool_.capacity();
  }
  /// How many more price levels can lie beyond the windows.
  [[nodiscard]] std::size_t far_levels_left() const noexcept {
    [[maybe_unused]] const auto call = guard_.query();
    return pool_.free_anchor_count();
  }

  /// All the memory of a set: the object and the blocks it owns.
  [[nodiscard]] static constexpr std::size_t memory_bytes(const BookSetConfig& config) noexcept {
    const std::size_t cells = config.max_books * cells_a_book;
    return sizeof(BasicBookSet) + config.max_books * sizeof(Header) +
           (cells + 2 * config.max_books) * sizeof(SlotIndex) +
           Pool::memory_bytes(config.capacity, 2 * config.max_books, cells,
                              std::min(config.far_levels, config.capacity)) +
           Rules::State::memory_bytes(
               Pool::slots_for(cells + std::min(config.far_levels, config.capacity), config.capacity),
               config.capacity);
  }

  // ---- Orders: the calls of calls.hpp. A book of the set guards them.

  template <CommandType type, class Sink, class Details>
  [[gnu::always_inline]] Result execute(const BookCommand& command, Sink& sink, Details& details) noexcept {
    if constexpr (Rules::active && type == CommandType::MassCancel) {
      return mass_cancel_in(command.scope(), sink);
    } else if constexpr (adds(type)) {
      if (command.book >= book_count_) return {Status::UnknownBook};
      return enter(sink, view(command.book)).template execute<type>(command, sink, details);
    } else {
      return enter(sink, view_of(command.handle)).template execute<type>(command, sink, details);
    }
  }

  /// Takes every order off a side of a book, off a book, or off all books. Linear in the orders.
  /// @return how many they were; 0 if there is no such book or side.
  std::size_t clear(BookNumber book, Side side) noexcept {
    return book < book_count_ ? view(book).clear(side) : 0;
  }
  std::size_t clear(BookNumber book) noexcept { return clear(book, Side::Buy) + clear(book, Side::Sell); }
  std::size_t clear() noexcept {
    std::size_t count = 0;
    for (BookNumber book = 0; book < book_count_; ++book) count += clear(book);
    return count;
  }

  /// Makes the call that `command` describes.
  /// Rejections: those of that call, and InvalidCommand (type is not an enumerator).
  [[gnu::always_inline]] Result apply(const BookCommand& command, TradeSink<TradeType> auto&& sink) noexcept {
    if (adds(command.type)) {
      if (command.book >= book_count_) return {Status::UnknownBook};
      return enter(sink, view(command.book)).apply(command, sink);
    }
    if constexpr (Rules::active) {
      if (command.type == CommandType::MassCancel) return mass_cancel_in(command.scope(), sink);
    }
    return enter(sink, view_of(command.handle)).apply(command, sink);
  }

  /// Applies `commands`, which may be of many books, in order, as `OrderBook::apply` does: what it says of
  /// receiver and sink holds here for the set.
  [[gnu::always_inline]] void apply(std::span<const BookCommand> commands, ResultReceiver auto&& receiver,
                                    SpanTradeSink<TradeType> auto&& sink) noexcept {
    [[maybe_unused]] const auto call = guard_.span();
    for (std::size_t begin = 0; begin < commands.size(); begin += block) {
      const std::size_t end = std::min(begin + block, commands.size());
      if (end - begin >= detail::least_to_look && has_cold_books())
        look_ahead(commands.subspan(begin, end - begin));
      for (std::size_t i = begin; i < end; ++i) apply_at(i, commands[i], receiver, sink);
    }
  }

  /// The same, writing the results to `results`.
  /// @return how many commands were applied: all, or as many as fit in `results`.
  [[nodiscard]] std::size_t apply(std::span<const BookCommand> commands, std::span<Result> results,
                                  TradeSink<TradeType> auto&& sink) noexcept {
    return apply_into(*this, commands, results, sink);
  }

  // ---- For a layer that finds orders by other names than handles, such as id_book.hpp.

  /// The handle of the order in slot `slot`, any number, if it rests and has this id; else one that names nothing.
  [[nodiscard, gnu::always_inline]] OrderHandle handle_at(std::uint32_t slot, IdArgument id) const noexcept {
    [[maybe_unused]] const auto call = guard_.query();
    return pool_.handle_at(slot, id);
  }

  /// For an index: the id of the order in a slot, one of which must live there; and slots are below this number.
  [[nodiscard]] OrderId id_at(std::uint32_t slot) const noexcept { return pool_.any_slot(slot).id; }
  [[nodiscard]] std::size_t slot_count() const noexcept { return pool_.slot_count(); }

  /// For passes over all orders: the slots of orders and levels; a hint that fetches what is known of the order in
  /// a slot; and `visit(anchor, price)` for each level of a side of a book, best first. There must be that book.
  [[nodiscard]] const Pool& slots() const noexcept { return pool_; }
  [[gnu::always_inline]] void fetch_order(std::uint32_t slot) const noexcept {
    pool_.prefetch(slot);
    if constexpr (Rules::active) __builtin_prefetch(&rules_[slot]);
  }
  void visit_levels(BookNumber book, Side side, const auto& visit) const noexcept {
    const Book one = const_cast<BasicBookSet*>(this)->view(book);
    const auto& orders = one.matching_.orders;
    const auto& levels = orders.side_book(side);
    for (std::size_t rank = levels.best(); rank < Book::price_levels;
         rank = levels.best_from(orders.pool, rank + 1)) {
      visit(levels.anchor(orders.pool, side, rank), orders.price_of(side, rank));
    }
  }

  /// Whether a set finds orders by their ids itself.
  static constexpr bool finds_ids = requires(const Pool& pool, OrderId id) { pool.handle_of(id); };

  /// The handle of the order of this id, if it rests; else one that names nothing. Constant on average.
  [[nodiscard, gnu::always_inline]] OrderHandle handle_of(IdArgument id) const noexcept
    requires(finds_ids)
  {
    [[maybe_unused]] const auto call = guard_.query();
    return pool_.handle_of(id);
  }
  /// Hints for it, as placed_pool.hpp says.
  [[gnu::always_inline]] void fetch_tags(OrderId id) const noexcept
    requires(finds_ids)
  {
    pool_.prefetch_tags(id);
  }
  [[gnu::always_inline]] void fetch_bucket(OrderId id) const noexcept
    requires(finds_ids)
  {
    pool_.prefetch_bucket(id);
  }
  [[nodiscard, gnu::always_inline]] std::uint32_t likely_slot(OrderId id) const noexcept
    requires(finds_ids)
  {
    return pool_.likely_slot(id);
  }

  /// A span goes on in blocks of so many requests.
  static constexpr std::size_t block = detail::LookAhead<Header, Pool>::block;
  /// What takes less memory than this lies in the second-level cache as a rule.
  static constexpr std::size_t cached_bytes = 1'024 * 1'024;
  /// Whether the set, with so many bytes beside it, has outgrown the caches, so that hints gain.
  [[nodiscard]] bool has_cold_books(std::size_t beside = 0) const noexcept {
    return book_count_ * sizeof(Header) * 8 + pool_.live_count() * sizeof(OrderSlot) + beside >= cached_bytes;
  }

  /// Hints: prefetch what a block of requests will touch, as `LookAhead::fetch` says, or a book.
  [[gnu::always_inline]] void look_ahead(std::size_t size, const auto& at, const auto& names,
                                         std::array<SlotIndex, block>& slots) const noexcept {
    ahead().fetch(size, at, names, slots);
  }
  [[gnu::always_inline]] void fetch_book(BookNumber book) const noexcept { ahead().fetch_book(book); }

  /// Its state, part by part, for an image (see engine/snapshot/image.hpp).
  static void visit_state(auto& self, auto& visit) noexcept {
    for (auto& header : std::span(self.headers_.get(), self.books_.get())) {
      visit(header.sides[0], header.sides[1]);
    }
    visit(self.book_count_, self.cells_, self.held_, self.pool_, self.rules_);
  }

 private:
  friend struct ImageCheck;
  friend struct BookInspector;

  static constexpr std::size_t cells_a_book = 2 * BookPool::window;
  static_assert(books_max * cells_a_book < std::numeric_limits<SlotIndex>::max(), "each cell has an anchor");

  explicit BasicBookSet(const BookSetConfig& config) noexcept
      : headers_(new(std::nothrow) Header[config.max_books]),
        cells_(config.max_books * cells_a_book),
        held_(2 * config.max_books),
        pool_(config.capacity, 2 * config.max_books, config.max_books * cells_a_book, config.far_levels),
        quantity_max_(config.quantity_max),
        books_(static_cast<BookNumber>(config.max_books)) {}

  [[nodiscard]] static constexpr CreateStatus check(const BookSetConfig& config) noexcept {
    if (config.max_books == 0 || config.max_books > books_max) return CreateStatus::InvalidBookCount;
    if (config.capacity == 0 || config.capacity > capacity_max(config.max_books))
      return CreateStatus::InvalidCapacity;
    if (config.quantity_max == 0) return CreateStatus::InvalidQuantityMax;
    return CreateStatus::Success;
  }

  /// Gives each cell its anchor.
  void prepare() noexcept {
    for (BookNumber book = 0; book < books_; ++book) {
      for (std::size_t i = 0; i < cells_a_book; ++i) {
        const Side side = i < BookPool::window ? Side::Buy : Side::Sell;
        cells_[book * cells_a_book + i] = pool_.acquire_anchor(side, i % BookPool::window, book);
      }
    }
  }

  [[nodiscard, gnu::always_inline]] Book view(BookNumber book) noexcept { return view(headers_[book], book); }
  [[nodiscard, gnu::always_inline]] Book view(Header& header, BookNumber book) noexcept {
    return Book(quantity_max_, header.sides.data(),
                {pool_, &cells_[book * cells_a_book], &held_[2 * book], header.sides[0].order_count, book}, rules_,
                guard_);
  }
  /// The book in which an order rests, or one that is nobody's and does not know it either.
  [[nodiscard, gnu::always_inline]] Book view_of(OrderHandle handle) noexcept {
    if (!pool_.contains(handle)) [[unlikely]]
      return view(nobodys_, 0);
    return view(pool_.book_of_order(handle.index));
  }

  /// Tells a sink which book a call goes to, before it trades, if the sink has a member for that.
  [[gnu::always_inline]] static Book enter([[maybe_unused]] auto& sink, Book book) noexcept {
    if constexpr (requires { sink.in_book(BookNumber{}); }) sink.in_book(book.number());
    return book;
  }

  /// The same for a mass cancel, which is under way: the sink may not ask the book.
  [[nodiscard]] static Book enter_cancel([[maybe_unused]] auto& sink, Book book) noexcept {
    if constexpr (requires { sink.cancels_in(BookNumber{}); }) sink.cancels_in(book.number());
    return book;
  }

  /// A mass cancel, with rules, of a book or of all: the orders of an owner through his list, or book by book.
  Result mass_cancel_in(const CancelScope& scope, auto& sink) noexcept {
    [[maybe_unused]] const auto call = guard_.change();
    if (scope.book && *scope.book >= book_count_) return {Status::UnknownBook};
    if (!Book::Orders::is_scope(scope)) return {Status::InvalidCommand};
    Result result;
    if (scope.owner == 0) {
      const BookNumber end = scope.book ? *scope.book + 1 : BookNumber{book_count_};
      for (BookNumber book = scope.book.value_or(0); book < end; ++book) {
        enter_cancel(sink, view(book)).matching_.orders.cancel_everybody(scope, result, sink);
      }
      return result;
    }
    rules_.cancel_all_of(
        scope.owner,
        [&](SlotIndex order) {
          const BookNumber book = pool_.book_of_order(order);
          return (!scope.book || *scope.book == book) && view(book).matching_.orders.is_in(scope, order);
        },
        [&](SlotIndex order) {
          const BookNumber book = pool_.book_of_order(order);
          return view(book).matching_.orders.place_in(book, order);
        },
        [&](SlotIndex order) {
          enter_cancel(sink, view(pool_.book_of_order(order))).matching_.orders.cancel_one(order, result, sink);
        });
    return result;
  }

  // ---- Spans.

  [[nodiscard, gnu::always_inline]] detail::LookAhead<Header, Pool> ahead() const noexcept {
    return {headers_.get(), book_count_, &held_[0], pool_};
  }
  /// Out of line, which leaves the registers to the loop that applies the commands.
  [[gnu::noinline]] void look_ahead(std::span<const BookCommand> commands) const noexcept {
    std::array<SlotIndex, block> slots;
    const auto at = [&](std::size_t i) __attribute__((always_inline))->const BookCommand& {
      return commands[i];
    };
    look_ahead(commands.size(), at, detail::NamesOfCommands<Pool>{pool_}, slots);
    asm volatile("");  // GCC takes a function that only prefetches for one without effect, and drops its calls
  }

  template <class Receiver, class Sink>
  [[gnu::always_inline]] void apply_at(std::size_t i, const BookCommand& command, Receiver& receiver,
                                       Sink& sink) noexcept {
    if constexpr (Rules::active) {
      if (command.type == CommandType::MassCancel) {
        const detail::IndexedSink<Sink, TradeType> indexed{sink, i};
        return give_result(receiver, mass_cancel_in(command.scope(), indexed), i, DetailsFor<Receiver>{});
      }
    }
    if (!adds(command.type)) return enter(sink, view_of(command.handle)).apply_at(i, command, receiver, sink);
    if (command.book < book_count_) [[likely]]
      return enter(sink, view(command.book)).apply_at(i, command, receiver, sink);
    give_result(receiver, {Status::UnknownBook}, i, DetailsFor<Receiver>{});
  }

  std::unique_ptr<Header[]> headers_;
  ZeroedArray<SlotIndex> cells_;
  ZeroedArray<SlotIndex> held_;  ///< the anchors of the levels that sides hold outside of their windows
  Pool pool_;
  [[no_unique_address]] typename Rules::State rules_;
  Quantity quantity_max_;
  detail::ResetOnMove<BookNumber> books_;
  detail::ResetOnMove<BookNumber> book_count_;
  Header nobodys_{};
  [[no_unique_address]] CallGuard guard_;
};

/// Many books whose orders go by their handles, or by ids of any kind beside the set.
using BookSet = BasicBookSet<OrderPool>;

/// Many books whose orders live where their ids say (see placed_pool.hpp): the fastest that are called by ids from
/// a growing sequence, as an `IdBook<PlacedBookSet, PlacedIds>`.
using PlacedBookSet = BasicBookSet<PlacedPool>;

}  // namespace llmes::inline LLMES_NAMESPACE
