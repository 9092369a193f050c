// SPDX-License-Identifier: MIT
//
// OUCH as the exchange speaks it: what a client may send becomes a record of the journal, and an outcome becomes a
// message. Both are functions of their arguments alone.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "examples/exchange/entry.hpp"
#include "examples/exchange/entry_builder.hpp"
#include "examples/exchange/outcome.hpp"
#include "llmes/wire.hpp"

namespace exchange {

namespace ouch = llmes::ouch;

// ---- Letters and numbers.

[[nodiscard]] constexpr SideWord side_word(ouch::Side side) noexcept {
  switch (side) {
    case ouch::Side::Buy: return SideWord::Buy;
    case ouch::Side::Sell: return SideWord::Sell;
    case ouch::Side::SellShort: return SideWord::SellShort;
    case ouch::Side::SellShortExempt: return SideWord::SellShortExempt;
  }
  return SideWord::None;
}
[[nodiscard]] constexpr ouch::Side ouch_side(SideWord side) noexcept {
  switch (side) {
    case SideWord::Buy: return ouch::Side::Buy;
    case SideWord::Sell: return ouch::Side::Sell;
    case SideWord::SellShort: return ouch::Side::SellShort;
    case SideWord::SellShortExempt: return ouch::Side::SellShortExempt;
    case SideWord::None: break;
  }
  return ouch::Side{' '};
}
[[nodiscard]] constexpr TimeWord time_word(ouch::TimeInForce time) noexcept {
  switch (time) {
    case ouch::TimeInForce::Day: return TimeWord::Day;
    case ouch::TimeInForce::ImmediateOrCancel: return TimeWord::ImmediateOrCancel;
    case ouch::TimeInForce::GoodTillTime: return TimeWord::GoodTillTime;
    default: return TimeWord::None;
  }
}
[[nodiscard]] constexpr ouch::TimeInForce ouch_time(TimeWord time) noexcept {
  switch (time) {
    case TimeWord::Day: return ouch::TimeInForce::Day;
    case TimeWord::ImmediateOrCancel: return ouch::TimeInForce::ImmediateOrCancel;
    case TimeWord::FillOrKill: return ouch::TimeInForce{'4'};  // OUCH has no letter: that of FIX
    case TimeWord::GoodTillTime: return ouch::TimeInForce::GoodTillTime;
    case TimeWord::None: break;
  }
  return ouch::TimeInForce{' '};
}
[[nodiscard]] constexpr DisplayWord display_word(ouch::Display display) noexcept {
  switch (display) {
    case ouch::Display::Visible: return DisplayWord::Visible;
    case ouch::Display::Attributable: return DisplayWord::Attributable;
    case ouch::Display::Hidden: return DisplayWord::Hidden;
  }
  return DisplayWord::None;
}
[[nodiscard]] constexpr ouch::Display ouch_display(DisplayWord display) noexcept {
  switch (display) {
    case DisplayWord::Visible: return ouch::Display::Visible;
    case DisplayWord::Attributable: return ouch::Display::Attributable;
    case DisplayWord::Hidden: return ouch::Display::Hidden;
    case DisplayWord::None: break;
  }
  return ouch::Display{' '};
}
/// A letter as it is kept, and back: a space is 0, which says nothing, and no letter is lost.
[[nodiscard]] constexpr char kept_letter(char letter) noexcept {
  return static_cast<char>(letter ^ ' ');
}
/// The marks of an order.
enum OuchMark : std::size_t { intermarket_sweep_mark, cross_type_mark };

[[nodiscard]] constexpr ouch::CancelReason ouch_reason(CancelReason reason) noexcept {
  switch (reason) {
    case CancelReason::Asked: return ouch::CancelReason::ByUser;
    case CancelReason::NotImmediate: return ouch::CancelReason::ImmediateOrCancel;
    case CancelReason::Expired: return ouch::CancelReason::Timeout;
    case CancelReason::Killed: return ouch::CancelReason::Supervisory;
    case CancelReason::OutsideBands: return ouch::CancelReason::Regulatory;
    case CancelReason::SelfTrade: return ouch::CancelReason::SelfTrade;
    case CancelReason::DayEnded: return ouch::CancelReason::Closed;
    case CancelReason::System:
    case CancelReason::LoggedOut:
    case CancelReason::NoRoom:
    case CancelReason::QuoteRefused:
    case CancelReason::None: break;
  }
  return ouch::CancelReason::SystemCancel;
}
[[nodiscard]] constexpr char ouch_liquidity(Liquidity liquidity) noexcept {
  switch (liquidity) {
    case Liquidity::Added: return 'A';
    case Liquidity::AddedHidden: return 'J';
    case Liquidity::Removed: return 'R';
    case Liquidity::OpeningCross: return 'O';
    case Liquidity::ClosingCross: return 'C';
    case Liquidity::HaltCross: return 'H';
    case Liquidity::None: break;
  }
  return ' ';
}
/// Why an order is refused.
[[nodiscard]] inline ouch::RejectReason ouch_reject(const Outcome& outcome) noexcept {
  using enum ouch::RejectReason;
  switch (outcome.reason) {
    case Reason::None: break;
    case Reason::UnknownSymbol: return InvalidSymbol;
    case Reason::InvalidPrice: return InvalidPrice;
    case Reason::InvalidSide: return InvalidSide;
    case Reason::InvalidDisplay: return InvalidDisplay;
    case Reason::InvalidPeak: return InvalidMaxFloor;
    case Reason::InvalidMinimum: return InvalidMinimumQuantity;
    case Reason::NoPegs: return InvalidPegType;
    case Reason::NoSweeps: return IsoNotAllowed;
    case Reason::NoRoutes: return RoutingNotAllowed;
    case Reason::NoCrosses: return InvalidCrossOrder;
    case Reason::InvalidQuantity: return InvalidQuantity;
    case Reason::EntryDisabled: return RiskExposure;
    default: return ProcessingError;
  }
  switch (outcome.status) {
    case llmes::VenueStatus::UnknownBook: return InvalidSymbol;
    case llmes::VenueStatus::Closed: return DestinationClosed;
    case llmes::VenueStatus::Halted: return Halted;
    case llmes::VenueStatus::OffTick:
    case llmes::VenueStatus::OutsideBands: return InvalidPrice;
    case llmes::VenueStatus::RefusedByRisk:
      return outcome.risk == llmes::RiskStatus::QuantityLimit ? FatFinger : RiskExposure;
    case llmes::VenueStatus::InvalidQuantity:
    case llmes::VenueStatus::OffLot: return InvalidQuantity;
    case llmes::VenueStatus::RefusedByBook:
      switch (outcome.result) {
        case llmes::Status::PriceOutOfBand: return InvalidPrice;
        case llmes::Status::InvalidQuantity:
        case llmes::Status::QuantityOverflow: return InvalidQuantity;
        default: return ProcessingError;
      }
    default: return ProcessingError;
  }
}

// ---- In.

/// Reads the messages of one user.
template <class Symbols>
class OuchReader {
 public:
  /// @param symbols `find(name)` gives a pointer to a `ListedSymbol`, or nullptr
  /// @param now since 1970; an order that lives for some time ends so long after it
  OuchReader(const Symbols& symbols, UserId user, AccountNumber account, llmes::SelfTrade self_trade,
             Nanoseconds now) noexcept
      : symbols_(symbols),
        now_(now),
        entry_(user, account, self_trade, static_cast<std::uint8_t>(SenderRule::WrongReplaceCancels)) {}

