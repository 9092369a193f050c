// SPDX-License-Identifier: MIT
//
// FIX as the exchange speaks it: what a client may send becomes a record of the journal, and an outcome becomes an
// ExecutionReport or an OrderCancelReject. Both are functions of their arguments alone.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "examples/exchange/entry.hpp"
#include "examples/exchange/entry_builder.hpp"
#include "examples/exchange/outcome.hpp"
#include "llmes/wire.hpp"
#include "words.hpp"

namespace exchange {

namespace fix = llmes::fix;

// ---- Tags and letters.

/// The tag of a field; 0: none.
[[nodiscard]] constexpr std::uint16_t fix_tag(Field field) noexcept {
  switch (field) {
    case Field::None: return 0;
    case Field::Name: return 11;
    case Field::OrderId: return 37;
    case Field::Account: return 1;
    case Field::Symbol: return 55;
    case Field::Side: return 54;
    case Field::Type: return 40;
    case Field::Quantity: return 38;
    case Field::Price: return 44;
    case Field::Trigger: return 99;
    case Field::TimeInForce: return 59;
    case Field::Expiry: return 126;
    case Field::Instruction: return 18;
    case Field::Minimum: return 110;
    case Field::Peak: return 111;
    case Field::ShownQuantity: return 1138;
    case Field::ClientTag: return 526;
  }
  return 0;
}
/// A sale that is short and exempt has no letter of its own here.
[[nodiscard]] constexpr char fix_side(SideWord side) noexcept {
  return side == SideWord::Buy ? '1' : side == SideWord::Sell ? '2' : '5';
}
[[nodiscard]] constexpr TimeWord fix_time(std::string_view text) noexcept {
  switch (text.empty() ? '0' : text.front()) {
    case '0': return TimeWord::Day;
    case '3': return TimeWord::ImmediateOrCancel;
    case '4': return TimeWord::FillOrKill;
    case '6': return TimeWord::GoodTillTime;
    default: return TimeWord::None;
  }
}

[[nodiscard]] constexpr std::string_view fix_time_text(TimeWord time) noexcept {
  switch (time) {
    case TimeWord::Day: return "0";
    case TimeWord::ImmediateOrCancel: return "3";
    case TimeWord::FillOrKill: return "4";
    case TimeWord::GoodTillTime: return "6";
    case TimeWord::None: break;
  }
  return {};
}

// ---- In.

/// Reads NewOrderSingle, OrderCancelReplaceRequest, OrderCancelRequest and MassQuote of one user, checked by the
/// dictionary.
template <class Symbols>
class FixReader {
 public:
  /// @param symbols `find(name)` gives a pointer to a `ListedSymbol`, or nullptr
  FixReader(const Symbols& symbols, UserId user, AccountNumber account, llmes::SelfTrade self_trade) noexcept
      : symbols_(symbols), entry_(user, account, self_trade, rules) {}

  /// What a message is called.
  [[nodiscard]] static std::string_view id_of(const fix::Message& message) noexcept {
    return message.text(message.type() == "i" ? 117 : 11);
  }
  /// What no record can hold, and no answer can repeat: an id or a symbol that is too long. Nothing is cut.
  [[nodiscard]] static std::optional<fix::Rejection> check(const fix::Message& message) noexcept {
    using enum fix::RejectReason;
    for (const auto& [tag, value] : message.fields()) {
      const std::size_t most = tag == 55 ? 8 : tag == 302 ? 16 : ClientId{}.size();
      if (tag != 11 && tag != 41 && tag != 55 && tag != 117 && tag != 302) continue;
      if (value.find('\0') != value.npos)
        return fix::Rejection{IncorrectFormat, tag, value, "A text has no letter 0"};
      if (value.size() > most)
        return fix::Rejection{IncorrectValue, tag, value,
                              tag == 55    ? "A symbol has more than 8 letters"
                              : tag == 302 ? "A QuoteSetID has more than 16 letters"
                                           : "An id has more than 64 letters"};
    }
    return message.type() == "i" ? check_quotes(message) : std::nullopt;
  }

