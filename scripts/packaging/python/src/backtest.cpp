// SPDX-License-Identifier: MIT
#include "backtest.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "words.hpp"

namespace llmes::python {

namespace {

Selection select(const Survey& survey, const BacktestConfig& config) {
  if (config.tick < 0) throw std::invalid_argument("tick: a price above 0");
  if (config.lot == 0) throw std::invalid_argument("lot: 1 or more");
  Selection selection = survey.select(config.symbols, config.tick);
  if (selection.names.empty()) throw std::invalid_argument("the file has no orders");
  return selection;
}

/// A whole number of units; refuses one that would be another fee by more than a millionth of it.
std::int64_t units_of(double number, const char* part, double fee) {
  if (!(std::abs(number) < 9e15)) throw std::invalid_argument("fees: no number, or too large");
  const auto whole = static_cast<std::int64_t>(std::llround(number));
  if (std::abs(static_cast<double>(whole) - number) <= 1e-6 * std::abs(number)) return whole;
  std::ostringstream words;
  words << "fees: " << part << ' ' << fee << " is finer than fees are counted here; the next is "
        << fee * (number < 0 ? std::floor(number) : std::ceil(number)) / number;
  throw std::invalid_argument(words.str());
}
FeeRate fee_of(const std::array<double, 3>& fee, Price step) {
  constexpr double million = 1e6;
  const double unit = million / static_cast<double>(step);  // of money, in micro-units
  const std::int64_t notional = units_of(fee[1] * million, "per_notional", fee[1]);
  return {.per_lot = units_of(fee[0] * unit, "per_lot", fee[0]),
          .per_notional = notional / 1'000'000,
          .per_order = units_of(fee[2] * unit, "per_order", fee[2]),
          .per_notional_part = static_cast<std::int32_t>(notional % 1'000'000)};
}
Delay delay_of(const DelaySeries& delay) {
  return delay.as_received ? Delay::as_received() : Delay(std::span(delay.series));
}
/// Orders that were displaced rest longer than in the file, so a market with them has more room.
constexpr std::size_t displaced_max = 2'500'000;

/// What a simulator is told.
SimulatorConfig simulator_config(const BacktestConfig& config, const Selection& selection) {
  const auto& delays = config.delays;
  return {
      .market = market_config(selection,
                              config.displace ? std::max(selection.resting, displaced_max) : selection.resting),
      .latencies = {.feed = delay_of(delays[0]),
                    .entry = delay_of(delays[1]),
                    .modify = delay_of(delays[2]),
                    .cancel = delay_of(delays[3]),
                    .response = delay_of(delays[4])},
      .fees = {.maker = fee_of(config.fees[0], selection.step), .taker = fee_of(config.fees[1], selection.step)},
      .tick = std::max<Price>(config.tick / selection.step, 1),
      .lot = config.lot,
      .orders_max = config.own_orders,
      .steps_max = config.steps,
      .auctions = config.fills_in_auctions ? AuctionFills::AtPrint : AuctionFills::None,
      .equity_every = config.equity_every,
      .displaced_stay = config.stay};
}
template <class Made>
std::optional<Made> made(std::optional<Made>&& made, CreateStatus status) {
  if (made) return std::move(made);
  if (status == CreateStatus::OutOfMemory) throw std::bad_alloc();
  throw std::invalid_argument("this market cannot be made: " + std::string(to_string(status)));
}
template <class Market>
StatusCounts refused_by(const Market& market) {
  StatusCounts counts{};
  for (std::size_t i = 1; i < counts.size(); ++i) counts[i] = market.count_of(static_cast<MarketStatus>(i));
  return counts;
}

/// The words of a story, with the names and prices of the file.
struct StoryWords {
  const Selection& selection;

