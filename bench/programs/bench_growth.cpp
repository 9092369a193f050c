// SPDX-License-Identifier: MIT
//
// How does the time of an operation grow with the number of resting orders, or with the width of the band? Every
// book of every size takes turns with all others, batch by batch, in one run.
//
// By orders: the books play the macro stream in a band of 4,096 prices, and each is compared with itself at about
// 1,000 orders. By levels: the core plays streams in which every price of its band is equally likely, and
// re-centres its band there and back after each batch. By cancels: all orders of an owner leave a book with rules,
// one by one or in one call. By stops: they fire or wait, in `StopOrders` and in two multimaps.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "bench/contenders/registry.hpp"
#include "bench/harness/artifact.hpp"
#include "bench/harness/memory.hpp"
#include "bench/harness/program.hpp"
#include "bench/harness/race.hpp"
#include "bench/harness/statistics.hpp"
#include "bench/programs/growth/band.hpp"
#include "bench/programs/growth/cancels.hpp"
#include "bench/programs/growth/stops.hpp"
#include "bench/streams/spread.hpp"

ABSL_FLAG(
    std::string, by, "orders",
    "what grows: 'orders' for resting orders, 'levels' for the width of the band, 'cancels' for the orders that "
    "leave together, 'stops' for those that fire or wait");
ABSL_FLAG(std::vector<std::string>, sizes,
          std::vector<std::string>({"100", "1000", "10000", "100000", "1000000", "4000000"}),
          "by orders, cancels or stops: the numbers of these");
ABSL_FLAG(std::vector<std::string>, books, std::vector<std::string>({"core", "core_span", "phase10", "null"}),
          "by orders: the books; the ratios are over the first");