  /// A record without a time, of a message that passes `check`.
  /// @param reference of the new order
  /// @param original of the order that the message names; 0: of none
  /// @param has_come whether a message with its ClOrdID has come today
  /// @param now of the clock of the machine, by which clients say when their orders end; 0: the venue alone judges
  [[nodiscard]] Entry read(const fix::Message& message, std::uint32_t reference, std::uint32_t original,
                           bool has_come, Nanoseconds now = 0) {
    if (message.type() == "i") return read_quotes(message, reference, has_come);
    Sender& sender = entry_.sender;
    const bool is_cancel = message.type() == "F";
    if (is_cancel) {
      // Reference and original are the same: the order that it names.
      sender.type = EntryType::Cancel;
      sender.reference = original;
    } else {
      entry_.begin_order(message.type() == "D" ? EntryType::Enter : EntryType::Replace, reference);
    }
    sender.original = original;
    sender.symbol = pack_symbol(message.text(55));
    sender.texts.set_client_id(message.text(11));
    if (SenderTexts::fit(message.text(11), message.text(41))) {
      sender.texts.set_original(message.text(41));
    } else {
      sender.texts.set_original_before();
    }
    if (has_come) refuse(Reason::DuplicateName, message, Field::Name);
    read_account(message);
    const bool is_other = original != 0 && message.find(37) != nullptr &&
                          message.text(37) != fix::ValueText(order_id(sender.user, original)).view();
    if (is_other) refuse(Reason::OtherOrder, message, Field::OrderId);
    const char side = message.text(54).front();
    const SideWord word = side == '1' ? SideWord::Buy : side == '2' ? SideWord::Sell : SideWord::SellShort;
    if (is_cancel) {
      sender.terms.side = word;
      return entry_.record();
    }
    refuse(entry_.side(word), message, Field::Side);
    read_terms(message, now);
    read_prices(message);
    for (const Field field : std::array{Field::ShownQuantity, Field::Peak, Field::Minimum, Field::Instruction,
                                        Field::Trigger, Field::TimeInForce, Field::Type})
      name(message, field);
    return entry_.record();
  }
  /// The record that goes before, if there must be one.
  [[nodiscard]] std::optional<Entry> before(const fix::Message& message) const noexcept {
    if (!entry_.sender.texts.has_original_before()) return {};
    Entry record;
    record.sender.type = EntryType::Original;
    record.sender.user = entry_.sender.user;
    record.sender.rules = rules;
    record.sender.texts.set_client_id(message.text(41));
    return record;
  }

 private:
  static constexpr std::uint8_t rules = static_cast<std::uint8_t>(SenderRule::WantsAnswer) |
                                        static_cast<std::uint8_t>(SenderRule::NamesByText) |
                                        static_cast<std::uint8_t>(SenderRule::AssignsReference);

  /// A message has one set, all of it, and each entry a number and a side.
  [[nodiscard]] static std::optional<fix::Rejection> check_quotes(const fix::Message& message) noexcept {
    using enum fix::RejectReason;
    const auto wrong = [&](std::uint32_t tag, std::string_view words) {
      return fix::Rejection{IncorrectValue, tag, message.text(tag), words};
    };
    if (message.number(296) != 1) return wrong(296, "A mass quote has one set");
    if (message.number(295) > std::uint64_t{llmes::quote_entries_max / 2})
      return wrong(295, "A set has more than 100 entries");
    if (message.number(304) != message.number(295)) return wrong(304, "A set comes in one message");
    fix::GroupReader entries(message.type(), message.fields(), 295);
    for (auto entry = entries.next(); !entry.empty(); entry = entries.next()) {
      const std::string_view id = fix::text(entry, 299);
      const std::optional<std::uint64_t> number = fix::read_number(id);
      if (!number || *number == 0 || *number > quotes_max)
        return fix::Rejection{IncorrectValue, 299, id, "A QuoteEntryID is a number up to 1073741823"};
      if (!has_side(entry, bid) && !has_side(entry, offer)) return fix::Rejection{RequiredTagMissing, bid.size};
    }
    return {};
  }
  [[nodiscard]] Entry read_quotes(const fix::Message& message, std::uint32_t reference, bool has_come) {
    entry_.begin_quotes(reference, message.flag(5296));
    entry_.sender.texts.set_client_id(message.text(117));
    entry_.sender.texts.set_original(message.text(302));
    if (has_come) entry_.refuse(Reason::DuplicateName);
    read_account(message);
    fix::GroupReader entries(message.type(), message.fields(), 295);
    for (auto entry = entries.next(); !entry.empty(); entry = entries.next()) {
      for (const QuoteTags& tags : {bid, offer}) {
        if (!has_side(entry, tags)) continue;
        entry_.quote(static_cast<std::uint32_t>(*fix::read_number(fix::text(entry, 299))), tags.side,
                     symbols_.find(fix::text(entry, 55)), quantity(fix::text(entry, tags.size)),
                     price4(fix::text(entry, tags.price)));
      }
    }
    return entry_.record();
  }
  /// The fields of a side of a quote.
  struct QuoteTags {
    llmes::Side side;
    std::uint32_t price;
    std::uint32_t size;
  };
  static constexpr QuoteTags bid{llmes::Side::Buy, 132, 134};
  static constexpr QuoteTags offer{llmes::Side::Sell, 133, 135};
  [[nodiscard]] static bool has_side(std::span<const fix::Field> entry, const QuoteTags& tags) noexcept {
    return fix::find(entry, tags.price) != nullptr || fix::find(entry, tags.size) != nullptr;
  }

