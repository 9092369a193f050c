// SPDX-License-Identifier: MIT
//
// A command of a venue as records of a journal: as many as it needs. The first one has what nearly every order
// says, the second and the third what few do, and each entry of a mass quote has one: a journal pays for what is
// set.
//
// The records of a command follow each other, and it is made when its last one comes. So its sequence is that of
// its last record: sequences count records. A crash may leave the first ones of a command as the end of a journal:
// nobody was told of it, and the next command takes its place.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "llmes/detail/algorithm.hpp"
#include "llmes/engine/journal/record.hpp"
#include "llmes/types/terms.hpp"
#include "llmes/types/types.hpp"
#include "llmes/venue/order_words.hpp"
#include "llmes/venue/quote.hpp"
#include "llmes/venue/venue_command.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// A part of a command, of 64 bytes.
struct alignas(64) PartRecord {
  std::uint64_t sequence = 0;        ///< given by the engine, 1 for the first
  std::uint32_t checksum = 0;        ///< see `checksum_of`
  std::uint32_t index_in_write = 0;  ///< how many records of the same write to the journal come before it
  std::array<std::uint64_t, 5> words{};
  std::array<std::uint8_t, 7> bytes{};
  std::uint8_t part = 0;  ///< which one, and `last` if no other one of its command follows

  static constexpr std::uint8_t last = 0x80;

  [[nodiscard]] constexpr bool is_last() const noexcept { return (part & last) != 0; }
  constexpr void set_last(bool is) noexcept { part = static_cast<std::uint8_t>(number() | (is ? last : 0)); }
  [[nodiscard]] constexpr unsigned number() const noexcept { return part & (last - 1u); }

  friend constexpr bool operator==(const PartRecord&, const PartRecord&) = default;
};
static_assert(sizeof(PartRecord) == 64 && JournalRecord<PartRecord>);

/// The records of one command, in order: 1 to 3. They go to the engine together: `Engine::submit`.
class VenueRecords {
 public:
  static constexpr std::size_t size_max = 3;
  static constexpr std::uint8_t entry = size_max;  ///< the part that an entry of a mass quote is

  [[nodiscard]] constexpr const PartRecord* data() const noexcept { return records_.data(); }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
  [[nodiscard]] constexpr const PartRecord* begin() const noexcept { return data(); }
  [[nodiscard]] constexpr const PartRecord* end() const noexcept { return data() + size_; }

 private:
  friend constexpr VenueRecords records_of(const VenueCommand& command) noexcept;

  std::array<PartRecord, size_max> records_{};
  std::size_t size_ = 0;
};

/// It copies an invalid enumerator as it is.
[[nodiscard]] constexpr VenueRecords records_of(const VenueCommand& c) noexcept {
  const auto byte = [](auto value) { return static_cast<std::uint8_t>(value); };
  VenueRecords all;
  PartRecord& first = all.records_[all.size_++];
  first.words = {c.time, c.id, static_cast<std::uint64_t>(c.price), c.quantity,
                 c.account | std::uint64_t{c.book} << 32};
  first.bytes = {byte(c.type),    byte(c.side),   byte(c.time_in_force), byte(c.self_trade),
                 byte(c.display), byte(c.effect), byte(c.lifetime)};
  const bool has_second = c.quote_mode != QuoteMode::Each ||
                          (c.new_id | c.peak | c.minimum | c.expiry | c.link) != 0 || c.client_tag != 0 ||
                          c.link_role != LinkRole::None || c.phase != Phase::Continuous;
  if (has_second) {
    PartRecord& second = all.records_[all.size_++];
    second.words = {c.new_id, c.peak, c.minimum, c.expiry, c.link};
    second.bytes = {byte(c.client_tag),       byte(c.client_tag >> 8), byte(c.client_tag >> 16),
                    byte(c.client_tag >> 24), byte(c.link_role),       byte(c.phase),
                    byte(c.quote_mode)};
    second.part = 1;
  }
  if ((c.trigger | c.trail) != 0 || c.protection != 0 || c.stop != StopTrigger::None) {
    PartRecord& third = all.records_[all.size_++];
    third.words = {static_cast<std::uint64_t>(c.trigger), static_cast<std::uint64_t>(c.trail), c.protection};
    third.bytes = {byte(c.stop)};
    third.part = 2;
  }
  all.records_[all.size_ - 1].set_last(true);
  return all;
}

/// The most records that a mass quote has.
inline constexpr std::size_t quote_records_max = VenueRecords::size_max + quote_entries_max;