ABSL_FLAG(std::uint32_t, orders, 5000, "by levels: the number of resting orders");
ABSL_FLAG(std::uint32_t, rounds, 20, "timed batches of each book of each size");
ABSL_FLAG(std::uint32_t, batch, 100'000, "events in a timed batch, and in the untimed one before it");
ABSL_FLAG(std::uint64_t, seed, 1, "seed of the streams");
ABSL_FLAG(std::string, out, "", "write the table as JSON to this file");

namespace llmes::bench {
namespace {

std::string with_interval(const MedianInterval& interval, int digits) {
  return absl::StrFormat("%.*f [%.*f, %.*f]", digits, interval.median, digits, interval.low, digits,
                         interval.high);
}

double median(std::vector<double> values) {
  return median_interval(std::move(values)).median;
}

void print_title(const PlanSpec& spec) {
  std::printf("\n%s, seed %llu: %zu rounds of %zu events; medians with per-round intervals\n\n",
              spec.workload.c_str(), static_cast<unsigned long long>(spec.seed), spec.batches, spec.batch);
}

// ---- By orders.

std::vector<std::size_t> sizes_of_flags() {
  require_elements("sizes", absl::GetFlag(FLAGS_sizes), "1000,10000");
  std::vector<std::size_t> sizes;
  for (const std::string& text : absl::GetFlag(FLAGS_sizes)) {
    std::size_t size = 0;
    if (!absl::SimpleAtoi(text, &size) || size == 0) {
      throw std::invalid_argument("--sizes are numbers of orders above 0, not '" + text + "'");
    }
    sizes.push_back(size);
  }
  if (std::set(sizes.begin(), sizes.end()).size() != sizes.size()) {
    throw std::invalid_argument("--sizes names a number of orders twice");
  }
  return sizes;
}

/// The size that growth is measured from.
std::size_t base_size(const std::vector<std::size_t>& sizes) {
  const auto distance = [](std::size_t size) { return size < 1000 ? 1000 - size : size - 1000; };
  const auto nearest = std::min_element(sizes.begin(), sizes.end(),
                                        [&](std::size_t a, std::size_t b) { return distance(a) < distance(b); });
  return static_cast<std::size_t>(nearest - sizes.begin());
}

std::vector<BookEntry> books_of_flags() {
  require_elements("books", absl::GetFlag(FLAGS_books), "core,phase10; bench_books --list names the books");
  std::vector<BookEntry> books;
  for (const std::string& name : absl::GetFlag(FLAGS_books)) {
    books.push_back(find_trading_book(name));
  }
  return books;
}

/// Every book of every size, the books of one size beside each other.
class ByOrders {
 public:
  explicit ByOrders(PlanSpec spec) : books_(books_of_flags()) {
    spec.snapshots = std::any_of(books_.begin(), books_.end(), [](const BookEntry& book) { return book.scans; });
    const std::vector<std::string> names = row_names(absl::GetFlag(FLAGS_books));
    const std::vector<std::size_t> sizes = sizes_of_flags();
    base_ = base_size(sizes);
    require_memory("rounds", spec.batches, [&](std::size_t rounds) {
      double bytes = 0;
      for (const std::size_t size : sizes) {
        spec.standing = size;
        bytes += bytes_to_play(with_batches(spec, rounds), books_.size());
      }
      return bytes;
    });
    for (const std::size_t size : sizes) {
      std::fprintf(stderr, "planning, and learning the handles, for %zu orders ...\n", size);
      spec.standing = size;
      plans_.push_back(std::make_unique<const Plan>(make_plan(spec)));
      for (std::size_t i = 0; i < books_.size(); ++i) {
        rows_.push_back({absl::StrFormat("%s/%d", names[i], size), books_[i].enter(*plans_.back())});
      }
    }
  }

  std::vector<Row>& rows() { return rows_; }

  void print() const {
    const std::size_t base_orders = plans_[base_]->spec.standing;
    print_title(plans_[base_]->spec);
    std::printf("%-20s %-24s %12s %12s %10s\n", "book/orders", "ns/op",
                absl::StrFormat("over %s", books_.front().name).c_str(),
                absl::StrFormat("over %d", base_orders).c_str(), "MiB");
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      std::printf("%-20s %-24s %12.3f %12.3f %10.2f\n", rows_[i].book.c_str(),
                  with_interval(median_interval(rows_[i].times()), 2).c_str(),
                  median(rows_[i].ratios_over(first_book(i))), median(rows_[i].ratios_over(base_size_of(i))),
                  static_cast<double>(rows_[i].runner->peak_bytes()) / (1 << 20));
    }
  }

  [[nodiscard]] nlohmann::ordered_json json() const {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const Plan& plan = *plans_[i / books_.size()];
      const std::vector<double> over = rows_[i].ratios_over(base_size_of(i));
      nlohmann::ordered_json row = json_of(rows_[i], first_book(i), census_of(plan), plan.spec);
      row["over"] = over;
      row["growth"] = median(over);
      row["peak_bytes"] = rows_[i].runner->peak_bytes();
      rows.push_back(std::move(row));
    }
    return rows;
  }

 private:
  /// The first book of the same size.
  [[nodiscard]] const Row& first_book(std::size_t row) const { return rows_[row / books_.size() * books_.size()]; }
  /// The same book of the base size.
  [[nodiscard]] const Row& base_size_of(std::size_t row) const {
    return rows_[base_ * books_.size() + row % books_.size()];
  }

  std::vector<BookEntry> books_;
  std::vector<std::unique_ptr<const Plan>> plans_;  // one a size, for all books
  std::size_t base_ = 0;                            // the plan that growth is measured from
  std::vector<Row> rows_;
};

// ---- By levels.

struct Width {
  std::size_t price_levels;
  BandRunners (*enter)(const Plan& plan);
};

template <std::size_t... price_levels>
constexpr std::array<Width, sizeof...(price_levels)> widths_of(std::index_sequence<price_levels...>) {
  return {{{price_levels, enter_band<price_levels>}...}};
}
constexpr auto widths = widths_of(std::index_sequence<LLMES_BAND_WIDTHS>());
constexpr auto base_width =
    std::find_if(widths.begin(), widths.end(), [](const Width& width) { return width.price_levels == 4096; });
static_assert(base_width != widths.end());

/// The core over every width, each with a row for single commands and a row for spans.
class ByLevels {
 public:
  explicit ByLevels(PlanSpec spec) {
    spec.standing = absl::GetFlag(FLAGS_orders);
    require_memory("rounds", spec.batches, [&](std::size_t rounds) {
      return static_cast<double>(widths.size()) * bytes_to_play(with_batches(spec, rounds), 2);
    });
    for (const auto& [price_levels, enter] : widths) {
      std::fprintf(stderr, "planning, and learning the handles, for %zu price levels ...\n", price_levels);
      plans_.push_back(std::make_unique<const Plan>(spread_plan(spec, price_levels)));
      BandRunners runners = enter(*plans_.back());
      singles_.push_back(runners.single.get());
      rows_.push_back({absl::StrFormat("core/%d", price_levels), std::move(runners.single)});
      rows_.push_back({absl::StrFormat("core_span/%d", price_levels), std::move(runners.spans)});
    }
  }

  std::vector<Row>& rows() { return rows_; }

  void print() const {
    print_title(plans_.front()->spec);
    std::printf("%-8s %12s %11s  %-22s %-22s %-12s %-12s %s\n", "levels", "memory, KiB", "occupied",
                "single, ns/op", "spans, ns/op", "single/4096", "spans/4096", "recenter, us");
    for (std::size_t i = 0; i < plans_.size(); ++i) {
      const Row& single = rows_[2 * i];
      const Row& spans = rows_[2 * i + 1];
      const Census census = census_of(*plans_[i]);
      std::printf("%-8zu %12.0f %11.0f  %-22s %-22s %-12.3f %-12.3f %s\n", widths[i].price_levels,
                  static_cast<double>(singles_[i]->memory_bytes()) / 1024,
                  census.per_event(census.bid_levels_sum + census.ask_levels_sum),
                  with_interval(median_interval(single.times()), 2).c_str(),
                  with_interval(median_interval(spans.times()), 2).c_str(),
                  median(single.ratios_over(base_of(2 * i))), median(spans.ratios_over(base_of(2 * i + 1))),
                  with_interval(median_interval(singles_[i]->microseconds()), 1).c_str());
    }
  }

  [[nodiscard]] nlohmann::ordered_json json() const {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const Plan& plan = *plans_[i / 2];
      const Recentring& single = *singles_[i / 2];
      nlohmann::ordered_json row = json_of(rows_[i], base_of(i), census_of(plan), plan.spec);
      row["price_levels"] = plan.price_levels;
      row["memory_bytes"] = single.memory_bytes();
      if (rows_[i].runner.get() == &single) row["recenter_us"] = single.microseconds();
      rows.push_back(std::move(row));
    }
    return rows;
  }

 private:
  /// The row that is fed alike, over the base width.
  [[nodiscard]] const Row& base_of(std::size_t row) const {
    return rows_[2 * static_cast<std::size_t>(base_width - widths.begin()) + row % 2];
  }

  std::vector<std::unique_ptr<const Plan>> plans_;  // one a width
  std::vector<const Recentring*> singles_;          // one a width
  std::vector<Row> rows_;
};

