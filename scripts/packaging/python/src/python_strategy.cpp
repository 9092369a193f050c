// SPDX-License-Identifier: MIT
#include "python_strategy.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <utility>

#include "arguments.hpp"
#include "backtest.hpp"
#include "words.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace llmes::python {

// ---- What a strategy is given: copies, which may be kept.

namespace {

struct FillNote {
  OwnFill fill;
  nb::object symbol;
  Price step;
};
struct AnswerNote {
  Answer answer;
};
struct TradeNote {
  MarketTrade trade;
  nb::object symbol;
  Price step;
};
struct OrderNote {
  KnownOrder order;
  nb::object symbol;
  Price step;
};

/// Throws for a refusal, by which nothing was sent.
void check(SendStatus status) {
  switch (status) {
    case SendStatus::Success: return;
    case SendStatus::InvalidQuantity:
      throw std::invalid_argument("lots: from 1 to 2**40, and a multiple of the lot");
    case SendStatus::InvalidPrice: throw std::invalid_argument("price: no multiple of the tick");
    case SendStatus::UnknownOrder: throw std::invalid_argument("the strategy has sent no order of this number");
    case SendStatus::TooManyOrders:
      throw std::runtime_error("the strategy has sent all its orders; give backtest() more own_orders");
    default: throw std::runtime_error("nothing was sent: " + std::string(to_string(status)));
  }
}

nb::tuple touch_of(const MarketView& view, Price step) {
  const auto one = [&](Side side, nb::object& price) {
    const DepthLevel best = view.best(side);
    price = best.quantity == 0 ? nb::none() : nb::object(nb::int_(best.price * step));
    return best.quantity;
  };
  nb::object bid;
  nb::object ask;
  const Quantity bid_lots = one(Side::Buy, bid);
  const Quantity ask_lots = one(Side::Sell, ask);
  return nb::make_tuple(bid, bid_lots, ask, ask_lots);
}

}  // namespace

PythonNames::PythonNames(const Selection& selection) : step(selection.step) {
  for (const std::string& name : selection.names) {
    symbols.push_back(nb::str(name.c_str(), name.size()));
    numbers[symbols.back()] = symbols.size() - 1;
  }
}
BookNumber PythonNames::number_of(nb::handle symbol) const {
  PyObject* const found = PyDict_GetItemWithError(numbers.ptr(), symbol.ptr());
  if (found != nullptr) return static_cast<BookNumber>(PyLong_AsUnsignedLong(found));
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
  throw std::invalid_argument(std::string("this run has no symbol ") + nb::repr(symbol).c_str() +
                              "; desk.symbols has its own, and day.symbols() all of the file");
}
Price PythonNames::tick_of(Price price) const {
  if (price % step != 0) {
    throw std::invalid_argument("price " + std::to_string(price) + ": no multiple of the tick, which is " +
                                std::to_string(step));
  }
  return price / step;
}

AnyDesk& PythonDesk::get() const {
  if (desk_ == nullptr) throw std::runtime_error("a desk works only while a method of its strategy runs");
  return *desk_;
}

// ---- The strategy

PythonStrategy::PythonStrategy(nb::object strategy, const PythonNames& names, std::function<void()> stop)
    : desk_(nb::cast(new PythonDesk(names), nb::rv_policy::take_ownership)), stop_(std::move(stop)) {
  for (const auto& [name, method] :
       {std::pair("on_start", &start_), std::pair("on_market", &market_), std::pair("on_trade", &trade_),
        std::pair("on_answer", &answer_), std::pair("on_fill", &fill_), std::pair("on_timer", &timer_)}) {
    if (nb::hasattr(strategy, name)) *method = strategy.attr(name);
  }
}

