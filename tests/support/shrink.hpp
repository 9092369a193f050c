// SPDX-License-Identifier: MIT
//
// Makes a failing sequence of operations as short and as simple as possible while it still fails.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <utility>
#include <vector>

#include "tests/support/operation.hpp"

namespace llmes::test {

/// Leaves out chunks of operations, halving the size of the chunks each time round, for as long as `fails` holds.
template <class AnyOperation, std::predicate<const std::vector<AnyOperation>&> Fails>
std::vector<AnyOperation> without_needless_operations(std::vector<AnyOperation> operations, Fails& fails) {
  for (std::size_t chunk = std::max<std::size_t>(operations.size() / 2, 1);;) {
    bool shorter = false;
    for (std::size_t from = 0; from < operations.size();) {
      std::vector<AnyOperation> candidate = operations;
      const auto first = candidate.begin() + static_cast<std::ptrdiff_t>(from);
      candidate.erase(first, first + static_cast<std::ptrdiff_t>(std::min(chunk, operations.size() - from)));
      if (fails(candidate)) {
        operations = candidate;
        shorter = true;
      } else {
        from += chunk;
      }
    }
    if (chunk == 1 && !shorter) return operations;
    chunk = std::max<std::size_t>(chunk / 2, 1);
  }
}

/// Gives each operation plainer values where it fails with them just as well.
template <std::predicate<const std::vector<Operation>&> Fails>
std::vector<Operation> with_plain_values(std::vector<Operation> operations, Fails& fails) {
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const auto try_to = [&](auto&& change) {
      std::vector<Operation> candidate = operations;
      change(candidate[i]);
      if (candidate[i] != operations[i] && fails(candidate)) operations = candidate;
    };
    try_to([](Operation& operation) { operation.by_command = false; });
    try_to([](Operation& operation) { operation.flip = 0; });
    try_to([](Operation& operation) { operation.time_in_force = TimeInForce::GoodTillCancel; });
    try_to([](Operation& operation) {
      if (operation.type == CommandType::AddResting) operation.type = CommandType::AddLimit;
      if (operation.type == CommandType::ModifyResting) operation.type = CommandType::Modify;
      if (operation.type == CommandType::ReplaceResting) operation.type = CommandType::Replace;
    });
    try_to([](Operation& operation) {
      if (operation.type != CommandType::Replace) return;
      operation.type = CommandType::Modify;
      operation.new_order = 0;
    });
    for (const Quantity quantity : {Quantity{3}, Quantity{2}, Quantity{1}}) {
      try_to([quantity](Operation& operation) { operation.quantity = std::min(operation.quantity, quantity); });
    }
  }
  return operations;
}

/// Adds orders where and when a later modify takes them, instead of moving them there.
template <std::predicate<const std::vector<Operation>&> Fails>
std::vector<Operation> without_needless_moves(std::vector<Operation> operations, Fails& fails) {
  for (std::size_t i = 1; i < operations.size();) {
    const Operation& move = operations[i];
    const auto end = operations.begin() + static_cast<std::ptrdiff_t>(i);
    const auto added = std::find_if(operations.begin(), end, [&move](const Operation& operation) {
      return operation.type == CommandType::AddLimit && operation.order == move.order;
    });
    if (move.type == CommandType::Modify && added != end) {
      std::vector<Operation> candidate = operations;
      candidate[i] = add_limit(move.order, added->side, move.price, move.quantity, move.time_in_force);
      candidate.erase(candidate.begin() + (added - operations.begin()));
      if (fails(candidate)) {
        operations = candidate;
        continue;
      }
    }
    ++i;
  }
  return operations;
}

/// `operations` must fail.
template <std::predicate<const std::vector<Operation>&> Fails>
std::vector<Operation> shrink(std::vector<Operation> operations, Fails fails) {
  for (std::vector<Operation> before; before != operations;) {
    before = operations;
    operations = without_needless_operations(std::move(operations), fails);
    operations = with_plain_values(std::move(operations), fails);
    operations = without_needless_moves(std::move(operations), fails);
  }
  return operations;
}

}  // namespace llmes::test
