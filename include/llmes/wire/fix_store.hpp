// SPDX-License-Identifier: MIT
//
// The sequence numbers of one session of FIX, which outlive its connections and the program.
//
// A venue's messages lie in a store, and are made anew from the journal after a restart. Session messages, such as
// heartbeats, use up numbers too, and are never sent again. So the numbers of all messages follow from those that
// session messages have used. A program keeps each change where it survives, and applies all when it starts.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "llmes/detail/algorithm.hpp"
#include "llmes/version.hpp"
#include "llmes/wire/fix_message.hpp"
#include "llmes/wire/soup_session.hpp"

namespace llmes::inline LLMES_NAMESPACE::fix {

enum class ChangeType : std::uint64_t {
  Received,  ///< `number` is the one that the next message of the other side has
  Used,      ///< a session message has used `number`
  Reset,     ///< both sides begin at 1 again; the first `number` messages of the store have none any more
};

/// A change to the numbers of a session, to be kept as it is.
struct Change {
  ChangeType type{};
  std::uint64_t number = 0;

  friend constexpr bool operator==(const Change&, const Change&) = default;
};
static_assert(sizeof(Change) == 16 && std::has_unique_object_representations_v<Change>);

/// The numbers of both sides. The first one is 1.
class Numbers {
 public:
  /// Applies a change. Amortized constant; it allocates when numbers are used after messages of the store.
  /// @return false, and nothing has changed, if it does not go with those before: the number is 0, or used already
  bool apply(const Change& change) {
    switch (change.type) {
      case ChangeType::Received:
        if (change.number == 0) return false;
        received_ = change.number;
        return true;
      case ChangeType::Used: return use(change.number);
      case ChangeType::Reset:
        *this = Numbers();
        first_ = change.number;
        return true;
    }
    return false;
  }

  /// The number that the next message of the other side has.
  [[nodiscard]] std::uint64_t next_received() const noexcept { return received_; }
  /// The number that this side uses next, once all messages of a store of that size have theirs.
  [[nodiscard]] std::uint64_t next_sent(std::size_t store_size) const noexcept {
    return store_size - std::min<std::uint64_t>(first_, store_size) + used() + 1;
  }
  /// The message of the store that has a number, counted from 0; nothing if a session message has used it, or it
  /// is 0. O(log n) in the runs of used numbers.
  [[nodiscard]] std::optional<std::size_t> find(std::uint64_t sequence) const noexcept {
    const auto next = llmes::detail::upper_bound(runs_, sequence, &Run::first);
    std::uint64_t used_before = 0;
    if (next != runs_.begin()) {
      const Run& run = *(next - 1);
      if (sequence - run.first < run.count) return {};
      used_before = run.before + run.count;
    }
    if (sequence == 0) return {};
    return first_ + sequence - 1 - used_before;
  }

 private:
  /// Numbers that session messages have used, one after the other.
  struct Run {
    std::uint64_t first;
    std::uint64_t count;
    std::uint64_t before;  ///< how many were used before it
  };

  [[nodiscard]] std::uint64_t used() const noexcept {
    return runs_.empty() ? 0 : runs_.back().before + runs_.back().count;
  }
  bool use(std::uint64_t sequence) {
    if (sequence <= (runs_.empty() ? 0 : runs_.back().first + runs_.back().count - 1)) return false;
    if (!runs_.empty() && sequence == runs_.back().first + runs_.back().count) {
      ++runs_.back().count;
    } else {
      runs_.push_back({sequence, 1, used()});
    }
    return true;
  }

  std::vector<Run> runs_;
  std::uint64_t first_ = 0;  ///< messages of the store before the first one that has a number
  std::uint64_t received_ = 1;
};

namespace detail {

/// A message of a store, taken apart.
struct StoredMessage {
  std::string_view type{};
  std::string_view time{};
  std::string_view fields{};
};
[[nodiscard]] inline std::optional<StoredMessage> read_stored(std::span<const std::byte> bytes) noexcept {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::size_t type_end = text.find(separator);
  const std::size_t time_end = type_end == text.npos ? text.npos : text.find(separator, type_end + 1);
  if (time_end == text.npos || !text.starts_with("35=") || !text.substr(type_end + 1).starts_with("52="))
    return {};
  return StoredMessage{text.substr(3, type_end - 3), text.substr(type_end + 4, time_end - type_end - 4),
                       text.substr(time_end + 1)};
}

}  // namespace detail

/// Where the messages and numbers of a session are. A message of the store is a body without what each connection
/// says anew: `35=TYPE|52=TIME|` and its fields, where TIME is when it came to be.
///
/// `keep` makes a change last as long as the store does, and then applies it to `numbers()`. It is called after
/// the handler of a message has returned, and before bytes go out that show it.
template <class Store>
concept SessionStore = soup::MessageStore<Store> && requires(Store& store, const Change& change) {
  { store.numbers() } -> std::convertible_to<const Numbers&>;
  store.keep(change);
};

}  // namespace llmes::inline LLMES_NAMESPACE::fix
