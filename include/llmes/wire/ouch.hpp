// SPDX-License-Identifier: MIT
//
// The messages of OUCH 5.0, Nasdaq's protocol of order entry, byte for byte: big-endian, at any address, without
// padding. Each is a struct to lay over received bytes, or to fill in. Some have an appendage of optional values.
//
// Prices are ten-thousandths of a dollar, times nanoseconds since midnight. One-letter codes default to a space.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>

#include "llmes/detail/algorithm.hpp"
#include "llmes/detail/enumerator_name.hpp"  // IWYU pragma: export
#include "llmes/detail/fields.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::ouch {

template <class Value, std::size_t Bytes = sizeof(Value)>
using Field = llmes::detail::ByteField<Value, Bytes, std::endian::big>;
template <std::size_t Bytes>
using Text = llmes::detail::TextField<Bytes>;

enum class Side : char { Buy = 'B', Sell = 'S', SellShort = 'T', SellShortExempt = 'E' };
enum class TimeInForce : char {
  Day = '0',
  ImmediateOrCancel = '3',
  GoodTillExtended = '5',
  GoodTillTime = '6',
  AfterHours = 'E'
};
enum class Display : char { Visible = 'Y', Hidden = 'N', Attributable = 'A' };
enum class OrderState : char { Live = 'L', Dead = 'D' };
enum class SystemEventCode : char { StartOfDay = 'S', EndOfDay = 'E' };

/// Why an order is gone or smaller.
enum class CancelReason : char {
  ByUser = 'U',
  ImmediateOrCancel = 'I',
  Timeout = 'T',
  Supervisory = 'S',
  Regulatory = 'D',
  SelfTrade = 'Q',
  SystemCancel = 'Z',
  CrossCancelled = 'C',
  CannotTrade = 'K',
  Halted = 'H',
  OpenProtection = 'X',
  Closed = 'E',
};

/// Why a command is refused, by the numbers of Nasdaq's document; a venue may send others.
enum class RejectReason : std::uint16_t {
  QuoteUnavailable = 0x0001,
  DestinationClosed = 0x0002,
  InvalidDisplay = 0x0003,
  InvalidMaxFloor = 0x0004,
  InvalidPegType = 0x0005,
  FatFinger = 0x0006,
  Halted = 0x0007,
  IsoNotAllowed = 0x0008,
  InvalidSide = 0x0009,
  ProcessingError = 0x000a,
  CancelPending = 0x000b,
  FirmNotAuthorised = 0x000c,
  InvalidMinimumQuantity = 0x000d,
  NoClosingPrice = 0x000e,
  Other = 0x000f,
  CancelNotAllowed = 0x0010,
  PeggingNotAllowed = 0x0011,
  CrossedMarket = 0x0012,
  InvalidQuantity = 0x0013,
  InvalidCrossOrder = 0x0014,
  ReplaceNotAllowed = 0x0015,
  RoutingNotAllowed = 0x0016,
  InvalidSymbol = 0x0017,
  TestSymbol = 0x0018,
  LateCloseTooAggressive = 0x0019,
  RetailNotAllowed = 0x001a,
  InvalidMidpoint = 0x001b,
  InvalidDestination = 0x001c,
  InvalidPrice = 0x001d,
  SharesAboveThreshold = 0x001e,
  NotionalAboveMaximum = 0x001f,
  RiskExposure = 0x0020,  ///< this and those below: by the risk stage
  RiskMarketImpact = 0x0021,
  RiskRestrictedStock = 0x0022,
  RiskShortSale = 0x0023,
  RiskOrderType = 0x0024,
  RiskDailyVolume = 0x0025,
  RiskFatFinger = 0x0026,
  RiskLocate = 0x0027,
  RiskSymbolRate = 0x0028,
  RiskPortRate = 0x0029,
  RiskDuplicateRate = 0x002a,
};

// ---- From a client.

