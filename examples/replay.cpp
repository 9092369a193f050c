// SPDX-License-Identifier: MIT
//
// Replays a file of requests; `usage` below says what is in it. The whole file is read before the book sees any of
// it: a malformed line stops the program with the file's name and the line's number. A request that the book
// rejects does not stop it; it is reported and counted.
//
// The file names orders by ids of its own, so the book is one by ids, and gets the whole file as one span.
#include <array>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <iostream>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "llmes/book.hpp"
#include "llmes/ids.hpp"
#include "support/program.hpp"

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

Request parse(std::string_view line) {
  static constexpr std::array<std::pair<std::string_view, CommandType>, 6> types{
      {{"limit", CommandType::AddLimit},
       {"market", CommandType::AddMarket},
       {"cancel", CommandType::Cancel},
       {"modify", CommandType::Modify},
       {"reduce", CommandType::Reduce},
       {"replace", CommandType::Replace}}};
  static constexpr std::array<std::size_t, 6> field_counts{6, 4, 2, 4, 3, 5};  // by type
  static constexpr std::array<std::pair<std::string_view, Side>, 2> sides{
      {{"buy", Side::Buy}, {"sell", Side::Sell}}};
  static constexpr std::array<std::pair<std::string_view, TimeInForce>, 4> times_in_force{
      {{"gtc", TimeInForce::GoodTillCancel},
       {"post", TimeInForce::PostOnly},
       {"ioc", TimeInForce::ImmediateOrCancel},
       {"fok", TimeInForce::FillOrKill}}};

  const std::vector<std::string_view> fields = split(line);
  const CommandType type = one_of(fields[0], types);
  const std::size_t expected = field_counts[static_cast<std::size_t>(type)];
  if (fields.size() != expected) {
    throw std::invalid_argument(std::string(fields[0]) + " takes " + std::to_string(expected - 1) +
                                " fields, not " + std::to_string(fields.size() - 1));
  }
  const auto price = [&](std::size_t i) { return number<Price>(fields[i], "price"); };
  const auto quantity = [&](std::size_t i) { return number<Quantity>(fields[i], "quantity"); };
  const auto id = number<OrderId>(fields[1], "id");
  switch (type) {
    case CommandType::AddLimit:
      return Request::add_limit(id, one_of(fields[2], sides), price(3), quantity(4),
                                one_of(fields[5], times_in_force));
    case CommandType::AddMarket: return Request::add_market(id, one_of(fields[2], sides), quantity(3));
    case CommandType::Cancel: return Request::cancel(id);
    case CommandType::Modify: return Request::modify(id, price(2), quantity(3));
    case CommandType::Reduce: return Request::reduce(id, quantity(2));
    default: return Request::replace(id, number<OrderId>(fields[2], "id"), price(3), quantity(4));
  }
}

/// The reason is the one that the system gave last.
std::runtime_error cannot_read(const std::string& path) {
  return std::runtime_error(path + ": cannot be read: " + std::generic_category().message(errno));
}

/// The path stands in what is thrown for a malformed line.
std::vector<Request> read(std::istream& file, const std::string& path) {
  std::vector<Request> requests;
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty() || line.front() == '#') continue;
    try {
      requests.push_back(parse(line));
    } catch (const std::invalid_argument& error) {
      throw std::runtime_error(path + ":" + std::to_string(number) + ": " + error.what());
    }
  }
  if (file.bad()) throw cannot_read(path);
  return requests;
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
  if (!file) throw cannot_read(path);
  const std::vector<Request> requests = read(file, path);
  auto book = IdBook<OrderBook<>, HashedIds>::create({.base_price = 0, .capacity = requests.size() + 1}, {});
  if (!book) throw std::runtime_error("no memory for the book");

  std::size_t rejected = 0;
  std::size_t trade_count = 0;
  Quantity lots = 0;
  const auto receive = [&](const Result& result, std::size_t i) {
    if (result.status == Status::Success) return;
    ++rejected;
    std::cout << "request " << i + 1 << ", order " << requests[i].id << ": " << result.status << '\n';
  };
  const auto count = [&](const Trade& trade) {
    ++trade_count;
    lots += trade.quantity;
  };
  book->apply(
      requests.size(), [&](std::size_t i) -> const Request& { return requests[i]; }, receive, count);

  std::cout << requests.size() << " requests, " << rejected << " rejected, " << trade_count << " trades of "
            << lots << " lots\n";
  print_depth(book->book(), Side::Buy, "bids");
  print_depth(book->book(), Side::Sell, "asks");
  return 0;
}

constexpr std::string_view usage =
    R"(usage: replay FILE

Replays a file of requests, one a line:

  limit,ID,buy|sell,PRICE,QUANTITY,gtc|post|ioc|fok
  market,ID,buy|sell,QUANTITY
  cancel,ID          modify,ID,PRICE,QUANTITY          reduce,ID,BY
  replace,ID,NEW_ID,PRICE,QUANTITY

Empty lines and lines that begin with # are skipped.
)";

}  // namespace

int main(int argc, char** argv) {
  return run_program(argc, argv, {"replay", usage, "one file of requests", 1, 1},
                     [](std::span<const std::string> arguments) { return run(arguments[0]); });
}
