// SPDX-License-Identifier: MIT
//
// Tapes and backtests as Python has them.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/set.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "address_strategy.hpp"
#include "backtest.hpp"
#include "python_strategy.hpp"
#include "tape.hpp"
#include "words.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace llmes::python {

void bind_desk(nb::module_& module);

namespace {

/// What opens a file of each format: `llmes.itch` and so on.
constexpr std::array<std::string_view, 1 + detail::tape_forms.size()> format_words{"any", "itch", "dbn", "lobster",
                                                                                   "bitstamp"};
static_assert(!format_words.back().empty(), "a format has no word");

/// Which of these a file needs, by its first bytes. Throws std::runtime_error, with words, if it is not `wanted`.
std::string_view format_of(const nb::bytes& start, std::string_view wanted) {
  const std::span<const std::byte> bytes(static_cast<const std::byte*>(start.data()), start.size());
  const auto expected = static_cast<TapeFormat>(place_of(wanted, "format", format_words));
  const TapeFormat found = *tape_format_of(bytes);
  const std::string_view word = format_words[static_cast<std::size_t>(found)];
  std::string fault = tape_format_fault(bytes, found, expected);
  if (fault.empty()) return word;
  if (found != TapeFormat::Unknown) fault.append("; use llmes.").append(word);
  throw std::runtime_error(fault);
}

/// Gives a piece of a file to `one`, while Python's other threads run.
template <class One>
void feed(One& one, const nb::bytes& bytes) {
  const std::span<const std::byte> span(static_cast<const std::byte*>(bytes.data()), bytes.size());
  const nb::gil_scoped_release release;
  one.feed(span);
}
template <class One>
void finish(One& one) {
  const nb::gil_scoped_release release;
  one.finish();
}

/// A backtest with strategies of Python or C.
class PythonBacktest {
 public:
  PythonBacktest(const Survey& survey, BacktestConfig config, const std::vector<nb::object>& strategies)
      : backtest_(survey, std::move(config)) {
    const PythonNames names(backtest_.selection());
    std::vector<Strategy*> all;
    for (const nb::object& strategy : strategies) {
      const auto stop = [this] { backtest_.stop(); };
      if (nb::hasattr(strategy, "_address")) {
        strategies_.push_back(std::make_unique<AddressStrategy>(
            nb::cast<std::uintptr_t>(strategy.attr("_address")), nb::cast<std::uintptr_t>(strategy.attr("_place")),
            names.step, stop));
      } else {
        strategies_.push_back(std::make_unique<PythonStrategy>(strategy, names, stop));
      }
      all.push_back(strategies_.back().get());
    }
    backtest_.begin(all);
  }

  void feed(std::span<const std::byte> bytes) { backtest_.feed(bytes); }
  void finish() { backtest_.finish(); }
  /// No strategy is called any more; what has happened so far is the result.
  void end() {
    backtest_.stop();
    for (const auto& strategy : strategies_) strategy->release();
    backtest_.end();
  }
  /// Raises what a method of a strategy has raised.
  void check() {
    for (const auto& strategy : strategies_) strategy->check();
  }
  [[nodiscard]] const Simulation& simulation() const { return backtest_.simulation(); }
  [[nodiscard]] Faults faults() const { return backtest_.faults(); }
  [[nodiscard]] const std::vector<std::string>& symbols() const { return backtest_.selection().names; }

 private:
  std::vector<std::unique_ptr<Strategy>> strategies_;
  Backtest backtest_;
};

template <class Number>
using Array = nb::ndarray<const Number, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class Number>
std::span<const Number> span_of(const Array<Number>& array) {
  return {array.data(), array.shape(0)};
}

BacktestConfig config_of(const nb::dict& options) {
  BacktestConfig config;
  config.symbols = nb::cast<std::set<std::string>>(options["symbols"]);
  const nb::list delays = nb::cast<nb::list>(options["delays"]);
  for (std::size_t i = 0; i < config.delays.size(); ++i) {
    const nb::object delay = delays[i];
    if (delay.is_none()) {
      config.delays[i].as_received = true;
    } else {
      const auto series = nb::cast<Array<std::uint64_t>>(delay);
      config.delays[i].series.assign(series.data(), series.data() + series.shape(0));
    }
  }
  const nb::list fees = nb::cast<nb::list>(options["fees"]);
  for (std::size_t i = 0; i < config.fees.size(); ++i) {
    for (std::size_t part = 0; part < 3; ++part) config.fees[i][part] = nb::cast<double>(fees[i][part]);
  }
  config.tick = nb::cast<Price>(options["tick"]);
  config.lot = nb::cast<Quantity>(options["lot"]);
  config.displace = nb::cast<bool>(options["displace"]);
  config.fills_in_auctions = nb::cast<bool>(options["fills_in_auctions"]);
  config.stay = nb::cast<std::uint64_t>(options["stay"]);
  config.equity_every = nb::cast<std::uint64_t>(options["equity_every"]);
  config.own_orders = nb::cast<std::size_t>(options["own_orders"]);
  config.steps = nb::cast<std::size_t>(options["steps"]);
  return config;
}

std::shared_ptr<Table> shared(Table&& table) {
  return std::make_shared<Table>(std::move(table));
}

}  // namespace

