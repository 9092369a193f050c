// SPDX-License-Identifier: MIT
//
// What linked orders are kept for, and what a venue has to do when something happens to one of them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "llmes/types/types.hpp"
#include "llmes/venue/venue_command.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// What links are kept for.
struct LinkConfig {
  std::size_t groups = 0;  ///< the most pairs and brackets at a time; at most 2^24
};

/// What to do to an order because of another one.
enum class LinkStepType : std::uint8_t {
  Place,   ///< a child of a bracket enters the market: run `command`
  Grow,    ///< `id` gets so many lots more
  Reduce,  ///< `id` loses so many lots; if it has no more, it is cancelled
  Cancel,  ///< `id` is cancelled
  Drop,    ///< a child of a bracket that waited is gone: `command`
};

/// One step.
struct LinkStep {
  LinkStepType type = LinkStepType::Cancel;
  OrderId id = 0;
  Quantity quantity = 0;   ///< lots: of `Place`, `Grow` and `Reduce`
  VenueCommand command{};  ///< of `Place`, `Grow` and `Drop`: as the child came, but without its link; `Place`
                           ///< with `quantity`

  friend constexpr bool operator==(const LinkStep&, const LinkStep&) = default;
};

}  // namespace llmes::inline LLMES_NAMESPACE
