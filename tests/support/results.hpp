// SPDX-License-Identifier: MIT
//
// What a call returns, in the words of its outcome.
#pragma once

#include "llmes/types/types.hpp"

namespace llmes::test {

/// The order rests at the tail of its level.
constexpr Result rests(OrderHandle handle, Quantity remaining, Quantity filled = 0) {
  return {Status::Success, handle, filled, remaining};
}
/// The order was modified or reduced, and kept its place.
constexpr Result kept_place(OrderHandle handle, Quantity remaining, Quantity cancelled = 0) {
  return {Status::Success, handle, 0, remaining, cancelled, true};
}
/// The call is rejected, and the order that it was to change rests on as it was.
constexpr Result stays(Status status, OrderHandle handle, Quantity remaining) {
  return {status, handle, 0, remaining, 0, true};
}
/// The order does not rest.
constexpr Result done(Quantity filled, Quantity cancelled = 0) {
  return {Status::Success, {}, filled, 0, cancelled};
}

}  // namespace llmes::test
