// SPDX-License-Identifier: MIT
//
// A random stream as commands with their handles, and the answer of a book to each of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "llmes/book.hpp"
#include "tests/support/random_streams.hpp"
#include "tests/support/record_trades.hpp"

namespace llmes::test {

struct Tape {
  std::vector<Command> commands;
  std::vector<Result> results;
  std::vector<Trade> trades;
};

/// By label, the last one issued.
using Handles = std::unordered_map<OrderId, OrderHandle>;

/// Plays a random stream on `book` by `apply`, command by command, with the handles issued before.
template <class Book>
Tape record_tape(Book& book, std::span<const Operation> operations, Handles& handles) {
  Tape tape;
  RecordTrades sink;
  for (const Operation& operation : operations) {
    const std::uint64_t handle = handles[operation.order].value() ^ operation.flip;
    tape.commands.push_back(to_command(operation, OrderHandle::from_value(handle)));
    tape.results.push_back(book.apply(tape.commands.back(), sink));
    const Result& result = tape.results.back();
    if (operation.makes_order() && result.status == Status::Success && result.rests()) {
      handles[operation.made()] = result.handle;
    }
  }
  tape.trades = sink.trades;
  return tape;
}
template <class Book>
Tape record_tape(Book& book, const std::vector<Operation>& operations) {
  Handles handles;
  return record_tape(book, operations, handles);
}

}  // namespace llmes::test
