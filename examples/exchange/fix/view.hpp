// SPDX-License-Identifier: MIT
//
// What a user of FIX has been told today, in the order of its messages, and what its orders are called. It grows
// with each outcome, so that nobody waits for it when the user logs on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codec.hpp"
#include "examples/exchange/mailbox.hpp"
#include "examples/exchange/outcome.hpp"

namespace exchange {

/// Whether a client of FIX is told of an outcome.
[[nodiscard]] constexpr bool has_fix_message(const Outcome& outcome) noexcept {
  switch (outcome.kind) {
    case OutcomeKind::Accepted:
    case OutcomeKind::Replaced:
    case OutcomeKind::Executed:
    case OutcomeKind::Canceled:
    case OutcomeKind::SelfTradeCanceled:
    case OutcomeKind::Modified:
    case OutcomeKind::Rejected:
    case OutcomeKind::CancelRejected:
    case OutcomeKind::Broken:
    case OutcomeKind::MassQuoted: return true;
    default: return false;
  }
}

class FixView final : public View {
 public:
  explicit FixView(UserId user) : user_(user) {}

  /// O(log n) in the ids of the day; it may allocate.
  void told(const Outcome& outcome) override {
    if (outcome.kind == OutcomeKind::Quoted) take_side(outcome);
    if (has_fix_message(outcome)) told_.push_back(outcome);
    if (outcome.kind == OutcomeKind::MassQuoted) {
      told_.back().match = answers_.size();
      answers_.push_back(std::exchange(entries_, {}));
    }
    if (outcome.user != user_) return;  // a copy
    reference_ = std::max(reference_, outcome.reference);
    const std::string_view id = view_of(outcome.client_id);
    switch (outcome.kind) {
      case OutcomeKind::Accepted:
      case OutcomeKind::Replaced: return set(id, outcome.reference);
      case OutcomeKind::Rejected:
      case OutcomeKind::CancelRejected:
      case OutcomeKind::MassQuoted:
      case OutcomeKind::Canceled: (void)has_come(id, 0); return;
      default: return;
    }
  }
  /// What its messages are written from, in their order.
  [[nodiscard]] const std::deque<Outcome>& outcomes() const noexcept { return told_; }
  /// The entries that one of them answers, if it is of a mass quote.
  [[nodiscard]] std::span<const QuoteAnswer> entries_of(const Outcome& outcome) const noexcept {
    if (outcome.kind != OutcomeKind::MassQuoted) return {};
    return answers_[outcome.match];
  }

  /// The order that has this ClOrdID; 0 if none has.
  [[nodiscard]] std::uint32_t find(std::string_view id) const {
    const auto found = references_.find(id);
    return found == references_.end() ? 0 : found->second;
  }
  /// Whether a message with this ClOrdID has come today. A new one has come now.
  [[nodiscard]] bool has_come(std::string_view id, std::uint32_t reference) {
    return !references_.try_emplace(std::string(id), reference).second;
  }
  /// A number that no order has, as far as is told; the largest one again and again, which the exchange refuses.
  /// @param count how many behind each other are used, at least 1
  [[nodiscard]] std::uint32_t next_reference(std::uint32_t count = 1) noexcept {
    const std::uint32_t left = std::numeric_limits<std::uint32_t>::max() - reference_;
    const std::uint32_t first = reference_ + std::min(left, 1u);
    reference_ += std::min(left, count);
    return first;
  }

 private:
  /// A bid and the offer behind it are one entry.
  void take_side(const Outcome& outcome) {
    const bool is_bid = outcome.terms.side == SideWord::Buy;
    const bool goes_on =
        !is_bid && !entries_.empty() && entries_.back().entry == outcome.client_tag && !entries_.back().has_offer;
    if (!goes_on) entries_.push_back({.entry = outcome.client_tag});
    QuoteAnswer& entry = entries_.back();
    entry.has_offer = !is_bid;
    const std::uint32_t refused = quote_reject_reason(outcome);
    if (refused == 0) {
      (is_bid ? entry.bid_size : entry.offer_size) = static_cast<std::uint32_t>(outcome.quantity);
    } else if (entry.refused == 0) {
      entry.refused = refused;
    }
  }
  void set(std::string_view id, std::uint32_t reference) {
    references_.insert_or_assign(std::string(id), reference);
  }

  UserId user_;
  std::deque<Outcome> told_;
  std::deque<std::vector<QuoteAnswer>> answers_;  ///< to mass quotes, whose outcomes have their number as `match`
  std::vector<QuoteAnswer> entries_;              ///< of the one that is being told
  std::map<std::string, std::uint32_t, std::less<>> references_;  ///< a hash table would stop to grow
  std::uint32_t reference_ = 0;
};

}  // namespace exchange