struct EnterOrder {
  Field<char> type = 'O';
  Field<std::uint32_t> user_reference{};  ///< above that of every order before, else it is ignored
  Field<Side> side{};
  Field<std::uint32_t> quantity{};
  Text<8> symbol{};
  Field<std::uint64_t> price{};
  Field<TimeInForce> time_in_force{};
  Field<Display> display{};
  Field<char> capacity = ' ';
  Field<char> intermarket_sweep = 'N';
  Field<char> cross_type = 'N';
  Text<14> client_id{};
  Field<std::uint16_t> appendage_size{};
};
struct ReplaceOrder {
  Field<char> type = 'U';
  Field<std::uint32_t> original{};
  Field<std::uint32_t> user_reference{};
  Field<std::uint32_t> quantity{};  ///< that of the whole order, what has traded included
  Field<std::uint64_t> price{};
  Field<TimeInForce> time_in_force{};
  Field<Display> display{};
  Field<char> intermarket_sweep = 'N';
  Text<14> client_id{};
  Field<std::uint16_t> appendage_size{};
};
struct CancelOrder {
  Field<char> type = 'X';
  Field<std::uint32_t> user_reference{};
  Field<std::uint32_t> quantity{};  ///< what the whole order should be; 0: nothing is left
};
struct ModifyOrder {
  Field<char> type = 'M';
  Field<std::uint32_t> user_reference{};
  Field<Side> side{};
  Field<std::uint32_t> quantity{};
};
struct MassCancel {
  Field<char> type = 'C';
  Field<std::uint32_t> user_reference{};  ///< of one sequence with those of orders, as below
  Text<4> firm{};
  Text<8> symbol{};  ///< blank: all
  Field<std::uint16_t> appendage_size{};
};
template <char Type>
struct EntrySwitch {
  Field<char> type = Type;
  Field<std::uint32_t> user_reference{};
  Text<4> firm{};
  Field<std::uint16_t> appendage_size{};
};
using DisableEntry = EntrySwitch<'D'>;  ///< takes no new orders and replaces from now on
using EnableEntry = EntrySwitch<'E'>;
struct AccountQuery {
  Field<char> type = 'Q';
};
/// Many quotes at once. OUCH has none: this is an extension, as are all types that are small letters. Its
/// appendage is a `QuoteSide` for each side, and the k-th of them, from 0 on, has the reference `user_reference` +
/// k.
struct MassQuote {
  Field<char> type = 'i';
  Field<std::uint32_t> user_reference{};
  Field<char> all_or_none = 'N';  ///< 'Y': if a side is refused, none stands
  Text<14> client_id{};
  Field<std::uint16_t> appendage_size{};
};
struct QuoteSide {
  Field<std::uint32_t> quote{};  ///< the number of the quote: a new side replaces the one that it has
  Field<Side> side{};            ///< B or S
  Text<8> symbol{};
  Field<std::uint32_t> quantity{};  ///< 0: it takes off the one that there is
  Field<std::uint64_t> price{};
};

/// These came without an appendage at first; later editions of the document let one follow, with its size before
/// it.
template <class M>
inline constexpr bool has_late_appendage = false;
template <>
inline constexpr bool has_late_appendage<CancelOrder> = true;
template <>
inline constexpr bool has_late_appendage<ModifyOrder> = true;
template <>
inline constexpr bool has_late_appendage<AccountQuery> = true;

// ---- From a venue.

