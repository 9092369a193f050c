// SPDX-License-Identifier: MIT
//
// queue_fills FILE: what orders get in a DBN file, as a judge in another language can read it. See `usage` below.
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "examples/support/output.hpp"
#include "llmes/dbn.hpp"
#include "llmes/simulator.hpp"

namespace llmes::test {
namespace {

constexpr const char* usage = R"(usage: queue_fills FILE TICK <ORDERS

Plays a FILE of DBN records (schema mbo, one instrument, no header) with each of the orders, alone. A line of ORDERS is an order: its
side (B or S), price, lots, the times when it is sent and cancelled (0: never), and the latency of both. Prices are
billionths, and multiples of TICK. A modify of the same price and size loses its place. Prints a line for each fill: the
number of the order, from 0, time, record, price, lots, T for a taker and M for a maker, and the cause.
)";

struct SendOne {
  ShadowOrder order;

  void on_start(auto& desk) {
    desk.wake_at(order.time, 0);
    if (order.cancel_time != ShadowOrder::never) desk.wake_at(order.cancel_time, 1);
  }
  void on_timer(auto& desk, std::uint64_t tag) {
    if (tag == 1) static_cast<void>(desk.cancel(0));
    if (tag == 0) static_cast<void>(desk.add(order.book, order.side, order.price, order.quantity));
  }
};

std::vector<MarketEvent> read_tape(const std::string& path, Price tick) {
  std::ifstream file(path, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  std::optional<DbnEvents> feed = DbnEvents::create(1, tick, true);
  if (!feed) throw std::runtime_error("no memory for the events");
  std::vector<MarketEvent> tape;
  dbn::RecordReader reader(std::as_bytes(std::span(content)));
  while (const dbn::Mbo* record = reader.next())
    feed->apply(*record, [&](const MarketEvent& event) { tape.push_back(event); });
  if (reader.fault().status != dbn::ReadStatus::Success)
    throw std::runtime_error(path + ": " + to_string(reader.fault()));
  return tape;
}

int run(const std::string& path, Price tick) {
  const std::vector<MarketEvent> tape = read_tape(path, tick);
  char side = 0;
  ShadowOrder order;
  Nanoseconds latency = 0;
  for (std::size_t number = 0;
       std::cin >> side >> order.price >> order.quantity >> order.time >> order.cancel_time >> latency; ++number) {
    order.side = side == 'B' ? Side::Buy : Side::Sell;
    order.price /= tick;
    if (order.cancel_time == 0) order.cancel_time = ShadowOrder::never;
    SimulatorConfig config;
    config.market = {.books = 1, .capacity = tape.size() + 1};
    config.latencies.entry = config.latencies.cancel = Delay(latency);
    config.orders_max = 1;
    CreateStatus status{};
    auto simulator = Simulator<SendOne>::create(config, {SendOne{order}}, status);
    auto shadows = Shadows::create(config, {order}, status);
    if (!simulator || !shadows) throw std::runtime_error("no memory for a simulator");
    if (simulator->on_events(tape) != 0) throw std::runtime_error(path + ": has events that do not fit");
    shadows->on_events(tape);
    simulator->finish();
    shadows->finish();
    Quantity filled = 0;
    for (const OwnFill& fill : simulator->run(0).fills()) {
      std::cout << number << ' ' << fill.time << ' ' << fill.record << ' ' << fill.price * tick << ' '
                << fill.quantity << ' ' << (fill.is_maker() ? 'M' : 'T') << ' ' << to_string(fill.cause) << '\n';
      filled += fill.quantity;
    }
    if (shadows->results()[0].filled != filled)
      throw std::runtime_error("a shadow has other fills than a strategy");
  }
  return 0;
}

}  // namespace
}  // namespace llmes::test

int main(int argc, char** argv) {
  check_output_at_exit(argv[0]);
  if (argc == 2 && std::string_view(argv[1]) == "--help") {
    std::cout << llmes::test::usage;
    return 0;
  }
  const llmes::Price tick = argc == 3 ? std::strtoll(argv[2], nullptr, 10) : 0;
  if (tick < 1) {
    std::cerr << llmes::test::usage;
    return 2;
  }
  try {
    return llmes::test::run(argv[1], tick);
  } catch (const std::exception& error) {
    std::cerr << "queue_fills: " << error.what() << '\n';
    return 1;
  }
}
