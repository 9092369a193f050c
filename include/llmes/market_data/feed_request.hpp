// SPDX-License-Identifier: MIT
//
// Turns messages about orders into requests to the books, without a branch on the type, which would mispredict.
#pragma once

#include <array>
#include <cstddef>

#include "llmes/itch/order_fields.hpp"
#include "llmes/market_data/feed_fault.hpp"
#include "llmes/market_data/price_grid.hpp"
#include "llmes/types/command.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::detail {

/// Makes the request of a message about an order, at a tick of `grid`. `book` is a guess unless it is an add.
[[gnu::always_inline]] inline void make_request(const itch::OrderFields& order, BookNumber book,
                                                const PriceGrid& grid, BookRequest& request) noexcept {
  constexpr std::array<CommandType, 5> types{CommandType{}, CommandType::AddResting, CommandType::Reduce,
                                             CommandType::Cancel, CommandType::ReplaceResting};
  request.id = static_cast<OrderId>(order.reference);
  request.new_id = static_cast<OrderId>(order.new_reference);
  request.price = grid.tick(order.price);
  request.quantity = order.shares;
  request.type = types[static_cast<std::size_t>(order.action)];
  request.side = order.side == itch::BuySell::Buy ? Side::Buy : Side::Sell;
  request.book = book;
}

[[nodiscard]] inline bool is_side(itch::BuySell side) noexcept {
  return static_cast<bool>(unsigned{side == itch::BuySell::Buy} | unsigned{side == itch::BuySell::Sell});
}

/// Whether that is the request to make, if the message is about an order of a symbol with this grid.
[[nodiscard, gnu::always_inline]] inline bool is_usual(const itch::OrderFields& order,
                                                       const PriceGrid& grid) noexcept {
  const unsigned adds{order.action == itch::OrderAction::Add};
  const unsigned replaces{order.action == itch::OrderAction::Replace};
  const unsigned is_odd_side{!is_side(order.side)};
  const unsigned is_same{order.reference == order.new_reference};
  return ((adds & is_odd_side) | (replaces & is_same) | unsigned{!grid.holds(order.price)}) == 0;
}

/// The fault of a message whose request of `quantity` shares was refused with `status`.
[[nodiscard]] inline FeedFault fault_of(Status status, Quantity quantity) noexcept {
  switch (status) {
    case Status::UnknownOrder: return FeedFault::UnknownReference;
    case Status::DuplicateId: return FeedFault::DuplicateReference;
    case Status::InvalidQuantity: return quantity == 0 ? FeedFault::ZeroQuantity : FeedFault::OverExecution;
    default: return FeedFault::NoRoom;
  }
}

}  // namespace llmes::inline LLMES_NAMESPACE::detail
