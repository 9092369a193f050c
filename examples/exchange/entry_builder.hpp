// SPDX-License-Identifier: MIT
//
// From what a client says to the command that it means. Every protocol builds its records here, so that the same
// order is the same command by each of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "entry.hpp"
#include "llmes/venue.hpp"

namespace exchange {

/// What is traded, as a client's message is read with it.
struct ListedSymbol {
  BookNumber book = 0;
  std::uint64_t tick = 100;  ///< in ten-thousandths of a dollar
  Quantity lot = 1;
};

/// Builds the record of one message, without a time. Calls give what is wrong with a value, or None: the protocol
/// hands that to `refuse`, of which the first call counts. What an order has beside side and quantity is said in
/// this order: time in force, display, expiry, then peak, minimum and post-only, then the prices.
class EntryBuilder {
 public:
  /// @param rules of `SenderRule`, as its protocol is
  EntryBuilder(UserId user, AccountNumber account, llmes::SelfTrade self_trade, std::uint8_t rules) noexcept {
    sender.user = user;
    sender.rules = rules;
    command.account = account;
    command.self_trade = self_trade;
  }

  /// @param field that is refused, if the client is told of it, with its value
  void refuse(Reason reason, Field field = Field::None, std::string_view value = {}) noexcept {
    if (reason == Reason::None || sender.refused != Reason::None) return;
    sender.refused = reason;
    sender.refused_field = field;
    sender.texts.set_value(value);
  }

