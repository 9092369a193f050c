// SPDX-License-Identifier: MIT
//
// soak [--operations=N]: a long life of a book with either kind of side book. Orders come and go near a price that
// wanders over the whole band, and the pool is often full. Memory stays constant, the invariants hold, and in the
// end every slot is free again. The generations of the slots start shortly before the last one, so that each
// continues at 0 early in that life.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "bench/harness/allocation_counter.hpp"
#include "llmes/book.hpp"
#include "tests/support/invariants.hpp"
#include "tests/support/number_flag.hpp"
#include "tests/support/random.hpp"
#include "tests/support/sanitized.hpp"

namespace llmes::test {
namespace {

using Inspector = BookInspector;

constexpr std::size_t capacity = 1'024;
constexpr std::uint32_t first_generation = std::numeric_limits<std::uint32_t>::max() - 99;

/// Ends the program with a message if something is wrong.
void expect(bool holds, const std::string& otherwise) {
  if (holds) return;
  std::fprintf(stderr, "\nsoak: %s\n", otherwise.c_str());
  std::exit(1);
}
template <class Book>
void expect_whole(const Book& book) {
  const std::optional<std::string> broken = broken_invariant(book);
  expect(!broken, "broken invariant: " + broken.value_or(""));
}

/// Bytes of this process that are in memory.
std::size_t resident_bytes() {
  std::size_t total = 0;
  std::size_t resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

template <class Book>
class Soak {
 public:
  Soak() {
    for (SlotIndex slot = Inspector::first_order_slot(book_); slot < Inspector::slot_count(book_); ++slot) {
      Inspector::generation(book_, slot) = first_generation;
    }
  }

  void operate() {
    if (random_.chance(1)) mid_ = (mid_ + random_.below(9) + levels - 4) % levels;
    OrderHandle& handle = handles_[random_.below(handles_.size())];
    const Quantity quantity = 1 + random_.below(8);
    const Side side = random_.chance(50) ? Side::Buy : Side::Sell;
    const std::uint64_t apart = side == Side::Buy ? 0 : 12;  // the sides' prices overlap by a few ticks
    const auto price = static_cast<Price>((mid_ + apart + random_.below(16)) % levels);
    const auto count_trade = [this](const Trade&) { ++trades_; };
    const std::uint64_t kind = random_.below(41);
    if (!book_.find(handle)) {
      const auto time_in_force = static_cast<TimeInForce>(random_.below(8) % 5 % 4);  // most of them may rest
      const Result result = book_.add_limit_order(kind, side, price, quantity, time_in_force, count_trade);
      handle = result.handle;
      full_ += result.status == Status::PoolFull;
    } else if (kind < 30) {
      std::ignore = book_.cancel_order(handle);
    } else if (kind < 33) {
      book_.modify_order(handle, price, quantity, count_trade);
    } else if (kind < 35) {
      handle = book_.replace_order(handle, kind, price, quantity, count_trade).handle;
    } else if (kind < 40) {
      std::ignore = book_.reduce_order(handle, quantity);
    } else {
      book_.add_market_order(kind, side, quantity, count_trade);
    }
  }

  /// Takes all orders off and expects all slots to be free, and used beyond their last generation.
  void drain() {
    book_.add_market_order(0, Side::Buy, std::numeric_limits<Quantity>::max(), DiscardTrades{});
    book_.add_market_order(0, Side::Sell, std::numeric_limits<Quantity>::max(), DiscardTrades{});
    expect(book_.size() == 0, "orders are left");
    expect_whole(book_);
    std::size_t free = 0;
    for (SlotIndex slot = Inspector::first_free(book_); slot != Inspector::no_slot;
         slot = Inspector::next(book_, slot)) {
      ++free;
      expect(Inspector::generation(book_, slot) < first_generation, "a slot's generation has not wrapped");
    }
    expect(free == capacity, "not all slots are free");
  }

  [[nodiscard]] const Book& book() const { return book_; }
  [[nodiscard]] std::uint64_t trades() const { return trades_; }
  [[nodiscard]] std::uint64_t times_full() const { return full_; }

 private:
  static constexpr std::size_t levels = Book::price_levels;

  Book book_ = *Book::create({.base_price = 0, .capacity = capacity});
  std::vector<OrderHandle> handles_ = std::vector<OrderHandle>(4 * capacity);
  Random random_{1};
  std::uint64_t mid_ = levels / 2;
  std::uint64_t trades_ = 0;
  std::uint64_t full_ = 0;
};

template <class Book>
void run(std::uint64_t operations, const char* kind) {
  constexpr std::uint64_t parts = 100;
  Soak<Book> soak;
  std::size_t resident = 0;
  for (std::uint64_t part = 0; part < parts; ++part) {
    const std::uint64_t allocations = bench::allocation_count();
    for (std::uint64_t i = operations * part / parts; i < operations * (part + 1) / parts; ++i) soak.operate();
    const std::uint64_t taken = bench::allocation_count() - allocations;
    expect(taken == 0, "calls have taken memory " + std::to_string(taken) + " times");
    expect_whole(soak.book());
    if (part == 0) resident = resident_bytes();
    std::fprintf(stderr, "\r%3ju %% of %ju operations", std::uintmax_t{part + 1}, std::uintmax_t{operations});
  }
  std::fprintf(stderr, "\n");
  const std::size_t resident_at_last = resident_bytes();
  // A sanitizer keeps for a while what the walks over the invariants give back.
  constexpr std::size_t slack = std::size_t{LLMES_TEST_SANITIZED ? 32 : 1} << 20;
  expect(resident_at_last <= resident + slack,
         "the process has grown to " + std::to_string(resident_at_last) + " bytes");
  expect(soak.trades() > 0 && soak.times_full() > 0, "nothing has traded, or the pool was never full");
  soak.drain();
  std::printf(
      "soak, %s: %ju operations, %ju trades, pool full %ju times, no allocation, all %zu slots free again\n", kind,
      std::uintmax_t{operations}, std::uintmax_t{soak.trades()}, std::uintmax_t{soak.times_full()}, capacity);
}

}  // namespace
}  // namespace llmes::test

int main(int argc, char** argv) {
  using namespace llmes::test;
  const std::uint64_t operations =
      number_flag(argc, argv, "Makes N calls of a book, which must hold its invariants in constant memory.",
                  "operations", 100'000'000, std::numeric_limits<std::uint64_t>::max() / 100);
  run<llmes::OrderBook<4096>>(operations, "anchors in place");
  run<llmes::WideOrderBook<4096>>(operations, "pooled anchors");
}
