// SPDX-License-Identifier: MIT
//
// How long does a command to a venue take that sets off thousands of others? The scenarios take turns, round by
// round.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/str_format.h"
#include "bench/harness/artifact.hpp"
#include "bench/harness/memory.hpp"
#include "bench/harness/program.hpp"
#include "bench/harness/statistics.hpp"
#include "llmes/venue.hpp"
#if LLMES_HAS_JSON
#include <nlohmann/json.hpp>
#endif

ABSL_FLAG(std::uint32_t, rounds, 50, "how often each scenario runs, after one untimed run");
ABSL_FLAG(std::uint32_t, stops, 1'000, "stops that fire in one command");
ABSL_FLAG(std::uint32_t, orders, 10'000, "orders that expire in one command");
ABSL_FLAG(std::string, out, "", "write the table as JSON to this file");

namespace llmes::bench {
namespace {

/// A venue of one book, with a command that sets off many.
class Scenario {
 public:
  Scenario(const char* name, std::uint32_t items) : name_(name), items_(items) {
    if (items == 0) throw std::invalid_argument(absl::StrFormat("--%s must be at least 1", name));
    std::optional<Venue<>> venue =
        Venue<>::create({.books = {.max_books = 1, .capacity = items + 1u, .far_levels = items + 1u},
                         .accounts = 2,
                         .holdings = 2,
                         .stops = items,
                         .lifetimes = items});
    if (!venue) throw std::runtime_error("not enough memory for a venue");
    venue_ = std::make_unique<Venue<>>(std::move(*venue));
  }
  virtual ~Scenario() = default;

  /// Prepares the venue, and times the command. Returns nanoseconds for each item.
  double run() {
    prepare();
    const auto begin = std::chrono::steady_clock::now();
    send(command());
    const auto end = std::chrono::steady_clock::now();
    if (!right())
      throw std::runtime_error(absl::StrFormat("%s: the command did not set off what it should", name_));
    return std::chrono::duration<double, std::nano>(end - begin).count() / items_;
  }

  [[nodiscard]] const char* name() const { return name_; }
  [[nodiscard]] std::uint32_t items() const { return items_; }
  std::vector<double> times;

 protected:
  virtual void prepare() = 0;
  virtual VenueCommand command() = 0;
  /// Whether the last command did its work.
  [[nodiscard]] virtual bool right() const = 0;

  void send(VenueCommand command) {
    command.time = now_;
    reports_ = 0;
    venue_->apply(command, ++sequence_, [this](const VenueReport& report) {
      ++reports_;
      last_ = report;
    });
    if (last_.status != VenueStatus::Success)
      throw std::runtime_error(absl::StrFormat("%s: a command was refused", name_));
  }
  void limit(AccountNumber account, Side side, Price price, VenueCommand rest = {}) {
    rest.account = account;
    rest.id = ++id_;
    rest.side = side;
    rest.price = price;
    rest.quantity = 1;
    send(rest);
  }

  std::unique_ptr<Venue<>> venue_;
  std::uint64_t reports_ = 0;  ///< of the last command
  VenueReport last_{};
  Nanoseconds now_ = 1;

 private:
  const char* name_;
  std::uint32_t items_;
  std::uint64_t sequence_ = 0;
  OrderId id_ = 0;
};

/// Each stop buys the next price, which fires the next stop.
class Cascade : public Scenario {
 public:
  Cascade() : Scenario("stops", absl::GetFlag(FLAGS_stops)) {}

 private:
  void prepare() override {
    limit(1, Side::Sell, 0);  // the last trade is below all triggers
    limit(2, Side::Buy, 0);
    for (std::uint32_t i = 1; i <= items() + 1; ++i) limit(1, Side::Sell, Price{i});
    for (std::uint32_t i = 0; i < items(); ++i) {
      // Not in the order of their triggers; 7,919 is a prime.
      const auto trigger = static_cast<Price>(1 + std::uint64_t{i} * 7'919 % items());
      limit(2, Side::Buy, 0,
            {.trigger = trigger, .type = VenueCommandType::AddMarket, .stop = StopTrigger::LastTrade});
    }
  }
  VenueCommand command() override {
    return {.id = ~OrderId{0}, .price = 1, .quantity = 1, .account = 2, .type = VenueCommandType::AddLimit};
  }
  [[nodiscard]] bool right() const override { return last_.fired == items() && venue_->book().book().size() == 0; }
};

/// All orders of a book expire, at a thousand times.
class Expiring : public Scenario {
 public:
  Expiring() : Scenario("orders", absl::GetFlag(FLAGS_orders)) {}

 private:
  void prepare() override {
    for (std::uint32_t i = 0; i < items(); ++i) {
      limit(1, Side::Buy, Price{i % 100},
            {.expiry = now_ + 1 + std::uint64_t{i} * 7'919 % 1'000, .lifetime = Lifetime::UntilTime});
    }
    now_ += 1'000;
  }
  VenueCommand command() override { return {.type = VenueCommandType::Advance}; }
  [[nodiscard]] bool right() const override {
    return reports_ == items() + 1u && venue_->book().book().size() == 0;
  }
};

void run() {
  const std::uint32_t rounds = absl::GetFlag(FLAGS_rounds);
  if (rounds == 0) throw std::invalid_argument("--rounds must be at least 1");
  require_artifact(absl::GetFlag(FLAGS_out));
  // The times of all rounds are kept, and copied to take their medians.
  require_memory("rounds", rounds,
                 [](std::size_t count) { return static_cast<double>(count) * 4 * sizeof(double); });
  std::vector<std::unique_ptr<Scenario>> scenarios;
  scenarios.push_back(std::make_unique<Cascade>());
  scenarios.push_back(std::make_unique<Expiring>());
  for (const auto& scenario : scenarios) (void)scenario->run();
  for (std::uint32_t round = 0; round < rounds; ++round) {
    for (const auto& scenario : scenarios) scenario->times.push_back(scenario->run());
  }
  std::printf("%-10s %10s %28s\n", "set off", "each time", "ns each [95 % interval]");
  for (const auto& scenario : scenarios) {
    const MedianInterval ns = median_interval(scenario->times);
    std::printf("%-10s %10u %28s\n", scenario->name(), scenario->items(),
                absl::StrFormat("%.0f [%.0f, %.0f]", ns.median, ns.low, ns.high).c_str());
  }
#if LLMES_HAS_JSON
  if (const std::string path = absl::GetFlag(FLAGS_out); !path.empty()) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const auto& scenario : scenarios) {
      const MedianInterval ns = median_interval(scenario->times);
      rows.push_back({{"set_off", scenario->name()},
                      {"items", scenario->items()},
                      {"ns_each", ns.median},
                      {"ns_low", ns.low},
                      {"ns_high", ns.high},
                      {"rounds", scenario->times}});
    }
    write_artifact(path, {{"fingerprint", fingerprint()}, {"rows", rows}});
  }
#endif
}

}  // namespace
}  // namespace llmes::bench

int main(int argc, char** argv) {
  return llmes::bench::run_program(argc, argv,
                                   {.source = __FILE__,
                                    .purpose = "times commands to a venue that set off many others",
                                    .example = "--rounds=200 --stops=1000 --out=venue.json",
                                    .run = llmes::bench::run});
}