  /// A record without a time; nothing if the bytes are no message of a client, which has no place in the protocol.
  [[nodiscard]] std::optional<Entry> read(std::span<const std::byte> message) {
    if (ouch::decode_client(message, *this) != ouch::DecodeStatus::Success) return {};
    return entry_.record();
  }

  void operator()(const ouch::EnterOrder& order, std::span<const std::byte> appendage) noexcept {
    entry_.begin_order(EntryType::Enter, order.user_reference);
    entry_.sender.terms.capacity = kept_letter(order.capacity);
    entry_.sender.terms.marks[cross_type_mark] = kept_letter(order.cross_type);
    terms(order, appendage);
    entry_.refuse(entry_.side(side_word(order.side.value())));
    if (order.cross_type != 'N') entry_.refuse(Reason::NoCrosses);
    entry_.refuse(entry_.symbol(symbols_.find(order.symbol.view())));
    entry_.refuse(entry_.price(order.price));
  }
  void operator()(const ouch::ReplaceOrder& order, std::span<const std::byte> appendage) noexcept {
    entry_.begin_order(EntryType::Replace, order.user_reference);
    entry_.sender.original = order.original;
    terms(order, appendage);
    entry_.refuse(entry_.price(order.price));
  }
  void operator()(const ouch::CancelOrder& order, std::span<const std::byte> appendage) noexcept {
    change(EntryType::Cancel, order.user_reference, order.quantity);
    choose_nothing(appendage);
  }
  void operator()(const ouch::ModifyOrder& order, std::span<const std::byte> appendage) noexcept {
    change(EntryType::Modify, order.user_reference, order.quantity);
    entry_.refuse(entry_.side(side_word(order.side.value())));
    choose_nothing(appendage);
  }
  void operator()(const ouch::MassCancel& message, std::span<const std::byte> appendage) noexcept {
    of_all_orders(EntryType::MassCancel, message, appendage);
    entry_.sender.symbol = pack_symbol(message.symbol.view());
    const bool is_known = message.symbol.view().empty() || symbols_.find(message.symbol.view()) != nullptr;
    if (!is_known) entry_.refuse(Reason::UnknownSymbol);
  }
  void operator()(const ouch::DisableEntry& message, std::span<const std::byte> appendage) noexcept {
    of_all_orders(EntryType::DisableEntry, message, appendage);
  }
  void operator()(const ouch::EnableEntry& message, std::span<const std::byte> appendage) noexcept {
    of_all_orders(EntryType::EnableEntry, message, appendage);
  }
  void operator()(const ouch::AccountQuery&) noexcept { entry_.sender.type = EntryType::Query; }
  void operator()(const ouch::MassQuote& message, std::span<const std::byte> sides) {
    entry_.begin_quotes(message.user_reference, message.all_or_none == 'Y');
    name(message.client_id.view());
    if (message.all_or_none != 'Y' && message.all_or_none != 'N') entry_.refuse(Reason::Unsupported);
    if (sides.size() % sizeof(ouch::QuoteSide) != 0) entry_.refuse(Reason::Unsupported);
    for (; sides.size() >= sizeof(ouch::QuoteSide); sides = sides.subspan(sizeof(ouch::QuoteSide))) {
      const auto& one = *reinterpret_cast<const ouch::QuoteSide*>(sides.data());
      if (one.side != ouch::Side::Buy && one.side != ouch::Side::Sell) entry_.refuse(Reason::InvalidSide);
      entry_.quote(one.quote, one.side == ouch::Side::Sell ? llmes::Side::Sell : llmes::Side::Buy,
                   symbols_.find(one.symbol.view()), one.quantity, one.price);
    }
  }

