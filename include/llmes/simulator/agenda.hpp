// SPDX-License-Identifier: MIT
//
// What is on its way between a strategy and the venue, in the order in which it arrives.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "llmes/detail/algorithm.hpp"
#include "llmes/simulator/own_order.hpp"
#include "llmes/simulator/own_orders.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// What a strategy sees of a book: some levels of each side, the best first, as they were at `time`.
class MarketView {
 public:
  static constexpr std::size_t levels_max = 10;

  /// The levels of a side, at most as many as were subscribed.
  [[nodiscard]] std::span<const DepthLevel> levels(Side side) const noexcept {
    return std::span(levels_[index(side)]).first(counts_[index(side)]);
  }
  /// The best level of a side; of 0 lots if there is none.
  [[nodiscard]] DepthLevel best(Side side) const noexcept {
    return counts_[index(side)] == 0 ? DepthLevel{} : levels_[index(side)][0];
  }
  [[nodiscard]] bool has_both() const noexcept { return counts_[0] != 0 && counts_[1] != 0; }
  [[nodiscard]] Nanoseconds time() const noexcept { return time_; }

  /// Whether an order at this price may be in one of the best `count` levels, before or after it came there.
  [[nodiscard]] bool reaches(Side side, Price price, std::size_t count) const noexcept {
    const auto seen = levels(side);
    return seen.size() < count || !detail::is_better(side, seen.back().price, price);
  }
  /// Reads the best levels of a book, as many as `room` has: that is written in any case, the view if they differ.
  /// @return whether they do.
  template <class Book>
  bool update(const Book& book, std::span<DepthLevel> room, Nanoseconds time) noexcept {
    bool has_changed = false;
    for (const Side side : {Side::Buy, Side::Sell}) {
      const auto found = room.first(book.depth(side, room));
      if (detail::equal(found, levels(side))) continue;
      detail::copy(found, levels_[index(side)].begin());
      counts_[index(side)] = found.size();
      has_changed = true;
    }
    if (has_changed) time_ = time;
    return has_changed;
  }

 private:
  [[nodiscard]] static constexpr std::size_t index(Side side) noexcept { return static_cast<std::size_t>(side); }

  std::array<std::array<DepthLevel, levels_max>, 2> levels_{};
  std::array<std::size_t, 2> counts_{};
  Nanoseconds time_ = 0;
};

/// A trade of the market, as the feed tells of it.
struct MarketTrade {
  Nanoseconds time = 0;
  std::uint64_t record = 0;
  Price price = 0;
  Quantity quantity = 0;
  BookNumber book = 0;
  bool is_displayed = false;  ///< it was against an order of the book, whose side is `maker_side`
  Side maker_side = Side::Buy;
};

namespace detail {

/// What arrives: at the venue, at the strategy, or as a note for the results.
struct Item {
  enum class Kind : std::uint8_t {
    Add,
    Modify,
    Cancel,
    TellAnswer,
    TellFill,
    TellMarket,
    TellTrade,
    TellTimer,
    Equity
  };

  Nanoseconds time = 0;
  std::uint64_t number = 0;  ///< of those of one time, the lower is the first
  Kind kind = Kind::Add;
  AnswerType answer = AnswerType::Accepted;
  OwnReason reason = OwnReason::None;
  Side side = Side::Buy;
  bool flag = false;
  OwnOrderId order = no_order;
  BookNumber book = 0;
  std::uint32_t place = 0;  ///< of a view, or of a fill
  Price price = 0;
  Quantity quantity = 0;
  std::uint64_t tag = 0;  ///< of a timer, or the record
  Nanoseconds venue_time = 0;
};

/// A heap, and the next number.
class Agenda {
 public:
  [[nodiscard]] Nanoseconds due() const noexcept {
    return items_.empty() ? std::numeric_limits<Nanoseconds>::max() : items_.front().time;
  }
  void push(Item item) {
    item.number = next_++;
    items_.push_back(item);
    std::push_heap(items_.begin(), items_.end(), is_later);
  }
  Item pop() {
    std::pop_heap(items_.begin(), items_.end(), is_later);
    const Item item = items_.back();
    items_.pop_back();
    return item;
  }

 private:
  [[nodiscard]] static bool is_later(const Item& one, const Item& other) noexcept {
    return one.time != other.time ? one.time > other.time : one.number > other.number;
  }

  std::vector<Item> items_;
  std::uint64_t next_ = 0;
};

/// Things of one type with numbers, which are used again.
template <class T>
class Slots {
 public:
  std::uint32_t put(const T& value) {
    if (free_.empty()) {
      values_.push_back(value);
      return static_cast<std::uint32_t>(values_.size() - 1);
    }
    const std::uint32_t place = free_.back();
    free_.pop_back();
    values_[place] = value;
    return place;
  }
  T take(std::uint32_t place) {
    free_.push_back(place);
    return values_[place];
  }
  [[nodiscard]] T& operator[](std::uint32_t place) noexcept { return values_[place]; }
  [[nodiscard]] const T& operator[](std::uint32_t place) const noexcept { return values_[place]; }

 private:
  std::vector<T> values_;
  std::vector<std::uint32_t> free_;
};

}  // namespace detail
}  // namespace llmes::inline LLMES_NAMESPACE
