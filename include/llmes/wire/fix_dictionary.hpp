// SPDX-License-Identifier: MIT
//
// The messages of FIX that sessions here take and send, the fields that each may have, and what their values may
// be. A field that is not in this list is refused rather than ignored: it might ask for what no venue here does.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "llmes/detail/algorithm.hpp"
#include "llmes/version.hpp"
#include "llmes/wire/fix_message.hpp"
#include "llmes/wire/fix_values.hpp"

namespace llmes::inline LLMES_NAMESPACE::fix {

/// Why a session rejects a message, with the numbers of SessionRejectReason (373).
enum class RejectReason : std::uint8_t {
  InvalidTag = 0,
  RequiredTagMissing = 1,
  TagNotOfMessage = 2,
  UndefinedTag = 3,
  NoValue = 4,
  IncorrectValue = 5,
  IncorrectFormat = 6,
  CompIdProblem = 9,
  SendingTimeProblem = 10,
  InvalidMessageType = 11,
  TagTwice = 13,
  TagOutOfOrder = 14,
  GroupOutOfOrder = 15,
  GroupCount = 16,
  SeparatorInValue = 17,
  Other = 99,  ///< `Rejection::words` says which
};

/// In words, for Text (58).
[[nodiscard]] constexpr std::string_view to_string(RejectReason reason) noexcept {
  switch (reason) {
    case RejectReason::InvalidTag: return "Invalid tag number";
    case RejectReason::RequiredTagMissing: return "Required tag missing";
    case RejectReason::TagNotOfMessage: return "Tag not defined for this message type";
    case RejectReason::UndefinedTag: return "Undefined tag";
    case RejectReason::NoValue: return "Tag specified without a value";
    case RejectReason::IncorrectValue: return "Value is incorrect for this tag";
    case RejectReason::IncorrectFormat: return "Incorrect data format for value";
    case RejectReason::CompIdProblem: return "CompID problem";
    case RejectReason::SendingTimeProblem: return "SendingTime accuracy problem";
    case RejectReason::InvalidMessageType: return "Invalid MsgType";
    case RejectReason::TagTwice: return "Tag appears more than once";
    case RejectReason::TagOutOfOrder: return "Tag specified out of required order";
    case RejectReason::GroupOutOfOrder: return "Repeating group fields out of order";
    case RejectReason::GroupCount: return "Incorrect NumInGroup count";
    case RejectReason::SeparatorInValue: return "Field of data and its length do not fit";
    case RejectReason::Other: break;
  }
  return "Other";
}

/// What a message is rejected for.
struct Rejection {
  RejectReason reason{};
  std::uint32_t tag = 0;     ///< that it is about; 0 if there is none
  std::string_view value{};  ///< of that field, where it was received; without a tag: the field itself
  std::string_view words{};  ///< in place of those of the reason; they outlive the message
};

/// For Text (58): the reason, the tag and its value, as `Value is incorrect for this tag: 54=9`. Linear in them.
[[nodiscard]] inline Words words_of(const Rejection& rejection) noexcept {
  Words words(rejection.words.empty() ? to_string(rejection.reason) : rejection.words);
  if (rejection.tag != 0) return words.about(rejection.tag, rejection.value);
  return rejection.value.empty() ? words : words.say(": ").say(rejection.value.substr(0, 48));
}

/// The form of a value.
enum class ValueForm : std::uint8_t { Text, Letter, Flag, Number, Decimal, Time, Data };

namespace detail {

struct FieldRule {
  std::uint16_t tag;
  ValueForm form;
  std::string_view letters;  ///< those that a Letter may be; empty: any

