// SPDX-License-Identifier: MIT
//
// The books of a day, rebuilt from an ITCH 5.0 file: the depth of one symbol at a given time.
// data/README.md says what is in data/day.itch.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iostream>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "llmes/itch.hpp"
#include "llmes/market_data.hpp"
#include "print_depth.hpp"
#include "support/itch_file.hpp"
#include "support/program.hpp"

namespace {

using namespace llmes;

constexpr std::string_view usage = R"(usage: itch_depth FILE SYMBOL [TIME]

Prints the depth of SYMBOL in an ITCH 5.0 file (length-prefixed, gzipped or not) at TIME, such as 09:30:05; without
one, at the end of the file.
)";

/// A time of the day since midnight.
itch::Timestamp parse_time(std::string_view text) {
  const auto is_digit = [](char letter) { return letter >= '0' && letter <= '9'; };
  const auto is_right = [&](std::size_t i) { return i % 3 == 2 ? text[i] == ':' : is_digit(text[i]); };
  bool is_time = text.size() == std::string_view("HH:MM:SS").size();
  for (std::size_t i = 0; is_time && i < text.size(); ++i) is_time = is_right(i);
  const auto number = [&](std::size_t i) { return (text[i] - '0') * 10 + (text[i + 1] - '0'); };
  if (!is_time || number(0) > 23 || number(3) > 59 || number(6) > 59) {
    throw std::invalid_argument("'" + std::string(text) +
                                "' is no time; write HH:MM:SS, from 00:00:00 to 23:59:59");
  }
  return std::chrono::hours(number(0)) + std::chrono::minutes(number(3)) + std::chrono::seconds(number(6));
}

/// Applies messages up to a time. @return whether none of them is later.
bool apply_until(FeedBook& feed, std::span<const itch::MessageBytes> messages, itch::Timestamp end) {
  const auto is_later = [end](itch::MessageBytes message) {
    itch::Timestamp time{};
    itch::decode(message, [&time](const auto& any) { time = any.header.timestamp; });
    return time > end;
  };
  const auto first_later = std::find_if(messages.begin(), messages.end(), is_later);
  feed.apply({messages.begin(), first_later});
  return first_later == messages.end();
}

int run(const std::string& path, std::string_view symbol, itch::Timestamp end) {
  std::size_t symbols = 0;
  if (const auto fault = count_symbols(path, symbols)) throw std::runtime_error(*fault);
  auto feed = FeedBook::create({.symbols = symbols, .capacity = 2'500'000});
  if (!feed) throw std::runtime_error("too little memory for the books");
  const auto take = [&](std::span<const itch::MessageBytes> messages) {
    return apply_until(*feed, messages, end);
  };
  if (const auto fault = read_itch_file(path, take)) throw std::runtime_error(*fault);

  const std::optional<itch::Locate> locate = feed->locate_of(symbol);
  if (!locate) throw std::runtime_error(path + ": has no symbol '" + std::string(symbol) + "'");
  print_depth(symbol, feed->size(*locate),
              [&](Side side, std::span<DepthLevel> levels) { return feed->depth(*locate, side, levels); });
  if (feed->faults().total() != 0) std::cout << feed->faults().total() << " messages were wrong\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return run_program(argc, argv, {"itch_depth", usage, "a file, a symbol and perhaps a time", 2, 3},
                     [](std::span<const std::string> arguments) {
                       return run(arguments[0], arguments[1],
                                  arguments.size() == 3 ? parse_time(arguments[2]) : itch::Timestamp::max());
                     });
}
