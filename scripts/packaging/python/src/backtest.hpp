// SPDX-License-Identifier: MIT
//
// Strategies in a tape, played piece by piece, and their results as tables.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "llmes/simulator.hpp"
#include "strategy.hpp"
#include "table.hpp"
#include "tape.hpp"

namespace llmes::python {

/// How long messages of one kind are on their way: a series that repeats, of one element or more; none for no
/// time.
struct DelaySeries {
  std::vector<std::uint64_t> series{};
  bool as_received = false;
};

/// Prices, money and ticks are in units of the file.
struct BacktestConfig {
  std::set<std::string> symbols{};      ///< all if empty
  std::array<DelaySeries, 5> delays{};  ///< feed, entry, modify, cancel, response
  std::array<std::array<double, 3>, 2>
      fees{};      ///< of maker and taker: per lot, millionths of what is paid, per order
  Price tick = 0;  ///< own prices are multiples of it; 0: of the step of all prices
  Quantity lot = 1;
  bool displace = false;
  bool fills_in_auctions = false;
  std::uint64_t stay = 0;  ///< nanoseconds for which displaced orders stay
  std::uint64_t equity_every = 0;
  std::size_t own_orders = 0;  ///< the most that a strategy sends
  std::size_t steps = 0;       ///< the most entries of the stories of a strategy's orders
};

/// A run of a `Simulator` of any impact.
class Simulation {
 public:
  virtual ~Simulation() = default;
  /// Plays the next bytes of the file, while `goes_on` is true.
  virtual void feed(TapeFeed& feed, std::span<const std::byte> bytes, const bool& goes_on) = 0;
  virtual void finish(TapeFeed& feed, const bool& goes_on) = 0;
  /// Ends without more events.
  virtual void stop() = 0;

  [[nodiscard]] virtual Table orders(std::size_t strategy) const = 0;
  [[nodiscard]] virtual Table fills(std::size_t strategy) const = 0;
  [[nodiscard]] virtual Table equity(std::size_t strategy) const = 0;
  [[nodiscard]] virtual std::map<std::string, double> summary(std::size_t strategy) const = 0;
  [[nodiscard]] virtual std::map<std::string, std::int64_t> positions(std::size_t strategy) const = 0;
  [[nodiscard]] virtual std::string why(std::size_t strategy, std::uint64_t order, std::size_t steps) const = 0;
  /// How many events of the tape were refused, by `MarketStatus`.
  [[nodiscard]] virtual StatusCounts refused() const = 0;
  /// Whether a strategy has subscribed to a symbol. Without, it is told of no market and no trade.
  [[nodiscard]] virtual bool has_subscribed(std::size_t strategy) const = 0;
};

/// The unit of money of the simulator is a millionth of a tick times lot; that of a file is a price times lot.
[[nodiscard]] inline double money_of(Amount amount, Price step) noexcept {
  return static_cast<double>(amount * step) / 1e6;
}

/// Plays a tape with strategies in it. Throws std::invalid_argument for a wrong number or an unknown symbol.
class Backtest {
 public:
  Backtest(const Survey& survey, BacktestConfig config);

  [[nodiscard]] const Selection& selection() const noexcept { return selection_; }
  /// The strategies, which must outlive this object. Called once, before the first bytes.
  void begin(const std::vector<Strategy*>& strategies);

  void feed(std::span<const std::byte> bytes) { simulation_->feed(feed_, bytes, goes_on_); }
  void finish() { simulation_->finish(feed_, goes_on_); }
  /// Nothing more is played; called by a strategy, too.
  void stop() noexcept { goes_on_ = false; }
  /// Ends after a stop or a fault.
  void end() { simulation_->stop(); }

  [[nodiscard]] const Simulation& simulation() const { return *simulation_; }
  [[nodiscard]] Faults faults() const { return faults_of(simulation_->refused(), selection_.feed); }

 private:
  BacktestConfig config_;  ///< the series of delays are in use
  Selection selection_;
  TapeFeed feed_;
  std::unique_ptr<Simulation> simulation_;
  bool goes_on_ = true;
};

/// Hypothetical orders, a column for each of their numbers.
struct ShadowColumns {
  std::vector<std::string> symbols{};  ///< that the codes stand for
  std::span<const std::uint32_t> codes{};
  std::span<const std::uint8_t> sides{};
  std::span<const std::uint8_t> times_in_force{};
  std::span<const std::uint64_t> times{};
  std::span<const std::uint64_t> cancel_times{};
  std::span<const std::int64_t> prices{};
  std::span<const std::uint64_t> lots{};
};

/// Plays a tape with hypothetical orders, each as if alone. Of the configuration it reads no fees, and what
/// `Shadows` reads.
class ShadowPass {
 public:
  ShadowPass(const Survey& survey, BacktestConfig config, const ShadowColumns& orders);

  void feed(std::span<const std::byte> bytes);
  void finish();
  /// A row for each order.
  [[nodiscard]] Table results() const;
  [[nodiscard]] Faults faults() const;

 private:
  void play(std::span<const MarketEvent> events);

  BacktestConfig config_;
  Selection selection_;
  TapeFeed feed_;
  std::optional<Shadows> shadows_;
  std::vector<BookNumber> books_;  ///< of the orders
};

}  // namespace llmes::python