  /// A new order, or a replace, with the number of the new order.
  void begin_order(EntryType type, std::uint32_t reference) noexcept {
    sender.type = type;
    sender.reference = reference;
    command.type = llmes::VenueCommandType::AddLimit;
    command.id = order_id(sender.user, reference);
    command.lifetime = llmes::Lifetime::Day;
  }
  /// A mass quote, with the number of its first side.
  void begin_quotes(std::uint32_t reference, bool is_all_or_none) noexcept {
    sender.type = EntryType::MassQuote;
    sender.reference = reference;
    command.type = llmes::VenueCommandType::MassQuote;
    command.lifetime = llmes::Lifetime::Day;
    command.quote_mode = is_all_or_none ? llmes::QuoteMode::AllOrNone : llmes::QuoteMode::Each;
  }
  /// One side more. What is wrong with its values is told of it alone.
  /// @param number of the quote; one that no quote has, or a side too many, refuses the whole
  /// @param lots 0: it takes off the one that there is
  void quote(std::uint32_t number, llmes::Side side, const ListedSymbol* listed, std::optional<Quantity> lots,
             std::optional<std::uint64_t> price4) {
    if (number == 0 || number > quotes_max || quotes.size() == llmes::quote_entries_max)
      return refuse(Reason::Unsupported);
    const OrderId id = quote_id(sender.user, number, side);
    const bool is_twice = std::ranges::find(quotes, id, &QuoteEntry::id) != quotes.end();
    QuoteEntry& one = quotes.emplace_back();
    one.id = id;
    one.side = side;
    if (is_twice) return exchange::refuse(one, Reason::DuplicateName);
    if (listed == nullptr) return exchange::refuse(one, Reason::UnknownSymbol);
    if (!lots) return exchange::refuse(one, Reason::InvalidQuantity);
    one.quantity = *lots;
    one.book = listed->book;
    if (*lots == 0) return;
    if (!price4 || !is_in_range(*price4) || *price4 % listed->tick != 0)
      return exchange::refuse(one, Reason::InvalidPrice);
    one.price = static_cast<Price>(*price4 / listed->tick);
  }
  [[nodiscard]] Reason side(SideWord side) noexcept {
    sender.terms.side = side;
    const bool is_new = sender.type == EntryType::Enter;  // a change keeps the side of its order
    command.side = is_new && side != SideWord::Buy ? llmes::Side::Sell : llmes::Side::Buy;
    return side == SideWord::None ? Reason::InvalidSide : Reason::None;
  }
  [[nodiscard]] Reason time_in_force(TimeWord word) noexcept {
    sender.terms.time_in_force = word;
    switch (word) {
      case TimeWord::Day: return Reason::None;
      case TimeWord::ImmediateOrCancel:
        command.time_in_force = llmes::TimeInForce::ImmediateOrCancel;
        command.lifetime = llmes::Lifetime::UntilCancelled;
        return Reason::None;
      case TimeWord::FillOrKill:
        command.time_in_force = llmes::TimeInForce::FillOrKill;
        command.lifetime = llmes::Lifetime::UntilCancelled;
        return Reason::None;
      case TimeWord::GoodTillTime:
        command.lifetime = llmes::Lifetime::UntilTime;
        // The time of the original goes on.
        return sender.type == EntryType::Replace ? Reason::Unsupported : Reason::None;
      case TimeWord::None: break;
    }
    return Reason::Unsupported;
  }
  [[nodiscard]] Reason display(DisplayWord word) noexcept {
    sender.terms.display = word;
    if (word == DisplayWord::Hidden) command.display = llmes::Display::Hidden;
    return word == DisplayWord::None ? Reason::InvalidDisplay : Reason::None;
  }
  /// @param time 0: none was said
  [[nodiscard]] Reason expiry(Nanoseconds time) noexcept {
    const bool ends_by_time = command.lifetime == llmes::Lifetime::UntilTime;
    command.expiry = ends_by_time ? time : 0;
    if (ends_by_time == (time != 0)) return Reason::None;
    return ends_by_time ? Reason::Unsupported : Reason::NoExpiry;
  }
  /// An order that shows this many of its lots at a time; all of them: it is a whole one.
  [[nodiscard]] Reason peak(Quantity lots) noexcept {
    if (command.display == llmes::Display::Hidden || lots > command.quantity) return Reason::InvalidPeak;
    if (lots == command.quantity) return Reason::None;
    command.peak = lots;
    command.display = llmes::Display::Reserve;
    return Reason::None;
  }
  [[nodiscard]] Reason minimum(Quantity lots) noexcept {
    command.minimum = lots;
    const bool is_immediate = command.time_in_force == llmes::TimeInForce::ImmediateOrCancel;
    return lots != 0 && !is_immediate ? Reason::InvalidMinimum : Reason::None;
  }
  /// A number of the client's own, which each report of the order repeats; 0 would say that it has none.
  [[nodiscard]] Reason client_tag(std::optional<std::uint64_t> tag) noexcept {
    if (!tag || *tag == 0 || *tag > std::numeric_limits<std::uint32_t>::max()) return Reason::InvalidTag;
    command.client_tag = static_cast<std::uint32_t>(*tag);
    return Reason::None;
  }
  [[nodiscard]] Reason post_only() noexcept {
    if (command.time_in_force != llmes::TimeInForce::GoodTillCancel) return Reason::Unsupported;
    command.time_in_force = llmes::TimeInForce::PostOnly;
    return Reason::None;
  }
  /// @param listed the symbol, if it is known
  [[nodiscard]] Reason symbol(const ListedSymbol* listed) noexcept {
    if (listed == nullptr) return Reason::UnknownSymbol;
    if (sender.type == EntryType::Enter) command.book = listed->book;  // else it is that of its order
    tick_ = listed->tick;
    return Reason::None;
  }
  /// A limit, in ten-thousandths of a dollar. Of a replace without a symbol the tick is that of its order.
  [[nodiscard]] Reason price(std::optional<std::uint64_t> price4) noexcept {
    if (!price4 || !is_in_range(*price4) || *price4 % tick_ != 0) return Reason::InvalidPrice;
    sender.price4 = *price4;
    command.price = sender.type == EntryType::Enter ? static_cast<Price>(*price4 / tick_) : 0;
    return Reason::None;
  }
  [[nodiscard]] Reason market() noexcept {
    command.type = llmes::VenueCommandType::AddMarket;
    end_with_nothing_but_time();
    const bool is_post_only = command.time_in_force == llmes::TimeInForce::PostOnly;
    return is_post_only || sender.type == EntryType::Replace ? Reason::Unsupported : Reason::None;
  }
  /// @return of the trigger; a stop cannot replace an order, which the caller asks before
  [[nodiscard]] Reason stop(std::optional<std::uint64_t> trigger4) noexcept {
    command.stop = llmes::StopTrigger::LastTrade;
    end_with_nothing_but_time();
    if (!trigger4 || !is_in_range(*trigger4) || *trigger4 % tick_ != 0) return Reason::InvalidPrice;
    command.trigger = static_cast<Price>(*trigger4 / tick_);
    return Reason::None;
  }

  [[nodiscard]] Entry record() const { return {command, sender, quotes}; }

  VenueCommand command{};
  Sender sender{};
  std::vector<QuoteEntry> quotes{};

 private:
  /// The end of the day cancels all orders, so those that wait need no lifetime for that.
  void end_with_nothing_but_time() noexcept {
    if (command.lifetime != llmes::Lifetime::UntilTime) command.lifetime = llmes::Lifetime::UntilCancelled;
  }
  [[nodiscard]] static constexpr bool is_in_range(std::uint64_t price4) noexcept {
    return price4 != 0 && price4 <= std::numeric_limits<std::uint32_t>::max();
  }

  std::uint64_t tick_ = 1;
};

}  // namespace exchange
