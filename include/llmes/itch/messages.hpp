// SPDX-License-Identifier: MIT
//
// The messages of NASDAQ TotalView-ITCH 5.0, byte for byte, from the specification "Nasdaq TotalView-ITCH 5.0".
// Each is a struct without padding that can be laid over received bytes, or filled in and sent.
//
// A new message has its type; set the other members. One-letter codes without an enumeration default to a space.
#pragma once

#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

#include "llmes/detail/enumerator_name.hpp"  // IWYU pragma: export
#include "llmes/detail/fields.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::itch {

// ---- The fields: numbers, codes and texts, big-endian and at any address.

/// The number of a symbol for one day, from 1 on.
enum class Locate : std::uint16_t {};
/// The venue's name for an order, unique for one day.
enum class Reference : std::uint64_t {};
/// The venue's name for an execution, unique for one day.
enum class MatchNumber : std::uint64_t {};
/// A price in ten-thousandths of a dollar.
enum class Price4 : std::uint32_t {};
/// A level of an index, in hundred-millionths.
enum class Price8 : std::uint64_t {};
/// Since midnight.
using Timestamp = std::chrono::nanoseconds;

/// The side of an order.
enum class BuySell : char { Buy = 'B', Sell = 'S' };

/// A value as in a message: a big-endian number, or a code of one letter. It may hold any bytes, also a code that
/// is no enumerator. A value that needs more bytes loses the upper ones.
template <class Value, std::size_t Bytes = sizeof(Value)>
using Field = llmes::detail::ByteField<Value, Bytes, std::endian::big>;

/// Letters, left-justified and filled up with spaces, such as a symbol.
template <std::size_t Bytes>
using Text = llmes::detail::TextField<Bytes>;

using Symbol = Text<8>;
using ParticipantId = Text<4>;

/// How every message begins.
template <char Type>
struct Header {
  Field<char> type = Type;
  Field<Locate> locate{};  ///< 0 if the message is not about one symbol
  Field<std::uint16_t> tracking_number{};
  Field<Timestamp, 6> timestamp{};
};

// ---- Orders of the book.

struct AddOrder {
  Header<'A'> header{};
  Field<Reference> reference{};
  Field<BuySell> side{};
  Field<std::uint32_t> shares{};
  Symbol symbol{};
  Field<Price4> price{};
};
/// An order whose participant is named.
struct AddAttributedOrder {
  Header<'F'> header{};
  Field<Reference> reference{};
  Field<BuySell> side{};
  Field<std::uint32_t> shares{};
  Symbol symbol{};
  Field<Price4> price{};
  ParticipantId attribution{};
};
struct OrderExecuted {
  Header<'E'> header{};
  Field<Reference> reference{};
  Field<std::uint32_t> shares{};
  Field<MatchNumber> match{};
};
/// An execution at another price than that of the order.
struct OrderExecutedWithPrice {
  Header<'C'> header{};
  Field<Reference> reference{};
  Field<std::uint32_t> shares{};
  Field<MatchNumber> match{};
  Field<char> printable = ' ';  ///< 'N' if a cross message reports these shares as well
  Field<Price4> price{};
};
/// Takes some shares off an order.
struct OrderCancel {
  Header<'X'> header{};
  Field<Reference> reference{};
  Field<std::uint32_t> shares{};
};
struct OrderDelete {
  Header<'D'> header{};
  Field<Reference> reference{};
};
/// A new order of the same side and symbol takes the place of an old one, behind all others of its price.
struct OrderReplace {
  Header<'U'> header{};
  Field<Reference> reference{};
  Field<Reference> new_reference{};
  Field<std::uint32_t> shares{};
  Field<Price4> price{};
};

// ---- Trades, which change no order of the book.

/// An execution against an order that is not displayed.
struct Trade {
  Header<'P'> header{};
  Field<Reference> reference{};  ///< 0
  Field<BuySell> side{};         ///< always Buy since 2014
  Field<std::uint32_t> shares{};
  Symbol symbol{};
  Field<Price4> price{};
  Field<MatchNumber> match{};
};
struct CrossTrade {
  Header<'Q'> header{};
  Field<std::uint64_t> shares{};
  Symbol symbol{};
  Field<Price4> price{};
  Field<MatchNumber> match{};
  Field<char> cross_type = ' ';
};
struct BrokenTrade {
  Header<'B'> header{};
  Field<MatchNumber> match{};
};

// ---- The market and its symbols.

