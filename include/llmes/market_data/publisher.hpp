// SPDX-License-Identifier: MIT
//
// Publishes what a book does: makes the calls of a book, and gives a sink the events of events.hpp. They follow
// from the trades of the book and from the change of an order that it reports for a call, at next to no cost.
//
//  - No call allocates, locks, throws or calls the system. Only the numbers of the streams are kept between calls.
//  - An event without a member of the sink is not compiled. Best prices cost a constant for each call, to compare
//    the best levels before and after it. Orders and levels cost a constant for each call and each event.
//  - Fills, and the levels that they empty, are given while the book matches; all else when the call has settled.
//
// The last event of a command is marked, so one fill and one level wait until the next event is known. More is
// never needed: a taker empties levels one after the other, and no order comes to an emptied one in the same call.
// With rules other events wait as well: see displayed.hpp.
#pragma once

#include <concepts>
#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>

#include "llmes/book/calls.hpp"
#include "llmes/detail/reset_on_move.hpp"
#include "llmes/market_data/displayed.hpp"
#include "llmes/market_data/events.hpp"
#include "llmes/types/arguments.hpp"
#include "llmes/types/auction.hpp"
#include "llmes/types/command.hpp"
#include "llmes/types/span_results.hpp"
#include "llmes/types/terms.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// Publishes what `Book` does to `Sink`; each is a type, to be kept here, or a reference to one that outlives
/// this. A book is an `OrderBook` of any kind, a `BookSet`, or an `IdBook` of one of these; its contracts hold for
/// the calls. A sink that takes no event, or cannot take one that it names, does not compile. Nobody else may call
/// the book: the sink would miss it. For a book that is not empty at first see snapshot.hpp.
///
/// The sink gets the events of each stream in order. It must not make calls. It may query the book while it gets
/// an event that ends the command. An exception that leaves it ends the program.
///
/// A publisher that was moved from publishes nothing, and passes the calls on to its book.
template <class Book, class Sink>
class Publisher
    : public OrderCalls<Publisher<Book, Sink>, typename detail::CommandsOf<std::remove_cvref_t<Book>>::Own> {
  using BookType = std::remove_cvref_t<Book>;
  using SinkType = std::remove_reference_t<Sink>;

  using Kind = detail::PublishedBook<BookType>;
  using Orders = typename Kind::Orders;
  static constexpr bool by_id = Kind::by_id, of_set = Kind::of_set, has_rules = Kind::has_rules;

  template <class... Events>
  static constexpr bool takes = Takes<SinkType, Events...>;
  static constexpr bool takes_fills =
      takes<OrderExecuted> ||
      (has_rules && takes<OrderAdded, OrderReduced, OrderDeleted, HiddenExecuted, OrdersCrossed>);  // of makers
  static constexpr bool takes_levels = takes<LevelChanged>, takes_best = takes<BestChanged>;
  static constexpr bool takes_changes =
      takes_levels || takes<OrderAdded, OrderReduced, OrderDeleted, OrderReplaced>;

 public:
  using CommandOf = typename detail::CommandsOf<BookType>::Own;
  using TradeType = typename CommandOf::TradeType;

  /// Makes a publisher, or nothing, and `status` says why. All memory is allocated here:
  /// 24 bytes for each book, and with rules 48 for each order of capacity.
  /// @param book,sink references, or what is to be kept here.
  /// @param status OutOfMemory, or Success.
  [[nodiscard]] static std::optional<Publisher> create(Book&& book, Sink&& sink,
                                                       CreateStatus& status = NoStatus{}) noexcept {
    std::optional<Publisher> publisher{Publisher(std::forward<Book>(book), std::forward<Sink>(sink))};
    status = CreateStatus::Success;
    if (publisher->books_ == 0 || !publisher->cancelled_.allocated()) {
      status = CreateStatus::OutOfMemory;
      publisher.reset();
    }
    return publisher;
  }

  // ---- Orders: the calls of calls.hpp.

  template <CommandType type, class Command = CommandOf, class Trades, class Details>
  [[gnu::always_inline]] Result execute(const Command& command, Trades& trades,
                                        [[maybe_unused]] Details& details) noexcept {
    Call<Trades> call(*this, trades);
    OrderChange change;
    const Result result = book_.template execute<type>(command, call, change);
    call.finish(result, change);
    if constexpr (WantsDetails<Details>) details = change;
    return result;
  }

  /// Takes every order off a side, a book, or all books, as one command a book, by priority. Linear in the orders.
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
  template <TradeSink<TradeType> Trades>
  Result apply(const CommandOf& command, Trades&& trades) noexcept {
    NoDetails none;
    return execute_as(command.type, [&]<CommandType type>() { return execute<type>(command, trades, none); });
  }

  /// Applies `commands` in order, as the book does. `receiver` gets a result after the events of its command.
  template <ResultReceiver Receiver, SpanTradeSink<TradeType> Trades>
  void apply(std::span<const CommandOf> commands, Receiver&& receiver, Trades&& trades) noexcept
    requires(!by_id)
  {
    Call<Trades> call(*this, trades);
    book_.apply(commands, Followed<Trades, Receiver>{call, receiver}, call);
  }
  /// The same, writing the results to `results`.
  /// @return how many commands were applied: all, or as many as fit in `results`.
  template <TradeSink<TradeType> Trades>
  [[nodiscard]] std::size_t apply(std::span<const CommandOf> commands, std::span<Result> results,
                                  Trades&& trades) noexcept
    requires(!by_id)
  {
    return apply_into(*this, commands, results, trades);
  }
  /// Applies the requests `at(0)` to `at(count - 1)` in order, as an `IdBook` does.
  template <class At, ResultReceiver Receiver, SpanTradeSink<TradeType> Trades>
  [[gnu::always_inline]] void apply(std::size_t count, At&& at, Receiver&& receiver, Trades&& trades) noexcept
    requires(by_id)
  {
    Call<Trades> call(*this, trades);
    book_.apply(count, at, Followed<Trades, Receiver>{call, receiver}, call);
  }

  /// Ends a call auction, as the book does (see rules/auction.hpp). Its trades are told as OrdersCrossed.
  /// Rejections: those of the book; of a set also UnknownBook.
  template <AuctionSink Trades>
  Result uncross(PriceArgument price, SelfTrade self_trade, Trades&& trades) noexcept
    requires(has_rules && !of_set)
  {
    return uncross_in(0, price, self_trade, trades);
  }
  template <AuctionSink Trades>
  Result uncross(BookNumber book, PriceArgument price, SelfTrade self_trade, Trades&& trades) noexcept
    requires(has_rules && of_set)
  {
    return uncross_in(book, price, self_trade, trades);
  }

  /// Moves the band. It changes no order, and has no event.
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

  /// Its state, that of its book, and that of its sink if it shows one, for an image (see
  /// engine/snapshot/image.hpp).
  static void visit_state(auto& self, auto& visit) noexcept {
    visit(self.book_, std::span(self.positions_.get(), self.books_.get()));
    if constexpr (requires { SinkType::visit_state(self.sink_, visit); }) visit(self.sink_);
  }

 private:
  static constexpr BookNumber no_book = std::numeric_limits<BookNumber>::max();

  /// The name of a price level.
  struct Level {
    Side side;
    Price price;

    friend bool operator==(const Level&, const Level&) = default;
  };

  Publisher(Book&& book, Sink&& sink) noexcept
      : book_(std::forward<Book>(book)),
        sink_(std::forward<Sink>(sink)),
        positions_(new(std::nothrow) StreamPositions[Kind::books_max(orders())]()),
        books_(positions_ == nullptr ? 0 : Kind::books_max(orders())),
        cancelled_(orders()) {
    detail::check_event_sink<SinkType>();
    static_assert(
        takes_changes || takes_fills || takes_best,
        "llmes: this sink takes no event: it needs a member such as `void added(const OrderAdded&)`; they are "
        "listed in llmes/market_data/events.hpp");
  }

  // ---- What the book says.

  [[nodiscard]] const Orders& orders() const noexcept { return Kind::orders_of(book_); }

  /// The book of that number, if there is one, to be dereferenced in the same expression.
  [[nodiscard]] auto one([[maybe_unused]] BookNumber book) const noexcept {
    if constexpr (of_set) {
      return orders().book(book);
    } else {
      return &orders();
    }
  }

  // ---- A call.

  template <class Trades>
  Result uncross_in(BookNumber book, Price price, SelfTrade self_trade, Trades& trades) noexcept {
    if (!one(book)) return {Status::UnknownBook};
    Call<Trades> call(*this, trades);
    call.in_book(book);
    detail::AuctionCall<Call<Trades>> auction(call);
    const Result result = detail::uncross(book_, book, price, self_trade, auction);
    auction.finish();
    return result;
  }

  /// What a book gives its trades to, in a call or a span, and what is not published yet of the call.
  template <class Trades>
  class Call : public std::conditional_t<has_rules, detail::RuledCall<Call<Trades>>, detail::PlainCall> {
    friend detail::RuledCall<Call>;
    friend class detail::AuctionCall<Call>;

   public:
    Call(Publisher& publisher, Trades& behind) noexcept : publisher_(publisher), behind_(behind) { begin(); }

    /// Begins the next call, when the book is as it finds it.
    void begin() noexcept {
      if constexpr (!of_set) in_book(0);
      if constexpr (of_set && has_rules) book_ = no_book;
    }
    /// A set says which book the call goes to.
    void in_book(BookNumber book) noexcept {
      book_ = book;
      if constexpr (takes_best) {
        if (const auto one = publisher_.one(book)) best_ = best_of(*one);
      }
    }

    void operator()(const TradeType& trade) noexcept
      requires TradeSink<Trades, TradeType>
    {
      traded(trade);
      behind_(trade);
    }
    void operator()(const TradeType& trade, std::size_t index) noexcept
      requires(!TradeSink<Trades, TradeType>)
    {
      traded(trade);
      behind_(trade, index);
    }

    /// Publishes what a call has done, as far as it is not published yet.
    [[gnu::always_inline]] void finish(const Result& result, [[maybe_unused]] const OrderChange& change) noexcept {
      if (result.status != Status::Success) return;
      if constexpr (has_rules) {
        if (book_ == no_book || !publisher_.cancelled_.empty()) return publisher_.tell_mass_cancel();
      }
      if constexpr (takes_changes && has_rules) {
        tell_change(detail::displayed(change), result.kept_place);
      } else if constexpr (takes_changes) {
        tell_change(change, result.kept_place);
      } else {
        tell_fill(true);
      }
      if constexpr (takes_levels) tell_level(true);
      tell_best();
    }

    /// Notes a level that a taker has come to, which has emptied the one before.
    void come_to(const Level& level) noexcept {
      if (level_ && *level_ != level) tell(LevelChanged{{}, level_->side, {level_->price}}, false);
      level_ = level;
    }
    /// Tells the level that waits, if there is one, when the book has settled.
    void tell_level(bool ends_command) noexcept {
      if (!level_) return;
      const auto& [side, price] = *level_;
      tell(LevelChanged{{}, side, publisher_.one(book_)->level(side, price)}, ends_command);
      level_.reset();
    }
    void tell_best() noexcept {
      if constexpr (takes_best) {
        if (const BestChanged now = best_of(*publisher_.one(book_)); now != best_) tell(now, true);
      }
    }

   private:
    void traded(const TradeType& trade) noexcept {
      if constexpr (has_rules) {
        if (trade.maker_display == Display::Hidden) {
          return keep_back(HiddenExecuted{{}, trade.taker_side, trade.price, trade.quantity});
        }
        keep_back(OrderExecuted{{}, detail::displayed(trade)});
      } else if constexpr (takes_fills) {
        tell_fill(false);
        fill_ = OrderExecuted{{}, trade};
      }
      touch_maker(opposite(trade.taker_side), trade.price);
    }
    void touch_maker(Side side, Price price) noexcept {
      if constexpr (takes_levels) come_to({side, price});
    }
    void keep_cancelled(BookNumber book, const RestingOrder& order) noexcept {
      publisher_.cancelled_.add(book, order);
    }

    /// Keeps an event of a maker until the next event is known, if the sink takes it.
    template <class MakerEvent>
    [[gnu::always_inline]] void keep_back(const MakerEvent& event) noexcept {
      if constexpr (takes<MakerEvent>) {
        tell_fill(false);
        fill_ = event;
      }
    }
    /// Tells what has become of an order.
    [[gnu::always_inline]] void tell_change(const OrderChange& change, bool kept_place) noexcept {
      const auto& [before, after, in_front_of] = change;
      if (!change.rested()) {
        if (!change.rests()) return tell_fill(true);
        conclude(OrderAdded{{}, after, in_front_of});
        touch(after);
      } else if (!change.rests()) {
        conclude(OrderDeleted{{}, before});
        touch(before);
      } else if (!kept_place) {
        conclude(OrderReplaced{{}, before, after});
        touch(before);
        touch(after);
      } else if (before.quantity != after.quantity) {
        conclude(OrderReduced{{}, after, before.quantity - after.quantity});
        touch(after);
      }
    }
    /// Tells the event of an order that ends the command, if the sink takes it.
    template <class LastEvent>
    [[gnu::always_inline]] void conclude(const LastEvent& event) noexcept {
      tell_fill(!takes<LastEvent>);
      tell(event, true);
    }
    /// Tells the fill, or with rules another event of a maker, that waits, if there is one.
    [[gnu::always_inline]] void tell_fill(bool ends_command) noexcept {
      if constexpr (takes_fills) {
        if (fill_) [[unlikely]] {
          if constexpr (has_rules) {
            std::visit([&](const auto& event) { tell(event, ends_command); }, *fill_);
          } else {
            tell(*fill_, ends_command);
          }
          fill_.reset();
        }
      }
    }
    /// Notes the level of an order as touched when the book has settled.
    void touch(const RestingOrder& order) noexcept {
      if constexpr (takes_levels) {
        const Level level{order.side, order.price};
        if (level_ && *level_ != level) tell_level(false);
        level_ = level;
      }
    }
    template <class AnyEvent>
    [[gnu::always_inline]] void tell(const AnyEvent& event, bool ends_command) noexcept {
      publisher_.tell(book_, event, ends_command);
    }

    Publisher& publisher_;
    Trades& behind_;
    BookNumber book_ = 0;
    BestChanged best_{};
    std::optional<std::conditional_t<has_rules, detail::WaitingEvent, OrderExecuted>> fill_{};
    std::optional<Level> level_{};
  };

  /// Gives the sink an event, with its place in its stream.
  template <class AnyEvent>
  [[gnu::always_inline]] void tell([[maybe_unused]] BookNumber book, [[maybe_unused]] AnyEvent event,
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

  /// Tells what a mass cancel has done.
  void tell_mass_cancel() noexcept {
    detail::tell_mass_cancel<SinkType>(
        cancelled_.take(), [this](BookNumber book) { return one(book); },
        [this](BookNumber book, const auto& event, bool ends_command) { this->tell(book, event, ends_command); });
  }

  template <class... Sides>
  std::size_t cleared(BookNumber book, Sides... sides) noexcept {
    if (!one(book)) return 0;
    const BestChanged before = takes_best ? best_of(*one(book)) : BestChanged{};
    std::optional<OrderDeleted> last;
    const auto tell_last = [&](bool empties_level, bool ends_command) {
      if (!last) return;
      tell(book, *last, ends_command);
      if (empties_level) tell(book, LevelChanged{{}, last->order.side, {last->order.price}}, ends_command);
    };
    if constexpr (takes<OrderDeleted, LevelChanged>) {
      const auto visit = [&](const RestingOrder& order) {
        if (has_rules && !detail::displays(order)) return;
        tell_last(last && (last->order.price != order.price || last->order.side != order.side), false);
        last = OrderDeleted{{}, order};
      };
      (one(book)->visit_orders(sides, visit), ...);
    }
    std::size_t count = 0;
    if constexpr (of_set) {
      count = (book_.clear(book, sides) + ...);
    } else {
      count = (book_.clear(sides) + ...);
    }
    tell_last(true, true);
    if constexpr (takes_best) {
      if (const BestChanged now = best_of(*one(book)); now != before) tell(book, now, true);
    }
    return count;
  }

  /// Stands between a span and its receiver: publishes a command, and begins the next one after the receiver.
  template <class Trades, class Receiver>
  struct Followed {
    Call<Trades>& call;
    Receiver& behind;

    [[gnu::always_inline]] void operator()(const Result& result, std::size_t index,
                                           const OrderChange& change) const {
      call.finish(result, change);
      give_result(behind, result, index, change);
      if constexpr (has_rules) call.index = index + 1;
      call.begin();
    }
  };

  Book book_;
  Sink sink_;
  std::unique_ptr<StreamPositions[]> positions_;
  detail::ResetOnMove<std::size_t> books_;  ///< how many have positions
  [[no_unique_address]] std::conditional_t<has_rules, detail::CancelledOrders, detail::NoCancelledOrders>
      cancelled_;
};

}  // namespace llmes::inline LLMES_NAMESPACE
