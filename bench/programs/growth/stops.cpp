// SPDX-License-Identifier: MIT
#include "bench/programs/growth/stops.hpp"

#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "bench/contenders/map_stops.hpp"
#include "bench/harness/replay.hpp"
#include "bench/streams/random.hpp"
#include "llmes/venue.hpp"

namespace llmes::bench {
namespace {

template <class Stops>
Stops make_stops(std::size_t count) {
  if constexpr (std::is_same_v<Stops, StopOrders>) {
    CreateStatus status{};
    std::optional<StopOrders> stops = StopOrders::create({.books = 1, .capacity = count}, status);
    if (!stops) throw std::runtime_error("the stops could not be made: too little memory?");
    return std::move(*stops);
  } else {
    return {};
  }
}

template <class Stops>
class StopsRunner : public Runner {
 public:
  StopsRunner(std::size_t count, std::uint64_t seed)
      : count_(count), random_(seed), stops_(make_stops<Stops>(count)) {}

  [[nodiscard]] std::size_t peak_bytes() const override { return 0; }

 protected:
  void add(OrderId id, Side side, Price trigger) {
    const VenueCommand stop{.id = id,
                            .quantity = 1,
                            .trigger = trigger,
                            .type = VenueCommandType::AddMarket,
                            .side = side,
                            .stop = StopTrigger::LastTrade};
    if (stops_.add(stop, {.last = middle()}) != VenueStatus::Success)
      throw std::runtime_error("a stop was refused");
  }
  [[nodiscard]] std::optional<VenueCommand> next(Price last) { return stops_.next(0, {.last = last}); }
  /// All buys wait above, all sells below.
  [[nodiscard]] Price middle() const { return static_cast<Price>(2 * count_); }
  [[nodiscard]] Price trigger(Side side) {
    const auto away = static_cast<Price>(100 + random_.below(count_));
    return side == Side::Buy ? middle() + away : middle() - away;
  }

  std::size_t count_;
  Random random_;
  Stops stops_;
};

template <class Stops>
class FiringStops final : public StopsRunner<Stops> {
 public:
  using StopsRunner<Stops>::StopsRunner;

  void start() override {}
  Window run(std::size_t /*index*/, CounterSource* counters) override {
    for (OrderId id = 0; id < this->count_; ++id) this->add(id, Side::Buy, this->trigger(Side::Buy));
    const Window window = timed(this->count_, counters, [this](Digest& digest) {
      std::size_t fired = 0;
      for (Price last = this->middle(); fired < this->count_; ++last) {
        while (this->next(last)) ++fired;
      }
      digest.misses += this->next(2 * this->middle()).has_value();
    });
    if (window.digest.misses != 0) throw std::runtime_error("a stop did not fire");
    return window;
  }
};

template <class Stops>
class WaitingStops final : public StopsRunner<Stops> {
 public:
  using StopsRunner<Stops>::StopsRunner;

  void start() override {
    for (OrderId id = 0; id < this->count_; ++id) add_another(id);
  }
  Window run(std::size_t /*index*/, CounterSource* counters) override {
    return timed(this->count_, counters, [this](Digest& digest) {
      for (std::size_t i = 0; i < this->count_; ++i) {
        const auto away = static_cast<Price>(this->random_.below(100));
        digest.misses += this->next(this->middle() + away - 50).has_value();
        if (i % 10 != 9) continue;
        const OrderId id = this->random_.below(this->count_);
        digest.misses += !this->stops_.cancel(id).has_value();
        add_another(id);
      }
    });
  }

 private:
  void add_another(OrderId id) {
    const Side side = this->random_.side();
    this->add(id, side, this->trigger(side));
  }
};

template <template <class> class RunnerOf>
std::unique_ptr<Runner> enter(StopsIn kind, std::size_t stops, std::uint64_t seed) {
  if (kind == StopsIn::Multimaps) return std::make_unique<RunnerOf<MapStops>>(stops, seed);
  return std::make_unique<RunnerOf<StopOrders>>(stops, seed);
}

}  // namespace

std::unique_ptr<Runner> enter_firing_stops(StopsIn kind, std::size_t stops, std::uint64_t seed) {
  return enter<FiringStops>(kind, stops, seed);
}

std::unique_ptr<Runner> enter_waiting_stops(StopsIn kind, std::size_t stops, std::uint64_t seed) {
  return enter<WaitingStops>(kind, stops, seed);
}

}  // namespace llmes::bench
