// SPDX-License-Identifier: MIT
//
// What a call auction must do: the price by a search over all prices, and the trades from two lists that are
// zipped. The second part of the oracle of books with rules.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "llmes/types/auction.hpp"
#include "llmes/types/terms.hpp"
#include "llmes/types/types.hpp"
#include "tests/support/ruled_sweep.hpp"

namespace llmes::test {

inline Quantity at_most_largest(RuledSweep::Wide lots) {
  constexpr Quantity largest = std::numeric_limits<Quantity>::max();
  return lots > largest ? largest : static_cast<Quantity>(lots);
}

/// All lots of one side of a book that trade at a price.
inline RuledSweep::Wide lots_at_or_better(const RuledOrders& orders, BookNumber book, Side side, Price price) {
  RuledSweep::Wide lots = 0;
  for (const RuledOrder& order : orders) {
    if (order.book != book || order.shown.side != side) continue;
    if (side == Side::Buy ? order.shown.price >= price : order.shown.price <= price) lots += order.total();
  }
  return lots;
}

/// The prices of all orders, those next to them and the reference: between them nothing changes.
inline std::vector<Price> prices_that_matter(const RuledOrders& orders, Price reference) {
  std::vector<Price> prices{reference};
  for (const RuledOrder& order : orders) {
    prices.push_back(order.shown.price);
    if (order.shown.price != std::numeric_limits<Price>::min()) prices.push_back(order.shown.price - 1);
    if (order.shown.price != std::numeric_limits<Price>::max()) prices.push_back(order.shown.price + 1);
  }
  std::sort(prices.begin(), prices.end());
  prices.erase(std::unique(prices.begin(), prices.end()), prices.end());
  return prices;
}

/// The price of an auction among `prices`, rule by rule: each strikes prices off. Two that are left at the end are
/// a fault of the rules, told by a quantity of 0, unless `prices` leaves some out: then the lower one is it.
inline std::optional<AuctionPrice> auction_price(const RuledOrders& orders, BookNumber book,
                                                 const std::vector<Price>& prices, Price reference,
                                                 bool may_be_two = false) {
  using Wide = RuledSweep::Wide;
  struct Candidate {
    Price price;
    Wide buys, sells;
    [[nodiscard]] Wide quantity() const { return std::min(buys, sells); }
    [[nodiscard]] Wide left() const { return std::max(buys, sells) - quantity(); }
  };
  std::vector<Candidate> all;
  Wide most = 0;
  for (const Price price : prices) {
    all.push_back({price, lots_at_or_better(orders, book, Side::Buy, price),
                   lots_at_or_better(orders, book, Side::Sell, price)});
    most = std::max(most, all.back().quantity());
  }
  if (most == 0) return {};
  std::erase_if(all, [&](const Candidate& c) { return c.quantity() != most; });

  Wide least = all.front().left();
  for (const Candidate& c : all) least = std::min(least, c.left());
  std::erase_if(all, [&](const Candidate& c) { return c.left() != least; });

  if (least > 0) {
    std::optional<Price> highest_with_buys;
    std::optional<Price> lowest_with_sells;
    for (const Candidate& c : all) {
      if (c.buys > c.sells) highest_with_buys = std::max(highest_with_buys.value_or(c.price), c.price);
      if (c.buys < c.sells) lowest_with_sells = std::min(lowest_with_sells.value_or(c.price), c.price);
    }
    std::erase_if(all, [&](const Candidate& c) {
      return c.price != (c.buys > c.sells ? *highest_with_buys : *lowest_with_sells);
    });
  }

  const auto distance = [reference](const Candidate& c) {
    const auto low = static_cast<std::uint64_t>(std::min(c.price, reference));
    return static_cast<std::uint64_t>(std::max(c.price, reference)) - low;
  };
  std::uint64_t nearest = distance(all.front());
  for (const Candidate& c : all) nearest = std::min(nearest, distance(c));
  std::erase_if(all, [&](const Candidate& c) { return distance(c) != nearest; });
  if (all.size() != 1 && !may_be_two) return AuctionPrice{};

  const Candidate& one = all.front();
  return AuctionPrice{one.price, at_most_largest(most), at_most_largest(least),
                      one.buys < one.sells ? Side::Sell : Side::Buy};
}

/// One uncross. It changes `orders`.
class AuctionRun {
 public:
  using Wide = RuledSweep::Wide;

