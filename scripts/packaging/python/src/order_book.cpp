// SPDX-License-Identifier: MIT
//
// The order book by ids, one call at a time or many in one call.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "arguments.hpp"
#include "llmes/book.hpp"
#include "llmes/ids.hpp"
#include "llmes/types/text.hpp"
#include "table.hpp"
#include "words.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace llmes::python {
namespace {

using Book = IdBook<AnyPriceBook<>, HashedIds>;
using Id = Whole<OrderId, "id">;
using NewId = Whole<OrderId, "new_id">;
using Ticks = Whole<Price, "price">;
using Lots = Whole<Quantity, "lots">;

/// What a call did, with its trades.
struct Outcome {
  Result result;
  std::vector<Trade> trades;
};

template <class Number>
using Array = nb::ndarray<const Number, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

class TeachingBook {
 public:
  explicit TeachingBook(Whole<std::size_t, "capacity"> most) {
    const std::size_t capacity = most.number;
    CreateStatus status{};
    auto book = Book::create({.capacity = capacity}, {}, status);
    if (!book)
      throw std::invalid_argument("capacity " + std::to_string(capacity) + ": " + std::string(to_string(status)));
    book_ = std::make_unique<Book>(*std::move(book));
  }

  Outcome apply(const Request& request) {
    Outcome outcome;
    outcome.result = book_->apply(request, [&](const Trade& trade) { outcome.trades.push_back(trade); });
    return outcome;
  }

  std::pair<std::shared_ptr<Table>, std::shared_ptr<Table>> apply_all(
      const Array<std::uint8_t>& types, const Array<std::uint64_t>& ids, const Array<std::uint8_t>& sides,
      const Array<std::int64_t>& prices, const Array<std::uint64_t>& lots,
      const Array<std::uint8_t>& times_in_force, const Array<std::uint64_t>& new_ids) {
    const std::size_t count = types.shape(0);
    for (const std::size_t other : {ids.shape(0), sides.shape(0), prices.shape(0), lots.shape(0),
                                    times_in_force.shape(0), new_ids.shape(0)}) {
      if (other != count) throw std::invalid_argument("the arrays have different lengths");
    }
    auto results = std::make_shared<Table>();
    auto trades = std::make_shared<Table>();
    results->columns = {
        {"status", ColumnKind::Category}, Column("filled"), Column("remaining"), Column("cancelled")};
    trades->columns = {Column("command"), Column("taker"), Column("maker"),
                       Column("price"),   Column("lots"),  Column("maker_remaining")};
    const nb::gil_scoped_release release;
    for (std::size_t i = 0; i < count; ++i) {
      const Request request{{ids.data()[i], new_ids.data()[i]},
                            prices.data()[i],
                            lots.data()[i],
                            static_cast<CommandType>(types.data()[i]),
                            static_cast<Side>(sides.data()[i]),
                            static_cast<TimeInForce>(times_in_force.data()[i])};
      const Result result = book_->apply(request, [&](const Trade& trade) {
        std::vector<Column>& row = trades->columns;
        row[0].add(static_cast<std::uint64_t>(i));
        row[1].add(trade.taker_id);
        row[2].add(trade.maker_id);
        row[3].add(trade.price);
        row[4].add(trade.quantity);
        row[5].add(trade.maker_remaining);
      });
      results->columns[0].add_word(to_string(result.status));
      results->columns[1].add(result.filled);
      results->columns[2].add(result.remaining);
      results->columns[3].add(result.cancelled);
    }
    return {std::move(results), std::move(trades)};
  }

  [[nodiscard]] std::vector<std::tuple<Price, Quantity, std::uint64_t>> depth(
      Word<Side> side, Whole<std::size_t, "levels"> levels) const {
    std::vector<DepthLevel> room(levels.number);
    room.resize(book_->book().depth(side.value, room));
    std::vector<std::tuple<Price, Quantity, std::uint64_t>> list;
    for (const DepthLevel& level : room) list.emplace_back(level.price, level.quantity, level.order_count);
    return list;
  }
  [[nodiscard]] std::optional<std::tuple<std::string, Price, Quantity>> find(Id id) const {
    const auto order = book_->find(id.number);
    if (!order) return {};
    return std::tuple(std::string(word_of(order->side)), order->price, order->quantity);
  }
  [[nodiscard]] std::optional<std::pair<Quantity, std::uint64_t>> queue_ahead(Id id) const {
    const auto position = book_->book().queue_ahead(book_->handle_of(id.number));
    if (!position) return {};
    return std::pair(position->quantity, position->order_count);
  }
  [[nodiscard]] std::optional<Price> best(Side side) const {
    return side == Side::Buy ? book_->book().best_bid() : book_->book().best_ask();
  }
  [[nodiscard]] std::size_t size() const { return book_->book().size(); }

 private:
  std::unique_ptr<Book> book_;
};

}  // namespace

