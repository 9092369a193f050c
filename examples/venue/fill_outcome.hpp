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
#include "llmes/wire.hpp"
#include "order_table.hpp"
#include "outcome.hpp"

namespace exchange {

// ---- What a sender said, in its order and in an outcome.

inline void note(KnownOrder& order, const Sender& sender) noexcept {
  order.price4 = sender.price4;
  order.client_id = client_id_of(sender.texts.client_id());
  order.side = sender.side;
  order.time_in_force = sender.time_in_force;
  order.display = sender.display;
  order.capacity = sender.capacity;
  order.intermarket_sweep = sender.intermarket_sweep;
  order.cross_type = sender.cross_type;
}
inline void fill_in(Outcome& outcome, const Sender& sender) noexcept {
  outcome.protocol = sender.protocol;
  outcome.user = sender.user;
  outcome.account = 0;
  outcome.reference = sender.reference;
  outcome.original = sender.original;
  outcome.side = sender.side;
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
  outcome.original_client_id = original;
  if (!names_field) return;
  outcome.refused_tag = sender.refused_tag;
  const std::span<const std::byte> value = std::as_bytes(std::span(sender.texts.value()));
  outcome.size = static_cast<std::uint8_t>(std::min(value.size(), outcome.message.size()));
  std::copy_n(value.begin(), outcome.size, outcome.message.begin());
}
/// What is told of an order that stays as it is, because a change of it is refused.
inline void fill_in_state(Outcome& outcome, const KnownOrder& order) noexcept {
  outcome.ordered = order.ordered;
  outcome.cumulative = order.cumulative;
  outcome.leaves = order.leaves;
}
inline void fill_in(Outcome& outcome, OrderId id, const KnownOrder& order) noexcept {
  outcome.side = order.side;
  outcome.time_in_force = order.time_in_force;
  outcome.display = order.display;
  outcome.capacity = order.capacity;
  outcome.intermarket_sweep = order.intermarket_sweep;
  outcome.cross_type = order.cross_type;
  outcome.user = user_of(id);
  outcome.account = order.account;
  outcome.reference = reference_of(id);
  outcome.book = order.book;
  outcome.price4 = order.price4;
  outcome.quantity = order.leaves;
  outcome.ordered = order.ordered;
  outcome.cumulative = order.cumulative;
  outcome.leaves = order.leaves;
  outcome.value = order.value;
  outcome.client_id = order.client_id;
}

// ---- Letters and numbers.

[[nodiscard]] inline char cross_of(llmes::Phase before) noexcept {
  return before == llmes::Phase::ClosingAuction ? 'C' : before == llmes::Phase::Continuous ? 'H' : 'O';
}
[[nodiscard]] inline llmes::ouch::CancelReason letter_of(llmes::DeleteReason reason,
                                                         llmes::ouch::CancelReason asked) noexcept {
  using Letter = llmes::ouch::CancelReason;
  switch (reason) {
    case llmes::DeleteReason::Asked:
    case llmes::DeleteReason::MassCancel: return asked;
    case llmes::DeleteReason::Killed: return Letter::Supervisory;
    case llmes::DeleteReason::Expired: return Letter::Timeout;
    case llmes::DeleteReason::OutsideBands: return Letter::Regulatory;
    default: return Letter::SystemCancel;
  }
}
/// Why an order is refused, as OUCH has the numbers.
[[nodiscard]] inline std::uint16_t reject_number_of(const llmes::VenueReport& done) noexcept {
  using enum llmes::ouch::RejectReason;
  const auto number = [](llmes::ouch::RejectReason reason) { return static_cast<std::uint16_t>(reason); };
  switch (done.status) {
    case llmes::VenueStatus::UnknownBook: return number(InvalidSymbol);
    case llmes::VenueStatus::Closed: return number(DestinationClosed);
    case llmes::VenueStatus::Halted: return number(Halted);
    case llmes::VenueStatus::OffTick:
    case llmes::VenueStatus::OutsideBands: return number(InvalidPrice);
    case llmes::VenueStatus::InvalidQuantity:
    case llmes::VenueStatus::OffLot: return number(InvalidQuantity);
    case llmes::VenueStatus::RefusedByRisk:
      return done.risk == llmes::RiskStatus::QuantityLimit ? number(FatFinger) : number(RiskExposure);
    case llmes::VenueStatus::RefusedByBook:
      switch (done.result) {
        case llmes::Status::PriceOutOfBand: return number(InvalidPrice);
        case llmes::Status::InvalidQuantity:
        case llmes::Status::QuantityOverflow: return number(InvalidQuantity);
        default: return number(ProcessingError);
      }
    default: return number(ProcessingError);
  }
}

}  // namespace exchange
