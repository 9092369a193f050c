// SPDX-License-Identifier: MIT
//
// A command as the call of its name, to whatever has the calls of a book, or of a set.
#pragma once

#include <concepts>

#include "llmes/types/command.hpp"
#include "llmes/types/types.hpp"

namespace llmes::test {

/// Makes the call of a command; `apply` makes one that is none. A cancel and a reduce tell only a status, and in
/// `details`, a `RestingOrder` if it is given, what was taken off or is left.
template <class Book, class AnyCommand, class Sink, std::same_as<RestingOrder>... Details>
Result call_by_name(Book& book, const AnyCommand& c, Sink&& sink, Details&... details) {
  const typename AnyCommand::NameArgument name = c.name();
  const auto in_book = [&](const auto& add) {
    if constexpr (requires { c.book; }) {
      return add(c.book);
    } else {
      return add();
    }
  };
  const bool gtc = c.time_in_force == TimeInForce::GoodTillCancel;
  switch (c.type) {
    case CommandType::AddLimit:
      return in_book([&](auto... where) {
        return book.add_limit_order(where..., c.id, c.side, c.price, c.quantity, c.time_in_force, sink);
      });
    case CommandType::AddMarket:
      return in_book(
          [&](auto... where) { return book.add_market_order(where..., c.id, c.side, c.quantity, sink); });
    case CommandType::AddResting:
      return in_book(
          [&](auto... where) { return book.add_resting_order(where..., c.id, c.side, c.price, c.quantity); });
    case CommandType::Cancel: return {book.cancel_order(name, details...)};
    case CommandType::Reduce: return {book.reduce_order(name, c.quantity, details...)};
    case CommandType::Modify:
      if (gtc) return book.modify_order(name, c.price, c.quantity, sink);
      return book.modify_order(name, c.price, c.quantity, c.time_in_force, sink);
    case CommandType::ModifyResting: return book.modify_resting_order(name, c.price, c.quantity);
    case CommandType::Replace:
      if (gtc) return book.replace_order(name, c.replacing_id(), c.price, c.quantity, sink);
      return book.replace_order(name, c.replacing_id(), c.price, c.quantity, c.time_in_force, sink);
    case CommandType::ReplaceResting:
      return book.replace_resting_order(name, c.replacing_id(), c.price, c.quantity);
    case CommandType::AddRestingBefore: return book.add_resting_order_before(name, c.replacing_id(), c.quantity);
    case CommandType::MassCancel: break;  // of books with rules
  }
  return book.apply(c, sink);
}

/// What a cancel or a reduce has done, with what its name alone does not tell: `details` are those that it gave,
/// and `now` the order as it rests now, if it does. Any other result is as it was.
inline Result with_details(CommandType type, Quantity quantity, const Result& result, const RestingOrder& details,
                           const RestingOrder& now) {
  const bool done = result.status == Status::Success;
  if (type == CommandType::Cancel) return {result.status, {}, 0, 0, details.quantity};
  if (type != CommandType::Reduce) return result;
  return {result.status, now.handle, 0, now.quantity, done ? quantity : 0, now.quantity > 0};
}

}  // namespace llmes::test
