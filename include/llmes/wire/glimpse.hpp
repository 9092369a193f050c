// SPDX-License-Identifier: MIT
//
// A snapshot of a feed for those who come late, as Nasdaq's GLIMPSE has it: a session of SoupBinTCP whose messages
// are the state as ITCH messages, and at the end one that says from which sequence of the feed to go on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "llmes/version.hpp"
#include "llmes/wire/soup_packets.hpp"

namespace llmes::inline LLMES_NAMESPACE::glimpse {

/// The last message of a snapshot.
struct End {
  char type = 'G';
  soup::detail::DecimalField sequence{};  ///< of the first message of the feed that is not in the snapshot
};
static_assert(sizeof(End) == 21);

/// What the last message of a snapshot says; nothing if `message` is another one, or no number is in it. O(1).
[[nodiscard]] inline std::optional<std::uint64_t> sequence_of(std::span<const std::byte> message) noexcept {
  if (message.size() != sizeof(End) || message.front() != std::byte{'G'}) return {};
  return reinterpret_cast<const End*>(message.data())->sequence.value();
}

/// The messages of a snapshot, which a `soup::Server` sends each client from 1 on. Allocates as it is filled.
class Snapshot {
 public:
  void add(std::span<const std::byte> message) {
    bytes_.insert(bytes_.end(), message.begin(), message.end());
    ends_.push_back(bytes_.size());
  }
  /// Appends the last message.
  /// @param sequence of the first message of the feed that is not in the snapshot
  void finish(std::uint64_t sequence) {
    const End end{.sequence = sequence};
    add(std::as_bytes(std::span(&end, 1)));
  }

  [[nodiscard]] std::size_t size() const noexcept { return ends_.size(); }
  [[nodiscard]] std::span<const std::byte> operator[](std::size_t index) const noexcept {
    const std::size_t begin = index == 0 ? 0 : ends_[index - 1];
    return std::span(bytes_).subspan(begin, ends_[index] - begin);
  }

 private:
  std::vector<std::byte> bytes_;
  std::vector<std::size_t> ends_;  ///< behind each message
};

}  // namespace llmes::inline LLMES_NAMESPACE::glimpse
