// SPDX-License-Identifier: MIT
//
// A gateway in front of a book. Its clients call an order by a number of their own choice; the book calls it by
// a handle. The gateway keeps the map between the two, and keeps it exact: an order is in the map if and only
// if it rests. It has no need to ask the book which makers a trade used up, because every trade says what is
// left of its maker.
#include <iostream>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "llmes/llmes.hpp"

namespace {

using namespace llmes;

class Gateway {
 public:
  explicit Gateway(OrderBook<> book) : book_(std::move(book)) { handles_.reserve(book_.capacity()); }

  std::string_view add(OrderId id, Side side, Price price, Quantity quantity, TimeInForce time_in_force) {
    // The entry is made before the book is asked: if there is no memory for it, no order rests without one.
    const auto [entry, is_new] = handles_.try_emplace(id);
    if (!is_new) return "duplicate id";
    const Result result = book_.add_limit_order(id, side, price, quantity, time_in_force,
                                                [this](const Trade& trade) { on_trade(trade); });
    keep_if_resting(id, result.handle);
    return to_string(result.status);
  }

  std::string_view replace(OrderId id, Price price, Quantity quantity) {
    const auto entry = handles_.find(id);
    if (entry == handles_.end()) return "unknown id";
    const Result result =
        book_.modify_order(entry->second, price, quantity, [this](const Trade& trade) { on_trade(trade); });
    // A rejected modify leaves the order where it was; one that filled the order whole has taken it away.
    if (result.status == Status::Success) keep_if_resting(id, result.handle);
    return to_string(result.status);
  }

  std::string_view cancel(OrderId id) {
    const auto entry = handles_.find(id);
    if (entry == handles_.end()) return "unknown id";
    const Status status = book_.cancel_order(entry->second);
    handles_.erase(entry);
    return to_string(status);
  }

  /// Whether the map names every resting order, and no other.
  [[nodiscard]] bool exact() const {
    for (const auto& [id, handle] : handles_) {
      const auto order = book_.find(handle);
      if (!order || order->id != id) return false;
    }
    return handles_.size() == book_.size();
  }

  [[nodiscard]] std::size_t open_orders() const { return handles_.size(); }

 private:
  /// Tells the clients of a trade, and forgets a maker that is used up. Nothing here calls the book.
  void on_trade(const Trade& trade) {
    std::cout << "  trade: " << trade.quantity << " at " << trade.price << ", " << trade.taker_id << " from "
              << trade.maker_id << ", " << trade.maker_remaining << " left of it\n";
    if (trade.maker_remaining == 0) handles_.erase(trade.maker_id);
  }

  void keep_if_resting(OrderId id, OrderHandle handle) {
    if (book_.find(handle)) {
      handles_[id] = handle;
    } else {
      handles_.erase(id);
    }
  }

  OrderBook<> book_;
  std::unordered_map<OrderId, OrderHandle> handles_;
};

}  // namespace

int main() {
  using enum Side;
  using enum TimeInForce;

  auto book = OrderBook<>::create({.base_price = 1000, .capacity = 100});
  if (!book) return 1;
  Gateway gateway(std::move(*book));
  bool exact = true;
  const auto report = [&](std::string_view request, std::string_view reply) {
    std::cout << request << ": " << reply << ", " << gateway.open_orders() << " open\n";
    exact = exact && gateway.exact();
  };

  report("sell 7: 10 at 1500", gateway.add(7, Sell, 1500, 10, GoodTillCancel));
  report("sell 8: 10 at 1501", gateway.add(8, Sell, 1501, 10, GoodTillCancel));
  report("sell 7 once more", gateway.add(7, Sell, 1502, 10, GoodTillCancel));
  report("buy 20: 15 at 1501", gateway.add(20, Buy, 1501, 15, GoodTillCancel));
  report("cancel 7, which is filled", gateway.cancel(7));
  report("sell 7, whose number is free again", gateway.add(7, Sell, 1510, 5, GoodTillCancel));
  report("replace 7: 5 at 999", gateway.replace(7, 999, 5));
  report("replace 7: 3 at 1505", gateway.replace(7, 1505, 3));
  report("buy 21: 100 at 1505, now or never", gateway.add(21, Buy, 1505, 100, FillOrKill));
  report("buy 22: 100 at 1505, the rest rests", gateway.add(22, Buy, 1505, 100, GoodTillCancel));
  report("cancel 22", gateway.cancel(22));

  std::cout << (exact ? "the map was exact after every request\n" : "the map went wrong\n");
  return exact ? 0 : 1;
}