  void read_account(const fix::Message& message) noexcept {
    const std::string_view account = message.text(1);
    if (!account.empty() && fix::read_number(account) != std::uint64_t{entry_.command.account})
      refuse(Reason::OtherAccount, message, Field::Account);
  }
  /// @param reason what is wrong with the field if it is there
  void refuse(Reason reason, const fix::Message& message, Field field) noexcept {
    const bool lacks_it = reason != Reason::None && message.find(fix_tag(field)) == nullptr;
    entry_.refuse(lacks_it ? Reason::MissingField : reason, field, message.text(fix_tag(field)));
  }
  /// A field that does nothing would be read otherwise than it is meant.
  void refuse_unless(bool has_it, const fix::Message& message, Field field) noexcept {
    if (!has_it && message.find(fix_tag(field)) != nullptr) refuse(Reason::NotOfType, message, field);
  }
  /// Names a field, if it is the first one.
  void name(const fix::Message& message, Field field) noexcept {
    Sender& sender = entry_.sender;
    if (sender.refused_field != Field::None || message.find(fix_tag(field)) == nullptr) return;
    sender.refused_field = field;
    sender.texts.set_value(message.text(fix_tag(field)));
  }
  [[nodiscard]] static std::optional<Quantity> quantity(const fix::Message& message, Field field) noexcept {
    return quantity(message.text(fix_tag(field)));
  }
  [[nodiscard]] static std::optional<Quantity> quantity(std::string_view text) noexcept {
    const std::optional<std::int64_t> lots = fix::read_decimal(text, 0);
    if (!lots || *lots < 0 || *lots > std::numeric_limits<std::uint32_t>::max()) return {};
    return static_cast<Quantity>(*lots);
  }
  [[nodiscard]] static std::optional<std::uint64_t> price4(const fix::Message& message, Field field) noexcept {
    return price4(message.text(fix_tag(field)));
  }
  [[nodiscard]] static std::optional<std::uint64_t> price4(std::string_view text) noexcept {
    const std::optional<std::int64_t> price = fix::read_decimal(text, 4);
    if (!price || *price < 0) return {};
    return static_cast<std::uint64_t>(*price);
  }

