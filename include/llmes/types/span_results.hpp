// SPDX-License-Identifier: MIT
//
// How a span of commands returns its results: to a receiver, in the form it takes, or into a span of results.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>

#include "llmes/types/rule_events.hpp"
#include "llmes/types/terms.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// Gives `receiver` the result of command `index` of a span and, if it takes that, what the command changed.
template <ResultReceiver Receiver, class Details>
[[gnu::always_inline]] inline void give_result(Receiver& receiver, const Result& result, std::size_t index,
                                               [[maybe_unused]] const Details& details) {
  if constexpr (ChangeReceiver<Receiver>) {
    receiver(result, index, details);
  } else if constexpr (requires { receiver(result); }) {
    receiver(result);
  } else {
    receiver(result, index);
  }
}

/// The details that a span collects for its receiver.
template <class MaybeReference>
using DetailsFor =
    std::conditional_t<ChangeReceiver<std::remove_reference_t<MaybeReference>>, OrderChange, NoDetails>;

namespace detail {
/// A span of fewer commands prefetches nothing: it would wait longer for that than for what it touches.
inline constexpr std::size_t least_to_look = 4;

/// Tells a sink of a span of which command something is.
template <class Sink, class TradeType>
struct IndexedSink {
  Sink& sink;
  std::size_t index;

  void operator()(const TradeType& trade) const {
    if constexpr (TradeSink<Sink, TradeType>) {
      sink(trade);
    } else {
      sink(trade, index);
    }
  }
  void in_book(BookNumber book) const
    requires requires { sink.in_book(book); }
  {
    sink.in_book(book);
  }
  void cancels_in(BookNumber book) const
    requires requires { sink.cancels_in(book); }
  {
    sink.cancels_in(book);
  }
  void prevented(const PreventedMatch& match) const { tell_prevented(sink, match, index); }
  void refilled(const RestingOrder& order) const { tell_refilled(sink, order, index); }
  void cancelled(const RestingOrder& order) const { tell_cancelled(sink, order, index); }
};
}  // namespace detail

/// Applies `commands` to a book or a set and writes the results to `results`.
/// @return how many commands were applied: all, or as many as fit in `results`.
template <class Book, class AnyCommand, SpanTradeSink<typename AnyCommand::TradeType> Sink>
[[nodiscard]] std::size_t apply_into(Book& book, std::span<const AnyCommand> commands, std::span<Result> results,
                                     Sink& sink) noexcept {
  const std::size_t count = std::min(commands.size(), results.size());
  Result* next = results.data();
  book.apply(
      commands.first(count), [&next](const Result& result) { *next++ = result; }, sink);
  return count;
}

}  // namespace llmes::inline LLMES_NAMESPACE