// ---- By cancels, and by stops.

/// Two ways to do the same, for each size; the ratios are over the first.
class ByPairs {
 public:
  ByPairs(PlanSpec spec, const char* what) : spec_(std::move(spec)) { spec_.workload = what; }

  static ByPairs cancels(const PlanSpec& spec) {
    ByPairs pairs(spec, "cancels");
    for (const std::size_t size : sizes_of_flags()) {
      pairs.add(size, "by_handle", enter_cancels(CancelBy::Handle, size, spec.seed), "mass_cancel",
                enter_cancels(CancelBy::Owner, size, spec.seed));
    }
    return pairs;
  }
  static ByPairs stops(const PlanSpec& spec) {
    ByPairs pairs(spec, "stops");
    for (const std::size_t size : sizes_of_flags()) {
      pairs.add(size, "fire_in_multimaps", enter_firing_stops(StopsIn::Multimaps, size, spec.seed), "fire",
                enter_firing_stops(StopsIn::StopOrders, size, spec.seed));
      pairs.add(size, "wait_in_multimaps", enter_waiting_stops(StopsIn::Multimaps, size, spec.seed), "wait",
                enter_waiting_stops(StopsIn::StopOrders, size, spec.seed));
    }
    return pairs;
  }

  std::vector<Row>& rows() { return rows_; }

