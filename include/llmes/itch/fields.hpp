// SPDX-License-Identifier: MIT
//
// The fields of ITCH messages and their types: numbers, codes and texts, big-endian and at any address.
#pragma once

#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "llmes/detail/byte_field.hpp"
#include "llmes/detail/text_field.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::itch {

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

}  // namespace llmes::inline LLMES_NAMESPACE::itch
