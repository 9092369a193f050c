// SPDX-License-Identifier: MIT
//
// A book whose orders go by outside ids instead of handles: a book and an index (see id_index.hpp) in one object,
// one request at a time or in spans.
//
//  - At most one order of an id rests at a time; when it has left, its id may come again.
//  - Every call either does all it says, or is rejected with a typed status and changes neither book nor index.
//  - Once made, nothing here allocates, locks, throws or calls the system.
//
// The index says which slot an order may live in, and the slot, which the call needs anyway, holds the id and
// tells. So an entry that is out of date does no harm. What remains to be paid is memory that is met cold: the
// entry, the slot that it leads to, and in a wide band the level of a price. A span looks at its requests ahead of
// time and fetches these in stages, each when the one before has arrived. It asks for no more than the id, side
// and price of a request, without a branch on its type, which nobody can predict.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "llmes/book/calls.hpp"
#include "llmes/book/order_book.hpp"
#include "llmes/detail/call_guard.hpp"
#include "llmes/detail/mixed.hpp"
#include "llmes/ids/id_index.hpp"
#include "llmes/ids/placed_ids.hpp"  // IWYU pragma: export
#include "llmes/types/arguments.hpp"
#include "llmes/types/command.hpp"
#include "llmes/types/span_results.hpp"
#include "llmes/types/trade_sinks.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// A `Book`, such as `OrderBook<>` or `AnyWidthBook`, with an `Index` from id to order: `DenseIds` or
/// `HashedIds`. Or a `BookSet` (see book_set.hpp), whose orders are named by ids of the whole set: then the calls
/// that add an order take the number of its book first, and requests are `BookRequest`s. A `PlacedBookSet` has
/// `PlacedIds`.
///
/// The calls are those of the book, with an id in the place of the handle. Each costs what it costs there, and an
/// access to the index: constant; with `HashedIds` on average. With an index that forgets, each order that is
/// filled costs another one. A call that names an order of one book first looks among 256 recent ids, as most
/// orders that leave have come just before; a span does so while they have, and not with `DenseIds`.
///
/// Memory: that of the book and of the index, and 1 KiB.
///
/// A moved-from `IdBook` has no capacity and no orders: it rejects every order that would rest, and whatever else
/// its book then rejects.
template <class Book, class Index>
class IdBook : public OrderCalls<IdBook<Book, Index>, typename detail::CommandsOf<Book>::ById> {
  static constexpr bool placed = std::same_as<Index, PlacedIds>;
  static_assert(placed ? requires(const Book& book, OrderId id) { book.handle_of(id); } : IdIndex<Index>);
  static constexpr bool of_set = requires { typename Book::Book; };
  static constexpr BookNumber alone = 0;  ///< the number of a book in no set

 public:
  using Config = typename Book::Config;
  using RequestType = typename detail::CommandsOf<Book>::ById;
  using CommandOf = std::conditional_t<of_set, BookCommand, Command>;

  /// Makes an empty book with an index for the ids of all orders that it can hold, or nothing, and `status` says
  /// why. All memory is allocated and touched here.
  /// @param status what `Book::create` and then `Index::create` say: InvalidCapacity, InvalidBasePrice,
  /// InvalidQuantityMax, InvalidBookCount, InvalidPriceLevels, InvalidIdRange, OutOfMemory, or Success.
  [[nodiscard]] static std::optional<IdBook> create(const Config& config, const typename Index::Config& ids,
                                                    CreateStatus& status) noexcept {
    std::optional<Book> book = Book::create(config, status);
    if (!book) return {};
    std::optional<Index> index = Index::create(ids, config.capacity, status);
    if (!index) return {};
    return IdBook(std::move(*book), std::move(*index));
  }

  /// The same without a reason.
  [[nodiscard]] static std::optional<IdBook> create(const Config& config,
                                                    const typename Index::Config& ids) noexcept {
    CreateStatus status{};
    return create(config, ids, status);
  }

  // ---- Orders: the calls of calls.hpp. Handles in results and trades are those of the book.

