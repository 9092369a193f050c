// SPDX-License-Identifier: MIT
//
// Algorithms over whole ranges. They do what those of `std::ranges` with these names do, which the library of
// Clang 14 and 15 lacks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>

#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::detail {

template <class Range, class Out>
constexpr Out copy(const Range& range, Out out) {
  return std::copy(std::begin(range), std::end(range), out);
}
template <class Range, class Out, class Change>
constexpr Out transform(const Range& range, Out out, Change change) {
  return std::transform(std::begin(range), std::end(range), out, change);
}
template <class Range, class Value>
constexpr void fill(Range&& range, const Value& value) {
  std::fill(std::begin(range), std::end(range), value);
}

template <class Range, class Test>
[[nodiscard]] constexpr bool all_of(Range&& range, Test test) {
  return std::all_of(std::begin(range), std::end(range), test);
}
template <class Range, class Test>
[[nodiscard]] constexpr bool any_of(Range&& range, Test test) {
  return std::any_of(std::begin(range), std::end(range), test);
}
template <class Range, class Value>
[[nodiscard]] constexpr std::ptrdiff_t count(const Range& range, const Value& value) {
  return std::count(std::begin(range), std::end(range), value);
}
template <class Range, class Test>
[[nodiscard]] constexpr std::ptrdiff_t count_if(Range&& range, Test test) {
  return std::count_if(std::begin(range), std::end(range), test);
}
template <class One, class Other>
[[nodiscard]] constexpr bool equal(const One& one, const Other& other) {
  return std::equal(std::begin(one), std::end(one), std::begin(other), std::end(other));
}
template <class One, class Other>
[[nodiscard]] constexpr auto mismatch(const One& one, const Other& other) {
  return std::mismatch(std::begin(one), std::end(one), std::begin(other), std::end(other));
}

template <class Range, class Test>
[[nodiscard]] constexpr auto find_if(Range&& range, Test test) {
  return std::find_if(std::begin(range), std::end(range), test);
}
template <class Range, class Test>
[[nodiscard]] constexpr auto find_if_not(Range&& range, Test test) {
  return std::find_if_not(std::begin(range), std::end(range), test);
}
/// `of` gives what is compared with the value, as in those that follow.
template <class Range, class Value, class Projection = std::identity>
[[nodiscard]] constexpr auto find(Range&& range, const Value& value, Projection of = {}) {
  return std::find_if(std::begin(range), std::end(range),
                      [&](const auto& one) { return std::invoke(of, one) == value; });
}
template <class Range, class Value, class Projection = std::identity>
[[nodiscard]] constexpr auto lower_bound(Range&& range, const Value& value, Projection of = {}) {
  return std::lower_bound(std::begin(range), std::end(range), value,
                          [&](const auto& one, const Value& other) { return std::invoke(of, one) < other; });
}
template <class Range, class Value, class Projection = std::identity>
[[nodiscard]] constexpr auto upper_bound(Range&& range, const Value& value, Projection of = {}) {
  return std::upper_bound(std::begin(range), std::end(range), value,
                          [&](const Value& other, const auto& one) { return other < std::invoke(of, one); });
}
template <class Range, class Test>
[[nodiscard]] constexpr auto partition_point(Range&& range, Test test) {
  return std::partition_point(std::begin(range), std::end(range), test);
}

template <class Range, class Projection = std::identity>
constexpr void sort(Range&& range, Projection of = {}) {
  std::sort(std::begin(range), std::end(range),
            [&](const auto& one, const auto& other) { return std::invoke(of, one) < std::invoke(of, other); });
}
template <class Range, class Iterator>
constexpr void nth_element(Range&& range, Iterator nth) {
  std::nth_element(std::begin(range), nth, std::end(range));
}

}  // namespace llmes::inline LLMES_NAMESPACE::detail
