// SPDX-License-Identifier: MIT
//
// Self-trade prevention as it is put before a book that has none: a hash map of users, and for each the prices of
// his open orders, a tree a side. One order in ten has a user, as in core_rules_10. What the check finds changes
// nothing, or the work would not be that of the other books.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "llmes/book.hpp"

namespace llmes::bench {

template <std::size_t PriceLevels>
class UserMapBook : public OrderBook<PriceLevels> {
  using Core = OrderBook<PriceLevels>;

 public:
  static std::optional<UserMapBook> create(const BookConfig& config) {
    std::optional<Core> book = Core::create(config);
    if (!book) return std::nullopt;
    return UserMapBook(*std::move(book));
  }

  template <TradeSink Sink>
  Result apply(const Command& command, Sink& sink) noexcept {
    const auto told = [this, &sink](const Trade& trade) {
      if (trade.maker_remaining == 0 && has_user(trade.maker_id)) {
        leave(trade.maker_id, opposite(trade.taker_side), trade.price);
      }
      sink(trade);
    };
    if (!has_user(command.id)) return Core::apply(command, told);
    std::optional<RestingOrder> before;
    if (!adds(command.type)) before = this->find(command.handle);
    if (adds(command.type)) found_ += meets_own(command);
    const Result result = Core::apply(command, told);
    if (result.status != Status::Success) return result;
    // A command by handle need not have the id of its order.
    if (before && has_user(before->id)) leave(before->id, before->side, before->price);
    const auto after = result.rests() ? this->find(result.handle) : std::nullopt;
    if (after && has_user(after->id)) {
      ++users_[user_of(after->id)][static_cast<std::size_t>(after->side)][after->price];
    }
    return result;
  }

 private:
  using User = std::array<std::map<Price, std::uint32_t>, 2>;  // open orders by price, for each side

  explicit UserMapBook(Core&& book) : Core(std::move(book)) {}

  static bool has_user(OrderId id) { return id % 10 == 0; }
  static std::uint32_t user_of(OrderId id) { return static_cast<std::uint32_t>(id / 10 % 64); }

  [[nodiscard]] bool meets_own(const Command& command) {
    const auto& makers = users_[user_of(command.id)][static_cast<std::size_t>(opposite(command.side))];
    if (makers.empty()) return false;
    if (command.type == CommandType::AddMarket) return true;
    return command.side == Side::Buy ? makers.begin()->first <= command.price
                                     : makers.rbegin()->first >= command.price;
  }
  void leave(OrderId id, Side side, Price price) {
    auto& prices = users_[user_of(id)][static_cast<std::size_t>(side)];
    const auto at = prices.find(price);
    if (at != prices.end() && --at->second == 0) prices.erase(at);
  }

  std::unordered_map<std::uint32_t, User> users_;
  std::uint64_t found_ = 0;
};

}  // namespace llmes::bench
