// SPDX-License-Identifier: MIT
//
// A feed handler: the books of several instruments, rebuilt from messages that name orders by reference numbers.
// The venue has matched already, so nothing here does, and a book may be crossed for a while. Prices come in
// ten-thousandths of a dollar, and each instrument has a tick size of its own. What the feed gets wrong is
// counted, and what came before stays.
#include <array>
#include <cstddef>
#include <cstdint>
#include <iomanip>
#include <iostream>
#include <limits>
#include <map>
#include <optional>
#include <string_view>

#include "llmes/book.hpp"
#include "llmes/ids.hpp"
#include "llmes/itch.hpp"
#include "llmes/market_data.hpp"
#include "llmes/sets.hpp"
#include "usage.hpp"

namespace {

using namespace llmes;

struct Instrument {
  std::string_view name;
  std::int64_t tick_size;  // ten-thousandths of a dollar
};

struct Message {
  char type;                    // 'A' adds, 'E' executes some lots, 'D' deletes, 'U' replaces
  std::uint16_t instrument;     // its number in the feed
  std::uint64_t reference;      // of the order
  char side;                    // 'B' or 'S'; only of an add
  std::uint64_t lots;           // not of a delete
  std::int64_t price;           // ten-thousandths of a dollar; of an add or a replace
  std::uint64_t new_reference;  // only of a replace
};

constexpr std::array instruments{Instrument{"STOCK", 100}, Instrument{"PENNY", 1}, Instrument{"FUTURE", 2'500}};

constexpr std::array messages{
    Message{'A', 0, 1001, 'B', 300, 500'000, 0},       //
    Message{'A', 0, 1004, 'S', 100, 500'200, 0},       //
    Message{'A', 1, 1005, 'B', 5'000, 1'234, 0},       //
    Message{'A', 2, 1009, 'S', 2, 50'000'000, 0},      //
    Message{'A', 2, 1010, 'B', 1, 50'002'500, 0},      // crosses: the future has not opened
    Message{'A', 0, 1011, 'S', 50, 1'999'999'900, 0},  // a stub quote, far from the market
    Message{'E', 0, 1001, ' ', 120, 0, 0},             //
    Message{'U', 0, 1004, ' ', 80, 500'100, 1020},     //
    Message{'A', 0, 1021, 'B', 10, 500'050, 0},        // off the grid of the stock
    Message{'D', 2, 1009, ' ', 0, 0, 0},               //
    Message{'D', 2, 1009, ' ', 0, 0, 0},               // already gone
    Message{'E', 1, 1005, ' ', 9'000, 0, 0},           // more than is open
};

/// The request that a message makes, with its price in ticks. A price off the grid, as a number that no book
/// holds.
BookRequest request_of(const Message& message) {
  constexpr Price nowhere = std::numeric_limits<Price>::max();
  const std::int64_t tick_size = instruments[message.instrument].tick_size;
  const Price ticks = message.price % tick_size == 0 ? Price{message.price / tick_size} : nowhere;
  const Side side = message.side == 'B' ? Side::Buy : Side::Sell;
  const BookNumber book = message.instrument;  // as the books were added in the same order
  switch (message.type) {
    case 'A': return {Request::add_resting(message.reference, side, ticks, message.lots), book};
    case 'E': return {Request::reduce(message.reference, message.lots), book};
    case 'U':
      return {Request::replace_resting(message.reference, message.new_reference, ticks, message.lots), book};
    default: return {Request::cancel(message.reference), book};
  }
}

void print_side(const PlacedBookSet::Book& book, Side side, std::int64_t tick_size) {
  std::array<DepthLevel, 3> levels;
  const std::size_t count = book.depth(side, levels);
  std::cout << (side == Side::Buy ? "  bid" : "  ask");
  for (std::size_t i = 0; i < count; ++i) {
    const double dollars = static_cast<double>(levels[i].price * tick_size) / 10'000;
    std::cout << (i == 0 ? "  " : ", ") << levels[i].quantity << " at " << dollars;
  }
  std::cout << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  if (const auto status = answer_arguments(argc, argv, "the books of a feed, by its reference numbers"))
    return *status;
  CreateStatus status{};
  auto books =
      IdBook<PlacedBookSet, PlacedIds>::create({.max_books = instruments.size(), .capacity = 10'000}, {}, status);
  if (!books) {
    std::cerr << "no books: " << status << '\n';
    return 1;
  }
  for (std::size_t i = 0; i < instruments.size(); ++i) {
    if (!books->add_book()) return 1;
  }

  std::map<Status, std::size_t> refused;
  const auto at = [](std::size_t i) { return request_of(messages[i]); };
  const auto receive = [&](const Result& result) {
    if (result.status != Status::Success) ++refused[result.status];
  };
  books->apply(messages.size(), at, receive, DiscardTrades{});

  std::cout << std::fixed << std::setprecision(4);
  for (BookNumber i = 0; i < instruments.size(); ++i) {
    const std::optional<const PlacedBookSet::Book> book = books->book().book(i);
    std::cout << instruments[i].name << ", " << book->size() << " orders\n";
    for (const Side side : {Side::Buy, Side::Sell}) print_side(*book, side, instruments[i].tick_size);
  }
  for (const auto& [why, count] : refused) std::cout << "refused as " << why << ": " << count << '\n';
}
