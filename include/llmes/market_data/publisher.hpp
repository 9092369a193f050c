// SPDX-License-Identifier: MIT
//
// A book that tells what it does: it takes the calls of a book, makes them, and gives a sink the events of
// events.hpp. The book knows nothing of it: what is told follows from its trades, its results and its queries.
//
//  - No call allocates, locks, throws or calls the system. Only the numbers of the streams are kept from one call
//    to the next.
//  - What a sink has no member for is not compiled. To listen to the best prices costs a constant for each call:
//    the best levels are compared before and after it. Orders and levels cost a constant for each call and for
//    each event.
//  - In a call, fills and the levels that they empty are told while the book is matching; everything else, when it
//    has settled.
//
// A fill and a level wait until it is known whether another event follows, since the last one ends the command. So
// one of each is kept during a call, however much it sweeps: a taker empties levels one after the other, and no
// order can come to one that it has emptied in the same call, so its state is known when the next level trades.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "llmes/book/calls.hpp"
#include "llmes/market_data/events.hpp"
#include "llmes/types/arguments.hpp"
#include "llmes/types/command.hpp"
#include "llmes/types/span_results.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// Publishes what `Book` does to `Sink`; each is a type, to be kept here, or a reference to one that outlives
/// this. A book is an `OrderBook` of any kind, a `DynamicBook`, a `BookSet`, or an `IdBook` of one of these. The
/// calls are those of the book, where their contracts stand. A sink that takes no event, or that has a member by
/// the name of one and cannot take it, does not compile. Nobody else may call it, or the sink misses what they do;
/// a book that is not empty at first has a snapshot (see snapshot.hpp).
///
/// The sink is called in the order of the events of each stream. It must not make calls. It may ask the book when
/// it gets an event that ends the command, and not at other times. An exception that leaves it ends the program.
///
/// A publisher that has been moved from tells nothing, and hands on the calls to its book.
template <class Book, class Sink>
class Publisher
    : public OrderCalls<Publisher<Book, Sink>, typename detail::CommandsOf<std::remove_cvref_t<Book>>::Own> {
  using BookType = std::remove_cvref_t<Book>;
  using SinkType = std::remove_reference_t<Sink>;

  static constexpr bool by_id = requires { typename BookType::RequestType; };
  /// What has the queries: the book or set, or that of an `IdBook`.
  [[nodiscard]] static const auto& orders_of(const BookType& book) noexcept {
    if constexpr (by_id) {
      return book.book();
    } else {
      return book;
    }
  }
  using Orders = std::remove_cvref_t<decltype(orders_of(std::declval<const BookType&>()))>;
  static constexpr bool of_set = requires { typename Orders::Book; };

  template <class... Events>
  static constexpr bool takes = Takes<SinkType, Events...>;
  static constexpr bool takes_changes_of_orders = takes<OrderAdded, OrderReduced, OrderDeleted, OrderReplaced>;
  static constexpr bool takes_fills = takes<OrderExecuted>;
  static constexpr bool takes_levels = takes<LevelChanged>;
  static constexpr bool takes_best = takes<BestChanged>;
  /// Whether a call must look at the order that it names before and after.
  static constexpr bool watches_orders = takes_changes_of_orders || takes_levels;
  static constexpr bool watches_trades = takes_fills || takes_levels;

 public:
  using CommandOf = typename detail::CommandsOf<BookType>::Own;

  /// Makes a publisher, or nothing, and `status` says why. All memory, 24 bytes for each book, is allocated here.
  /// @param book,sink references, or what is to be kept here.
  /// @param status OutOfMemory, or Success.
  [[nodiscard]] static std::optional<Publisher> create(Book&& book, Sink&& sink, CreateStatus& status) noexcept {
    std::optional<Publisher> publisher{Publisher(std::forward<Book>(book), std::forward<Sink>(sink))};
    status = CreateStatus::Success;
    if (publisher->books_ == 0) {
      status = CreateStatus::OutOfMemory;
      publisher.reset();
    }
    return publisher;
  }

  /// The same without a reason.
  [[nodiscard]] static std::optional<Publisher> create(Book&& book, Sink&& sink) noexcept {
    CreateStatus status{};
    return create(std::forward<Book>(book), std::forward<Sink>(sink), status);
  }

  Publisher(Publisher&& other) noexcept
      : book_(std::forward<Book>(other.book_)),
        sink_(std::forward<Sink>(other.sink_)),
        positions_(std::move(other.positions_)),
        books_(std::exchange(other.books_, 0)) {}
  Publisher& operator=(Publisher&&) = delete;

  // ---- Orders: the calls of calls.hpp.

  template <CommandType type, class Trades, class Details>
  [[gnu::always_inline]] Result execute(const CommandOf& command, Trades& trades, Details& details) noexcept {
    return told(
        begin(command), trades, [&](auto& tap) __attribute__((always_inline)) {
          return book_.template execute<type>(command, tap, details);
        });
  }

  /// Takes every order off a side, off a book, or off all books of a set. Tells each order, in priority order, as
  /// one command for each book. Linear in the orders.
  /// @return how many they were; 0 if there is no such book or side.
  std::size_t clear(Side side) noexcept
    requires(!of_set)
  {
    return cleared(0, side);
  }
  std::size_t clear(BookNumber book, Side side) noexcept
    requires(of_set)
  {
    return cleared(book, side);
  }
  std::size_t clear(BookNumber book) noexcept
    requires(of_set)
  {
    return cleared(book, Side::Buy, Side::Sell);
  }
  std::size_t clear() noexcept {
    if constexpr (of_set) {
      std::size_t count = 0;
      for (BookNumber book = 0; book < orders().book_count(); ++book) count += clear(book);
      return count;
    } else {
      return cleared(0, Side::Buy, Side::Sell);
    }
  }

  /// Makes the call that `command` describes.
  template <TradeSink Trades>
  [[gnu::always_inline]] Result apply(const CommandOf& command, Trades&& trades) noexcept {
    return told(
        begin(command),
        trades, [&](auto& tap) __attribute__((always_inline)) { return book_.apply(command, tap); });
  }

  /// Applies `commands` in order, as the book does. What a command has done is told before `receiver` gets its
  /// result.
  template <ResultReceiver Receiver, SpanTradeSink Trades>
  void apply(std::span<const CommandOf> commands, Receiver&& receiver, Trades&& trades) noexcept
    requires(!by_id)
  {
    const auto at = [commands](std::size_t i) -> const CommandOf& { return commands[i]; };
    apply_each(commands.size(), at, receiver, trades,
               [&](auto& followed, auto& tap) { book_.apply(commands, followed, tap); });
  }
  /// The same, writing the results to `results`.
  /// @return how many commands were applied: all, or as many as fit in `results`.
  template <TradeSink Trades>
  [[nodiscard]] std::size_t apply(std::span<const CommandOf> commands, std::span<Result> results,
                                  Trades&& trades) noexcept
    requires(!by_id)
  {
    return apply_into(*this, commands, results, trades);
  }
  /// Applies the requests `at(0)` to `at(count - 1)` in order, as an `IdBook` does.
  template <class At, ResultReceiver Receiver, SpanTradeSink Trades>
  void apply(std::size_t count, At&& at, Receiver&& receiver, Trades&& trades) noexcept
    requires(by_id)
  {
    apply_each(count, at, receiver, trades,
               [&](auto& followed, auto& tap) { book_.apply(count, at, followed, tap); });
  }

  /// Moves the band. It changes no order, and tells nothing.
  [[nodiscard]] Status recenter(PriceArgument base_price) noexcept
    requires requires(BookType& book) { book.recenter(base_price); }
  {
    return book_.recenter(base_price);
  }
  /// Adds a book to a set.
  [[nodiscard]] std::optional<BookNumber> add_book() noexcept
    requires(of_set)
  {
    return book_.add_book();
  }

  // ---- Queries.

  /// The book, for every query of its own.
  [[nodiscard]] const BookType& book() const noexcept { return book_; }
  [[nodiscard]] const SinkType& sink() const noexcept { return sink_; }

  /// How far the streams of a book have come: what a snapshot of it includes. All are 0 if there is no such book.
  [[nodiscard]] StreamPositions positions(BookNumber book = 0) const noexcept {
    return book < books_ ? positions_[book] : StreamPositions{};
  }

  /// Its state and that of its book, part by part, for an image (see engine/image.hpp); not what its sink has.
  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& visit) noexcept {
    visit(self.book_, std::span(self.positions_.get(), self.books_));
  }

 private:
  /// The name of a price level.
  struct Level {
    Side side;
    Price price;

    friend bool operator==(const Level&, const Level&) = default;
  };

  /// A call to a book: what was there before it, and what has yet to be told. A member that no event needs is not
  /// used.
  struct Call {
    BookNumber book = 0;
    std::optional<RestingOrder> before{};  ///< the order that it names
    std::optional<BestChanged> best{};
    std::optional<OrderExecuted> fill{};
    std::optional<Level> level{};
  };

  Publisher(Book&& book, Sink&& sink) noexcept
      : book_(std::forward<Book>(book)),
        sink_(std::forward<Sink>(sink)),
        positions_(new(std::nothrow) StreamPositions[books_max()]()),
        books_(positions_ == nullptr ? 0 : books_max()) {
    detail::check_event_sink<SinkType>();
    static_assert(
        watches_orders || takes_fills || takes_best,
        "llmes: this sink takes no event: it needs a member such as `void added(const OrderAdded&)`; they are "
        "listed in llmes/market_data/events.hpp");
  }

  // ---- What the book says.

  [[nodiscard]] const Orders& orders() const noexcept { return orders_of(book_); }

  /// How many books there can be.
  [[nodiscard]] std::size_t books_max() const noexcept {
    if constexpr (of_set) {
      return orders().books();
    } else {
      return 1;
    }
  }

  /// The book of that number, if there is one, to be dereferenced in the same expression.
  [[nodiscard]] auto one([[maybe_unused]] BookNumber book) const noexcept {
    if constexpr (of_set) {
      return orders().book(book);
    } else {
      return &orders();
    }
  }

  /// `name` is a handle, or an id.
  [[nodiscard]] OrderHandle handle_of(typename CommandOf::NameArgument name) const noexcept {
    if constexpr (by_id) {
      return book_.handle_of(name);
    } else {
      return name;
    }
  }

  /// The book in which an order rests; any will do for one that does not.
  [[nodiscard]] BookNumber home([[maybe_unused]] OrderHandle handle) const noexcept {
    if constexpr (of_set) {
      return orders().book_of(handle).value_or(0);
    } else {
      return 0;
    }
  }

  // ---- A call.

  /// Begins a call that adds an order to a book.
  [[nodiscard, gnu::always_inline]] Call begin_in(BookNumber book) const noexcept {
    Call call{book};
    if constexpr (takes_best) {
      if (const auto book_there = one(book)) call.best = best_of(*book_there);
    }
    return call;
  }
  [[nodiscard, gnu::always_inline]] Call begin(const CommandOf& command) const noexcept {
    if (adds(command.type)) {
      if constexpr (of_set) {
        return begin_in(command.book);
      } else {
        return begin_in(0);
      }
    }
    const OrderHandle handle = handle_of(command.name());
    Call call = begin_in(home(handle));
    if constexpr (watches_orders) call.before = orders().find(handle);
    return call;
  }

  /// Makes a call, and tells what it has done.
  template <class Trades, class MakeCall>
  [[gnu::always_inline]] Result told(Call call, Trades& trades, const MakeCall& make_call) noexcept {
    auto&& tap = tapped(call, trades);
    const Result result = make_call(tap);
    finish(call, result);
    return result;
  }
  /// Tells what a call has done, as far as it is not told yet.
  [[gnu::always_inline]] void finish(Call& call, const Result& result) noexcept {
    if (result.status == Status::Success) finish_success(call, result);
  }
  void finish_success(Call& call, const Result& result) noexcept {
    if constexpr (watches_orders) {
      const std::optional<RestingOrder>& before = call.before;
      std::optional<RestingOrder> after;
      if (result.rests()) after = orders().find(result.handle);
      if (!(result.kept_place && before == after)) {
        tell_change(call, before, after, result.kept_place);
        if (before) touch(call, *before);
        if (after) touch(call, *after);
      }
    } else {
      tell_fill(call, true);
    }
    if constexpr (takes_levels) tell_level(call, true);
    if constexpr (takes_best) tell_best(call);
  }

  /// Tells what has become of an order.
  void tell_change(Call& call, const std::optional<RestingOrder>& before, const std::optional<RestingOrder>& after,
                   bool kept_place) noexcept {
    if (before && after && kept_place) {
      conclude(call, OrderReduced{{}, *after, before->quantity - after->quantity});
    } else if (before && after) {
      conclude(call, OrderReplaced{{}, *before, *after});
    } else if (before) {
      conclude(call, OrderDeleted{{}, *before});
    } else if (after) {
      conclude(call, OrderAdded{{}, *after});
    } else {
      tell_fill(call, true);
    }
  }
  /// Tells the event of an order that ends the command, if the sink takes it.
  template <class LastEvent>
  void conclude(Call& call, const LastEvent& event) noexcept {
    tell_fill(call, !takes<LastEvent>);
    tell(call.book, event, true);
  }

  /// Tells the fill that waits, if there is one.
  void tell_fill(Call& call, bool ends_command) noexcept {
    if constexpr (takes_fills) {
      if (call.fill) tell(call.book, *call.fill, ends_command);
    }
  }

  /// Notes the level of an order as touched when the book has settled.
  void touch(Call& call, const RestingOrder& order) noexcept {
    if constexpr (takes_levels) {
      const Level level{order.side, order.price};
      if (call.level != level) tell_level(call, false);
      call.level = level;
    }
  }
  /// Tells the level that waits, if there is one, when the book has settled.
  void tell_level(const Call& call, bool ends_command) noexcept {
    if (!call.level) return;
    const auto& [side, price] = *call.level;
    tell(call.book, LevelChanged{{}, side, one(call.book)->level(side, price)}, ends_command);
  }
  /// Notes a level that a taker, or a clear, has come to, which has emptied the one before.
  void come_to(Call& call, const Level& level) noexcept {
    if (call.level && call.level != level) {
      const auto& [side, price] = *call.level;
      tell(call.book, LevelChanged{{}, side, {price}}, false);
    }
    call.level = level;
  }

  void tell_best(const Call& call) noexcept {
    const BestChanged now = best_of(*one(call.book));
    if (now != call.best) tell(call.book, now, true);
  }

  /// Gives the sink an event, with its place in its stream.
  template <class AnyEvent>
  void tell([[maybe_unused]] BookNumber book, [[maybe_unused]] AnyEvent event,
            [[maybe_unused]] bool ends_command) noexcept {
    if constexpr (takes<AnyEvent>) {
      if (book >= books_) return;
      StreamPositions& positions = positions_[book];
      if constexpr (std::same_as<AnyEvent, LevelChanged>) {
        event.sequence = ++positions.levels;
      } else if constexpr (std::same_as<AnyEvent, BestChanged>) {
        event.sequence = ++positions.best;
      } else {
        event.sequence = ++positions.orders;
      }
      event.book = book;
      event.ends_command = ends_command;
      give(sink_, event);
    }
  }

  template <class... Sides>
  std::size_t cleared(BookNumber book, Sides... sides) noexcept {
    if (!one(book)) return 0;
    Call call = begin_in(book);
    std::optional<OrderDeleted> last;
    if constexpr (takes<OrderDeleted, LevelChanged>) {
      const auto visit = [&](const RestingOrder& order) {
        if (last) tell(book, *last, false);
        last = OrderDeleted{{}, order};
        if constexpr (takes_levels) come_to(call, {order.side, order.price});
      };
      (one(book)->visit_orders(sides, visit), ...);
    }
    std::size_t count = 0;
    if constexpr (of_set) {
      count = (book_.clear(book, sides) + ...);
    } else {
      count = (book_.clear(sides) + ...);
    }
    if (last) tell(book, *last, true);
    if constexpr (takes_levels) tell_level(call, true);
    if constexpr (takes_best) tell_best(call);
    return count;
  }

  // ---- What the book gives its trades and results to.

  /// Hands on what it gets; so it is whatever kind of sink the other one is.
  template <class Trades>
  struct Tap {
    Trades& behind;
    Publisher& publisher;
    Call& call;

    void operator()(const Trade& trade) const
      requires TradeSink<Trades>
    {
      publisher.traded(call, trade);
      behind(trade);
    }
    void operator()(const Trade& trade, std::size_t index) const
      requires(!TradeSink<Trades>)
    {
      publisher.traded(call, trade);
      behind(trade, index);
    }
  };

  /// The sink itself, if nothing is to be learned from trades.
  template <class Trades>
  [[nodiscard, gnu::always_inline]] decltype(auto) tapped([[maybe_unused]] Call& call, Trades& trades) noexcept {
    if constexpr (watches_trades) {
      return Tap<Trades>{trades, *this, call};
    } else {
      return (trades);
    }
  }

  void traded(Call& call, const Trade& trade) noexcept {
    if constexpr (takes_fills) {
      tell_fill(call, false);
      call.fill = OrderExecuted{{}, trade};
    }
    if constexpr (takes_levels) come_to(call, {opposite(trade.taker_side), trade.price});
  }

  /// Stands between a span and its receiver: tells what a command has done, and begins the next one when the
  /// receiver, which may change it, is done.
  template <class At, class Receiver>
  struct Followed : detail::HandsOn<Receiver> {
    Publisher& publisher;
    Call& call;
    std::size_t count;
    At& at;

    void operator()(const Result& result, std::size_t i) const {
      publisher.finish(call, result);
      give_result(this->behind, result, i);
      // Made in its place: a copy would cost a tenth of a published call.
      if (i + 1 < count) new (&call) Call(publisher.begin(at(i + 1)));
    }
  };

  template <class At, class Receiver, class Trades, class ApplyAll>
  [[gnu::always_inline]] void apply_each(std::size_t count, At& at, Receiver& receiver, Trades& trades,
                                         const ApplyAll& apply_all) noexcept {
    if (count == 0) return;
    Call call = begin(at(0));
    auto&& tap = tapped(call, trades);
    const Followed<At, Receiver> followed{{receiver}, *this, call, count, at};
    apply_all(followed, tap);
  }

  Book book_;
  Sink sink_;
  std::unique_ptr<StreamPositions[]> positions_;
  std::size_t books_;  ///< how many have positions
};

}  // namespace llmes::inline LLMES_NAMESPACE
