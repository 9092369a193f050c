// SPDX-License-Identifier: MIT
//
// A command as the call it describes, for every book that has no better way.
#pragma once

#include "llmes/llmes.hpp"

namespace llmes::bench {

template <class Book, TradeSink Sink>
[[gnu::always_inline]] inline Result dispatch(Book& book, const Command& command, Sink& sink) {
  switch (command.type) {
    case CommandType::AddLimit:
      return book.add_limit_order(command.id, command.side, command.price, command.quantity, command.time_in_force,
                                  sink);
    case CommandType::AddMarket: return book.add_market_order(command.id, command.side, command.quantity, sink);
    case CommandType::Cancel: return {book.cancel_order(command.handle)};
    case CommandType::Modify: return book.modify_order(command.handle, command.price, command.quantity, sink);
    case CommandType::Reduce: return {book.reduce_order(command.handle, command.quantity)};
  }
  return {Status::InvalidCommand};
}

}  // namespace llmes::bench
