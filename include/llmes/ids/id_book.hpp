// SPDX-License-Identifier: MIT
//
// A book whose orders are named by outside ids instead of handles: a book and an index (see id_index.hpp).
//
// At most one order of an id rests at a time; when it has left, its id may come again. A rejected call changes
// neither book nor index.
//
// How an id leads to its order: id_lookup.hpp. How a span prefetches: id_spans.hpp.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <utility>

#include "llmes/book/calls.hpp"
#include "llmes/book/order_book.hpp"
#include "llmes/detail/call_guard.hpp"
#include "llmes/ids/id_lookup.hpp"  // IWYU pragma: export
#include "llmes/ids/id_spans.hpp"
#include "llmes/types/arguments.hpp"
#include "llmes/types/auction.hpp"
#include "llmes/types/command.hpp"
#include "llmes/types/rule_events.hpp"
#include "llmes/types/span_results.hpp"
#include "llmes/types/terms.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// A `Book`, such as `OrderBook<>` or `AnyPriceBook<>`, with an `Index` from id to order: `DenseIds` or
/// `HashedIds`. Or a `BookSet`, whose ids are those of the whole set; a `PlacedBookSet` has `PlacedIds`.
///
/// The calls are those of calls.hpp, by ids. Each costs what it costs in the book, and one access to the index:
/// constant, with `HashedIds` on average; one more for each filled order if it forgets. Handles are the book's.
///
/// Memory: that of the book and of the index. One that was moved from has no capacity and no orders: it rejects
/// every order that would rest, and what else its book rejects.
template <class Book, class Index>
class IdBook : public OrderCalls<IdBook<Book, Index>, typename detail::CommandsOf<Book>::ById>,
               private IdSpans<Book, Index> {
  using Spans = IdSpans<Book, Index>;
  using Spans::book_;
  using Spans::index_;
  using TradeType = typename detail::CommandsOf<Book>::ById::TradeType;

 public:
  using Config = typename Book::Config;
  using RequestType = typename detail::CommandsOf<Book>::ById;
  using typename OrderCalls<IdBook, RequestType>::Terms;

  /// Makes an empty book with an index, or nothing, and `status` says why. It allocates and touches all memory.
  /// @param status what `Book::create` and then `Index::create` say: InvalidCapacity, InvalidBasePrice,
  /// InvalidQuantityMax, InvalidBookCount, InvalidIdRange, OutOfMemory, or Success.
  [[nodiscard]] static std::optional<IdBook> create(const Config& config, const typename Index::Config& ids,
                                                    CreateStatus& status) noexcept {
    std::optional<Book> book = Book::create(config, status);
    if (!book) return {};
    std::optional<Index> index = Index::create(ids, config.capacity, status, book->slot_count());
    if (!index) return {};
    return IdBook(std::move(*book), std::move(*index));
  }

  /// The same without a reason.
  [[nodiscard]] static std::optional<IdBook> create(const Config& config,
                                                    const typename Index::Config& ids) noexcept {
    CreateStatus status{};
    return create(config, ids, status);
  }

  // ---- Orders: the calls of calls.hpp.

  template <CommandType type, class Sink, class Details>
  [[gnu::always_inline]] Result execute(const RequestType& request, Sink& sink, Details& details) noexcept {
    Tap<Sink> tap{*this, sink};
    return make<type>(request, finder_of(request), tap, details);
  }

  /// The same for a caller that has asked for the order.
  template <CommandType type, class Request, class Sink, class Details>
  [[gnu::always_inline]] Result execute(const FoundOrder<Request>& found, Sink& sink, Details& details) noexcept {
    Tap<Sink> tap{*this, sink};
    if constexpr (adds(type)) return add<type>(found.request, {}, tap, details);  // which names no order to find
    return make<type>(
        found.request, [&]() __attribute__((always_inline)) { return found.order; }, tap, details);
  }

  /// Makes the call that `request` describes.
  /// Rejections: those of that call, and InvalidCommand (type is not an enumerator).
  template <TradeSink<TradeType> Sink>
  [[gnu::always_inline]] Result apply(const RequestType& request, Sink&& sink) noexcept {
    this->fetch_book(request);
    Tap<Sink> tap{*this, sink};
    return make_any<NoDetails>(request, finder_of(request), tap);
  }

  /// Applies the requests `at(0)` to `at(count - 1)` in order, exactly as single calls would, and gives `receiver`
  /// each result before it reads the next request. A request may name an order that the same span adds. Receiver
  /// and sink may take the index of the request as well; the receiver may also be a `ChangeReceiver`.
  ///
  /// `at(i)` gives request `i`, by value or reference, and is cheap. It is called for any `i` below `count`, ahead
  /// of time and out of order, for hints, and once more right before request `i` is applied: only that answer
  /// counts. So a request may depend on the results before it. Between two requests the receiver may call the
  /// book, but not move or destroy it. An exception that leaves `at` or the receiver ends the program.
  template <class At, ResultReceiver Receiver, SpanTradeSink<TradeType> Sink>
    requires requires(At& at, std::size_t i) {
      { at(i) } -> std::convertible_to<const RequestType&>;
    }
  [[gnu::always_inline]] void apply(std::size_t count, At&& at, Receiver&& receiver, Sink&& sink) noexcept {
    [[maybe_unused]] const auto call = guard_.span();
    Tap<Sink> tap{*this, sink};
    this->for_each_request(
        count,
        at, [&](std::size_t i, const RequestType& request, const auto& order) __attribute__((always_inline)) {
          if constexpr (!TradeSink<Sink, TradeType> || !std::same_as<Terms, NoTerms>) tap.index = i;
          make_any<DetailsFor<Receiver>>(
              request, order, tap, [&](const Result& result, const auto& details) __attribute__((always_inline)) {
                give_result(receiver, result, i, details);
              });
        });
  }

  /// Hint: starts to load what requests `at(0)` to `at(count - 1)` will touch, at most `Book::block` of them, for
  /// a caller that makes these calls one by one. It does nothing while the set fits the caches.
  template <class At>
  void look_ahead(std::size_t count, const At& at) const noexcept
    requires(detail::is_set<Book>)
  {
    std::array<SlotIndex, Book::block> slots;
    if (book_.has_cold_books(this->index_bytes())) Spans::look_ahead(0, count, at, slots);
  }

  /// Takes every order off a side. Linear in the orders.
  /// @return how many they were; 0 if the side is not an enumerator.
  std::size_t clear(Side side) noexcept
    requires(!detail::is_set<Book>)
  {
    forget_side(book_, side);
    return book_.clear(side);
  }
  /// The same of a book of a set, or of both its sides; 0 if there is no such book.
  std::size_t clear(BookNumber book, Side side) noexcept
    requires(detail::is_set<Book>)
  {
    if (const auto one = std::as_const(book_).book(book)) forget_side(*one, side);
    return book_.clear(book, side);
  }
  std::size_t clear(BookNumber book) noexcept
    requires(detail::is_set<Book>)
  {
    return clear(book, Side::Buy) + clear(book, Side::Sell);
  }
  /// Takes every order off the book or set. Linear in the orders, and in the size of an index that forgets.
  /// @return how many they were.
  std::size_t clear() noexcept {
    this->forget_all();
    return book_.clear();
  }

  /// Adds a book to a set, as the set does.
  [[nodiscard]] std::optional<BookNumber> add_book() noexcept
    requires(detail::is_set<Book>)
  {
    return book_.add_book();
  }

  /// Moves the band, as the book does. Rejections: PriceOutOfBand.
  [[nodiscard]] Status recenter(PriceArgument base_price) noexcept
    requires requires(Book& book) { book.recenter(base_price); }
  {
    return book_.recenter(base_price);
  }

  /// Ends a call auction, as a book with rules does (see rules/auction.hpp); of a set, in one of its books.
  /// Rejections: UnknownBook, and those of the book.
  template <AuctionSink Sink>
  Result uncross(PriceArgument price, SelfTrade self_trade, Sink&& sink) noexcept
    requires requires(Book& book) { book.uncross(price, self_trade, sink); }
  {
    Tap<Sink> tap{*this, sink};
    return book_.uncross(price, self_trade, tap);
  }
  template <AuctionSink Sink>
  Result uncross(BookNumber book, PriceArgument price, SelfTrade self_trade, Sink&& sink) noexcept
    requires requires(Book& set) { set.book(book)->uncross(price, self_trade, sink); }
  {
    auto one = book_.book(book);
    if (!one) return {Status::UnknownBook};
    Tap<Sink> tap{*this, sink};
    return one->uncross(price, self_trade, tap);
  }

  // ---- Queries.

  /// The order of this id, if it rests. Constant, as a call is.
  [[nodiscard]] std::optional<RestingOrder> find(IdArgument id) const noexcept {
    return book_.find(this->look_up(id));
  }
  /// Its handle, for what the book says of it; one that names nothing if it does not rest.
  [[nodiscard]] OrderHandle handle_of(IdArgument id) const noexcept { return this->look_up(id); }

  /// The book, or the set, for every other query.
  [[nodiscard]] const Book& book() const noexcept { return book_; }
  /// The book of that number in a set, if there is one.
  [[nodiscard]] auto book(BookNumber number) const noexcept
    requires(detail::is_set<Book>)
  {
    return book_.book(number);
  }

  /// Its state, part by part, for an image (see engine/snapshot/image.hpp).
  static void visit_state(auto& self, auto& visit) noexcept { visit(self.book_, self.index_); }

 private:
  friend struct ImageCheck;
  friend struct IdInspector;

  IdBook(Book&& book, Index&& index) noexcept : Spans(std::move(book), std::move(index)) {}

  /// Takes what the book tells: erases orders that have left from the index, and hands all on.
  template <class Sink>
  struct Tap : detail::IndexedSink<Sink, TradeType> {
    using Told = detail::IndexedSink<Sink, TradeType>;
    IdBook& book;

    Tap(IdBook& of, Sink& told) noexcept : Told{told, 0}, book(of) {}

    void operator()(const TradeType& trade) const {
      if (trade.maker_remaining == 0) book.forget(trade.maker_id, trade.maker_handle.index);
      Told::operator()(trade);
    }
    void prevented(const PreventedMatch& match) const {
      if (match.maker_remaining == 0) book.forget(match.maker_id, match.maker_handle.index);
      Told::prevented(match);
    }
    void cancelled(const RestingOrder& order) const {
      book.forget(order.id, order.handle.index);
      Told::cancelled(order);
    }
    void operator()(const AuctionTrade& trade) const {
      forget_met(trade);
      this->sink(trade);
    }
    void prevented(const PreventedAuctionTrade& match) const {
      forget_met(match);
      detail::tell_prevented(this->sink, match);
    }
    void forget_met(const AuctionMatch& match) const {
      for (const AuctionOrder* order : {&match.buy, &match.sell}) {
        if (order->remaining == 0) book.forget(order->id, order->handle.index);
      }
    }
  };

  /// Finds the order that a request names, when it is asked.
  [[nodiscard, gnu::always_inline]] auto finder_of(const RequestType& request) const noexcept {
    return [&]() __attribute__((always_inline)) {
      this->fetch_order(request.id);
      return this->look_up(request.id);
    };
  }

  /// Makes the call that a request describes. It returns the result, or hands it to `give` if there is one.
  /// Frequent types have arms of their own: a second dispatch would cost as much as the first. `order()` finds the
  /// order that the request names.
  template <class Details>
  [[gnu::always_inline]] auto make_any(const RequestType& request, const auto& order, auto& sink,
                                       const auto&... give) noexcept {
    const auto one = [&]<CommandType type>() __attribute__((always_inline)) {
      const RequestType copy = request;  // what is read of it after the book has changed would be read anew
      Details details;
      if constexpr (sizeof...(give) == 0) {
        return make<type>(copy, order, sink, details);
      } else {
        Result result = make<type>(copy, order, sink, details);  // not const: GCC would keep it in memory
        return (give(result, details), ...);
      }
    };
    if (request.type == CommandType::AddLimit) return one.template operator()<CommandType::AddLimit>();
    if (request.type == CommandType::Cancel) return one.template operator()<CommandType::Cancel>();
    if (request.type == CommandType::AddResting) return one.template operator()<CommandType::AddResting>();
    const OrderHandle handle = adds(request.type) ? OrderHandle{} : order();
    Details details;
    if constexpr (sizeof...(give) == 0) {
      return make_rare(request, handle, sink, details);
    } else {
      Result result = make_rare(request, handle, sink, details);
      return (give(result, details), ...);
    }
  }

  /// The less frequent calls. The request is a copy: its address would force each request of a span into memory.
  [[gnu::noinline]] Result make_rare(RequestType request, OrderHandle handle, auto& sink, auto& details) noexcept {
    const auto order = [handle] { return handle; };
    return execute_as(request.type, [&]<CommandType type>() { return make<type>(request, order, sink, details); });
  }

  // Results are built in place: copying a freshly written struct stalls store forwarding.

  template <CommandType type, class Order, class Sink, class Details>
  [[gnu::always_inline]] Result make(const auto& request, const Order& order, Sink& sink,
                                     Details& details) noexcept {
    if constexpr (type == CommandType::MassCancel) {
      return book_.template execute<type>(request.template by_handle<type>({}), sink, details);
    } else if constexpr (adds(type)) {
      return add<type>(request, {}, sink, details);
    } else if constexpr (type == CommandType::AddRestingBefore) {
      return add_before(request, order(), sink, details);
    } else if constexpr (replaces(type)) {
      return replace<type>(request, order(), sink, details);
    } else {
      return change<type>(request, order(), sink, details);
    }
  }

  /// A call that adds an order, of which `neighbour` is what the call names beside it.
  template <CommandType type, class Sink, class Details>
  [[gnu::always_inline]] Result add(const auto& request, OrderHandle neighbour, Sink& sink,
                                    Details& details) noexcept {
    const OrderId id = has_new_id(type) ? request.new_id : request.id;
    const Result result = [&]() __attribute__((always_inline))->Result {
      if (has_new_id(type) && neighbour == OrderHandle{}) return {Status::UnknownOrder};
      if (this->look_up_new(id) != OrderHandle{}) [[unlikely]]
        return {Status::DuplicateId};
      if (!this->holds(id) && may_rest<type>(request)) [[unlikely]]
        return {Status::NoRoomForId};
      return book_.template execute<type>(request.template by_handle<type>(neighbour), sink, details);
    }
    ();
    if (result.rests()) this->remember(id, result.handle.index);
    return result;
  }

  /// Cold, or the compiler makes the other calls longer.
  [[gnu::noinline, gnu::cold]] Result add_before(const auto& request, OrderHandle neighbour, auto& sink,
                                                 auto& details) noexcept {
    return add<CommandType::AddRestingBefore>(request, neighbour, sink, details);
  }

  /// A call that names an order and adds none.
  template <CommandType type, class Sink, class Details>
  [[gnu::always_inline]] Result change(const auto& request, OrderHandle order, Sink& sink,
                                       Details& details) noexcept {
    const Result result = book_.template execute<type>(request.template by_handle<type>(order), sink, details);
    if (result.status == Status::Success && !result.rests()) this->forget(request.id, order.index);
    return result;
  }

  template <CommandType type, class Sink, class Details>
  Result replace(const auto& request, OrderHandle order, Sink& sink, Details& details) noexcept {
    const Result result = [&]() -> Result {
      if (order == OrderHandle{}) return {Status::UnknownOrder};
      const Status status = check_new_id<type>(request);
      if (status != Status::Success) return {status, order, 0, lots_of(order), 0, true};
      return book_.template execute<type>(request.template by_handle<type>(order), sink, details);
    }();
    if (result.status == Status::Success) {
      this->forget(request.id, order.index);  // first: the new order may live in the same slot
      if (result.rests()) this->remember(request.new_id, result.handle.index);
    }
    return result;
  }
  /// All open lots of an order that rests.
  [[nodiscard]] Quantity lots_of(OrderHandle order) const noexcept {
    Quantity lots = book_.find(order)->quantity;
    if constexpr (requires { book_.terms_of(order); }) lots += book_.terms_of(order)->reserve;
    return lots;
  }
  template <CommandType type>
  [[nodiscard]] Status check_new_id(const auto& request) const noexcept {
    const OrderId id = request.new_id;
    if (id != request.id && this->look_up_new(id) != OrderHandle{}) return Status::DuplicateId;
    return may_rest<type>(request) && !this->holds(id) ? Status::NoRoomForId : Status::Success;
  }

  /// Whether a new order may come to rest, so that the index may have to hold its id.
  template <CommandType type>
  [[nodiscard, gnu::always_inline]] static constexpr bool may_rest(const auto& request) noexcept {
    if (type == CommandType::AddMarket) return false;
    return !has_time_in_force(type) || request.time_in_force <= TimeInForce::PostOnly;
  }

  /// Makes the index forget all orders of a side of a book.
  void forget_side([[maybe_unused]] const auto& book, [[maybe_unused]] Side side) noexcept {
    if constexpr (Index::forgets) {
      book.visit_orders(side, [this](const RestingOrder& order) { this->forget(order.id, order.handle.index); });
    }
  }

  [[no_unique_address]] CallGuard guard_;  ///< of spans; the book guards each request
};

}  // namespace llmes::inline LLMES_NAMESPACE
