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
        return found == orders_.end() || found->second.ends ||
               sender.reference <= std::max(last_, found->second.replaced_by);
      }
      case EntryType::Cancel: {
        const auto found = orders_.find(sender.reference);
        if (found == orders_.end() || sender.refused != Reason::None) return true;
        const Order& order = found->second;
        return order.ends || (!order.is_one_of_two && record.command.quantity >= order.lots);
      }
      case EntryType::Modify: {
        const auto found = orders_.find(sender.reference);
        if (found == orders_.end() || sender.refused != Reason::None) return true;
        const Order& order = found->second;
        if (order.ends || order.is_one_of_two) return order.ends;
        return !may_become(order.side, sender.terms.side) || record.command.quantity > order.lots;
      }
      default: return false;
    }
  }
  /// Whether only those on their way decide if the exchange is silent about a record that changes an order: it is
  /// being replaced or modified, or two of them may add it; or, of a replace, the order itself is not known to be
  /// there; or, of others, a cancel that may be refused leaves no more than they ask for.
  [[nodiscard]] bool is_undecided(const Entry& record) const {
    const Sender& sender = record.sender;
    const bool replaces = sender.type == EntryType::Replace;
    if (!replaces && sender.type != EntryType::Cancel && sender.type != EntryType::Modify) return false;
    const auto found = orders_.find(replaces ? sender.original : sender.reference);
    if (found == orders_.end()) return false;
    const Order& order = found->second;
    if (order.is_replaced || order.is_one_of_two) return true;
    return replaces ? order.sent != 0 : order.modifies || record.command.quantity >= order.asked;
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
          original->second.is_replaced = true;
          // Its number is used, if the order is there.
          if (sender.has(SenderRule::WrongReplaceCancels))
            original->second.replaced_by = std::max(original->second.replaced_by, sender.reference);
          on_their_way_.push_back({number, sender.original});
          original->second.changed = number;
        }
        const auto [added, is_new] = orders_.try_emplace(sender.reference, order);
        if (!is_new && added->second.sent == 0) return;  // it is there
        if (!is_new) {                                   // a replace before may do nothing, and use no number
          added->second.is_one_of_two = true;
          added->second.ends = false;
          added->second.replaced_by = 0;
        }
        added->second.sent = number;
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
        if (found == orders_.end() || sender.refused != Reason::None) return;
        // One of an odd lot, or with words that may not be true of the order, may do nothing.
        const bool is_sure = sender.symbol == 0 && !sender.has(SenderRule::NamesByText);
        if (is_sure && record.command.quantity == 0) found->second.ends = true;
        found->second.asked = std::min(found->second.asked, record.command.quantity);
        found->second.changed = number;
        on_their_way_.push_back({number, sender.reference});
        return;
      }
      case EntryType::Modify: {
        const auto found = orders_.find(sender.reference);
        if (found == orders_.end() || sender.refused != Reason::None) return;
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
        found->second.ends = found->second.is_replaced = found->second.modifies = false;
      }
    }
  }
  void begin_day() { *this = {}; }
  /// Whether an order or a quote is open, or may be.
  [[nodiscard]] bool any() const noexcept { return quotes_ || !orders_.empty(); }

 private:
  static constexpr Quantity none = ~Quantity{0};

  struct Order {
    Quantity lots = 0;              ///< of the whole order, which never has more
    Quantity asked = none;          ///< what cancels on their way leave of it, if they are done
    std::uint64_t sent = 0;         ///< the number of the last record that may add it; 0: it is there
    std::uint64_t changed = 0;      ///< the number of the last record that may change it
    std::uint32_t replaced_by = 0;  ///< numbers up to this one are used, if it is there
    SideWord side = SideWord::None;
    // Records on their way:
    bool ends = false;           ///< one leaves nothing of it
    bool is_replaced = false;    ///< one may replace it
    bool modifies = false;       ///< one may modify it
    bool is_one_of_two = false;  ///< more than one may add it, and one alone does
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