  void print() const {
    std::printf("\n%s, seed %llu: %zu rounds; medians with per-round intervals\n\n", spec_.workload.c_str(),
                static_cast<unsigned long long>(spec_.seed), spec_.batches);
    std::printf("%-26s %-24s %12s\n", "how/how many", "ns each", "over the first");
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      std::printf("%-26s %-24s %12.3f\n", rows_[i].book.c_str(),
                  with_interval(median_interval(rows_[i].times()), 2).c_str(),
                  median(rows_[i].ratios_over(first_of(i))));
    }
  }

  [[nodiscard]] nlohmann::ordered_json json() const {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      PlanSpec spec = spec_;
      spec.standing = spec.batch = sizes_[i];
      Census census;
      census.events = 1;
      census.resting_sum = census.resting_peak = 2 * spec.standing;
      rows.push_back(json_of(rows_[i], first_of(i), census, spec));
    }
    return rows;
  }

 private:
  void add(std::size_t size, const char* first, std::unique_ptr<Runner> first_runner, const char* second,
           std::unique_ptr<Runner> second_runner) {
    rows_.push_back({absl::StrFormat("%s/%d", first, size), std::move(first_runner)});
    rows_.push_back({absl::StrFormat("%s/%d", second, size), std::move(second_runner)});
    sizes_.insert(sizes_.end(), 2, size);
  }
  [[nodiscard]] const Row& first_of(std::size_t row) const { return rows_[row / 2 * 2]; }

  PlanSpec spec_;
  std::vector<std::size_t> sizes_;  // of each row
  std::vector<Row> rows_;
};

template <class Growth>
void measure(Growth growth, const PlanSpec& spec) {
  for (Row& row : growth.rows()) row.runner->start();
  race(growth.rows(), spec.batches, spec.seed, nullptr);
  growth.print();
  if (const std::string path = absl::GetFlag(FLAGS_out); !path.empty()) {
    write_artifact(path, {{"fingerprint", fingerprint()}, {"rows", growth.json()}});
  }
}

void run() {
  const PlanSpec spec{.seed = absl::GetFlag(FLAGS_seed),
                      .batches = absl::GetFlag(FLAGS_rounds),
                      .batch = absl::GetFlag(FLAGS_batch),
                      // The turns of the others evict the caches, and a large book takes long to fill them again.
                      .rewarm = absl::GetFlag(FLAGS_batch)};
  if (spec.batches == 0) throw std::invalid_argument("--rounds must be at least 1");
  require_artifact(absl::GetFlag(FLAGS_out));
  const std::string by = absl::GetFlag(FLAGS_by);
  if (by == "orders") {
    measure(ByOrders(spec), spec);
  } else if (by == "levels") {
    measure(ByLevels(spec), spec);
  } else if (by == "cancels") {
    measure(ByPairs::cancels(spec), spec);
  } else if (by == "stops") {
    measure(ByPairs::stops(spec), spec);
  } else {
    throw std::invalid_argument("--by is orders, levels, cancels or stops, not '" + by + "'");
  }
}

}  // namespace
}  // namespace llmes::bench

int main(int argc, char** argv) {
  return llmes::bench::run_program(argc, argv,
                                   {.source = __FILE__,
                                    .purpose = "times books of growing size, interleaved in one run",
                                    .example = "--sizes=1000,100000 --books=core,phase10 --out=growth.json",
                                    .run = llmes::bench::run});
}
