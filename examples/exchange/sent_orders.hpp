// SPDX-License-Identifier: MIT
//
// What a user has open or on its way. By that the gateway knows messages that nobody would answer, and which the
// journal need not have.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <unordered_map>

#include "entry.hpp"
#include "outcome.hpp"

namespace exchange {

class SentOrders {
 public:
  /// Whether the exchange would be silent about a record, whatever becomes of those on their way.
  [[nodiscard]] bool is_silent(const Entry& record) const {
    const Sender& sender = record.sender;
    switch (sender.type) {
      case EntryType::Enter:
      case EntryType::MassQuote:
      case EntryType::MassCancel:
      case EntryType::DisableEntry:
      case EntryType::EnableEntry: return sender.reference <= last_;
      case EntryType::Replace: {
        const auto found = orders_.find(sender.original);
        return found == orders_.end() || found->second.asked == 0 ||
               sender.reference <= std::max(last_, found->second.replaced_by);
      }
      case EntryType::Cancel: {
        const auto found = orders_.find(sender.reference);
        return found == orders_.end() || record.command.quantity >= found->second.least();
      }
      case EntryType::Modify: {
        const auto found = orders_.find(sender.reference);
        if (found == orders_.end() || sender.refused != Reason::None) return true;
        const Order& order = found->second;
        return order.asked == 0 || !may_become(order.side, sender.terms.side) ||
               record.command.quantity > order.least();
      }
      default: return false;
    }
  }
  /// Whether only those on their way decide if the exchange is silent about a record that changes an order: it is
  /// being replaced or modified; or, of a replace, the order itself is not known to be there.
  [[nodiscard]] bool is_undecided(const Entry& record) const {
    const Sender& sender = record.sender;
    const bool replaces = sender.type == EntryType::Replace;
    if (!replaces && sender.type != EntryType::Cancel && sender.type != EntryType::Modify) return false;
    const auto found = orders_.find(replaces ? sender.original : sender.reference);
    if (found == orders_.end()) return false;
    const Order& order = found->second;
    return order.replaced_by != 0 || (replaces ? order.sent != 0 : order.modifies);
  }
  /// A record is on its way.
  /// @param number above those before
  void sent(const Entry& record, std::uint64_t number) {
    const Sender& sender = record.sender;
    switch (sender.type) {
      case EntryType::Enter: last_ = std::max(last_, sender.reference); [[fallthrough]];
      case EntryType::Replace: {
        Order order{.lots = record.command.quantity, .sent = number, .side = sender.terms.side};
        if (sender.type == EntryType::Replace) {
          const auto original = orders_.find(sender.original);
          if (original == orders_.end()) return;
          order.side = original->second.side;
          original->second.replaced_by = sender.reference;
          on_their_way_.push_back({number, sender.original});
          original->second.changed = number;
        }
        if (orders_.try_emplace(sender.reference, order).second)
          on_their_way_.push_back({number, sender.reference});
        return;
      }
      case EntryType::MassQuote:
        quotes_ = true;
        last_ = std::max(
            {last_, sender.reference, sender.reference + static_cast<std::uint32_t>(record.quotes.size()) - 1});
        return;
      case EntryType::MassCancel:
      case EntryType::DisableEntry:
      case EntryType::EnableEntry: last_ = std::max(last_, sender.reference); return;
      case EntryType::Cancel: {
        const auto found = orders_.find(sender.reference);
        if (found == orders_.end()) return;
        found->second.asked = std::min(found->second.asked, record.command.quantity);
        found->second.changed = number;
        on_their_way_.push_back({number, sender.reference});
        return;
      }
      case EntryType::Modify: {
        const auto found = orders_.find(sender.reference);
        if (found == orders_.end()) return;
        found->second.modifies = true;
        found->second.changed = number;
        on_their_way_.push_back({number, sender.reference});
        return;
      }
      default: return;
    }
  }
  /// What the exchange tells of an order of the user.
  void told(const Outcome& outcome) {
    switch (outcome.kind) {
      case OutcomeKind::Accepted:
      case OutcomeKind::Replaced:
        last_ = std::max(last_, outcome.reference);
        if (outcome.kind == OutcomeKind::Replaced) orders_.erase(outcome.original);
        orders_[outcome.reference] = {.lots = outcome.cumulative + outcome.leaves, .side = outcome.terms.side};
        return;
      case OutcomeKind::Rejected:
        last_ = std::max(last_, outcome.reference);
        if (const auto order = orders_.find(outcome.reference); order != orders_.end() && order->second.sent != 0)
          orders_.erase(order);
        return;
      case OutcomeKind::Quoted: quotes_ = true; [[fallthrough]];
      case OutcomeKind::MassQuoted:
      case OutcomeKind::MassCanceled:
      case OutcomeKind::EntryDisabled:
      case OutcomeKind::EntryEnabled: last_ = std::max(last_, outcome.reference); return;
      case OutcomeKind::Executed:
      case OutcomeKind::Canceled:
      case OutcomeKind::SelfTradeCanceled:
      case OutcomeKind::Modified: {
        const auto found = orders_.find(outcome.reference);
        if (found == orders_.end()) return;
        if (outcome.leaves == 0) {
          orders_.erase(found);
          return;
        }
        found->second.lots = outcome.cumulative + outcome.leaves;
        found->second.side = outcome.terms.side;
        return;
      }
      default: return;
    }
  }
  /// All records up to a number are done, and told.
  void done(std::uint64_t number) {
    for (; !on_their_way_.empty() && on_their_way_.front().number <= number; on_their_way_.pop_front()) {
      const auto found = orders_.find(on_their_way_.front().reference);
      if (found == orders_.end()) continue;
      if (found->second.sent != 0 && found->second.sent <= number) {
        orders_.erase(found);  // the exchange was silent
      } else if (found->second.changed <= number) {
        found->second.asked = none;
        found->second.replaced_by = 0;
        found->second.modifies = false;
      }
    }
  }
  void begin_day() { *this = {}; }
  /// Whether an order or a quote is open, or may be.
  [[nodiscard]] bool any() const noexcept { return quotes_ || !orders_.empty(); }

 private:
  static constexpr Quantity none = ~Quantity{0};

  struct Order {
    Quantity lots = 0;              ///< of the whole order
    Quantity asked = none;          ///< what cancels on their way leave of it
    std::uint64_t sent = 0;         ///< the number of the record that may add it; 0: it is there
    std::uint64_t changed = 0;      ///< the number of the last record that changes it
    std::uint32_t replaced_by = 0;  ///< by a record on its way
    SideWord side = SideWord::None;
    bool modifies = false;  ///< a record on its way

    [[nodiscard]] Quantity least() const noexcept { return std::min(lots, asked); }
  };
  struct Way {
    std::uint64_t number;
    std::uint32_t reference;
  };

  std::unordered_map<std::uint32_t, Order> orders_;
  std::deque<Way> on_their_way_;
  std::uint32_t last_ = 0;  ///< number that was used
  bool quotes_ = false;     ///< it has quoted today
};

}  // namespace exchange
