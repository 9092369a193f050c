// SPDX-License-Identifier: MIT
//
// Commands by slot. A part of what waits in a venue.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "llmes/detail/zeroed_array.hpp"
#include "llmes/venue/venue_command.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::detail {

/// An array of commands. A slot without one has zeros.
class KeptCommands {
 public:
  explicit KeptCommands(std::size_t slots) noexcept : words_(slots) {}
  [[nodiscard]] bool allocated() const noexcept { return words_.allocated(); }
  [[nodiscard]] std::size_t memory_bytes() const noexcept { return words_.size_bytes(); }

  [[nodiscard]] VenueCommand operator[](std::size_t slot) const noexcept {
    return std::bit_cast<VenueCommand>(words_[slot]);
  }
  void put(std::size_t slot, const VenueCommand& command) noexcept {
    words_[slot] = std::bit_cast<Words>(command);
  }
  [[nodiscard]] bool is_free(std::size_t slot) const noexcept { return words_[slot] == Words{}; }
  void forget(std::size_t slot) noexcept { words_[slot] = {}; }

  /// Its state, part by part, for an image (see engine/snapshot/image.hpp).
  static void visit_state(auto& self, auto& visit) noexcept { visit(self.words_); }

 private:
  /// A command has defaults for its members, and so cannot be allocated without a write.
  using Words = std::array<std::uint64_t, sizeof(VenueCommand) / sizeof(std::uint64_t)>;

  ZeroedArray<Words> words_;
};

}  // namespace llmes::inline LLMES_NAMESPACE::detail