  template <CommandType type, class Sink, class Details>
  [[gnu::always_inline]] Result execute(const RequestType& request, Sink& sink,
                                        [[maybe_unused]] Details& details) noexcept {
    [[maybe_unused]] auto&& tap = tapped(sink);
    const auto [id, new_id] = static_cast<const typename RequestType::Names&>(request);
    const Price price = request.price;
    const Quantity quantity = request.quantity;
    if constexpr (type == CommandType::AddLimit) {
      return noted(
          id, [&]() __attribute__((always_inline)) { return add_limit(request, tap); });
    } else if constexpr (type == CommandType::AddMarket) {
      return add_market(book_of(request), id, look_up_new(id), request.side, quantity, tap);
    } else if constexpr (type == CommandType::AddResting) {
      return noted(
          id, [&]() __attribute__((always_inline)) { return add_resting(request, locate(id)); });
    } else if constexpr (type == CommandType::Cancel && WantsDetails<Details>) {
      const Status status = cancel(id, locate(id), details);
      return {status, {}, 0, 0, status == Status::Success ? details.quantity : 0};
    } else if constexpr (type == CommandType::Cancel) {
      return cancel(id, locate(id));
    } else if constexpr (type == CommandType::Modify) {
      return modify(id, locate(id), price, quantity, request.time_in_force, tap);
    } else if constexpr (type == CommandType::ModifyResting) {
      return book_.modify_resting_order(locate(id), price, quantity);
    } else if constexpr (type == CommandType::Reduce) {
      return reduce(id, locate(id), quantity, details);
    } else if constexpr (type == CommandType::Replace) {
      return noted(new_id,
                   [&] { return replace(id, locate(id), new_id, price, quantity, request.time_in_force, tap); });
    } else {
      static_assert(type == CommandType::ReplaceResting);
      return noted(new_id, [&] { return replace_resting(id, locate(id), new_id, price, quantity); });
    }
  }

  /// Makes the call that `request` describes.
  /// Rejections: those of that call, and InvalidCommand (type is not an enumerator).
  template <TradeSink Sink>
  [[gnu::always_inline]] Result apply(const RequestType& request, Sink&& sink) noexcept {
    auto&& tap = tapped(sink);
    if constexpr (of_set) book_.fetch_book(request.book);
    return apply_one(request, tap);
  }

  /// Applies the requests `at(0)` to `at(count - 1)` in order, exactly as single calls would, and gives `receiver`
  /// each result before it reads the next request. A request may name an order that the same span adds. Receiver
  /// and sink may take the index of the request as well; the receiver may also be a `CancelListener`.
  ///
  /// `at(i)` gives request `i`, by value or by reference, and is cheap. It is called with any `i` below `count`,
  /// ahead of time and out of order, for hints that change nothing; and once more right before the request is
  /// applied: only that answer counts. So a request may depend on the results before it. Between two requests the
  /// receiver may call the book. It must not move or destroy it. An exception that leaves `at` or the receiver
  /// ends the program.
  template <class At, ResultReceiver Receiver, SpanTradeSink Sink>
    requires requires(At& at, std::size_t i) {
      { at(i) } -> std::convertible_to<const RequestType&>;
    }
  [[gnu::always_inline]] void apply(std::size_t count, At&& at, Receiver&& receiver, Sink&& sink) noexcept {
    [[maybe_unused]] const auto call = guard_.span();
    auto&& tap = tapped(sink);
    if constexpr (of_set) {
      apply_to_set(count, at, receiver, sink, tap);
    } else {
      apply_to_book(count, at, receiver, sink, tap);
    }
  }

  /// Takes every order off a side. Linear in the orders.
  /// @return how many they were; 0 if the side is not an enumerator.
  std::size_t clear(Side side) noexcept
    requires(!of_set)
  {
    forget_all(book_, side);
    return book_.clear(side);
  }
  /// The same of a book of a set, or of both its sides; 0 if there is no such book.
  std::size_t clear(BookNumber book, Side side) noexcept
    requires(of_set)
  {
    if (const auto one = std::as_const(book_).book(book)) forget_all(*one, side);
    return book_.clear(book, side);
  }
  std::size_t clear(BookNumber book) noexcept
    requires(of_set)
  {
    return clear(book, Side::Buy) + clear(book, Side::Sell);
  }

  /// Adds a book to a set, as the set does.
  [[nodiscard]] std::optional<BookNumber> add_book() noexcept
    requires(of_set)
  {
    return book_.add_book();
  }

