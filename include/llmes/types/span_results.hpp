// SPDX-License-Identifier: MIT
//
// How a span of commands returns its results: to a receiver, in the form that it takes, or into a span of results.
// Also how a receiver learns which order a cancel removed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

#include "llmes/detail/member_names.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// Gives `receiver` the result of command `index` of a span.
template <ResultReceiver Receiver>
[[gnu::always_inline]] inline void give_result(Receiver& receiver, const Result& result, std::size_t index) {
  if constexpr (requires { receiver(result); }) {
    receiver(result);
  } else {
    receiver(result, index);
  }
}

namespace detail {
struct ListenerNames {
  int cancelled;
};
}  // namespace detail

/// Whether a receiver takes the orders that cancels remove. A receiver whose member `cancelled` cannot be called
/// does not compile.
template <class MaybeReference>
[[nodiscard]] consteval bool listens_to_cancels() noexcept {
  using Listener = std::remove_reference_t<MaybeReference>;
  using Class = std::remove_cv_t<Listener>;
  using Names = detail::WithNames<Class, detail::ListenerNames>;
  constexpr bool cancelled = detail::has_member(
      requires { &Class::cancelled; }, requires { &Names::cancelled; });
  static_assert(!cancelled || CancelListener<Listener>,
                "llmes: the receiver's member `cancelled` cannot take a const RestingOrder&");
  return CancelListener<Listener>;
}

/// Cancels by `cancel(order)`, which fills in the order as it was, and passes that to `listener`.
template <CancelListener Listener, class Cancel>
[[gnu::always_inline]] inline Result tell_cancelled(Listener& listener, const Cancel& cancel) {
  RestingOrder order;
  const Status status = cancel(order);
  if (status != Status::Success) return {status};
  listener.cancelled(std::as_const(order));
  return {Status::Success, {}, 0, 0, order.quantity};
}

namespace detail {
/// A base of a receiver that wraps another one: it listens to cancels if `behind` does.
template <class Receiver, bool listens = listens_to_cancels<Receiver>()>
struct HandsOn {
  Receiver& behind;
};
template <class Receiver>
struct HandsOn<Receiver, true> {
  Receiver& behind;

  void cancelled(const RestingOrder& order) const { behind.cancelled(order); }
};
}  // namespace detail

/// Applies `commands` to a book or a set and writes the results to `results`.
/// @return how many commands were applied: all, or as many as fit in `results`.
template <class Book, class AnyCommand, SpanTradeSink Sink>
[[nodiscard]] std::size_t apply_into(Book& book, std::span<const AnyCommand> commands, std::span<Result> results,
                                     Sink& sink) noexcept {
  const std::size_t count = std::min(commands.size(), results.size());
  Result* next = results.data();
  book.apply(
      commands.first(count), [&next](const Result& result) { *next++ = result; }, sink);
  return count;
}

}  // namespace llmes::inline LLMES_NAMESPACE