 private:
  /// What it calls its order, or its firm: alpha, which others are told, too.
  void name(std::string_view text) noexcept {
    entry_.sender.texts.set_client_id(text);
    if (!is_printable(text)) entry_.refuse(Reason::Unprintable);
  }
  void change(EntryType type, std::uint32_t reference, Quantity whole) noexcept {
    entry_.sender.type = type;
    entry_.sender.reference = reference;
    entry_.command.quantity = whole;
  }
  /// An element would choose some orders, or another sequence of them, which nobody does here.
  void choose_nothing(std::span<const std::byte> appendage) noexcept {
    if (!appendage.empty()) entry_.refuse(Reason::Unsupported);
  }
  /// What these have in common.
  template <class M>
  void of_all_orders(EntryType type, const M& message, std::span<const std::byte> appendage) noexcept {
    entry_.sender.type = type;
    entry_.sender.reference = message.user_reference;
    name(message.firm.view());
    choose_nothing(appendage);
  }

  /// What a new order and a replace have in common.
  template <class M>
  void terms(const M& message, std::span<const std::byte> appendage) noexcept {
    entry_.sender.terms.marks[intermarket_sweep_mark] = kept_letter(message.intermarket_sweep);
    entry_.sender.price4 = message.price;
    name(message.client_id.view());
    entry_.command.quantity = message.quantity;
    entry_.refuse(entry_.time_in_force(time_word(message.time_in_force.value())));
    entry_.refuse(entry_.display(display_word(message.display.value())));
    if (message.intermarket_sweep == 'Y') entry_.refuse(Reason::NoSweeps);
    if (!ouch::visit_elements(appendage, [this](const ouch::Element& element) { take(element); }))
      entry_.refuse(Reason::Unsupported);
    entry_.refuse(entry_.expiry(entry_.command.expiry));  // whether there is one
  }

