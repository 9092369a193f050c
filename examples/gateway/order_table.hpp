// SPDX-License-Identifier: MIT
//
// The open orders of a gateway, found by number or by the id that the client gave.
//
// The book is told the number as its `OrderId`. A trade then leads to the records of both sides without a search,
// which matters: ids come in no order, so each search misses the caches, and a map of ids can cost more than the
// book. Only a request of a client has to search. It looks through entries of 8 bytes, sized for what rests and
// not for all ids of the day, and reads one record: the one it wants. For ids that are numbers of 64 bits there is
// `IdBook` in llmes/ids.hpp; these are texts, and the hash of a text is not unique.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "llmes/book.hpp"
#include "messages.hpp"

namespace gateway {

using llmes::OrderHandle;

using OrderNumber = std::uint32_t;

/// Who sent an order and what they call it: 1 to 23 characters. The key of any other id is no order's.
///
/// It is put together in registers and stored as whole words. A processor that loads a word which was just stored
/// in pieces waits until all stores before it have reached the cache, and in a deep book those miss it: copying
/// the characters into an array takes longer than everything else that the gateway does.
struct OrderKey {
  static constexpr std::size_t length_max = 23;

  std::uint32_t hash = 0;  ///< of the rest; it comes first because it tells most keys apart
  SessionId session = 0;
  std::array<std::uint64_t, 3> words{};  ///< the characters, zeros, and the length in the last byte

  OrderKey() = default;
  OrderKey(SessionId session_id, std::string_view id) : session(session_id) {
    if (id.size() > length_max) id = {};
    words = {word(id, 0), word(id, 8), word(id, 16) | std::uint64_t{id.size()} << 56};
    // Clients who want to harm each other can find ids that collide. A venue that has such clients starts from a
    // secret number.
    std::uint64_t mixed = session;
    for (const std::uint64_t characters : words) {
      mixed = (mixed ^ characters) * 0x9e37'79b9'7f4a'7c15;
      mixed ^= mixed >> 32;
    }
    hash = static_cast<std::uint32_t>(mixed);
  }

  [[nodiscard]] bool valid() const { return length() > 0; }

  [[nodiscard]] std::string_view text() const {
    static_assert(std::endian::native == std::endian::little, "the words hold the characters in reading order");
    return {reinterpret_cast<const char*>(words.data()), length()};
  }

  friend bool operator==(const OrderKey&, const OrderKey&) = default;

 private:
  [[nodiscard]] std::size_t length() const { return words[2] >> 56; }

  /// Up to 8 characters, the first in the lowest byte.
  [[nodiscard]] static std::uint64_t word(std::string_view id, std::size_t from) {
    std::uint64_t characters = 0;
    if (id.size() >= from + 8) {
      std::memcpy(&characters, id.data() + from, 8);
    } else {
      for (std::size_t i = from; i < id.size(); ++i) {
        characters |= std::uint64_t{static_cast<unsigned char>(id[i])} << 8 * (i - from);
      }
    }
    return characters;
  }
};

/// An open order: one cache line. What is not yet traded rests in the book under `handle`.
struct alignas(64) OrderRecord {
  OrderKey key;
  OrderHandle handle{};
  Quantity ordered = 0;     ///< all lots of the order, traded or not, as in FIX
  Quantity cumulative = 0;  ///< lots traded so far
  SymbolId symbol = 0;
  Side side = Side::Buy;
  TimeInForce time_in_force = TimeInForce::GoodTillCancel;

  [[nodiscard]] Quantity leaves() const { return ordered - cumulative; }
};
static_assert(sizeof(OrderRecord) == 64);

/// An open-addressing table with linear probing. Nothing is allocated after it is made.
class OrderTable {
 public:
  /// Room for `capacity` orders, at least 1 and fewer than 2^32 - 1.
  explicit OrderTable(std::size_t capacity)
      : records_(capacity), entries_(std::bit_ceil(2 * capacity)), mask_(entries_.size() - 1) {
    free_.reserve(capacity);
    for (std::size_t number = capacity; number-- > 0;) free_.push_back(static_cast<OrderNumber>(number));
  }

  [[nodiscard]] std::optional<OrderNumber> find(const OrderKey& key) const {
    for (std::size_t i = key.hash & mask_; entries_[i].number != nobody; i = next(i)) {
      const Entry entry = entries_[i];
      if (entry.hash == key.hash && records_[entry.number].key == key) return entry.number;
    }
    return {};
  }

  [[nodiscard]] OrderRecord& operator[](std::uint64_t number) { return records_[number]; }
  [[nodiscard]] const OrderRecord& operator[](std::uint64_t number) const { return records_[number]; }

  /// Makes a record of which only the key is set. There must be room, and no order with this key.
  OrderNumber insert(const OrderKey& key) {
    const OrderNumber number = free_.back();
    free_.pop_back();
    records_[number].key = key;
    enter(number);
    return number;
  }

  /// Gives an order a key that no order has. It keeps its number.
  void rename(OrderNumber number, const OrderKey& key) {
    remove(number);
    records_[number].key = key;
    enter(number);
  }

  void erase(OrderNumber number) {
    remove(number);
    free_.push_back(number);
  }

  [[nodiscard]] std::size_t size() const { return records_.size() - free_.size(); }

  /// Counts the entries, which must be `size()`. For checks: linear in the capacity.
  [[nodiscard]] std::size_t entry_count() const {
    return static_cast<std::size_t>(
        std::count_if(entries_.begin(), entries_.end(), [](Entry entry) { return entry.number != nobody; }));
  }

 private:
  static constexpr OrderNumber nobody = 0xffff'ffff;

  /// The hash tells other orders apart, and says where an entry wants to be, without a look at the record.
  struct Entry {
    OrderNumber number = nobody;
    std::uint32_t hash = 0;
  };

  [[nodiscard]] std::size_t next(std::size_t i) const { return (i + 1) & mask_; }

  void enter(OrderNumber number) {
    const std::uint32_t hash = records_[number].key.hash;
    std::size_t i = hash & mask_;
    while (entries_[i].number != nobody) i = next(i);
    entries_[i] = {number, hash};
  }

  /// Takes the entry out and closes the gap: later entries move back unless they would pass their home. Marks in
  /// place of removed entries would fill the table in the course of a day.
  void remove(OrderNumber number) {
    std::size_t gap = records_[number].key.hash & mask_;
    while (entries_[gap].number != number) gap = next(gap);
    for (std::size_t i = next(gap); entries_[i].number != nobody; i = next(i)) {
      const std::size_t from_home = (i - entries_[i].hash) & mask_;
      if (from_home >= ((i - gap) & mask_)) {
        entries_[gap] = entries_[i];
        gap = i;
      }
    }
    entries_[gap] = {};
  }

  std::vector<OrderRecord> records_;
  std::vector<OrderNumber> free_;
  std::vector<Entry> entries_;  ///< at most half of them in use
  std::size_t mask_;
};

}  // namespace gateway
