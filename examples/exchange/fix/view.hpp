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
#include <string>
#include <string_view>

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
    case OutcomeKind::Broken: return true;
    default: return false;
  }
}

class FixView final : public View {
 public:
  explicit FixView(UserId user) : user_(user) {}

  /// O(log n) in the ids of the day; it may allocate.
  void told(const Outcome& outcome) override {
    if (has_fix_message(outcome)) told_.push_back(outcome);
    if (outcome.user != user_) return;  // a copy
    reference_ = std::max(reference_, outcome.reference);
    const std::string_view id = view_of(outcome.client_id);
    switch (outcome.kind) {
      case OutcomeKind::Accepted:
      case OutcomeKind::Replaced: return set(id, outcome.reference);
      case OutcomeKind::Rejected:
      case OutcomeKind::CancelRejected:
      case OutcomeKind::Canceled: (void)has_come(id, 0); return;
      default: return;
    }
  }
  /// What its messages are written from, in their order.
  [[nodiscard]] const std::deque<Outcome>& outcomes() const noexcept { return told_; }

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
  [[nodiscard]] std::uint32_t next_reference() noexcept {
    if (reference_ != std::numeric_limits<std::uint32_t>::max()) ++reference_;
    return reference_;
  }

 private:
  void set(std::string_view id, std::uint32_t reference) {
    references_.insert_or_assign(std::string(id), reference);
  }

  UserId user_;
  std::deque<Outcome> told_;
  std::map<std::string, std::uint32_t, std::less<>> references_;  ///< a hash table would stop to grow
  std::uint32_t reference_ = 0;
};

}  // namespace exchange
