// SPDX-License-Identifier: MIT
//
// Numbers for the instruments of a DBN file, in the order in which records name them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "llmes/dbn/records.hpp"
#include "llmes/detail/hash.hpp"
#include "llmes/detail/probing_table.hpp"
#include "llmes/detail/reset_on_move.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// An instrument as one publisher tells of it. Each has a book of its own, and ids of its own.
struct MboInstrument {
  std::uint16_t publisher = 0;
  std::uint32_t instrument = 0;

  friend constexpr bool operator==(const MboInstrument&, const MboInstrument&) = default;
};

/// The name of an order among those of all instruments. Ids of two instruments may be the same, but with the salts
/// of their books they are as good as never. The salt of book 0 is 0, so in a file of one instrument ids stay what
/// they are. Called once more with its result, it gives the id back.
[[nodiscard]] constexpr OrderId salted_id(BookNumber book, OrderId id) noexcept {
  return id ^ hash_of(book);
}

/// The instruments so far, each with a number and an object of its own. Memory: 32 to 64 bytes an instrument, and
/// those objects.
template <class State>
class MboInstruments {
 public:
  /// Room for `most` instruments, all allocated here; `allocated` says whether there was memory.
  explicit MboInstruments(std::size_t most) noexcept
      : numbers_(most), entries_(new(std::nothrow) Instrument[most]), most_(most) {}

  [[nodiscard]] bool allocated() const noexcept { return numbers_.allocated() && entries_ != nullptr; }

  /// The number of an instrument, a new one if need be, with a new `State`; nothing if there is no room. Constant
  /// on average: most records are about the instrument of the record before.
  [[nodiscard]] std::optional<BookNumber> number_for(MboInstrument instrument) noexcept {
    const std::uint64_t code = code_of(instrument);
    if (latest_->used() && latest_->code == code) [[likely]]
      return latest_->number - 1;
    if (most_ == 0) return {};
    Entry& entry = numbers_[index_of(code)];
    if (!entry.used()) {
      if (size_ == most_) return {};
      entries_[size_] = {.name = instrument};
      entry = {code, static_cast<BookNumber>(++size_)};
    }
    latest_ = entry;
    return entry.number - 1;
  }
  /// The number of an instrument, if it has one. Constant on average.
  [[nodiscard]] std::optional<BookNumber> find(MboInstrument instrument) const noexcept {
    if (most_ == 0) return {};
    const Entry& entry = numbers_[index_of(code_of(instrument))];
    if (!entry.used()) return {};
    return entry.number - 1;
  }

  /// How many instruments have a number, and how many can.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t most() const noexcept { return most_; }
  /// The instrument of a number below `size()`, and its object.
  [[nodiscard]] MboInstrument name(BookNumber number) const noexcept { return entries_[number].name; }
  [[nodiscard]] State& operator[](BookNumber number) noexcept { return entries_[number].state; }
  [[nodiscard]] const State& operator[](BookNumber number) const noexcept { return entries_[number].state; }

  /// Forgets all of them. Linear in the room.
  void clear() noexcept {
    numbers_.clear();
    size_ = 0;
    latest_ = {};
  }

 private:
  struct Instrument {
    MboInstrument name{};
    State state{};
  };

  /// The number of an instrument.
  struct Entry {
    std::uint64_t code;
    BookNumber number;  ///< one more than it is; 0 in a free entry

    [[nodiscard]] bool used() const noexcept { return number != 0; }
    [[nodiscard]] std::uint32_t hash() const noexcept { return short_hash(code); }
  };
  [[nodiscard]] static std::uint32_t short_hash(std::uint64_t code) noexcept {
    return static_cast<std::uint32_t>(hash_of(code) >> 32);
  }
  [[nodiscard]] static std::uint64_t code_of(MboInstrument instrument) noexcept {
    return std::uint64_t{instrument.publisher} << 32 | instrument.instrument;
  }
  [[nodiscard]] std::size_t index_of(std::uint64_t code) const noexcept {
    return numbers_.search(short_hash(code), [code](const Entry& entry) { return entry.code == code; });
  }

  ProbingTable<Entry> numbers_;
  std::unique_ptr<Instrument[]> entries_;  ///< by number
  detail::ResetOnMove<std::size_t> size_;
  detail::ResetOnMove<std::size_t> most_;
  detail::ResetOnMove<Entry> latest_;  ///< that of the latest record
};

}  // namespace llmes::inline LLMES_NAMESPACE