  void read_terms(const fix::Message& message, Nanoseconds now) noexcept {
    entry_.command.quantity = quantity(message, Field::Quantity).value_or(0);
    if (entry_.command.quantity == 0) refuse(Reason::InvalidQuantity, message, Field::Quantity);
    const TimeWord time = fix_time(message.text(59));
    refuse(entry_.time_in_force(time), message, Field::TimeInForce);
    const Nanoseconds expiry = message.time(126).value_or(0);
    if (time == TimeWord::GoodTillTime || message.find(126) != nullptr)
      refuse(entry_.expiry(expiry), message, Field::Expiry);
    // The venue asks the same, but does not know the words of the client.
    if (expiry != 0 && expiry <= now) refuse(Reason::ExpiryPassed, message, Field::Expiry);
    refuse(entry_.display(DisplayWord::Visible), message, Field::Peak);
    if (message.text(18) == "6") refuse(entry_.post_only(), message, Field::Instruction);
    if (message.find(526) != nullptr)
      refuse(entry_.client_tag(fix::read_number(message.text(526))), message, Field::ClientTag);
    if (message.find(110) != nullptr) {
      const std::optional<Quantity> minimum = quantity(message, Field::Minimum);
      refuse(minimum ? entry_.minimum(*minimum) : Reason::InvalidQuantity, message, Field::Minimum);
    }
    const Field shown = message.find(1138) != nullptr ? Field::ShownQuantity : Field::Peak;
    if (message.find(fix_tag(shown)) == nullptr) return;
    const bool has_both = shown == Field::ShownQuantity && message.find(111) != nullptr;
    if (has_both && quantity(message, Field::Peak) != quantity(message, shown))
      refuse(Reason::TwoPeaks, message, Field::Peak);
    const std::optional<Quantity> peak = quantity(message, shown);
    if (!peak) return refuse(Reason::InvalidQuantity, message, shown);
    refuse(*peak == 0 ? entry_.display(DisplayWord::Hidden) : entry_.peak(*peak), message, shown);
  }

  void read_prices(const fix::Message& message) noexcept {
    const Reason unknown = entry_.symbol(symbols_.find(message.text(55)));
    if (unknown != Reason::None) return refuse(unknown, message, Field::Symbol);
    const char type = message.text(40).front();
    refuse_unless(type == '2' || type == '4', message, Field::Price);
    refuse_unless(type == '3' || type == '4', message, Field::Trigger);
    if (type == '1' || type == '3') {
      refuse(entry_.market(), message, Field::Type);
    } else {
      refuse(entry_.price(price4(message, Field::Price)), message, Field::Price);
    }
    if (type == '3' || type == '4') {
      refuse(entry_.stop(price4(message, Field::Trigger)), message, Field::Trigger);
      if (entry_.sender.type == EntryType::Replace) refuse(Reason::Unsupported, message, Field::Type);
    }
  }

