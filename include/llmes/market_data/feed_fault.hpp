// SPDX-License-Identifier: MIT
//
// The faults of a feed's messages, and how often each occurred.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string_view>

#include "llmes/detail/enumerator_name.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// What can be wrong with a message.
enum class FeedFault : std::uint8_t {
  UnknownType,         ///< no message begins with its first letter; in DBN, an unknown action
  WrongSize,           ///< it has more or fewer bytes than its type, or none
  UnknownSymbol,       ///< a new order, or a symbol, of a locate that is 0 or larger than `symbols`; or a replace
                       ///< by another locate than that of the order
  InvalidSide,         ///< a new order that neither buys nor sells
  UnknownReference,    ///< no order of this reference rests
  DuplicateReference,  ///< an order of the new reference rests
  ZeroQuantity,        ///< of no shares
  OverExecution,       ///< it takes more shares off an order than are open
  NoRoom,              ///< there is no room for the order or its price level
  InvalidPrice,        ///< an order without a price (of DBN)
};

/// How many messages had each fault.
class FeedFaults {
 public:
  static constexpr std::size_t kinds = static_cast<std::size_t>(FeedFault::InvalidPrice) + 1;

  [[nodiscard]] std::uint64_t operator[](FeedFault fault) const noexcept {
    return counts_[static_cast<std::size_t>(fault)];
  }
  [[nodiscard]] std::uint64_t total() const noexcept {
    return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
  }
  void count(FeedFault fault) noexcept { ++counts_[static_cast<std::size_t>(fault)]; }

 private:
  std::array<std::uint64_t, kinds> counts_{};
};

/// A fault as a word or two, for messages to people.
[[nodiscard]] constexpr std::string_view to_string(FeedFault fault) noexcept {
  return detail::enumerator_name<FeedFault::InvalidPrice>(
      fault, {"unknown type", "wrong size", "unknown symbol", "invalid side", "unknown reference",
              "duplicate reference", "zero quantity", "over-execution", "no room", "invalid price"});
}

}  // namespace llmes::inline LLMES_NAMESPACE
