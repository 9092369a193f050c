// SPDX-License-Identifier: MIT
//
// The trade tape of a feed: every fill that its messages tell of, in their order.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>

#include "llmes/detail/member_names.hpp"
#include "llmes/itch/decode.hpp"
#include "llmes/itch/framing.hpp"
#include "llmes/itch/messages.hpp"
#include "llmes/types/arguments.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

enum class FeedTradeType : std::uint8_t {
  Execution,  ///< of an order of the book
  Hidden,     ///< of an order that was not displayed
  Cross,      ///< of an auction: all shares of it in one
  Broken,     ///< the fill of that match number is undone; price and shares are 0
};

struct FeedTrade {
  FeedTradeType type = FeedTradeType::Execution;
  itch::Locate locate{};
  itch::Price4 price{};
  std::uint64_t shares = 0;
  itch::MatchNumber match{};
  itch::Reference reference{};  ///< of the order of an execution; else 0
  Side maker_side = Side::Buy;  ///< of the order of an execution; nobody knows that of the others
  bool printable = true;        ///< false if the message of a cross has these shares as well

  friend constexpr bool operator==(const FeedTrade&, const FeedTrade&) = default;
};

/// Gets each fill that messages tell of.
template <class F>
concept FeedTradeListener = requires(F& listener, const FeedTrade& trade) { listener.traded(trade); };

namespace detail {

struct TradedName {
  int traded;
};

/// The fill that a message tells of, if it does. `order` is what an execution hit, as it was before.
[[nodiscard]] inline std::optional<FeedTrade> trade_of(itch::MessageBytes message,
                                                       const RestingOrder& order = {}) noexcept {
  std::optional<FeedTrade> trade;
  const auto take = [&]<class M>(const M& told)
    requires(OneOf<M, itch::OrderExecuted, itch::OrderExecutedWithPrice, itch::Trade, itch::CrossTrade,
                   itch::BrokenTrade>)
  {
    trade = FeedTrade{.type = FeedTradeType::Broken, .locate = told.header.locate, .match = told.match};
    if constexpr (requires { told.shares; }) trade->shares = told.shares;
    if constexpr (OneOf<M, itch::OrderExecuted, itch::OrderExecutedWithPrice>) {
      trade->type = FeedTradeType::Execution;
      trade->price = static_cast<itch::Price4>(order.price);
      trade->reference = told.reference;
      trade->maker_side = order.side;
    } else if constexpr (requires { told.shares; }) {
      trade->type = requires { told.reference; } ? FeedTradeType::Hidden : FeedTradeType::Cross;
    }
    if constexpr (requires { told.price; }) trade->price = told.price;
    if constexpr (requires { told.printable; }) trade->printable = told.printable != 'N';
  };
  static_cast<void>(itch::decode(message, take));
  return trade;
}

/// Gives a listener what it takes of a message that has changed an order.
template <class Listener>
void tell(Listener& listener, itch::MessageBytes message, const RestingOrder& order) {
  if constexpr (requires { listener(message, order); }) {
    listener(message, order);
  } else if constexpr (requires { listener(message); }) {
    listener(message);
  }
  if constexpr (FeedTradeListener<Listener>) {
    if (const std::optional<FeedTrade> trade = trade_of(message, order)) listener.traded(*trade);
  } else {
    using Class = std::remove_cv_t<Listener>;
    static_assert(!has_member(
                      requires { &Class::traded; }, requires { &WithNames<Class, TradedName>::traded; }),
                  "llmes: the listener's member `traded` cannot take a const FeedTrade&");
  }
}

}  // namespace detail

}  // namespace llmes::inline LLMES_NAMESPACE
