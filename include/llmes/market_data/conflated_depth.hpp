// SPDX-License-Identifier: MIT
//
// Stands between a publisher and a reader of levels that is slower than the book: it keeps the latest state of
// each level that has changed since the reader last asked, and no other. Its memory is bounded; if more levels
// change than it has room for, it says so, and the reader goes on from a snapshot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "llmes/detail/mixed.hpp"
#include "llmes/detail/probing_table.hpp"
#include "llmes/market_data/events.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// What a reader of conflated levels has got.
enum class DepthUpdate : std::uint8_t {
  Complete,        ///< every level that has changed
  SnapshotNeeded,  ///< nothing: too many have changed; the reader must take a snapshot of every book
};

/// A sink of a publisher. What is read of it is a stream with gaps, since only the last event of a level is given.
/// One that has been moved from has no room.
class ConflatedDepth {
 public:
  static constexpr std::size_t levels_max = std::size_t{1} << 30;

  /// Makes an empty stage, or nothing, and `status` says why. All memory, at most 72 bytes for each level, is
  /// allocated here.
  /// @param levels how many levels may change between two reads, of all books together.
  /// @param status InvalidCapacity (0, or above `levels_max`), OutOfMemory, or Success.
  [[nodiscard]] static std::optional<ConflatedDepth> create(std::size_t levels, CreateStatus& status) noexcept {
    status = levels == 0 || levels > levels_max ? CreateStatus::InvalidCapacity : CreateStatus::Success;
    if (status != CreateStatus::Success) return {};
    std::optional<ConflatedDepth> stage{ConflatedDepth(levels)};
    if (stage->changes_ == nullptr || !stage->places_.allocated()) {
      status = CreateStatus::OutOfMemory;
      stage.reset();
    }
    return stage;
  }

  /// The same without a reason.
  [[nodiscard]] static std::optional<ConflatedDepth> create(std::size_t levels) noexcept {
    CreateStatus status{};
    return create(levels, status);
  }

  ConflatedDepth(ConflatedDepth&& other) noexcept
      : changes_(std::move(other.changes_)),
        places_(std::move(other.places_)),
        capacity_(std::exchange(other.capacity_, 0)),
        size_(std::exchange(other.size_, 0)),
        overrun_(other.overrun_) {}
  ConflatedDepth& operator=(ConflatedDepth&& other) noexcept {
    changes_ = std::move(other.changes_);
    places_ = std::move(other.places_);
    capacity_ = std::exchange(other.capacity_, 0);
    size_ = std::exchange(other.size_, 0);
    overrun_ = other.overrun_;
    return *this;
  }

  /// Takes an event of a publisher. Constant on average.
  void level_changed(const LevelChanged& event) noexcept {
    if (overrun_) return;
    const std::size_t place = places_.search(hash(event), [&](const Place& other) {
      const LevelChanged& known = changes_[other.change - 1].event;
      return known.book == event.book && known.side == event.side && known.level.price == event.level.price;
    });
    if (places_[place].used()) {
      changes_[places_[place].change - 1].event = event;
      return;
    }
    if (size_ == capacity_) {
      overrun_ = true;
      forget();
      return;
    }
    changes_[size_] = {event, place};
    places_[place] = {++size_};
  }

  /// Gives `reader` each level that has changed since the last read once, as it is now, and forgets them. The
  /// events keep their sequences; the last one of all books ends the command. To be called between two calls to
  /// the book; the reader must not call this. Linear in these levels.
  /// @return SnapshotNeeded, after which everything is kept again: the reader takes a snapshot now or later, and
  /// ignores an event whose sequence is not above that of the snapshot.
  template <class Reader>
  [[nodiscard]] DepthUpdate read(Reader&& reader) {
    if (std::exchange(overrun_, false)) return DepthUpdate::SnapshotNeeded;
    for (std::size_t i = 0; i < size_; ++i) {
      LevelChanged& event = changes_[i].event;
      event.ends_command = i + 1 == size_;
      give(reader, event);
    }
    forget();
    return DepthUpdate::Complete;
  }

  /// How many levels have changed since the last read, and for how many there is room.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

 private:
  struct Change {
    LevelChanged event;
    std::size_t place;  ///< in `places_`
  };
  /// Where a level is found by a hash of its name.
  struct Place {
    std::uint32_t change;  ///< one more than its place in `changes_`; 0 for nothing

    [[nodiscard]] bool used() const noexcept { return change != 0; }
  };

  explicit ConflatedDepth(std::size_t levels) noexcept
      : changes_(new(std::nothrow) Change[levels]), places_(levels), capacity_(levels) {}

  [[nodiscard]] static std::uint32_t hash(const LevelChanged& event) noexcept {
    const auto price = static_cast<std::uint64_t>(event.level.price);
    const std::uint64_t side = mixed(2 * std::uint64_t{event.book} + static_cast<std::uint64_t>(event.side));
    return static_cast<std::uint32_t>(mixed(price ^ side) >> 32);
  }

  void forget() noexcept {
    for (std::size_t i = 0; i < size_; ++i) places_[changes_[i].place] = {};
    size_ = 0;
  }

  std::unique_ptr<Change[]> changes_;  ///< in the order in which the levels changed first
  ProbingTable<Place> places_;
  std::size_t capacity_;
  std::uint32_t size_ = 0;
  bool overrun_ = false;  ///< more has changed than there is room for
};

}  // namespace llmes::inline LLMES_NAMESPACE
