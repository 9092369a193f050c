// SPDX-License-Identifier: MIT
//
// Files that are almost files of commands, read by the example. It must name the line that is wrong, or replay the
// file as it would command by command.
#define main replay_main  // a program, not a library
#include "examples/replay.cpp"
#undef main

#include <cstddef>
#include <cstdint>
#include <sstream>

#include "tests/fuzz/expect.hpp"
#include "tests/support/record_trades.hpp"

namespace {

using llmes::test::expect;

std::vector<Result> one_by_one(OrderBook<>& book, const std::vector<Command>& commands, TradeSink auto& sink) {
  std::vector<Result> results;
  std::unordered_map<OrderId, OrderHandle> handles;
  for (Command command : commands) {
    const bool adds = command.type == CommandType::AddLimit || command.type == CommandType::AddMarket;
    if (const auto named = handles.find(command.id); !adds && named != handles.end())
      command.handle = named->second;
    results.push_back(book.apply(command, sink));
    if (command.type == CommandType::AddLimit) handles[command.id] = results.back().handle;
  }
  return results;
}

void check(const std::string& text) {
  std::istringstream file(text);
  std::vector<Command> commands;
  try {
    commands = read(file, "text");
  } catch (const std::runtime_error& error) {
    expect(std::string_view(error.what()).starts_with("text:"), "a message without its line");
    return;
  }
  const BookConfig config{.base_price = 0, .capacity = commands.size() + 1};
  OrderBook<> expected_book = OrderBook<>::create(config).value();
  OrderBook<> book = OrderBook<>::create(config).value();
  llmes::test::RecordTrades expected_sink;
  llmes::test::RecordTrades sink;
  const std::vector<Result> expected = one_by_one(expected_book, commands, expected_sink);
  expect(replay(book, commands, sink) == expected, "the results of a replay");
  expect(sink.trades == expected_sink.trades, "the trades of a replay");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check({reinterpret_cast<const char*>(data), size});
  return 0;
}
