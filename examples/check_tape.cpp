// SPDX-License-Identifier: MIT
//
// Whether a file of market data fits the rules of a book: what is in it, what does not fit, and which share of the
// fills hit the head of their queue.
#include <cstddef>
#include <cstdint>
#include <iomanip>
#include <iostream>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "llmes/simulator.hpp"
#include "support/program.hpp"
#include "support/tape_file.hpp"

namespace {

using namespace llmes;

constexpr std::string_view usage = R"(usage: check_tape FILE

Plays a file of market data on books, and prints what is in it and what does not fit. The file is ITCH 5.0
(length-prefixed), DBN (schema mbo, versions 1 to 3), a message file of LOBSTER, or Bitstamp's order events (CSV), and
may be packed by gzip or zstd.
)";

// ---- What is printed.

void print(std::string_view name, std::uint64_t count) {
  std::cout << std::left << std::setw(54) << name << std::right << std::setw(14) << count << '\n';
}
void print_if(std::string_view name, std::uint64_t count) {
  if (count != 0) print(name, count);
}

void print_report(const std::string& path, const TapeSurvey& needs, const TapeReader& tape,
                  const TapeCounts& counts) {
  std::cout << path << ": " << tape.format_words() << ", books: " << needs.books << '\n';
  std::cout << (needs.books == 1 ? "symbol: " : "symbols: ") << needs.words_of_names() << '\n';
  print("messages, records or lines", tape.counts().records);
  print_if("  of other schemas, passed over", tape.passed_over());
  print_if("  that cannot be read", tape.counts().unreadable);
  print_if("  of a time before that of the one before", tape.counts().times_back);
  print_if("  that say that the book may be wrong", tape.counts().suspect);
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
  const TapeSurvey needs = survey_tape(path);
  CreateStatus status{};
  std::optional<TapeReport> report = TapeReport::create({.books = needs.books, .capacity = needs.resting}, status);
  if (!report) throw std::runtime_error("too little memory for " + std::to_string(needs.books) + " books");
  const auto take = [&](const MarketEvent& event) { report->take(event); };
  const TapeReader tape = play_tape(path, needs.books, needs.tick, take);
  report->finish();
  print_report(path, needs, tape, report->counts());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return run_program(argc, argv, {"check_tape", usage, "one file", 1, 1},
                     [](std::span<const std::string> arguments) { return run(arguments[0]); });
}
