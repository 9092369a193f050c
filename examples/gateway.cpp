// SPDX-License-Identifier: MIT
//
// A morning at a gateway: two sessions, two symbols, and every kind of report. After each request the gateway
// is checked; the program fails if it was ever wrong. gateway/gateway.hpp is what to copy.
#include "gateway/gateway.hpp"

#include <array>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "usage.hpp"

namespace {

using namespace llmes;
using namespace gateway;

constexpr std::array<std::string_view, 2> symbols{"ACME", "ZINC"};

std::string text(const Quote& quote) {
  if (quote.quantity == 0) return "none";
  return std::to_string(quote.quantity) + " at " + std::to_string(quote.price);
}

/// Prints what the sessions and the market-data feed are sent, and checks the quantities that it sees.
class Wire {
 public:
  void on_report(const Report& report) {
    std::cout << "  " << to_string(report.type) << " to " << report.session << ": " << report.id;
    if (!report.original_id.empty()) std::cout << " for " << report.original_id;
    if (report.type == ReportType::Rejected) {
      std::cout << ", " << report.reason << '\n';
      return;
    }
    if (report.last_quantity > 0) std::cout << ", " << report.last_quantity << " at " << report.last_price;
    std::cout << ", ordered " << report.ordered << ", cumulative " << report.cumulative << ", leaves "
              << report.leaves << '\n';
    const Quantity cancelled = report.type == ReportType::Cancelled ? report.ordered - report.cumulative : 0;
    adds_up_ = adds_up_ && report.cumulative + report.leaves + cancelled == report.ordered;
  }

  void on_top_of_book(SymbolId symbol, const TopOfBook& top) {
    std::cout << "  top of " << symbols[symbol] << ": " << text(top.bid) << " / " << text(top.ask) << '\n';
  }

  [[nodiscard]] bool adds_up() const { return adds_up_; }

 private:
  bool adds_up_ = true;
};

/// Announces each request, makes it, and checks the gateway after it.
class Script {
 public:
  explicit Script(std::vector<OrderBook<>> books) : gateway_(std::move(books), wire_) {}

  void add(SessionId session, std::string_view id, const NewOrder& order) {
    std::cout << session << " adds " << id << ": " << order.side << ' ' << order.quantity;
    if (order.symbol < symbols.size()) std::cout << ' ' << symbols[order.symbol];
    if (order.type == OrderType::Limit) std::cout << " at " << order.price << ", " << order.time_in_force;
    std::cout << '\n';
    gateway_.add(session, id, order);
    check();
  }

  void replace(SessionId session, std::string_view original, std::string_view id, Price price, Quantity quantity) {
    std::cout << session << " replaces " << original << " by " << id << ": " << quantity << " at " << price
              << '\n';
    gateway_.replace(session, original, id, price, quantity);
    check();
  }

  void cancel(SessionId session, std::string_view id) {
    std::cout << session << " cancels " << id << '\n';
    gateway_.cancel(session, id);
    check();
  }

  /// Says how it went, and returns the exit status.
  [[nodiscard]] int verdict() const {
    std::cout << gateway_.open_orders() << " open orders; "
              << (exact_ ? "the gateway was exact after every request\n" : "the gateway went wrong\n");
    return exact_ ? 0 : 1;
  }

 private:
  void check() { exact_ = exact_ && gateway_.exact() && wire_.adds_up(); }

  Wire wire_;
  Gateway<Wire> gateway_;
  bool exact_ = true;
};

}  // namespace

int main(int argc, char** argv) {
  if (const auto status = answer_arguments(argc, argv, "a gateway in front of two books, step by step"))
    return *status;
  using enum Side;
  using enum TimeInForce;
  constexpr SymbolId acme = 0;
  constexpr SymbolId zinc = 1;

  std::vector<OrderBook<>> books;
  for (const Price base_price : {0, 10'000}) {
    CreateStatus created{};
    auto book = OrderBook<>::create({.base_price = base_price, .capacity = 4, .quantity_max = 1000}, created);
    if (!book) {
      std::cerr << "gateway: no book: " << created << '\n';
      return 1;
    }
    books.push_back(std::move(*book));
  }
  Script script(std::move(books));

  std::cout << "-- two sessions may use the same id; one session may not use it twice\n";
  script.add(1, "A1", {.symbol = acme, .side = Sell, .price = 101, .quantity = 30});
  script.add(2, "A1", {.symbol = acme, .side = Sell, .price = 102, .quantity = 50});
  script.add(1, "A1", {.symbol = zinc, .side = Buy, .price = 10'500, .quantity = 5});

  std::cout << "-- a taker hears New before its fills, and rests with what they leave\n";
  script.add(2, "B1", {.symbol = acme, .side = Buy, .price = 101, .quantity = 40});
  script.add(1, "A2", {.symbol = acme, .side = Sell, .price = 101, .quantity = 4});
  script.cancel(1, "A1");

  std::cout << "-- a replace with a new id: in its place, then trading at once, then refused\n";
  script.replace(2, "A1", "A9", 102, 45);
  script.replace(2, "B1", "B2", 102, 100);
  script.replace(2, "B2", "B3", 99'999, 100);
  script.replace(2, "B2", "B3", 102, 79);
  script.cancel(2, "B1");
  script.cancel(2, "B2");

  std::cout << "-- what does not rest is cancelled, or refused as a whole\n";
  script.add(1, "A3", {.symbol = zinc, .side = Sell, .price = 10'600, .quantity = 8});
  script.add(2, "C1", {zinc, Buy, 10'600, 10, ImmediateOrCancel});
  script.add(1, "A4", {.symbol = zinc, .side = Sell, .price = 10'600, .quantity = 8});
  script.add(2, "C2", {zinc, Buy, 10'600, 10, FillOrKill});
  script.add(2, "C3", {zinc, Buy, 10'600, 10, PostOnly});
  script.add(2, "C5", {zinc, Buy, 10'500, 10, PostOnly});
  script.replace(2, "C5", "C6", 10'600, 10);
  script.cancel(2, "C5");
  script.add(2, "C4", {.symbol = zinc, .side = Buy, .quantity = 3, .type = OrderType::Market});

  std::cout << "-- a level below the best is nobody's top of book; a cancel of the best is\n";
  script.add(1, "A5", {.symbol = zinc, .side = Sell, .price = 10'700, .quantity = 8});
  script.cancel(1, "A4");

  std::cout << "-- requests that no book sees\n";
  script.add(1, "an id of far too many characters", {.symbol = acme, .side = Buy, .price = 90, .quantity = 1});
  script.add(1, "A6", {.symbol = 2, .side = Buy, .price = 90, .quantity = 1});
  script.cancel(2, "A5");

  std::cout << "-- a slip of the finger\n";
  script.add(1, "A7", {.symbol = acme, .side = Buy, .price = 90, .quantity = 100'000});
  return script.verdict();
}
