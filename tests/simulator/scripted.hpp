// SPDX-License-Identifier: MIT
//
// A strategy that sends what a script says, when it says so, and runs of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "llmes/simulator.hpp"
#include "tests/simulator/market_tape.hpp"
#include "tests/support/random.hpp"

namespace llmes::test {

struct OwnCommand {
  enum class Kind : std::uint8_t { Add, Modify, Cancel };

  Kind kind = Kind::Add;
  Nanoseconds time = 0;
  OwnOrderId order = no_order;  ///< that it names
  BookNumber book = 0;
  Side side = Side::Buy;
  Price price = 0;
  Quantity quantity = 0;
  TimeInForce time_in_force = TimeInForce::GoodTillCancel;
  Quantity peak = 0;  ///< of a reserve, where the venue has them
};
using Script = std::vector<OwnCommand>;

/// It notes all that it is told.
struct Scripted {
  Script script{};
  std::optional<BookNumber> shown{};
  std::vector<Answer> answers{};
  std::vector<OwnFill> fills{};
  std::vector<MarketTrade> trades{};
  std::vector<std::pair<Nanoseconds, DepthLevel>> bids{};  ///< and when they were seen
  std::vector<Nanoseconds> heard{};                        ///< when answers and fills came

  void on_start(auto& desk) {
    if (shown) static_cast<void>(desk.subscribe(*shown, 3));
    for (std::size_t i = 0; i < script.size(); ++i) desk.wake_at(script[i].time, i);
  }
  void on_timer(auto& desk, std::uint64_t tag) {
    const OwnCommand& command = script[tag];
    switch (command.kind) {
      case OwnCommand::Kind::Add:
        if constexpr (requires { desk.add_reserve(BookNumber{}, Side{}, Price{}, Quantity{}, Quantity{}); }) {
          if (command.peak != 0) {
            static_cast<void>(desk.add_reserve(command.book, command.side, command.price, command.quantity,
                                               command.peak, command.time_in_force));
            break;
          }
        }
        static_cast<void>(
            desk.add(command.book, command.side, command.price, command.quantity, command.time_in_force));
        break;
      case OwnCommand::Kind::Modify:
        static_cast<void>(desk.modify(command.order, command.price, command.quantity));
        break;
      case OwnCommand::Kind::Cancel: static_cast<void>(desk.cancel(command.order)); break;
    }
  }
  void on_market(auto& desk, BookNumber book) { bids.emplace_back(desk.now(), desk.view(book).best(Side::Buy)); }
  void on_trade(auto&, const MarketTrade& trade) { trades.push_back(trade); }
  void on_answer(auto& desk, const Answer& answer) {
    answers.push_back(answer);
    heard.push_back(desk.now());
  }
  void on_fill(auto& desk, const OwnFill& fill) {
    fills.push_back(fill);
    heard.push_back(desk.now());
  }
};

using TapeSimulator = Simulator<Scripted>;

inline SimulatorConfig config_for(std::size_t books, std::size_t capacity = 5'000) {
  SimulatorConfig config;
  config.market = {.books = books, .capacity = capacity};
  config.orders_max = 1'000;
  config.steps_max = 100'000;
  return config;
}

template <class Sim = TapeSimulator>
Sim make_simulator(const SimulatorConfig& config, std::vector<Scripted> strategies) {
  CreateStatus status{};
  return std::move(*Sim::create(config, std::move(strategies), status));
}
template <class Sim = TapeSimulator>
Sim make_simulator(const SimulatorConfig& config, Script script) {
  return make_simulator<Sim>(config, std::vector<Scripted>{Scripted{std::move(script)}});
}
/// A whole run.
template <class Sim = TapeSimulator>
Sim play(const SimulatorConfig& config, std::vector<Scripted> strategies, std::span<const MarketEvent> events) {
  Sim simulator = make_simulator<Sim>(config, std::move(strategies));
  simulator.on_events(events);
  simulator.finish();
  return simulator;
}
template <class Sim = TapeSimulator>
Sim play(const SimulatorConfig& config, Script script, std::span<const MarketEvent> events) {
  return play<Sim>(config, std::vector<Scripted>{Scripted{std::move(script)}}, events);
}

/// Orders around the mid of a made market, that are changed and cancelled later.
inline Script random_script(Random& random, Nanoseconds from, Nanoseconds to, std::size_t orders,
                            BookNumber books) {
  Script script;
  for (OwnOrderId order = 0; order < orders; ++order) {
    const Side side = random.chance(50) ? Side::Buy : Side::Sell;
    const Price away = static_cast<Price>(random.below(9)) - 2;
    OwnCommand add{.time = from + (to - from) * order / orders + random.below(20),
                   .book = static_cast<BookNumber>(random.below(books)),
                   .side = side,
                   .price = market_mid + (side == Side::Buy ? -away : away),
                   .quantity = 1 + random.below(30),
                   .time_in_force = random.chance(60) ? TimeInForce::GoodTillCancel
                                                      : static_cast<TimeInForce>(random.below(4))};
    script.push_back(add);
    if (random.chance(30)) {
      OwnCommand modify = add;
      modify.kind = OwnCommand::Kind::Modify;
      modify.order = order;
      modify.time += random.below((to - from) / 8);
      if (random.chance(50)) modify.price += static_cast<Price>(random.below(3)) - 1;
      modify.quantity = 1 + random.below(30);
      script.push_back(modify);
    }
    if (random.chance(60)) {
      script.push_back(
          {.kind = OwnCommand::Kind::Cancel, .time = add.time + random.below((to - from) / 4), .order = order});
    }
  }
  return script;
}

}  // namespace llmes::test
