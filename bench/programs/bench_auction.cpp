// SPDX-License-Identifier: MIT
//
// How long does it take to end a call auction? All rows take turns, round by round in an order drawn anew, in one
// run. Before each auction the book is filled again, untimed: all buys are in the upper half of 4,096 prices and
// all sells in the lower one, so all but a few trade.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/str_format.h"
#include "bench/harness/allocation_counter.hpp"
#include "bench/harness/artifact.hpp"
#include "bench/harness/memory.hpp"
#include "bench/harness/program.hpp"
#include "bench/harness/race.hpp"
#include "bench/harness/statistics.hpp"
#include "bench/streams/random.hpp"
#include "llmes/ids.hpp"
#include "llmes/rules.hpp"

ABSL_FLAG(std::uint32_t, orders, 100'000, "orders in the book");
ABSL_FLAG(std::uint32_t, rounds, 30, "how often each row has its turn");
ABSL_FLAG(std::uint64_t, seed, 1, "seed of the orders, and of the order in which the rows take turns");
ABSL_FLAG(std::string, out, "", "write the table as JSON to this file");

namespace llmes::bench {
namespace {

constexpr Price prices = 4096;

/// What an auction reports of its trades.
struct AuctionDigest {
  Digest digest;

  void operator()(const AuctionTrade& trade) {
    digest(
        Trade{.maker_id = trade.buy.id ^ trade.sell.id << 32, .price = trade.price, .quantity = trade.quantity});
  }
};

/// Finds the price, and uncrosses the book there. `owners` is how many the orders have; 0: nobody.
template <class Book, bool only_asks_for_the_price>
class Auction : public Runner {
 public:
  Auction(std::optional<Book>&& book, Owner owners) : book_(std::move(book)), owners_(owners) {
    if (!book_) throw std::runtime_error("too little memory for a book of that many orders");
  }

  void start() override {}
  [[nodiscard]] std::size_t peak_bytes() const override { return 0; }  // nobody asks

  Window run(std::size_t round, CounterSource*) override {
    book_->clear();
    Random random(absl::GetFlag(FLAGS_seed) + round);
    const std::size_t orders = absl::GetFlag(FLAGS_orders);
    for (OrderId id = 1; id <= orders; ++id) {
      const Side side = random.side();
      const Price up = side == Side::Buy ? prices / 2 : 0;
      const auto price = static_cast<Price>(random.below(prices / 2)) + up;
      const OrderTerms terms{.owner = owners_ == 0 ? 0 : static_cast<Owner>(1 + random.below(owners_))};
      if (!book_->add_resting_order(id, side, price, 1 + random.below(100), terms).rests()) {
        throw std::runtime_error("an order was rejected");
      }
    }
    AuctionDigest sink;
    Window window;
    window.events = orders;
    const std::uint64_t allocations = allocation_count();
    const auto begin = std::chrono::steady_clock::now();
    const std::optional<AuctionPrice> found = of_one(*book_).indicative(prices / 2);
    if (found && only_asks_for_the_price) {
      sink(AuctionTrade{{.price = found->price, .quantity = found->quantity}});
    } else if (found) {
      std::ignore = book_->uncross(found->price, SelfTrade::Decrement, sink);
    }
    const auto end = std::chrono::steady_clock::now();
    window.allocations = allocation_count() - allocations;
    window.seconds = std::chrono::duration<double>(end - begin).count();
    window.digest = sink.digest;
    if (sink.digest.fills == 0) throw std::runtime_error("nothing crosses");
    return window;
  }

 private:
  template <class One>
  static const auto& of_one(const One& book) {
    if constexpr (requires { book.book(); }) {
      return book.book();
    } else {
      return book;
    }
  }

  std::optional<Book> book_;
  Owner owners_;
};

std::vector<Row> rows_of_flags() {
  using Book = RuledOrderBook<static_cast<std::size_t>(prices)>;
  using ById = IdBook<Book, HashedIds>;
  const BookConfig config{.base_price = 0, .capacity = absl::GetFlag(FLAGS_orders)};
  std::vector<Row> rows;
  rows.push_back({"indicative", std::make_unique<Auction<Book, true>>(Book::create(config), 0)});
  rows.push_back({"uncross", std::make_unique<Auction<Book, false>>(Book::create(config), 0)});
  rows.push_back({"uncross_owners", std::make_unique<Auction<Book, false>>(Book::create(config), 1'000)});
  rows.push_back({"uncross_ids", std::make_unique<Auction<ById, false>>(ById::create(config, {}), 0)});
  return rows;
}

nlohmann::ordered_json json_of(const Row& row) {
  const MedianInterval time = median_interval(row.times());
  return {{"row", row.book},
          {"rounds", row.windows.size()},
          {"ns_per_order", time.median},
          {"ns_lo", time.low},
          {"ns_hi", time.high},
          {"fills", row.total().digest.fills},
          {"allocations", row.total().allocations},
          {"digest", absl::StrFormat("%016x", row.total().digest.checksum)},
          {"times", row.times()}};
}

void run() {
  const std::string out = absl::GetFlag(FLAGS_out);
  require_artifact(out);
  const std::size_t rounds = absl::GetFlag(FLAGS_rounds);
  const std::size_t orders = absl::GetFlag(FLAGS_orders);
  if (rounds == 0 || orders == 0) throw std::invalid_argument("--rounds and --orders must be at least 1");
  // Four books, each with a slot and its terms for each order, one with an index.
  require_memory("orders", orders, [](std::size_t count) { return 512.0 * static_cast<double>(count); });

  std::vector<Row> rows = rows_of_flags();
  race(rows, rounds, absl::GetFlag(FLAGS_seed), nullptr);
  std::printf("\n%zu orders over %lld prices, %zu rounds; medians of nanoseconds an order\n\n", orders,
              static_cast<long long>(prices), rounds);
  std::printf("%-18s %10s   %-18s %12s %12s\n", "row", "ns/order", "95 % interval", "trades", "allocations");
  for (const Row& row : rows) {
    const MedianInterval time = median_interval(row.times());
    std::printf("%-18s %10.2f   %-18s %12llu %12llu\n", row.book.c_str(), time.median,
                absl::StrFormat("[%.2f, %.2f]", time.low, time.high).c_str(),
                static_cast<unsigned long long>(row.total().digest.fills / rounds),
                static_cast<unsigned long long>(row.total().allocations));
  }
  if (out.empty()) return;
  nlohmann::ordered_json artifact{
      {"fingerprint", fingerprint()}, {"orders", orders}, {"prices", prices}, {"seed", absl::GetFlag(FLAGS_seed)}};
  for (const Row& row : rows) artifact["rows"].push_back(json_of(row));
  write_artifact(out, artifact);
}

}  // namespace
}  // namespace llmes::bench

int main(int argc, char** argv) {
  return llmes::bench::run_program(argc, argv,
                                   {.source = __FILE__,
                                    .purpose = "times the end of a call auction",
                                    .example = "--orders=100000 --rounds=30 --out=auction.json",
                                    .run = llmes::bench::run});
}