  void take(const ouch::Element& element) noexcept {
    const std::uint32_t bit = 1u << static_cast<unsigned>(element.tag);  // a tag that is known is below 32
    if ((elements_ & bit) != 0) return entry_.refuse(Reason::Unsupported);
    elements_ |= bit;
    switch (element.tag) {
      case ouch::Tag::MinimumQuantity: return entry_.refuse(entry_.minimum(element.number()));
      case ouch::Tag::MaxFloor:
        if (element.number() != 0) entry_.refuse(entry_.peak(element.number()));
        return;
      case ouch::Tag::PostOnly:
        if (element.number() == 'N') return;
        return entry_.refuse(element.number() == 'P' ? entry_.post_only() : Reason::Unsupported);
      case ouch::Tag::ExpireTime:
        if (element.number() == 0) return;  // as if it were not there
        if (element.number() >= 86'400) return entry_.refuse(Reason::Unsupported);
        return entry_.refuse(entry_.expiry(now_ + element.number() * 1'000'000'000));
      case ouch::Tag::PriceType:
      case ouch::Tag::PegOffset:
      case ouch::Tag::DiscretionPrice:
      case ouch::Tag::DiscretionPriceType:
      case ouch::Tag::DiscretionPegOffset: return entry_.refuse(Reason::NoPegs);
      case ouch::Tag::Route: return entry_.refuse(Reason::NoRoutes);
      case ouch::Tag::Firm:
      case ouch::Tag::CustomerType:
      case ouch::Tag::GroupId: return;  // they mean nothing here
      default: entry_.refuse(Reason::Unsupported);
    }
  }

  const Symbols& symbols_;
  Nanoseconds now_;
  std::uint32_t elements_ = 0;  ///< by tag: which of them have come
  EntryBuilder entry_;
};

// ---- Out.

/// Calls `send` with the bytes of the message that an outcome is to its user, if it is one.
template <class Send>
void write_ouch(const Outcome& outcome, Send&& send) {
  using enum OutcomeKind;
  const ClientTerms& terms = outcome.terms;
  const ouch::Side side = ouch_side(terms.side);
  const std::uint64_t time = outcome.time % 86'400'000'000'000;
  const auto quantity = static_cast<std::uint32_t>(outcome.quantity);
  const ouch::Text<14> client_id = view_of(outcome.client_id);
  const std::array<char, 8> letters = symbol_letters(outcome.symbol);
  const auto give = [&send](const auto& message) { send(std::as_bytes(std::span(&message, 1))); };
  const auto fill_order = [&](auto& message) {
    message.timestamp = time;
    message.user_reference = outcome.reference;
    message.side = side;
    message.quantity = quantity;
    message.symbol = std::string_view(letters.data(), letters.size());
    message.price = outcome.price4;
    message.time_in_force = ouch_time(terms.time_in_force);
    message.display = ouch_display(terms.display);
    message.order_reference = outcome.order_reference;
    message.capacity = kept_letter(terms.capacity);
    message.intermarket_sweep = kept_letter(terms.marks[intermarket_sweep_mark]);
    const char cross = kept_letter(terms.marks[cross_type_mark]);
    message.cross_type = cross == ' ' ? 'N' : cross;  // orders are of the continuous market
    message.state = ouch::OrderState::Live;
    message.client_id = client_id;
    give(message);
  };
  switch (outcome.kind) {
    case MessagesBegin:
      return give(ouch::SystemEvent{.timestamp = time, .event = ouch::SystemEventCode::StartOfDay});
    case MessagesEnd: return give(ouch::SystemEvent{.timestamp = time, .event = ouch::SystemEventCode::EndOfDay});
    case Accepted: {
      ouch::Accepted message;
      return fill_order(message);
    }
    case Replaced: {
      ouch::Replaced message;
      message.original = outcome.original;
      return fill_order(message);
    }
    case Executed:
      return give(ouch::Executed{.timestamp = time,
                                 .user_reference = outcome.reference,
                                 .quantity = quantity,
                                 .price = outcome.price4,
                                 .liquidity = ouch_liquidity(outcome.liquidity),
                                 .match = outcome.match});
    case Canceled:
      return give(ouch::Canceled{.timestamp = time,
                                 .user_reference = outcome.reference,
                                 .quantity = quantity,
                                 .reason = ouch_reason(outcome.cancel)});
    case SelfTradeCanceled:
      return give(ouch::SelfTradeCanceled{.timestamp = time,
                                          .user_reference = outcome.reference,
                                          .decrement = quantity,
                                          .reason = ouch::CancelReason::SelfTrade,
                                          .prevented = quantity,
                                          .price = outcome.price4,
                                          .liquidity = ouch_liquidity(outcome.liquidity),
                                          .strategy = 'D'});  // both are decremented
    case Modified:
      return give(ouch::Modified{
          .timestamp = time, .user_reference = outcome.reference, .side = side, .quantity = quantity});
    case PriorityUpdate:
      return give(ouch::PriorityUpdate{.timestamp = time,
                                       .user_reference = outcome.reference,
                                       .price = outcome.price4,
                                       .display = ouch_display(terms.display),
                                       .order_reference = outcome.order_reference});
    case Rejected:
      return give(ouch::Rejected{.timestamp = time,
                                 .user_reference = outcome.reference,
                                 .reason = ouch_reject(outcome),
                                 .client_id = client_id});
    case Broken:
      return give(ouch::BrokenTrade{.timestamp = time,
                                    .user_reference = outcome.reference,
                                    .match = outcome.match,
                                    .reason = static_cast<char>(ouch_reason(outcome.cancel)),
                                    .client_id = client_id});
    case MassCanceled:
      return give(ouch::MassCancelResponse{.timestamp = time,
                                           .user_reference = outcome.reference,
                                           .firm = view_of(outcome.client_id),
                                           .symbol = std::string_view(letters.data(), letters.size())});
    case EntryDisabled:
      return give(ouch::DisableEntryResponse{
          .timestamp = time, .user_reference = outcome.reference, .firm = view_of(outcome.client_id)});
    case EntryEnabled:
      return give(ouch::EnableEntryResponse{
          .timestamp = time, .user_reference = outcome.reference, .firm = view_of(outcome.client_id)});
    case QueryResponse:
      return give(ouch::QueryResponse{.timestamp = time, .next_user_reference = outcome.reference});
    case Done:
    case Feed:
    case SymbolKnown:
    case DayBegan:
    case CancelRejected:
    case Quoted:
    case MassQuoted: return;  // see `write_ouch_quotes`
  }
}

/// The reason of a side or of a whole mass quote; 0: it is taken.
[[nodiscard]] inline ouch::RejectReason ouch_quote_reject(const Outcome& outcome) noexcept {
  const bool is_taken = outcome.reason == Reason::None && outcome.status == llmes::VenueStatus::Success;
  return is_taken ? ouch::RejectReason{} : ouch_reject(outcome);
}
/// Appends what is told of a side to the answer to its mass quote, or the end of that, and then gives it to
/// `send`.
/// @param answer empty at first, and after `send`
template <class Send>
void write_ouch_quotes(const Outcome& outcome, std::vector<std::byte>& answer, Send&& send) {
  ouch::MassQuoteResponse head{.timestamp = outcome.time % 86'400'000'000'000,
                               .user_reference = outcome.reference,
                               .reason = ouch_quote_reject(outcome),
                               .client_id = view_of(outcome.client_id)};
  if (answer.empty()) answer.resize(sizeof(head));
  if (outcome.kind == OutcomeKind::Quoted) {
    const ouch::QuoteStatus status{
        .quote = outcome.client_tag, .side = ouch_side(outcome.terms.side), .reason = ouch_quote_reject(outcome)};
    const auto bytes = std::as_bytes(std::span(&status, 1));
    answer.insert(answer.end(), bytes.begin(), bytes.end());
    return;
  }
  head.appendage_size = static_cast<std::uint16_t>(answer.size() - sizeof(head));
  std::ranges::copy(std::as_bytes(std::span(&head, 1)), answer.begin());
  send(std::span<const std::byte>(answer));
  answer.clear();
}

}  // namespace exchange
