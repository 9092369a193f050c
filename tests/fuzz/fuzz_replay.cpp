// SPDX-License-Identifier: MIT
//
// Files that are almost files of requests, read by the example. It must name the line that is wrong. A file that
// is right is replayed as one span by ids; a book beside it, with a map from ids to handles, must give the same
// answers.
#define main replay_main  // a program, not a library
#include "examples/replay.cpp"
#undef main

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <unordered_map>

#include "tests/fuzz/expect.hpp"
#include "tests/support/record_trades.hpp"

namespace {

using llmes::test::expect;

using Book = IdBook<OrderBook<>, HashedIds>;

std::vector<Result> one_by_one(OrderBook<>& book, const std::vector<Request>& requests, TradeSink auto& sink) {
  std::vector<Result> results;
  std::unordered_map<OrderId, OrderHandle> handles;
  for (const Request& request : requests) {
    const auto [id, new_id] = static_cast<const Request::Names&>(request);
    const auto order = book.find(handles[id]);
    const bool replaced = replaces(request.type) && order;
    if (adds(request.type) && order) {
      results.push_back({Status::DuplicateId});
    } else if (replaced && new_id != id && book.find(handles[new_id])) {
      results.push_back({Status::DuplicateId, order->handle, 0, order->quantity, 0, true});
    } else {
      const OrderId named = replaced ? new_id : id;
      const Result result = book.apply({{named, handles[id]},
                                        request.price,
                                        request.quantity,
                                        request.type,
                                        request.side,
                                        request.time_in_force},
                                       sink);
      if (result.rests()) handles[named] = result.handle;
      results.push_back(result);
    }
  }
  return results;
}

void check(const std::string& text) {
  std::istringstream file(text);
  std::vector<Request> requests;
  try {
    requests = read(file, "text");
  } catch (const std::runtime_error& error) {
    expect(std::string_view(error.what()).starts_with("text:"), "a message without its line");
    return;
  }
  const BookConfig config{.base_price = 0, .capacity = requests.size() + 1};
  OrderBook<> expected_book = OrderBook<>::create(config).value();
  Book book = Book::create(config, {}).value();
  llmes::test::RecordTrades expected_sink;
  llmes::test::RecordTrades sink;
  std::vector<Result> results;
  book.apply(
      requests.size(), [&](std::size_t i) -> const Request& { return requests[i]; },
      [&](const Result& result) { results.push_back(result); }, sink);
  expect(results == one_by_one(expected_book, requests, expected_sink), "the results of a replay");
  expect(sink.trades == expected_sink.trades, "the trades of a replay");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check({reinterpret_cast<const char*>(data), size});
  return 0;
}
