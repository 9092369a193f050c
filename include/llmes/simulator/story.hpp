// SPDX-License-Identifier: MIT
//
// The life of an own order in a few lines: what was ahead of it, what changed that, and what filled or ended it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "llmes/simulator/dbn_events.hpp"
#include "llmes/simulator/own_order.hpp"
#include "llmes/simulator/tape_format.hpp"
#include "llmes/simulator/trader.hpp"
#include "llmes/types/text.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// How a story writes what a program may have better words for: as numbers.
struct StoryNumbers {
  [[nodiscard]] static std::string time(Nanoseconds time) { return std::to_string(time); }
  [[nodiscard]] static std::string price(Price price) { return std::to_string(price); }
  [[nodiscard]] static std::string book(BookNumber book) { return "book " + std::to_string(book); }
  /// An order of the market in a book.
  [[nodiscard]] static std::string order(BookNumber /*book*/, OrderId id) { return std::to_string(id); }
};

/// How a story writes what a file of market data has: times by the clock, prices in units of the format, books by
/// name, and orders by the ids of the file.
struct TapeWords {
  TapeFormat format = TapeFormat::Unknown;
  Price tick = 1;                        ///< of the run, in units of the format
  std::span<const std::string> names{};  ///< of the books: `tape_names`

  [[nodiscard]] std::string time(Nanoseconds time) const { return clock_of(format, time); }
  [[nodiscard]] std::string price(Price price) const {
    return is_at_any_price(price) ? "any price" : std::to_string(price * tick);
  }
  [[nodiscard]] std::string book(BookNumber book) const {
    return book < names.size() && !names[book].empty() ? names[book] : StoryNumbers::book(book);
  }
  [[nodiscard]] std::string order(BookNumber book, OrderId id) const {
    return std::to_string(format == TapeFormat::Dbn ? salted_id(book, id) : id);
  }
};

namespace detail {
[[nodiscard]] inline std::string lots_ahead(const QueuePosition& place) {
  return std::to_string(place.quantity) + " lots of " + std::to_string(place.order_count) +
         (place.order_count == 1 ? " order ahead" : " orders ahead");
}
}  // namespace detail

/// Why an order was filled, or was not: a line for its entry, each fill, each modify and the end, and at most
/// `steps` lines for other changes of its place, the last ones. Linear in the fills and modifies of the strategy
/// and the steps of the order. Fills of one event come with the worst execution first: the order gets the lots
/// that the taker would no more have reached.
/// @param words has the members of `StoryNumbers`, which writes numbers; `TapeWords` writes those of a file
/// @return a sentence that says so if there is no such order.
template <class Impact, class Words = StoryNumbers>
[[nodiscard]] std::string why(const detail::Trader<Impact>& run, OwnOrderId id, std::size_t steps = 6,
                              const Words& words = {}) {
  const auto at = [&](Nanoseconds time, std::uint64_t record) {
    return "at " + words.time(time) + ", record " + std::to_string(record) + ": ";
  };
  const auto lots_at = [&](Quantity lots, Price price) {
    return std::to_string(lots) + " at " + words.price(price);
  };
  const OwnOrders& orders = run.orders();
  if (id >= orders.size()) return "there is no own order " + std::to_string(id) + "\n";
  const OwnOrder& order = orders[id];
  std::string text = "own order " + std::to_string(id) + ": " + (order.side == Side::Buy ? "buy " : "sell ") +
                     lots_at(order.sent_quantity, order.sent_price) + " in " + words.book(order.book) +
                     ", sent at " + words.time(order.sent) + "\n";
  if (order.state == OwnOrderState::Sent) return text + "  the tape ended before it came to the venue\n";
  text += "  came " + at(order.arrived, order.arrived_record) + detail::lots_ahead(order.at_entry) + "\n";

  std::vector<Step> changes;  // the last one first
  for (std::uint32_t step = order.last_step; step != 0; step = orders.steps()[step - 1].before) {
    changes.push_back(orders.steps()[step - 1]);
  }
  if (changes.size() > steps) {
    const std::size_t earlier = changes.size() - steps;
    text += "  ... " + std::to_string(earlier) + (earlier == 1 ? " earlier change" : " earlier changes") +
            " of its place\n";
    changes.resize(steps);
  }
  const auto tell_steps = [&](Nanoseconds time, std::uint64_t record) {
    for (; !changes.empty() && changes.back().time <= time && changes.back().record <= record;
         changes.pop_back()) {
      const Step& step = changes.back();
      text += "  " + at(step.time, step.record) + detail::lots_ahead(step.ahead) + "\n";
    }
  };
  // A modify that is too late came after the order's end.
  std::span<const OwnModify> modifies = orders.modifies();
  std::uint32_t modified = 0;
  const auto tell_modifies = [&](std::uint64_t fills, bool has_ended) {
    for (; !modifies.empty() && modifies.front().fills_before <= fills; modifies = modifies.subspan(1)) {
      const OwnModify& modify = modifies.front();
      if (modify.order != id) continue;
      if (modify.reason == OwnReason::TooLate && !has_ended) return;
      tell_steps(modify.time, modify.record);
      const bool refused = modify.reason != OwnReason::None;
      modified += !refused;
      text += "  " + at(modify.time, modify.record) + (refused ? "not modified to " : "modified to ") +
              lots_at(modify.quantity, modify.price) + ": " +
              (refused ? std::string(to_string(modify.reason)) : detail::lots_ahead(modify.ahead)) + "\n";
    }
  };
  constexpr auto all = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t fills = 0;
  for (const OwnFill& fill : run.fills()) {
    if (fill.order == id) {
      tell_modifies(fills, false);
      tell_steps(all, fill.record);
      text += "  " + at(fill.time, fill.record) + "filled " + lots_at(fill.quantity, fill.price) + ": " +
              std::string(to_string(fill.cause)) +
              (fill.other == 0 ? "" : " (order " + words.order(order.book, fill.other) + ")") + "\n";
    }
    ++fills;
  }
  tell_modifies(all, false);
  tell_steps(all, all);
  if (modified != order.modified) {
    text += "  ... modifies that had no room: " + std::to_string(order.modified - modified) +
            "; the last price is " + words.price(order.price) + "\n";
  }
  if (order.state == OwnOrderState::Cancelled || order.state == OwnOrderState::Rejected) {
    text += "  " + at(order.ended, order.ended_record) + std::string(to_string(order.state)) + ": " +
            std::string(to_string(order.reason)) + "; " + std::to_string(order.open) + " lots were open\n";
  } else if (order.state == OwnOrderState::Resting) {
    text += "  it rests at the end, with " + std::to_string(order.open) + " lots open\n";
  }
  tell_modifies(all, true);
  return text;
}

}  // namespace llmes::inline LLMES_NAMESPACE
