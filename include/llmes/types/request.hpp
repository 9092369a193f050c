// SPDX-License-Identifier: MIT
//
// A call by outside id as a value, for spans of an `IdBook` and for engines.
#pragma once

#include <iosfwd>
#include <string>

#include "llmes/types/arguments.hpp"
#include "llmes/types/command.hpp"
#include "llmes/types/text.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// One call to an `IdBook` as a value. Make it by a factory, which takes what the call takes and refuses the same
/// mistakes; the members themselves are plain numbers. The book reads only what the factory takes.
struct Request {
  OrderId id = 0;
  OrderId new_id = 0;
  Price price = 0;
  Quantity quantity = 0;
  CommandType type = CommandType::AddLimit;
  Side side = Side::Buy;
  TimeInForce time_in_force = TimeInForce::GoodTillCancel;

  [[nodiscard]] static constexpr Request add_limit(IdArgument id, Side side, PriceArgument price,
                                                   QuantityArgument quantity, TimeInForce time_in_force) noexcept {
    return {id, 0, price, quantity, CommandType::AddLimit, side, time_in_force};
  }
  [[nodiscard]] static constexpr Request add_market(IdArgument id, Side side, QuantityArgument quantity) noexcept {
    return {id, 0, 0, quantity, CommandType::AddMarket, side, {}};
  }
  [[nodiscard]] static constexpr Request cancel(IdArgument id) noexcept {
    return {id, 0, 0, 0, CommandType::Cancel, {}, {}};
  }
  [[nodiscard]] static constexpr Request modify(IdArgument id, PriceArgument price, QuantityArgument quantity,
                                                TimeInForce time_in_force = TimeInForce::GoodTillCancel) noexcept {
    return {id, 0, price, quantity, CommandType::Modify, {}, time_in_force};
  }
  [[nodiscard]] static constexpr Request reduce(IdArgument id, QuantityArgument by) noexcept {
    return {id, 0, 0, by, CommandType::Reduce, {}, {}};
  }
  [[nodiscard]] static constexpr Request replace(
      IdArgument id, IdArgument new_id, PriceArgument price, QuantityArgument quantity,
      TimeInForce time_in_force = TimeInForce::GoodTillCancel) noexcept {
    return {id, new_id, price, quantity, CommandType::Replace, {}, time_in_force};
  }
  [[nodiscard]] static constexpr Request add_resting(IdArgument id, Side side, PriceArgument price,
                                                     QuantityArgument quantity) noexcept {
    return {id, 0, price, quantity, CommandType::AddResting, side, {}};
  }
  [[nodiscard]] static constexpr Request modify_resting(IdArgument id, PriceArgument price,
                                                        QuantityArgument quantity) noexcept {
    return {id, 0, price, quantity, CommandType::ModifyResting, {}, {}};
  }
  [[nodiscard]] static constexpr Request replace_resting(IdArgument id, IdArgument new_id, PriceArgument price,
                                                         QuantityArgument quantity) noexcept {
    return {id, new_id, price, quantity, CommandType::ReplaceResting, {}, {}};
  }

  friend constexpr bool operator==(const Request&, const Request&) = default;
};

/// A request to a set of books, and the book that a new order is for. Where it names an order, its book is a hint
/// that saves time and may be wrong.
struct BookRequest : Request {
  BookNumber book = 0;
};

/// Only what the call reads.
[[nodiscard]] inline std::string to_string(const Request& request) {
  const auto& [id, new_id, price, quantity, type, side, time_in_force] = request;
  std::string text(to_string(type));
  text += " id " + std::to_string(id);
  if (replaces(type)) text += " by id " + std::to_string(new_id);
  if (adds(type)) text += ", " + std::string(to_string(side));
  if (type != CommandType::Cancel) text += ", " + std::to_string(quantity);
  if (has_price(type)) text += " at " + std::to_string(price);
  if (has_time_in_force(type)) text += ", " + std::string(to_string(time_in_force));
  return text;
}
[[nodiscard]] inline std::string to_string(const BookRequest& request) {
  return "book " + std::to_string(request.book) + ": " + to_string(static_cast<const Request&>(request));
}
template <class Traits, OneOf<Request, BookRequest> T>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, const T& request) {
  return out << to_string(request);
}

}  // namespace llmes::inline LLMES_NAMESPACE
