// SPDX-License-Identifier: MIT
//
// The public challenge for matching engines (flash1-dev/matching-engine-benchmark): what the adapters of all
// engines share. Its messages become requests by id, and what an engine says of a request becomes the challenge's
// reports. Its header, matching_engine_api.h, is its own: nothing here is a copy of it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "llmes/types/command.hpp"
#include "llmes/types/types.hpp"
#include "matching_engine_api.h"

namespace llmes::challenge {

/// Room for all orders of a stream at once, so that no engine is sized for what one stream needs.
inline constexpr std::size_t capacity = 1'000'000;

// ---- Messages.

[[nodiscard, gnu::always_inline]] inline Request request_of(const new_order_t& order) noexcept {
  return Request::add_limit(order.order_id, static_cast<Side>(order.side), order.price_ticks, order.quantity,
                            order.ioc != 0 ? TimeInForce::ImmediateOrCancel : TimeInForce::GoodTillCancel);
}
[[nodiscard, gnu::always_inline]] inline Request request_of(const cancel_t& cancel) noexcept {
  return Request::cancel(cancel.order_id);
}
/// With the side of the order, which its report says and no book reads.
[[nodiscard, gnu::always_inline]] inline Request request_of(const modify_t& modify) noexcept {
  Request request = Request::modify(modify.order_id, modify.new_price_ticks, modify.new_quantity);
  request.side = static_cast<Side>(modify.side);
  return request;
}

/// Calls `handle` with the message itself.
template <class Handle>
[[gnu::always_inline]] inline auto visit(const me_msg_t& message, const Handle& handle) noexcept {
  switch (message.type) {
    case 0: return handle(message.no);
    case 1: return handle(message.c);
    default: return handle(message.md);
  }
}

// ---- Reports.

/// Pushes reports to where the harness wants them.
class Reports {
 public:
  Reports() = default;
  Reports(const me_transport_t* transport, void* sink) noexcept : transport_(transport), sink_(sink) {}

  [[gnu::always_inline]] void trade(std::uint64_t sequence, OrderId maker, OrderId taker, Price price,
                                    Quantity quantity) const noexcept {
    push({.type = ME_TRADE,
          .sequence_number = sequence,
          .price_ticks = price,
          .quantity = static_cast<std::uint32_t>(quantity),
          .maker_order_id = maker,
          .taker_order_id = taker});
  }

  /// What answers the message beside its trades. `cancelled` are lots of an order that may not rest, `before` is
  /// the order that a cancel has taken off. The challenge has no report of an order that is refused.
  [[gnu::always_inline]] void answer(std::uint64_t sequence, const Request& request, Status status,
                                     Quantity cancelled, const RestingOrder& before) const noexcept {
    const bool done = status == Status::Success;
    const RestingOrder now{{}, request.id, request.side, request.price, request.quantity};
    if (request.type == CommandType::Cancel)
      return done ? tell(ME_CANCEL_ACK, sequence, before) : reject(ME_CANCEL_REJECT, sequence, request.id);
    if (request.type == CommandType::Modify)
      return done ? tell(ME_MODIFY_ACK, sequence, now) : reject(ME_MODIFY_REJECT, sequence, request.id);
    if (!done) return;
    tell(ME_ORDER_ACK, sequence, now);
    if (cancelled != 0) tell(ME_CANCEL_ACK, sequence, {{}, request.id, request.side, request.price, cancelled});
  }

 private:
  void reject(me_report_type_t type, std::uint64_t sequence, OrderId id) const noexcept {
    push({.type = static_cast<std::uint8_t>(type), .sequence_number = sequence, .order_id = id});
  }
  [[gnu::always_inline]] void tell(me_report_type_t type, std::uint64_t sequence,
                                   const RestingOrder& order) const noexcept {
    push({.type = static_cast<std::uint8_t>(type),
          .side = static_cast<std::uint8_t>(order.side),
          .sequence_number = sequence,
          .order_id = order.id,
          .price_ticks = order.price,
          .quantity = static_cast<std::uint32_t>(order.quantity)});
  }
  [[gnu::always_inline]] void push(const me_report_t& report) const noexcept {
    while (transport_->push(sink_, &report) == 0) {
    }
  }

  const me_transport_t* transport_ = nullptr;
  void* sink_ = nullptr;
};

}  // namespace llmes::challenge