  const Symbols& symbols_;
  EntryBuilder entry_;
};

// ---- Out.

namespace detail {

/// OrdRejReason, words, and the tag that they are about; 0: about none.
struct Refusal {
  std::uint16_t number = 99;
  std::string_view words{};
  std::uint16_t tag = 0;
};
[[nodiscard]] inline Refusal refusal_of_venue(const Outcome& outcome) noexcept {
  using llmes::RiskStatus;
  using llmes::Status;
  using llmes::VenueStatus;
  const std::string_view words = words_of(outcome.status);
  switch (outcome.status) {
    case VenueStatus::UnknownBook: return {1, words, 55};
    case VenueStatus::InvalidCommand: return {11, words};
    case VenueStatus::Closed:
    case VenueStatus::Halted: return {2, words, 55};
    case VenueStatus::UnknownOrder: return {5, words, 41};
    case VenueStatus::ExpiryPassed: return {4, words};
    case VenueStatus::InvalidQuantity:
    case VenueStatus::OffLot: return {13, words, 38};
    case VenueStatus::OffTick:
    case VenueStatus::OutsideBands: return {99, words, 44};
    case VenueStatus::InvalidTrigger: return {99, words, 99};
    case VenueStatus::NotInAuction: return {99, words, 59};
    case VenueStatus::RefusedByRisk:
      switch (outcome.risk) {
        case RiskStatus::QuantityLimit:
        case RiskStatus::OpenQuantityLimit:
        case RiskStatus::PositionLimit: return {3, words_of(outcome.risk), 38};
        case RiskStatus::OutsideCollar: return {3, words_of(outcome.risk), 44};
        case RiskStatus::NeedsPrice: return {3, words_of(outcome.risk), 40};
        default: return {3, words_of(outcome.risk)};
      }
    case VenueStatus::RefusedByBook:
      switch (outcome.result) {
        case Status::InvalidQuantity:
        case Status::QuantityOverflow: return {13, words_of(outcome.result), 38};
        case Status::PriceOutOfBand:
        case Status::WouldCross: return {99, words_of(outcome.result), 44};
        case Status::InvalidCommand: return {11, words_of(outcome.result)};
        case Status::NotFillable: return {99, words_of(outcome.result), 38};
        default: return {99, words_of(outcome.result)};
      }
    default: return {99, words};
  }
}
[[nodiscard]] inline Refusal refusal_of(const Outcome& outcome) noexcept {
  switch (outcome.reason) {
    case Reason::None: return refusal_of_venue(outcome);
    case Reason::OtherOrder: return {5, "the OrderID is not that of the order", 37};
    case Reason::DuplicateName: return {6, "ClOrdID was used before", 11};
    case Reason::Unsupported:
    case Reason::InvalidDisplay:
    case Reason::InvalidMinimum:
    case Reason::NoPegs:
    case Reason::NoSweeps:
    case Reason::NoRoutes:
    case Reason::NoCrosses: return {11, "the order has terms that are not supported"};
    case Reason::InvalidQuantity:
    case Reason::InvalidPeak: return {13, "a quantity is no whole number of lots, or out of range", 38};
    case Reason::OtherAccount: return {15, "the account is not that of the user", 1};
    case Reason::NoReference: return {99, "the user has no number for another order today"};
    case Reason::OtherSymbol: return {99, "the symbol is not that of the order", 55};
    case Reason::OtherSide: return {99, "the side is not that of the order", 54};
    case Reason::MissingField: return {99, "an order of this type needs the field"};
    case Reason::InvalidTag: return {99, "the tag is no number from 1 to 4294967295", 526};
    case Reason::NothingLeft: return {99, "the quantity is not above what has traded", 38};
    case Reason::UnknownSymbol: return {1, "unknown symbol", 55};
    case Reason::InvalidPrice: return {99, "the price is no multiple of the tick, or out of range", 44};
    case Reason::ExpiryPassed: return {4, words_of(llmes::VenueStatus::ExpiryPassed), 126};
    case Reason::NoExpiry: return {11, "an ExpireTime needs TimeInForce (59) 6", 126};
    case Reason::TwoPeaks: return {11, "MaxFloor (111) and DisplayQty (1138) differ", 111};
    case Reason::Unprintable: return {99, "a name has a byte that is no letter", 11};
    case Reason::NotOfType: return {11, "an order of this type has no such field"};
    case Reason::EntryDisabled: return {3, "order entry is disabled by its user"};
    case Reason::NoRoom: return {99, "the venue has no room for another user today"};
    case Reason::InvalidSide: break;
  }
  return {99, no_other_words};
}

/// For Text (58): why, the tag, and the value as it came, or as the outcome has it.
[[nodiscard]] inline fix::Words refusal_words(const Outcome& outcome, const Refusal& why) {
  fix::Words words(why.words);
  if (outcome.refused_field != Field::None) {
    const std::span<const std::byte> value = outcome.bytes();
    return words.about(fix_tag(outcome.refused_field),
                       {reinterpret_cast<const char*>(value.data()), value.size()});
  }
  const auto decimal = [](std::uint64_t price4) {
    return fix::ValueText::of_decimal(static_cast<std::int64_t>(price4), 4);
  };
  switch (why.tag) {
    case 0:  // about nothing that a field says: which message it is
    case 11: return words.about(11, view_of(outcome.client_id));
    case 38: return words.about(38, fix::ValueText(outcome.quantity).view());
    case 44: return words.about(44, outcome.price4 == 0 ? std::string_view{} : decimal(outcome.price4).view());
    case 54: return words.about(54, {std::array{fix_side(outcome.terms.side)}.data(), 1});
    case 41: return words.about(41, view_of(outcome.original_client_id));
    case 55: return words.about(55, symbol_name(outcome.symbol));
    case 59: return words.about(59, fix_time_text(outcome.terms.time_in_force));
    default: return words.about(why.tag, {});
  }
}

/// A text that may come by another protocol. A byte that would end the field becomes `?`.
/// @param text at most as long as a `ClientId`
inline void write_text(fix::FieldWriter& fields, std::uint32_t tag, std::string_view text) noexcept {
  ClientId letters = client_id_of(text);
  std::ranges::replace(letters, fix::separator, '?');
  fields.text(tag, std::string_view(letters.data(), std::min(text.size(), letters.size())));
}
inline void write_symbol(fix::FieldWriter& fields, std::uint64_t symbol) noexcept {
  std::string name = symbol == 0 ? "?" : symbol_name(symbol);  // of a new order with one that is not known: 0
  std::ranges::replace_if(
      name,
      [](char letter) {
        return !is_printable({&letter, 1});
      },
      '?');
  fields.text(55, name.empty() ? std::string_view("?") : name);
}

[[nodiscard]] inline std::span<const std::byte> write_cancel_reject(const Outcome& outcome,
                                                                    fix::FieldWriter& fields) noexcept {
  // What is wrong with the message itself counts first; then nothing but an order that is open has lots.
  const bool is_cancel = outcome.reference == outcome.original;
  const bool is_unknown = outcome.leaves == 0;
  const bool is_not_named = outcome.kind == OutcomeKind::CancelRejected && outcome.reason == Reason::None &&
                            outcome.status == llmes::VenueStatus::UnknownOrder;
  const Refusal why = refusal_of(outcome);
  const fix::Words words = is_not_named
                               ? fix::Words("unknown order").about(41, view_of(outcome.original_client_id))
                               : refusal_words(outcome, why);
  const unsigned reason = is_not_named ? 1 : outcome.reason == Reason::DuplicateName ? 6 : 2;
  fields.raw("").text(37, is_unknown ? "NONE" : fix::ValueText(order_id(outcome.user, outcome.original)).view());
  write_text(fields, 11, view_of(outcome.client_id));
  write_text(fields, 41, view_of(outcome.original_client_id));
  if (outcome.client_tag != 0) fields.number(526, outcome.client_tag);
  fields.letter(39, is_unknown ? '8' : outcome.cumulative == 0 ? '0' : '1').letter(434, is_cancel ? '1' : '2');
  fields.number(102, reason).text(58, words.view());
  fields.time(60, outcome.time, 6);
  return fields.bytes();
}
}  // namespace detail

/// An entry of a mass quote, as its answer has it.
struct QuoteAnswer {
  std::uint32_t entry = 0;
  std::uint32_t refused = 0;                ///< QuoteEntryRejectReason (368) of a side; 0: all are taken
  std::optional<std::uint32_t> bid_size{};  ///< of a side that is taken, as the next
  std::optional<std::uint32_t> offer_size{};
  bool has_offer = false;  ///< taken or not: it ends the entry
};
/// QuoteRejectReason (300) of a whole, QuoteEntryRejectReason (368) of a side; 0: it is taken. The first numbers
/// are those of OrdRejReason (103).
[[nodiscard]] inline std::uint32_t quote_reject_reason(const Outcome& outcome) noexcept {
  if (outcome.reason == Reason::None && outcome.status == llmes::VenueStatus::Success) return 0;
  const detail::Refusal why = detail::refusal_of(outcome);
  constexpr std::uint32_t duplicate = 6, invalid_price = 8, other = 99;
  return why.number <= duplicate ? why.number : why.tag == 44 ? invalid_price : other;
}

namespace detail {
[[nodiscard]] inline std::span<const std::byte> write_quote_answer(const Outcome& outcome,
                                                                   std::span<const QuoteAnswer> entries,
                                                                   fix::FieldWriter& fields) noexcept {
  const std::uint32_t refused = quote_reject_reason(outcome);
  write_text(fields, 117, view_of(outcome.client_id));
  fields.letter(297, refused == 0 ? '0' : '5');
  if (refused != 0) {
    const bool is_name = outcome.reason == Reason::DuplicateName;
    const bool is_other_entry = outcome.status == llmes::VenueStatus::QuoteRefused;
    const Refusal why = refusal_of(outcome);
    const bool is_of_all = why.tag == 0 && outcome.refused_field == Field::None;
    const fix::Words words =
        is_other_entry ? fix::Words("an entry is refused, and so are all").about(5296, "Y")
        : is_name || is_of_all
            ? fix::Words(is_name ? "QuoteID was used before" : why.words).about(117, view_of(outcome.client_id))
            : refusal_words(outcome, why);
    fields.number(300, refused).text(58, words.view());
  }
  if (entries.empty()) return fields.bytes();
  const std::string_view set = view_of(outcome.original_client_id);
  fields.number(296, 1);
  write_text(fields, 302, set.empty() ? "?" : set);  // other protocols have none
  fields.number(304, entries.size()).number(295, entries.size());
  for (const QuoteAnswer& entry : entries) {
    fields.number(299, entry.entry);
    if (entry.bid_size) fields.number(134, *entry.bid_size);
    if (entry.offer_size) fields.number(135, *entry.offer_size);
    if (entry.refused != 0) fields.number(368, entry.refused);
  }
  return fields.bytes();
}
}  // namespace detail

/// Writes what a client of FIX is told, as a store has it: one that `has_fix_message`.
/// @param number of this message in the day, from 1 on
/// @param room at least 1,000 bytes; for a mass quote 6,000
/// @param entries of a mass quote
/// @return the bytes in `room`
[[nodiscard]] inline std::span<const std::byte> write_fix(const Outcome& outcome, std::uint64_t number,
                                                          std::span<std::byte> room,
                                                          std::span<const QuoteAnswer> entries = {}) noexcept {
  using Kind = OutcomeKind;
  const bool is_reject_of_change = outcome.kind == Kind::Rejected && outcome.original != 0;
  const bool is_cancel_reject = outcome.kind == Kind::CancelRejected || is_reject_of_change;
  fix::FieldWriter fields(room);
  const bool is_quote = outcome.kind == Kind::MassQuoted;
  fields.text(35, is_quote ? "b" : is_cancel_reject ? "9" : "8").time(52, fix::next_millisecond(outcome.time), 3);
  if (is_quote) return detail::write_quote_answer(outcome, entries, fields);
  if (is_cancel_reject) return detail::write_cancel_reject(outcome, fields);

  const bool is_done = outcome.leaves == 0;
  const char open = outcome.cumulative == 0 ? '0' : '1';
  char type = 'D';  // restated
  char status = open;
  switch (outcome.kind) {
    case Kind::Accepted: type = '0'; break;
    case Kind::Replaced: type = '5'; break;
    case Kind::Executed:
      type = 'F';
      status = is_done ? '2' : '1';
      break;
    case Kind::Canceled:
    case Kind::SelfTradeCanceled:
      if (is_done) {
        const bool ran_out = outcome.cancel == CancelReason::Expired || outcome.cancel == CancelReason::DayEnded;
        type = status = ran_out ? 'C' : '4';
      }
      break;
    case Kind::Rejected: type = status = '8'; break;
    case Kind::Broken:
      type = 'H';
      status = '1';
      break;
    default: break;
  }
  fields.number(37, order_id(outcome.user, outcome.reference)).number(17, number);
  fields.letter(150, type).letter(39, status);
  detail::write_text(fields, 11, view_of(outcome.client_id));
  detail::write_text(fields, 41, view_of(outcome.original_client_id));
  detail::write_symbol(fields, outcome.symbol);
  fields.letter(54, fix_side(outcome.terms.side));
  if (outcome.client_tag != 0) fields.number(526, outcome.client_tag);
  const Quantity ordered = outcome.kind == Kind::Rejected ? outcome.quantity : outcome.ordered;
  if (ordered != 0) fields.number(38, ordered);
  if (outcome.kind == Kind::Executed || outcome.kind == Kind::Broken) {
    fields.number(32, outcome.quantity).decimal(31, static_cast<std::int64_t>(outcome.price4), 4);
  } else if (outcome.price4 != 0 && outcome.kind != Kind::SelfTradeCanceled) {  // whose price is not the order's
    fields.decimal(44, static_cast<std::int64_t>(outcome.price4), 4);
  }
  fields.number(151, outcome.leaves).number(14, outcome.cumulative);
  const std::uint64_t lots = std::max<std::uint64_t>(outcome.cumulative, 1);
  const std::uint64_t average = outcome.value / lots * 10'000 + outcome.value % lots * 10'000 / lots;
  fields.decimal(6, static_cast<std::int64_t>(average), 8);
  if (type == 'D') fields.number(378, 5);
  const bool lost_lots = outcome.kind == Kind::Canceled || outcome.kind == Kind::SelfTradeCanceled;
  if (const std::string_view why = words_of(outcome.cancel); lost_lots && !why.empty()) fields.text(58, why);
  if (outcome.kind == Kind::Rejected) {
    const detail::Refusal why = detail::refusal_of(outcome);
    fields.number(103, why.number).text(58, detail::refusal_words(outcome, why).view());
  }
  fields.time(60, outcome.time, 6);
  return fields.bytes();
}

}  // namespace exchange