void PythonStrategy::release() {
  // The strategy may know its run, and Python's collector does not see through this object.
  for (nb::object* const method : {&start_, &market_, &trade_, &answer_, &fill_, &timer_}) method->reset();
}
void PythonStrategy::check() {
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

/// `arguments()` makes those that follow the desk, as a tuple of C++.
template <class Arguments>
void PythonStrategy::call(AnyDesk& desk, const nb::object& method, const Arguments& arguments) noexcept {
  if (!method.is_valid() || error_) return;
  const nb::gil_scoped_acquire gil;
  PythonDesk& open = *nb::inst_ptr<PythonDesk>(desk_);
  open.open(&desk);
  try {
    std::apply([&](const auto&... each) { method(desk_, each...); }, arguments());
  } catch (...) {
    error_ = std::current_exception();
    stop_();
  }
  open.open(nullptr);
}

void PythonStrategy::on_start(AnyDesk& desk) {
  call(desk, start_, [] { return std::tuple(); });
}
void PythonStrategy::on_market(AnyDesk& desk, BookNumber book) {
  const PythonNames& names = nb::inst_ptr<PythonDesk>(desk_)->names();
  call(desk, market_, [&] { return std::tie(names.symbols[book]); });
}
void PythonStrategy::on_trade(AnyDesk& desk, const MarketTrade& trade) {
  const PythonNames& names = nb::inst_ptr<PythonDesk>(desk_)->names();
  call(desk, trade_, [&] { return std::tuple(TradeNote{trade, names.symbols[trade.book], names.step}); });
}
void PythonStrategy::on_answer(AnyDesk& desk, const Answer& answer) {
  call(desk, answer_, [&] { return std::tuple(AnswerNote{answer}); });
}
void PythonStrategy::on_fill(AnyDesk& desk, const OwnFill& fill) {
  const PythonNames& names = nb::inst_ptr<PythonDesk>(desk_)->names();
  call(desk, fill_, [&] {
    return std::tuple(FillNote{fill, names.symbols[desk.order(fill.order).book], names.step});
  });
}
void PythonStrategy::on_timer(AnyDesk& desk, std::uint64_t tag) {
  call(desk, timer_, [&] { return std::tuple(tag); });
}

// ---- The module

namespace {

void bind_notes(nb::module_& module) {
  nb::class_<FillNote>(module, "Fill", "A fill of an own order, as the strategy learns of it.")
      .def_prop_ro(
          "order", [](const FillNote& f) { return f.fill.order; }, "Number of the own order.")
      .def_prop_ro(
          "symbol", [](const FillNote& f) { return f.symbol; }, "Its name.")
      .def_prop_ro(
          "side", [](const FillNote& f) { return word_of(f.fill.side); }, "'buy' or 'sell'.")
      .def_prop_ro(
          "price", [](const FillNote& f) { return f.fill.price * f.step; }, "In units of the file.")
      .def_prop_ro(
          "lots", [](const FillNote& f) { return f.fill.quantity; }, "That traded.")
      .def_prop_ro(
          "time", [](const FillNote& f) { return f.fill.time; }, "At the venue, nanoseconds.")
      .def_prop_ro(
          "record", [](const FillNote& f) { return f.fill.record; }, "Of the file: what caused it.")
      .def_prop_ro(
          "fee", [](const FillNote& f) { return money_of(f.fill.fee, f.step); },
          "Price times lots; below 0: a rebate.")
      .def_prop_ro(
          "is_maker", [](const FillNote& f) { return f.fill.is_maker(); }, "Whether it rested.")
      .def_prop_ro(
          "cause", [](const FillNote& f) { return to_string(f.fill.cause); }, "In words.")
      .def("__repr__", [](const FillNote& f) {
        return "Fill(order " + std::to_string(f.fill.order) + ": " + std::string(word_of(f.fill.side)) + ' ' +
               std::to_string(f.fill.quantity) + " at " + std::to_string(f.fill.price * f.step) + ")";
      });
  nb::class_<AnswerNote>(module, "Answer", "What the venue answers to a command.")
      .def_prop_ro(
          "order", [](const AnswerNote& a) { return a.answer.order; }, "Number of the own order.")
      .def_prop_ro(
          "type", [](const AnswerNote& a) { return to_string(a.answer.type); },
          "'Accepted', 'Modified', 'Cancelled', 'Rejected', 'ModifyRejected' or 'CancelRejected'.")
      .def_prop_ro(
          "reason", [](const AnswerNote& a) { return to_string(a.answer.reason); }, "In words.")
      .def_prop_ro(
          "time", [](const AnswerNote& a) { return a.answer.venue_time; }, "At the venue, nanoseconds.")
      .def("__repr__", [](const AnswerNote& a) {
        return "Answer(order " + std::to_string(a.answer.order) + ": " + std::string(to_string(a.answer.type)) +
               ", " + std::string(to_string(a.answer.reason)) + ")";
      });
  nb::class_<TradeNote>(module, "Trade", "A trade of the market, as the feed tells of it.")
      .def_prop_ro(
          "symbol", [](const TradeNote& t) { return t.symbol; }, "Its name.")
      .def_prop_ro(
          "time", [](const TradeNote& t) { return t.trade.time; }, "At the venue, nanoseconds.")
      .def_prop_ro(
          "record", [](const TradeNote& t) { return t.trade.record; }, "Of the file.")
      .def_prop_ro(
          "price", [](const TradeNote& t) { return t.trade.price * t.step; }, "In units of the file.")
      .def_prop_ro(
          "lots", [](const TradeNote& t) { return t.trade.quantity; }, "That traded.")
      .def_prop_ro(
          "maker",
          [](const TradeNote& t) {
            return t.trade.is_displayed ? nb::cast(word_of(t.trade.maker_side)) : nb::object(nb::none());
          },
          "Side of the resting order; None if no order of the book traded.");
  nb::class_<OrderNote>(module, "Order", "An own order as its strategy knows it.")
      .def_prop_ro(
          "symbol", [](const OrderNote& o) { return o.symbol; }, "Its name.")
      .def_prop_ro(
          "side", [](const OrderNote& o) { return word_of(o.order.side); }, "'buy' or 'sell'.")
      .def_prop_ro(
          "price", [](const OrderNote& o) { return o.order.price * o.step; }, "In units of the file.")
      .def_prop_ro(
          "open", [](const OrderNote& o) { return o.order.open; }, "Lots that may still trade.")
      .def_prop_ro(
          "tag", [](const OrderNote& o) { return o.order.tag; }, "As it was sent.")
      .def_prop_ro(
          "state", [](const OrderNote& o) { return to_string(o.order.state); },
          "'on its way', 'resting', 'filled', 'cancelled' or 'rejected'.")
      .def_prop_ro(
          "is_open", [](const OrderNote& o) { return o.order.is_open(); }, "Whether it may still trade.");
}

using Number = Whole<OwnOrderId, "order">;
using Lots = Whole<Quantity, "lots">;
using Tag = Whole<std::uint64_t, "tag">;

}  // namespace

void bind_desk(nb::module_& module) {
  bind_notes(module);
  const auto sent = [](const Sent& sent) {
    check(sent.status);
    return sent.order;
  };
  nb::class_<PythonDesk>(
      module, "Desk",
      "What a strategy may do and read. It knows what has reached it, and nothing else.\n\n"
      "Prices are in units of the file, times in nanoseconds. A command that cannot be sent raises ValueError,\n"
      "and nothing is sent; the venue's answer to a sent one comes to `on_answer`.")
      .def(
          "add_limit",
          [sent](const PythonDesk& d, nb::handle symbol, Word<Side> side, Whole<Price, "price"> price, Lots lots,
                 Word<TimeInForce> time_in_force, Tag tag) {
            return sent(d.get().add(d.names().number_of(symbol), side.value, d.names().tick_of(price.number),
                                    lots.number, time_in_force.value, tag.number));
          },
          "symbol"_a, "side"_a, "price"_a.none(), "lots"_a, "time_in_force"_a = "gtc", "tag"_a = 0,
          nb::sig("def add_limit(self, symbol: object, side: str, price: int, lots: int, time_in_force: str = "
                  "'gtc', tag: int = 0) -> int"),
          "Sends a limit order, and returns its number, from 0 up. `side` is 'buy' or 'sell'; `time_in_force` is\n"
          "'gtc' (good till cancel), 'post_only', 'ioc' (immediate or cancel) or 'fok' (fill or kill).")
      .def(
          "add_market",
          [sent](const PythonDesk& d, nb::handle symbol, Word<Side> side, Lots lots, Tag tag) {
            return sent(d.get().add_market(d.names().number_of(symbol), side.value, lots.number, tag.number));
          },
          "symbol"_a, "side"_a, "lots"_a, "tag"_a = 0,
          "Sends an order that takes at any price and never rests; returns its number.")
      .def(
          "modify",
          [](const PythonDesk& d, Number order, Whole<Price, "price"> price, Lots lots) {
            check(d.get().modify(order.number, d.names().tick_of(price.number), lots.number));
          },
          "order"_a, "price"_a.none(), "lots"_a,
          nb::sig("def modify(self, order: int, price: int, lots: int) -> None"),
          "Asks for another price and so many open lots. The same price and not more lots keeps the place.")
      .def(
          "cancel", [](const PythonDesk& d, Number order) { check(d.get().cancel(order.number)); }, "order"_a,
          "Asks for the end of an order; it may be filled before.")
      .def(
          "subscribe",
          [](const PythonDesk& d, nb::handle symbol, Whole<std::size_t, "levels"> levels) {
            if (levels.number < 1 || levels.number > MarketView::levels_max)
              throw std::invalid_argument("levels: 1 to 10");
            check(d.get().subscribe(d.names().number_of(symbol), levels.number));
          },
          "symbol"_a, "levels"_a = 1,
          "From now on `on_market` tells when one of the best levels changes, 1 to 10 a side, and `on_trade` of\n"
          "each trade.")
      .def(
          "wake_at",
          [](const PythonDesk& d, Whole<Nanoseconds, "time"> time, Tag tag) {
            d.get().wake_at(time.number, tag.number);
          },
          "time"_a, "tag"_a = 0, "Calls `on_timer` with `tag` at a time, or now if it has passed.")
      .def(
          "touch",
          [](const PythonDesk& d, nb::handle symbol) {
            return touch_of(d.get().view(d.names().number_of(symbol)), d.names().step);
          },
          "symbol"_a,
          "Best prices of a subscribed symbol as they have reached the strategy: bid, bid_lots, ask, ask_lots.\n"
          "A side without orders has the price None.")
      .def(
          "depth",
          [](const PythonDesk& d, nb::handle symbol, Word<Side> side) {
            nb::list levels;
            for (const DepthLevel& level : d.get().view(d.names().number_of(symbol)).levels(side.value))
              levels.append(nb::make_tuple(level.price * d.names().step, level.quantity, level.order_count));
            return levels;
          },
          "symbol"_a, "side"_a, "The subscribed levels of a side, the best first: price, lots, orders.")
      .def(
          "position",
          [](const PythonDesk& d, nb::handle symbol) { return d.get().position(d.names().number_of(symbol)); },
          "symbol"_a, "Lots bought less lots sold.")
      .def(
          "order",
          [](const PythonDesk& d, Number order) {
            const KnownOrder known = d.get().order(order.number);
            if (known.id == no_order) throw std::invalid_argument("the strategy has sent no order of this number");
            return OrderNote{known, d.names().symbols[known.book], d.names().step};
          },
          "order"_a, "An order that the strategy has sent.")
      .def_prop_ro(
          "now", [](const PythonDesk& d) { return d.get().now(); }, "Nanoseconds.")
      .def_prop_ro(
          "cash", [](const PythonDesk& d) { return money_of(d.get().cash(), d.names().step); },
          "What fills and fees have brought, price times lots.")
      .def_prop_ro(
          "symbols",
          [](const PythonDesk& d) {
            nb::list symbols;
            for (const nb::object& symbol : d.names().symbols) symbols.append(symbol);
            return symbols;
          },
          "All symbols of the run.")
      .def_prop_ro(
          "open_orders",
          [](const PythonDesk& d) {
            const std::span<const OwnOrderId> open = d.get().open_orders();
            return std::vector<OwnOrderId>(open.begin(), open.end());
          },
          "Numbers of the orders that rest, the oldest first.");
}

}  // namespace llmes::python