  [[nodiscard]] std::string time(Nanoseconds time) const { return clock_of(selection.format, time); }
  [[nodiscard]] std::string price(Price price) const {
    return is_at_any_price(price) ? "any price" : std::to_string(price * selection.step);
  }
  [[nodiscard]] std::string book(BookNumber book) const { return selection.names[book]; }
  [[nodiscard]] std::string order(BookNumber book, OrderId id) const {
    return std::to_string(selection.id_of(book, id));
  }
};

template <class Impact>
class SimulationOf final : public Simulation {
 public:
  SimulationOf(const SimulatorConfig& config, const Selection& selection, std::vector<StrategyCalls> strategies)
      : selection_(selection) {
    CreateStatus status{};
    simulator_ = made(Simulator<StrategyCalls, Impact>::create(config, std::move(strategies), status), status);
  }

  void feed(TapeFeed& feed, std::span<const std::byte> bytes, const bool& goes_on) override {
    feed.feed(bytes, selection_, player(goes_on));
  }
  void finish(TapeFeed& feed, const bool& goes_on) override {
    feed.finish(selection_, player(goes_on));
    simulator_->finish();
  }
  void stop() override { simulator_->finish(); }

  [[nodiscard]] Table orders(std::size_t strategy) const override {
    using enum ColumnKind;
    const ColumnKind time = selection_.time_kind();
    Table table{{Column("order"),        {"symbol", Category},
                 {"side", Category},     Column("price"),
                 Column("lots"),         Column("filled"),
                 Column("open"),         {"time_in_force", Category},
                 {"state", Category},    {"reason", Category},
                 {"sent", time},         {"arrived", time},
                 {"ended", time},        Column("arrived_record"),
                 Column("ended_record"), Column("ahead_lots"),
                 Column("ahead_orders"), Column("tag"),
                 Column("last_price"),   Column("last_lots")}};
    const auto price_of = [&](Price price) {
      return is_at_any_price(price) ? Column::none : price * selection_.step;
    };
    for (const OwnOrder& order : run(strategy).orders().all()) {
      const bool came = order.state != OwnOrderState::Sent;
      const bool has_ended = order.state > OwnOrderState::Resting;
      const auto if_there = [](bool there, std::uint64_t number) {
        return there ? static_cast<std::int64_t>(number) : Column::none;
      };
      Row(table) << std::uint64_t{order.id} << std::string_view(selection_.names[order.book])
                 << word_of(order.side) << price_of(order.sent_price) << order.sent_quantity << order.filled
                 << order.open << word_of(order.time_in_force) << to_string(order.state)
                 << (order.reason == OwnReason::None ? std::string_view() : to_string(order.reason)) << order.sent
                 << if_there(came, order.arrived) << if_there(has_ended, order.ended)
                 << if_there(came, order.arrived_record) << if_there(has_ended, order.ended_record)
                 << if_there(came, order.at_entry.quantity) << if_there(came, order.at_entry.order_count)
                 << order.tag << price_of(order.price) << order.quantity;
    }
    return table;
  }

  [[nodiscard]] Table fills(std::size_t strategy) const override {
    using enum ColumnKind;
    Table table{{{"time", selection_.time_kind()},
                 Column("record"),
                 Column("order"),
                 {"symbol", Category},
                 {"side", Category},
                 Column("price"),
                 Column("lots"),
                 {"cause", Category},
                 {"maker", Category},
                 {"fee", Real},
                 Column("ahead_lots"),
                 Column("other"),
                 {"mid", Real},
                 {"mid_later", Real}}};
    const auto mid = [&](bool is_known, Price twice) {
      return is_known ? static_cast<double>(twice) / 2 * static_cast<double>(selection_.step)
                      : std::numeric_limits<double>::quiet_NaN();
    };
    const auto& trader = run(strategy);
    for (const OwnFill& fill : trader.fills()) {
      const BookNumber book = trader.orders()[fill.order].book;
      Row(table) << fill.time << fill.record << std::uint64_t{fill.order}
                 << std::string_view(selection_.names[book]) << word_of(fill.side) << fill.price * selection_.step
                 << fill.quantity << to_string(fill.cause) << std::string_view(fill.is_maker() ? "yes" : "no")
                 << money_of(fill.fee, selection_.step) << fill.ahead.quantity
                 << (fill.other == 0 ? Column::none
                                     : static_cast<std::int64_t>(selection_.id_of(book, fill.other)))
                 << mid(fill.has_mid, fill.mid2) << mid(fill.has_mid_later, fill.mid2_later);
    }
    return table;
  }

