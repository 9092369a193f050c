// SPDX-License-Identifier: MIT
//
// How the results of a span of commands reach their caller: through a receiver, in the form that it takes, or in a
// span of results. And how changes of the best levels, and what a cancel has taken off, reach who listens to them.
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
  int best_changed, cancelled;
};
}  // namespace detail

/// Whether a sink or a receiver listens to the best levels. One that has a member for it, and cannot be told, does
/// not compile.
template <class MaybeReference>
[[nodiscard]] consteval bool listens_to_best() noexcept {
  using Listener = std::remove_reference_t<MaybeReference>;
  using Class = std::remove_cv_t<Listener>;
  using Names = detail::WithNames<Class, detail::ListenerNames>;
  constexpr bool best_changed = detail::has_member(
      requires { &Class::best_changed; }, requires { &Names::best_changed; });
  static_assert(
      !best_changed || BestListener<Listener>,
      "llmes: the member `best_changed` can take neither (Side, const DepthLevel&) nor (BookNumber, Side, const "
      "DepthLevel&)");
  return BestListener<Listener>;
}

/// Whether a receiver listens to what cancels take off. One that has a member for it, and cannot be told, does not
/// compile.
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

/// Tells `listener` of a side of a book whose best level has changed.
template <BestListener Listener>
void give_best(Listener& listener, BookNumber book, Side side, const DepthLevel& best) {
  if constexpr (requires { listener.best_changed(book, side, best); }) {
    listener.best_changed(book, side, best);
  } else {
    listener.best_changed(side, best);
  }
}

/// Makes a cancel by `cancel(order)`, which tells what the order was, and passes that on to `listener`.
template <CancelListener Listener, class Cancel>
[[gnu::always_inline]] inline Result tell_cancelled(Listener& listener, const Cancel& cancel) {
  RestingOrder order;
  const Status status = cancel(order);
  if (status != Status::Success) return {status};
  listener.cancelled(std::as_const(order));
  return {Status::Success, {}, 0, 0, order.quantity};
}

namespace detail {
/// A base of what stands before a sink or a receiver: it listens to the best levels if `behind` does.
template <class Listener, bool listens = listens_to_best<Listener>()>
struct HandsOnBest {
  Listener& behind;
};
template <class Listener>
struct HandsOnBest<Listener, true> {
  Listener& behind;

  void best_changed(BookNumber book, Side side, const DepthLevel& best) const {
    give_best(behind, book, side, best);
  }
};

/// The same of a receiver, which may listen to cancels as well.
template <class Receiver, bool listens = listens_to_cancels<Receiver>()>
struct HandsOn : HandsOnBest<Receiver> {};
template <class Receiver>
struct HandsOn<Receiver, true> : HandsOnBest<Receiver> {
  void cancelled(const RestingOrder& order) const { this->behind.cancelled(order); }
};
}  // namespace detail

/// Applies `commands` to a book or a set, which takes them with a receiver, and writes the results to `results`.
/// @return how many commands were applied: all, or as many as fit in `results`.
template <class Book, class AnyCommand, SpanTradeSink Sink>
[[nodiscard]] std::size_t apply_into(Book& book, std::span<const AnyCommand> commands, std::span<Result> results,
                                     Sink& sink) noexcept {
  const std::size_t count = std::min(commands.size(), results.size());
  Result* place = results.data();
  book.apply(
      commands.first(count), [&place](const Result& result) { *place++ = result; }, sink);
  return count;
}

}  // namespace llmes::inline LLMES_NAMESPACE
