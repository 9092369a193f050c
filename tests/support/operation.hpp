// SPDX-License-Identifier: MIT
//
// One call to a book, as the conformance suite writes it: it names orders by label instead of by handle, so that a
// sequence means the same on every book and still has a meaning when calls are left out of it.
//
// The label of an order is its id. A call on an order uses the last handle that the book gave it, also when that
// order is long gone; a label that never rested stands for the default handle. A replace names the old order by
// its label and gives the new one another; an add before names its neighbour so. `flipped` forges a handle by
// flipping some of its bits.
#pragma once

#include <cstdint>
#include <limits>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "llmes/types/command.hpp"
#include "llmes/types/types.hpp"

namespace llmes::test {

/// Whether a call never trades, so that the book may be crossed after it.
constexpr bool never_trades(CommandType type) {
  return type == CommandType::AddResting || type == CommandType::ModifyResting ||
         type == CommandType::ReplaceResting || type == CommandType::AddRestingBefore;
}
/// Whether the historical books do not know a call.
constexpr bool is_new_to_old_books(CommandType type) {
  return type == CommandType::Replace || never_trades(type);
}

struct Operation {
  CommandType type = CommandType::AddLimit;
  OrderId order = 0;  ///< adds: the id of the new order; others: the label of the order meant
  Side side = Side::Buy;
  Price price = 0;
  Quantity quantity = 0;
  TimeInForce time_in_force = TimeInForce::GoodTillCancel;
  OrderId new_order = 0;    ///< replace and add before: the id of the new order
  std::uint64_t flip = 0;   ///< bits of the handle to invert
  bool by_command = false;  ///< goes through `apply` instead of the named call

  [[nodiscard]] constexpr Operation flipped(std::uint64_t bits) const {
    Operation forged = *this;
    forged.flip = bits;
    return forged;
  }
  [[nodiscard]] constexpr Operation as_command() const {
    Operation command = *this;
    command.by_command = true;
    return command;
  }

  [[nodiscard]] constexpr bool is_add() const { return adds(type); }
  /// Whether a success leaves, if anything, an order with a new handle, whose label is `made`.
  [[nodiscard]] constexpr bool makes_order() const { return is_add() || has_new_id(type); }
  [[nodiscard]] constexpr OrderId made() const { return is_add() ? order : new_order; }