  [[nodiscard]] Table equity(std::size_t strategy) const override {
    Table table{{{"time", selection_.time_kind()}, {"value", ColumnKind::Real}}};
    for (const Equity& equity : run(strategy).equity())
      Row(table) << equity.time << money_of(equity.value, selection_.step);
    return table;
  }

  [[nodiscard]] std::map<std::string, double> summary(std::size_t strategy) const override {
    const Summary all = summarize(run(strategy));
    const auto step = static_cast<double>(selection_.step);
    const auto number = [](auto value) { return static_cast<double>(value); };
    return {{"orders", number(all.orders)},
            {"rejected", number(all.rejected)},
            {"orders_filled", number(all.orders_filled)},
            {"lots_ordered", number(all.lots_ordered)},
            {"lots_made", number(all.lots_made)},
            {"lots_taken", number(all.lots_taken)},
            {"fill_rate", all.fill_rate()},
            {"spread_captured", all.spread_captured() * step},
            {"adverse_selection", all.adverse_selection() * step},
            {"median_wait", number(all.median_wait)},
            {"fees", money_of(all.fees, selection_.step)},
            {"result", money_of(all.result, selection_.step)},
            {"lots_more", number(all.divergence.lots_more)},
            {"lots_fewer", number(all.divergence.lots_fewer)},
            {"levels", number(all.divergence.levels)},
            {"lots_peak", number(all.divergence.lots_peak)},
            {"displayed_taken", number(all.divergence.taken)}};
  }

  [[nodiscard]] std::map<std::string, std::int64_t> positions(std::size_t strategy) const override {
    std::map<std::string, std::int64_t> positions;
    for (BookNumber book = 0; book < selection_.names.size(); ++book) {
      const std::int64_t lots = run(strategy).position(book);
      if (lots != 0) positions[selection_.names[book]] = lots;
    }
    return positions;
  }
  [[nodiscard]] std::string why(std::size_t strategy, std::uint64_t order, std::size_t steps) const override {
    if (order >= run(strategy).orders().size())
      throw std::out_of_range("there is no own order " + std::to_string(order));
    return llmes::why(run(strategy), static_cast<OwnOrderId>(order), steps, StoryWords{selection_});
  }
  [[nodiscard]] StatusCounts refused() const override { return refused_by(*simulator_); }
  [[nodiscard]] bool has_subscribed(std::size_t strategy) const override {
    return !run(strategy).subscribed().empty();
  }

 private:
  [[nodiscard]] const auto& run(std::size_t strategy) const { return simulator_->run(strategy); }
  [[nodiscard]] auto player(const bool& goes_on) {
    return [this, &goes_on](std::span<const MarketEvent> events) {
      simulator_->market().for_each_ahead(events, [&](const MarketEvent& event) {
        if (goes_on) simulator_->on_event(event);
      });
    };
  }