  [[nodiscard]] constexpr bool has_form(std::string_view value) const noexcept {
    switch (form) {
      case ValueForm::Letter: return value.size() == 1;
      case ValueForm::Flag: return value == "Y" || value == "N";
      case ValueForm::Number: return read_number(value).has_value();
      case ValueForm::Decimal: return is_decimal(value);
      case ValueForm::Time: return read_time(value).has_value();
      default: return true;
    }
  }
};

/// The fields of a form that may have any value of it, and 0 behind the last.
struct FormTags {
  ValueForm form;
  std::array<std::uint16_t, 36> tags;
};
inline constexpr auto form_tags = std::to_array<FormTags>({
    // Account, ClOrdID, Currency, ExecID, SecurityIDSource, MsgType, OrderID, OrigClOrdID, SecurityID,
    // SenderCompID, SenderSubID, Symbol, TargetCompID, TargetSubID, Text, ExDestination, TestReqID,
    // OnBehalfOfCompID, OnBehalfOfSubID, DeliverToCompID, DeliverToSubID, SenderLocationID, TargetLocationID,
    // OnBehalfOfLocationID, DeliverToLocationID, SecurityType, SecurityExchange, MessageEncoding, RefMsgType,
    // BusinessRejectRefID, PartyID, SecondaryClOrdID, Username, Password, QuoteID, QuoteSetID.
    {ValueForm::Text, {1,   11,  15,  17,  22,  35,  37,  41,  48,  49,  50,  55,  56,  57,  58,  100, 112, 115,
                       116, 128, 129, 142, 143, 144, 145, 167, 207, 347, 372, 379, 448, 526, 553, 554, 117, 302}},
    // OrdStatus, Rule80A, ExecType, PartyIDSource, OrderCapacity.
    {ValueForm::Letter, {39, 47, 150, 447, 528}},
    // PossDupFlag, PossResend, GapFillFlag, ResetSeqNumFlag, TestMessageIndicator, and of this venue: whether a
    // mass
    // quote is all or none.
    {ValueForm::Flag, {43, 97, 123, 141, 464, 5296}},
    // BeginSeqNo, EndSeqNo, MsgSeqNum, NewSeqNo, RefSeqNum, SignatureLength, RawDataLength, CxlRejReason,
    // OrdRejReason, HeartBtInt, LastMsgSeqNumProcessed, RefTagID, SessionRejectReason, ExecRestatementReason,
    // BusinessRejectReason, MaxMessageSize, PartyRole, NoPartyIDs, NextExpectedMsgSeqNum, NoQuoteEntries,
    // NoQuoteSets, QuoteStatus, QuoteEntryID (here), QuoteRejectReason, TotNoQuoteEntries, QuoteEntryRejectReason.
    {ValueForm::Number, {7,   16,  34,  36,  45,  93,  95,  102, 103, 108, 369, 371, 373,
                         378, 380, 383, 452, 453, 789, 295, 296, 297, 299, 300, 304, 368}},
    // AvgPx, CumQty, LastPx, LastQty, OrderQty, Price, StopPx, MinQty, MaxFloor, LeavesQty, DisplayQty, BidPx,
    // OfferPx, BidSize, OfferSize.
    {ValueForm::Decimal, {6, 14, 31, 32, 38, 44, 99, 110, 111, 151, 1138, 132, 133, 134, 135}},
    // SendingTime, TransactTime, OrigSendingTime, ExpireTime, OnBehalfOfSendingTime.
    {ValueForm::Time, {52, 60, 122, 126, 370}},
    // Signature, RawData.
    {ValueForm::Data, {89, 96}},
});
inline constexpr auto letter_rules = std::to_array<FieldRule>({
    {18, ValueForm::Letter, "6"},      // ExecInst: participate, do not initiate
    {21, ValueForm::Letter, "123"},    // HandlInst
    {40, ValueForm::Letter, "1234"},   // OrdType: market, limit, stop, stop limit
    {54, ValueForm::Letter, "125"},    // Side: buy, sell, sell short
    {59, ValueForm::Letter, "01346"},  // TimeInForce: day, GTC, IOC, FOK, GTD
    {98, ValueForm::Letter, "0"},      // EncryptMethod: none
    {301, ValueForm::Letter, "2"},     // QuoteResponseLevel: each entry
    {434, ValueForm::Letter, "12"},    // CxlRejResponseTo
    {537, ValueForm::Letter, "1"},     // QuoteType: tradeable
    {1128, ValueForm::Letter, "9"},    // ApplVerID: 5.0 SP2
    {1137, ValueForm::Letter, "9"},    // DefaultApplVerID
});
/// All fields, by tag.
inline constexpr auto field_rules = [] {
  std::array<FieldRule, 106> rules{};
  auto next = llmes::detail::copy(letter_rules, rules.begin());
  for (const auto& [form, tags] : form_tags) {
    for (const std::uint16_t tag : tags) {
      if (tag != 0) *next++ = {tag, form, {}};
    }
  }
  llmes::detail::sort(rules, &FieldRule::tag);
  return rules;
}();
static_assert(field_rules.front().tag != 0, "there are as many as there is room");

/// The fields of the head, which come before all others. Those of the frame are not here.
inline constexpr auto header_tags = std::to_array<std::uint16_t>(
    {35, 34, 43, 49, 50, 52, 56, 57, 97, 115, 116, 122, 128, 129, 142, 143, 144, 145, 347, 369, 370, 1128});
inline constexpr auto required_in_header = std::to_array<std::uint16_t>({34, 49, 52, 56});

/// A message with the fields that it must and may have, and 0 behind the last. The count of a group stands for it.
struct MessageRule {
  std::string_view type;
  std::array<std::uint16_t, 10> required;
  std::array<std::uint16_t, 26> optional;
};

inline constexpr auto message_rules = std::to_array<MessageRule>({
    {"0", {}, {112}},
    {"1", {112}, {}},
    {"2", {7, 16}, {}},
    {"3", {45}, {58, 371, 372, 373}},
    {"4", {36}, {123}},
    {"5", {}, {58}},
    {"A", {98, 108}, {58, 95, 96, 141, 383, 464, 553, 554, 789, 1137}},
    {"D", {11, 38, 40, 54, 55, 60}, {1,   15,  18,  21,  22,  44,  47,  48,  58,  59,  99,
                                     100, 110, 111, 126, 167, 207, 453, 526, 528, 1138}},
    {"F", {11, 41, 54, 55, 60}, {1, 22, 37, 38, 48, 58, 167, 207, 453}},
    {"G", {11, 38, 40, 41, 54, 55, 60}, {1,  15,  18,  21,  22,  37,  44,  47,  48,  58,  59,
                                         99, 100, 110, 111, 126, 167, 207, 453, 526, 528, 1138}},
    {"8", {6, 14, 17, 37, 39, 54, 55, 150, 151}, {1,  11, 18,  31,  32,  38,  40,  41,  44,  58,  59,
                                                  60, 99, 103, 110, 111, 126, 378, 453, 526, 1138}},
    {"9", {11, 37, 39, 41, 434}, {58, 60, 102, 526}},
    {"i", {117, 296}, {1, 301, 453, 537, 5296}},
    {"b", {117, 297}, {58, 296, 300}},
    {"j", {372, 380}, {45, 58, 379}},
});

/// A repeating group of some messages: how many entries follow stands in the field `count`.
struct GroupRule {
  std::uint16_t count;
  std::string_view types;  ///< of messages, a letter each
  std::size_t required;    ///< the first fields, which each entry has
  std::array<std::uint16_t, 6>
      tags;  ///< of an entry, in their order, and 0 behind the last; one begins with the first
};
inline constexpr auto group_rules = std::to_array<GroupRule>({
    {453, "DFG8i", 1, {448, 447, 452}},
    {296, "ib", 3, {302, 304, 295}},
    {295, "i", 2, {299, 55, 132, 133, 134, 135}},
    {295, "b", 1, {299, 134, 135, 368}},
});

template <std::size_t Size>
[[nodiscard]] constexpr bool has(const std::array<std::uint16_t, Size>& tags, std::uint32_t tag) noexcept {
  return tag != 0 && llmes::detail::find(tags, tag) != tags.end();
}

[[nodiscard]] constexpr std::optional<Rejection> check_form(const Fault& fault) noexcept {
  switch (fault.kind) {
    case FaultKind::None: return {};
    case FaultKind::InvalidTag: return Rejection{RejectReason::InvalidTag, fault.tag, fault.text};
    case FaultKind::NoValue: return Rejection{RejectReason::NoValue, fault.tag};
    case FaultKind::DataLength: return Rejection{RejectReason::SeparatorInValue, fault.tag, fault.text};
    case FaultKind::TooManyFields:
      return Rejection{RejectReason::Other, fault.tag, fault.text, "The message has more than 1024 fields"};
  }
  return {};
}

[[nodiscard]] constexpr bool is_of(const GroupRule& group, std::string_view type) noexcept {
  return type.size() == 1 && group.types.find(type[0]) != std::string_view::npos;
}
/// The group that a field counts, in a message of this type, or nullptr.
[[nodiscard]] constexpr const GroupRule* find_group(std::string_view type, std::uint32_t count) noexcept {
  for (const GroupRule& group : group_rules) {
    if (group.count == count && is_of(group, type)) return &group;
  }
  return nullptr;
}
/// The group in whose entries a field stands, the same.
[[nodiscard]] constexpr const GroupRule* group_of(std::string_view type, std::uint32_t tag) noexcept {
  for (const GroupRule& group : group_rules) {
    if (has(group.tags, tag) && is_of(group, type)) return &group;
  }
  return nullptr;
}

}  // namespace detail

/// Gives the entries of a repeating group one by one: those that stand in an entry of another group too. It checks
/// them as it goes: their number, the order of their fields, and that none lacks what it must have.
class GroupReader {
 public:
  /// @param type of the message
  /// @param fields of the message, or of the entry in which the group stands
  /// @param count the tag of the field that counts the entries; if it is not there, there are none
  GroupReader(std::string_view type, std::span<const Field> fields, std::uint32_t count) noexcept
      : type_(type), rule_(detail::find_group(type, count)) {
    const Field* const found = rule_ == nullptr ? nullptr : find(fields, count);
    if (found != nullptr) fields_ = fields.subspan(static_cast<std::size_t>(found - fields.data()));
  }

