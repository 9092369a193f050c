// SPDX-License-Identifier: MIT
//
// A made market as events for a simulator, matched by a book of ours. The same on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "llmes/book.hpp"
#include "llmes/ids.hpp"
#include "llmes/simulator.hpp"

namespace market_maker {

using namespace llmes;

/// A small market: orders come around a price that wanders, leave, and are executed in their turn.
class MadeMarket {
 public:
  std::vector<MarketEvent> make(std::size_t count) {
    while (events_.size() < count) {
      const Side side = next(2) == 0 ? Side::Buy : Side::Sell;
      const Price best = side == Side::Buy ? mid_ - 1 : mid_ + 1;
      if (next(40) == 0) mid_ += static_cast<Price>(next(3)) - 1;
      time_ += 1'000'000 * (1 + next(9));
      if (next(3) != 0) {
        const Price price =
            side == Side::Buy ? best - static_cast<Price>(next(3)) : best + static_cast<Price>(next(3));
        limit(side, price, 1 + next(20));
      } else if (next(2) == 0 && id_ != 0) {
        const OrderId id = id_ - next(id_ < 30 ? id_ : 30);
        if (book_->cancel_order(id) == Status::Success) tell({.id = id}, MarketEventType::Cancel);
      } else {
        limit(side, side == Side::Buy ? best + 3 : best - 3, 1 + next(30));
      }
    }
    return std::move(events_);
  }

 private:
  std::uint64_t next(std::uint64_t bound) {
    state_ = state_ * 6'364'136'223'846'793'005u + 1'442'695'040'888'963'407u;
    return (state_ >> 33) % bound;
  }
  void tell(MarketEvent event, MarketEventType type) {
    event.type = type;
    event.time = time_;
    event.record = events_.size();
    events_.push_back(event);
  }
  void limit(Side side, Price price, Quantity quantity) {
    const auto trade = [&](const Trade& fill) {
      tell({.id = fill.maker_id, .quantity = fill.quantity, .last = false}, MarketEventType::Execute);
    };
    const Result result = book_->add_limit_order(++id_, side, price, quantity, TimeInForce::GoodTillCancel, trade);
    if (result.rests()) {
      tell({.id = id_, .price = price, .quantity = result.remaining, .side = side}, MarketEventType::Add);
    } else {
      events_.back().last = true;
    }
  }

  std::optional<IdBook<AnyPriceBook<>, HashedIds>> book_ =
      IdBook<AnyPriceBook<>, HashedIds>::create({.capacity = 100'000}, {});
  std::vector<MarketEvent> events_;
  std::uint64_t state_ = 1;
  Nanoseconds time_ = 0;
  Price mid_ = 1'000;
  OrderId id_ = 0;
};

}  // namespace market_maker
