// SPDX-License-Identifier: MIT
//
// Plays a strategy over a file of market data of your own: ITCH 5.0, DBN, LOBSTER, or Bitstamp's order events. It
// makes a market in one symbol, with 50 microseconds to the venue and back, and prints what it earned and why it
// was filled.
#include <array>
#include <charconv>
#include <cstddef>
#include <iostream>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "llmes/simulator.hpp"
#include "support/program.hpp"
#include "support/tape_file.hpp"

namespace {

using namespace llmes;

constexpr std::string_view usage = R"(usage: backtest FILE LOTS [SYMBOL]

Makes a market over a file of market data: an order of LOTS rests at each best price. SYMBOL may be left out of a file
that has one. Prints what it earned in ticks of the file, and why the order of its first fill traded. The file is
ITCH 5.0 (length-prefixed), DBN (schema mbo), a message file of LOBSTER, or Bitstamp's order events (CSV), and may be
packed by gzip or zstd. The symbol of a file of the last two is what stands before the first '_' or '.' of its name.
)";

/// The strategy: replace it by yours.
class JoinBothBests {
 public:
  JoinBothBests(BookNumber book, Quantity lots) : book_(book), lots_(lots) {}

  void on_start(auto& desk) { desk.subscribe(book_); }
  void on_market(auto& desk, BookNumber /*book*/) {
    for (const Side side : {Side::Buy, Side::Sell}) {
      const Price best = desk.view(book_).has_both() ? desk.view(book_).best(side).price : 0;
      OwnOrderId& ours = quotes_[static_cast<std::size_t>(side)];
      const bool is_open = desk.order(ours).is_open();
      if (is_open && desk.order(ours).price == best) continue;
      if (is_open) desk.cancel(ours);
      const std::int64_t held = side == Side::Buy ? desk.position(book_) : -desk.position(book_);
      const bool is_wanted = best != 0 && held < static_cast<std::int64_t>(5 * lots_);
      ours = is_wanted ? desk.add(book_, side, best, lots_, TimeInForce::PostOnly).order : no_order;
    }
  }
  void on_fill(auto& desk, const OwnFill& /*fill*/) { on_market(desk, book_); }

 private:
  BookNumber book_;
  Quantity lots_;
  std::array<OwnOrderId, 2> quotes_{no_order, no_order};
};

int run(const std::string& path, Quantity lots, std::string_view symbol) {
  const TapeSurvey needs = survey_tape(path);
  SimulatorConfig config;
  config.market = {.books = needs.books, .capacity = needs.resting};
  const Delay delay(50'000);
  config.latencies = {.feed = delay, .entry = delay, .modify = delay, .cancel = delay, .response = delay};
  config.orders_max = 1'000'000;
  config.steps_max = 1'000'000;

  CreateStatus status{};
  auto simulator =
      Simulator<JoinBothBests>::create(config, {JoinBothBests(needs.book_of(symbol, path), lots)}, status);
  if (!simulator) throw std::runtime_error("cannot make a simulator: " + std::string(to_string(status)));
  const auto take = [&](const MarketEvent& event) { simulator->on_event(event); };
  const TapeReader tape = play_tape(path, needs.books, needs.tick, take);
  simulator->finish();

  const auto& result = simulator->run(0);
  std::cout << path << ": " << tape.format_words() << ", " << tape.counts().events << " events, a tick is "
            << needs.tick << " of the format's units\n"
            << to_string(summarize(result));
  if (!result.fills().empty()) std::cout << why(result, result.fills().front().order, 6, needs.words());
  return 0;
}

/// A whole number above 0.
Quantity lots_of(const std::string& text) {
  Quantity lots = 0;
  const char* const end = text.data() + text.size();
  const auto [read, error] = std::from_chars(text.data(), end, lots);
  if (error != std::errc{} || read != end || lots == 0 || lots > lots_max)
    throw std::runtime_error("LOTS is '" + text + "', and not a whole number from 1 on");
  return lots;
}

}  // namespace

int main(int argc, char** argv) {
  return run_program(argc, argv, {"backtest", usage, "a file, lots, and a symbol", 2, 3},
                     [](std::span<const std::string> arguments) {
                       return run(arguments[0], lots_of(arguments[1]),
                                  arguments.size() > 2 ? arguments[2] : std::string());
                     });
}
