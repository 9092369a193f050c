// SPDX-License-Identifier: MIT
//
// Prints the vocabulary in failure messages.
#pragma once

#include <optional>
#include <ostream>
#include <vector>

#include "llmes/types.hpp"

namespace llmes::inline LLMES_NAMESPACE {

inline std::ostream& operator<<(std::ostream& out, Status status) {
  return out << to_string(status);
}

inline std::ostream& operator<<(std::ostream& out, Side side) {
  return out << (side == Side::Buy ? "Buy" : side == Side::Sell ? "Sell" : "no side");
}

inline std::ostream& operator<<(std::ostream& out, OrderHandle handle) {
  return out << "handle(" << handle.index << ", " << handle.generation << ')';
}

inline std::ostream& operator<<(std::ostream& out, const Result& result) {
  return out << result.status << ", filled " << result.filled << ", " << result.handle;
}

inline std::ostream& operator<<(std::ostream& out, const Trade& trade) {
  return out << "taker " << trade.taker_id << " maker " << trade.maker_id << ' ' << trade.maker_handle << ": "
             << trade.quantity << " at " << trade.price << ", maker left with " << trade.maker_remaining;
}

inline std::ostream& operator<<(std::ostream& out, const RestingOrder& order) {
  return out << "order " << order.id << ' ' << order.handle << ' ' << order.side << ' ' << order.quantity << " at "
             << order.price;
}

inline std::ostream& operator<<(std::ostream& out, const DepthLevel& level) {
  return out << level.quantity << " in " << level.order_count << " at " << level.price;
}

}  // namespace llmes::inline LLMES_NAMESPACE

namespace llmes::test {

/// Writes a value, an optional one, or a list of them.
template <class T>
void describe(std::ostream& out, const T& value) {
  out << value;
}
template <class T>
void describe(std::ostream& out, const std::optional<T>& value) {
  if (value) {
    out << *value;
  } else {
    out << "none";
  }
}
template <class T>
void describe(std::ostream& out, const std::vector<T>& values) {
  out << values.size() << " of them";
  for (const T& value : values) out << "\n    " << value;
}

}  // namespace llmes::test
