// SPDX-License-Identifier: MIT
//
// Whether a file of market data fits the rules of a book: what is in it, what does not fit, and which share of the
// fills hit the head of their queue.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "llmes/simulator.hpp"
#include "support/program.hpp"
#include "support/read_ahead.hpp"

namespace {

using namespace llmes;

constexpr std::string_view usage = R"(usage: check_tape FILE

Plays a file of market data on books, and prints what is in it and what does not fit. The file is ITCH 5.0
(length-prefixed), DBN (schema mbo, versions 1 to 3), or a message file of LOBSTER, and may be packed by gzip or zstd.
)";

/// Plays a whole file.
template <class Take>
TapeReader play(const std::string& path, std::size_t instruments, Price tick, Take take) {
  TapeReader reader(instruments, tick);
  const auto read = [&](std::span<const std::byte> bytes, bool is_last) {
    const std::size_t used = reader.read(bytes, is_last, take);
    if (reader.has_failed()) throw std::runtime_error(path + ": " + reader.fault());
    return std::optional(used);
  };
  if (const auto fault = read_file_ahead(path, read)) throw std::runtime_error(*fault);
  return reader;
}

/// What the books of a file need.
struct Survey {
  std::size_t books = 1;
  std::size_t resting = 1;  ///< orders at most, or more
  TickGrid grid;            ///< of all prices
};

/// Reads a file once, as no file says it before.
Survey survey(const std::string& path) {
  constexpr std::size_t orders_max = 4'000'000;
  Survey found;
  std::size_t resting = 0;
  play(path, 65'535, 1, [&](const MarketEvent& event) {
    if (event.book != every_book) found.books = std::max<std::size_t>(found.books, std::size_t{event.book} + 1);
    if (event.price != 0 && !found.grid.holds(event.price)) found.grid = found.grid.with(event.price);
    if (event.type == MarketEventType::Add || event.type == MarketEventType::Modify) ++resting;
    if (event.type == MarketEventType::Cancel && resting > 0) --resting;
    found.resting = std::clamp(resting, found.resting, orders_max);
  });
  return found;
}

// ---- What is printed.

void print(std::string_view name, std::uint64_t count) {
  std::cout << std::left << std::setw(54) << name << std::right << std::setw(14) << count << '\n';
}
void print_if(std::string_view name, std::uint64_t count) {
  if (count != 0) print(name, count);
}

void print_report(const std::string& path, const Survey& needs, const TapeReader& tape, const TapeCounts& counts) {
  std::cout << path << ": " << tape.format_words() << ", books: " << needs.books << '\n';
  print("messages, records or lines", tape.counts().records);
  print_if("  of other schemas, passed over", tape.passed_over());
  print_if("  that cannot be read", tape.counts().unreadable);
  print_if("  of a time before that of the one before", tape.counts().times_back);
  print_if("  after a gap, as the publisher says", tape.counts().suspect);
  if (tape.first_unreadable()) {
    std::cout << "  the first that cannot be read is line " << *tape.first_unreadable() + 1 << '\n';
  }
  print("market events made of them", tape.counts().events);
  for (std::size_t type = 0; type < TapeCounts::types; ++type) {
    print_if("  " + std::string(to_string(static_cast<MarketEventType>(type))), counts.by_type[type]);
  }
  print_if("events that do not fit the books", counts.refused());
  for (std::size_t status = 1; status < TapeCounts::statuses; ++status) {
    print_if("  " + std::string(to_string(static_cast<MarketStatus>(status))), counts.by_status[status]);
  }
  print("moments, each of one event or more", counts.events);
  print("  that leave a continuous market crossed", counts.crossed);
  print("  that leave one locked", counts.locked);
  print("fills of resting orders", counts.fills);
  print("  first in their queue", counts.at_head);
  print("  first but for orders that the same moment cancels", counts.at_head_gone);
  print("  behind others", counts.fills - counts.at_head - counts.at_head_gone);
  print("  with an order at a better price", counts.passed_better);
  print_if("fills in a cross", counts.cross_fills);
  print_if("fills of orders that their owner moved to trade", tape.aggressor_fills());
  if (counts.fills == 0) return;
  const auto fills = static_cast<double>(counts.fills);
  const auto first = static_cast<double>(counts.at_head + counts.at_head_gone);
  std::cout << std::left << std::setw(54) << "first-in-first-out score" << std::right << std::fixed
            << std::setprecision(2) << std::setw(12) << 100 * first / fills << " %\n";
}

int run(const std::string& path) {
  if (std::filesystem::is_fifo(path)) throw std::runtime_error(path + ": a pipe; the file is read twice");
  const Survey needs = survey(path);
  CreateStatus status{};
  std::optional<TapeReport> report = TapeReport::create({.books = needs.books, .capacity = needs.resting}, status);
  if (!report) throw std::runtime_error("too little memory for " + std::to_string(needs.books) + " books");
  const Price tick = std::max<Price>(needs.grid.step(), 1);
  const TapeReader tape = play(path, needs.books, tick, [&](const MarketEvent& event) { report->take(event); });
  report->finish();
  print_report(path, needs, tape, report->counts());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return run_program(argc, argv, {"check_tape", usage, "one file", 1, 1},
                     [](std::span<const std::string> arguments) { return run(arguments[0]); });
}