  /// Takes every order off the book, or off all books. Linear in the orders and, if it forgets, in the size of the
  /// index.
  /// @return how many they were.
  std::size_t clear() noexcept {
    if constexpr (Index::forgets) index_.clear();
    return book_.clear();
  }

  /// Moves the band, as the book does. Rejections: PriceOutOfBand.
  [[nodiscard]] Status recenter(PriceArgument base_price) noexcept
    requires(!of_set && requires(Book& book) { book.recenter(Price{}); })
  {
    return book_.recenter(base_price);
  }

  // ---- Queries.

  /// The order of this id, if it rests. Constant, as a call is.
  [[nodiscard]] std::optional<RestingOrder> find(IdArgument id) const noexcept { return book_.find(locate(id)); }
  /// Its handle, for what the book says of it; one that names nothing if it does not rest.
  [[nodiscard]] OrderHandle handle_of(IdArgument id) const noexcept { return locate(id); }

  /// The book, for every other query.
  [[nodiscard]] const Book& book() const noexcept { return book_; }

  /// Its state, part by part, for an image (see engine/image.hpp). What is recent is a hint that the slot
  /// confirms, and no part of it.
  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& visit) noexcept {
    visit(self.book_, self.index_);
  }

 private:
  friend struct ImageCheck;
  friend struct IdInspector;

  /// A span goes on in blocks of so many requests, before each of which later ones are looked at: so long before
  /// the block something is fetched. An entry must be there when its slot is asked for, and the slot when its
  /// neighbours are.
  static constexpr std::size_t block = 8;
  static constexpr std::size_t entries_ahead = 32;
  static constexpr std::size_t slots_ahead = 12;  // and price levels
  static constexpr std::size_t neighbours_ahead = 4;
  /// Memory that takes less than this lies in the second-level cache as a rule; hints would only cost.
  static constexpr std::size_t cached_bytes = 1'024 * 1'024;

  IdBook(Book&& book, Index&& index) noexcept : book_(std::move(book)), index_(std::move(index)) {}

  // ---- Finding orders.

  /// The handle of the order of this id; one that names nothing if it does not rest. Where one look tells as a
  /// rule, a search that goes on is out of line: it would take registers from the call.
  [[nodiscard, gnu::always_inline]] OrderHandle look_up(OrderId id) const noexcept {
    if constexpr (looks_once) {
      const OrderHandle handle = book_.handle_at(index_.hint(id), id);
      return handle != OrderHandle{} ? handle : search_far(id);
    } else {
      return search(id);
    }
  }
  /// The same for an id that is new as a rule.
  [[nodiscard, gnu::always_inline]] OrderHandle look_up_new(OrderId id) const noexcept {
    if constexpr (looks_once) {
      return index_.lacks(id) ? OrderHandle{} : search_far(id);
    } else {
      return search(id);
    }
  }
  static constexpr bool looks_once = requires(const Index& index, OrderId id) { index.lacks(id); };
  [[nodiscard, gnu::noinline]] OrderHandle search_far(OrderId id) const noexcept { return search(id); }
  [[nodiscard, gnu::always_inline]] OrderHandle search(OrderId id) const noexcept {
    if constexpr (placed) {
      return book_.handle_of(id);
    } else {
      OrderHandle handle{};
      std::ignore = index_.find(
          id, [&](SlotIndex slot) __attribute__((always_inline)) {
            handle = book_.handle_at(slot, id);
            return handle != OrderHandle{};
          });
      return handle;
    }
  }

  /// The same, with a look among the recent ids first.
  [[nodiscard, gnu::always_inline]] OrderHandle locate(OrderId id) const noexcept {
    if constexpr (placed) book_.fetch_bucket(id);  // while its tags are on their way
    if constexpr (of_set) {                        // of whose orders few that leave have come lately
      return look_up(id);
    } else {
      return locate_from(recent_[place(id)], id);
    }
  }
  [[nodiscard, gnu::always_inline]] OrderHandle locate_from(SlotIndex slot, OrderId id) const noexcept {
    const OrderHandle handle = book_.handle_at(slot, id);
    return handle != OrderHandle{} ? handle : look_up(id);
  }
  [[nodiscard]] static constexpr std::size_t place(OrderId id) noexcept { return mixed(id) >> 56; }

  /// Whether spans note recent ids, and ask them while that pays: if the index forgets. Any other index tells with
  /// one load, fetched ahead where it is cold, and nobody can predict whether an id is recent.
  static constexpr bool spans_have_recent = Index::forgets;
  /// As `locate`, in a span. While recent ids do not pay, the look goes to the first slot, in vain, as one knows
  /// beforehand: to leave it out takes registers from the call.
  [[nodiscard, gnu::always_inline]] OrderHandle locate_in_span(OrderId id) const noexcept {
    return spans_have_recent ? locate_from(recent_[place(id)] & recent_mask_, id) : look_up(id);
  }
  /// Looks, at every sixteenth span, whether recent ids pay: they do where many requests name the order of the
  /// request before. `at` is that of the span.
  template <class At>
  [[gnu::always_inline]] void see_if_recent_pay(std::size_t count, At& at) noexcept {
    constexpr std::size_t sample = 32;
    if constexpr (spans_have_recent) {
      if (count < sample || ++span_count_ % 16 != 0) [[likely]]
        return;
      std::size_t repeated = 0;
      for (std::size_t i = 1; i < sample; ++i) repeated += at(i).id == at(i - 1).id;
      recent_mask_ = repeated < sample / 8 ? 0 : ~SlotIndex{0};
    }
  }

  /// The order of a request that neither adds a limit order nor cancels. The id of a market order is new, as a
  /// rule: among the recent ids it is sought in vain.
  template <class Locate>
  [[nodiscard, gnu::always_inline]] OrderHandle located(const RequestType& request,
                                                        const Locate& locate) const noexcept {
    return request.type == CommandType::AddMarket ? look_up_new(request.id) : locate();
  }
  /// Makes a call, and notes among the recent ids the order that rests after it.
  ///
  /// Here and below a result is made where it is returned to, and never copied: a copy in whole words of what was
  /// just written in parts waits until the processor has written all of it, and all that came before.
  template <class Call>
  [[gnu::always_inline]] Result noted([[maybe_unused]] OrderId id, const Call& call) noexcept {
    const Result result = call();
    if constexpr (!of_set) {
      if (result.rests()) recent_[place(id)] = result.handle.index;
    }
    return result;
  }
  /// Makes a call that adds an order, and notes in the index that it rests, if it does.
  template <class Call>
  [[gnu::always_inline]] Result entered(OrderId id, const Call& call) noexcept {
    const Result result = call();
    if (result.rests()) index_.insert(id, result.handle.index);
    return result;
  }

  [[gnu::always_inline]] void forget([[maybe_unused]] OrderId id, [[maybe_unused]] OrderHandle handle) noexcept {
    if constexpr (Index::forgets) index_.erase(id, handle.index);
  }

  /// Whether the index can do for an order of this id what it may come to need.
  [[nodiscard, gnu::always_inline]] bool has_room(OrderId id, TimeInForce time_in_force) const noexcept {
    return index_.holds(id) || time_in_force > TimeInForce::PostOnly;
  }

  /// Makes the index forget all orders of a side.
  template <class One>
  void forget_all([[maybe_unused]] const One& book, [[maybe_unused]] Side side) noexcept {
    if constexpr (Index::forgets) {
      book.visit_orders(side, [this](const RestingOrder& order) { index_.erase(order.id, order.handle.index); });
    }
  }

  // ---- What the book gives its trades to.

  /// Makes the index, or what stands for it, forget makers that are filled, and tells a sink of a span which
  /// request trades.
  template <class Sink, class Entries = Index>
  struct Tap {
    Entries& index;
    Sink& sink;
    std::size_t request = 0;

    void operator()(const Trade& trade) const {
      if constexpr (Entries::forgets) {
        if (trade.maker_remaining == 0) index.erase(trade.maker_id, trade.maker_handle.index);
      }
      if constexpr (TradeSink<Sink>) {
        sink(trade);
      } else {
        sink(trade, request);
      }
    }
  };

  /// The sink itself, if there is nothing to add.
  template <class Sink>
  [[nodiscard, gnu::always_inline]] decltype(auto) tapped(Sink& sink) noexcept {
    if constexpr (Index::forgets || !TradeSink<Sink>) {
      return Tap<Sink>{index_, sink};
    } else {
      return (sink);
    }
  }

  // ---- Calls. Each gets the handle that its id has led to, and the number of its book if it adds an order.

  [[nodiscard, gnu::always_inline]] static BookNumber book_of(
      [[maybe_unused]] const RequestType& request) noexcept {
    if constexpr (of_set) {
      return request.book;
    } else {
      return alone;
    }
  }
  /// Makes a call that a set takes with the number of a book, and a book without.
  template <class Call>
  [[gnu::always_inline]] static Result in_book([[maybe_unused]] BookNumber book, const Call& call) noexcept {
    if constexpr (of_set) {
      return call(book);
    } else {
      return call();
    }
  }

  template <class Sink>
  [[gnu::always_inline]] Result add_limit(BookNumber book, OrderId id, Side side, Price price, Quantity quantity,
                                          TimeInForce time_in_force, Sink& sink) noexcept {
    return entered(
        id, [&]() __attribute__((always_inline))->Result {
          if (look_up_new(id) != OrderHandle{}) [[unlikely]]
            return {Status::DuplicateId};
          if (!has_room(id, time_in_force)) [[unlikely]]
            return {Status::NoRoomForId};
          return in_book(
              book, [&](auto... where) __attribute__((always_inline)) {
                return book_.add_limit_order(where..., id, side, price, quantity, time_in_force, sink);
              });
        });
  }
  template <class Sink>
  [[gnu::always_inline]] Result add_limit(const RequestType& request, Sink& sink) noexcept {
    return add_limit(book_of(request), request.id, request.side, request.price, request.quantity,
                     request.time_in_force, sink);
  }

  /// Whether the book tells which limit orders come to rest and do nothing else. These have an arm of their own in
  /// spans: all of the result but the handle is then known without a load.
  static constexpr bool tells_who_rests =
      requires(Book& book) { book.would_rest(Side{}, Price{}, Quantity{}, TimeInForce{}); };
  [[nodiscard, gnu::always_inline]] bool rests_at_once(OrderId id, Side side, Price price, Quantity quantity,
                                                       TimeInForce time_in_force) noexcept {
    return look_up_new(id) == OrderHandle{} && index_.holds(id) &&
           book_.would_rest(side, price, quantity, time_in_force);
  }
  /// Adds such an order in a span.
  [[gnu::always_inline]] Result rest(OrderId id, Side side, Price price, Quantity quantity) noexcept {
    const OrderHandle handle = book_.rest_at_once(id, side, price, quantity);
    index_.insert(id, handle.index);
    if constexpr (spans_have_recent) recent_[place(id)] = handle.index;
    return {Status::Success, handle, 0, quantity};
  }

  [[gnu::always_inline]] Result add_resting(BookNumber book, OrderId id, OrderHandle handle, Side side,
                                            Price price, Quantity quantity) noexcept {
    return entered(
        id, [&]() __attribute__((always_inline))->Result {
          if (handle != OrderHandle{}) return {Status::DuplicateId};
          if (!index_.holds(id)) return {Status::NoRoomForId};
          return in_book(
              book, [&](auto... where) __attribute__((always_inline)) {
                return book_.add_resting_order(where..., id, side, price, quantity);
              });
        });
  }

  [[gnu::always_inline]] Result add_resting(const RequestType& request, OrderHandle handle) noexcept {
    return add_resting(book_of(request), request.id, handle, request.side, request.price, request.quantity);
  }

  template <class Sink>
  Result add_market(BookNumber book, OrderId id, OrderHandle handle, Side side, Quantity quantity,
                    Sink& sink) noexcept {
    if (handle != OrderHandle{}) return {Status::DuplicateId};
    return in_book(book,
                   [&](auto... where) { return book_.add_market_order(where..., id, side, quantity, sink); });
  }

  [[gnu::always_inline]] Result cancel(OrderId id, OrderHandle handle) noexcept {
    const Result result = book_.apply(CommandOf{Command::cancel(handle)}, DiscardTrades{});
    if (result.status == Status::Success) forget(id, handle);
    return result;
  }

  [[gnu::always_inline]] Status cancel(OrderId id, OrderHandle handle, RestingOrder& cancelled) noexcept {
    const Status status = book_.cancel_order(handle, cancelled);
    if (status == Status::Success) forget(id, handle);
    return status;
  }

  template <class Sink>
  Result modify(OrderId id, OrderHandle handle, Price price, Quantity quantity, TimeInForce time_in_force,
                Sink& sink) noexcept {
    const Result result = book_.modify_order(handle, price, quantity, time_in_force, sink);
    if (result.status == Status::Success && !result.rests()) forget(id, handle);
    return result;
  }

  template <class Details>
  Result reduce(OrderId id, OrderHandle handle, Quantity by, Details& details) noexcept {
    DiscardTrades sink;
    const Result result =
        book_.template execute<CommandType::Reduce>(CommandOf{Command::reduce(handle, by)}, sink, details);
    if (result.status == Status::Success && !result.rests()) forget(id, handle);
    return result;
  }

  template <class Sink>
  Result replace(OrderId id, OrderHandle handle, OrderId new_id, Price price, Quantity quantity,
                 TimeInForce time_in_force, Sink& sink) noexcept {
    return replace_by(id, handle, new_id, time_in_force,
                      [&] { return book_.replace_order(handle, new_id, price, quantity, time_in_force, sink); });
  }
  Result replace_resting(OrderId id, OrderHandle handle, OrderId new_id, Price price, Quantity quantity) noexcept {
    return replace_by(id, handle, new_id, TimeInForce::GoodTillCancel,
                      [&] { return book_.replace_resting_order(handle, new_id, price, quantity); });
  }
  /// Makes the call by which an order replaces another, unless an id forbids it.
  template <class Call>
  Result replace_by(OrderId id, OrderHandle handle, OrderId new_id, TimeInForce time_in_force,
                    const Call& call) noexcept {
    if (handle == OrderHandle{}) return {Status::UnknownOrder};
    const bool duplicate = new_id != id && look_up_new(new_id) != OrderHandle{};
    if (duplicate || !has_room(new_id, time_in_force)) {
      const Status status = duplicate ? Status::DuplicateId : Status::NoRoomForId;
      return {status, handle, 0, book_.find(handle)->quantity, 0, true};
    }
    const Result result = call();
    if (result.status == Status::Success) {
      forget(id, handle);  // first: the new order may live in the same slot
      if (result.rests()) index_.insert(new_id, result.handle.index);
    }
    return result;
  }

  /// Makes the call that a request describes.
  template <class Sink>
  [[gnu::always_inline]] Result apply_one(const RequestType& request, Sink& tap) noexcept {
    if (request.type == CommandType::AddLimit) {
      return noted(
          request.id, [&]() __attribute__((always_inline)) { return add_limit(request, tap); });
    }
    if (request.type == CommandType::Cancel) return cancel(request.id, locate(request.id));
    const OrderHandle handle = located(request, [&] { return locate(request.id); });
    if constexpr (of_set) {  // whose feeds add orders in this way
      if (request.type == CommandType::AddResting) return add_resting(request, handle);
    }
    const OrderId id = replaces(request.type) ? request.new_id : request.id;
    return noted(
        id, [&]() __attribute__((always_inline)) { return apply_rare(request, handle, tap); });
  }

  /// Makes the calls of the less frequent types, and adds limit orders that do more than rest. The request is
  /// passed by value: the address of one would force every request of a span into memory.
  template <class Sink>
  [[gnu::noinline]] Result apply_rare(RequestType request, OrderHandle handle, Sink& sink) noexcept {
    const auto& [id, new_id] = static_cast<const Request::Names&>(request);
    const auto [price, quantity, side, time_in_force] =
        std::tuple(request.price, request.quantity, request.side, request.time_in_force);
    const BookNumber book = book_of(request);
    switch (request.type) {
      case CommandType::AddLimit: return noted(id, [&] { return add_limit(request, sink); });
      case CommandType::AddMarket: return add_market(book, id, handle, side, quantity, sink);
      case CommandType::Modify: return modify(id, handle, price, quantity, time_in_force, sink);
      case CommandType::Reduce: {
        NoDetails none;
        return reduce(id, handle, quantity, none);
      }
      case CommandType::Replace: return replace(id, handle, new_id, price, quantity, time_in_force, sink);
      case CommandType::AddResting: return add_resting(book, id, handle, side, price, quantity);
      case CommandType::ModifyResting: return book_.modify_resting_order(handle, price, quantity);
      case CommandType::ReplaceResting: return replace_resting(id, handle, new_id, price, quantity);
      default: return {Status::InvalidCommand};
    }
  }

  /// Applies the requests of a span to a book.
  template <class At, class Receiver, class Sink, class SpanTap>
  [[gnu::always_inline]] void apply_to_book(std::size_t count, At& at, Receiver& receiver, Sink& sink,
                                            SpanTap& tap) noexcept {
    see_if_recent_pay(count, at);
    in_stages(
        count, at, [&](std::size_t i, const RequestType& request) __attribute__((always_inline)) {
          apply_at(
              i, request, receiver, sink,
              tap, [&]() __attribute__((always_inline)) { return locate_in_span(request.id); });
        });
  }
  /// Calls `apply(i, at(i))` for the requests of a span in turn, and looks at later ones in stages. Where nothing
  /// is met cold, the whole span is one block: the ends of short loops are mispredicted.
  template <class At, class Apply>
  [[gnu::always_inline]] void in_stages(std::size_t count, At& at, const Apply& apply) noexcept {
    const bool cold_index = index_.memory_bytes() >= cached_bytes;
    const bool cold_orders = book_.size() * sizeof(OrderSlot) >= cached_bytes;
    const bool cold_levels = book_.has_cold_levels();
    std::array<SlotIndex, 32> slots;  // of the requests for which something is on its way
    const auto fetch = [&, count ](std::size_t from, std::size_t to, auto one) __attribute__((always_inline)) {
      for (std::size_t i = from; i < std::min(to, count); ++i) one(i, at(i));
    };
    const auto entry = [&](std::size_t, const RequestType& later) __attribute__((always_inline)) {
      index_.fetch(later.id);
    };
    const auto slot = [&](std::size_t i, const RequestType& later) __attribute__((always_inline)) {
      book_.fetch(slots[i % slots.size()] = index_.hint(later.id));
    };
    const auto neighbours = [&](std::size_t i, const RequestType&) __attribute__((always_inline)) {
      book_.fetch_neighbours(slots[i % slots.size()]);
    };
    const auto level = [&](std::size_t, const RequestType& later) __attribute__((always_inline)) {
      book_.fetch_level(later.side, later.price);
    };

    if (cold_index) fetch(0, entries_ahead, entry);
    if (cold_orders) fetch(0, slots_ahead, slot);
    const std::size_t step = cold_index || cold_orders || cold_levels ? block : count;
    for (std::size_t begin = 0; begin < count; begin += step) {
      const std::size_t end = begin + step;
      if (cold_index) fetch(begin + entries_ahead, end + entries_ahead, entry);
      if (cold_orders) fetch(begin + slots_ahead, end + slots_ahead, slot);
      if (cold_orders) fetch(begin + neighbours_ahead, end + neighbours_ahead, neighbours);
      if (cold_levels) fetch(begin + slots_ahead, end + slots_ahead, level);
      for (std::size_t i = begin; i < std::min(end, count); ++i) apply(i, at(i));
    }
  }

  /// Requests name orders by their ids.
  struct Names {
    const IdBook& book;

    [[gnu::always_inline]] void fetch_entry(const RequestType& later) const noexcept { fetch(later.id); }
    [[gnu::always_inline]] void fetch_new_entry(const RequestType& later) const noexcept { fetch(later.new_id); }
    [[nodiscard, gnu::always_inline]] SlotIndex hint(const RequestType& later) const noexcept {
      if constexpr (placed) {
        return book.book_.likely_slot(later.id);
      } else {
        return book.index_.hint(later.id);
      }
    }

   private:
    [[gnu::always_inline]] void fetch(OrderId id) const noexcept {
      if constexpr (placed) {
        book.book_.fetch_tags(id);
      } else {
        book.index_.fetch(id);
      }
    }
  };

  /// Starts to load what a block of requests to a set will touch, and notes where the orders are that they name.
  /// Out of line, which leaves the registers to the loop that applies the requests: together they were a tenth
  /// slower.
  template <class At, class Slots>
  [[gnu::noinline]] void look_ahead(std::size_t begin, std::size_t size, At& at, Slots& slots) const noexcept {
    const auto one = [&](std::size_t i) __attribute__((always_inline))->decltype(auto) {
      return at(begin + i);
    };
    book_.look_ahead(size, one, Names{*this}, slots);
  }

  /// Applies the requests of a span to a set, in blocks that are looked at before.
  template <class At, class Receiver, class Sink, class SpanTap>
  [[gnu::always_inline]] void apply_to_set(std::size_t count, At& at, Receiver& receiver, Sink& sink,
                                           SpanTap& tap) noexcept {
    std::array<SlotIndex, Book::block> slots{};  // where the orders were when the block was looked at
    for (std::size_t begin = 0; begin < count; begin += Book::block) {
      const std::size_t size = std::min(Book::block, count - begin);
      if (book_.has_cold_books()) look_ahead(begin, size, at, slots);
      for (std::size_t i = 0; i < size; ++i) {
        const RequestType& request = at(begin + i);
        apply_at(
            begin + i, request, receiver, sink, tap, [&]() __attribute__((always_inline)) {
              // Nobody has looked for an order that is new.
              if (request.type == CommandType::AddResting) return look_up_new(request.id);
              const OrderHandle handle = book_.handle_at(slots[i], request.id);
              return handle != OrderHandle{} ? handle : look_up(request.id);
            });
      }
    }
  }

  /// Applies request `i` of a span, whose order `locate()` finds. The receiver is called from each arm: a second
  /// dispatch, on a result of unknown origin, would cost as much as the first.
  template <class Receiver, class Sink, class SpanTap, class Locate>
  [[gnu::always_inline]] void apply_at(std::size_t i, const RequestType& request, Receiver& receiver,
                                       Sink& /*sink*/, SpanTap& tap, const Locate& locate) noexcept {
    if constexpr (!TradeSink<Sink>) tap.request = i;
    const auto give = [&](auto call) __attribute__((always_inline)) {
      const Result result = call();
      give_result(receiver, result, i);
    };
    if (request.type == CommandType::AddLimit) {
      if constexpr (tells_who_rests) {
        // Copied before the book changes: at(i) may be a reference, to what the compiler then takes for changed.
        const auto [id, price, quantity, side, time_in_force] =
            std::tuple(request.id, request.price, request.quantity, request.side, request.time_in_force);
        if (rests_at_once(id, side, price, quantity, time_in_force)) [[likely]] {
          give([&]() __attribute__((always_inline)) { return rest(id, side, price, quantity); });
        } else {
          give([&]() __attribute__((always_inline)) { return apply_rare(request, {}, tap); });
        }
      } else {
        const auto add = [&]() __attribute__((always_inline)) {
          return add_limit(request, tap);
        };
        give([&]() __attribute__((always_inline)) { return spans_have_recent ? noted(request.id, add) : add(); });
      }
    } else if (request.type == CommandType::Cancel) {
      if constexpr (listens_to_cancels<Receiver>()) {
        const OrderHandle handle = locate();
        give([&] {
          return tell_cancelled(receiver, [&](RestingOrder& order) { return cancel(request.id, handle, order); });
        });
      } else {
        give([&]() __attribute__((always_inline)) { return cancel(request.id, locate()); });
      }
    } else if (of_set && request.type == CommandType::AddResting) {
      give([&]() __attribute__((always_inline)) { return add_resting(request, locate()); });
    } else {
      give([&]() __attribute__((always_inline)) { return apply_rare(request, located(request, locate), tap); });
    }
  }

  Book book_;
  [[no_unique_address]] Index index_;
  SlotIndex recent_mask_ = ~SlotIndex{0};  ///< in spans: 0 while recent ids do not pay
  std::uint8_t span_count_ = 0;
  std::array<SlotIndex, 256> recent_{};    ///< by a hash of the id: where an order that came lately lives
  [[no_unique_address]] CallGuard guard_;  ///< of spans; the book guards each request
};

}  // namespace llmes::inline LLMES_NAMESPACE
