// SPDX-License-Identifier: MIT
//
// The argument types of a book's calls. They take every integer type. A floating-point number, a bool, a character
// or an enumerator does not compile: a price of 100.75 would silently become 100. A number that the book's type
// cannot hold becomes one that every call rejects.
#pragma once

#include <concepts>
#include <limits>
#include <utility>

#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

template <class T, class... Others>
concept OneOf = (std::same_as<T, Others> || ...);

template <class T>
concept Integer = std::integral<T> && sizeof(T) <= sizeof(std::uint64_t) &&
                  !OneOf<T, bool, char, wchar_t, char8_t, char16_t, char32_t>;

/// An id. A negative id is taken modulo 2^64; the book does not interpret ids.
class IdArgument {
 public:
  constexpr IdArgument(Integer auto id) noexcept : id_(static_cast<OrderId>(id)) {}
  constexpr operator OrderId() const noexcept { return id_; }

 private:
  OrderId id_;
};

namespace detail {
/// A number; `wrong` if it was none of this type.
template <class Number, Number wrong>
class NumberArgument {
 public:
  constexpr NumberArgument(Integer auto number) noexcept
      : number_(std::in_range<Number>(number) ? static_cast<Number>(number) : wrong) {}
  constexpr operator Number() const noexcept { return number_; }

 private:
  Number number_;
};
}  // namespace detail

/// A price in ticks. A price above the largest `Price` becomes the largest `Price`, which no band holds.
using PriceArgument = detail::NumberArgument<Price, std::numeric_limits<Price>::max()>;
/// A quantity in lots. A negative quantity becomes 0, which every call rejects.
using QuantityArgument = detail::NumberArgument<Quantity, 0>;

}  // namespace llmes::inline LLMES_NAMESPACE
