// SPDX-License-Identifier: MIT
//
// A span of commands, some of which name orders that the same span adds. When the span is written nobody knows
// their handles. The book reads a command only after the receiver has had the result of the one before, so the
// receiver can put the handle of an added order into the commands that name it.
#include <cstddef>
#include <iostream>
#include <vector>

#include "llmes/book.hpp"
#include "usage.hpp"

int main(int argc, char** argv) {
  if (const auto status = answer_arguments(argc, argv, "commands that name orders of their own span"))
    return *status;
  using namespace llmes;
  using enum TimeInForce;
  auto book = OrderBook<>::create({.base_price = 0, .capacity = 1000});
  if (!book) return 1;
  const auto print = [](const Trade& trade) { std::cout << trade << '\n'; };

  std::vector<Command> commands{
      Command::add_limit(1, Side::Buy, 100, 10, GoodTillCancel),
      Command::add_limit(2, Side::Sell, 105, 10, GoodTillCancel),
      Command::modify({}, 101, 10),  // order 1, whose handle is not known yet
      Command::modify({}, 101, 4),   // order 2, which now trades
      Command::cancel({}),           // order 1
  };
  const std::vector<std::vector<std::size_t>> named_by{{2, 4}, {3}, {}, {}, {}};

  std::vector<Result> results;
  results.reserve(commands.size());
  const auto receive = [&](const Result& result) {
    for (const std::size_t later : named_by[results.size()]) commands[later].handle = result.handle;
    results.push_back(result);
  };
  book->apply(commands, receive, print);

  for (std::size_t i = 0; i < results.size(); ++i) std::cout << "command " << i << ": " << results[i] << '\n';
  std::cout << book->size() << " orders rest\n";
}