  friend constexpr bool operator==(const Operation&, const Operation&) = default;
};

constexpr Operation add_limit(OrderId order, Side side, Price price, Quantity quantity,
                              TimeInForce time_in_force = TimeInForce::GoodTillCancel) {
  return {CommandType::AddLimit, order, side, price, quantity, time_in_force};
}
constexpr Operation add_market(OrderId order, Side side, Quantity quantity) {
  return {CommandType::AddMarket, order, side, 0, quantity};
}
constexpr Operation cancel(OrderId order) {
  return {CommandType::Cancel, order};
}
constexpr Operation modify(OrderId order, Price price, Quantity quantity,
                           TimeInForce time_in_force = TimeInForce::GoodTillCancel) {
  return {CommandType::Modify, order, Side::Buy, price, quantity, time_in_force};
}
constexpr Operation reduce(OrderId order, Quantity by) {
  return {CommandType::Reduce, order, Side::Buy, 0, by};
}
constexpr Operation replace(OrderId order, OrderId new_order, Price price, Quantity quantity,
                            TimeInForce time_in_force = TimeInForce::GoodTillCancel) {
  return {CommandType::Replace, order, Side::Buy, price, quantity, time_in_force, new_order};
}
constexpr Operation add_resting(OrderId order, Side side, Price price, Quantity quantity) {
  return {CommandType::AddResting, order, side, price, quantity};
}
constexpr Operation modify_resting(OrderId order, Price price, Quantity quantity) {
  return {CommandType::ModifyResting, order, Side::Buy, price, quantity};
}
constexpr Operation replace_resting(OrderId order, OrderId new_order, Price price, Quantity quantity) {
  return {CommandType::ReplaceResting, order, Side::Buy, price, quantity, TimeInForce::GoodTillCancel, new_order};
}
constexpr Operation add_resting_before(OrderId neighbour, OrderId order, Quantity quantity) {
  return {CommandType::AddRestingBefore, neighbour, Side::Buy, 0, quantity, TimeInForce::GoodTillCancel, order};
}
/// A command whose type may be none of the enumerators; there is no call for it but `apply`.
constexpr Operation of_type(int type) {
  return Operation{static_cast<CommandType>(type)}.as_command();
}

/// The same call as a value of the product's vocabulary.
constexpr Command to_command(const Operation& operation, OrderHandle handle) {
  Command command;
  if (operation.makes_order()) command.id = operation.made();
  command.handle = handle;
  command.price = operation.price;
  command.quantity = operation.quantity;
  command.type = operation.type;
  command.side = operation.side;
  command.time_in_force = operation.time_in_force;
  return command;
}

// ---- Operations as source text, to be pasted into a test.

inline std::string source_of(Side side) {
  if (side == Side::Buy) return "Side::Buy";
  if (side == Side::Sell) return "Side::Sell";
  return "static_cast<Side>(" + std::to_string(static_cast<int>(side)) + ")";
}

inline std::string source_of(TimeInForce time_in_force) {
  switch (time_in_force) {
    case TimeInForce::GoodTillCancel: return "TimeInForce::GoodTillCancel";
    case TimeInForce::PostOnly: return "TimeInForce::PostOnly";
    case TimeInForce::ImmediateOrCancel: return "TimeInForce::ImmediateOrCancel";
    case TimeInForce::FillOrKill: return "TimeInForce::FillOrKill";
  }
  return "static_cast<TimeInForce>(" + std::to_string(static_cast<int>(time_in_force)) + ")";
}

inline std::string source_of(Price price) {
  if (price == std::numeric_limits<Price>::min()) return "std::numeric_limits<Price>::min()";
  return std::to_string(price);
}

inline std::string source_of(Quantity quantity) {
  return std::to_string(quantity) + (quantity > std::numeric_limits<std::uint32_t>::max() ? "u" : "");
}

inline std::string source_of(const Operation& operation) {
  std::ostringstream out;
  switch (operation.type) {
    case CommandType::AddLimit:
      out << "add_limit(" << operation.order << ", " << source_of(operation.side) << ", "
          << source_of(operation.price) << ", " << source_of(operation.quantity);
      if (operation.time_in_force != TimeInForce::GoodTillCancel) {
        out << ", " << source_of(operation.time_in_force);
      }
      out << ')';
      break;
    case CommandType::AddMarket:
      out << "add_market(" << operation.order << ", " << source_of(operation.side) << ", "
          << source_of(operation.quantity) << ')';
      break;
    case CommandType::Cancel: out << "cancel(" << operation.order << ')'; break;
    case CommandType::Modify:
      out << "modify(" << operation.order << ", " << source_of(operation.price) << ", "
          << source_of(operation.quantity);
      if (operation.time_in_force != TimeInForce::GoodTillCancel) {
        out << ", " << source_of(operation.time_in_force);
      }
      out << ')';
      break;
    case CommandType::Reduce:
      out << "reduce(" << operation.order << ", " << source_of(operation.quantity) << ')';
      break;
    case CommandType::Replace:
      out << "replace(" << operation.order << ", " << operation.new_order << ", " << source_of(operation.price)
          << ", " << source_of(operation.quantity);
      if (operation.time_in_force != TimeInForce::GoodTillCancel) {
        out << ", " << source_of(operation.time_in_force);
      }
      out << ')';
      break;
    case CommandType::AddResting:
      out << "add_resting(" << operation.order << ", " << source_of(operation.side) << ", "
          << source_of(operation.price) << ", " << source_of(operation.quantity) << ')';
      break;
    case CommandType::ModifyResting:
      out << "modify_resting(" << operation.order << ", " << source_of(operation.price) << ", "
          << source_of(operation.quantity) << ')';
      break;
    case CommandType::ReplaceResting:
      out << "replace_resting(" << operation.order << ", " << operation.new_order << ", "
          << source_of(operation.price) << ", " << source_of(operation.quantity) << ')';
      break;
    case CommandType::AddRestingBefore:
      out << "add_resting_before(" << operation.order << ", " << operation.new_order << ", "
          << source_of(operation.quantity) << ')';
      break;
    default: out << "of_type(" << static_cast<int>(operation.type) << ')'; return out.str();
  }
  if (operation.flip != 0) out << ".flipped(" << operation.flip << "u)";
  if (operation.by_command) out << ".as_command()";
  return out.str();
}

/// A test that replays `operations` on a book of type `book_type`.
inline std::string source_of_test(std::string_view book_type, Price base_price, std::size_t capacity,
                                  const std::vector<Operation>& operations) {
  std::ostringstream out;
  out << "TEST(Regression, ShrunkSequence) {\n  expect_conformance<" << book_type
      << ">({.base_price = " << source_of(base_price) << ", .capacity = " << capacity << "}, {\n";
  for (const Operation& operation : operations) out << "      " << source_of(operation) << ",\n";
  out << "  });\n}\n";
  return out.str();
}

}  // namespace llmes::test