  /// The fields of the next entry, with those of groups in it; empty if there are no more, or something is wrong.
  /// Linear in the entry times the lists of the dictionary.
  [[nodiscard]] std::span<const Field> next() noexcept {
    if (fields_.empty() || rejection_) return {};
    const std::size_t first = size_;
    if (first == fields_.size() || place_of(fields_[first].tag) == outside) return end();
    if (fields_[first].tag != rule_->tags[0]) return reject(RejectReason::GroupOutOfOrder, fields_[first]);
    std::size_t before = 0;
    std::uint32_t seen = 1;
    while (++size_ != fields_.size()) {
      const Field& field = fields_[size_];
      const std::size_t place = place_of(field.tag);
      if (place == outside || field.tag == rule_->tags[0]) break;
      // Fields of a group in it stand behind its count.
      const bool is_own = rule_->tags[place] == field.tag;
      if (is_own ? place <= before : place != before) return reject(RejectReason::GroupOutOfOrder, field);
      before = place;
      seen |= 1u << place;
    }
    const auto whole = static_cast<std::size_t>(std::countr_one(seen));
    if (whole < rule_->required) return reject(RejectReason::RequiredTagMissing, {rule_->tags[whole], {}});
    ++entries_;
    return fields_.subspan(first, size_ - first);
  }
  /// What is wrong with the entries so far.
  [[nodiscard]] const std::optional<Rejection>& rejection() const noexcept { return rejection_; }
  /// How many fields they have, with the count.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  static constexpr std::size_t outside = static_cast<std::size_t>(-1);