enum class EventCode : char {
  StartOfMessages = 'O',
  StartOfSystemHours = 'S',
  StartOfMarketHours = 'Q',
  EndOfMarketHours = 'M',
  EndOfSystemHours = 'E',
  EndOfMessages = 'C',
};
struct SystemEvent {
  Header<'S'> header{};
  Field<EventCode> event{};
};
struct StockDirectory {
  Header<'R'> header{};
  Symbol symbol{};
  Field<char> market_category = ' ';
  Field<char> financial_status = ' ';
  Field<std::uint32_t> round_lot{};
  Field<char> round_lots_only = ' ';
  Field<char> issue_classification = ' ';
  Text<2> issue_sub_type{};
  Field<char> authenticity = ' ';
  Field<char> short_sale_threshold = ' ';
  Field<char> ipo_flag = ' ';
  Field<char> price_tier = ' ';
  Field<char> etp_flag = ' ';
  Field<std::uint32_t> etp_leverage{};
  Field<char> inverse = ' ';
};
enum class TradingState : char { Halted = 'H', Paused = 'P', QuotationOnly = 'Q', Trading = 'T' };
struct TradingAction {
  Header<'H'> header{};
  Symbol symbol{};
  Field<TradingState> state{};
  Field<char> reserved = ' ';
  Text<4> reason{};
};
struct ShortSaleRestriction {
  Header<'Y'> header{};
  Symbol symbol{};
  Field<char> action = ' ';
};
struct ParticipantPosition {
  Header<'L'> header{};
  ParticipantId participant{};
  Symbol symbol{};
  Field<char> primary_market_maker = ' ';
  Field<char> mode = ' ';
  Field<char> state = ' ';
};
/// The levels at which a fall of the whole market halts it.
struct CircuitBreakerLevels {
  Header<'V'> header{};
  Field<Price8> level1{};
  Field<Price8> level2{};
  Field<Price8> level3{};
};
struct CircuitBreakerStatus {
  Header<'W'> header{};
  Field<char> level = ' ';
};
struct QuotingPeriod {
  Header<'K'> header{};
  Symbol symbol{};
  Field<std::uint32_t> release_time{};  ///< seconds since midnight
  Field<char> qualifier = ' ';
  Field<Price4> ipo_price{};
};
/// The range of prices in which an auction after a pause may end.
struct AuctionCollar {
  Header<'J'> header{};
  Symbol symbol{};
  Field<Price4> reference_price{};
  Field<Price4> upper_price{};
  Field<Price4> lower_price{};
  Field<std::uint32_t> extension{};
};
struct OperationalHalt {
  Header<'h'> header{};
  Symbol symbol{};
  Field<char> market = ' ';
  Field<char> action = ' ';
};

// ---- Auctions and indications.

/// The net order imbalance before a cross.
struct Imbalance {
  Header<'I'> header{};
  Field<std::uint64_t> paired_shares{};
  Field<std::uint64_t> imbalance_shares{};
  Field<char> direction = ' ';
  Symbol symbol{};
  Field<Price4> far_price{};
  Field<Price4> near_price{};
  Field<Price4> reference_price{};
  Field<char> cross_type = ' ';
  Field<char> price_variation = ' ';
};
struct RetailInterest {
  Header<'N'> header{};
  Symbol symbol{};
  Field<char> interest = ' ';
};
/// The discovery of a price for a direct listing that raises capital.
struct DirectListing {
  Header<'O'> header{};
  Symbol symbol{};
  Field<char> open_eligibility = ' ';
  Field<Price4> minimum_price{};
  Field<Price4> maximum_price{};
  Field<Price4> near_price{};
  Field<Timestamp, 8> near_time{};
  Field<Price4> lower_price{};
  Field<Price4> upper_price{};
};

/// All of them, the most frequent first.
using Messages =
    std::tuple<AddOrder, OrderDelete, OrderReplace, OrderExecuted, OrderCancel, AddAttributedOrder,
               OrderExecutedWithPrice, Trade, Imbalance, CrossTrade, BrokenTrade, SystemEvent, StockDirectory,
               TradingAction, ShortSaleRestriction, ParticipantPosition, CircuitBreakerLevels,
               CircuitBreakerStatus, QuotingPeriod, AuctionCollar, OperationalHalt, RetailInterest, DirectListing>;

/// The letter that stands for a type of message.
template <class Message>
inline constexpr char type_of = Message{}.header.type;

template <class M>
concept Message = requires { type_of<M>; } && alignof(M) == 1 && std::is_trivially_copyable_v<M>;

static_assert(sizeof(SystemEvent) == 12 && sizeof(StockDirectory) == 39 && sizeof(TradingAction) == 25);
static_assert(sizeof(ShortSaleRestriction) == 20 && sizeof(ParticipantPosition) == 26);
static_assert(sizeof(CircuitBreakerLevels) == 35 && sizeof(CircuitBreakerStatus) == 12);
static_assert(sizeof(QuotingPeriod) == 28 && sizeof(AuctionCollar) == 35 && sizeof(OperationalHalt) == 21);
static_assert(sizeof(AddOrder) == 36 && sizeof(AddAttributedOrder) == 40 && sizeof(OrderExecuted) == 31);
static_assert(sizeof(OrderExecutedWithPrice) == 36 && sizeof(OrderCancel) == 23 && sizeof(OrderDelete) == 19);
static_assert(sizeof(OrderReplace) == 35 && sizeof(Trade) == 44 && sizeof(CrossTrade) == 40);
static_assert(sizeof(BrokenTrade) == 19 && sizeof(Imbalance) == 50 && sizeof(RetailInterest) == 20);
static_assert(sizeof(DirectListing) == 48);

}  // namespace llmes::inline LLMES_NAMESPACE::itch