void bind_order_book(nb::module_& module) {
  nb::class_<Outcome>(module, "Result", "What a call did.")
      .def_prop_ro(
          "status", [](const Outcome& o) { return std::string(to_string(o.result.status)); },
          "'Success', or the reason why nothing has changed.")
      .def_prop_ro(
          "filled", [](const Outcome& o) { return o.result.filled; }, "Lots traded during the call.")
      .def_prop_ro(
          "remaining", [](const Outcome& o) { return o.result.remaining; }, "Lots that rest now.")
      .def_prop_ro(
          "cancelled", [](const Outcome& o) { return o.result.cancelled; }, "Lots removed or dropped.")
      .def_prop_ro(
          "trades",
          [](const Outcome& o) {
            std::vector<std::tuple<OrderId, Price, Quantity>> list;
            for (const Trade& t : o.trades) list.emplace_back(t.maker_id, t.price, t.quantity);
            return list;
          },
          "The fills, in order: id of the maker, price, lots.")
      .def("__bool__", [](const Outcome& o) { return o.result.status == Status::Success; })
      .def("__repr__", [](const Outcome& o) {
        return "Result(" + std::string(to_string(o.result.status)) + ", filled " +
               std::to_string(o.result.filled) + ", remaining " + std::to_string(o.result.remaining) +
               ", cancelled " + std::to_string(o.result.cancelled) + ")";
      });

  nb::class_<TeachingBook>(
      module, "OrderBook",
      "A limit order book of one instrument, with strict price-time priority.\n\n"
      "Orders are named by ids of yours (0 to 2**64 - 1). Prices are whole ticks, quantities\n"
      "whole lots; neither is ever a float. A rejected call changes nothing, and `status` of its\n"
      "result says why.")
      .def(nb::init<Whole<std::size_t, "capacity">>(), "capacity"_a = 100'000,
           "`capacity` is the most orders that rest at once.")
      .def(
          "add_limit",
          [](TeachingBook& b, Id id, Word<Side> side, Ticks price, Lots lots, Word<TimeInForce> time_in_force) {
            return b.apply(
                Request::add_limit(id.number, side.value, price.number, lots.number, time_in_force.value));
          },
          "id"_a, "side"_a, "price"_a.none(), "lots"_a, "time_in_force"_a = "gtc",
          nb::sig("def add_limit(self, id: int, side: str, price: int, lots: int, time_in_force: str = 'gtc') -> "
                  "Result"),
          "Trades what crosses, and lets the rest rest. `side` is 'buy' or 'sell'; `time_in_force` is 'gtc'\n"
          "(good till cancel), 'ioc' (immediate or cancel), 'fok' (fill or kill) or 'post_only'.")
      .def(
          "add_market",
          [](TeachingBook& b, Id id, Word<Side> side, Lots lots) {
            return b.apply(Request::add_market(id.number, side.value, lots.number));
          },
          "id"_a, "side"_a, "lots"_a, "Trades at any price; what is left is dropped.")
      .def(
          "cancel", [](TeachingBook& b, Id id) { return b.apply(Request::cancel(id.number)); }, "id"_a,
          "Takes an order off the book.")
      .def(
          "modify",
          [](TeachingBook& b, Id id, Ticks price, Lots lots) {
            return b.apply(Request::modify(id.number, price.number, lots.number));
          },
          "id"_a, "price"_a.none(), "lots"_a,
          nb::sig("def modify(self, id: int, price: int, lots: int) -> Result"),
          "`lots` is the new open quantity. The same price and not more lots keeps the place in the queue.")
      .def(
          "reduce",
          [](TeachingBook& b, Id id, Whole<Quantity, "by"> by) {
            return b.apply(Request::reduce(id.number, by.number));
          },
          "id"_a, "by"_a, "Takes lots off, and keeps the place in the queue.")
      .def(
          "replace",
          [](TeachingBook& b, Id id, NewId new_id, Ticks price, Lots lots) {
            return b.apply(Request::replace(id.number, new_id.number, price.number, lots.number));
          },
          "id"_a, "new_id"_a, "price"_a.none(), "lots"_a,
          nb::sig("def replace(self, id: int, new_id: int, price: int, lots: int) -> Result"),
          "Cancels an order, and adds another one of its side.")
      .def("_apply", &TeachingBook::apply_all, "types"_a, "ids"_a, "sides"_a, "prices"_a, "lots"_a,
           "times_in_force"_a, "new_ids"_a)
      .def_prop_ro(
          "best_bid", [](const TeachingBook& b) { return b.best(Side::Buy); }, "In ticks, or None.")
      .def_prop_ro(
          "best_ask", [](const TeachingBook& b) { return b.best(Side::Sell); }, "In ticks, or None.")
      .def("depth", &TeachingBook::depth, "side"_a, "levels"_a = 10,
           "The levels of a side, the best first: price, lots, number of orders.")
      .def("find", &TeachingBook::find, "id"_a,
           "Side, price and open lots of an order, or None if it does not rest.")
      .def("queue_ahead", &TeachingBook::queue_ahead, "id"_a,
           "Lots and orders before an order at its price, or None if it does not rest.")
      .def("__len__", &TeachingBook::size);
}

}  // namespace llmes::python