  AuctionRun(const RulesOracleConfig& config, RuledOrders& orders, BookNumber book, Price price, bool prevents)
      : config_(config), orders_(orders), book_(book) {
    const Wide buys = lots_at_or_better(orders, book, Side::Buy, price);
    const Wide sells = lots_at_or_better(orders, book, Side::Sell, price);
    const Wide lots = std::min(buys, sells);
    zip(parts_of(Side::Buy, lots), parts_of(Side::Sell, lots), price, prevents);
  }

  Wide filled = 0;
  Wide prevented = 0;
  RuleEvents events;

 private:
  /// What one order gives, and what follows when all of that has traded.
  struct Part {
    AuctionOrder order;  ///< before
    Quantity lots;
    std::optional<Refilled> then{};
  };

  /// Takes `lots` off a side, level by level: a level whose lots all go gives its orders one after the other; of
  /// the last one a taker would get what is wanted.
  std::vector<Part> parts_of(Side side, Wide lots) {
    std::vector<Part> parts;
    while (lots > 0) {
      const Price none_better =
          side == Side::Sell ? std::numeric_limits<Price>::max() : std::numeric_limits<Price>::min();
      const Price price = *RuledSweep::best_within(orders_, book_, opposite(side), none_better);
      const auto level = RuledSweep::queue(orders_, book_, side, price);
      Wide of_level = 0;
      for (const auto order : level) of_level += order->total();
      if (of_level > lots) {
        part_of_level(side, price, static_cast<Quantity>(lots), parts);
        return parts;
      }
      for (const auto order : level) {
        parts.push_back({seen(*order), order->total()});
        orders_.erase(order);
      }
      lots -= of_level;
    }
    return parts;
  }

  void part_of_level(Side side, Price price, Quantity lots, std::vector<Part>& parts) {
    RuledOrders before = orders_;
    RuledOrder taker;
    taker.book = book_;
    taker.shown.side = opposite(side);
    RuledSweep sweep(config_, orders_, taker, lots, SelfTrade::Allow);
    sweep.run(price);
    for (const RuleEvent& event : sweep.events) {
      if (const auto* refill = std::get_if<Refilled>(&event)) {
        parts.back().then = *refill;
        continue;
      }
      const auto& trade = std::get<RuledTrade>(event);
      const auto order = std::find_if(before.begin(), before.end(), [&](const RuledOrder& one) {
        return one.shown.handle == trade.maker_handle;
      });
      parts.push_back({seen(*order), trade.quantity});
      // As it was before its next fill.
      if (order->is_hidden()) {
        order->reserve -= trade.quantity;
      } else {
        order->shown.quantity -= trade.quantity;
        if (order->shown.quantity == 0) order->show_of(order->total());
      }
    }
  }

  static AuctionOrder seen(const RuledOrder& order) {
    AuctionOrder result;
    result.id = order.shown.id;
    result.handle = order.shown.handle;
    result.limit = order.shown.price;
    result.remaining = order.total();
    result.displayed = order.shown.quantity;
    result.owner = order.owner;
    result.display = order.display;
    return result;
  }

  void zip(std::vector<Part> buys, std::vector<Part> sells, Price price, bool prevents) {
    std::size_t b = 0;
    std::size_t s = 0;
    while (b < buys.size() && s < sells.size()) {
      Part& buy = buys[b];
      Part& sell = sells[s];
      AuctionMatch match;
      match.price = price;
      match.quantity = std::min(buy.lots, sell.lots);
      match.buy = met(buy, match.quantity);
      match.sell = met(sell, match.quantity);
      if (prevents && buy.order.owner != 0 && buy.order.owner == sell.order.owner) {
        prevented += match.quantity;
        events.emplace_back(PreventedAuctionTrade{match});
      } else {
        filled += match.quantity;
        events.emplace_back(AuctionTrade{match});
      }
      for (auto* part : {&buy, &sell}) {
        if (part->lots == 0 && part->then) events.emplace_back(*part->then);
      }
      if (buy.lots == 0) ++b;
      if (sell.lots == 0) ++s;
    }
  }
  /// The order after so many lots of a part, which has so many fewer then.
  static AuctionOrder met(Part& part, Quantity lots) {
    part.lots -= lots;
    part.order.shown = std::min(lots, part.order.displayed);
    part.order.displayed -= part.order.shown;
    part.order.remaining -= lots;
    return part.order;
  }

  const RulesOracleConfig& config_;
  RuledOrders& orders_;
  const BookNumber book_;
};

}  // namespace llmes::test
