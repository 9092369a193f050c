// SPDX-License-Identifier: MIT
//
// The records of DBN (Databento Binary Encoding) with market-by-order data, byte for byte: little-endian and at
// any address. Versions 1 to 3 have the same ones. Each is a struct without padding to lay over bytes or fill in.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "llmes/detail/enumerator_name.hpp"  // IWYU pragma: export
#include "llmes/detail/fields.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::dbn {

/// A value as in a record: a little-endian number, or a letter. It may hold any bytes, not just enumerators.
template <class Value>
using Field = llmes::detail::ByteField<Value, sizeof(Value), std::endian::little>;

/// What a record is about. There are more types in files of other schemas.
enum class RecordType : std::uint8_t {
  Error = 0x15,
  SymbolMapping = 0x16,
  System = 0x17,
  Mbo = 0xa0,
};

/// What happened to an order.
enum class Action : char {
  Add = 'A',
  Cancel = 'C',  ///< `size` lots leave an order, or all of it
  Modify = 'M',  ///< the order has this price and size now
  Clear = 'R',   ///< all orders of the instrument leave
  Trade = 'T',   ///< an aggressor has traded; changes no order
  Fill = 'F',    ///< a resting order has traded; changes no order: another record follows that does
  None = 'N',    ///< nothing that changes an order
};

/// The side of an order; of a trade that of the aggressor, of a fill that of the resting order.
enum class BidAsk : char { Bid = 'B', Ask = 'A', None = 'N' };

/// The bits of `Mbo::flags`.
enum class Flag : std::uint8_t {
  PublisherSpecific = 2,
  MaybeBadBook = 4,    ///< a gap was seen that was not repaired: the book may be wrong
  BadReceiveTime = 8,  ///< the clock of the receiver was wrong
  ByPrice = 16,        ///< it is about a price level, not about an order
  Snapshot = 32,       ///< it repeats what rested before
  TopOfBook = 64,      ///< it is the best price of a side, in place of all orders there
  Last = 128,          ///< the last record of its event, for its instrument
};

/// A price that there is none of. Others count in billionths, and may be negative.
inline constexpr std::int64_t undefined_price = std::numeric_limits<std::int64_t>::max();
/// How many of these are one unit of the currency.
inline constexpr std::int64_t price_scale = 1'000'000'000;
/// A time that there is none of. Others are nanoseconds since 1970, UTC.
inline constexpr std::uint64_t undefined_time = std::numeric_limits<std::uint64_t>::max();

/// How every record begins.
struct RecordHeader {
  Field<std::uint8_t> length{};  ///< of the whole record, in words of four bytes
  Field<RecordType> type{};
  Field<std::uint16_t> publisher{};
  Field<std::uint32_t> instrument{};
  Field<std::uint64_t> event_time{};  ///< when the venue says it happened
};

/// Market by order: one change of one order. A new one has its length and type; set the other members.
struct Mbo {
  RecordHeader header{.length = std::uint8_t{14}, .type = RecordType::Mbo};
  Field<std::uint64_t> order_id{};
  Field<std::int64_t> price{};  ///< in billionths
  Field<std::uint32_t> size{};
  Field<std::uint8_t> flags{};
  Field<std::uint8_t> channel{};
  Field<Action> action = Action::None;
  Field<BidAsk> side = BidAsk::None;
  Field<std::uint64_t> receive_time{};
  Field<std::int32_t> in_delta{};  ///< nanoseconds from the venue's sending to `receive_time`
  Field<std::uint32_t> sequence{};

  [[nodiscard]] constexpr bool has(Flag flag) const noexcept {
    return (flags.value() & static_cast<std::uint8_t>(flag)) != 0;
  }
};

static_assert(sizeof(RecordHeader) == 16 && sizeof(Mbo) == 56 && alignof(Mbo) == 1);
static_assert(std::is_trivially_copyable_v<Mbo>);
static_assert(offsetof(Mbo, order_id) == 16 && offsetof(Mbo, price) == 24 && offsetof(Mbo, size) == 32);
static_assert(offsetof(Mbo, flags) == 36 && offsetof(Mbo, action) == 38 && offsetof(Mbo, side) == 39);
static_assert(offsetof(Mbo, receive_time) == 40 && offsetof(Mbo, in_delta) == 48 && offsetof(Mbo, sequence) == 52);

}  // namespace llmes::inline LLMES_NAMESPACE::dbn