  /// Where a field stands in an entry; one of a group in it where the count of that does.
  [[nodiscard]] std::size_t place_of(std::uint32_t tag) const noexcept {
    while (!detail::has(rule_->tags, tag)) {
      const detail::GroupRule* const group = detail::group_of(type_, tag);
      if (group == nullptr) return outside;
      tag = group->count;
    }
    return static_cast<std::size_t>(llmes::detail::find(rule_->tags, tag) - rule_->tags.begin());
  }
  [[nodiscard]] std::span<const Field> end() noexcept {
    if (read_number(fields_[0].value) == entries_) return {};
    return reject(RejectReason::GroupCount, fields_[0]);
  }
  [[nodiscard]] std::span<const Field> reject(RejectReason reason, const Field& field) noexcept {
    rejection_ = {reason, field.tag, field.value};
    return {};
  }

  std::string_view type_;
  const detail::GroupRule* rule_;
  std::span<const Field> fields_;  ///< from the count on
  std::size_t size_ = 1;
  std::uint64_t entries_ = 0;
  std::optional<Rejection> rejection_;
};

/// What the dictionary says of a type of message; no rule if it is not there.
[[nodiscard]] constexpr const detail::MessageRule* find_rule(std::string_view type) noexcept {
  const auto* const found = llmes::detail::find(detail::message_rules, type, &detail::MessageRule::type);
  return found == detail::message_rules.end() ? nullptr : found;
}

/// Whether FIX has a message of this type, taken here or not.
[[nodiscard]] constexpr bool is_message_type(std::string_view type) noexcept {
  const auto is_letter = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); };
  if (type.size() == 1) return is_letter(type[0]) || (type[0] >= '0' && type[0] <= '9');
  return type.size() == 2 && type[0] >= 'A' && type[0] <= 'E' && is_letter(type[1]);
}