void bind_tapes(nb::module_& module) {
  module.attr("START") = tape_start_max;
  module.def("format_of", &format_of, "start"_a, "wanted"_a);
  module.def("packing_of", [](const nb::bytes& start) {
    return to_string(packing_of({static_cast<const std::byte*>(start.data()), start.size()}));
  });
  nb::class_<Survey>(module, "Survey")
      .def(nb::init<std::string>(), "path"_a)
      .def("feed", &feed<Survey>)
      .def("finish", &finish<Survey>)
      .def_prop_ro("names", &Survey::names)
      .def_prop_ro("format", [](const Survey& s) { return format_words[static_cast<std::size_t>(s.format())]; })
      .def_prop_ro("format_words", &Survey::format_words)
      .def("symbols", [](const Survey& s) { return shared(s.symbols()); });
  nb::class_<TapeTables>(module, "TapeTables")
      .def(
          "__init__",
          [](TapeTables* self, const Survey& survey, std::set<std::string> tables,
             const std::set<std::string>& symbols, std::size_t orders, std::size_t levels, std::int64_t every) {
            new (self) TapeTables(survey, symbols, {std::move(tables), orders, levels, every});
          },
          "survey"_a, "tables"_a, "symbols"_a, "orders"_a, "levels"_a, "every"_a)
      .def("feed", &feed<TapeTables>)
      .def("finish", &finish<TapeTables>)
      .def("take", [](TapeTables& tables, const std::string& name) { return shared(tables.take(name)); })
      .def("rows", &TapeTables::rows)
      .def_prop_ro("faults", &TapeTables::faults);
  nb::class_<TapeCheck>(module, "TapeCheck")
      .def(nb::init<const Survey&>(), "survey"_a)
      .def("feed", &feed<TapeCheck>)
      .def("finish", &finish<TapeCheck>)
      .def_prop_ro("counts", &TapeCheck::counts)
      .def_prop_ro("types", &TapeCheck::types)
      .def_prop_ro("refused", &TapeCheck::refused)
      .def_prop_ro("faults", &TapeCheck::faults);

  bind_desk(module);
  nb::class_<PythonBacktest>(module, "Backtest")
      .def(
          "__init__",
          [](PythonBacktest* self, const Survey& survey, const nb::dict& options,
             const std::vector<nb::object>& strategies) {
            new (self) PythonBacktest(survey, config_of(options), strategies);
          },
          "survey"_a, "options"_a, "strategies"_a)
      .def("feed", &feed<PythonBacktest>)
      .def("finish", &finish<PythonBacktest>)
      .def("check", &PythonBacktest::check)
      .def("end", &PythonBacktest::end)
      .def("orders", [](const PythonBacktest& b, std::size_t i) { return shared(b.simulation().orders(i)); })
      .def("fills", [](const PythonBacktest& b, std::size_t i) { return shared(b.simulation().fills(i)); })
      .def("equity", [](const PythonBacktest& b, std::size_t i) { return shared(b.simulation().equity(i)); })
      .def("summary", [](const PythonBacktest& b, std::size_t i) { return b.simulation().summary(i); })
      .def("positions", [](const PythonBacktest& b, std::size_t i) { return b.simulation().positions(i); })
      .def("why", [](const PythonBacktest& b, std::size_t i, std::uint64_t order,
                     std::size_t steps) { return b.simulation().why(i, order, steps); })
      .def_prop_ro("symbols", &PythonBacktest::symbols)
      .def_prop_ro("faults", &PythonBacktest::faults)
      .def("has_subscribed",
           [](const PythonBacktest& b, std::size_t i) { return b.simulation().has_subscribed(i); });
  nb::class_<ShadowPass>(module, "ShadowPass")
      .def(
          "__init__",
          [](ShadowPass* self, const Survey& survey, const nb::dict& options, std::vector<std::string> symbols,
             const Array<std::uint32_t>& codes, const Array<std::uint8_t>& sides,
             const Array<std::uint8_t>& times_in_force, const Array<std::uint64_t>& times,
             const Array<std::uint64_t>& cancel_times, const Array<std::int64_t>& prices,
             const Array<std::uint64_t>& lots) {
            BacktestConfig config = config_of(options);
            const nb::gil_scoped_release release;
            new (self) ShadowPass(survey, std::move(config),
                                  {std::move(symbols), span_of(codes), span_of(sides), span_of(times_in_force),
                                   span_of(times), span_of(cancel_times), span_of(prices), span_of(lots)});
          },
          "survey"_a, "options"_a, "symbols"_a, "codes"_a, "sides"_a, "times_in_force"_a, "times"_a,
          "cancel_times"_a, "prices"_a, "lots"_a)
      .def("feed", &feed<ShadowPass>)
      .def("finish", &finish<ShadowPass>)
      .def("results", [](const ShadowPass& s) { return shared(s.results()); })
      .def_prop_ro("faults", &ShadowPass::faults);
}

}  // namespace llmes::python
