// SPDX-License-Identifier: MIT
//
// Replays a file of commands; `usage` below says what is in it. The whole file is read before the book sees any of
// it: a malformed line stops the program with the file's name and the line's number. A command that the book
// rejects does not stop it; it is reported and counted.
#include <array>
#include <charconv>
#include <fstream>
#include <iostream>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "llmes/llmes.hpp"

namespace {

using namespace llmes;

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t comma = line.find(',');
    fields.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

/// Sign, range and rest of the field are checked: "-1" is no quantity, "5x" is no number.
template <class Number>
Number number(std::string_view field, std::string_view name) {
  Number value{};
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc{} || end != field.data() + field.size()) {
    throw std::invalid_argument("'" + std::string(field) + "' is no " + std::string(name));
  }
  return value;
}

template <class Value, std::size_t Count>
Value one_of(std::string_view field, const std::array<std::pair<std::string_view, Value>, Count>& choices) {
  std::string names;
  for (const auto& [name, value] : choices) {
    if (field == name) return value;
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  throw std::invalid_argument("'" + std::string(field) + "' is none of " + names);
}

/// Cancel, modify and reduce name their order by id; the handle is filled in by `replay`.
Command parse(std::string_view line) {
  static constexpr std::array<std::pair<std::string_view, CommandType>, 5> types{
      {{"limit", CommandType::AddLimit},
       {"market", CommandType::AddMarket},
       {"cancel", CommandType::Cancel},
       {"modify", CommandType::Modify},
       {"reduce", CommandType::Reduce}}};
  static constexpr std::array<std::size_t, 5> field_counts{6, 4, 2, 4, 3};  // by type
  static constexpr std::array<std::pair<std::string_view, Side>, 2> sides{
      {{"buy", Side::Buy}, {"sell", Side::Sell}}};
  static constexpr std::array<std::pair<std::string_view, TimeInForce>, 4> times_in_force{
      {{"gtc", TimeInForce::GoodTillCancel},
       {"post", TimeInForce::PostOnly},
       {"ioc", TimeInForce::ImmediateOrCancel},
       {"fok", TimeInForce::FillOrKill}}};

  const std::vector<std::string_view> fields = split(line);
  Command command;
  command.type = one_of(fields[0], types);
  const std::size_t expected = field_counts[static_cast<std::size_t>(command.type)];
  if (fields.size() != expected) {
    throw std::invalid_argument(std::string(fields[0]) + " takes " + std::to_string(expected - 1) +
                                " fields, not " + std::to_string(fields.size() - 1));
  }
  command.id = number<OrderId>(fields[1], "id");
  switch (command.type) {
    case CommandType::AddLimit:
      command.side = one_of(fields[2], sides);
      command.price = number<Price>(fields[3], "price");
      command.quantity = number<Quantity>(fields[4], "quantity");
      command.time_in_force = one_of(fields[5], times_in_force);
      break;
    case CommandType::AddMarket:
      command.side = one_of(fields[2], sides);
      command.quantity = number<Quantity>(fields[3], "quantity");
      break;
    case CommandType::Cancel: break;
    case CommandType::Modify:
      command.price = number<Price>(fields[2], "price");
      command.quantity = number<Quantity>(fields[3], "quantity");
      break;
    case CommandType::Reduce: command.quantity = number<Quantity>(fields[2], "quantity"); break;
  }
  return command;
}

/// `name` stands in what is thrown for a malformed line.
std::vector<Command> read(std::istream& file, const std::string& name) {
  std::vector<Command> commands;
  std::unordered_set<OrderId> limit_ids;
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty() || line.front() == '#') continue;
    try {
      commands.push_back(parse(line));
      const Command& command = commands.back();
      if (command.type == CommandType::AddLimit && !limit_ids.insert(command.id).second) {
        throw std::invalid_argument("id " + std::to_string(command.id) + " was used before");
      }
    } catch (const std::invalid_argument& error) {
      throw std::runtime_error(name + ":" + std::to_string(number) + ": " + error.what());
    }
  }
  if (file.bad()) throw std::runtime_error(name + ": cannot be read");
  return commands;
}

/// Applies the commands as one span. A command that names an order gets its handle when that order is added. If no
/// order had that id before, the handle stays empty, and the book answers UnknownOrder.
template <TradeSink Sink>
std::vector<Result> replay(OrderBook<>& book, std::vector<Command>& commands, Sink&& sink) {
  std::unordered_map<OrderId, std::size_t> adds;
  std::vector<std::vector<std::size_t>> named_by(commands.size());
  for (std::size_t i = 0; i < commands.size(); ++i) {
    if (commands[i].type == CommandType::AddLimit) {
      adds[commands[i].id] = i;
    } else if (const auto add = adds.find(commands[i].id); add != adds.end()) {
      named_by[add->second].push_back(i);
    }
  }

  std::vector<Result> results;
  results.reserve(commands.size());
  const auto receive = [&](const Result& result) {
    for (const std::size_t later : named_by[results.size()]) commands[later].handle = result.handle;
    results.push_back(result);
  };
  book.apply(commands, receive, sink);
  return results;
}

void print_depth(const OrderBook<>& book, Side side, std::string_view name) {
  std::array<DepthLevel, 3> levels;
  const std::size_t count = book.depth(side, levels);
  std::cout << name << ':';
  for (const DepthLevel& level : std::span(levels).first(count)) {
    std::cout << ' ' << level.quantity << " at " << level.price << " (" << level.order_count << ')';
  }
  std::cout << (count == 0 ? " none\n" : "\n");
}

int run(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + ": cannot be opened");
  std::vector<Command> commands = read(file, path);
  auto book = OrderBook<>::create({.base_price = 0, .capacity = commands.size() + 1});
  if (!book) throw std::runtime_error("no memory for the book");

  std::size_t trade_count = 0;
  Quantity lots = 0;
  const std::vector<Result> results = replay(*book, commands, [&](const Trade& trade) {
    ++trade_count;
    lots += trade.quantity;
  });

  std::size_t rejected = 0;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i].status == Status::Success) continue;
    ++rejected;
    std::cout << "command " << i + 1 << ", order " << commands[i].id << ": " << to_string(results[i].status)
              << '\n';
  }
  std::cout << results.size() << " commands, " << rejected << " rejected, " << trade_count << " trades of " << lots
            << " lots\n";
  print_depth(*book, Side::Buy, "bids");
  print_depth(*book, Side::Sell, "asks");
  return 0;
}

constexpr std::string_view usage =
    R"(usage: replay FILE

Replays a file of commands, one a line:

  limit,ID,buy|sell,PRICE,QUANTITY,gtc|post|ioc|fok
  market,ID,buy|sell,QUANTITY
  cancel,ID          modify,ID,PRICE,QUANTITY          reduce,ID,BY

Empty lines and lines that begin with # are skipped.
)";

}  // namespace

int main(int argc, char** argv) {
  const std::string argument = argc == 2 ? argv[1] : "";
  if (argument == "--help") {
    std::cout << usage;
    return 0;
  }
  if (argument.empty() || argument.starts_with('-')) {
    std::cerr << "replay: takes one file of commands (see --help)\n";
    return 2;
  }
  try {
    return run(argument);
  } catch (const std::exception& error) {
    std::cerr << "replay: " << error.what() << '\n';
    return 1;
  }
}