/// Checks a message of a type that `find_rule` knows: its form, then each field in order (known, of this message,
/// once, in place, with a value that it may have) and each group, then what is missing. Linear in fields times the
/// lists above.
/// @return the first thing that is wrong; nothing if all is right
[[nodiscard]] inline std::optional<Rejection> check(const Message& message) noexcept {
  const detail::MessageRule* const rule = find_rule(message.type());
  if (rule == nullptr) return Rejection{RejectReason::InvalidMessageType, 35, message.type()};
  if (const std::optional<Rejection> form = detail::check_form(message.fault())) return form;
  std::bitset<detail::field_rules.size()> seen;
  const std::span<const Field> fields = message.fields();
  bool in_body = false;
  bool in_trailer = false;
  std::size_t group_end = 0;  // behind the last field of a group
  for (std::size_t at = 0; at < fields.size(); ++at) {
    const auto [tag, value] = fields[at];
    const auto* const field = llmes::detail::lower_bound(detail::field_rules, tag, &detail::FieldRule::tag);
    if (field == detail::field_rules.end() || field->tag != tag) {
      constexpr std::uint32_t standard_end = 2'000;
      constexpr std::uint32_t user_begin = 5'000;
      return Rejection{tag < standard_end ? RejectReason::TagNotOfMessage
                       : tag < user_begin ? RejectReason::InvalidTag
                                          : RejectReason::UndefinedTag,
                       tag, value};
    }
    const bool in_group = at < group_end;
    const bool is_header = llmes::detail::find(detail::header_tags, tag) != detail::header_tags.end();
    const bool is_trailer = tag == 89 || tag == 93;
    const bool is_of_message =
        is_header || is_trailer || detail::has(rule->required, tag) || detail::has(rule->optional, tag);
    if (!in_group && !is_of_message) {
      const bool is_stray = detail::group_of(rule->type, tag) != nullptr;  // of a group that did not begin
      return Rejection{is_stray ? RejectReason::GroupOutOfOrder : RejectReason::TagNotOfMessage, tag, value};
    }
    if ((is_header && in_body) || (!is_trailer && in_trailer))
      return Rejection{RejectReason::TagOutOfOrder, tag, value};
    in_body = in_body || !is_header;
    in_trailer = in_trailer || is_trailer;
    const auto index = static_cast<std::size_t>(field - detail::field_rules.begin());
    if (seen[index] && !in_group) return Rejection{RejectReason::TagTwice, tag, value};
    seen[index] = true;
    if (!field->has_form(value)) return Rejection{RejectReason::IncorrectFormat, tag, value};
    if (!field->letters.empty() && field->letters.find(value[0]) == std::string_view::npos)
      return Rejection{RejectReason::IncorrectValue, tag, value};
    if (detail::find_group(rule->type, tag) == nullptr) continue;
    GroupReader group(rule->type, fields.subspan(at), tag);
    while (!group.next().empty()) {
    }
    if (group.rejection()) return group.rejection();
    group_end = std::max(group_end, at + group.size());
  }
  for (const std::uint16_t tag : detail::required_in_header) {
    if (message.find(tag) == nullptr) return Rejection{RejectReason::RequiredTagMissing, tag};
  }
  for (const std::uint16_t tag : rule->required) {
    if (tag != 0 && message.find(tag) == nullptr) return Rejection{RejectReason::RequiredTagMissing, tag};
  }
  return {};
}

}  // namespace llmes::inline LLMES_NAMESPACE::fix