struct SystemEvent {
  Field<char> type = 'S';
  Field<std::uint64_t> timestamp{};
  Field<SystemEventCode> event{};
};
struct Accepted {
  Field<char> type = 'A';
  Field<std::uint64_t> timestamp{};
  Field<std::uint32_t> user_reference{};
  Field<Side> side{};
  Field<std::uint32_t> quantity{};
  Text<8> symbol{};
  Field<std::uint64_t> price{};
  Field<TimeInForce> time_in_force{};
  Field<Display> display{};
  Field<std::uint64_t> order_reference{};
  Field<char> capacity = ' ';
  Field<char> intermarket_sweep = 'N';
  Field<char> cross_type = 'N';
  Field<OrderState> state{};
  Text<14> client_id{};
  Field<std::uint16_t> appendage_size{};
};
struct Replaced {
  Field<char> type = 'U';
  Field<std::uint64_t> timestamp{};
  Field<std::uint32_t> original{};
  Field<std::uint32_t> user_reference{};
  Field<Side> side{};
  Field<std::uint32_t> quantity{};
  Text<8> symbol{};
  Field<std::uint64_t> price{};
  Field<TimeInForce> time_in_force{};
  Field<Display> display{};
  Field<std::uint64_t> order_reference{};
  Field<char> capacity = ' ';
  Field<char> intermarket_sweep = 'N';
  Field<char> cross_type = 'N';
  Field<OrderState> state{};
  Text<14> client_id{};
  Field<std::uint16_t> appendage_size{};
};
struct Canceled {
  Field<char> type = 'C';
  Field<std::uint64_t> timestamp{};
  Field<std::uint32_t> user_reference{};
  Field<std::uint32_t> quantity{};  ///< taken off
  Field<CancelReason> reason{};
};
/// Two orders of one owner have met.
struct SelfTradeCanceled {
  Field<char> type = 'D';
  Field<std::uint64_t> timestamp{};
  Field<std::uint32_t> user_reference{};
  Field<std::uint32_t> decrement{};
  Field<CancelReason> reason{};
  Field<std::uint32_t> prevented{};
  Field<std::uint64_t> price{};
  Field<char> liquidity = ' ';
  Field<char> strategy = ' ';
};
struct Executed {
  Field<char> type = 'E';
  Field<std::uint64_t> timestamp{};
  Field<std::uint32_t> user_reference{};
  Field<std::uint32_t> quantity{};
  Field<std::uint64_t> price{};
  Field<char> liquidity = ' ';  ///< 'A' it rested, 'J' it rested unseen, 'R' it took
  Field<std::uint64_t> match{};
  Field<std::uint16_t> appendage_size{};
};
struct BrokenTrade {
  Field<char> type = 'B';
  Field<std::uint64_t> timestamp{};
  Field<std::uint32_t> user_reference{};
  Field<std::uint64_t> match{};
  Field<char> reason = ' ';
  Text<14> client_id{};
};
struct Rejected {
  Field<char> type = 'J';
  Field<std::uint64_t> timestamp{};
  Field<std::uint32_t> user_reference{};
  Field<RejectReason> reason{};
  Text<14> client_id{};
};
template <char Type>
struct CancelAnswer {
  Field<char> type = Type;
  Field<std::uint64_t> timestamp{};
  Field<std::uint32_t> user_reference{};
};
using CancelPending = CancelAnswer<'P'>;
using CancelRejected = CancelAnswer<'I'>;
struct PriorityUpdate {
  Field<char> type = 'T';
  Field<std::uint64_t> timestamp{};
  Field<std::uint32_t> user_reference{};
  Field<std::uint64_t> price{};
  Field<Display> display{};
  Field<std::uint64_t> order_reference{};
};
struct Modified {
  Field<char> type = 'M';
  Field<std::uint64_t> timestamp{};
  Field<std::uint32_t> user_reference{};
  Field<Side> side{};
  Field<std::uint32_t> quantity{};
};
struct Restated {
  Field<char> type = 'R';
  Field<std::uint64_t> timestamp{};
  Field<std::uint32_t> user_reference{};
  Field<char> reason = ' ';
  Field<std::uint16_t> appendage_size{};
};
struct MassCancelResponse {
  Field<char> type = 'X';
  Field<std::uint64_t> timestamp{};
  Field<std::uint32_t> user_reference{};
  Text<4> firm{};
  Text<8> symbol{};
  Field<std::uint16_t> appendage_size{};
};
template <char Type>
struct EntryResponse {
  Field<char> type = Type;
  Field<std::uint64_t> timestamp{};
  Field<std::uint32_t> user_reference{};
  Text<4> firm{};
  Field<std::uint16_t> appendage_size{};
};
using DisableEntryResponse = EntryResponse<'G'>;
using EnableEntryResponse = EntryResponse<'K'>;
struct QueryResponse {
  Field<char> type = 'Q';
  Field<std::uint64_t> timestamp{};
  Field<std::uint32_t> next_user_reference{};
};
/// The answer to a `MassQuote`. Its appendage is a `QuoteStatus` for each side, in their order; it is empty if the
/// message is refused as a whole before any.
struct MassQuoteResponse {
  Field<char> type = 'b';
  Field<std::uint64_t> timestamp{};
  Field<std::uint32_t> user_reference{};
  Field<RejectReason> reason{};  ///< 0: it is not refused as a whole
  Text<14> client_id{};
  Field<std::uint16_t> appendage_size{};
};
struct QuoteStatus {
  Field<std::uint32_t> quote{};
  Field<Side> side{};
  Field<RejectReason> reason{};  ///< 0: it stands, or is taken off as it asked
};

