// SPDX-License-Identifier: MIT
//
// Sinks that take every event of a publisher: one that hands each on, and one that keeps them as text.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "llmes/market_data.hpp"
#include "llmes/types/text.hpp"

namespace llmes::test {

/// Hands every event to `take`.
template <class Take>
struct EachEvent {
  Take take;

  void added(const OrderAdded& event) { take(event); }
  void executed(const OrderExecuted& event) { take(event); }
  void reduced(const OrderReduced& event) { take(event); }
  void deleted(const OrderDeleted& event) { take(event); }
  void replaced(const OrderReplaced& event) { take(event); }
  void hidden_executed(const HiddenExecuted& event) { take(event); }
  void crossed(const OrdersCrossed& event) { take(event); }
  void level_changed(const LevelChanged& event) { take(event); }
  void best_changed(const BestChanged& event) { take(event); }
};
template <class Take>
EachEvent(Take) -> EachEvent<Take>;

// ---- "O3." is the third event of orders, which ends its command. Then what it says; of a handle, nothing.

inline std::string place_of(const char* stream, const Event& event) {
  return stream + std::to_string(event.sequence) + (event.ends_command ? ". " : " ");
}
inline std::string text_of(const RestingOrder& order) {
  return std::to_string(order.id) + (order.side == Side::Buy ? " buys " : " sells ") +
         std::to_string(order.quantity) + '@' + std::to_string(order.price);
}
inline std::string text_of(const DepthLevel& level) {
  return std::to_string(level.quantity) + '/' + std::to_string(level.order_count) + '@' +
         std::to_string(level.price);
}
inline std::string text_of(const OrderAdded& event) {
  return place_of("O", event) + "added: " + text_of(event.order) +
         (event.in_front_of == OrderHandle{} ? "" : ", in front");
}
inline std::string text_of(const OrderExecuted& event) {
  const Trade& trade = event.trade;
  return place_of("O", event) + "executed: " + std::to_string(trade.taker_id) + " takes " +
         std::to_string(trade.quantity) + '@' + std::to_string(trade.price) + " of " +
         std::to_string(trade.maker_id) + ", left " + std::to_string(trade.maker_remaining);
}
inline std::string text_of(const OrderReduced& event) {
  return place_of("O", event) + "reduced by " + std::to_string(event.by) + ": " + text_of(event.order);
}
inline std::string text_of(const OrderDeleted& event) {
  return place_of("O", event) + "deleted: " + text_of(event.order);
}
inline std::string text_of(const OrderReplaced& event) {
  const bool same = event.old_order.handle == event.order.handle;
  return place_of("O", event) + "replaced" + (same ? " in place of itself: " : ": ") + text_of(event.old_order) +
         " by " + text_of(event.order);
}
inline std::string text_of(const HiddenExecuted& event) {
  return place_of("O", event) + (event.taker_side == Side::Buy ? "bought " : "sold ") +
         std::to_string(event.quantity) + '@' + std::to_string(event.price) + " hidden";
}
inline std::string text_of(const OrdersCrossed::Part& part) {
  return part.by == 0 ? "nothing" : std::to_string(part.by) + " of " + text_of(part.order);
}
inline std::string text_of(const OrdersCrossed& event) {
  return place_of("O", event) + "crossed " + std::to_string(event.quantity) + '@' + std::to_string(event.price) +
         ": " + text_of(event.buy) + ", " + text_of(event.sell);
}
inline std::string text_of(const LevelChanged& event) {
  return place_of("L", event) + (event.side == Side::Buy ? "bid " : "ask ") + text_of(event.level);
}
inline std::string text_of(const BestChanged& event) {
  return place_of("B", event) + text_of(event.bid) + " - " + text_of(event.ask);
}

using EventTexts = std::vector<std::string>;

/// Keeps every event as text, with the number of its book if that is not 0.
inline auto keep_texts(EventTexts& texts) {
  return EachEvent{[&texts](const auto& event) {
    const std::string book = event.book == 0 ? "" : "book " + std::to_string(event.book) + ", ";
    texts.push_back(book + text_of(event));
  }};
}

}  // namespace llmes::test
