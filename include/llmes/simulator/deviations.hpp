// SPDX-License-Identifier: MIT
//
// How a market that own orders have displaced differs from history.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "llmes/detail/algorithm.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::detail {

/// Orders with lots too many, by the time when these leave.
class Leavers {
 public:
  struct Leaver {
    Nanoseconds time;
    OrderId id;
  };

  [[nodiscard]] Nanoseconds due() const noexcept {
    return next_ < leavers_.size() ? leavers_[next_].time : std::numeric_limits<Nanoseconds>::max();
  }
  /// Times do not go back.
  void push(const Leaver& leaver) { leavers_.push_back(leaver); }
  Leaver pop() {
    const Leaver leaver = leavers_[next_++];
    if (next_ == leavers_.size()) {
      leavers_.clear();
      next_ = 0;
    }
    return leaver;
  }

 private:
  std::vector<Leaver> leavers_;
  std::size_t next_ = 0;
};

/// By how many lots orders of the market differ from history.
class Deviations {
 public:
  struct Entry {
    OrderId id = 0;
    BookNumber book = 0;
    Side side = Side::Buy;
    Price price = 0;
    Nanoseconds since = 0;
    std::int64_t more = 0;  ///< lots that the order has, and has not in history; negative: lots that it lacks
  };

  [[nodiscard]] std::int64_t more(OrderId id) const noexcept {
    const Entry* const found = entry(id);
    return found == nullptr ? 0 : found->more;
  }
  [[nodiscard]] const Entry* entry(OrderId id) const noexcept {
    const auto at = find(id);
    return at != entries_.end() && at->id == id ? &*at : nullptr;
  }
  /// @return whether the order has lots too many from now on.
  bool set(const Entry& wanted) {
    const auto at = find(wanted.id);
    const bool has = at != entries_.end() && at->id == wanted.id;
    const auto place = entries_.begin() + (at - entries_.cbegin());
    const std::int64_t before = has ? place->more : 0;
    count(before, -1);
    count(wanted.more, 1);
    if (wanted.more == 0) {
      if (has) entries_.erase(place);
    } else if (has) {
      place->more = wanted.more;
      place->price = wanted.price;
      if (before <= 0) place->since = wanted.since;
    } else {
      entries_.insert(place, wanted);
    }
    return before <= 0 && wanted.more > 0;
  }
  [[nodiscard]] std::span<const Entry> entries() const noexcept { return entries_; }
  /// How many levels have other lots than in history.
  [[nodiscard]] std::uint64_t levels() const {
    std::map<std::tuple<BookNumber, Side, Price>, std::int64_t> lots;
    for (const Entry& entry : entries_) lots[{entry.book, entry.side, entry.price}] += entry.more;
    return static_cast<std::uint64_t>(detail::count_if(lots, [](const auto& one) { return one.second != 0; }));
  }
  [[nodiscard]] std::uint64_t lots_more() const noexcept { return lots_more_; }
  [[nodiscard]] std::uint64_t lots_fewer() const noexcept { return lots_fewer_; }

 private:
  [[nodiscard]] std::vector<Entry>::const_iterator find(OrderId id) const noexcept {
    return detail::lower_bound(entries_, id, &Entry::id);
  }
  void count(std::int64_t more, std::int64_t sign) noexcept {
    if (more > 0) lots_more_ += static_cast<std::uint64_t>(sign * more);
    if (more < 0) lots_fewer_ += static_cast<std::uint64_t>(sign * -more);
  }

  std::vector<Entry> entries_;  ///< sorted by id
  std::uint64_t lots_more_ = 0;
  std::uint64_t lots_fewer_ = 0;
};

}  // namespace llmes::inline LLMES_NAMESPACE::detail
