// SPDX-License-Identifier: MIT
//
// What a book with rules tells a sink beside fills. A sink hears of what it has a member for: `prevented` takes a
// `PreventedMatch`, and in an auction a `PreventedAuctionTrade`; `refilled` takes a `RestingOrder`, as it is now;
// `cancelled` takes one that a mass cancel has taken off, as it was. In a span they may take the index of the
// command as well. As with fills, none may call the book. A member so named that cannot take it does not compile,
// nor does one of these names with `on_` before it, if there is none without.
#pragma once

#include <type_traits>

#include "llmes/detail/member_names.hpp"
#include "llmes/types/terms.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::detail {

struct RuleEventNames {
  void prevented();
  void refilled();
  void cancelled();
  void on_prevented();
  void on_refilled();
  void on_cancelled();
};
template <class Sink>
using WithRuleEventNames = WithNames<std::remove_cv_t<Sink>, RuleEventNames>;

/// `Match` is one of a taker or of an auction. `index` is that of the command in a span, or left out.
template <class Sink, class Match, class... Index>
[[gnu::always_inline]] inline void tell_prevented(Sink& sink, const Match& match,
                                                  [[maybe_unused]] Index... index) {
  if constexpr (requires { sink.prevented(match); }) {
    sink.prevented(match);
  } else if constexpr (requires { sink.prevented(match, index...); }) {
    sink.prevented(match, index...);
  } else {
    static_assert(
        !has_member(
            requires { &Sink::prevented; }, requires { &WithRuleEventNames<Sink>::prevented; }),
        "llmes: the sink's member `prevented` cannot take a const PreventedMatch& or PreventedAuctionTrade&");
    static_assert(!has_member(
                      requires { &Sink::on_prevented; }, requires { &WithRuleEventNames<Sink>::on_prevented; }),
                  "llmes: nobody calls the sink's member `on_prevented`; is it `prevented`?");
  }
}
template <class Sink, class... Index>
[[gnu::always_inline]] inline void tell_refilled(Sink& sink, const RestingOrder& order,
                                                 [[maybe_unused]] Index... index) {
  if constexpr (requires { sink.refilled(order); }) {
    sink.refilled(order);
  } else if constexpr (requires { sink.refilled(order, index...); }) {
    sink.refilled(order, index...);
  } else {
    static_assert(!has_member(
                      requires { &Sink::refilled; }, requires { &WithRuleEventNames<Sink>::refilled; }),
                  "llmes: the sink's member `refilled` cannot take a const RestingOrder&");
    static_assert(!has_member(
                      requires { &Sink::on_refilled; }, requires { &WithRuleEventNames<Sink>::on_refilled; }),
                  "llmes: nobody calls the sink's member `on_refilled`; is it `refilled`?");
  }
}
template <class Sink, class... Index>
[[gnu::always_inline]] inline void tell_cancelled(Sink& sink, const RestingOrder& order,
                                                  [[maybe_unused]] Index... index) {
  if constexpr (requires { sink.cancelled(order); }) {
    sink.cancelled(order);
  } else if constexpr (requires { sink.cancelled(order, index...); }) {
    sink.cancelled(order, index...);
  } else {
    static_assert(!has_member(
                      requires { &Sink::cancelled; }, requires { &WithRuleEventNames<Sink>::cancelled; }),
                  "llmes: the sink's member `cancelled` cannot take a const RestingOrder&");
    static_assert(!has_member(
                      requires { &Sink::on_cancelled; }, requires { &WithRuleEventNames<Sink>::on_cancelled; }),
                  "llmes: nobody calls the sink's member `on_cancelled`; is it `cancelled`?");
  }
}

}  // namespace llmes::inline LLMES_NAMESPACE::detail