static_assert(sizeof(EnterOrder) == 47 && sizeof(ReplaceOrder) == 40 && sizeof(CancelOrder) == 9);
static_assert(sizeof(ModifyOrder) == 10 && sizeof(AccountQuery) == 1 && sizeof(SystemEvent) == 10);
static_assert(sizeof(Accepted) == 64 && sizeof(Replaced) == 68 && sizeof(Canceled) == 18);
static_assert(sizeof(SelfTradeCanceled) == 32 && sizeof(Executed) == 36 && sizeof(BrokenTrade) == 36);
static_assert(sizeof(Rejected) == 29 && sizeof(CancelPending) == 13 && sizeof(CancelRejected) == 13);
static_assert(sizeof(PriorityUpdate) == 30 && sizeof(Modified) == 18 && sizeof(Restated) == 16);
static_assert(sizeof(MassCancel) == 19 && sizeof(DisableEntry) == 11 && sizeof(EnableEntry) == 11);
static_assert(sizeof(MassCancelResponse) == 27 && sizeof(DisableEntryResponse) == 19);
static_assert(sizeof(EnableEntryResponse) == 19 && sizeof(QueryResponse) == 13);
static_assert(sizeof(MassQuote) == 22 && sizeof(QuoteSide) == 25);
static_assert(sizeof(MassQuoteResponse) == 31 && sizeof(QuoteStatus) == 7);

using ClientMessages = std::tuple<EnterOrder, CancelOrder, ReplaceOrder, ModifyOrder, MassCancel, DisableEntry,
                                  EnableEntry, AccountQuery, MassQuote>;
using VenueMessages =
    std::tuple<Accepted, Executed, Canceled, Replaced, Rejected, SelfTradeCanceled, Modified, SystemEvent,
               BrokenTrade, CancelPending, CancelRejected, PriorityUpdate, Restated, MassCancelResponse,
               DisableEntryResponse, EnableEntryResponse, QueryResponse, MassQuoteResponse>;

template <class M>
inline constexpr bool has_appendage = requires(M message) { message.appendage_size; };

// ---- The appendage.

/// What an element of an appendage is.
enum class Tag : std::uint8_t {
  SecondaryOrderReference = 1,
  Firm = 2,
  MinimumQuantity = 3,
  CustomerType = 4,
  MaxFloor = 5,  ///< lots that are displayed: the peak
  PriceType = 6,
  PegOffset = 7,
  DiscretionPrice = 9,
  DiscretionPriceType = 10,
  DiscretionPegOffset = 11,
  PostOnly = 12,
  RandomReserves = 13,
  Route = 14,
  ExpireTime = 15,  ///< seconds to live, below 86,400; 0: no end
  TradeNow = 16,
  HandleInstruction = 17,
  BboWeight = 18,
  DisplayQuantity = 22,
  DisplayPrice = 23,
  GroupId = 24,
  SharesLocated = 25,
};

/// How many bytes the value of a tag has; 0 if there is no such tag.
[[nodiscard]] constexpr std::size_t value_size(Tag tag) noexcept {
  constexpr std::array<std::uint8_t, 26> sizes{0, 8, 4, 4, 1, 4, 1, 4, 0, 8, 1, 4, 1,
                                               4, 4, 4, 1, 1, 1, 0, 0, 0, 4, 8, 2, 1};
  const auto index = static_cast<std::size_t>(tag);
  return index < sizes.size() ? sizes[index] : 0;
}

/// An element where it was received.
struct Element {
  Tag tag{};
  std::span<const std::byte> value{};

  /// The value as a number, big-endian: of at most 8 bytes, which every value has.
  [[nodiscard]] std::uint64_t number() const noexcept {
    std::uint64_t number = 0;
    for (const std::byte byte : value) number = number << 8 | std::to_integer<std::uint64_t>(byte);
    return number;
  }
};

/// Calls `visitor` with each element of an appendage, in order. Linear.
/// @return whether all are elements of known tags and the sizes of these; those before a wrong one were visited
template <class Visitor>
[[nodiscard]] bool visit_elements(std::span<const std::byte> appendage, Visitor&& visitor) noexcept {
  while (!appendage.empty()) {
    const std::size_t size = std::to_integer<std::size_t>(appendage[0]);  // of tag and value
    if (size < 2 || size >= appendage.size()) return false;
    const auto tag = static_cast<Tag>(appendage[1]);
    if (value_size(tag) != size - 1) return false;
    visitor(Element{tag, appendage.subspan(2, size - 1)});
    appendage = appendage.subspan(1 + size);
  }
  return true;
}

// ---- Decoding and encoding.

