// SPDX-License-Identifier: MIT
//
// The index of a set that finds orders by id itself: nothing to keep. What an index is: id_index.hpp.
#pragma once

#include <cstddef>
#include <optional>

#include "llmes/book/order_pool.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// For a `PlacedBookSet`, whose orders live where their ids say (see placed_pool.hpp): any id, and no memory.
struct PlacedIds {
  struct Config {};

  static constexpr bool forgets = false;

  /// @param status Success.
  [[nodiscard]] static std::optional<PlacedIds> create(const Config& /*config*/, std::size_t /*capacity*/,
                                                       CreateStatus& status,
                                                       std::size_t /*slot_count*/ = 0) noexcept {
    status = CreateStatus::Success;
    return PlacedIds{};
  }
  [[nodiscard]] static constexpr bool holds(OrderId /*id*/) noexcept { return true; }
  static constexpr void insert(OrderId /*id*/, SlotIndex /*slot*/) noexcept {}

  /// Its state, part by part, for an image (see engine/snapshot/image.hpp): none.
  static void visit_state(auto& /*self*/, auto& /*visit*/) noexcept {}
};

}  // namespace llmes::inline LLMES_NAMESPACE
