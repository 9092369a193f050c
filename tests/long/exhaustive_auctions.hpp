// SPDX-License-Identifier: MIT
//
// Every auction of up to so many orders: two owners and nobody, two prices, orders that show all, a part or
// nothing, each way to treat orders of one owner, and each of the two prices to end at. The price, each event, the
// whole state and the invariants are compared with the oracle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "llmes/rules.hpp"
#include "tests/support/any_ruled_book.hpp"
#include "tests/support/auction_oracle.hpp"
#include "tests/support/difference.hpp"
#include "tests/support/ruled_invariants.hpp"
#include "tests/support/ruled_text.hpp"
#include "tests/support/rules_oracle.hpp"
#include "tests/support/snapshot.hpp"

namespace llmes::test {

template <Allocation allocation>
class EveryAuction {
 public:
  /// Makes those of `length` orders, or of fewer, and says how many they were, or what it has found.
  bool search(std::size_t length, const char* what) {
    if (!extend(length)) return false;
    std::printf("exhaustive, %s: up to %zu orders, %ju auctions, no disagreement\n", what, length,
                std::uintmax_t{auctions_});
    return true;
  }

 private:
  using Book = OrderBook<64, ArraySideBook, VenueRules<allocation>>;
  static constexpr Price low = -33;
  static constexpr Price high = -32;

  static std::vector<RuledCommand> all_orders() {
    std::vector<RuledCommand> orders;
    for (const Side side : {Side::Buy, Side::Sell}) {
      for (const Price price : {low, high}) {
        const auto add = [&](Quantity quantity, const OrderTerms& terms) {
          orders.push_back(RuledCommand::add_resting(0, side, price, quantity).with(terms));
        };
        add(2, {});
        add(1, {.owner = 1});
        add(3, {.owner = 2});
        add(4, {.owner = 1, .display = Display::Reserve, .peak = 1});
        add(3, {.display = Display::Reserve, .peak = 2});
        add(2, {.owner = 2, .display = Display::Hidden});
      }
    }
    return orders;
  }

  /// The auctions of the orders so far, and with up to `more` further ones.
  bool extend(std::size_t more) {
    for (const Price price : {low, high}) {
      for (const SelfTrade mode : {SelfTrade::Allow, SelfTrade::Decrement}) {
        const std::string difference = end_at(price, mode);
        if (difference.empty()) continue;
        std::fprintf(stderr, "an auction at %jd by %s differs: %s\n", std::intmax_t{price},
                     std::string(to_string(mode)).c_str(), difference.c_str());
        for (const RuledCommand& order : orders_) std::fprintf(stderr, "%s\n", to_string(order).c_str());
        return false;
      }
    }
    if (more == 0) return true;
    for (const RuledCommand& order : alphabet_) {
      orders_.push_back(order);
      orders_.back().id = orders_.size();
      if (!extend(more - 1)) return false;
      orders_.pop_back();
    }
    return true;
  }

  /// One auction of the orders. @return what differs; empty if nothing does.
  std::string end_at(Price price, SelfTrade mode) {
    ++auctions_;
    Book book = *Book::create({.base_price = low - 31, .capacity = 8});
    RulesOracle oracle({.price_min = low - 31, .price_max = low + 32, .capacity = 8, .allocation = allocation});
    for (const RuledCommand& order : orders_) {
      static_cast<void>(oracle.apply({order, 0}));
      oracle.name_newest(book.apply(order, sink_).handle);
    }
    std::string difference;
    for (Price reference = low - 1; reference <= high + 1; ++reference) {
      note_difference(difference, "price", oracle.indicative(0, reference), book.indicative(reference));
    }
    sink_.events.clear();
    const RulesOracle::Outcome expected = oracle.uncross(0, price, mode);
    const Result result = book.uncross(price, mode, sink_);
    note_difference(difference, "result", Result{Status::Success, {}, expected.filled, 0, expected.cancelled},
                    result);
    note_difference(difference, "events", expected.events, sink_.events);
    for (const Side side : {Side::Buy, Side::Sell}) {
      note_difference(difference, "orders", oracle.orders(0, side), orders_of(book, side));
    }
    if (difference.empty()) difference = broken_invariant(book).value_or("");
    if (difference.empty()) difference = broken_rules(book, oracle.resting());
    return difference;
  }

  const std::vector<RuledCommand> alphabet_ = all_orders();
  std::vector<RuledCommand> orders_;
  std::uint64_t auctions_ = 0;
  RuleRecorder sink_;
};

}  // namespace llmes::test