/// Those of a mass quote, in `room`; nothing if they do not fit.
[[nodiscard]] constexpr std::span<const PartRecord> records_of(const VenueCommand& command,
                                                               std::span<const QuoteEntry> entries,
                                                               std::span<PartRecord> room) noexcept {
  const VenueRecords head = records_of(command);
  const std::size_t size = head.size() + entries.size();
  if (size > room.size()) return {};
  detail::copy(head, room.begin());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const QuoteEntry& one = entries[i];
    PartRecord& record = room[head.size() + i] = {};
    record.words = {one.id, static_cast<std::uint64_t>(one.price), one.quantity, one.book};
    record.bytes = {static_cast<std::uint8_t>(one.side)};
    record.part = VenueRecords::entry;
  }
  room[head.size() - 1].set_last(false);
  room[size - 1].set_last(true);
  return room.first(size);
}

/// Puts the records of commands together again.
class VenueCommandReader {
 public:
  /// The type of what is no command.
  static constexpr auto no_type = static_cast<VenueCommandType>(0xff);

  /// Takes the next record.
  /// @return the command that it completes, which stays until the next call; nullptr if more of it follow. A last
  /// record without its first one, or with a number that no part has, gives a command without a type.
  [[nodiscard]] const VenueCommand* take(const PartRecord& record) noexcept {
    const auto& [a, b, c, d, e] = record.words;
    const auto& bytes = record.bytes;
    const unsigned number = record.number();
    if (number == 0) {
      count_ = 0;
      command_ = {.time = a,
                  .id = b,
                  .price = static_cast<Price>(c),
                  .quantity = d,
                  .account = static_cast<AccountNumber>(e),
                  .book = static_cast<BookNumber>(e >> 32),
                  .type = static_cast<VenueCommandType>(bytes[0]),
                  .side = static_cast<Side>(bytes[1]),
                  .time_in_force = static_cast<TimeInForce>(bytes[2]),
                  .self_trade = static_cast<SelfTrade>(bytes[3]),
                  .display = static_cast<Display>(bytes[4]),
                  .effect = static_cast<PositionEffect>(bytes[5]),
                  .lifetime = static_cast<Lifetime>(bytes[6])};
    } else if (number < next_ || next_ == 0 || number > entry || (number == entry && count_ >= entries_.size())) {
      command_ = {.time = command_.time, .type = no_type};
      count_ = 0;
    } else if (number == 1) {
      command_.new_id = a;
      command_.peak = b;
      command_.minimum = c;
      command_.expiry = d;
      command_.link = e;
      command_.client_tag =
          bytes[0] | std::uint32_t{bytes[1]} << 8 | std::uint32_t{bytes[2]} << 16 | std::uint32_t{bytes[3]} << 24;
      command_.link_role = static_cast<LinkRole>(bytes[4]);
      command_.phase = static_cast<Phase>(bytes[5]);
      command_.quote_mode = static_cast<QuoteMode>(bytes[6]);
    } else if (number == entry) {
      entries_[count_++] = {.id = a,
                            .price = static_cast<Price>(b),
                            .quantity = c,
                            .book = static_cast<BookNumber>(d),
                            .side = static_cast<Side>(bytes[0])};
    } else {
      command_.trigger = static_cast<Price>(a);
      command_.trail = static_cast<Price>(b);
      command_.protection = static_cast<std::uint32_t>(c);
      command_.stop = static_cast<StopTrigger>(bytes[0]);
    }
    next_ = record.is_last() ? 0 : number == entry ? entry : number + 1;
    return record.is_last() ? &command_ : nullptr;
  }

  /// The command as far as it has come.
  [[nodiscard]] const VenueCommand& command() const noexcept { return command_; }
  /// The entries of the command that `take` has given, if it is a mass quote.
  [[nodiscard]] std::span<const QuoteEntry> entries() const noexcept { return std::span(entries_).first(count_); }

  /// Whether its state can be, if it comes from an untrusted image.
  [[nodiscard]] bool holds() const noexcept { return count_ <= entries_.size(); }
  /// Its state, part by part, for an image (see engine/snapshot/image.hpp): a snapshot may fall into a command.
  static void visit_state(auto& self, auto& visit) noexcept {
    visit(self.command_, self.next_, self.entries_, self.count_);
  }

 private:
  static constexpr unsigned entry = VenueRecords::entry;

  VenueCommand command_{};  ///< as far as it has come
  std::array<QuoteEntry, quote_entries_max> entries_{};
  std::uint64_t count_ = 0;  ///< of them
  std::uint64_t next_ = 0;   ///< the least number that its next record may have; 0: a first one comes next
};

}  // namespace llmes::inline LLMES_NAMESPACE