  const Selection& selection_;
  std::optional<Simulator<StrategyCalls, Impact>> simulator_;
};

}  // namespace

Backtest::Backtest(const Survey& survey, BacktestConfig config)
    : config_(std::move(config)), selection_(select(survey, config_)), feed_(selection_.step) {}

void Backtest::begin(const std::vector<Strategy*>& strategies) {
  std::vector<StrategyCalls> calls;
  for (Strategy* const strategy : strategies) calls.emplace_back(*strategy);
  const SimulatorConfig config = simulator_config(config_, selection_);
  if (config_.displace) {
    simulation_ = std::make_unique<SimulationOf<DisplaceImpact>>(config, selection_, std::move(calls));
  } else {
    simulation_ = std::make_unique<SimulationOf<TapeImpact>>(config, selection_, std::move(calls));
  }
}

// ---- Shadows

ShadowPass::ShadowPass(const Survey& survey, BacktestConfig config, const ShadowColumns& orders)
    : config_(std::move(config)), selection_(select(survey, config_)), feed_(selection_.step) {
  const std::size_t count = orders.codes.size();
  for (const std::size_t other : {orders.sides.size(), orders.times_in_force.size(), orders.times.size(),
                                  orders.cancel_times.size(), orders.prices.size(), orders.lots.size()}) {
    if (other != count) throw std::invalid_argument("the columns of the orders have different lengths");
  }
  std::vector<BookNumber> numbers;  // by code
  for (const std::string& symbol : orders.symbols) {
    const auto at = std::ranges::find(selection_.names, symbol);
    numbers.push_back(static_cast<BookNumber>(at - selection_.names.begin()));
  }
  std::vector<ShadowOrder> all(count);
  books_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (orders.prices[i] % selection_.step != 0) {
      throw std::invalid_argument("order " + std::to_string(i) + ": the price " +
                                  std::to_string(orders.prices[i]) + " is no multiple of the tick, which is " +
                                  std::to_string(selection_.step));
    }
    books_[i] = numbers.at(orders.codes[i]);
    all[i] = {.time = orders.times[i],
              .cancel_time = orders.cancel_times[i],
              .price = orders.prices[i] / selection_.step,
              .quantity = orders.lots[i],
              .book = books_[i],
              .side = static_cast<Side>(orders.sides[i]),
              .time_in_force = static_cast<TimeInForce>(orders.times_in_force[i])};
  }
  CreateStatus status{};
  shadows_ = made(Shadows::create(simulator_config(config_, selection_), std::move(all), status), status);
}

void ShadowPass::feed(std::span<const std::byte> bytes) {
  feed_.feed(bytes, selection_, [this](std::span<const MarketEvent> events) { play(events); });
}
void ShadowPass::finish() {
  feed_.finish(selection_, [this](std::span<const MarketEvent> events) { play(events); });
  shadows_->finish();
}
void ShadowPass::play(std::span<const MarketEvent> events) {
  shadows_->on_events(events);
}

Table ShadowPass::results() const {
  using enum ColumnKind;
  const ColumnKind time = selection_.time_kind();
  Table table{{Column("filled"),
               Column("taken"),
               {"price", Real},
               {"state", Category},
               {"reason", Category},
               {"arrived", time},
               {"ended", time},
               Column("ahead_lots"),
               Column("ahead_orders"),
               {"first_fill", time},
               {"last_fill", time},
               Column("first_record"),
               Column("last_record"),
               {"first_cause", Category},
               {"last_cause", Category},
               Column("other")}};
  std::size_t i = 0;
  for (const Shadow& shadow : shadows_->results()) {
    const bool is_right = shadow.sent == SendStatus::Success;
    const bool came = is_right && shadow.state != OwnOrderState::Sent;
    const bool has_ended = is_right && shadow.state > OwnOrderState::Resting;
    const bool is_filled = shadow.filled != 0;
    const auto if_there = [](bool there, std::uint64_t number) {
      return there ? static_cast<std::int64_t>(number) : Column::none;
    };
    const auto cause = [&](FillCause cause) { return is_filled ? to_string(cause) : std::string_view(); };
    const bool has_reason = shadow.reason != OwnReason::None;
    const double mean = static_cast<double>(shadow.paid * selection_.step) / static_cast<double>(shadow.filled);
    Row(table) << shadow.filled << shadow.taken << (is_filled ? mean : std::numeric_limits<double>::quiet_NaN())
               << (is_right ? to_string(shadow.state) : std::string_view("not sent"))
               << (!is_right    ? to_string(shadow.sent)
                   : has_reason ? to_string(shadow.reason)
                                : std::string_view())
               << if_there(came, shadow.arrived) << if_there(has_ended, shadow.ended)
               << if_there(came, shadow.at_entry.quantity) << if_there(came, shadow.at_entry.order_count)
               << if_there(is_filled, shadow.first_fill) << if_there(is_filled, shadow.last_fill)
               << if_there(is_filled, shadow.first_record) << if_there(is_filled, shadow.last_record)
               << cause(shadow.first_cause) << cause(shadow.last_cause)
               << if_there(shadow.other != 0, selection_.id_of(books_[i++], shadow.other));
  }
  return table;
}
Faults ShadowPass::faults() const {
  return faults_of(refused_by(*shadows_), selection_.feed);
}

}  // namespace llmes::python
