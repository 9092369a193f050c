// SPDX-License-Identifier: MIT
//
// What an order, its sender and a report of the venue come to in an outcome. All are functions of their arguments
// alone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "entry.hpp"
#include "llmes/venue.hpp"
#include "order_table.hpp"
#include "outcome.hpp"

namespace exchange {

// ---- What a sender said, in its order and in an outcome.

inline void note(KnownOrder& order, const Sender& sender) noexcept {
  order.price4 = sender.price4;
  order.client_id = client_id_of(sender.texts.client_id());
  order.terms = sender.terms;
}
inline void fill_in(Outcome& outcome, const Sender& sender) noexcept {
  outcome.user = sender.user;
  outcome.account = 0;
  outcome.reference = sender.reference;
  outcome.original = sender.original;
  outcome.terms.side = sender.terms.side;
  outcome.price4 = sender.price4;
  outcome.symbol = sender.symbol;
  outcome.client_id = client_id_of(sender.texts.client_id());
}
/// The same of a message that is refused.
/// @param original what the sender calls the order that it names
/// @param names_field whether the field that the sender names is why
inline void fill_in_refused(Outcome& outcome, const Sender& sender, const ClientId& original,
                            bool names_field) noexcept {
  fill_in(outcome, sender);
  outcome.terms = sender.terms;
  outcome.original_client_id = original;
  if (!names_field) return;
  outcome.refused_field = sender.refused_field;
  const std::span<const std::byte> value = std::as_bytes(std::span(sender.texts.value()));
  outcome.size = static_cast<std::uint8_t>(std::min(value.size(), outcome.message.size()));
  std::copy_n(value.begin(), outcome.size, outcome.message.begin());
}
inline void fill_in(Outcome& outcome, const llmes::VenueReport& result) noexcept {
  outcome.status = result.status;
  outcome.risk = result.risk;
  outcome.result = result.result;
}
/// What is told of an order that stays as it is, because a change of it is refused.
inline void fill_in_state(Outcome& outcome, const KnownOrder& order) noexcept {
  outcome.client_tag = order.client_tag;
  outcome.ordered = order.ordered;
  outcome.cumulative = order.cumulative;
  outcome.leaves = order.leaves;
}
[[nodiscard]] inline std::uint32_t reference_of(OrderId id, const KnownOrder& order) noexcept {
  return order.reference != 0 ? order.reference : reference_of(id);
}
inline void fill_in(Outcome& outcome, OrderId id, const KnownOrder& order) noexcept {
  outcome.terms = order.terms;
  outcome.user = user_of(id);
  outcome.account = order.account;
  outcome.client_tag = order.client_tag;
  outcome.reference = reference_of(id, order);
  outcome.book = order.book;
  outcome.price4 = order.price4;
  outcome.quantity = order.leaves;
  outcome.ordered = order.ordered;
  outcome.cumulative = order.cumulative;
  outcome.leaves = order.leaves;
  outcome.value = order.value;
  outcome.client_id = order.client_id;
}

// ---- Reasons.

/// Of an auction, by the phase of its book before: the letter of ITCH.
[[nodiscard]] inline char cross_of(llmes::Phase before) noexcept {
  return before == llmes::Phase::ClosingAuction ? 'C' : before == llmes::Phase::Continuous ? 'H' : 'O';
}
[[nodiscard]] inline Liquidity liquidity_of(llmes::Phase before) noexcept {
  switch (cross_of(before)) {
    case 'C': return Liquidity::ClosingCross;
    case 'H': return Liquidity::HaltCross;
    default: return Liquidity::OpeningCross;
  }
}
[[nodiscard]] inline CancelReason reason_of(llmes::DeleteReason reason, CancelReason asked) noexcept {
  switch (reason) {
    case llmes::DeleteReason::Asked:
    case llmes::DeleteReason::MassCancel: return asked;
    case llmes::DeleteReason::Killed: return CancelReason::Killed;
    case llmes::DeleteReason::Expired: return CancelReason::Expired;
    case llmes::DeleteReason::OutsideBands: return CancelReason::OutsideBands;
    case llmes::DeleteReason::NoRoom: return CancelReason::NoRoom;
    case llmes::DeleteReason::QuoteRefused: return CancelReason::QuoteRefused;
    default: return CancelReason::System;
  }
}

}  // namespace exchange
