// SPDX-License-Identifier: MIT
//
// Refuses a strategy that would not be called: a member that cannot take its call, a name that nobody calls, or no
// member at all. Without it such a strategy compiles, and hears nothing.
#pragma once

#include <cstdint>
#include <type_traits>

#include "llmes/detail/member_names.hpp"
#include "llmes/simulator/agenda.hpp"
#include "llmes/simulator/own_order.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// A strategy that is never called, for a program that gives its orders through `Simulator::desk`.
struct NoStrategy {};

namespace detail {

// The calls, with what they are given behind the desk.
#define LLMES_FOR_EACH_CALLBACK(DO)                     \
  DO(on_start, "auto& desk")                            \
  DO(on_market, "auto& desk, BookNumber", book)         \
  DO(on_trade, "auto& desk, const MarketTrade&", trade) \
  DO(on_answer, "auto& desk, const Answer&", answer)    \
  DO(on_fill, "auto& desk, const OwnFill&", fill)       \
  DO(on_timer, "auto& desk, std::uint64_t", tag)

// Names from other tools, and those that are written by mistake. One is a mistake only where the call is missing:
// a strategy may call what it likes.
// clang-format off
#define LLMES_FOR_EACH_NEAR_NAME(DO)                                                                        \
  DO(on_begin, on_start) DO(on_init, on_start) DO(on_started, on_start) DO(onStart, on_start)               \
  DO(on_bbo, on_market) DO(on_book, on_market) DO(on_depth, on_market) DO(on_market_data, on_market)        \
  DO(on_markets, on_market) DO(on_quote, on_market) DO(on_touch, on_market) DO(on_update, on_market)        \
  DO(onMarket, on_market)                                                                                   \
  DO(on_market_trade, on_trade) DO(on_print, on_trade) DO(on_traded, on_trade) DO(on_trades, on_trade)      \
  DO(onTrade, on_trade)                                                                                     \
  DO(on_accepted, on_answer) DO(on_ack, on_answer) DO(on_answers, on_answer) DO(on_cancelled, on_answer)    \
  DO(on_order, on_answer) DO(on_order_update, on_answer) DO(on_rejected, on_answer) DO(on_reply, on_answer) \
  DO(on_response, on_answer) DO(onAnswer, on_answer)                                                        \
  DO(on_executed, on_fill) DO(on_execution, on_fill) DO(on_filled, on_fill) DO(on_fills, on_fill)           \
  DO(on_own_fill, on_fill) DO(on_own_trade, on_fill) DO(onFill, on_fill)                                    \
  DO(on_alarm, on_timer) DO(on_clock, on_timer) DO(on_time, on_timer) DO(on_timeout, on_timer)              \
  DO(on_timers, on_timer) DO(on_wake, on_timer) DO(onTimer, on_timer)
// clang-format on

struct StrategyNames {
#define LLMES_NAME(name, ...) int name;
  LLMES_FOR_EACH_CALLBACK(LLMES_NAME)
  LLMES_FOR_EACH_NEAR_NAME(LLMES_NAME)
#undef LLMES_NAME
};

/// Has the members that a strategy of these types is called for.
template <class Strategy, class Desk>
struct Hears {
#define LLMES_HEARS(name, words, ...)                                                                        \
  static constexpr bool name =                                                                               \
      requires(Strategy& strategy, Desk& desk, BookNumber book, std::uint64_t tag, const MarketTrade& trade, \
               const Answer& answer, const OwnFill& fill) { strategy.name(desk __VA_OPT__(, ) __VA_ARGS__); };
  LLMES_FOR_EACH_CALLBACK(LLMES_HEARS)
#undef LLMES_HEARS

  static constexpr bool anything = on_start || on_market || on_trade || on_answer || on_fill || on_timer;
};

template <class Strategy, class Desk>
consteval void check_strategy() noexcept {
  using Heard = Hears<Strategy, Desk>;
  using Names = WithNames<Strategy, StrategyNames>;
#define LLMES_CHECK(name, words, ...)                                             \
  static_assert(!has_member(                                                      \
                    requires { &Strategy::name; }, requires { &Names::name; }) || \
                    Heard::name,                                                  \
                "llmes: the strategy's member `" #name "` cannot take (" words ")");
  LLMES_FOR_EACH_CALLBACK(LLMES_CHECK)
#undef LLMES_CHECK
#define LLMES_CHECK(near, name)                                                   \
  static_assert(!has_member(                                                      \
                    requires { &Strategy::near; }, requires { &Names::near; }) || \
                    Heard::name,                                                  \
                "llmes: nobody calls the strategy's member `" #near "`; is it `" #name "`?");
  LLMES_FOR_EACH_NEAR_NAME(LLMES_CHECK)
#undef LLMES_CHECK
  static_assert(Heard::anything || std::is_same_v<Strategy, NoStrategy>,
                "llmes: the strategy has no member that is called, such as `on_market(auto& desk, BookNumber)`; a "
                "program that gives the orders itself has NoStrategy");
}

#undef LLMES_FOR_EACH_CALLBACK
#undef LLMES_FOR_EACH_NEAR_NAME
}  // namespace detail
}  // namespace llmes::inline LLMES_NAMESPACE
