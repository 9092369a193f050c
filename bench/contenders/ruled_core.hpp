// SPDX-License-Identifier: MIT
//
// The core with all rules compiled in, and terms for a share of the orders. A term must not change what trades, or
// the work would not be that of the other books: each of these orders has an owner of its own, and a mode to be
// checked.
#pragma once

#include <cstddef>
#include <optional>
#include <tuple>
#include <utility>

#include "llmes/book.hpp"
#include "llmes/rules.hpp"

namespace llmes::bench {

/// `EveryNth`: which orders have terms, by id; 0: none.
template <std::size_t PriceLevels, OrderId EveryNth>
class RuledCore : public RuledOrderBook<PriceLevels> {
  using Core = RuledOrderBook<PriceLevels>;

 public:
  static std::optional<RuledCore> create(const BookConfig& config) {
    std::optional<Core> book = Core::create(config);
    if (!book) return std::nullopt;
    return RuledCore(*std::move(book));
  }

  /// The two frequent calls by their names, as a copy of a whole command would cost more than the rules.
  template <TradeSink Sink>
  [[gnu::always_inline]] Result apply(const Command& command, Sink& sink) noexcept {
    const auto& [id, handle] = static_cast<const Command::Names&>(command);
    const auto& [price, quantity, side] = std::tie(command.price, command.quantity, command.side);
    if (command.type == CommandType::AddLimit) {
      if constexpr (EveryNth != 0) {
        if (id % EveryNth == 0) {
          const OrderTerms terms{.owner = static_cast<Owner>(id % 0xffff'ffff + 1),
                                 .self_trade = SelfTrade::CancelTaker};
          return this->add_limit_order(id, side, price, quantity, command.time_in_force, terms, sink);
        }
      }
      return this->add_limit_order(id, side, price, quantity, command.time_in_force, sink);
    }
    NoDetails none;
    if (command.type == CommandType::Cancel) {
      return this->template execute<CommandType::Cancel>(RuledCommand::cancel(handle), sink, none);
    }
    if (command.type == CommandType::MassCancel) return {Status::InvalidCommand};  // other books have none
    return Core::apply(RuledCommand{{id, handle}, price, quantity, command.type, side, command.time_in_force},
                       sink);
  }

 private:
  explicit RuledCore(Core&& book) : Core(std::move(book)) {}
};

template <std::size_t PriceLevels>
using UnusedRulesBook = RuledCore<PriceLevels, 0>;
template <std::size_t PriceLevels>
using RulesForOnePercentBook = RuledCore<PriceLevels, 100>;
template <std::size_t PriceLevels>
using RulesForTenPercentBook = RuledCore<PriceLevels, 10>;

}  // namespace llmes::bench
