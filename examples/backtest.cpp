// SPDX-License-Identifier: MIT
//
// Makes a market over a day in an ITCH 5.0 file: see backtest/backtest.hpp.
#include "backtest/backtest.hpp"

#include <cstddef>
#include <iostream>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "llmes/itch.hpp"
#include "llmes/market_data.hpp"
#include "support/itch_file.hpp"
#include "support/program.hpp"

namespace {

using namespace llmes;

constexpr std::string_view usage = R"(usage: backtest FILE SYMBOL

Makes a market in SYMBOL over a day in an ITCH 5.0 file, and prints each fill and what was earned.
)";

int run(const std::string& path, std::string_view symbol) {
  std::size_t symbols = 0;
  if (const auto fault = count_symbols(path, symbols)) throw std::runtime_error(*fault);
  auto feed = FeedBook::create({.symbols = symbols, .capacity = 2'500'000});
  if (!feed) throw std::runtime_error("too little memory for the books");
  backtest::Backtest backtest(*feed, symbol, std::cout);
  const auto take = [&](std::span<const itch::MessageBytes> messages) {
    for (const itch::MessageBytes message : messages) backtest(message);
    return true;
  };
  if (const auto fault = read_itch_file(path, take)) throw std::runtime_error(*fault);
  if (!feed->locate_of(symbol)) throw std::runtime_error(path + ": has no symbol '" + std::string(symbol) + "'");
  backtest.print_summary();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return run_program(argc, argv, {"backtest", usage, "a file and a symbol", 2, 2},
                     [](std::span<const std::string> arguments) { return run(arguments[0], arguments[1]); });
}