/// What the bytes of one message are.
enum class DecodeStatus : std::uint8_t {
  Success,
  UnknownType,  ///< no message of that direction begins with this letter
  WrongSize,    ///< more or fewer bytes than a message of this type has, with its appendage
};

namespace detail {
template <class M, class Handler>
[[nodiscard]] DecodeStatus give(std::span<const std::byte> bytes, Handler& handler) noexcept {
  if (bytes.size() < sizeof(M)) return DecodeStatus::WrongSize;
  const M& message = *reinterpret_cast<const M*>(bytes.data());  // bytes and nothing else, so at any address
  std::span<const std::byte> appendage = bytes.subspan(sizeof(M));
  if constexpr (has_appendage<M> || has_late_appendage<M>) {
    if constexpr (has_appendage<M>) {
      if (appendage.size() != message.appendage_size.value()) return DecodeStatus::WrongSize;
    } else if (!appendage.empty()) {
      using Size = Field<std::uint16_t>;
      if (appendage.size() < sizeof(Size)) return DecodeStatus::WrongSize;
      const std::size_t size = reinterpret_cast<const Size*>(appendage.data())->value();
      appendage = appendage.subspan(sizeof(Size));
      if (appendage.size() != size) return DecodeStatus::WrongSize;
    }
    if constexpr (std::invocable<Handler&, const M&, std::span<const std::byte>>) {
      handler(message, appendage);
      return DecodeStatus::Success;
    }
  } else if (!appendage.empty()) {
    return DecodeStatus::WrongSize;
  }
  if constexpr (std::invocable<Handler&, const M&>) handler(message);
  return DecodeStatus::Success;
}

template <class... M, class Handler>
[[nodiscard]] DecodeStatus decode(const std::tuple<M...>*, std::span<const std::byte> bytes,
                                  Handler& handler) noexcept {
  static_assert(
      ((std::invocable<Handler&, const M&> || std::invocable<Handler&, const M&, std::span<const std::byte>>) ||
       ...),
      "llmes: this handler takes no message of OUCH");
  if (bytes.empty()) return DecodeStatus::WrongSize;
  DecodeStatus status = DecodeStatus::UnknownType;
  const auto type = static_cast<char>(bytes.front());
  static_cast<void>(((M{}.type.value() == type ? (status = give<M>(bytes, handler), true) : false) || ...));
  return status;
}
}  // namespace detail

/// Calls `handler` with the message of a client in `bytes`, by reference into them, and with the bytes of its
/// appendage if it has or may have one and `handler` takes them. `bytes` may hold anything. O(1).
template <class Handler>
[[nodiscard]] DecodeStatus decode_client(std::span<const std::byte> bytes, Handler&& handler) noexcept {
  return detail::decode(static_cast<const ClientMessages*>(nullptr), bytes, handler);
}
/// The same for a message of a venue.
template <class Handler>
[[nodiscard]] DecodeStatus decode_venue(std::span<const std::byte> bytes, Handler&& handler) noexcept {
  return detail::decode(static_cast<const VenueMessages*>(nullptr), bytes, handler);
}

/// A message with its appendage, to be sent.
template <class M>
class Outgoing {
 public:
  explicit Outgoing(const M& message) noexcept {
    llmes::detail::copy(std::as_bytes(std::span(&message, 1)), bytes_.begin());
  }

  /// Appends an element. @return false if its tag is unknown, or there is no room left; then nothing has changed.
  [[nodiscard]] bool append(Tag tag, std::uint64_t value) noexcept
    requires(has_appendage<M>)
  {
    const std::size_t size = value_size(tag);
    if (size == 0 || size_ + 2 + size > bytes_.size()) return false;
    bytes_[size_] = static_cast<std::byte>(size + 1);
    bytes_[size_ + 1] = static_cast<std::byte>(tag);
    for (std::size_t i = 0; i < size; ++i)
      bytes_[size_ + 2 + i] = static_cast<std::byte>(value >> 8 * (size - 1 - i));
    size_ += 2 + size;
    reinterpret_cast<M*>(bytes_.data())->appendage_size = static_cast<std::uint16_t>(size_ - sizeof(M));
    return true;
  }

  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return std::span(bytes_).first(size_); }

 private:
  static constexpr std::size_t appendage_max = has_appendage<M> ? 128 : 0;  ///< every tag once

  std::array<std::byte, sizeof(M) + appendage_max> bytes_{};
  std::size_t size_ = sizeof(M);
};

}  // namespace llmes::inline LLMES_NAMESPACE::ouch
