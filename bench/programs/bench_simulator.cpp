// SPDX-License-Identifier: MIT
//
// What do own orders cost in a replayed market? One tape is played by the bare books and by simulators whose
// strategy keeps so many orders at rest, window by window in turns, in one run. Each row is compared with the bare
// books of the same round, which take event by event; a row of its own looks ahead over them as simulators do.
// Rows of hypothetical orders play the same windows once more, with so many of them.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "bench/harness/allocation_counter.hpp"
#include "bench/harness/artifact.hpp"
#include "bench/harness/memory.hpp"
#include "bench/harness/program.hpp"
#include "bench/harness/race.hpp"
#include "bench/harness/statistics.hpp"
#include "bench/streams/itch_day.hpp"
#include "examples/support/itch_file.hpp"
#include "llmes/simulator.hpp"

ABSL_FLAG(std::string, tape, "",
          "a file of ITCH 5.0 messages behind their lengths, packed or not, instead of a synthetic day");
ABSL_FLAG(std::uint32_t, messages, 2'000'000, "messages of the synthetic day, or the most of a file");
ABSL_FLAG(std::uint32_t, symbols, 1'000, "symbols of the synthetic day");
ABSL_FLAG(std::vector<std::string>, own, std::vector<std::string>({"0", "1", "10", "1000"}),
          "how many own orders rest: a row for each number");
ABSL_FLAG(std::vector<std::string>, shadows, {},
          "how many hypothetical orders come in the timed windows: a row for each number, after those of --own");
ABSL_FLAG(std::string, impact, "none", "what own orders do to the market: none, or displace");
ABSL_FLAG(std::uint32_t, strategies, 1, "how many strategies a row has, each with its own orders");
ABSL_FLAG(std::uint32_t, rounds, 40, "the windows that the tape is cut into behind its first half, untimed");
ABSL_FLAG(std::uint64_t, seed, 1, "seed of the synthetic day, and of the order in which the rows take turns");
ABSL_FLAG(std::string, out, "", "write the table as JSON to this file");

namespace llmes::bench {
namespace {

struct Tape {
  std::string source;
  std::vector<MarketEvent> events{};
  MarketConfig market{};
};

Tape make_tape() {
  const std::string file = absl::GetFlag(FLAGS_tape);
  Tape tape{.source = file.empty() ? "synthetic" : file};
  ItchEvents feed(PriceGrid::cent);
  const auto take = [&](const MarketEvent& event) { tape.events.push_back(event); };
  std::size_t left = absl::GetFlag(FLAGS_messages);
  tape.market.books = file.empty() ? absl::GetFlag(FLAGS_symbols) : (std::size_t{1} << 16) - 1;
  if (file.empty()) {
    std::fprintf(stderr, "making a day of %zu messages ...\n", left);
    const ItchDay day =
        make_itch_day({.messages = left, .symbols = tape.market.books, .seed = absl::GetFlag(FLAGS_seed)});
    itch::FrameReader reader(day.tape);
    std::array<itch::MessageBytes, 256> messages;
    for (std::span<const itch::MessageBytes> found = messages; !found.empty();) {
      found = reader.read(messages);
      for (const itch::MessageBytes message : found) feed.apply(message, take);
    }
  } else {
    const auto fault = read_itch_file(file, [&](std::span<const itch::MessageBytes> messages) {
      for (const itch::MessageBytes message : messages.first(std::min(messages.size(), left)))
        feed.apply(message, take);
      left -= std::min(messages.size(), left);
      return left > 0;
    });
    if (fault) throw std::runtime_error("cannot read " + *fault);
  }
  feed.finish(take);
  return tape;
}

/// What a bare replay of the tape comes to.
struct Plan {
  const Tape* tape;
  std::vector<std::span<const MarketEvent>> windows{};
  std::vector<std::size_t> resting{};  ///< after each window
  std::span<const MarketEvent> warm_up{};
  /// Where own orders are put, the first ones at the best prices of the busiest books.
  struct Place {
    BookNumber book;
    Side side;
    Price price;
  };
  std::vector<Place> places{};
  /// Hypothetical orders of the timed windows: of the book of an event, at one of its best five prices, for a
  /// minute.
  std::vector<ShadowOrder> shadows{};
};

std::optional<MarketBooks> make_books(const MarketConfig& config) {
  CreateStatus status{};
  std::optional<MarketBooks> books = MarketBooks::create(config, status);
  if (!books) throw std::runtime_error("no memory for the books");
  return books;
}

/// Adds hypothetical orders of one moment to a plan, so many that it has its share of all.
void add_shadows(Plan& plan, const MarketBooks& books, const MarketEvent& event, std::size_t share) {
  for (std::size_t i = plan.shadows.size(); i < share && event.book < books.book_count(); ++i) {
    const Side side = i % 2 == 0 ? Side::Buy : Side::Sell;
    const auto away = static_cast<Price>(i / 2 % 5);
    const Price best = books.best_or(event.book, side, 0);
    if (best == 0) return;
    plan.shadows.push_back({.time = event.time,
                            .cancel_time = event.time + 60'000'000'000,
                            .price = side == Side::Buy ? best - away : best + away,
                            .quantity = 100,
                            .book = event.book,
                            .side = side});
  }
}

Plan make_plan(Tape& tape, std::size_t rounds, std::size_t own, std::size_t shadows) {
  std::int64_t open = 0, peak = 0;
  for (const MarketEvent& event : tape.events) {  // orders leave in more ways than this, so there are fewer
    open += event.type == MarketEventType::Add || event.type == MarketEventType::Modify;
    open -= event.type == MarketEventType::Cancel;
    peak = std::max(peak, open);
  }
  tape.market.capacity = static_cast<std::size_t>(peak) + 1;

  const std::span<const MarketEvent> events = tape.events;
  Plan plan{.tape = &tape};
  plan.warm_up = events.first(events.size() / 2);
  const std::size_t size = (events.size() - plan.warm_up.size()) / rounds;
  if (size == 0) throw std::invalid_argument("--rounds has more windows than the tape has events");
  std::optional<MarketBooks> books = make_books(tape.market);
  std::vector<std::pair<std::size_t, BookNumber>> activity(tape.market.books);
  for (BookNumber book = 0; book < activity.size(); ++book) activity[book].second = book;
  NoDetails none;
  for (const MarketEvent& event : plan.warm_up) {
    static_cast<void>(books->apply(event, none));
    if (event.book < activity.size()) ++activity[event.book].first;
  }
  std::ranges::sort(activity, std::greater{});
  const std::size_t busy = std::min<std::size_t>(activity.size(), 100);
  for (std::size_t i = 0; i < own; ++i) {
    const BookNumber book = activity[i / 2 % busy].second;
    const Side side = i % 2 == 0 ? Side::Buy : Side::Sell;
    const auto away = static_cast<Price>(i / (2 * busy));
    const Price best = books->best_or(book, side, side == Side::Buy ? 100 : 10'000);
    plan.places.push_back({book, side, side == Side::Buy ? best - away : best + away});
  }
  for (std::size_t round = 0; round < rounds; ++round) {
    plan.windows.push_back(events.subspan(plan.warm_up.size() + round * size, size));
    for (const MarketEvent& event : plan.windows.back()) {
      static_cast<void>(books->apply(event, none));
      const auto played = static_cast<std::size_t>(&event - plan.windows.front().data()) + 1;
      add_shadows(plan, *books, event, shadows * played / (rounds * size));
    }
    plan.resting.push_back(books->set().size());
  }
  return plan;
}

/// Keeps its orders at rest: one that has ended comes again, further off if it would trade.
struct KeepResting {
  const Plan* plan;
  std::size_t own;

  void on_start(auto& desk) { desk.wake_at(plan->warm_up.empty() ? 0 : plan->warm_up.back().time); }
  void on_timer(auto& desk, std::uint64_t) {
    for (std::size_t i = 0; i < own; ++i) send(desk, i, plan->places[i].price);
  }
  void on_fill(auto& desk, const OwnFill& fill) {
    const KnownOrder order = desk.order(fill.order);
    if (order.open == 0) send(desk, order.tag, order.price);
  }
  void on_answer(auto& desk, const Answer& answer) {
    if (answer.type != AnswerType::Rejected || answer.reason == OwnReason::Closed) return;
    const KnownOrder order = desk.order(answer.order);
    if (answer.reason == OwnReason::Halted) return;
    const Price step = 1 + order.price / 100;
    send(desk, order.tag, order.side == Side::Buy ? order.price - step : order.price + step);
  }
  void send(auto& desk, std::size_t i, Price price) {
    const Plan::Place& place = plan->places[i];
    static_cast<void>(desk.add(place.book, place.side, price, 100, TimeInForce::PostOnly, i));
  }
};

/// Plays windows on something that takes events.
template <class Player>
class TapeRunner final : public Runner {
 public:
  TapeRunner(const Plan& plan, Player player) : plan_(plan), player_(std::move(player)) {}

  void start() override {
    const HeapPeak peak;
    player_.begin(plan_);
    player_.play(plan_.warm_up);
    peak_bytes_ = peak.bytes();
  }
  Window run(std::size_t index, CounterSource* counters) override {
    const std::uint64_t allocations = allocation_count();
    if (counters != nullptr) counters->start();
    const auto begin = std::chrono::steady_clock::now();
    player_.play(plan_.windows[index]);
    const auto end = std::chrono::steady_clock::now();
    if (counters != nullptr) counters->stop();
    if (player_.resting() != plan_.resting[index]) throw std::runtime_error("the books are not those of the tape");
    return {.seconds = std::chrono::duration<double>(end - begin).count(),
            .events = plan_.windows[index].size(),
            .digest = {},
            .allocations = allocation_count() - allocations};
  }
  [[nodiscard]] std::size_t peak_bytes() const override { return peak_bytes_; }

  [[nodiscard]] const Player& player() const { return player_; }

 private:
  const Plan& plan_;
  Player player_;
  std::size_t peak_bytes_ = 0;
};

struct BareBooks {
  bool looks_ahead = false;
  std::optional<MarketBooks> books{};

  void begin(const Plan& plan) { books = make_books(plan.tape->market); }
  void play(std::span<const MarketEvent> events) {
    NoDetails none;
    const auto take = [&](const MarketEvent& event) { static_cast<void>(books->apply(event, none)); };
    if (looks_ahead) return books->for_each_ahead(events, take);
    for (const MarketEvent& event : events) take(event);
  }
  [[nodiscard]] std::size_t resting() const { return books->set().size(); }
};

template <class Impact>
struct Simulated {
  std::size_t own = 0;
  std::size_t strategies = 1;
  std::optional<Simulator<KeepResting, Impact>> simulator{};

  void begin(const Plan& plan) {
    CreateStatus status{};
    SimulatorConfig config;
    config.market = plan.tape->market;
    config.orders_max = 100'000 + 10 * own;
    config.displaced_stay = 1'000'000'000;
    simulator = Simulator<KeepResting, Impact>::create(
        config, std::vector<KeepResting>(strategies, KeepResting{&plan, own}), status);
    if (!simulator) throw std::runtime_error("no memory for a simulator");
  }
  void play(std::span<const MarketEvent> events) { simulator->on_events(events); }
  [[nodiscard]] std::size_t resting() const { return simulator->market().set().size(); }
};

struct HypotheticalOrders {
  std::size_t count = 0;
  std::optional<Shadows> shadows{};

  void begin(const Plan& plan) {
    CreateStatus status{};
    std::vector<ShadowOrder> orders;
    for (std::size_t i = 0; i < count; ++i) orders.push_back(plan.shadows[i * plan.shadows.size() / count]);
    shadows = Shadows::create({.market = plan.tape->market}, std::move(orders), status);
    if (!shadows) throw std::runtime_error("no memory for hypothetical orders");
  }
  void play(std::span<const MarketEvent> events) { shadows->on_events(events); }
  [[nodiscard]] std::size_t resting() const { return shadows->market().set().size(); }
};

std::vector<std::size_t> numbers_of(const char* flag, const std::vector<std::string>& texts, std::size_t most) {
  std::vector<std::size_t> numbers;
  for (const std::string& text : texts) {
    std::size_t number = 0;
    if (!absl::SimpleAtoi(text, &number) || number > most)
      throw std::invalid_argument(absl::StrFormat("--%s are numbers up to %d, not '%s'", flag, most, text));
    numbers.push_back(number);
  }
  return numbers;
}

void run() {
  const std::string out = absl::GetFlag(FLAGS_out);
  const std::string impact = absl::GetFlag(FLAGS_impact);
  const std::size_t rounds = absl::GetFlag(FLAGS_rounds);
  const std::size_t strategies = absl::GetFlag(FLAGS_strategies);
  if (impact != "none" && impact != "displace")
    throw std::invalid_argument(absl::StrFormat("--impact is none or displace, not '%s'", impact));
  if (rounds == 0 || strategies == 0) throw std::invalid_argument("--rounds and --strategies are at least 1");
  const std::vector<std::size_t> numbers = numbers_of("own", absl::GetFlag(FLAGS_own), 100'000);
  const std::vector<std::size_t> shadows = numbers_of("shadows", absl::GetFlag(FLAGS_shadows), 10'000'000);
  require_elements("own", absl::GetFlag(FLAGS_own), "0,1000");
  require_artifact(out);
  require_memory("messages", absl::GetFlag(FLAGS_messages), [&](std::size_t count) {
    return static_cast<double>(count) *
           (32 + 2 * sizeof(MarketEvent) + 20.0 * static_cast<double>(numbers.size()));
  });

  Tape tape = make_tape();
  const Plan plan = make_plan(tape, rounds, *std::ranges::max_element(numbers),
                              shadows.empty() ? 0 : *std::ranges::max_element(shadows));
  std::vector<Row> rows;
  const auto enter = [&](const std::string& name, std::unique_ptr<Runner> runner) {
    std::fprintf(stderr, "preparing %s ...\n", name.c_str());
    runner->start();
    rows.push_back({name, std::move(runner)});
  };
  enter("bare", std::make_unique<TapeRunner<BareBooks>>(plan, BareBooks{}));
  enter("bare_ahead", std::make_unique<TapeRunner<BareBooks>>(plan, BareBooks{.looks_ahead = true}));
  for (const std::size_t own : numbers) {
    const std::string name = absl::StrFormat("own_%d", own);
    if (impact == "none") {
      enter(name,
            std::make_unique<TapeRunner<Simulated<TapeImpact>>>(plan, Simulated<TapeImpact>{own, strategies}));
    } else {
      enter(name, std::make_unique<TapeRunner<Simulated<DisplaceImpact>>>(
                      plan, Simulated<DisplaceImpact>{own, strategies}));
    }
  }
  for (const std::size_t count : shadows) {
    enter(absl::StrFormat("shadows_%d", count),
          std::make_unique<TapeRunner<HypotheticalOrders>>(plan, HypotheticalOrders{count}));
  }
  race(rows, rounds, absl::GetFlag(FLAGS_seed), nullptr);

  std::printf("\n%s: %zu events, %zu of them timed; impact %s, %zu strategies; %zu orders rest at the end\n\n",
              tape.source.c_str(), tape.events.size(), plan.windows.size() * plan.windows.front().size(),
              impact.c_str(), strategies, plan.resting.back());
  std::printf("%-12s %10s %12s %10s   %-18s %12s %10s\n", "row", "ns/event", "M events/s", "over bare",
              "95 % interval", "allocations", "MiB");
#if LLMES_HAS_JSON
  nlohmann::ordered_json artifact{{"fingerprint", fingerprint()},
                                  {"source", tape.source},
                                  {"events", tape.events.size()},
                                  {"timed", plan.windows.size() * plan.windows.front().size()},
                                  {"impact", impact},
                                  {"strategies", strategies},
                                  {"base", "bare"}};
#endif
  for (const Row& row : rows) {
    const double time = median_interval(row.times()).median;
    const MedianInterval ratio = median_interval(row.ratios_over(rows.front()));
    const double mib = static_cast<double>(row.runner->peak_bytes()) / (1 << 20);
    std::printf("%-12s %10.2f %12.2f %10.3f   %-18s %12llu %10.1f\n", row.book.c_str(), time, 1e3 / time,
                ratio.median, absl::StrFormat("[%.3f, %.3f]", ratio.low, ratio.high).c_str(),
                static_cast<unsigned long long>(row.total().allocations), mib);
#if LLMES_HAS_JSON
    artifact["rows"].push_back({{"row", row.book},
                                {"ns_per_event", time},
                                {"events_per_second", 1e9 / time},
                                {"ratio", ratio.median},
                                {"ratio_lo", ratio.low},
                                {"ratio_hi", ratio.high},
                                {"allocations", row.total().allocations},
                                {"mib", mib},
                                {"times", row.times()},
                                {"ratios", row.ratios_over(rows.front())}});
#endif
  }
#if LLMES_HAS_JSON
  if (!out.empty()) write_artifact(out, artifact);
#endif
}

}  // namespace
}  // namespace llmes::bench

int main(int argc, char** argv) {
  return llmes::bench::run_program(argc, argv,
                                   {.source = __FILE__,
                                    .purpose = "measures what own orders cost in a replayed market",
                                    .example = "--own=0,1000 --impact=displace --out=simulator.json",
                                    .run = llmes::bench::run});
}
