// SPDX-License-Identifier: MIT
//
// A digest of everything that users can see of books: equal digests show that a recovery led to the same books, or
// that two engines agree. It does not depend on windows, tables and free slots.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "llmes/detail/hash.hpp"
#include "llmes/market_data/events.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// A digest of numbers in order. It differs for sequences that differ in one number; for others nearly always.
class Digest {
 public:
  constexpr void add(std::uint64_t number) noexcept { value_ = hash_of(value_ ^ number); }
  [[nodiscard]] constexpr std::uint64_t value() const noexcept { return value_; }

 private:
  std::uint64_t value_ = 1;
};

/// A `BookSet` itself, or that of an `IdBook`, of a `Publisher` or of a `Matcher`.
template <class Object>
[[nodiscard]] const auto& book_set_of(const Object& object) noexcept {
  if constexpr (requires { object.book(); }) {
    return book_set_of(object.book());
  } else {
    return object;
  }
}

/// The digest of all that queries answer about a set: for each book by number, bids first, the count of its
/// orders, and handle, id, price and quantity of each by priority; of a publisher also the positions. Linear.
/// @param object a `BookSet`, an `IdBook` of one, a `Publisher` of either, or a `Matcher`.
template <class Object>
[[nodiscard]] std::uint64_t logical_digest(const Object& object) noexcept {
  Digest digest;
  const auto& set = book_set_of(object);
  for (BookNumber number = 0; number < set.book_count(); ++number) {
    const auto book = set.book(number);
    for (const Side side : {Side::Buy, Side::Sell}) {
      std::uint64_t count = 0;
      book->visit_orders(side, [&](const RestingOrder& order) {
        digest.add(order.handle.value());
        digest.add(order.id);
        digest.add(static_cast<std::uint64_t>(order.price));
        digest.add(order.quantity);
        ++count;
      });
      digest.add(count);
    }
    if constexpr (requires { object.positions(number); }) {
      const StreamPositions positions = object.positions(number);
      for (const std::uint64_t last : {positions.orders, positions.levels, positions.best}) digest.add(last);
    }
  }
  return digest.value();
}

}  // namespace llmes::inline LLMES_NAMESPACE
